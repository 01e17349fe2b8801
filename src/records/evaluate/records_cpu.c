/* The technique `cpu`: columns, walks from node to node, and blocks of records. */
#include "records/evaluate/records_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "records/evaluate/records_cpu_ballots.h"

/* Walks from node to node, on any processor. */
struct shw_record_walks {
    const struct shw_record_forest_info *info;
    const struct shw_record_columns *columns;
    struct shw_record_walk_node *nodes; /* as many as the forest's, in the same order */
    uint32_t *order;                    /* trees by depth, so that those that take turns are alike */
};

struct depth_of_tree {
    uint32_t depth, tree;
};

static int compare_depths(const void *a, const void *b)
{
    const struct depth_of_tree *x = a, *y = b;

    if (x->depth != y->depth)
        return x->depth > y->depth ? 1 : -1;
    return x->tree > y->tree ? 1 : -1;
}

/* NULL: no memory. */
static uint32_t *order_by_depth(const struct shw_record_forest_info *info)
{
    struct depth_of_tree *depths = malloc(info->tree_count * sizeof *depths);
    uint32_t *order = malloc(info->tree_count * sizeof *order);

    if (depths != NULL && order != NULL) {
        for (uint32_t t = 0; t < info->tree_count; t++)
            depths[t] = (struct depth_of_tree){info->trees[t].depth, t};
        qsort(depths, info->tree_count, sizeof *depths, compare_depths);
        for (uint32_t t = 0; t < info->tree_count; t++)
            order[t] = depths[t].tree;
    } else {
        free(order);
        order = NULL;
    }
    free(depths);
    return order;
}

#define VARIANTS 4u /* of an attribute: either side of what is missing, with or without zero */

static uint32_t variant_of(const struct shw_record_node *node)
{
    return node->attribute * VARIANTS + (node->is_set ? 0 : node->missing_right * 2u + node->zero_missing);
}

uint32_t shw_record_column_of(const struct shw_record_columns *columns, const struct shw_record_node *node)
{
    return node->is_split ? columns->numbers[variant_of(node)] : 0;
}

/* Numbers the variants that nodes test, from 1 on. Others have 0. */
static void number_columns(const struct shw_record_forest_info *info, struct shw_record_columns *columns)
{
    columns->count = 1;
    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_split)
            columns->numbers[variant_of(&info->nodes[n])] = 1;
    for (uint32_t v = 0; v < info->attribute_count * VARIANTS; v++)
        if (columns->numbers[v] > 0)
            columns->numbers[v] = columns->count++;
}

/* Errors: MEMORY. */
static enum shw_result record_columns_make(const struct shw_record_forest_info *info, const struct shw_log *log,
                                           struct shw_record_columns *columns)
{
    columns->numbers = calloc((size_t)info->attribute_count * VARIANTS, sizeof *columns->numbers);
    if (columns->numbers != NULL) {
        number_columns(info, columns);
        columns->items = calloc(columns->count, sizeof *columns->items);
    }
    if (columns->items == NULL)
        return shw_fail_memory(log, "columns of records");
    for (uint32_t v = 0; v < info->attribute_count * VARIANTS; v++)
        if (columns->numbers[v] > 0)
            columns->items[columns->numbers[v]] = (struct shw_record_column){v / VARIANTS, v / 2 % 2, v % 2};
    return SHW_OK;
}

static void record_columns_free(struct shw_record_columns *columns)
{
    free(columns->items);
    free(columns->numbers);
}

/* Traversal on any processor: several records of a tree, or several trees of a record, take turns, since each test
 * waits for the one before. */

#define SIDE_BY_SIDE 8u
#define LEVELS       8u /* between tests whether all have reached leaves */

struct shw_record_walk_node shw_record_walk_node_of(const struct shw_record_columns *columns,
                                                    const struct shw_record_node *node, int32_t limit, uint32_t left)
{
    uint32_t column = shw_record_column_of(columns, node);

    if (node->is_set) {
        column |= SHW_RECORD_WALK_SET | (node->missing_right ? SHW_RECORD_WALK_MISSING_RIGHT : 0);
        limit = node->threshold;
    }
    return (struct shw_record_walk_node){limit, column, left};
}

/* Errors: MEMORY. */
static enum shw_result record_walks_make(const struct shw_record_forest_info *info,
                                         const struct shw_record_columns *columns, const struct shw_log *log,
                                         struct shw_record_walks *walks)
{
    *walks =
        (struct shw_record_walks){info, columns, malloc(info->node_count * sizeof *walks->nodes), order_by_depth(info)};
    if (walks->nodes == NULL || walks->order == NULL)
        return shw_fail_memory(log, "nodes of a record forest");
    for (uint32_t t = 0; t < info->tree_count; t++)
        for (uint32_t n = 0; n < info->trees[t].node_count; n++) {
            const struct shw_record_node *node = &info->nodes[info->trees[t].first_node + n];
            int32_t limit = node->is_split ? node->threshold - (int32_t)node->missing_right : (int32_t)node->leaf;
            walks->nodes[info->trees[t].first_node + n] = shw_record_walk_node_of(columns, node, limit, node->left - n);
        }
    return SHW_OK;
}

static void record_walks_free(struct shw_record_walks *walks)
{
    free(walks->nodes);
    free(walks->order);
}

/* The value of each column for one record. */
static void record_walks_read(const struct shw_record_walks *walks, const struct shw_records *records, uint64_t record,
                              int32_t *values)
{
    const float *row = records->values + record * records->record_stride;

    values[0] = SHW_RECORD_MISSING;
    for (uint32_t c = 1; c < walks->columns->count; c++) {
        const struct shw_record_column *column = &walks->columns->items[c];
        int32_t code = shw_record_code_in(records, row[column->attribute * records->attribute_stride]);
        values[c] = (int32_t)((uint32_t)shw_record_code_for(code, column->zero_missing) - column->missing_right);
    }
}

static inline uint32_t step(const struct shw_record_walk_node *nodes, const uint32_t *sets, uint32_t place,
                            const int32_t *values)
{
    return place + nodes[place].left + shw_record_walk_side(&nodes[place], sets, values, 1);
}

static inline void walk_in_turns(const struct shw_record_walk_node *const nodes[SIDE_BY_SIDE], const uint32_t *sets,
                                 const int32_t *const values[SIDE_BY_SIDE], uint32_t depth, uint32_t *leaves)
{
    uint32_t place[SIDE_BY_SIDE] = {0}, moved = 1;

    for (uint32_t d = 0; d < depth && moved; d++) {
        moved = d % LEVELS != LEVELS - 1;
        for (uint32_t s = 0; s < SIDE_BY_SIDE; s++) {
            uint32_t next = step(nodes[s], sets, place[s], values[s]);
            moved |= next ^ place[s];
            place[s] = next;
        }
    }
    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
        leaves[s] = (uint32_t)nodes[s][place[s]].limit;
}

/* The compiler makes a loop for each. */
static void walk_side_by_side(const struct shw_record_walk_node *const nodes[SIDE_BY_SIDE], const uint32_t *sets,
                              const int32_t *const values[SIDE_BY_SIDE], uint32_t depth, uint32_t *leaves)
{
    if (sets == NULL)
        walk_in_turns(nodes, NULL, values, depth, leaves);
    else
        walk_in_turns(nodes, sets, values, depth, leaves);
}

static uint32_t walk_one(const struct shw_record_walk_node *nodes, const uint32_t *sets, const int32_t *values)
{
    uint32_t place = 0;

    while (nodes[place].left > 0)
        place = step(nodes, sets, place, values);
    return (uint32_t)nodes[place].limit;
}

/* The leaf of each of `count` records, one after the other a value for each column, in a tree. */
static void record_walk_records(const struct shw_record_walks *walks, uint32_t tree, const int32_t *values,
                                uint32_t count, uint32_t *leaves)
{
    const struct shw_record_tree *info = &walks->info->trees[tree];
    const struct shw_record_walk_node *nodes[SIDE_BY_SIDE];
    const int32_t *rows[SIDE_BY_SIDE];
    uint32_t r = 0;

    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
        nodes[s] = walks->nodes + info->first_node;
    for (; r + SIDE_BY_SIDE <= count; r += SIDE_BY_SIDE) {
        for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
            rows[s] = values + (size_t)(r + s) * walks->columns->count;
        walk_side_by_side(nodes, walks->info->sets, rows, info->depth, leaves + r);
    }
    for (; r < count; r++)
        leaves[r] = walk_one(nodes[0], walks->info->sets, values + (size_t)r * walks->columns->count);
}

/* The leaf of one record in each of `count` trees. */
static void record_walk_trees(const struct shw_record_walks *walks, const uint32_t *trees, uint32_t count,
                              const int32_t *values, uint32_t *leaves)
{
    const struct shw_record_tree *info = walks->info->trees;
    const struct shw_record_walk_node *nodes[SIDE_BY_SIDE];
    const int32_t *rows[SIDE_BY_SIDE];
    uint32_t t = 0;

    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
        rows[s] = values;
    for (; t + SIDE_BY_SIDE <= count; t += SIDE_BY_SIDE) {
        for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
            nodes[s] = walks->nodes + info[trees[t + s]].first_node;
        walk_side_by_side(nodes, walks->info->sets, rows, info[trees[t + SIDE_BY_SIDE - 1]].depth, leaves + t);
    }
    for (; t < count; t++)
        leaves[t] = walk_one(walks->nodes + info[trees[t]].first_node, walks->info->sets, values);
}

/* Records in blocks, tree after tree, so that a tree's nodes and the records' values stay in the processor's caches. */

#define GROUPS_OF_BLOCK  16u
#define RECORDS_OF_BLOCK (GROUPS_OF_BLOCK * SHW_RECORD_LINE)
#define BYTES_OF_LINES   (1u << 15u) /* in a block, unless a group takes more */
#define BYTES_OF_SUMS    (1u << 17u)
#define TREES_AT_ONCE    64u    /* of one record */
#define WALKS_OF_THREAD  20000u /* records times trees: fewer are not worth waking threads */
#define FEW_WALKS        8u     /* records: fewer are walked one after the other */

/* Of a thread. */
struct memory {
    int32_t *values; /* of records that are walked */
    uint8_t *lines;
    int64_t *sums;
    uint32_t places[RECORDS_OF_BLOCK];
};

struct cpu {
    struct shw_log log;
    const struct shw_record_forest_info *info;
    struct shw_record_columns columns;
    struct shw_record_walks walks;
    struct shw_record_axes axes; /* only with vectors */
    struct shw_record_tops tops;
    struct shw_record_ballots ballots;
    const struct shw_record_vectors *vectors; /* NULL: none */
    struct shw_thread_pool *pool;
    struct memory *memories; /* of each thread */
    uint32_t records;        /* of a block, at most */
    uint32_t few;            /* records: fewer are evaluated one after the other */
};

/* Some records and their part of the results. */
struct block {
    uint64_t first;
    uint32_t count;
    int64_t *sums;
    uint32_t *leaves; /* NULL: not wanted */
};

struct run {
    struct cpu *cpu;
    const struct shw_records *records;
    const struct shw_record_results *results;
    uint32_t block; /* records */
    uint64_t blocks, blocks_of_share;
};

static void add_values(const struct shw_record_forest_info *info, uint32_t tree, uint32_t leaf, int64_t *sums)
{
    const struct shw_record_tree *of = &info->trees[tree];
    const int32_t *values = info->leaf_values + ((size_t)of->first_leaf + leaf) * info->values_per_leaf;

    if (info->values_per_leaf == 1)
        sums[of->output] += values[0];
    else
        for (uint32_t v = 0; v < info->values_per_leaf; v++)
            sums[v] += values[v];
}

static void add_leaves(const struct shw_record_forest_info *info, const struct block *block, uint32_t tree,
                       const uint32_t *leaves)
{
    for (uint32_t r = 0; r < block->count; r++)
        add_values(info, tree, leaves[r], block->sums + (size_t)r * info->output_count);
}

static void write_leaves(const struct shw_record_forest_info *info, const struct block *block, uint32_t tree,
                         const uint32_t *leaves)
{
    for (uint32_t r = 0; r < block->count; r++)
        block->leaves[(size_t)r * info->tree_count + tree] = leaves[r];
}

static void begin_sums(const struct shw_record_forest_info *info, const struct block *block, uint32_t first,
                       uint32_t count)
{
    for (uint32_t r = first; r < first + count; r++)
        memcpy(block->sums + (size_t)r * info->output_count, info->base, info->output_count * sizeof *info->base);
}

static void find_classes(const struct shw_record_forest_info *info, const struct block *block, uint32_t *classes)
{
    for (uint32_t r = 0; r < block->count; r++)
        classes[r] = shw_record_class(info, block->sums + (size_t)r * info->output_count);
}

/* One record, several trees at a time. */
static void walk_record(const struct run *run, const struct block *block, uint32_t record, struct memory *memory)
{
    const struct cpu *cpu = run->cpu;
    const struct shw_record_forest_info *info = cpu->info;

    begin_sums(info, block, record, 1);
    record_walks_read(&cpu->walks, run->records, block->first + record, memory->values);
    for (uint32_t t = 0; t < info->tree_count; t += TREES_AT_ONCE) {
        uint32_t count = shw_min_u32(TREES_AT_ONCE, info->tree_count - t);
        const uint32_t *trees = cpu->walks.order + t;
        record_walk_trees(&cpu->walks, trees, count, memory->values, memory->places);
        for (uint32_t i = 0; i < count; i++)
            add_values(info, trees[i], memory->places[i], block->sums + (size_t)record * info->output_count);
        for (uint32_t i = 0; block->leaves != NULL && i < count; i++)
            block->leaves[(size_t)record * info->tree_count + trees[i]] = memory->places[i];
    }
}

static void evaluate_record(const struct run *run, const struct block *block, uint32_t record, struct memory *memory)
{
    const struct shw_record_forest_info *info = run->cpu->info;
    const struct shw_record_ballots *ballots = &run->cpu->ballots;

    if (ballots->vectors == NULL)
        walk_record(run, block, record, memory);
    else
        shw_record_ballots_evaluate(ballots, run->records, block->first + record,
                                    block->sums + (size_t)record * info->output_count,
                                    block->leaves != NULL ? block->leaves + (size_t)record * info->tree_count : NULL);
}

/* Many records without vectors. */
static void walk_block(const struct run *run, const struct block *block, struct memory *memory)
{
    const struct cpu *cpu = run->cpu;

    begin_sums(cpu->info, block, 0, block->count);
    for (uint32_t r = 0; r < block->count; r++)
        record_walks_read(&cpu->walks, run->records, block->first + r, memory->values + (size_t)r * cpu->columns.count);
    for (uint32_t t = 0; t < cpu->info->tree_count; t++) {
        record_walk_records(&cpu->walks, t, memory->values, block->count, memory->places);
        add_leaves(cpu->info, block, t, memory->places);
        if (block->leaves != NULL)
            write_leaves(cpu->info, block, t, memory->places);
    }
}

/* `per_place` values of each place. */
static inline void add_place_values(const int32_t *values, uint32_t per_place, const uint32_t *places, uint32_t count,
                                    int64_t *sums, uint32_t outputs)
{
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t v = 0; v < per_place; v++)
            sums[(size_t)r * outputs + v] += values[(size_t)places[r] * per_place + v];
}

static void add_place_sums(const struct cpu *cpu, const struct block *block, uint32_t tree, const uint32_t *places)
{
    const struct shw_record_forest_info *info = cpu->info;
    const int32_t *values = cpu->tops.values + cpu->tops.trees[tree].first_place * info->values_per_leaf;
    const uint32_t count = block->count, outputs = info->output_count;
    int64_t *sums = block->sums + info->trees[tree].output;

    /* The compiler makes a loop for each. */
    switch (info->values_per_leaf * (outputs > 1 ? 2 : 1)) {
    case 1: add_place_values(values, 1, places, count, sums, 1); break;
    case 2: add_place_values(values, 1, places, count, sums, outputs); break;
    case 4: add_place_values(values, 2, places, count, sums, 2); break;
    case 6: add_place_values(values, 3, places, count, sums, 3); break;
    default: add_place_values(values, 4, places, count, sums, 4); break;
    }
}

/* Adds the values of the places that records reach in a tree, and turns places into leaves where these are needed. */
static void add_places(const struct cpu *cpu, const struct block *block, uint32_t tree, uint32_t *places)
{
    const uint32_t *leaves = cpu->tops.leaves + cpu->tops.trees[tree].first_place;
    const bool has_values = cpu->tops.values != NULL;

    if (has_values)
        add_place_sums(cpu, block, tree, places);
    if (has_values && block->leaves == NULL)
        return;
    for (uint32_t r = 0; r < block->count; r++)
        places[r] = leaves[places[r]];
    if (!has_values)
        add_leaves(cpu->info, block, tree, places);
    if (block->leaves != NULL)
        write_leaves(cpu->info, block, tree, places);
}

/* Many records with vectors. */
static void evaluate_tops(const struct run *run, const struct block *block, struct memory *memory)
{
    const struct cpu *cpu = run->cpu;
    const uint32_t group = shw_record_axes_group(&cpu->axes), groups = (block->count + group - 1) / group;
    const size_t stride = (size_t)cpu->columns.count * SHW_RECORD_LINE;

    begin_sums(cpu->info, block, 0, block->count);
    shw_record_axes_read(&cpu->axes, run->records, block->first, block->count, memory->lines);
    for (uint32_t t = 0; t < cpu->info->tree_count; t++) {
        const struct shw_record_top *top = &cpu->tops.trees[t];
        cpu->vectors->find_places[cpu->axes.width / 2](top, cpu->tops.nodes + top->first_node, memory->lines, stride,
                                                       groups, memory->places);
        if (top->steps > 0)
            shw_record_tops_descend(&cpu->tops, t, memory->lines, groups, memory->places);
        add_places(cpu, block, t, memory->places);
    }
}

static struct block block_at(const struct run *run, uint64_t number, struct memory *memory)
{
    const struct shw_record_forest_info *info = run->cpu->info;
    const uint64_t first = number * run->block;
    int64_t *sums = run->results->sums;
    uint32_t *leaves = run->results->leaves;

    return (struct block){
        .first = first,
        .count = (uint32_t)shw_min_u64(run->block, run->records->count - first),
        .sums = sums != NULL ? sums + first * info->output_count : memory->sums,
        .leaves = leaves != NULL ? leaves + first * info->tree_count : NULL,
    };
}

/* How many records at the end of so many are evaluated one after the other: fewer than a group, for which vectors do
 * not take less time, or fewer than walk side by side. */
static uint32_t count_few(const struct cpu *cpu, uint32_t count)
{
    const bool has_groups = cpu->vectors != NULL && count >= cpu->few;
    const uint32_t rest = has_groups ? count % shw_record_axes_group(&cpu->axes) : count;

    return rest < cpu->few ? rest : 0;
}

static void evaluate_block(const struct run *run, uint64_t number, struct memory *memory)
{
    const struct shw_record_forest_info *info = run->cpu->info;
    const struct block block = block_at(run, number, memory);
    struct block many = block;

    many.count -= count_few(run->cpu, block.count);
    if (many.count > 0 && run->cpu->vectors != NULL)
        evaluate_tops(run, &many, memory);
    else if (many.count > 0)
        walk_block(run, &many, memory);
    for (uint32_t r = many.count; r < block.count; r++)
        evaluate_record(run, &block, r, memory);
    if (run->results->classes != NULL)
        find_classes(info, &block, run->results->classes + block.first);
}

static bool are_few(const struct cpu *cpu, uint64_t count)
{
    return count < cpu->few && count <= cpu->records && count * cpu->info->tree_count < WALKS_OF_THREAD;
}

/* Few records on this thread. */
static void evaluate_few(struct run *run)
{
    run->block = (uint32_t)run->records->count;
    evaluate_block(run, 0, &run->cpu->memories[0]);
}

static void evaluate_share(void *user, uint32_t index, uint32_t thread)
{
    const struct run *run = user;
    uint64_t first = index * run->blocks_of_share;

    for (uint64_t b = first; b < shw_min_u64(first + run->blocks_of_share, run->blocks); b++)
        evaluate_block(run, b, &run->cpu->memories[thread]);
}

/* So few records that each thread has some, in whole groups unless they are walked. */
static uint32_t records_of_block(const struct cpu *cpu, uint64_t count, uint32_t threads)
{
    uint64_t records = (count + threads - 1) / threads;

    if (records >= cpu->few && cpu->vectors != NULL)
        records = shw_align_up(records, shw_record_axes_group(&cpu->axes));
    return (uint32_t)shw_min_u64(records, cpu->records);
}

static enum shw_result run_cpu(void *state, const struct shw_records *records, const struct shw_record_results *results,
                               double *inner_seconds)
{
    struct cpu *cpu = state;
    struct run run = {.cpu = cpu, .records = records, .results = results};
    bool is_little;
    uint32_t threads;

    (void)inner_seconds;
    if (are_few(cpu, records->count)) {
        evaluate_few(&run);
        return SHW_OK;
    }
    is_little = records->count < WALKS_OF_THREAD / cpu->info->tree_count;
    threads = is_little ? 1 : shw_thread_pool_size(cpu->pool);
    run.block = records_of_block(cpu, records->count, threads);
    run.blocks = (records->count + run.block - 1) / run.block;
    run.blocks_of_share = run.blocks / UINT32_MAX + 1;
    shw_thread_pool_run(is_little ? NULL : cpu->pool,
                        (uint32_t)((run.blocks + run.blocks_of_share - 1) / run.blocks_of_share), evaluate_share, &run);
    return SHW_OK;
}

static void free_memories(struct cpu *cpu)
{
    for (uint32_t t = 0; cpu->memories != NULL && t < shw_thread_pool_size(cpu->pool); t++) {
        free(cpu->memories[t].values);
        shw_free_aligned(cpu->memories[t].lines);
        free(cpu->memories[t].sums);
    }
    free(cpu->memories);
}

static void destroy(void *state)
{
    struct cpu *cpu = state;

    if (cpu == NULL)
        return;
    free_memories(cpu);
    shw_thread_pool_destroy(&cpu->pool);
    shw_record_ballots_free(&cpu->ballots);
    shw_record_tops_free(&cpu->tops);
    shw_record_axes_free(&cpu->axes);
    record_walks_free(&cpu->walks);
    record_columns_free(&cpu->columns);
    free(cpu);
}

/* So many groups that their lines and sums stay in the cache, but at least one. */
static uint32_t groups_of_block(const struct cpu *cpu, uint32_t group)
{
    uint64_t lines = (uint64_t)cpu->columns.count * SHW_RECORD_LINE;
    uint64_t sums = (uint64_t)cpu->info->output_count * sizeof(int64_t) * group;

    return (uint32_t)shw_clamp_i64((int64_t)shw_min_u64(BYTES_OF_LINES / lines, BYTES_OF_SUMS / sums), 1,
                                   GROUPS_OF_BLOCK);
}

static bool make_memory(const struct cpu *cpu, uint32_t groups, struct memory *memory)
{
    const bool has_vectors = cpu->vectors != NULL;
    const size_t lines = (size_t)groups * cpu->columns.count * SHW_RECORD_LINE;

    memory->values = malloc((size_t)cpu->columns.count * (has_vectors ? 1 : cpu->records) * sizeof *memory->values);
    memory->lines = has_vectors ? shw_aligned(SHW_RECORD_LINE, lines) : NULL;
    memory->sums = malloc((size_t)cpu->records * cpu->info->output_count * sizeof *memory->sums);
    return memory->values != NULL && memory->sums != NULL && (!has_vectors || memory->lines != NULL);
}

static enum shw_result make_memories(struct cpu *cpu)
{
    const uint32_t threads = shw_thread_pool_size(cpu->pool);
    const uint32_t group = cpu->vectors != NULL ? shw_record_axes_group(&cpu->axes) : SHW_RECORD_LINE / 4;
    const uint32_t groups = groups_of_block(cpu, group);

    cpu->records = groups * group;
    cpu->memories = calloc(threads, sizeof *cpu->memories);
    if (cpu->memories == NULL)
        return shw_fail_memory(&cpu->log, "blocks of records");
    for (uint32_t t = 0; t < threads; t++)
        if (!make_memory(cpu, groups, &cpu->memories[t]))
            return shw_fail_memory(&cpu->log, "blocks of records");
    return SHW_OK;
}

/* Bytes and words in vectors of AVX-512 are an extension of their own. */
static bool has_avx512(void)
{
#if SHW_SIMD_X86
    return __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

static const struct shw_record_vectors *choose_vectors(void)
{
    switch (shw_simd_level()) {
    case SHW_SIMD_NONE: return NULL;
    case SHW_SIMD_PORTABLE: return &shw_record_vectors_portable;
    case SHW_SIMD_AVX2: return &shw_record_vectors_avx2;
    default: return has_avx512() ? &shw_record_vectors_avx512 : &shw_record_vectors_avx2;
    }
}

static enum shw_result make_tops(struct cpu *cpu)
{
    cpu->vectors = choose_vectors();
    if (cpu->vectors == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_record_axes_make(cpu->info, &cpu->columns, cpu->vectors, &cpu->log, &cpu->axes));
    SHW_PROPAGATE(shw_record_tops_make(cpu->info, &cpu->axes, &cpu->log, &cpu->tops));
    return shw_record_ballots_make(&cpu->tops, &cpu->log, &cpu->ballots);
}

static enum shw_result create(const struct shw_record_evaluator_params *params, void **state)
{
    struct cpu *cpu = calloc(1, sizeof *cpu);
    enum shw_result result = SHW_OK;

    if (cpu == NULL)
        return shw_fail_memory(&params->log, "an evaluator of records");
    cpu->log = params->log;
    cpu->info = shw_record_forest_get_info(params->forest);
    SHW_TRY(record_columns_make(cpu->info, &cpu->log, &cpu->columns));
    SHW_TRY(record_walks_make(cpu->info, &cpu->columns, &cpu->log, &cpu->walks));
    SHW_TRY(make_tops(cpu));
    cpu->few = cpu->ballots.vectors != NULL ? shw_record_axes_group(&cpu->axes) / 2 : FEW_WALKS;
    if (shw_thread_pool_create(params->threads, &cpu->pool) != SHW_OK) {
        result = shw_fail_memory(&cpu->log, "threads");
        goto fail;
    }
    SHW_TRY(make_memories(cpu));
    *state = cpu;
    return SHW_OK;

fail:
    destroy(cpu);
    return result;
}

const struct shw_record_variant shw_record_variant_cpu = {.create = create, .destroy = destroy, .run = run_cpu};
