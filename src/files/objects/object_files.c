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

static void print_object_header(FILE *stream, const struct shw_object_columns *columns)
{
    fputs("picture,object,class,class_number,area_px,x_px,y_px,width_px,height_px,centre_x_px,centre_y_px,"
          "perimeter_px,touches_border,mean_probability,files",
          stream);
    if (columns->units)
        fputs(",pixel_size_um,area_um2,width_um,height_um,perimeter_um", stream);
    if (columns->kind_count > 0)
        fputs(",object_class,object_class_number,object_class_probability", stream);
    fputs(SHW_CSV_END, stream);
}

/* The columns of units, empty if the size of pixels is not known. */
static void print_units(FILE *stream, const struct shw_object *object, double side)
{
    if (side > 0.0)
        fprintf(stream, ",%.9g,%.9g,%.9g,%.9g,%.9g", side, object->area * side * side, object->width * side,
                object->height * side, object->perimeter * side);
    else
        fputs(",,,,,", stream);
}

static void print_kind_probability(FILE *stream, const struct shw_object *object)
{
    fprintf(stream, "%u.%05u", object->kind_probability / 100000, object->kind_probability % 100000);
}

/* The columns of object classes, empty if none is known. */
static void print_kind(FILE *stream, const struct shw_object *object, const struct shw_object_columns *columns)
{
    if (object->kind == 0 || object->kind > columns->kind_count) {
        fputs(",,,", stream);
        return;
    }
    putc(',', stream);
    shw_print_csv_text(stream, columns->kinds[object->kind - 1].name);
    fprintf(stream, ",%u,", object->kind - 1u);
    print_kind_probability(stream, object);
}

/* A row per object, in the order of their numbers. `picture`: the first column; `files`: the last, what the names of
 * the picture's other files begin with. */
static void print_object_rows(FILE *stream, const char *picture, const char *files, const struct shw_objects *objects,
                              const struct shw_class *classes, const struct shw_object_columns *columns)
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
        if (columns->units)
            print_units(stream, object, objects->pixel_size);
        if (columns->kind_count > 0)
            print_kind(stream, object, columns);
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

/* What features are made of. */
struct features {
    const struct shw_objects *objects;
    const struct shw_object_outlines *outlines;
    const struct shw_object_columns *columns;
    char **classifications, **kinds; /* QuPath's, of each class and each object class */
    char **names, **kind_names;      /* theirs, in JSON */
};

/* Objects with an object class are classified by that; then their class is a property. */
static void print_classification(FILE *stream, const struct features *features, const struct shw_object *object)
{
    if (object->kind == 0 || object->kind > features->columns->kind_count)
        fprintf(stream, "\"classification\":%s", features->classifications[object->label]);
    else
        fprintf(stream, "\"classification\":%s,\"class\":%s,\"object_class\":%s", features->kinds[object->kind - 1],
                features->names[object->label], features->kind_names[object->kind - 1]);
}

static void print_properties(FILE *stream, const struct features *features, uint32_t number)
{
    const struct shw_objects *objects = features->objects;
    const struct shw_object *object = &objects->list[number - 1];
    struct shw_object_centre centre = shw_object_get_centre(object);
    const double side = objects->pixel_size;

    fprintf(stream, "{\"objectType\":\"detection\",\"object\":%u,", number);
    print_classification(stream, features, object);
    fputs(",\"measurements\":{", stream);
    fprintf(stream, "\"object\":%u,\"area_px\":%u,\"centre_x_px\":", number, object->area);
    print_thousandths(stream, centre.x);
    fputs(",\"centre_y_px\":", stream);
    print_thousandths(stream, centre.y);
    fprintf(stream, ",\"perimeter_px\":%u,\"touches_border\":%u", object->perimeter, object->at_border);
    if (objects->has_probability) {
        fputs(",\"mean_probability\":", stream);
        print_probability(stream, object);
    }
    if (features->columns->units && side > 0.0)
        fprintf(stream,
                ",\"pixel_size_um\":%.9g,\"area_um2\":%.9g,\"width_um\":%.9g,\"height_um\":%.9g,"
                "\"perimeter_um\":%.9g",
                side, object->area * side * side, object->width * side, object->height * side,
                object->perimeter * side);
    if (object->kind > 0 && object->kind <= features->columns->kind_count) {
        fputs(",\"object_class_probability\":", stream);
        print_kind_probability(stream, object);
    }
    fputs("}}", stream);
}

/* QuPath's classification of a class, or with `bare` its name alone. */
static json_t *pack_class(const struct shw_class *class, bool bare)
{
    const uint8_t *colour = class->colour;

    return bare ? json_string(class->name)
                : json_pack("{s:s, s:[i,i,i]}", "name", class->name, "color", colour[0], colour[1], colour[2]);
}

static void free_texts(char **texts, uint32_t count)
{
    for (uint32_t c = 0; texts != NULL && c < count; c++)
        free(texts[c]);
    free(texts);
}

/* Of each class, in JSON. NULL if memory is exhausted. */
static char **make_texts(const struct shw_class *classes, uint32_t count, bool bare)
{
    char **texts = calloc(count + (size_t)1, sizeof *texts);

    for (uint32_t c = 0; texts != NULL && c < count; c++) {
        json_t *value = pack_class(&classes[c], bare);

        texts[c] = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        json_decref(value);
        if (texts[c] == NULL) {
            free_texts(texts, c);
            return NULL;
        }
    }
    return texts;
}

static void print_features(FILE *stream, const struct features *features)
{
    const struct shw_objects *objects = features->objects;
    const struct shw_object_outlines *outlines = features->outlines;
    const struct shw_outline_rings *rings = &outlines->rings;

    for (uint32_t first = 0, end; first < rings->count; first = end) {
        uint32_t number = objects->numbers[rings->list[first].start];

        for (end = first + 1; end < rings->count && objects->numbers[rings->list[end].start] == number;)
            end++;
        fprintf(stream, "%s{\"type\":\"Feature\",\"geometry\":", first > 0 ? ",\n" : "");
        print_geometry(stream, outlines, first, end);
        fputs(",\"properties\":", stream);
        print_properties(stream, features, number);
        putc('}', stream);
    }
}

enum shw_result shw_print_object_outlines(FILE *stream, const struct shw_objects *objects,
                                          const struct shw_class *classes, uint32_t class_count,
                                          const struct shw_object_columns *columns, const struct shw_log *log)
{
    struct shw_object_outlines outlines = {0};
    struct features features = {.objects = objects,
                                .outlines = &outlines,
                                .columns = columns,
                                .classifications = make_texts(classes, class_count, false),
                                .names = make_texts(classes, class_count, true),
                                .kinds = make_texts(columns->kinds, columns->kind_count, false),
                                .kind_names = make_texts(columns->kinds, columns->kind_count, true)};
    enum shw_result result = features.classifications != NULL && features.names != NULL && features.kinds != NULL &&
                                     features.kind_names != NULL
                                 ? shw_object_outlines_find(objects, log, &outlines)
                                 : shw_fail_memory(log, "the names of classes");

    if (result == SHW_OK) {
        fputs(OUTLINES_BEFORE_MARK NO_MARK OUTLINES_AFTER_MARK "\n", stream);
        print_features(stream, &features);
        fputs("\n]}\n", stream);
    }
    shw_object_outlines_free(&outlines);
    free_texts(features.classifications, class_count);
    free_texts(features.names, class_count);
    free_texts(features.kinds, columns->kind_count);
    free_texts(features.kind_names, columns->kind_count);
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
                                      const struct shw_class *classes, uint32_t class_count,
                                      const struct shw_object_columns *columns, const struct shw_log *log)
{
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    return shw_mark_first_line(&file, path, sizeof OUTLINES_BEFORE_MARK - 1,
                               shw_print_object_outlines(file.stream, objects, classes, class_count, columns, log),
                               log);
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
                                       const struct shw_class *classes, uint32_t class_count,
                                       const struct shw_object_columns *columns, const struct shw_log *log)
{
    if (made->paths[SHW_OBJECT_OUTLINES] != NULL)
        SHW_PROPAGATE(write_outlines(made->paths[SHW_OBJECT_OUTLINES], objects, classes, class_count, columns, log));
    return made->paths[SHW_OBJECT_INSTANCES] != NULL ? write_instances(made, objects, log) : SHW_OK;
}

enum shw_result shw_object_table_open(struct shw_object_table *table, const char *path,
                                      const struct shw_object_columns *columns, const struct shw_log *log)
{
    SHW_PROPAGATE(shw_atomic_file_open(&table->file, path, log));
    table->columns = *columns;
    print_object_header(table->file.stream, columns);
    return SHW_OK;
}

void shw_object_table_add(struct shw_object_table *table, const char *picture, const char *files,
                          const struct shw_objects *objects, const struct shw_class *classes)
{
    print_object_rows(table->file.stream, picture, files, objects, classes,
                      &table->columns); /* commit reports errors */
}

enum shw_result shw_object_table_commit(struct shw_object_table *table, const struct shw_log *log)
{
    return shw_atomic_file_commit(&table->file, log);
}

void shw_object_table_abandon(struct shw_object_table *table)
{
    shw_atomic_file_abandon(&table->file);
}
