/* Whole tables in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "table/table.h"

#define GROWTH_BYTES (UINT64_C(1) << 20) /* at least: sparse text makes wide records of a few bytes */

/* The first record of a table, which may be a header nevertheless. */
struct lead {
    const char *path;
    uint64_t line, record;
};

struct gathering {
    struct shw_record_set *set;
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
    struct shw_record_set *set = gathering->set;
    uint64_t capacity = gathering->capacity;

    if (set->count + block->count <= capacity)
        return SHW_OK;
    while (set->count + block->count > capacity)
        capacity = capacity + capacity / 2 + GROWTH_BYTES / (set->attribute_count + UINT64_C(1)) / sizeof(float) + 1;
    gathering->capacity = capacity;
    if (!resize(&set->values, capacity, set->attribute_count * sizeof *set->values) ||
        (block->classes != NULL && !resize(&set->classes, capacity, sizeof *set->classes)) ||
        (block->targets != NULL && !resize(&set->targets, capacity, sizeof *set->targets)))
        return shw_fail_memory(gathering->log, path);
    return SHW_OK;
}

static enum shw_result add_block(struct gathering *gathering, const struct shw_table_block *block, const char *path)
{
    struct shw_record_set *set = gathering->set;
    const size_t row = set->attribute_count;

    SHW_PROPAGATE(reserve(gathering, block, path));
    memcpy(set->values + set->count * row, block->values, block->count * row * sizeof *set->values);
    if (block->classes != NULL)
        memcpy(set->classes + set->count, block->classes, block->count * sizeof *set->classes);
    if (block->targets != NULL)
        memcpy(set->targets + set->count, block->targets, block->count * sizeof *set->targets);
    set->count += block->count;
    return SHW_OK;
}

static enum shw_result copy_names(struct gathering *gathering, const struct shw_table_info *info, const char *path)
{
    struct shw_record_set *set = gathering->set;

    set->attribute_count = info->attribute_count;
    set->class_number = info->class_number;
    set->class_is_guess = info->class_is_guess;
    if (info->class_column != NULL && (set->class_column = strdup(info->class_column)) == NULL)
        return shw_fail_memory(gathering->log, path);
    if (info->attribute_names == NULL)
        return SHW_OK;
    set->attribute_names = calloc(info->attribute_count + (size_t)1, sizeof *set->attribute_names);
    for (uint32_t a = 0; set->attribute_names != NULL && a < info->attribute_count; a++) {
        set->attribute_names[a] = strdup(info->attribute_names[a]);
        if (set->attribute_names[a] == NULL)
            return shw_fail_memory(gathering->log, path);
    }
    return set->attribute_names != NULL ? SHW_OK : shw_fail_memory(gathering->log, path);
}

static enum shw_result add_table(struct gathering *gathering, struct shw_table *table, const char *path)
{
    const struct shw_table_info *info = shw_table_get_info(table);
    struct shw_record_set *set = gathering->set;
    struct shw_table_block block;

    if (set->attribute_count == 0)
        SHW_PROPAGATE(copy_names(gathering, info, path));
    if (set->count > 0 && info->has_truth != (set->classes != NULL || set->targets != NULL))
        return shw_fail(gathering->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has %s column of classes, unlike the tables before", path, info->has_truth ? "a" : "no");
    if (info->doubtful_line > 0)
        gathering->leads[gathering->lead_count++] = (struct lead){info->truth_path, info->doubtful_line, set->count};
    do {
        SHW_PROPAGATE(shw_table_read(table, &block));
        SHW_PROPAGATE(block.count > 0 ? add_block(gathering, &block, path) : SHW_OK);
    } while (block.count > 0);
    return SHW_OK;
}

/* Classes that have come with the records are renumbered in the order of their names. */
static enum shw_result sort_classes(struct gathering *gathering, struct shw_name_set *names)
{
    struct shw_record_set *set = gathering->set;
    uint32_t *places;

    if (set->classes == NULL || names->closed)
        return SHW_OK;
    places = calloc(names->count + (size_t)1, sizeof *places);
    if (places == NULL || !shw_name_set_sort(names, places)) {
        free(places);
        return shw_fail_memory(gathering->log, "the names of classes");
    }
    for (uint64_t r = 0; r < set->count; r++)
        if (set->classes[r] != SHW_NO_CLASS)
            set->classes[r] = places[set->classes[r]];
    free(places);
    return SHW_OK;
}

/* Whether no other record has the class of this one, while others share theirs. */
static bool is_alone(const struct shw_record_set *set, uint64_t record, uint32_t class_count)
{
    uint64_t classified = 0;

    if (record >= set->count || set->classes[record] == SHW_NO_CLASS)
        return false;
    for (uint64_t r = 0; r < set->count; r++) {
        if (r != record && set->classes[r] == set->classes[record])
            return false;
        classified += set->classes[r] != SHW_NO_CLASS;
    }
    return classified > class_count;
}

/* A header that is taken for a record has the name of its column for a class. */
static void warn_of_headers(const struct gathering *gathering, const struct shw_name_set *names)
{
    const struct shw_record_set *set = gathering->set;

    for (uint32_t i = 0; set->classes != NULL && i < gathering->lead_count; i++) {
        const struct lead *lead = &gathering->leads[i];

        if (is_alone(set, lead->record, names->count))
            shw_log_message(gathering->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s, line %llu: the class '%s' occurs in the first record alone; if that is a header: "
                            "--header yes",
                            lead->path, (unsigned long long)lead->line, names->names[set->classes[lead->record]]);
    }
}

static enum shw_result read_tables(struct gathering *gathering, const char *const *paths, uint32_t path_count,
                                   const struct shw_table_params *params)
{
    struct shw_record_set *set = gathering->set;
    struct shw_table_params own = *params;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < path_count && result == SHW_OK; i++) {
        struct shw_table *table = NULL;

        result = shw_table_open(paths[i], &own, &table);
        if (result == SHW_OK)
            result = add_table(gathering, table, paths[i]);
        shw_table_close(&table);
        if (own.attribute_count == 0) {
            own.attribute_count = set->attribute_count;
            own.attribute_names = params->by_position ? NULL : (const char *const *)set->attribute_names;
            own.is_continued = true;
            own.usual_column = set->class_column;
        }
    }
    return result;
}

enum shw_result shw_record_set_read(const char *const *paths, uint32_t path_count,
                                    const struct shw_table_params *params, struct shw_record_set *set)
{
    struct gathering gathering = {
        .set = set, .leads = calloc(path_count + (size_t)1, sizeof *gathering.leads), .log = &params->log};
    enum shw_result result;

    *set = (struct shw_record_set){0};
    result = gathering.leads != NULL ? read_tables(&gathering, paths, path_count, params)
                                     : shw_fail_memory(&params->log, "tables");
    if (result == SHW_OK)
        result = sort_classes(&gathering, params->classes);
    if (result == SHW_OK)
        warn_of_headers(&gathering, params->classes);
    else
        shw_record_set_free(set);
    free(gathering.leads);
    return result;
}

void shw_record_set_free(struct shw_record_set *set)
{
    for (uint32_t a = 0; set->attribute_names != NULL && a < set->attribute_count; a++)
        free(set->attribute_names[a]);
    free(set->attribute_names);
    free(set->class_column);
    free(set->values);
    free(set->classes);
    free(set->targets);
    *set = (struct shw_record_set){0};
}
