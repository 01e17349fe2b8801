#include "train/batch.h"

#include <stdlib.h>

#include "base/log.h"
#include "shared/random.h"

#define BATCH_BYTES ((size_t)192 << 20) /* of responses and bins; one candidate always fits */

static uint32_t pool_place(const struct shw_trainer *trainer, uint32_t open)
{
    return trainer->params.pool == SHW_POOL_NODE ? trainer->builder.open[open].node : trainer->builder.depth;
}

static bool is_binned(const struct shw_open_node *open)
{
    return open->count >= SHW_LARGE_NODE;
}

size_t shw_batch_pitch(const struct shw_batch_item *item, const struct shw_open_node *open)
{
    return item->binned ? ((size_t)open->count + 3) & ~(size_t)3
                        : (((size_t)item->count + 7) & ~(size_t)7) * sizeof(int32_t);
}

static size_t item_bytes(const struct shw_batch_item *item, const struct shw_open_node *open)
{
    return shw_batch_pitch(item, open) * (item->binned ? item->count : open->count);
}

struct shw_feature_lanes shw_batch_lanes(const struct shw_batch *batch, const struct shw_batch_item *item)
{
    struct shw_feature_lanes lanes;

    for (size_t w = 0; w < 5; w++)
        lanes.words[w] = batch->features + w * batch->feature_capacity + item->features;
    return lanes;
}

/* Divides a node's candidates into items of about the same size. */
static size_t items_per_node(const struct shw_trainer *trainer)
{
    return (trainer->candidate_count + SHW_ITEM_CANDIDATES - 1) / SHW_ITEM_CANDIDATES;
}

enum shw_result shw_batch_create(struct shw_trainer *trainer, struct shw_batch *batch)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    size_t candidates = trainer->candidate_count, all = 0, widest = 0, large = 0, limit;
    size_t features = builder->open_count * candidates, capacity = features + 7;

    for (uint32_t o = 0; o < builder->open_count; o++) {
        const struct shw_open_node *open = &builder->open[o];
        struct shw_batch_item item = {.count = trainer->candidate_count, .binned = is_binned(open)};
        all += item_bytes(&item, open) + (items_per_node(trainer) - 1) * 8 * sizeof(int32_t) * open->count;
        item.count = 1;
        widest = item_bytes(&item, open) > widest ? item_bytes(&item, open) : widest;
        large += item.binned;
    }
    limit = widest > BATCH_BYTES ? widest : BATCH_BYTES;
    limit = all < limit ? all : limit;
    if (limit > trainer->batch_bytes) {
        free(trainer->batch);
        trainer->batch = malloc(limit);
        trainer->batch_bytes = trainer->batch != NULL ? limit : 0;
    }
    *batch = (struct shw_batch){.items = malloc(items_per_node(trainer) * builder->open_count * sizeof *batch->items),
                                .features = calloc(5 * capacity, sizeof *batch->features),
                                .sides = malloc(2 * features * sizeof *batch->sides),
                                .thresholds = malloc((large * candidates + 1) * sizeof *batch->thresholds),
                                .bytes = trainer->batch,
                                .byte_limit = limit,
                                .feature_capacity = capacity};
    if (batch->items != NULL && batch->features != NULL && batch->sides != NULL && batch->thresholds != NULL &&
        batch->bytes != NULL)
        return SHW_OK;
    shw_batch_destroy(batch);
    return shw_fail_memory(&trainer->params.log, "responses");
}

void shw_batch_destroy(struct shw_batch *batch)
{
    free(batch->items);
    free(batch->features);
    free(batch->sides);
    free(batch->thresholds);
    *batch = (struct shw_batch){0};
}

/* How many of the `left` candidates of an open node fit into `bytes`. */
static uint32_t room_for(const struct shw_open_node *open, uint32_t left, size_t bytes)
{
    struct shw_batch_item item = {.count = left, .binned = is_binned(open)};
    size_t columns;

    if (item_bytes(&item, open) <= bytes)
        return left;
    columns = item.binned ? bytes / shw_batch_pitch(&item, open) : bytes / (open->count * sizeof(int32_t)) & ~(size_t)7;
    return (uint32_t)columns;
}

static void take_items(const struct shw_trainer *trainer, struct shw_batch_position *position, struct shw_batch *batch)
{
    uint32_t candidates = trainer->candidate_count;
    uint32_t most = (uint32_t)((candidates + items_per_node(trainer) - 1) / items_per_node(trainer));

    batch->item_count = 0;
    batch->feature_count = batch->threshold_count = batch->byte_count = 0;
    while (position->open < trainer->builder.open_count) {
        const struct shw_open_node *open = &trainer->builder.open[position->open];
        uint32_t left = candidates - position->candidate, wanted = left < most ? left : most;
        uint32_t count = room_for(open, wanted, batch->byte_limit - batch->byte_count);
        struct shw_batch_item *item = &batch->items[batch->item_count];
        if (count == 0)
            break;
        *item = (struct shw_batch_item){.open = position->open,
                                        .first = position->candidate,
                                        .count = count,
                                        .binned = is_binned(open),
                                        .features = batch->feature_count,
                                        .thresholds = batch->threshold_count,
                                        .begin = batch->byte_count};
        batch->item_count++;
        batch->feature_count += count;
        batch->threshold_count += item->binned ? count : 0;
        batch->byte_count += item_bytes(item, open);
        position->candidate += count;
        if (count < wanted)
            break;
        if (position->candidate == candidates) {
            position->candidate = 0;
            position->open++;
        }
    }
}

uint32_t shw_choose_probes(const struct shw_trainer *trainer, const struct shw_open_node *open, uint32_t probes[256])
{
    bool best = trainer->params.thresholds == SHW_THRESHOLDS_BEST;
    uint32_t wanted = best ? SHW_THRESHOLD_SAMPLES : trainer->params.bins - 1;
    bool all = best && open->count <= wanted; /* the node is small */
    uint32_t key = shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_THRESHOLDS);
    uint32_t count = all ? open->count : wanted;

    for (uint32_t i = 0; i < count; i++)
        probes[i] = all ? i : shw_random_below(shw_random(key, open->node, i), open->count);
    return count;
}

/* Shared by the threads that draw candidates. */
struct draw {
    const struct shw_trainer *trainer;
    struct shw_batch *batch;
    uint32_t key;
    struct shw_block *blocks; /* one per thread */
};

/* Thresholds of a large node's candidates are made before its responses, which are then stored as bins. */
static void make_thresholds(const struct draw *draw, const struct shw_batch_item *item, struct shw_block *block)
{
    const struct shw_trainer *trainer = draw->trainer;
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    uint32_t probes[256], count = shw_choose_probes(trainer, open, probes);
    struct shw_feature_lanes lanes = shw_batch_lanes(draw->batch, item);
    int32_t responses[SHW_BLOCK];

    for (uint32_t i = 0; i < count; i++)
        probes[i] += open->first;
    shw_block_fill(block, &trainer->images, &trainer->builder.samples, 0, probes, count);
    for (uint32_t i = 0; i < item->count; i++) {
        struct shw_feature feature = shw_batch_feature(&lanes, i);
        trainer->respond->samples(trainer->images.planes, block, &feature, responses);
        shw_thresholds_make(&trainer->params, responses, count, &draw->batch->thresholds[item->thresholds + i]);
    }
}

/* Counting sort of the sides of an item's candidates by channel. */
static void sort_sides(const struct shw_respond *respond, struct shw_batch *batch, struct shw_batch_item *item)
{
    struct shw_feature_lanes lanes = shw_batch_lanes(batch, item);
    struct shw_batch_side *sides = batch->sides + 2 * item->features;
    struct shw_feature_side pair[2];
    uint32_t next[SHW_CHANNELS_MAX + 1] = {0};

    for (uint32_t i = 0; i < item->count; i++) {
        struct shw_feature feature = shw_batch_feature(&lanes, i);
        for (uint32_t s = 0; s < respond->sides(&feature, pair); s++)
            next[pair[s].channel + 1]++;
    }
    for (uint32_t c = 0; c < SHW_CHANNELS_MAX; c++)
        next[c + 1] += next[c];
    item->side_count = next[SHW_CHANNELS_MAX];
    for (uint32_t i = 0; i < item->count; i++) {
        struct shw_feature feature = shw_batch_feature(&lanes, i);
        for (uint32_t s = 0, count = respond->sides(&feature, pair); s < count; s++)
            sides[next[pair[s].channel]++] = (struct shw_batch_side){i, pair[s]};
    }
}

static void draw_item(void *user, uint32_t index, uint32_t thread)
{
    const struct draw *draw = user;
    struct shw_batch_item *item = &draw->batch->items[index];
    uint32_t place = pool_place(draw->trainer, item->open);

    for (uint32_t i = 0; i < item->count; i++) {
        struct shw_feature feature = shw_candidate_draw(&draw->trainer->params, &draw->trainer->channels, draw->key,
                                                        place, draw->trainer->candidate_begin + item->first + i);
        uint32_t *words = draw->batch->features + item->features + i;
        for (size_t w = 0; w < 5; w++)
            words[w * draw->batch->feature_capacity] = feature.words[w];
    }
    if (draw->trainer->respond->sides != NULL)
        sort_sides(draw->trainer->respond, draw->batch, item);
    if (item->binned)
        make_thresholds(draw, item, &draw->blocks[thread]);
}

enum shw_result shw_batch_draw(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch)
{
    struct draw draw = {trainer, batch, shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_CANDIDATES),
                        NULL};

    take_items(trainer, position, batch);
    if (batch->item_count == 0)
        return SHW_OK;
    draw.blocks = malloc(shw_thread_pool_size(trainer->pool) * sizeof *draw.blocks);
    if (draw.blocks == NULL)
        return shw_fail_memory(&trainer->params.log, "responses");
    shw_thread_pool_run(trainer->pool, batch->item_count, draw_item, &draw);
    free(draw.blocks);
    return SHW_OK;
}
