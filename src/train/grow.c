/* One tree: its samples, its rounds, its leaves. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "train/trainer.h"

void shw_growth_free(struct shw_growth *growth)
{
    shw_samples_free(&growth->samples);
    free(growth->nodes);
    free(growth->open);
    free(growth->distributions);
    free(growth->weights);
    *growth = (struct shw_growth){0};
}

/* The classes' integer weights, in units of 1/256, halved together until the tree's samples weigh less than SHW_MASS_MAX; 1 for all if they
 * are not weighted. */
static void scale_weights(const struct shw_trainer *trainer, const uint64_t *counts, uint32_t *weights)
{
    uint32_t classes = trainer->dataset->class_count;
    double unit = 256;
    uint64_t mass;

    do {
        mass = 0;
        for (uint32_t c = 0; c < classes; c++) {
            double weight = trainer->class_weights != NULL ? trainer->class_weights[c] * unit + 0.5 : 1;
            weights[c] = weight < 1 ? 1 : weight > (double)UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
            mass += counts[c] > 0 && weights[c] >= SHW_MASS_MAX / counts[c] ? SHW_MASS_MAX : counts[c] * weights[c];
        }
        unit /= 2;
    } while (mass >= SHW_MASS_MAX);
}

/* The distribution that these counts give, by largest remainders: 65535 in all, the lowest class first among equals. */
static void fill_distribution(const uint32_t *counts, const uint32_t *weights, uint32_t classes, uint16_t *distribution)
{
    uint64_t mass = 0;
    uint32_t given = 0;

    for (uint32_t c = 0; c < classes; c++)
        mass += (uint64_t)counts[c] * weights[c];
    for (uint32_t c = 0; c < classes; c++) {
        distribution[c] = (uint16_t)((uint64_t)counts[c] * weights[c] * 65535 / mass);
        given += distribution[c];
    }
    for (; given < 65535; given++) {
        uint32_t best = 0;
        uint64_t best_remainder = 0;
        for (uint32_t c = 0; c < classes; c++) {
            /* What is still missing of the exact share, in units of 1 / mass; never above the first round's remainder. */
            uint64_t exact = (uint64_t)counts[c] * weights[c] * 65535, got = (uint64_t)distribution[c] * mass;
            uint64_t remainder = exact > got ? exact - got : 0;
            if (remainder > best_remainder) {
                best_remainder = remainder;
                best = c;
            }
        }
        distribution[best]++;
    }
}

static enum shw_result fill_node(struct shw_trainer *trainer, uint32_t node, uint32_t first, uint32_t count)
{
    struct shw_growth *growth = &trainer->growth;
    uint32_t classes = trainer->dataset->class_count;
    uint32_t *counts = calloc(classes, sizeof *counts);

    if (counts == NULL)
        return shw_fail_memory(&trainer->params.log, "a leaf");
    for (uint32_t i = 0; i < count; i++)
        counts[growth->samples.label[first + i]]++;
    fill_distribution(counts, growth->weights, classes, growth->distributions + (size_t)node * classes);
    free(counts);
    return SHW_OK;
}

/* Makes room for `more` nodes. */
static enum shw_result reserve_nodes(struct shw_trainer *trainer, uint32_t more)
{
    struct shw_growth *growth = &trainer->growth;
    uint32_t capacity = growth->node_capacity > 0 ? growth->node_capacity : 64;
    struct shw_node *nodes;
    uint16_t *distributions;

    if (growth->node_count + more > SHW_NODES_MAX)
        return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                        "a tree has more than %u nodes: lower depth or leaf_max, or raise samples_min", SHW_NODES_MAX);
    while (capacity < growth->node_count + more)
        capacity *= 2;
    if (capacity == growth->node_capacity)
        return SHW_OK;
    nodes = realloc(growth->nodes, capacity * sizeof *nodes);
    if (nodes != NULL)
        growth->nodes = nodes;
    distributions = realloc(growth->distributions, (size_t)capacity * trainer->dataset->class_count * sizeof *distributions);
    if (distributions != NULL)
        growth->distributions = distributions;
    if (nodes == NULL || distributions == NULL)
        return shw_fail_memory(&trainer->params.log, "a tree");
    growth->node_capacity = capacity;
    return SHW_OK;
}

/* Appends a leaf for these samples. */
static enum shw_result add_node(struct shw_trainer *trainer, uint32_t first, uint32_t count)
{
    struct shw_growth *growth = &trainer->growth;
    enum shw_result result = reserve_nodes(trainer, 1);

    if (result != SHW_OK)
        return result;
    growth->nodes[growth->node_count] = (struct shw_node){.left = growth->node_count};
    return fill_node(trainer, growth->node_count++, first, count);
}

enum shw_result shw_growth_begin(struct shw_trainer *trainer)
{
    struct shw_growth *growth = &trainer->growth;
    uint32_t classes = trainer->dataset->class_count;
    uint64_t *counts = calloc(classes, sizeof *counts);
    enum shw_result result = SHW_ERROR_MEMORY;

    growth->weights = malloc(classes * sizeof *growth->weights);
    growth->open = malloc(sizeof *growth->open);
    if (counts == NULL || growth->weights == NULL || growth->open == NULL) {
        shw_fail_memory(&trainer->params.log, "a tree");
        goto fail;
    }
    SHW_TRY(shw_samples_draw(&trainer->params, &trainer->images, classes, trainer->tree_count, &growth->samples));
    for (uint32_t i = 0; i < growth->samples.count; i++)
        counts[growth->samples.label[i]]++;
    scale_weights(trainer, counts, growth->weights);
    SHW_TRY(add_node(trainer, 0, growth->samples.count));
    growth->leaf_count = 1;
    growth->open_count = 1;
    growth->open[0] = (struct shw_open_node){.node = 0, .first = 0, .count = growth->samples.count};

fail:
    free(counts);
    return result;
}

/* Whether samples first..first+count-1 could still be split. */
static bool can_split(const struct shw_trainer *trainer, uint32_t first, uint32_t count)
{
    const uint16_t *labels = trainer->growth.samples.label + first;

    if (count / 2 < trainer->params.samples_min)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if (labels[i] != labels[0])
            return true;
    return false;
}

/* What the threads share while samples move to their children. */
struct partition {
    struct shw_trainer *trainer;
    const struct shw_split *splits;
    struct shw_samples moved; /* where they move to */
    uint32_t *left_counts;    /* an open node */
    struct shw_block *blocks; /* a thread */
};

static void move_sample(const struct shw_samples *from, uint32_t s, struct shw_samples *to, uint32_t t)
{
    to->image[t] = from->image[s];
    to->x[t] = from->x[s];
    to->y[t] = from->y[s];
    to->label[t] = from->label[s];
}

/* A stable partition of one node's samples: those that go left, then those that go right. Right ones are counted first. */
static void partition_node(void *user, uint32_t index, uint32_t thread)
{
    const struct partition *partition = user;
    const struct shw_trainer *trainer = partition->trainer;
    const struct shw_open_node *open = &trainer->growth.open[index];
    const struct shw_split *split = &partition->splits[index];
    struct shw_packed_feature feature = shw_feature_pack(&split->feature);
    struct shw_block *block = &partition->blocks[thread];
    struct shw_samples to = partition->moved;
    int32_t responses[SHW_BLOCK];
    uint32_t left = 0, right = 0;

    if (!split->found)
        return;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t left_end = left;
        left = right = 0;
        for (uint32_t done = 0; done < open->count; done += block->count) {
            uint32_t rest = open->count - done;
            shw_block_fill(block, &trainer->images, &trainer->growth.samples, open->first + done, NULL,
                           rest < SHW_BLOCK ? rest : SHW_BLOCK);
            trainer->respond.samples(trainer->images.integrals, block, &feature, responses);
            for (uint32_t i = 0; i < block->count; i++) {
                bool goes_right = split->t0 <= responses[i] && responses[i] < split->t1;
                uint32_t target = open->first + (goes_right ? left_end + right : left);
                if (pass == 1)
                    move_sample(&trainer->growth.samples, open->first + done + i, &to, target);
                right += goes_right;
                left += !goes_right;
            }
        }
    }
    partition->left_counts[index] = left;
}

/* Turns open nodes into splits with two new leaves each, and opens those that may grow on. */
static enum shw_result apply_splits(struct shw_trainer *trainer, const struct partition *partition, uint32_t *made)
{
    struct shw_growth *growth = &trainer->growth;
    struct shw_open_node *next = malloc((size_t)2 * growth->open_count * sizeof *next);
    bool deeper = growth->depth + 1 < trainer->params.depth;
    uint32_t next_count = 0;
    enum shw_result result = SHW_OK;

    if (next == NULL)
        return shw_fail_memory(&trainer->params.log, "open nodes");
    *made = 0;
    for (uint32_t o = 0; o < growth->open_count; o++) {
        const struct shw_split *split = &partition->splits[o];
        struct shw_open_node open = growth->open[o];
        uint32_t begin = open.first, counts[2] = {partition->left_counts[o], open.count - partition->left_counts[o]};
        if (!split->found)
            continue;
        growth->nodes[open.node] = (struct shw_node){
            .is_split = true, .left = growth->node_count, .feature = split->feature, .t0 = split->t0, .t1 = split->t1};
        for (int side = 0; side < 2; side++) {
            uint32_t node = growth->node_count;
            SHW_TRY(add_node(trainer, begin, counts[side]));
            if (deeper && can_split(trainer, begin, counts[side]))
                next[next_count++] = (struct shw_open_node){.node = node, .first = begin, .count = counts[side]};
            begin += counts[side];
        }
        growth->leaf_count++;
        ++*made;
    }
    free(growth->open);
    growth->open = next;
    growth->open_count = next_count;
    growth->depth++;
    return SHW_OK;

fail:
    free(next);
    return result;
}

/* Drops splits beyond the permitted number of leaves; earlier nodes go first. */
static void limit_leaves(const struct shw_trainer *trainer, struct shw_split *splits)
{
    uint32_t leaves = trainer->growth.leaf_count;

    for (uint32_t o = 0; o < trainer->growth.open_count && trainer->params.leaf_max > 0; o++)
        if (splits[o].found && leaves++ >= trainer->params.leaf_max)
            splits[o].found = false;
}

enum shw_result shw_growth_round(struct shw_trainer *trainer, uint32_t *splits_made)
{
    struct shw_growth *growth = &trainer->growth;
    uint32_t count = growth->samples.count, threads = shw_thread_pool_size(trainer->pool);
    struct shw_split *splits = malloc(growth->open_count * sizeof *splits);
    struct partition partition = {.trainer = trainer,
                                  .splits = splits,
                                  .left_counts = calloc(growth->open_count, sizeof *partition.left_counts),
                                  .blocks = malloc(threads * sizeof *partition.blocks),
                                  .moved = {.count = count,
                                            .image = malloc(count * sizeof(uint32_t)),
                                            .x = malloc(count * sizeof(uint16_t)),
                                            .y = malloc(count * sizeof(uint16_t)),
                                            .label = malloc(count * sizeof(uint16_t))}};
    enum shw_result result = SHW_ERROR_MEMORY;
    struct shw_samples kept;

    if (splits == NULL || partition.left_counts == NULL || partition.blocks == NULL || partition.moved.image == NULL ||
        partition.moved.x == NULL || partition.moved.y == NULL || partition.moved.label == NULL) {
        shw_fail_memory(&trainer->params.log, "a training round");
        goto fail;
    }
    SHW_TRY(shw_split_cpu(trainer, splits));
    limit_leaves(trainer, splits);
    for (uint32_t i = 0; i < count; i++)
        move_sample(&growth->samples, i, &partition.moved, i);
    shw_thread_pool_run(trainer->pool, growth->open_count, partition_node, &partition);
    kept = growth->samples;
    growth->samples = partition.moved;
    partition.moved = kept;
    SHW_TRY(apply_splits(trainer, &partition, splits_made));

fail:
    free(splits);
    free(partition.left_counts);
    free(partition.blocks);
    shw_samples_free(&partition.moved);
    return result;
}

enum shw_result shw_growth_finish(struct shw_trainer *trainer)
{
    struct shw_growth *growth = &trainer->growth;
    uint32_t classes = trainer->dataset->class_count, leaves = 0;
    struct shw_tree *tree = &trainer->trees[trainer->tree_count];
    uint16_t *distributions = malloc((size_t)growth->leaf_count * classes * sizeof *distributions);

    if (distributions == NULL)
        return shw_fail_memory(&trainer->params.log, "a tree");
    for (uint32_t n = 0; n < growth->node_count; n++) {
        struct shw_node *node = &growth->nodes[n];
        if (node->is_split)
            continue;
        node->leaf = leaves++;
        memcpy(distributions + (size_t)node->leaf * classes, growth->distributions + (size_t)n * classes,
               classes * sizeof *distributions);
    }
    *tree = (struct shw_tree){.nodes = growth->nodes, .node_count = growth->node_count, .distributions = distributions};
    growth->nodes = NULL;
    trainer->tree_count++;
    shw_growth_free(growth);
    return SHW_OK;
}
