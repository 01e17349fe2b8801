#include "train/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shared/forest_texture.h"
#include "shared/random.h"

#define BATCH_BYTES ((size_t)192 << 20) /* of responses and bins, but always one candidate of the largest node */
#define LARGE_NODE  8192u               /* samples from which on bins are kept: their thresholds need few responses beforehand */
#define SHORT_RUN   6u                  /* samples below which vectors run over candidates instead */

/* Consecutive samples of one node in one image. */
struct run {
    uint32_t item, first, count;
};

/* What the threads that respond share. */
struct respond {
    const struct shw_trainer *trainer;
    const struct shw_batch *batch;
    struct run *runs;     /* image by image */
    uint32_t *image_runs; /* where each image's runs begin, and the end */
    uint32_t *images;     /* that have runs */
    uint32_t image_count, slices;
    struct shw_block *blocks; /* a thread */
};

static uint32_t pool_place(const struct shw_trainer *trainer, uint32_t open)
{
    return trainer->params.pool == SHW_POOL_NODE ? trainer->growth.open[open].node : trainer->growth.depth;
}

size_t shw_batch_row(const struct shw_open_node *open)
{
    return open->count >= LARGE_NODE ? ((size_t)open->count + 3) & ~(size_t)3 : open->count * sizeof(int32_t);
}

enum shw_result shw_batch_create(const struct shw_trainer *trainer, struct shw_batch *batch)
{
    const struct shw_growth *growth = &trainer->growth;
    size_t candidates = trainer->params.candidates, all = 0, widest = 0, large = 0, limit;

    for (uint32_t o = 0; o < growth->open_count; o++) {
        size_t row = shw_batch_row(&growth->open[o]);
        all += row * candidates;
        widest = row > widest ? row : widest;
        large += growth->open[o].count >= LARGE_NODE;
    }
    limit = widest > BATCH_BYTES ? widest : BATCH_BYTES;
    limit = all < limit ? all : limit;
    *batch = (struct shw_batch){.items = malloc((size_t)growth->open_count * sizeof *batch->items),
                                .features = malloc(growth->open_count * candidates * sizeof *batch->features),
                                .order = malloc(growth->open_count * candidates * sizeof *batch->order),
                                .thresholds = malloc((large * candidates + 1) * sizeof *batch->thresholds),
                                .bytes = malloc(limit),
                                .byte_limit = limit};
    if (batch->items != NULL && batch->features != NULL && batch->order != NULL && batch->thresholds != NULL &&
        batch->bytes != NULL)
        return SHW_OK;
    shw_batch_destroy(batch);
    return shw_fail_memory(&trainer->params.log, "responses");
}

void shw_batch_destroy(struct shw_batch *batch)
{
    free(batch->items);
    free(batch->features);
    free(batch->order);
    free(batch->thresholds);
    free(batch->bytes);
    *batch = (struct shw_batch){0};
}

static void take_items(const struct shw_trainer *trainer, struct shw_batch_position *position, struct shw_batch *batch)
{
    batch->item_count = 0;
    batch->feature_count = batch->threshold_count = batch->byte_count = 0;
    while (position->open < trainer->growth.open_count) {
        const struct shw_open_node *open = &trainer->growth.open[position->open];
        size_t row = shw_batch_row(open), room = (batch->byte_limit - batch->byte_count) / row;
        uint32_t left = trainer->params.candidates - position->candidate;
        uint32_t count = left < room ? left : (uint32_t)room;
        struct shw_batch_item *item = &batch->items[batch->item_count];
        if (count == 0)
            break;
        *item = (struct shw_batch_item){.open = position->open,
                                        .first = position->candidate,
                                        .count = count,
                                        .binned = open->count >= LARGE_NODE,
                                        .features = batch->feature_count,
                                        .thresholds = batch->threshold_count,
                                        .begin = batch->byte_count};
        batch->item_count++;
        batch->feature_count += count;
        batch->threshold_count += item->binned ? count : 0;
        batch->byte_count += count * row;
        position->candidate += count;
        if (position->candidate < trainer->params.candidates)
            break;
        position->candidate = 0;
        position->open++;
    }
}

uint32_t shw_choose_probes(const struct shw_trainer *trainer, const struct shw_open_node *open, uint32_t probes[256])
{
    bool best = trainer->params.thresholds == SHW_THRESHOLDS_BEST;
    uint32_t wanted = best ? SHW_THRESHOLD_SAMPLES : trainer->params.bins - 1;
    bool all = best && open->count <= wanted; /* of a small node */
    uint32_t key = shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_THRESHOLDS);
    uint32_t count = all ? open->count : wanted;

    for (uint32_t i = 0; i < count; i++)
        probes[i] = all ? i : shw_random_below(shw_random(key, open->node, i), open->count);
    return count;
}

/* What the threads that draw candidates share. */
struct draw {
    const struct shw_trainer *trainer;
    struct shw_batch *batch;
    uint32_t key;
    struct shw_block *blocks; /* a thread */
};

/* The thresholds of a large node's candidates, before its responses become bins. */
static void make_thresholds(const struct draw *draw, const struct shw_batch_item *item, struct shw_block *block)
{
    const struct shw_trainer *trainer = draw->trainer;
    const struct shw_open_node *open = &trainer->growth.open[item->open];
    uint32_t probes[256], count = shw_choose_probes(trainer, open, probes);
    int32_t responses[SHW_BLOCK];

    for (uint32_t i = 0; i < count; i++)
        probes[i] += open->first;
    shw_block_fill(block, &trainer->images, &trainer->growth.samples, 0, probes, count);
    for (uint32_t i = 0; i < item->count; i++) {
        trainer->respond(trainer->images.integrals, block, &draw->batch->features[item->features + i], responses);
        shw_thresholds_make(&trainer->params, responses, count, &draw->batch->thresholds[item->thresholds + i]);
    }
}

/* A counting sort of an item's candidates by their first channel. */
static void sort_candidates(const struct shw_batch_item *item, struct shw_batch *batch)
{
    const struct shw_packed_feature *features = batch->features + item->features;
    uint32_t next[SHW_CHANNELS_MAX + 1] = {0};

    for (uint32_t i = 0; i < item->count; i++)
        next[(features[i].channels & SHW_NODE_CHANNEL_MASK) + 1]++;
    for (uint32_t c = 0; c < SHW_CHANNELS_MAX; c++)
        next[c + 1] += next[c];
    for (uint32_t i = 0; i < item->count; i++)
        batch->order[item->features + next[features[i].channels & SHW_NODE_CHANNEL_MASK]++] = i;
}

static void draw_item(void *user, uint32_t index, uint32_t thread)
{
    const struct draw *draw = user;
    const struct shw_batch_item *item = &draw->batch->items[index];
    uint32_t place = pool_place(draw->trainer, item->open);

    for (uint32_t i = 0; i < item->count; i++) {
        struct shw_feature feature =
            shw_candidate_draw(&draw->trainer->params, draw->trainer->set, draw->key, place, item->first + i);
        draw->batch->features[item->features + i] = shw_feature_pack(&feature);
    }
    sort_candidates(item, draw->batch);
    if (item->binned)
        make_thresholds(draw, item, &draw->blocks[thread]);
}

/* Counts every image's runs into `next` or, with `runs`, puts each at its image's next place. Returns how many there are. */
static uint32_t list_runs(const struct respond *respond, struct run *runs, uint32_t *next)
{
    const struct shw_samples *samples = &respond->trainer->growth.samples;
    uint32_t total = 0;

    for (uint32_t i = 0; i < respond->batch->item_count; i++) {
        const struct shw_open_node *open = &respond->trainer->growth.open[respond->batch->items[i].open];
        for (uint32_t s = open->first, end = open->first + open->count; s < end;) {
            uint32_t first = s, image = samples->image[s];
            while (s < end && samples->image[s] == image)
                s++;
            if (runs != NULL)
                runs[next[image]++] = (struct run){i, first, s - first};
            else
                next[image]++;
            total++;
        }
    }
    return total;
}

static bool sort_runs(struct respond *respond)
{
    uint32_t images = respond->trainer->images.count, begin = 0, *next = calloc(images, sizeof *next);

    respond->image_runs = malloc(((size_t)images + 1) * sizeof *respond->image_runs);
    respond->images = malloc(images * sizeof *respond->images);
    if (next == NULL || respond->image_runs == NULL || respond->images == NULL) {
        free(next);
        return false;
    }
    respond->runs = malloc(list_runs(respond, NULL, next) * sizeof *respond->runs);
    for (uint32_t i = 0; i < images; i++) {
        uint32_t count = next[i];
        if (count > 0)
            respond->images[respond->image_count++] = i;
        respond->image_runs[i] = next[i] = begin;
        begin += count;
    }
    respond->image_runs[images] = begin;
    if (respond->runs != NULL)
        list_runs(respond, respond->runs, next);
    free(next);
    return respond->runs != NULL;
}

/* Keeps a block's responses to one candidate of an item; `sample` counts from the node's first. */
static void keep(const struct respond *respond, const struct shw_batch_item *item, uint32_t candidate, uint32_t sample,
                 const int32_t *responses, uint32_t count)
{
    const struct shw_trainer *trainer = respond->trainer;
    char *row = respond->batch->bytes + item->begin + candidate * shw_batch_row(&trainer->growth.open[item->open]);
    int32_t bins[SHW_BLOCK];

    if (!item->binned) {
        memcpy(row + sample * sizeof *responses, responses, count * sizeof *responses);
        return;
    }
    if (respond->batch->thresholds[item->thresholds + candidate].count == 0)
        return;
    shw_thresholds_bin(trainer->params.thresholds, &respond->batch->thresholds[item->thresholds + candidate], responses, bins,
                       count);
    for (uint32_t i = 0; i < count; i++)
        ((uint8_t *)row)[sample + i] = (uint8_t)bins[i];
}

/* A run too short to fill the lanes of a vector: its samples one by one, candidates side by side. */
static void respond_short_run(const struct respond *respond, const struct run *run, uint32_t begin, uint32_t end,
                              const struct shw_block *block)
{
    const struct shw_trainer *trainer = respond->trainer;
    const struct shw_batch_item *item = &respond->batch->items[run->item];
    const struct shw_open_node *open = &trainer->growth.open[item->open];
    const uint32_t *order = respond->batch->order + item->features;
    uint32_t candidates[SHW_BLOCK];
    int32_t responses[SHW_BLOCK];

    for (uint32_t done = begin; done < end; done += SHW_BLOCK) {
        uint32_t count = end - done < SHW_BLOCK ? end - done : SHW_BLOCK;
        for (uint32_t i = 0; i < ((count + 7) & ~7u); i++)
            candidates[i] = order[i < count ? done + i : done];
        for (uint32_t s = 0; s < run->count; s++) {
            trainer->respond_sample(trainer->images.integrals, block, s, respond->batch->features + item->features, candidates,
                                    count, responses);
            for (uint32_t i = 0; i < count; i++)
                keep(respond, item, candidates[i], run->first + s - open->first, &responses[i], 1);
        }
    }
}

static void respond_run(const struct respond *respond, const struct run *run, uint32_t slice, struct shw_block *block)
{
    const struct shw_trainer *trainer = respond->trainer;
    const struct shw_batch_item *item = &respond->batch->items[run->item];
    const struct shw_open_node *open = &trainer->growth.open[item->open];
    uint32_t begin = (uint32_t)((uint64_t)item->count * slice / respond->slices);
    uint32_t end = (uint32_t)((uint64_t)item->count * (slice + 1) / respond->slices);
    int32_t responses[SHW_BLOCK];

    for (uint32_t done = 0; done < run->count; done += block->count) {
        uint32_t left = run->count - done;
        shw_block_fill(block, &trainer->images, &trainer->growth.samples, run->first + done, NULL,
                       left < SHW_BLOCK ? left : SHW_BLOCK);
        if (run->count < SHORT_RUN && trainer->respond_sample != NULL) {
            respond_short_run(respond, run, begin, end, block);
            return;
        }
        for (uint32_t i = begin; i < end; i++) {
            uint32_t c = respond->batch->order[item->features + i];
            trainer->respond(trainer->images.integrals, block, &respond->batch->features[item->features + c], responses);
            keep(respond, item, c, run->first + done - open->first, responses, block->count);
        }
    }
}

static void respond_image(void *user, uint32_t index, uint32_t thread)
{
    const struct respond *respond = user;
    uint32_t image = respond->images[index / respond->slices];

    for (uint32_t r = respond->image_runs[image]; r < respond->image_runs[image + 1]; r++)
        respond_run(respond, &respond->runs[r], index % respond->slices, &respond->blocks[thread]);
}

enum shw_result shw_batch_next(struct shw_trainer *trainer, struct shw_batch_position *position, struct shw_batch *batch)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    struct draw draw = {trainer, batch, shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_CANDIDATES), NULL};
    struct respond respond = {.trainer = trainer, .batch = batch};
    bool good;

    take_items(trainer, position, batch);
    if (batch->item_count == 0)
        return SHW_OK;
    draw.blocks = respond.blocks = malloc(threads * sizeof *respond.blocks);
    good = respond.blocks != NULL && sort_runs(&respond);
    if (good) {
        shw_thread_pool_run(trainer->pool, batch->item_count, draw_item, &draw);
        /* Enough pieces for all threads even when there are few images. */
        respond.slices = respond.image_count < 4 * threads ? 4 * threads / respond.image_count : 1;
        shw_thread_pool_run(trainer->pool, respond.image_count * respond.slices, respond_image, &respond);
        for (uint32_t i = 0; i < batch->item_count; i++)
            trainer->responses += (uint64_t)batch->items[i].count * trainer->growth.open[batch->items[i].open].count;
    }
    free(respond.runs);
    free(respond.image_runs);
    free(respond.images);
    free(respond.blocks);
    return good ? SHW_OK : shw_fail_memory(&trainer->params.log, "responses");
}
