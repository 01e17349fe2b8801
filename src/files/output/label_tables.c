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

/* The state of both tables. */
struct tables {
    struct shw_class *classes, *kinds; /* names are borrowed from `columns` */
    json_t *columns;
    uint32_t class_count;
    bool has_objects;
    struct shw_object_columns object_columns;
    struct shw_object_table objects;
    struct shw_atomic_file shares;
};

enum { SHARES, OBJECTS }; /* in the list of tables */

static json_t *pack_names(const struct shw_class *classes, uint32_t count)
{
    json_t *names = json_array();

    for (uint32_t c = 0; c < count; c++)
        json_array_append_new(names, shw_json_text(classes[c].name));
    return names;
}

json_t *shw_label_columns_pack(const struct shw_label_job *job)
{
    const struct shw_object_columns columns = shw_label_objects_columns(&job->each.objects);

    return json_pack("{s:o, s:b, s:b, s:o}", "classes", pack_names(job->info->classes, job->info->class_count),
                     "objects", (int)job->each.objects.table, "units", (int)columns.units, "kinds",
                     pack_names(columns.kinds, columns.kind_count));
}

static uint32_t list_tables(const json_t *columns, const char *names[SHW_RESULT_TABLES_MAX])
{
    names[SHARES] = SHW_SHARES_TABLE;
    names[OBJECTS] = SHW_OBJECTS_TABLE;
    return json_is_true(json_object_get(columns, "objects")) ? 2 : 1;
}

/* The names of classes in an array, borrowed; to be freed. NULL if memory is exhausted. */
static struct shw_class *take_classes(const json_t *names, uint32_t *count)
{
    struct shw_class *classes;

    *count = (uint32_t)json_array_size(names);
    classes = calloc(*count + (size_t)1, sizeof *classes);
    for (uint32_t c = 0; c < *count && classes != NULL; c++) {
        const char *name = json_string_value(json_array_get(names, c));

        classes[c].name = name != NULL ? name : "";
    }
    return classes;
}

static enum shw_result begin_tables(struct shw_result_tables *tables, const json_t *columns)
{
    struct tables *state = calloc(1, sizeof *state);

    tables->state = state;
    if (state == NULL)
        return shw_fail_memory(tables->log, "tables");
    state->columns = json_deep_copy(columns);
    state->classes = take_classes(json_object_get(state->columns, "classes"), &state->class_count);
    state->kinds = take_classes(json_object_get(state->columns, "kinds"), &state->object_columns.kind_count);
    if (state->classes == NULL || state->kinds == NULL)
        return shw_fail_memory(tables->log, "tables");
    state->has_objects = tables->count > OBJECTS;
    state->object_columns.units = json_is_true(json_object_get(state->columns, "units"));
    state->object_columns.kinds = state->kinds;
    if (state->has_objects)
        SHW_PROPAGATE(
            shw_object_table_open(&state->objects, tables->paths[OBJECTS], &state->object_columns, tables->log));
    SHW_PROPAGATE(shw_atomic_file_open(&state->shares, tables->paths[SHARES], tables->log));
    fputs("picture,width_px,height_px,class,class_number,area_px,share" SHW_CSV_END, state->shares.stream);
    return SHW_OK;
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

static enum shw_result add_rows(struct shw_result_tables *tables, const char *path, const char *place,
                                const json_t *entry)
{
    struct tables *state = tables->state;

    if (json_array_size(json_object_get(entry, "pixels")) != state->class_count)
        return shw_fail(tables->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot read the journal entry of %s again",
                        place);
    print_shares(state->shares.stream, path, entry, state->classes, state->class_count);
    return state->has_objects ? add_objects(&state->objects, path, place, entry, state->classes) : SHW_OK;
}

static enum shw_result commit_tables(struct shw_result_tables *tables)
{
    struct tables *state = tables->state;

    if (state->has_objects) {
        SHW_PROPAGATE(shw_result_table_announce(tables, tables->paths[OBJECTS], state->objects.file.stream));
        SHW_PROPAGATE(shw_object_table_commit(&state->objects, tables->log));
    }
    SHW_PROPAGATE(shw_result_table_announce(tables, tables->paths[SHARES], state->shares.stream));
    return shw_atomic_file_commit(&state->shares, tables->log);
}

static void free_tables(struct shw_result_tables *tables)
{
    struct tables *state = tables->state;

    shw_object_table_abandon(&state->objects);
    shw_atomic_file_abandon(&state->shares);
    free(state->classes);
    free(state->kinds);
    json_decref(state->columns);
}

const struct shw_result_tables_kind shw_tables_of_label = {"label",  list_tables,   begin_tables,
                                                           add_rows, commit_tables, free_tables};

static char *table_path(const struct shw_label_job *job, const char *name)
{
    return shw_path_in(job->output, name);
}

enum shw_result shw_label_tables_open(struct shw_label_job *job)
{
    const struct shw_object_columns columns = shw_label_objects_columns(&job->each.objects);
    char *path;
    enum shw_result result;

    if (job->resume.journal != NULL || !job->each.objects.table)
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

    if (job->resume.journal != NULL)
        return shw_resume_write_tables(&job->resume, images, done, &job->outputs);
    if (!job->each.objects.table)
        return SHW_OK;
    path = table_path(job, SHW_OBJECTS_TABLE);
    result = path != NULL ? shw_output_files_look_again(&job->outputs, path) : shw_fail_memory(&job->log, "a table");
    if (result == SHW_OK)
        result = shw_object_table_commit(&job->table, &job->log);
    free(path);
    return result;
}
