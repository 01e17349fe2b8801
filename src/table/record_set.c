/* Whole tables in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "table/table.h"

struct gathering {
    struct shw_record_set *set;
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
        capacity = capacity + capacity / 2 + 1024;
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

enum shw_result shw_record_set_read(const char *const *paths, uint32_t path_count,
                                    const struct shw_table_params *params, struct shw_record_set *set)
{
    struct gathering gathering = {.set = set, .log = &params->log};
    struct shw_table_params own = *params;
    enum shw_result result = SHW_OK;

    *set = (struct shw_record_set){0};
    for (uint32_t i = 0; i < path_count && result == SHW_OK; i++) {
        struct shw_table *table = NULL;

        result = shw_table_open(paths[i], &own, &table);
        if (result == SHW_OK)
            result = add_table(&gathering, table, paths[i]);
        shw_table_close(&table);
        if (own.attribute_count == 0) {
            own.attribute_count = set->attribute_count;
            own.attribute_names = (const char *const *)set->attribute_names;
        }
    }
    if (result == SHW_OK)
        result = sort_classes(&gathering, params->classes);
    if (result != SHW_OK)
        shw_record_set_free(set);
    return result;
}

void shw_record_set_free(struct shw_record_set *set)
{
    for (uint32_t a = 0; set->attribute_names != NULL && a < set->attribute_count; a++)
        free(set->attribute_names[a]);
    free(set->attribute_names);
    free(set->values);
    free(set->classes);
    free(set->targets);
    *set = (struct shw_record_set){0};
}
