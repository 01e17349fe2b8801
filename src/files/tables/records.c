/* Whole tables in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/tables/table.h"

#define GROWTH_BYTES (UINT64_C(1) << 20) /* at least: sparse text makes wide records of a few bytes */

/* The first record of a table, which may be a header nevertheless. */
struct lead {
    const char *path;
    uint64_t line, record;
};

struct gathering {
    struct shw_table_records *records;
    struct lead *leads;
    uint32_t lead_count;
    uint64_t capacity; /* in records */
    const struct shw_log *log;
};

static bool resize(void *array, uint64_t count, size_t size)
{
    void *larger;

    if (size > 0 && count > SIZE_MAX / size)
        return false;
    larger = realloc(*(void **)array, (size_t)count * size + 1);
    if (larger != NULL)
        memcpy(array, &larger, sizeof larger);
    return larger != NULL;
}

static enum shw_result reserve(struct gathering *gathering, const struct shw_table_block *block, const char *path)
{
    struct shw_table_records *records = gathering->records;
    uint64_t capacity = gathering->capacity;

    if (records->count + block->count <= capacity)
        return SHW_OK;
    while (records->count + block->count > capacity)
        capacity =
            capacity + capacity / 2 + GROWTH_BYTES / (records->attribute_count + UINT64_C(1)) / sizeof(float) + 1;
    gathering->capacity = capacity;
    if (!resize(&records->values, capacity, records->attribute_count * sizeof *records->values) ||
        (block->classes != NULL && !resize(&records->classes, capacity, sizeof *records->classes)) ||
        (block->targets != NULL && !resize(&records->targets, capacity, sizeof *records->targets)))
        return shw_fail_memory(gathering->log, path);
    return SHW_OK;
}

static enum shw_result add_block(struct gathering *gathering, const struct shw_table_block *block, const char *path)
{
    struct shw_table_records *records = gathering->records;
    const size_t row = records->attribute_count;

    SHW_PROPAGATE(reserve(gathering, block, path));
    memcpy(records->values + records->count * row, block->values, block->count * row * sizeof *records->values);
    if (block->classes != NULL)
        memcpy(records->classes + records->count, block->classes, block->count * sizeof *records->classes);
    if (block->targets != NULL)
        memcpy(records->targets + records->count, block->targets, block->count * sizeof *records->targets);
    records->count += block->count;
    return SHW_OK;
}

static enum shw_result copy_names(struct gathering *gathering, const struct shw_table_info *info, const char *path)
{
    struct shw_table_records *records = gathering->records;

    records->attribute_count = info->attribute_count;
    records->class_number = info->class_number;
    records->class_is_guess = info->class_is_guess;
    if (info->class_column != NULL && (records->class_column = strdup(info->class_column)) == NULL)
        return shw_fail_memory(gathering->log, path);
    if (info->attribute_names == NULL)
        return SHW_OK;
    records->attribute_names = calloc(info->attribute_count + (size_t)1, sizeof *records->attribute_names);
    for (uint32_t a = 0; records->attribute_names != NULL && a < info->attribute_count; a++) {
        records->attribute_names[a] = strdup(info->attribute_names[a]);
        if (records->attribute_names[a] == NULL)
            return shw_fail_memory(gathering->log, path);
    }
    return records->attribute_names != NULL ? SHW_OK : shw_fail_memory(gathering->log, path);
}

static enum shw_result add_table(struct gathering *gathering, struct shw_table *table, const char *path)
{
    const struct shw_table_info *info = shw_table_get_info(table);
    struct shw_table_records *records = gathering->records;
    struct shw_table_block block;

    if (records->attribute_count == 0)
        SHW_PROPAGATE(copy_names(gathering, info, path));
    if (records->count > 0 && info->has_truth != (records->classes != NULL || records->targets != NULL))
        return shw_fail(gathering->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has %s column of classes, unlike the tables before", path, info->has_truth ? "a" : "no");
    if (info->doubtful_line > 0)
        gathering->leads[gathering->lead_count++] =
            (struct lead){info->truth_path, info->doubtful_line, records->count};
    do {
        SHW_PROPAGATE(shw_table_read(table, &block));
        SHW_PROPAGATE(block.count > 0 ? add_block(gathering, &block, path) : SHW_OK);
    } while (block.count > 0);
    return SHW_OK;
}

/* Classes that have come with the records are renumbered in the order of their names. */
static enum shw_result sort_classes(struct gathering *gathering, struct shw_name_set *names)
{
    struct shw_table_records *records = gathering->records;
    uint32_t *places;

    if (records->classes == NULL || names->closed)
        return SHW_OK;
    places = calloc(names->count + (size_t)1, sizeof *places);
    if (places == NULL || !shw_name_set_sort(names, places)) {
        free(places);
        return shw_fail_memory(gathering->log, "the names of classes");
    }
    for (uint64_t r = 0; r < records->count; r++)
        if (records->classes[r] != SHW_NO_CLASS)
            records->classes[r] = places[records->classes[r]];
    free(places);
    return SHW_OK;
}

/* Whether no other record has the class of this one, while others share theirs. */
static bool is_alone(const struct shw_table_records *records, uint64_t record, uint32_t class_count)
{
    uint64_t classified = 0;

    if (record >= records->count || records->classes[record] == SHW_NO_CLASS)
        return false;
    for (uint64_t r = 0; r < records->count; r++) {
        if (r != record && records->classes[r] == records->classes[record])
            return false;
        classified += records->classes[r] != SHW_NO_CLASS;
    }
    return classified > class_count;
}

/* A header that is taken for a record has the name of its column for a class. */
static void warn_of_headers(const struct gathering *gathering, const struct shw_name_set *names)
{
    const struct shw_table_records *records = gathering->records;

    for (uint32_t i = 0; records->classes != NULL && i < gathering->lead_count; i++) {
        const struct lead *lead = &gathering->leads[i];

        if (is_alone(records, lead->record, names->count))
            shw_log_message(gathering->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s, line %llu: the class '%s' occurs in the first record alone; if that is a header: "
                            "--header yes",
                            lead->path, (unsigned long long)lead->line, names->names[records->classes[lead->record]]);
    }
}

static enum shw_result read_tables(struct gathering *gathering, const char *const *paths, uint32_t path_count,
                                   const struct shw_table_params *params)
{
    struct shw_table_records *records = gathering->records;
    struct shw_table_params own = *params;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < path_count && result == SHW_OK; i++) {
        struct shw_table *table = NULL;

        result = shw_table_open(paths[i], &own, &table);
        if (result == SHW_OK)
            result = add_table(gathering, table, paths[i]);
        shw_table_close(&table);
        if (own.attribute_count == 0) {
            own.attribute_count = records->attribute_count;
            own.attribute_names = params->by_position ? NULL : (const char *const *)records->attribute_names;
            own.is_continued = true;
            own.usual_column = records->class_column;
        }
    }
    return result;
}

enum shw_result shw_table_records_read(const char *const *paths, uint32_t path_count,
                                       const struct shw_table_params *params, struct shw_table_records *records)
{
    struct gathering gathering = {
        .records = records, .leads = calloc(path_count + (size_t)1, sizeof *gathering.leads), .log = &params->log};
    enum shw_result result;

    *records = (struct shw_table_records){0};
    result = gathering.leads != NULL ? read_tables(&gathering, paths, path_count, params)
                                     : shw_fail_memory(&params->log, "tables");
    if (result == SHW_OK)
        result = sort_classes(&gathering, params->classes);
    if (result == SHW_OK)
        warn_of_headers(&gathering, params->classes);
    else
        shw_table_records_free(records);
    free(gathering.leads);
    return result;
}

void shw_table_records_free(struct shw_table_records *records)
{
    for (uint32_t a = 0; records->attribute_names != NULL && a < records->attribute_count; a++)
        free(records->attribute_names[a]);
    free(records->attribute_names);
    free(records->class_column);
    free(records->values);
    free(records->classes);
    free(records->targets);
    *records = (struct shw_table_records){0};
}
