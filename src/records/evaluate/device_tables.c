#include "records/evaluate/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/evaluator.h"
#include "shared/record_push.h"

static bool has_value_each(const struct shw_record_forest_info *info)
{
    return info->values_per_leaf == info->output_count;
}

/* A stable counting sort by output. */
static enum shw_result order_trees(const struct shw_record_forest_info *info, const struct shw_log *log,
                                   uint32_t *trees)
{
    uint32_t *places = calloc((size_t)info->output_count + 1, sizeof *places);

    if (places == NULL)
        return shw_fail_memory(log, "the order of trees");
    if (!has_value_each(info)) {
        for (uint32_t t = 0; t < info->tree_count; t++)
            places[info->trees[t].output + 1]++;
        for (uint32_t o = 0; o < info->output_count; o++)
            places[o + 1] += places[o];
    }
    for (uint32_t t = 0; t < info->tree_count; t++)
        trees[places[has_value_each(info) ? 0 : info->trees[t].output]++] = t;
    free(places);
    return SHW_OK;
}

static void find_columns(const struct shw_record_forest_info *info, struct shw_record_order *order)
{
    for (uint32_t n = 0; n < info->node_count; n++) {
        const struct shw_record_node *node = &info->nodes[n];
        if (!node->is_split)
            continue;
        order->column_of[node->attribute] = 1;
        order->missing_right |= node->missing_right;
        order->zero_missing |= node->zero_missing;
    }
    for (uint32_t a = 0; a < info->attribute_count; a++)
        if (order->column_of[a] != 0) {
            order->column_of[a] = order->column_count;
            order->columns[order->column_count++] = a;
        }
}

/* The greatest magnitude of the values that the tree's leaves have for an output. */
static uint32_t greatest(const struct shw_record_forest_info *info, const struct shw_record_tree *tree, uint32_t value)
{
    uint32_t most = 0;

    for (uint32_t l = 0; l < tree->leaf_count; l++) {
        int32_t v = info->leaf_values[((uint64_t)tree->first_leaf + l) * info->values_per_leaf + value];
        most = shw_max_u32(most, v < 0 ? 0u - (uint32_t)v : (uint32_t)v);
    }
    return most;
}

static bool is_narrow(const struct shw_record_forest_info *info, uint64_t *bounds)
{
    for (uint32_t t = 0; t < info->tree_count; t++)
        for (uint32_t v = 0; v < info->values_per_leaf; v++) {
            uint64_t *bound = &bounds[has_value_each(info) ? v : info->trees[t].output];
            *bound += greatest(info, &info->trees[t], v);
            if (*bound > INT32_MAX)
                return false;
        }
    return true;
}

enum shw_result shw_record_order_make(const struct shw_record_forest_info *info, const struct shw_log *log,
                                      struct shw_record_order *order)
{
    uint64_t *bounds = calloc(info->output_count, sizeof *bounds);
    enum shw_result result = SHW_OK;

    *order = (struct shw_record_order){
        .trees = calloc((size_t)info->tree_count + 1, sizeof *order->trees),
        .columns = calloc((size_t)info->attribute_count + 1, sizeof *order->columns),
        .column_of = calloc((size_t)info->attribute_count + 1, sizeof *order->column_of),
    };
    if (bounds == NULL || order->trees == NULL || order->columns == NULL || order->column_of == NULL) {
        result = shw_fail_memory(log, "the order of trees");
        goto fail;
    }
    SHW_TRY(order_trees(info, log, order->trees));
    find_columns(info, order);
    for (uint32_t t = 0; t < info->tree_count; t++) {
        order->depth = shw_max_u32(order->depth, info->trees[t].depth);
        order->depths += info->trees[t].depth;
    }
    order->narrow = is_narrow(info, bounds);

fail:
    free(bounds);
    if (result != SHW_OK)
        shw_record_order_free(order);
    return result;
}

void shw_record_order_free(struct shw_record_order *order)
{
    free(order->trees);
    free(order->columns);
    free(order->column_of);
    *order = (struct shw_record_order){0};
}

/* What is made from. */
struct work {
    const struct shw_record_forest_info *info;
    const struct shw_record_order *order;
    const struct shw_record_layout *layout;
    uint32_t chunk_trees;
    uint64_t chunk_depths;
    const struct shw_log *log;
    struct shw_device_forest *tables;
};

/* The output that the tree in this place of the order adds to. */
static uint32_t output_of(const struct work *work, uint32_t place)
{
    return has_value_each(work->info) ? 0 : work->info->trees[work->order->trees[place]].output;
}

/* What the tree in this place of the order counts of the most that a chunk may have. */
static uint64_t depth_of(const struct work *work, uint32_t place)
{
    return 1 + (uint64_t)work->info->trees[work->order->trees[place]].depth;
}

/* Whether the tree in this place is of a chunk that begins with another one. */
static bool belongs(const struct work *work, uint32_t first, uint32_t place, uint64_t depths)
{
    return place - first < work->chunk_trees && depths + depth_of(work, place) <= work->chunk_depths;
}

/* The end of the chunk that begins with a tree and is for an output. */
static uint32_t chunk_end(const struct work *work, uint32_t first, uint32_t output)
{
    uint64_t depths = 0;
    uint32_t end = first;

    while (end < work->info->tree_count && output_of(work, end) == output &&
           (end == first || belongs(work, first, end, depths)))
        depths += depth_of(work, end++);
    return end;
}

/* Writes the chunks if `words` is not NULL, and returns how many there are. Each output has one at least. */
static uint32_t make_chunks(const struct work *work, uint32_t *words)
{
    uint32_t outputs = has_value_each(work->info) ? 1 : work->info->output_count, count = 0, tree = 0;

    for (uint32_t o = 0; o < outputs; o++) {
        uint32_t flags = SHW_RECORD_CHUNK_BEGINS;
        while ((flags & SHW_RECORD_CHUNK_ENDS) == 0) {
            uint32_t end = chunk_end(work, tree, o);
            if (end == work->info->tree_count || output_of(work, end) != o)
                flags |= SHW_RECORD_CHUNK_ENDS;
            if (words != NULL) {
                const uint32_t chunk[] = {
                    tree, end, work->layout->first_node[tree], work->layout->first_node[end], o, flags, 0, 0};
                memcpy(words + count * sizeof chunk / sizeof *chunk, chunk, sizeof chunk);
            }
            flags &= ~SHW_RECORD_CHUNK_BEGINS;
            tree = end;
            count++;
        }
    }
    return count;
}

static uint32_t places_of(const struct work *work, uint32_t place)
{
    const uint32_t *first = work->layout->first_place;

    return first != NULL ? first[place + 1] - first[place] : work->info->trees[work->order->trees[place]].leaf_count;
}

/* Those of the leaf at a place of the tree in a place of the order. */
static const int32_t *values_at(const struct work *work, uint32_t number, uint32_t place)
{
    const struct shw_record_tree *tree = &work->info->trees[work->order->trees[number]];
    const uint32_t *leaves = work->layout->leaf_of_place;
    uint64_t leaf = leaves != NULL ? leaves[work->layout->first_place[number] + place] : place;

    return work->info->leaf_values + (tree->first_leaf + leaf) * work->info->values_per_leaf;
}

/* The values of a tree's places. */
static void write_values(const struct work *work, uint32_t number, int32_t *values)
{
    uint32_t per_leaf = work->info->values_per_leaf;

    for (uint32_t p = 0; p < places_of(work, number); p++)
        memcpy(values + (uint64_t)p * per_leaf, values_at(work, number, p), per_leaf * sizeof *values);
}

static void write_trees(const struct work *work)
{
    uint32_t *words = work->tables->words + 4 * (size_t)work->tables->trees_at;
    uint32_t place = 0;

    for (uint32_t t = 0; t < work->info->tree_count; t++, words += 4) {
        words[0] = work->layout->first_node[t];
        words[1] = place * work->info->values_per_leaf;
        words[2] = work->order->trees[t];
        words[3] = place;
        write_values(work, t, work->tables->values + words[1]);
        place += places_of(work, t);
    }
}

static void write_words(const struct work *work)
{
    uint32_t *words = work->tables->words;

    for (uint32_t o = 0; o < work->info->output_count; o++) {
        uint64_t base = work->info->base != NULL ? (uint64_t)work->info->base[o] : 0;
        words[work->tables->base_at + 2 * o] = (uint32_t)base;
        words[work->tables->base_at + 2 * o + 1] = (uint32_t)(base >> 32);
    }
    for (uint32_t c = 0; c < work->order->column_count; c++)
        words[work->tables->columns_at + c] = work->order->columns[c];
    if (work->tables->sets_at > 0)
        memcpy(words + work->tables->sets_at, work->info->sets, work->info->set_word_count * sizeof *words);
}

/* With one tree, a leaf is a class. */
static enum shw_result write_classes(const struct work *work)
{
    const struct shw_record_forest_info *info = work->info;
    uint32_t *classes = work->tables->words + work->tables->classes_at;
    int64_t *sums = calloc(info->output_count, sizeof *sums);

    if (sums == NULL)
        return shw_fail_memory(work->log, "the classes of leaves");
    for (uint32_t p = 0; p < places_of(work, 0); p++) {
        const int32_t *values = values_at(work, 0, p);
        for (uint32_t o = 0; o < info->output_count; o++)
            sums[o] = info->base[o] + (has_value_each(info) ? values[o] : 0);
        if (!has_value_each(info))
            sums[info->trees[0].output] += values[0];
        classes[p] = shw_record_class(info, sums);
    }
    free(sums);
    return SHW_OK;
}

static enum shw_result measure(const struct work *work)
{
    bool has_classes = work->info->tree_count == 1 && work->info->task == SHW_RECORD_CLASSES;
    struct shw_device_forest *tables = work->tables;
    uint64_t places = 0, end;

    for (uint32_t t = 0; t < work->info->tree_count; t++)
        places += places_of(work, t);
    tables->value_count = places * work->info->values_per_leaf;
    if (tables->value_count > UINT32_MAX / sizeof(int32_t))
        return shw_fail(work->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "records: the forest has %llu leaf values, too many for devices: use the technique cpu",
                        (unsigned long long)tables->value_count);
    tables->chunk_count = make_chunks(work, NULL);
    tables->trees_at = SHW_RECORD_CHUNK_TEXELS * tables->chunk_count;
    tables->base_at = 4 * (tables->trees_at + work->info->tree_count);
    tables->columns_at = tables->base_at + 2 * work->info->output_count;
    end = (uint64_t)tables->columns_at + work->order->column_count;
    tables->classes_at = has_classes ? (uint32_t)end : 0;
    end += has_classes ? places : 0;
    tables->sets_at = work->info->set_word_count > 0 ? (uint32_t)end : 0;
    tables->texels = (end + work->info->set_word_count + 3) / 4;
    if (4 * tables->texels > UINT32_MAX)
        return shw_fail(work->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "records: the tables of the forest are too large for devices: use the technique cpu");
    return SHW_OK;
}

enum shw_result shw_device_forest_make(const struct shw_record_forest_info *info, const struct shw_record_order *order,
                                       const struct shw_record_layout *layout, uint32_t chunk_trees,
                                       uint64_t chunk_depths, const struct shw_log *log,
                                       struct shw_device_forest *tables)
{
    const struct work work = {info, order, layout, chunk_trees, chunk_depths, log, tables};

    *tables = (struct shw_device_forest){0};
    SHW_PROPAGATE(measure(&work));
    tables->words = calloc(tables->texels, 4 * sizeof *tables->words);
    tables->values = calloc(tables->value_count + 1, sizeof *tables->values);
    if (tables->words == NULL || tables->values == NULL) {
        shw_device_forest_free(tables);
        return shw_fail_memory(log, "the tables of a record forest");
    }
    make_chunks(&work, tables->words);
    write_trees(&work);
    write_words(&work);
    if (tables->classes_at == 0 || write_classes(&work) == SHW_OK)
        return SHW_OK;
    shw_device_forest_free(tables);
    return SHW_ERROR_MEMORY;
}

void shw_device_forest_free(struct shw_device_forest *tables)
{
    free(tables->words);
    free(tables->values);
    *tables = (struct shw_device_forest){0};
}
