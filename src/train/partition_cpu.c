/* Moves samples to the children of their nodes. */
#include "train/partition_cpu.h"

#include <stdlib.h>

#include "base/log.h"

/* Shared by the threads. */
struct partition {
    struct shw_trainer *trainer;
    const struct shw_split *splits;
    struct shw_samples moved; /* destination */
    uint32_t *child_counts;   /* per open node: class counts of the left child, then of the right one */
    struct shw_block *blocks; /* one per thread */
};

static void move_sample(const struct shw_samples *from, uint32_t s, struct shw_samples *to, uint32_t t)
{
    to->image[t] = from->image[s];
    to->x[t] = from->x[s];
    to->y[t] = from->y[s];
    to->label[t] = from->label[s];
}

/* Stable partition of one node's samples: left ones, then right ones. A first pass counts the latter. */
static void partition_node(void *user, uint32_t index, uint32_t thread)
{
    const struct partition *partition = user;
    const struct shw_trainer *trainer = partition->trainer;
    const struct shw_open_node *open = &trainer->builder.open[index];
    const struct shw_split *split = &partition->splits[index];
    struct shw_block *block = &partition->blocks[thread];
    struct shw_samples to = partition->moved;
    int32_t responses[SHW_BLOCK];
    uint32_t left = 0, right = 0, classes = trainer->dataset->class_count;
    uint32_t *counts = partition->child_counts + (size_t)2 * index * classes;

    if (!split->found)
        return;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t left_end = left;
        left = right = 0;
        for (uint32_t done = 0; done < open->count; done += block->count) {
            uint32_t rest = open->count - done;
            shw_block_fill(block, &trainer->images, &trainer->builder.samples, open->first + done, NULL,
                           rest < SHW_BLOCK ? rest : SHW_BLOCK);
            trainer->respond->samples(trainer->images.planes, block, &split->feature, responses);
            for (uint32_t i = 0; i < block->count; i++) {
                bool goes_right =
                    (split->t0 <= responses[i] && responses[i] < split->t1) || responses[i] == SHW_UNDEFINED_RESPONSE;
                uint32_t target = open->first + (goes_right ? left_end + right : left);
                if (pass == 1) {
                    move_sample(&trainer->builder.samples, open->first + done + i, &to, target);
                    counts[goes_right * classes + block->label[i]]++;
                }
                right += goes_right;
                left += !goes_right;
            }
        }
    }
}

enum shw_result shw_partition_cpu(struct shw_trainer *trainer, const struct shw_split *splits, uint32_t *child_counts)
{
    struct shw_tree_builder *builder = &trainer->builder;
    uint32_t count = builder->samples.count, threads = shw_thread_pool_size(trainer->pool);
    struct partition partition = {.trainer = trainer,
                                  .splits = splits,
                                  .child_counts = child_counts,
                                  .blocks = malloc(threads * sizeof *partition.blocks),
                                  .moved = {.count = count,
                                            .image = malloc(count * sizeof(uint32_t)),
                                            .x = malloc(count * sizeof(uint16_t)),
                                            .y = malloc(count * sizeof(uint16_t)),
                                            .label = malloc(count * sizeof(uint16_t))}};
    enum shw_result result = SHW_OK;
    struct shw_samples kept = builder->samples;

    if (partition.blocks == NULL || partition.moved.image == NULL || partition.moved.x == NULL ||
        partition.moved.y == NULL || partition.moved.label == NULL) {
        result = shw_fail_memory(&trainer->params.log, "a training round");
        goto end;
    }
    for (uint32_t i = 0; i < count; i++)
        move_sample(&kept, i, &partition.moved, i);
    shw_thread_pool_run(trainer->pool, builder->open_count, partition_node, &partition);
    builder->samples = partition.moved;
    partition.moved = kept;

end:
    free(partition.blocks);
    shw_samples_free(&partition.moved);
    return result;
}
