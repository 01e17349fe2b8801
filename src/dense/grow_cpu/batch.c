#include "dense/grow_cpu/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/split/traits.h"

#define ALIGNMENT 32u

size_t shw_batch_pitch(const struct shw_batch_item *item, const struct shw_open_node *open)
{
    return item->kind == SHW_ITEM_BINS ? shw_align_up(open->count, 4) : shw_align_up(item->count, 8) * sizeof(int32_t);
}

size_t shw_batch_histogram(const struct shw_trainer *trainer, uint32_t open)
{
    uint32_t classes = trainer->dataset->class_count, present = 0;
    const uint32_t *counts = trainer->builder.open_counts + (size_t)open * classes;
    bool narrow = shw_batch_is_narrow(&trainer->builder.open[open]);

    for (uint32_t c = 0; c < classes; c++)
        present += counts[c] > 0;
    return (size_t)shw_histogram_bins(&trainer->params) * present * (narrow ? sizeof(uint16_t) : sizeof(uint32_t));
}

/* Bytes of an item, with those for what its thresholds are made from; *values: the offset of the latter. */
static size_t item_bytes(const struct shw_trainer *trainer, const struct shw_batch_item *item, size_t *values)
{
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    size_t rows;

    switch (item->kind) {
    case SHW_ITEM_RESPONSES: rows = shw_batch_pitch(item, open) * open->count; break;
    case SHW_ITEM_BINS: rows = shw_batch_pitch(item, open) * item->count; break;
    case SHW_ITEM_COUNTS: rows = shw_batch_histogram(trainer, item->open) * item->count; break;
    default: return 0;
    }
    *values = shw_align_up(rows, ALIGNMENT);
    if (item->kind == SHW_ITEM_RESPONSES)
        return *values;
    return *values +
           shw_align_up((size_t)item->count * shw_threshold_values(&trainer->params) * sizeof(int32_t), ALIGNMENT);
}

static size_t bytes_of(const struct shw_trainer *trainer, struct shw_batch_item item)
{
    size_t values;

    return item_bytes(trainer, &item, &values);
}

/* What takes the least memory, if `counts` are possible. */
static enum shw_item_kind choose_kind(const struct shw_trainer *trainer, uint32_t open, bool counts)
{
    uint32_t samples = trainer->builder.open[open].count;
    enum shw_item_kind kind = samples >= SHW_LARGE_NODE ? SHW_ITEM_BINS : SHW_ITEM_RESPONSES;
    size_t bytes = kind == SHW_ITEM_BINS ? samples : samples * sizeof(int32_t);

    return counts && shw_batch_histogram(trainer, open) < bytes ? SHW_ITEM_COUNTS : kind;
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

bool shw_batch_reserve(struct shw_trainer *trainer, size_t bytes)
{
    if (bytes <= trainer->batch_bytes)
        return true;
    free(trainer->batch);
    trainer->batch = malloc(bytes);
    trainer->batch_bytes = trainer->batch != NULL ? bytes : 0;
    return trainer->batch != NULL;
}

void shw_batch_trim(struct shw_trainer *trainer, uint64_t bytes)
{
    if (trainer->batch_bytes <= bytes)
        return;
    free(trainer->batch);
    trainer->batch = NULL;
    trainer->batch_bytes = 0;
}

/* Makes arrays of these capacities. */
static enum shw_result allocate(struct shw_trainer *trainer, size_t bytes, size_t features, struct shw_batch *batch)
{
    batch->feature_capacity = features + 7;
    batch->threshold_capacity = shw_min_u64(features, bytes / SHW_LARGE_NODE + 1);
    batch->run_capacity = shw_cpu_batch_runs(&trainer->memory);
    batch->byte_limit = bytes;
    batch->items = malloc(batch->item_capacity * sizeof *batch->items);
    batch->features = calloc(5 * batch->feature_capacity, sizeof *batch->features);
    batch->sides = malloc(2 * features * sizeof *batch->sides);
    batch->thresholds = malloc(batch->threshold_capacity * sizeof *batch->thresholds);
    if (shw_batch_reserve(trainer, bytes) && batch->items != NULL && batch->features != NULL && batch->sides != NULL &&
        batch->thresholds != NULL) {
        batch->bytes = trainer->batch;
        return SHW_OK;
    }
    shw_batch_destroy(batch);
    return shw_fail_memory(&trainer->params.log, "responses");
}

enum shw_result shw_batch_create(struct shw_trainer *trainer, struct shw_batch *batch)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    size_t all = 0, widest = 0, limit = shw_cpu_batch_bytes(&trainer->memory) / ALIGNMENT * ALIGNMENT;
    size_t features =
        shw_min_u64((size_t)builder->open_count * trainer->candidate_count, shw_cpu_batch_features(&trainer->memory));
    bool counts;

    *batch = (struct shw_batch){
        .item_capacity = (uint32_t)shw_min_u64(items_per_node(trainer) * builder->open_count + 1, features + 1)};
    for (uint32_t o = 0; o < builder->open_count; o++)
        all += bytes_of(trainer, (struct shw_batch_item){.open = o,
                                                         .count = trainer->candidate_count,
                                                         .kind = choose_kind(trainer, o, false)}) +
               (items_per_node(trainer) - 1) * (8 * sizeof(int32_t) * builder->open[o].count + 2 * ALIGNMENT);
    counts = all > limit && trainer->slots != NULL;
    for (uint32_t o = 0; o < builder->open_count; o++) {
        size_t one =
            bytes_of(trainer, (struct shw_batch_item){.open = o, .count = 1, .kind = choose_kind(trainer, o, counts)});
        widest = one > widest ? one : widest;
    }
    if (counts)
        batch->range_bytes = shw_align_up(limit / 3, ALIGNMENT); /* at the end, so that its rows are aligned, too */
    limit = widest > limit - batch->range_bytes ? widest + batch->range_bytes : limit;
    return allocate(trainer, all < limit ? all : limit, features, batch);
}

void shw_batch_destroy(struct shw_batch *batch)
{
    free(batch->items);
    free(batch->features);
    free(batch->sides);
    free(batch->thresholds);
    *batch = (struct shw_batch){0};
}

/* How many of the item's candidates fit into `bytes`. */
static uint32_t room_for(const struct shw_trainer *trainer, struct shw_batch_item item, size_t bytes)
{
    uint32_t least = 0, most = item.count; /* `least` fit */

    while (least < most) {
        item.count = (least + most + 1) / 2;
        if (bytes_of(trainer, item) <= bytes)
            least = item.count;
        else
            most = item.count - 1;
    }
    return least;
}

static void take_items(const struct shw_trainer *trainer, struct shw_batch_position *position, struct shw_batch *batch)
{
    uint32_t candidates = trainer->candidate_count;
    uint32_t most = (uint32_t)((candidates + items_per_node(trainer) - 1) / items_per_node(trainer));
    size_t limit = batch->byte_limit - batch->range_bytes, features = batch->feature_capacity - 7;

    batch->item_count = 0;
    batch->feature_count = batch->threshold_count = batch->byte_count = 0;
    while (position->open < trainer->builder.open_count && batch->item_count < batch->item_capacity) {
        uint32_t left = candidates - position->candidate, wanted = left < most ? left : most;
        struct shw_batch_item *item = &batch->items[batch->item_count];
        size_t values = 0, bytes;
        *item = (struct shw_batch_item){.open = position->open,
                                        .first = position->candidate,
                                        .count = wanted,
                                        .kind = choose_kind(trainer, position->open, batch->range_bytes > 0),
                                        .features = batch->feature_count,
                                        .thresholds = batch->threshold_count,
                                        .begin = batch->byte_count};
        item->count = (uint32_t)shw_min_u64(item->count, features - batch->feature_count);
        if (item->kind == SHW_ITEM_BINS)
            item->count = (uint32_t)shw_min_u64(item->count, batch->threshold_capacity - batch->threshold_count);
        item->count = room_for(trainer, *item, limit - batch->byte_count);
        if (item->count == 0)
            break;
        bytes = item_bytes(trainer, item, &values);
        item->values = item->begin + values;
        batch->item_count++;
        batch->feature_count += item->count;
        batch->threshold_count += item->kind == SHW_ITEM_BINS ? item->count : 0;
        batch->byte_count += bytes;
        position->candidate += item->count;
        if (position->candidate == candidates) {
            position->candidate = 0;
            position->open++;
        }
        if (item->count < wanted)
            break;
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

static void set_feature(struct shw_batch *batch, size_t index, const struct shw_feature *feature)
{
    for (size_t w = 0; w < 5; w++)
        batch->features[w * batch->feature_capacity + index] = feature->words[w];
}

/* Shared by the threads that draw candidates. */
struct draw {
    const struct shw_trainer *trainer;
    struct shw_batch *batch;
};

static void draw_item(void *user, uint32_t index, uint32_t thread)
{
    const struct draw *draw = user;
    const struct shw_trainer *trainer = draw->trainer;
    struct shw_batch_item *item = &draw->batch->items[index];

    (void)thread;
    for (uint32_t i = 0; i < item->count; i++) {
        struct shw_feature feature =
            shw_candidate_feature(trainer, item->open, trainer->candidate_begin + item->first + i);
        set_feature(draw->batch, item->features + i, &feature);
    }
    if (trainer->respond->sides != NULL)
        sort_sides(trainer->respond, draw->batch, item);
    if (item->kind == SHW_ITEM_COUNTS)
        memset(draw->batch->bytes + item->begin, 0, shw_batch_histogram(trainer, item->open) * item->count);
}

/* The thresholds of an item with bins. */
static void make_thresholds(void *user, uint32_t index, uint32_t thread)
{
    const struct draw *draw = user;
    const struct shw_batch_item *item = &draw->batch->items[index];
    int32_t values[256];

    (void)thread;
    for (uint32_t c = 0; item->kind == SHW_ITEM_BINS && c < item->count; c++) {
        uint32_t count = shw_batch_get_values(draw->trainer, draw->batch, item, c, values);
        shw_thresholds_make(&draw->trainer->params, shw_batch_interval(draw->trainer, item, c), values, count,
                            &draw->batch->thresholds[item->thresholds + c]);
    }
}

enum shw_result shw_batch_next(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch)
{
    struct draw draw = {trainer, batch};

    take_items(trainer, position, batch);
    if (batch->item_count == 0)
        return SHW_OK;
    shw_thread_pool_run(trainer->pool, batch->item_count, draw_item, &draw);
    SHW_PROPAGATE(shw_batch_probe(trainer, batch));
    SHW_PROPAGATE(shw_trainer_check_interruption(trainer));
    shw_thread_pool_run(trainer->pool, batch->item_count, make_thresholds, &draw);
    return shw_batch_respond(trainer, batch);
}

/* Whether the sides of the node's samples are known already. */
static bool is_sided(const struct shw_trainer *trainer, const struct shw_split *split, uint32_t open)
{
    const struct shw_split *sided = &trainer->sided[open];

    return sided->found && sided->candidate == split->candidate && sided->t0 == split->t0 && sided->t1 == split->t1;
}

enum shw_result shw_batch_create_sides(struct shw_trainer *trainer, const struct shw_split *splits,
                                       struct shw_batch *batch)
{
    uint32_t open_count = trainer->builder.open_count;

    *batch = (struct shw_batch){.item_capacity = open_count};
    SHW_PROPAGATE(allocate(trainer, 1, open_count, batch));
    for (uint32_t o = 0; o < open_count; o++) {
        struct shw_batch_item *item = &batch->items[batch->item_count];
        if (!splits[o].found || is_sided(trainer, &splits[o], o))
            continue;
        *item =
            (struct shw_batch_item){.open = o, .count = 1, .kind = SHW_ITEM_SIDES, .features = batch->feature_count++};
        trainer->sided[o] = splits[o];
        set_feature(batch, item->features, &splits[o].feature);
        if (trainer->respond->sides != NULL)
            sort_sides(trainer->respond, batch, item);
        batch->item_count++;
    }
    return SHW_OK;
}

uint32_t shw_choose_probes(const struct shw_trainer *trainer, const struct shw_open_node *open, uint32_t probes[256])
{
    uint32_t key = shw_draw_key(trainer->params.seed, shw_trainer_tree(trainer), SHW_DRAW_THRESHOLDS);

    return shw_thresholds_choose(&trainer->params, key, open->node, open->all, probes);
}
