/* Records in blocks, tree after tree, so that a tree's nodes and the records' values stay in the processor's caches. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "records/records_cpu.h"

#define RECORDS_OF_BLOCK 256u
#define BYTES_OF_VALUES  (1u << 18u) /* in a block, if so few records have them */
#define BYTES_OF_SUMS    (1u << 18u)
#define TREES_AT_ONCE    64u    /* of one record */
#define WALKS_OF_THREAD  20000u /* records times trees: fewer are not worth waking threads */

/* Of a thread. */
struct memory {
    int32_t *values;
    int64_t *sums;
    uint32_t leaves[RECORDS_OF_BLOCK];
};

struct cpu {
    struct shw_log log;
    struct shw_record_tables tables;
    struct shw_thread_pool *pool;
    struct memory *memories; /* of each thread */
    uint32_t records;        /* of a block */
};

struct run {
    struct cpu *cpu;
    const struct shw_records *records;
    const struct shw_record_results *results;
    uint64_t blocks;
    uint64_t blocks_of_share;
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

static void add_tree(const struct shw_record_forest_info *info, uint32_t tree, const uint32_t *leaves, uint32_t count,
                     int64_t *sums)
{
    for (uint32_t r = 0; r < count; r++)
        add_values(info, tree, leaves[r], sums + (size_t)r * info->output_count);
}

/* A block's part of the results. */
struct block {
    uint64_t first;
    uint32_t count;
    int64_t *sums;
};

static struct block block_at(const struct run *run, uint64_t number, struct memory *memory)
{
    uint64_t first = number * run->cpu->records;
    int64_t *sums = run->results->sums;

    return (struct block){
        .first = first,
        .count = (uint32_t)shw_min_u64(run->cpu->records, run->records->count - first),
        .sums = sums != NULL ? sums + first * run->cpu->tables.info->output_count : memory->sums,
    };
}

static void begin_sums(const struct shw_record_forest_info *info, const struct block *block)
{
    for (uint32_t r = 0; r < block->count; r++)
        memcpy(block->sums + (size_t)r * info->output_count, info->base, info->output_count * sizeof *info->base);
}

static void find_classes(const struct shw_record_forest_info *info, const struct block *block, uint32_t *classes)
{
    for (uint32_t r = 0; r < block->count; r++)
        classes[block->first + r] = shw_record_class(info, block->sums + (size_t)r * info->output_count);
}

/* Several records at a time. */
static void walk_block(const struct run *run, const struct block *block, struct memory *memory)
{
    const struct shw_record_tables *tables = &run->cpu->tables;
    const struct shw_record_forest_info *info = tables->info;
    uint32_t *leaves = run->results->leaves;

    for (uint32_t r = 0; r < block->count; r++)
        shw_record_columns_read(tables, run->records, block->first + r,
                                memory->values + (size_t)r * tables->column_count);
    for (uint32_t t = 0; t < info->tree_count; t++) {
        shw_record_walk_records(tables, t, memory->values, block->count, memory->leaves);
        add_tree(info, t, memory->leaves, block->count, block->sums);
        for (uint32_t r = 0; leaves != NULL && r < block->count; r++)
            leaves[(block->first + r) * info->tree_count + t] = memory->leaves[r];
    }
}

/* Several trees at a time. */
static void walk_record(const struct run *run, uint64_t record, int64_t *sums, struct memory *memory)
{
    const struct shw_record_tables *tables = &run->cpu->tables;
    const struct shw_record_forest_info *info = tables->info;
    uint32_t *leaves = run->results->leaves;

    shw_record_columns_read(tables, run->records, record, memory->values);
    for (uint32_t t = 0; t < info->tree_count; t += TREES_AT_ONCE) {
        uint32_t count = shw_min_u32(TREES_AT_ONCE, info->tree_count - t);
        shw_record_walk_trees(tables, t, count, memory->values, memory->leaves);
        for (uint32_t i = 0; i < count; i++)
            add_values(info, t + i, memory->leaves[i], sums);
        if (leaves != NULL)
            memcpy(leaves + record * info->tree_count + t, memory->leaves, count * sizeof *leaves);
    }
}

#define FEW 8u /* records, which are walked one after the other */

static void evaluate_block(const struct run *run, uint64_t number, struct memory *memory)
{
    const struct shw_record_forest_info *info = run->cpu->tables.info;
    const struct block block = block_at(run, number, memory);

    begin_sums(info, &block);
    if (block.count < FEW)
        for (uint32_t r = 0; r < block.count; r++)
            walk_record(run, block.first + r, block.sums + (size_t)r * info->output_count, memory);
    else
        walk_block(run, &block, memory);
    if (run->results->classes != NULL)
        find_classes(info, &block, run->results->classes);
}

static void evaluate_share(void *user, uint32_t index, uint32_t thread)
{
    const struct run *run = user;
    uint64_t first = index * run->blocks_of_share;

    for (uint64_t b = first; b < shw_min_u64(first + run->blocks_of_share, run->blocks); b++)
        evaluate_block(run, b, &run->cpu->memories[thread]);
}

static enum shw_result run_cpu(void *state, const struct shw_records *records, const struct shw_record_results *results,
                               double *inner_seconds)
{
    struct cpu *cpu = state;
    struct run run = {cpu, records, results, (records->count + cpu->records - 1) / cpu->records, 1};
    bool few = records->count < WALKS_OF_THREAD / cpu->tables.info->tree_count;

    (void)inner_seconds;
    run.blocks_of_share = run.blocks / UINT32_MAX + 1;
    shw_thread_pool_run(few ? NULL : cpu->pool,
                        (uint32_t)((run.blocks + run.blocks_of_share - 1) / run.blocks_of_share), evaluate_share, &run);
    return SHW_OK;
}

/* So many records that their values and sums stay in the cache, but at least one. */
static uint32_t records_of_block(const struct shw_record_tables *tables)
{
    uint64_t values = (uint64_t)tables->column_count * sizeof(int32_t);
    uint64_t sums = (uint64_t)tables->info->output_count * sizeof(int64_t);
    uint64_t records = shw_min_u64(BYTES_OF_VALUES / values, BYTES_OF_SUMS / sums);

    return (uint32_t)shw_clamp_i64((int64_t)records, 1, RECORDS_OF_BLOCK);
}

static void destroy(void *state)
{
    struct cpu *cpu = state;

    if (cpu == NULL)
        return;
    for (uint32_t t = 0; cpu->memories != NULL && t < shw_thread_pool_size(cpu->pool); t++) {
        free(cpu->memories[t].values);
        free(cpu->memories[t].sums);
    }
    free(cpu->memories);
    shw_thread_pool_destroy(&cpu->pool);
    shw_record_tables_free(&cpu->tables);
    free(cpu);
}

static enum shw_result make_memories(struct cpu *cpu)
{
    const uint32_t threads = shw_thread_pool_size(cpu->pool);
    const struct shw_record_tables *tables = &cpu->tables;

    cpu->records = records_of_block(tables);
    cpu->memories = calloc(threads, sizeof *cpu->memories);
    for (uint32_t t = 0; cpu->memories != NULL && t < threads; t++) {
        struct memory *memory = &cpu->memories[t];
        memory->values = malloc((size_t)cpu->records * tables->column_count * sizeof *memory->values);
        memory->sums = malloc((size_t)cpu->records * tables->info->output_count * sizeof *memory->sums);
        if (memory->values == NULL || memory->sums == NULL)
            return shw_fail_memory(&cpu->log, "blocks of records");
    }
    return cpu->memories != NULL ? SHW_OK : shw_fail_memory(&cpu->log, "blocks of records");
}

static enum shw_result create(const struct shw_record_evaluator_params *params, void **state)
{
    struct cpu *cpu = calloc(1, sizeof *cpu);
    enum shw_result result = SHW_OK;

    if (cpu == NULL)
        return shw_fail_memory(&params->log, "an evaluator of records");
    cpu->log = params->log;
    SHW_TRY(shw_record_tables_make(params->forest, &params->log, &cpu->tables));
    if (shw_thread_pool_create(params->threads, &cpu->pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "threads");
        goto fail;
    }
    SHW_TRY(make_memories(cpu));
    *state = cpu;
    return SHW_OK;

fail:
    destroy(cpu);
    return result;
}

const struct shw_record_way shw_record_way_cpu = {
    .id = SHW_RECORD_CPU, .create = create, .destroy = destroy, .run = run_cpu};
