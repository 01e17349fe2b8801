#include "files/objects/object_files.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"

/* The first line of outlines, around the 16 digits of the mark (files/io/mark.h). */
#define OUTLINES_BEFORE_MARK "{\"type\":\"FeatureCollection\",\"shadewood\":\"outlines "
#define OUTLINES_AFTER_MARK  "\",\"features\":["
#define NO_MARK              "0000000000000000"

static void print_thousandths(FILE *stream, uint64_t value)
{
    fprintf(stream, "%" PRIu64 ".%03u", value / 1000, (unsigned)(value % 1000));
}

static void print_probability(FILE *stream, const struct shw_object *object)
{
    uint32_t value = shw_object_get_probability(object);

    fprintf(stream, "%u.%05u", value / 100000, value % 100000);
}

static void print_object_header(FILE *stream)
{
    fputs("picture,object,class,class_number,area_px,x_px,y_px,width_px,height_px,centre_x_px,centre_y_px,"
          "perimeter_px,touches_border,mean_probability,files" SHW_CSV_END,
          stream);
}

/* A row per object, in the order of their numbers. `picture`: the first column; `files`: the last, what the names of
 * the picture's other files begin with. */
static void print_object_rows(FILE *stream, const char *picture, const char *files, const struct shw_objects *objects,
                              const struct shw_class *classes)
{
    for (uint32_t n = 0; n < objects->count; n++) {
        const struct shw_object *object = &objects->list[n];
        struct shw_object_centre centre = shw_object_get_centre(object);

        shw_print_csv_text(stream, picture);
        fprintf(stream, ",%u,", n + 1);
        shw_print_csv_text(stream, classes[object->label].name);
        fprintf(stream, ",%u,%u,%u,%u,%u,%u,", object->label, object->area, object->x, object->y, object->width,
                object->height);
        print_thousandths(stream, centre.x);
        putc(',', stream);
        print_thousandths(stream, centre.y);
        fprintf(stream, ",%u,%s,", object->perimeter, object->at_border ? "true" : "false");
        if (objects->has_probability)
            print_probability(stream, object);
        putc(',', stream);
        shw_print_csv_text(stream, files);
        fputs(SHW_CSV_END, stream);
    }
}

/* A ring being printed. */
struct ring {
    FILE *stream;
    uint32_t first[2]; /* where it begins and ends */
    bool begun;
};

static void print_corner(void *user, uint32_t x, uint32_t y)
{
    struct ring *ring = user;

    if (!ring->begun) {
        ring->first[0] = x;
        ring->first[1] = y;
    }
    fprintf(ring->stream, "%s[%u,%u]", ring->begun ? "," : "", x, y);
    ring->begun = true;
}

static void print_ring(FILE *stream, const struct shw_outline_plane *plane, const struct shw_outline_ring *outline)
{
    struct ring ring = {.stream = stream};

    putc('[', stream);
    shw_walk_outline(plane, outline, &(struct shw_outline_walk){.corner = print_corner, .user = &ring});
    fprintf(stream, ",[%u,%u]]", ring.first[0], ring.first[1]);
}

/* The geometry of the object whose rings are from `first` to before `end`. */
static void print_geometry(FILE *stream, const struct shw_object_outlines *outlines, uint32_t first, uint32_t end)
{
    const struct shw_outline_ring *rings = outlines->rings.list;
    bool several = rings[first].number != rings[end - 1].number;

    fprintf(stream, "{\"type\":\"%s\",\"coordinates\":[%s", several ? "MultiPolygon" : "Polygon", several ? "[" : "");
    for (uint32_t i = first; i < end; i++) {
        if (i > first)
            fputs(rings[i].number != rings[i - 1].number ? "],[" : ",", stream);
        print_ring(stream, &outlines->plane, &rings[i]);
    }
    fputs(several ? "]]}" : "]}", stream);
}

static void print_properties(FILE *stream, const struct shw_objects *objects, uint32_t number,
                             const char *classification)
{
    const struct shw_object *object = &objects->list[number - 1];
    struct shw_object_centre centre = shw_object_get_centre(object);

    fprintf(stream, "{\"objectType\":\"detection\",\"object\":%u,\"classification\":%s,\"measurements\":{", number,
            classification);
    fprintf(stream, "\"object\":%u,\"area_px\":%u,\"centre_x_px\":", number, object->area);
    print_thousandths(stream, centre.x);
    fputs(",\"centre_y_px\":", stream);
    print_thousandths(stream, centre.y);
    fprintf(stream, ",\"perimeter_px\":%u,\"touches_border\":%u", object->perimeter, object->at_border);
    if (objects->has_probability) {
        fputs(",\"mean_probability\":", stream);
        print_probability(stream, object);
    }
    fputs("}}", stream);
}

/* QuPath's classification of each class. NULL if memory is exhausted. */
static char **make_classifications(const struct shw_class *classes, uint32_t class_count)
{
    char **texts = calloc(class_count, sizeof *texts);

    for (uint32_t c = 0; texts != NULL && c < class_count; c++) {
        const uint8_t *colour = classes[c].colour;
        json_t *value =
            json_pack("{s:s, s:[i,i,i]}", "name", classes[c].name, "color", colour[0], colour[1], colour[2]);

        texts[c] = value != NULL ? json_dumps(value, JSON_COMPACT) : NULL;
        json_decref(value);
        if (texts[c] == NULL) {
            while (c > 0)
                free(texts[--c]);
            free(texts);
            return NULL;
        }
    }
    return texts;
}

static void print_features(FILE *stream, const struct shw_objects *objects, const struct shw_object_outlines *outlines,
                           char **classifications)
{
    const struct shw_outline_rings *rings = &outlines->rings;

    for (uint32_t first = 0, end; first < rings->count; first = end) {
        uint32_t number = objects->numbers[rings->list[first].start];

        for (end = first + 1; end < rings->count && objects->numbers[rings->list[end].start] == number;)
            end++;
        fprintf(stream, "%s{\"type\":\"Feature\",\"geometry\":", first > 0 ? ",\n" : "");
        print_geometry(stream, outlines, first, end);
        fputs(",\"properties\":", stream);
        print_properties(stream, objects, number, classifications[objects->list[number - 1].label]);
        putc('}', stream);
    }
}

enum shw_result shw_print_object_outlines(FILE *stream, const struct shw_objects *objects,
                                          const struct shw_class *classes, uint32_t class_count,
                                          const struct shw_log *log)
{
    struct shw_object_outlines outlines;
    char **classifications = make_classifications(classes, class_count);
    enum shw_result result;

    if (classifications == NULL)
        return shw_fail_memory(log, "the names of classes");
    result = shw_object_outlines_find(objects, log, &outlines);
    if (result == SHW_OK) {
        fputs(OUTLINES_BEFORE_MARK NO_MARK OUTLINES_AFTER_MARK "\n", stream);
        print_features(stream, objects, &outlines, classifications);
        fputs("\n]}\n", stream);
    }
    shw_object_outlines_free(&outlines);
    for (uint32_t c = 0; c < class_count; c++)
        free(classifications[c]);
    free(classifications);
    return result;
}

static bool is_outlines(const char *path, const char *name)
{
    (void)name;
    return shw_first_line_is_marked(path, OUTLINES_BEFORE_MARK, OUTLINES_AFTER_MARK);
}

const struct shw_file_kind shw_file_outlines = {"outlines", "outlines of objects", is_outlines, false};

#define PNG_OBJECTS_MAX 65535u

static enum shw_result write_outlines(const char *path, const struct shw_objects *objects,
                                      const struct shw_class *classes, uint32_t class_count, const struct shw_log *log)
{
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    return shw_mark_first_line(&file, path, sizeof OUTLINES_BEFORE_MARK - 1,
                               shw_print_object_outlines(file.stream, objects, classes, class_count, log), log);
}

static enum shw_result write_png(const char *path, const struct shw_objects *objects, const struct shw_log *log)
{
    size_t pixels = (size_t)objects->width * objects->height;
    uint16_t *numbers = malloc(pixels * sizeof *numbers);
    const struct shw_image image = {
        .pixels = numbers, .width = objects->width, .height = objects->height, .format = SHW_PIXEL_GREY16};
    enum shw_result result;

    if (numbers == NULL)
        return shw_fail_memory(log, path);
    for (size_t i = 0; i < pixels; i++)
        numbers[i] = (uint16_t)objects->numbers[i];
    result = shw_png_write_marked(path, SHW_MARK_INSTANCES, &image, log);
    free(numbers);
    return result;
}

static enum shw_result write_instances(const struct shw_object_paths *made, const struct shw_objects *objects,
                                       const struct shw_log *log)
{
    const char *png = made->paths[SHW_OBJECT_INSTANCES], *tiff = made->paths[SHW_OBJECT_MANY_INSTANCES];

    if (objects->count > PNG_OBJECTS_MAX) {
        SHW_PROPAGATE(shw_tiff_write_instances(tiff, objects->numbers, objects->width, objects->height, log));
        if (shw_png_is_marked(png, SHW_MARK_INSTANCES))
            unlink(png);
        return SHW_OK;
    }
    SHW_PROPAGATE(write_png(png, objects, log));
    if (shw_tiff_is_marked(tiff, SHW_MARK_INSTANCES))
        unlink(tiff);
    return SHW_OK;
}

const struct shw_object_file_traits shw_object_files[SHW_OBJECT_FILES] = {
    [SHW_OBJECT_TABLE] = {"_objects.csv", &shw_file_table},
    [SHW_OBJECT_OUTLINES] = {"_objects.geojson", &shw_file_outlines},
    [SHW_OBJECT_INSTANCES] = {"_instances.png", &shw_file_instances},
    [SHW_OBJECT_MANY_INSTANCES] = {"_instances.tif", &shw_file_instance_page}};

enum shw_result shw_object_paths_make(const char *place, uint32_t files, const struct shw_log *log,
                                      struct shw_object_paths *made)
{
    *made = (struct shw_object_paths){{NULL}};
    for (uint32_t f = 0; f < SHW_OBJECT_FILES; f++)
        if ((files >> f & 1u) != 0) {
            made->paths[f] = shw_path_join(place, shw_object_files[f].ending, "");
            if (made->paths[f] == NULL)
                return shw_fail_memory(log, "the names of files");
        }
    return SHW_OK;
}

void shw_object_paths_free(struct shw_object_paths *made)
{
    for (uint32_t f = 0; f < SHW_OBJECT_FILES; f++) {
        free(made->paths[f]);
        made->paths[f] = NULL;
    }
}

enum shw_result shw_object_files_write(const struct shw_object_paths *made, const struct shw_objects *objects,
                                       const struct shw_class *classes, uint32_t class_count, const struct shw_log *log)
{
    if (made->paths[SHW_OBJECT_OUTLINES] != NULL)
        SHW_PROPAGATE(write_outlines(made->paths[SHW_OBJECT_OUTLINES], objects, classes, class_count, log));
    return made->paths[SHW_OBJECT_INSTANCES] != NULL ? write_instances(made, objects, log) : SHW_OK;
}

enum shw_result shw_object_table_open(struct shw_object_table *table, const char *path, const struct shw_log *log)
{
    SHW_PROPAGATE(shw_atomic_file_open(&table->file, path, log));
    print_object_header(table->file.stream);
    return SHW_OK;
}

void shw_object_table_add(struct shw_object_table *table, const char *picture, const char *files,
                          const struct shw_objects *objects, const struct shw_class *classes)
{
    print_object_rows(table->file.stream, picture, files, objects, classes); /* commit reports errors */
}

enum shw_result shw_object_table_commit(struct shw_object_table *table, const struct shw_log *log)
{
    return shw_atomic_file_commit(&table->file, log);
}

void shw_object_table_abandon(struct shw_object_table *table)
{
    shw_atomic_file_abandon(&table->file);
}
