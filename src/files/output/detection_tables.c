#include "files/output/detection_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/log.h"
#include "files/io/image_paths.h"

static const char *const names[3] = {"detections.csv", "detections.json", "windows.csv"};

/* In the order of the names. */
static struct shw_detection_table *table_of(struct shw_detection_tables *tables, int number)
{
    return number == 0 ? &tables->csv : number == 1 ? &tables->coco : &tables->windows;
}

enum shw_result shw_detection_tables_name(struct shw_detection_tables *tables, const char *prefix,
                                          struct shw_detection_wanted wanted, struct shw_output_files *files)
{
    const bool is_wanted[3] = {wanted.csv, wanted.coco, wanted.windows};

    for (int i = 0; i < 3; i++) {
        struct shw_detection_table *table = table_of(tables, i);

        if (!is_wanted[i])
            continue;
        table->path = shw_path_join(prefix, names[i], "");
        if (table->path == NULL)
            return shw_fail_memory(&files->log, "the names of files");
        shw_output_files_write(files, table->path, &shw_file_table);
    }
    return SHW_OK;
}

enum shw_result shw_detection_tables_open(struct shw_detection_tables *tables,
                                          const struct shw_detection_columns *columns, const struct shw_log *log)
{
    const struct shw_detection_columns windows = {columns->frames, true, columns->fraction_bits, false};

    tables->columns = *columns;
    for (int i = 0; i < 3; i++) {
        struct shw_detection_table *table = table_of(tables, i);

        if (table->path != NULL)
            SHW_PROPAGATE(shw_atomic_file_open(&table->file, table->path, log));
    }
    if (tables->csv.path != NULL)
        shw_print_detection_header(tables->csv.file.stream, columns);
    if (tables->windows.path != NULL)
        shw_print_detection_header(tables->windows.file.stream, &windows);
    if (tables->coco.path != NULL)
        fputs("[", tables->coco.file.stream);
    return SHW_OK;
}

static void add_results(struct shw_detection_tables *tables, const char *name, int64_t id, int64_t category,
                        const struct shw_detections *found)
{
    FILE *stream = tables->coco.file.stream;
    json_t *text = shw_json_text(name);

    for (uint32_t i = 0; i < found->count; i++) {
        const struct shw_detection *item = &found->items[i];
        char score[SHW_SCORE_TEXT_SIZE];

        shw_score_text(item->score, tables->columns.fraction_bits, score);
        fprintf(stream,
                "%s\n{\"image_id\": %lld, \"category_id\": %lld, \"bbox\": [%d, %d, %u, %u], \"score\": %s, "
                "\"file_name\": ",
                tables->has_results ? "," : "", (long long)id, (long long)category, item->x, item->y, item->width,
                item->height, score);
        json_dumpf(text, stream, JSON_ENCODE_ANY);
        fputs("}", stream);
        tables->has_results = true;
    }
    json_decref(text);
}

void shw_detection_tables_add(struct shw_detection_tables *tables, const struct shw_detection_place *place, int64_t id,
                              int64_t category, const struct shw_detections *found,
                              const struct shw_detections *windows)
{
    const struct shw_detection_columns raw = {tables->columns.frames, true, tables->columns.fraction_bits, false};

    for (uint32_t i = 0; tables->csv.path != NULL && i < found->count; i++)
        shw_print_detection_row(tables->csv.file.stream, &tables->columns, place, &found->items[i]);
    for (uint32_t i = 0; tables->windows.path != NULL && i < windows->count; i++)
        shw_print_detection_row(tables->windows.file.stream, &raw, place, &windows->items[i]);
    if (tables->coco.path != NULL)
        add_results(tables, place->name, id, category, found);
}

static void end_results(struct shw_detection_tables *tables)
{
    if (tables->coco.path != NULL)
        fputs("\n]\n", tables->coco.file.stream);
}

enum shw_result shw_detection_tables_commit(struct shw_detection_tables *tables, const struct shw_output_files *files,
                                            const struct shw_log *log)
{
    end_results(tables);
    for (int i = 0; i < 3; i++) {
        struct shw_detection_table *table = table_of(tables, i);

        if (table->path == NULL)
            continue;
        SHW_PROPAGATE(shw_output_files_look_again(files, table->path));
        SHW_PROPAGATE(shw_atomic_file_commit(&table->file, log));
    }
    return SHW_OK;
}

void shw_detection_tables_free(struct shw_detection_tables *tables)
{
    for (int i = 0; i < 3; i++) {
        struct shw_detection_table *table = table_of(tables, i);

        shw_atomic_file_abandon(&table->file);
        free(table->path);
    }
    *tables = (struct shw_detection_tables){0};
}

/* Members of a detection in the journal, in this order. */
enum { MEMBERS = 8 };

static json_t *pack_list(const struct shw_detections *found)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < found->count; i++) {
        const struct shw_detection *item = &found->items[i];

        json_array_append_new(list, json_pack("[i,i,I,I,i,I,I,I]", (int)item->x, (int)item->y, (json_int_t)item->width,
                                              (json_int_t)item->height, (int)item->score, (json_int_t)item->level,
                                              (json_int_t)item->angle, (json_int_t)item->neighbours));
    }
    return list;
}

json_t *shw_detection_rows_pack(const struct shw_detections *found, const struct shw_detections *windows)
{
    return json_pack("{s:o, s:o}", "found", pack_list(found), "windows", pack_list(windows));
}

/* Whether a member is signed. */
static bool is_signed(size_t member)
{
    return member < 2 || member == 4;
}

static bool is_list_sound(const json_t *list)
{
    const json_t *item, *value;
    size_t i, m;

    json_array_foreach(list, i, item)
    {
        if (json_array_size(item) != MEMBERS)
            return false;
        json_array_foreach(item, m, value)
        {
            const json_int_t number = json_integer_value(value);

            if (!json_is_integer(value) || number < (is_signed(m) ? INT32_MIN : 0) ||
                number > (is_signed(m) ? INT32_MAX : (json_int_t)UINT32_MAX))
                return false;
        }
    }
    return json_is_array(list);
}

bool shw_detection_rows_are_sound(const json_t *entry)
{
    return is_list_sound(json_object_get(entry, "found")) && is_list_sound(json_object_get(entry, "windows"));
}

static int64_t member_of(const json_t *item, size_t member)
{
    return (int64_t)json_integer_value(json_array_get(item, member));
}

/* To be freed. Errors: MEMORY. */
static enum shw_result unpack_list(const json_t *list, const struct shw_log *log, struct shw_detections *found)
{
    *found = (struct shw_detections){.items = malloc((json_array_size(list) + 1) * sizeof *found->items)};
    if (found->items == NULL)
        return shw_fail_memory(log, "detections");
    for (; found->count < json_array_size(list); found->count++) {
        const json_t *item = json_array_get(list, found->count);

        found->items[found->count] = (struct shw_detection){.x = (int32_t)member_of(item, 0),
                                                            .y = (int32_t)member_of(item, 1),
                                                            .width = (uint32_t)member_of(item, 2),
                                                            .height = (uint32_t)member_of(item, 3),
                                                            .score = (int32_t)member_of(item, 4),
                                                            .level = (uint32_t)member_of(item, 5),
                                                            .angle = (uint32_t)member_of(item, 6),
                                                            .neighbours = (uint32_t)member_of(item, 7)};
    }
    return SHW_OK;
}

json_t *shw_detection_columns_pack(struct shw_detection_wanted wanted, uint32_t fraction_bits)
{
    return json_pack("{s:b, s:b, s:b, s:i}", "csv", (int)wanted.csv, "coco", (int)wanted.coco, "windows",
                     (int)wanted.windows, "fraction_bits", (int)fraction_bits);
}

static struct shw_detection_wanted wanted_of(const json_t *columns)
{
    return (struct shw_detection_wanted){json_is_true(json_object_get(columns, "csv")),
                                         json_is_true(json_object_get(columns, "coco")),
                                         json_is_true(json_object_get(columns, "windows"))};
}

static uint32_t list_tables(const json_t *columns, const char *listed[SHW_RESULT_TABLES_MAX])
{
    const struct shw_detection_wanted wanted = wanted_of(columns);
    const bool is_wanted[] = {wanted.csv, wanted.coco, wanted.windows};
    uint32_t count = 0;

    for (uint32_t i = 0; i < 3; i++)
        if (is_wanted[i])
            listed[count++] = names[i];
    return count;
}

struct state {
    struct shw_detection_tables tables;
    int64_t images;
};

static enum shw_result begin_tables(struct shw_result_tables *tables, const json_t *columns)
{
    const struct shw_detection_wanted wanted = wanted_of(columns);
    const bool is_wanted[] = {wanted.csv, wanted.coco, wanted.windows};
    const struct shw_detection_columns shown = {
        .fraction_bits = (uint32_t)json_integer_value(json_object_get(columns, "fraction_bits"))};
    struct state *state = calloc(1, sizeof *state);

    tables->state = state;
    if (state == NULL)
        return shw_fail_memory(tables->log, "tables");
    for (uint32_t i = 0, listed = 0; i < 3; i++)
        if (is_wanted[i]) {
            struct shw_detection_table *table = table_of(&state->tables, (int)i);

            table->path = strdup(tables->paths[listed++]);
            if (table->path == NULL)
                return shw_fail_memory(tables->log, "tables");
        }
    return shw_detection_tables_open(&state->tables, &shown, tables->log);
}

static enum shw_result add_rows(struct shw_result_tables *tables, const char *path, const char *place,
                                const json_t *entry)
{
    struct state *state = tables->state;
    struct shw_detections found = {0}, windows = {0};
    enum shw_result result = shw_detection_rows_are_sound(entry)
                                 ? SHW_OK
                                 : shw_fail(tables->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN,
                                            "cannot read the journal entry of %s again", place);

    if (result == SHW_OK)
        result = unpack_list(json_object_get(entry, "found"), tables->log, &found);
    if (result == SHW_OK)
        result = unpack_list(json_object_get(entry, "windows"), tables->log, &windows);
    if (result == SHW_OK)
        shw_detection_tables_add(&state->tables, &(struct shw_detection_place){.name = path}, ++state->images, 1,
                                 &found, &windows);
    free(found.items);
    free(windows.items);
    return result;
}

static enum shw_result commit_tables(struct shw_result_tables *tables)
{
    struct state *state = tables->state;

    end_results(&state->tables);
    for (int i = 0; i < 3; i++) {
        struct shw_detection_table *table = table_of(&state->tables, i);

        if (table->path == NULL)
            continue;
        SHW_PROPAGATE(shw_result_table_announce(tables, table->path, table->file.stream));
        SHW_PROPAGATE(shw_atomic_file_commit(&table->file, tables->log));
    }
    return SHW_OK;
}

static void free_tables(struct shw_result_tables *tables)
{
    struct state *state = tables->state;

    shw_detection_tables_free(&state->tables);
}

const struct shw_result_tables_kind shw_tables_of_detect = {"detect", list_tables,   begin_tables,
                                                            add_rows, commit_tables, free_tables};
