/* Moves samples to the children of their nodes. */
#include "dense/train/partition_cpu.h"

#include <stdlib.h>

#include "dense/train/batch.h"

/* Shared by the threads. */
struct partition {
    struct shw_trainer *trainer;
    const struct shw_split *splits;
    uint32_t *to;           /* [sample]: its new place */
    uint32_t *child_counts; /* per open node: class counts of the left child, then of the right one */
};

/* Stable: left samples, then right ones. */
static void place_samples(void *user, uint32_t index, uint32_t thread)
{
    const struct partition *partition = user;
    const struct shw_trainer *trainer = partition->trainer;
    const struct shw_open_node *open = &trainer->builder.open[index];
    const uint8_t *sides = trainer->sides + open->first;
    const uint16_t *labels = trainer->builder.samples.label + open->first;
    uint32_t classes = trainer->dataset->class_count, left = open->first, right = open->first + open->count;
    uint32_t *counts = partition->child_counts + (size_t)2 * index * classes;

    (void)thread;
    if (!partition->splits[index].found)
        return;
    for (uint32_t s = 0; s < open->count; s++)
        right -= sides[s];
    for (uint32_t s = 0; s < open->count; s++) {
        counts[sides[s] * classes + labels[s]]++;
        partition->to[open->first + s] = sides[s] ? right++ : left++;
    }
}

enum shw_result shw_partition_cpu(struct shw_trainer *trainer, const struct shw_split *splits, uint32_t *child_counts)
{
    struct shw_tree_builder *builder = &trainer->builder;
    struct partition partition = {.trainer = trainer, .splits = splits, .child_counts = child_counts};
    uint32_t count = builder->samples.count;
    struct shw_batch batch;
    enum shw_result result;

    SHW_PROPAGATE(shw_batch_create_sides(trainer, splits, &batch));
    result = batch.item_count > 0 ? shw_batch_respond(trainer, &batch) : SHW_OK;
    shw_batch_destroy(&batch);
    SHW_PROPAGATE(result);
    if (!shw_batch_reserve(trainer, 2 * (size_t)count * sizeof *partition.to))
        return shw_fail_memory(&trainer->params.log, "a training round");
    partition.to = (uint32_t *)(void *)trainer->batch;
    for (uint32_t s = 0; s < count; s++)
        partition.to[s] = s;
    shw_thread_pool_run(trainer->pool, builder->open_count, place_samples, &partition);
    shw_samples_move(&builder->samples, trainer->pool, partition.to, partition.to + count);
    return SHW_OK;
}
