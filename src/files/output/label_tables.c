#include "files/output/label_tables.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "files/io/image_paths.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define KEY_VERSION "3" /* of what results look like */

/* Members of an object in the journal, all of them whole numbers, in this order. */
#define MEMBER(name)                                                                                                   \
    {                                                                                                                  \
        offsetof(struct shw_object, name), sizeof((struct shw_object){0}.name)                                         \
    }

static const struct member {
    size_t offset, size;
} members[] = {
    MEMBER(label),           MEMBER(at_border), MEMBER(area),  MEMBER(perimeter), MEMBER(x),           MEMBER(y),
    MEMBER(width),           MEMBER(height),    MEMBER(sum_x), MEMBER(sum_y),     MEMBER(probability), MEMBER(kind),
    MEMBER(kind_probability)};

enum { MEMBERS = sizeof members / sizeof *members };

_Static_assert(sizeof(struct shw_object) == 64, "list new members of objects above, and raise KEY_VERSION");

static uint64_t get_member(const struct shw_object *object, const struct member *member)
{
    const uint8_t *at = (const uint8_t *)object + member->offset;

    switch (member->size) {
    case 1: return *at;
    case 2: return *(const uint16_t *)(const void *)at;
    case 4: return *(const uint32_t *)(const void *)at;
    default: return *(const uint64_t *)(const void *)at;
    }
}

static void set_member(struct shw_object *object, const struct member *member, uint64_t value)
{
    uint8_t *at = (uint8_t *)object + member->offset;

    switch (member->size) {
    case 1: *at = (uint8_t)value; break;
    case 2: *(uint16_t *)(void *)at = (uint16_t)value; break;
    case 4: *(uint32_t *)(void *)at = (uint32_t)value; break;
    default: *(uint64_t *)(void *)at = value;
    }
}

static json_t *pack_object(const struct shw_object *object)
{
    json_t *packed = json_array();

    for (uint32_t m = 0; m < MEMBERS; m++)
        json_array_append_new(packed, json_integer((json_int_t)get_member(object, &members[m])));
    return packed;
}

/* False: that is no object. */
static bool unpack_object(const json_t *packed, struct shw_object *object)
{
    if (json_array_size(packed) != MEMBERS)
        return false;
    memset(object, 0, sizeof *object);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        const json_t *value = json_array_get(packed, m);
        uint64_t most = members[m].size < 8 ? (UINT64_C(1) << 8 * members[m].size) - 1 : INT64_MAX;
        if (members[m].offset == offsetof(struct shw_object, at_border))
            most = 1;
        if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
            return false;
        set_member(object, &members[m], (uint64_t)json_integer_value(value));
    }
    return true;
}

/* Whether the sum of the pixels' coordinates is possible. */
static bool is_sum_sound(uint64_t sum, uint64_t first, uint64_t length, uint64_t area)
{
    return sum >= first * area && sum <= (first + length - 1) * area;
}

/* Whether such an object is possible in a picture of that size. */
static bool is_object_sound(const struct shw_object *object, uint32_t width, uint32_t height, uint32_t class_count)
{
    const uint64_t area = object->area;

    return object->label < class_count && object->width > 0 && object->height > 0 &&
           (uint64_t)object->x + object->width <= width && (uint64_t)object->y + object->height <= height && area > 0 &&
           area <= (uint64_t)object->width * object->height && object->perimeter <= 4 * area &&
           is_sum_sound(object->sum_x, object->x, object->width, area) &&
           is_sum_sound(object->sum_y, object->y, object->height, area) && object->probability <= area * UINT16_MAX &&
           object->kind_probability <= 100000;
}

/* Whether the counts can be those of all pixels. Forests that read depth do not count void pixels. */
static bool are_counts_sound(const json_t *pixels, uint64_t whole, const struct shw_forest_info *info)
{
    uint32_t class_count = info->class_count;
    uint64_t sum = 0;

    for (uint32_t c = 0; c < class_count; c++) {
        json_int_t count = json_integer_value(json_array_get(pixels, c));
        if (!json_is_integer(json_array_get(pixels, c)) || count < 0 || (uint64_t)count > whole)
            return false;
        sum += (uint64_t)count;
    }
    return json_array_size(pixels) == class_count && (sum == whole || (sum < whole && info->feature->reads_depth));
}

bool shw_label_rows_are_sound(const struct shw_label_job *job, const json_t *entry)
{
    json_int_t width = json_integer_value(json_object_get(entry, "width"));
    json_int_t height = json_integer_value(json_object_get(entry, "height"));
    const json_t *objects = json_object_get(entry, "objects"), *packed;
    uint32_t class_count = job->info->class_count;
    struct shw_object object;
    size_t i;

    if (width < 1 || width > UINT16_MAX || height < 1 || height > UINT16_MAX ||
        !are_counts_sound(json_object_get(entry, "pixels"), (uint64_t)width * (uint64_t)height, job->info) ||
        json_is_array(objects) != job->each.objects.wanted)
        return false;
    json_array_foreach(objects, i, packed)
    {
        if (!unpack_object(packed, &object) ||
            !is_object_sound(&object, (uint32_t)width, (uint32_t)height, class_count))
            return false;
    }
    return true;
}

json_t *shw_label_rows_pack(const struct shw_label_rows *rows)
{
    size_t pixels = (size_t)rows->width * rows->height;
    uint64_t *counts = calloc(rows->class_count, sizeof *counts);
    json_t *shares = json_array(), *entry;

    for (size_t i = 0; counts != NULL && rows->counts == NULL && i < pixels; i++)
        if (rows->labels[i] != SHW_LABEL_VOID)
            counts[rows->labels[i]]++;
    if (counts != NULL && rows->counts != NULL)
        memcpy(counts, rows->counts, rows->class_count * sizeof *counts);
    for (uint32_t c = 0; counts != NULL && c < rows->class_count; c++)
        json_array_append_new(shares, json_integer((json_int_t)counts[c]));
    entry = counts != NULL
                ? json_pack("{s:i, s:i, s:O}", "width", (int)rows->width, "height", (int)rows->height, "pixels", shares)
                : NULL;
    json_decref(shares);
    free(counts);
    if (entry != NULL && rows->objects != NULL) {
        json_t *objects = json_array();

        for (uint32_t n = 0; n < rows->objects->count; n++)
            json_array_append_new(objects, pack_object(&rows->objects->list[n]));
        json_object_set_new(entry, "objects", objects);
        json_object_set_new(entry, "pixel_size", json_real(rows->objects->pixel_size));
    }
    return entry;
}

static void add_object_forest(const struct shw_label_objects *objects, struct shw_digester *digester)
{
    const struct shw_class *kinds;
    uint32_t count;
    uint64_t hash;

    if (objects->forest == NULL)
        return;
    hash = shw_record_forest_hash(shw_object_forest_records(objects->forest));
    shw_digester_add(digester, &hash, sizeof hash);
    kinds = shw_object_forest_classes(objects->forest, &count);
    for (uint32_t k = 0; k < count; k++) {
        shw_digester_add_text(digester, kinds[k].name);
        shw_digester_add(digester, kinds[k].colour, sizeof kinds[k].colour);
        if (objects->kinds != NULL)
            shw_digester_add(digester, &objects->kinds[k], sizeof objects->kinds[k]);
    }
}

/* The options that change results. */
static void add_options(const struct shw_label_job *job, struct shw_digester *digester)
{
    const struct shw_label_objects *objects = &job->each.objects;
    const struct shw_label_files_params *content = &job->content;
    const uint32_t numbers[] = {objects->wanted,
                                objects->table,
                                objects->outlines,
                                objects->instances,
                                objects->settings.smooth,
                                objects->settings.four,
                                objects->settings.hole_max,
                                objects->settings.area_min,
                                objects->settings.area_max,
                                objects->pixel_size.source,
                                objects->kinds != NULL};

    bool fine;
    char *choice = shw_image_choice_format(&job->params.choice, &fine);

    for (int o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        if (shw_label_outputs[o]->option != NULL) {
            const uint32_t form = content->forms[o], opacity = form > 0 ? content->opacity : 0;

            shw_digester_add(digester, &form, sizeof form);
            if (shw_label_outputs[o]->has_opacity)
                shw_digester_add(digester, &opacity, sizeof opacity);
        }
    shw_digester_add(digester, numbers, sizeof numbers);
    if (job->smoothing.radius > 0) /* results without it are still known */
        shw_digester_add(digester, &job->smoothing, sizeof job->smoothing);
    if (content->scale_bar)
        shw_digester_add_text(digester, "scale bar");
    if (choice != NULL)
        shw_digester_add_text(digester, choice);
    free(choice);
    if (job->model.text[0] != '\0')
        shw_digester_add_text(digester, job->model.text);
    if (job->power != NULL)
        shw_digester_add(digester, job->power, sizeof *job->power);
    shw_digester_add(digester, &objects->pixel_size.micrometres, sizeof objects->pixel_size.micrometres);
    add_object_forest(objects, digester);
    for (uint32_t c = 0; objects->settings.classes != NULL && c < objects->class_count; c++)
        shw_digester_add(digester, &objects->settings.classes[c], sizeof *objects->settings.classes);
}

/* Files being added. */
struct reading {
    struct shw_digester *digester;
    bool failed;
};

static void add_file(void *user, const char *path)
{
    struct reading *reading = user;
    uint32_t page;
    char *file = shw_image_file_of(path, &page);

    shw_digester_add(reading->digester, &page, sizeof page);
    reading->failed = file == NULL || !shw_digester_add_file(reading->digester, file) || reading->failed;
    free(file);
}

static struct shw_digester *begin_digest(const struct shw_label_job *job)
{
    struct shw_digester *digester = shw_digester_create();
    uint64_t hash = shw_forest_hash(job->forest);

    if (digester == NULL)
        return NULL;
    shw_digester_add_text(digester, KEY_VERSION);
    shw_digester_add(digester, &hash, sizeof hash);
    add_options(job, digester);
    for (uint32_t i = 0; i < job->input_count; i++)
        shw_digester_add_text(digester, job->inputs[i].name);
    return digester;
}

struct shw_digest shw_label_settings_digest(const struct shw_label_job *job)
{
    struct shw_digester *digester = begin_digest(job);

    return shw_digester_end(&digester);
}

struct shw_digest shw_label_key(const struct shw_label_job *job, const char *image)
{
    struct reading reading = {.digester = begin_digest(job)};
    struct shw_digest key = {""};
    struct shw_input_file files[SHW_INPUTS_MAX];
    const uint32_t count = shw_label_job_inputs(job, image, files);
    enum shw_result listed;

    if (reading.digester == NULL)
        return key;
    listed = shw_image_inputs_list(image, files, count, add_file, &reading, NULL);
    key = shw_digester_end(&reading.digester);
    return listed == SHW_OK && !reading.failed ? key : (struct shw_digest){""};
}

struct listed_image {
    const char *place;      /* borrowed */
    struct shw_digest file; /* which picture it is */
    uint64_t order;         /* greater for those labelled later, and for those of this call */
    bool alike;             /* labelled as this call would: there are rows for the tables */
    bool chosen;            /* the latest of its picture, of those that are alike if any is */
};

struct listing {
    struct listed_image *list; /* the images of this call, in its order; then the others, in that of their places */
    uint32_t count;
    uint32_t left_out; /* pictures that are not alike */
    uint32_t repeated; /* further places of pictures that are listed */
    const char **places;
};

#define THIS_CALL ((uint64_t)1 << 63)

/* Adds the real path of the folder, and the name in it. */
static void add_real_path(struct shw_digester *digester, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash != NULL ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;

    shw_digester_add_text(digester, real != NULL ? real : folder != NULL ? folder : "");
    shw_digester_add_text(digester, slash != NULL ? slash + 1 : file);
    free(real);
    free(folder);
}

struct shw_digest shw_label_file_digest(const char *path)
{
    struct shw_digester *digester = shw_digester_create();
    uint32_t page;
    char *file = shw_image_file_of(path, &page);

    page = page > 0 ? page : 1;
    if (digester != NULL) {
        add_real_path(digester, file != NULL ? file : path);
        shw_digester_add(digester, &page, sizeof page);
    }
    free(file);
    return shw_digester_end(&digester);
}

/* Of an entry of the journal; earlier versions noted only the path. */
static struct shw_digest file_of(const json_t *entry)
{
    const char *known = json_string_value(json_object_get(entry, "file"));
    struct shw_digest file = {""};
    char *path;

    if (known != NULL && strlen(known) < sizeof file.text) {
        strcpy(file.text, known);
        return file;
    }
    path = shw_json_name_read(json_object_get(entry, "path"));
    if (path != NULL)
        file = shw_label_file_digest(path);
    free(path);
    return file;
}

/* Whether an image of the journal was labelled as this call would, and has rows. */
static bool is_alike(const struct shw_label_job *job, const json_t *entry, const struct shw_digest *settings)
{
    const char *known = json_string_value(json_object_get(entry, "way"));

    return known != NULL && strcmp(known, settings->text) == 0 && shw_label_rows_are_sound(job, entry) &&
           json_is_string(json_object_get(entry, "path"));
}

static int compare_places(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The places of the images of this call, sorted; to be freed. NULL if memory is exhausted. */
static const char **sort_places(const struct shw_image_list *images)
{
    const char **places = malloc((images->count + (size_t)1) * sizeof *places);

    for (uint32_t i = 0; places != NULL && i < images->count; i++)
        places[i] = images->list[i].place;
    if (places != NULL)
        qsort(places, images->count, sizeof *places, compare_places);
    return places;
}

static void add_these(const struct shw_image_list *images, const bool *done, struct listing *listing)
{
    for (uint32_t i = 0; i < images->count; i++)
        if (done[i])
            listing->list[listing->count++] = (struct listed_image){.place = images->list[i].place,
                                                                    .file = shw_label_file_digest(images->list[i].path),
                                                                    .order = THIS_CALL + i,
                                                                    .alike = true};
}

/* An image that is not among this call's, if its files are still there. */
static void add_other(const struct shw_label_job *job, const char *place, const struct shw_digest *settings,
                      struct listing *listing)
{
    json_t *entry = shw_label_journal_read(job->journal, place);

    if (entry != NULL && shw_label_journal_has_files(job->journal, entry))
        listing->list[listing->count++] = (struct listed_image){.place = place,
                                                                .file = file_of(entry),
                                                                .order = shw_label_journal_order(job->journal, place),
                                                                .alike = is_alike(job, entry, settings)};
    json_decref(entry);
}

/* Those of one picture together, the one to be chosen first. */
static int compare_listed(const void *a, const void *b)
{
    const struct listed_image *x = *(struct listed_image *const *)a, *y = *(struct listed_image *const *)b;
    int files = strcmp(x->file.text, y->file.text);

    if (files != 0)
        return files;
    return x->alike != y->alike ? (int)y->alike - (int)x->alike : (x->order < y->order) - (x->order > y->order);
}

static enum shw_result choose(struct listing *listing, const struct shw_log *log)
{
    struct listed_image **sorted = malloc((listing->count + (size_t)1) * sizeof *sorted), *last = NULL;

    if (sorted == NULL)
        return shw_fail_memory(log, "the names of images");
    for (uint32_t i = 0; i < listing->count; i++)
        sorted[i] = &listing->list[i];
    qsort(sorted, listing->count, sizeof *sorted, compare_listed);
    for (uint32_t i = 0; i < listing->count; i++) {
        bool again = last != NULL && last->file.text[0] != '\0' && strcmp(last->file.text, sorted[i]->file.text) == 0;
        sorted[i]->chosen = !again && sorted[i]->alike;
        listing->left_out += !again && !sorted[i]->alike;
        listing->repeated += again;
        last = sorted[i];
    }
    free(sorted);
    return SHW_OK;
}

/* Of the images of this call, those that are `done` may be chosen. Errors: MEMORY. */
static enum shw_result list_images(const struct shw_label_job *job, const struct shw_image_list *images,
                                   const bool *done, struct listing *listing)
{
    const struct shw_digest settings = shw_label_settings_digest(job);
    const char **these = sort_places(images);
    uint32_t count = 0;
    enum shw_result result = SHW_ERROR_MEMORY;

    *listing = (struct listing){.places = shw_label_journal_places(job->journal, &count)};
    listing->list = malloc(((size_t)images->count + count + 1) * sizeof *listing->list);
    if (listing->places != NULL && these != NULL && listing->list != NULL) {
        add_these(images, done, listing);
        for (uint32_t i = 0; i < count; i++)
            if (bsearch(&listing->places[i], these, images->count, sizeof *these, compare_places) == NULL)
                add_other(job, listing->places[i], &settings, listing);
        result = choose(listing, &job->log);
    } else {
        shw_fail_memory(&job->log, "the names of images");
    }
    free(these);
    return result;
}

static void free_listing(struct listing *listing)
{
    free(listing->list);
    free(listing->places);
    *listing = (struct listing){.list = NULL};
}

/* Rounds half up, to six decimals. */
static void print_share(FILE *stream, uint64_t part, uint64_t whole)
{
    uint64_t millionths = (2000000 * part + whole) / (2 * whole);

    fprintf(stream, "%" PRIu64 ".%06" PRIu64, millionths / 1000000, millionths % 1000000);
}

static void print_shares(FILE *stream, const char *path, const json_t *entry, const struct shw_class *classes,
                         uint32_t class_count)
{
    uint32_t width = (uint32_t)json_integer_value(json_object_get(entry, "width"));
    uint32_t height = (uint32_t)json_integer_value(json_object_get(entry, "height"));
    const json_t *pixels = json_object_get(entry, "pixels");

    for (uint32_t c = 0; c < class_count && width > 0 && height > 0; c++) {
        uint64_t count = (uint64_t)json_integer_value(json_array_get(pixels, c));

        shw_print_csv_text(stream, path);
        fprintf(stream, ",%u,%u,", width, height);
        shw_print_csv_text(stream, classes[c].name);
        fprintf(stream, ",%u,%" PRIu64 ",", c, count);
        print_share(stream, count, (uint64_t)width * height);
        fputs(SHW_CSV_END, stream);
    }
}

static enum shw_result add_objects(struct shw_object_table *table, const char *path, const char *place,
                                   const json_t *entry, const struct shw_class *classes)
{
    const json_t *packed = json_object_get(entry, "objects");
    struct shw_objects objects = {.has_probability = true,
                                  .pixel_size = json_number_value(json_object_get(entry, "pixel_size")),
                                  .count = (uint32_t)json_array_size(packed)};

    objects.list = malloc((objects.count + (size_t)1) * sizeof *objects.list);
    if (objects.list == NULL)
        return shw_fail_memory(NULL, path);
    for (uint32_t n = 0; n < objects.count; n++)
        unpack_object(json_array_get(packed, n), &objects.list[n]);
    shw_object_table_add(table, path, place, &objects, classes);
    free(objects.list);
    return SHW_OK;
}

static enum shw_result fail_journal(const struct shw_log *log, const char *place)
{
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot read the journal entry of %s again", place);
}

enum shw_result shw_label_tables_add(struct shw_label_tables *tables, const char *path, const char *place,
                                     const json_t *entry)
{
    if (json_array_size(json_object_get(entry, "pixels")) != tables->class_count)
        return fail_journal(tables->log, place);
    print_shares(tables->shares.stream, path, entry, tables->classes, tables->class_count);
    return tables->has_objects ? add_objects(&tables->objects, path, place, entry, tables->classes) : SHW_OK;
}

/* The rows of an image: under the path that this call has, or, if that is NULL, the one in the journal. */
static enum shw_result add_listed(struct shw_label_job *job, const struct listed_image *listed, const char *path,
                                  struct shw_label_tables *tables)
{
    json_t *entry = shw_label_journal_read(job->journal, listed->place);
    char *recorded = path == NULL ? shw_json_name_read(json_object_get(entry, "path")) : NULL;
    enum shw_result result;

    path = path != NULL ? path : recorded;
    if (path != NULL && shw_label_rows_are_sound(job, entry))
        result = shw_label_tables_add(tables, path, listed->place, entry);
    else
        result = fail_journal(&job->log, listed->place);
    free(recorded);
    json_decref(entry);
    return result;
}

static void warn(const struct shw_label_job *job, const struct listing *listing)
{
    const uint32_t left_out = listing->left_out, repeated = listing->repeated;

    if (left_out > 0)
        shw_log_message(&job->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "the tables in %s leave out %u image%s that %s labelled there by another forest or with other "
                        "options: name %s again",
                        job->output, left_out, left_out == 1 ? "" : "s", left_out == 1 ? "was" : "were",
                        left_out == 1 ? "it" : "them");
    if (repeated > 0)
        shw_log_message(
            &job->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
            "the tables in %s list each image once: %u other result%s there %s of images that were labelled again "
            "under another name",
            job->output, repeated, repeated == 1 ? "" : "s", repeated == 1 ? "is" : "are");
}

static enum shw_result fill(struct shw_label_job *job, const struct shw_image_list *images, const bool *done,
                            struct shw_label_tables *tables)
{
    struct listing listing = {.list = NULL};
    enum shw_result result = list_images(job, images, done, &listing);
    uint32_t image = 0;

    for (uint32_t i = 0; i < listing.count && result == SHW_OK; i++) {
        const char *path = NULL;
        while (image < images->count && !done[image])
            image++;
        if (image < images->count)
            path = images->list[image++].path;
        if (listing.list[i].chosen)
            result = add_listed(job, &listing.list[i], path, tables);
    }
    if (result == SHW_OK)
        warn(job, &listing);
    free_listing(&listing);
    return result;
}

/* Notes the digest of the table, so that it is known as ours, and checks whether its place is still free. */
static enum shw_result announce(const struct shw_label_tables *tables, const char *path, FILE *stream)
{
    struct shw_digest digest;

    SHW_PROPAGATE(shw_output_files_look_again(tables->outputs, path));
    if (!shw_digest_stream(stream, &digest))
        return shw_fail(tables->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                        "cannot write %s: what was written cannot be read back", path);
    return shw_label_journal_note(tables->journal, path, &digest);
}

enum shw_result shw_label_tables_begin(struct shw_label_tables *tables, const char *folder)
{
    tables->objects_path = shw_path_in(folder, SHW_OBJECTS_TABLE);
    tables->shares_path = shw_path_in(folder, SHW_SHARES_TABLE);
    if (tables->objects_path == NULL || tables->shares_path == NULL)
        return shw_fail_memory(tables->log, "the names of tables");
    if (tables->has_objects)
        SHW_PROPAGATE(shw_object_table_open(&tables->objects, tables->objects_path, &tables->columns, tables->log));
    SHW_PROPAGATE(shw_atomic_file_open(&tables->shares, tables->shares_path, tables->log));
    fputs("picture,width_px,height_px,class,class_number,area_px,share" SHW_CSV_END, tables->shares.stream);
    return SHW_OK;
}

enum shw_result shw_label_tables_commit(struct shw_label_tables *tables)
{
    if (tables->has_objects) {
        SHW_PROPAGATE(announce(tables, tables->objects_path, tables->objects.file.stream));
        SHW_PROPAGATE(shw_object_table_commit(&tables->objects, tables->log));
    }
    SHW_PROPAGATE(announce(tables, tables->shares_path, tables->shares.stream));
    return shw_atomic_file_commit(&tables->shares, tables->log);
}

void shw_label_tables_free(struct shw_label_tables *tables)
{
    shw_object_table_abandon(&tables->objects);
    shw_atomic_file_abandon(&tables->shares);
    free(tables->objects_path);
    free(tables->shares_path);
    tables->objects_path = tables->shares_path = NULL;
}

static enum shw_result write_recorded(struct shw_label_job *job, const struct shw_image_list *images, const bool *done)
{
    struct shw_label_tables tables = {.log = &job->log,
                                      .outputs = &job->outputs,
                                      .journal = job->journal,
                                      .classes = job->info->classes,
                                      .class_count = job->info->class_count,
                                      .has_objects = job->each.objects.table,
                                      .columns = shw_label_objects_columns(&job->each.objects)};
    enum shw_result result = shw_label_tables_begin(&tables, job->output);

    if (result == SHW_OK)
        result = fill(job, images, done, &tables);
    if (result == SHW_OK)
        result = shw_label_tables_commit(&tables);
    shw_label_tables_free(&tables);
    return result;
}

static char *table_path(const struct shw_label_job *job, const char *name)
{
    return shw_path_in(job->output, name);
}

enum shw_result shw_label_tables_open(struct shw_label_job *job)
{
    const struct shw_object_columns columns = shw_label_objects_columns(&job->each.objects);
    char *path;
    enum shw_result result;

    if (job->journal != NULL || !job->each.objects.table)
        return SHW_OK;
    path = table_path(job, SHW_OBJECTS_TABLE);
    result = path != NULL ? shw_object_table_open(&job->table, path, &columns, &job->log)
                          : shw_fail_memory(&job->log, "a table");
    free(path);
    return result;
}

enum shw_result shw_label_tables_write(struct shw_label_job *job, const struct shw_image_list *images, const bool *done)
{
    char *path;
    enum shw_result result;

    if (job->journal != NULL)
        return write_recorded(job, images, done);
    if (!job->each.objects.table)
        return SHW_OK;
    path = table_path(job, SHW_OBJECTS_TABLE);
    result = path != NULL ? shw_output_files_look_again(&job->outputs, path) : shw_fail_memory(&job->log, "a table");
    if (result == SHW_OK)
        result = shw_object_table_commit(&job->table, &job->log);
    free(path);
    return result;
}
