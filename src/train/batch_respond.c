/* Computes the responses of a batch, image by image. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "train/batch.h"

#define LONG_RUN   6u /* runs with at least so many samples are processed together */
#define TABLE_SIZE ((size_t)SHW_BLOCK * SHW_ITEM_CANDIDATES)

/* Consecutive samples of one node in one image, at most SHW_BLOCK. Runs of one image that are processed together form a
 * chunk. */
struct run {
    uint32_t item, first, count;
    uint32_t place;  /* in its chunk's block: the first sample */
    uint32_t cursor; /* the next of the item's sides */
    size_t values;   /* in its chunk's table: the first response of the first candidate */
};

/* Shared by the threads that compute responses. */
struct respond {
    const struct shw_trainer *trainer;
    const struct shw_batch *batch;
    struct run *runs; /* sorted by image */
    uint32_t run_count;
    uint32_t *chunks; /* the first run of each chunk, and the end */
    uint32_t chunk_count;
    struct shw_image_block *blocks; /* one per thread */
    int32_t *tables;                /* TABLE_SIZE per thread: responses of a chunk, by run, then by candidate */
};

/* If `runs` is NULL, adds the number of each image's runs to `next`; otherwise stores each run at its image's next
 * place. Returns the number of runs. */
static uint32_t list_runs(const struct respond *respond, struct run *runs, uint32_t *next)
{
    const struct shw_samples *samples = &respond->trainer->builder.samples;
    uint32_t total = 0;

    for (uint32_t i = 0; i < respond->batch->item_count; i++) {
        const struct shw_open_node *open = &respond->trainer->builder.open[respond->batch->items[i].open];
        for (uint32_t s = open->first, end = open->first + open->count; s < end; total++) {
            uint32_t first = s, image = samples->image[s];
            while (s < end && samples->image[s] == image && s - first < SHW_BLOCK)
                s++;
            if (runs != NULL)
                runs[next[image]] = (struct run){.item = i, .first = first, .count = s - first};
            next[image]++;
        }
    }
    return total;
}

static bool sort_runs(struct respond *respond)
{
    uint32_t images = respond->trainer->images.count, begin = 0, *next = calloc(images, sizeof *next);

    if (next == NULL)
        return false;
    respond->run_count = list_runs(respond, NULL, next);
    respond->runs = malloc(respond->run_count * sizeof *respond->runs);
    for (uint32_t i = 0; i < images; i++) {
        uint32_t count = next[i];
        next[i] = begin;
        begin += count;
    }
    if (respond->runs != NULL)
        list_runs(respond, respond->runs, next);
    free(next);
    return respond->runs != NULL;
}

static bool is_long(const struct respond *respond, const struct run *run)
{
    return run->count >= LONG_RUN || respond->batch->items[run->item].binned;
}

/* Groups runs into chunks: long ones as far as block and table have room. */
static bool make_chunks(struct respond *respond)
{
    const struct shw_samples *samples = &respond->trainer->builder.samples;
    uint32_t lanes = 0, image = UINT32_MAX;
    size_t values = 0;

    respond->chunks = malloc(((size_t)respond->run_count + 1) * sizeof *respond->chunks);
    for (uint32_t r = 0; respond->chunks != NULL && r < respond->run_count; r++) {
        struct run *run = &respond->runs[r];
        uint32_t width = SHW_LANES_UP(run->count);
        size_t table = is_long(respond, run) ? (size_t)width * respond->batch->items[run->item].count : 0;
        if (samples->image[run->first] != image || lanes + width > SHW_BLOCK || values + table > TABLE_SIZE) {
            respond->chunks[respond->chunk_count++] = r;
            image = samples->image[run->first];
            lanes = 0;
            values = 0;
        }
        run->place = lanes;
        run->values = values;
        lanes += width;
        values += table;
    }
    if (respond->chunks != NULL)
        respond->chunks[respond->chunk_count] = respond->run_count;
    return respond->chunks != NULL;
}

static const struct shw_open_node *open_of(const struct respond *respond, const struct shw_batch_item *item)
{
    return &respond->trainer->builder.open[item->open];
}

/* Stores the responses of consecutive samples to one candidate of an item; `sample` is relative to the node's first. */
static void keep(const struct respond *respond, const struct shw_batch_item *item, uint32_t candidate, uint32_t sample,
                 const int32_t *responses, uint32_t count)
{
    size_t pitch = shw_batch_pitch(item, open_of(respond, item));
    char *bytes = respond->batch->bytes + item->begin;
    const struct shw_thresholds *thresholds;
    int32_t bins[SHW_BLOCK];

    if (!item->binned) {
        for (uint32_t i = 0; i < count; i++)
            memcpy(bytes + (sample + i) * pitch + candidate * sizeof *responses, &responses[i], sizeof *responses);
        return;
    }
    thresholds = &respond->batch->thresholds[item->thresholds + candidate];
    if (thresholds->count == 0)
        return;
    shw_thresholds_bin(respond->trainer->params.thresholds, thresholds, responses, bins, count, respond->trainer->simd);
    for (uint32_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[candidate * pitch + sample + i] = (uint8_t)bins[i];
}

/* Short runs: all candidates of one sample after the other. */
static void respond_short(const struct respond *respond, const struct run *run, const struct shw_image_block *block)
{
    const struct shw_trainer *trainer = respond->trainer;
    const struct shw_batch_item *item = &respond->batch->items[run->item];
    size_t pitch = shw_batch_pitch(item, open_of(respond, item));
    char *row = respond->batch->bytes + item->begin + (run->first - open_of(respond, item)->first) * pitch;
    struct shw_feature_lanes lanes = shw_batch_lanes(respond->batch, item);

    for (uint32_t i = 0; i < run->count; i++, row += pitch)
        trainer->respond->features(trainer->images.planes, block, run->place + i, &lanes, item->count,
                                   (int32_t *)(void *)row);
}

/* Loads a plane into the cache sequentially, which is several times as fast as loading lines in the order in which
 * rectangles need them, unless few lines are needed. */
static void warm_plane(const char *plane, size_t size, size_t loads)
{
    for (size_t i = 0; i < size && loads >= size / 64; i += 64)
        __builtin_prefetch(plane + i, 0, 2);
}

/* Estimates how many values a chunk's candidates read from one plane. */
static size_t count_loads(const struct respond *respond, const struct run *runs, uint32_t count)
{
    size_t loads = 0;

    for (uint32_t r = 0; r < count; r++)
        if (is_long(respond, &runs[r]))
            loads += (size_t)4 * runs[r].count * respond->batch->items[runs[r].item].side_count;
    return loads / respond->trainer->channels.channel_count;
}

/* Long runs: channel by channel, so that a plane stays in the cache until all its values are read. */
static void respond_long(const struct respond *respond, struct run *runs, uint32_t count,
                         const struct shw_image_block *block, int32_t *table)
{
    const struct shw_trainer *trainer = respond->trainer;
    size_t loads = count_loads(respond, runs, count), element = shw_feature_element(trainer->params.feature);

    for (uint32_t channel = 0; channel < trainer->channels.channel_count; channel++) {
        warm_plane((const char *)trainer->images.planes +
                       (block->first + (size_t)channel * (size_t)block->pitch) * element,
                   (size_t)block->pitch * element, loads);
        for (uint32_t r = 0; r < count; r++) {
            struct run *run = &runs[r];
            const struct shw_batch_item *item = &respond->batch->items[run->item];
            const struct shw_batch_side *sides = respond->batch->sides + 2 * item->features;
            uint32_t width = SHW_LANES_UP(run->count);
            if (!is_long(respond, run))
                continue;
            for (; run->cursor < item->side_count && sides[run->cursor].side.channel == channel; run->cursor++)
                trainer->respond->side(trainer->images.planes, block, run->place, width, &sides[run->cursor].side,
                                       table + run->values + (size_t)sides[run->cursor].candidate * width);
        }
    }
}

/* Long runs of features without sides: candidate by candidate. */
static void respond_whole(const struct respond *respond, const struct run *run, const struct shw_image_block *block,
                          int32_t *table)
{
    const struct shw_trainer *trainer = respond->trainer;
    const struct shw_batch_item *item = &respond->batch->items[run->item];
    struct shw_feature_lanes lanes = shw_batch_lanes(respond->batch, item);

    for (uint32_t c = 0; c < item->count; c++) {
        struct shw_feature feature = shw_batch_feature(&lanes, c);
        trainer->respond->run(trainer->images.planes, block, run->place, run->count, &feature,
                              table + run->values + (size_t)c * SHW_LANES_UP(run->count));
    }
}

static void respond_chunk(void *user, uint32_t index, uint32_t thread)
{
    const struct respond *respond = user;
    const struct shw_trainer *trainer = respond->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    struct run *runs = respond->runs + respond->chunks[index];
    uint32_t count = respond->chunks[index + 1] - respond->chunks[index];
    struct shw_image_block *block = &respond->blocks[thread];
    int32_t *table = respond->tables + thread * TABLE_SIZE;
    size_t values = 0;

    if (shw_trainer_is_interrupted(trainer))
        return;
    shw_image_block_begin(block, &trainer->images.images[samples->image[runs[0].first]]);
    for (uint32_t r = 0; r < count; r++) {
        shw_image_block_add(block, samples, runs[r].first, runs[r].count, runs[r].place);
        if (is_long(respond, &runs[r]))
            values += (size_t)SHW_LANES_UP(runs[r].count) * respond->batch->items[runs[r].item].count;
        else
            respond_short(respond, &runs[r], block);
    }
    if (trainer->respond->sides != NULL) {
        memset(table, 0, values * sizeof *table);
        respond_long(respond, runs, count, block, table);
    }
    for (uint32_t r = 0; r < count; r++) {
        const struct shw_batch_item *item = &respond->batch->items[runs[r].item];
        if (trainer->respond->sides == NULL && is_long(respond, &runs[r]))
            respond_whole(respond, &runs[r], block, table);
        for (uint32_t c = 0; is_long(respond, &runs[r]) && c < item->count; c++)
            keep(respond, item, c, runs[r].first - open_of(respond, item)->first,
                 table + runs[r].values + (size_t)c * SHW_LANES_UP(runs[r].count), runs[r].count);
    }
}

static enum shw_result compute_responses(struct shw_trainer *trainer, struct shw_batch *batch)
{
    size_t threads = shw_thread_pool_size(trainer->pool);
    struct respond respond = {.trainer = trainer,
                              .batch = batch,
                              .blocks = malloc(threads * sizeof *respond.blocks),
                              .tables = malloc(threads * TABLE_SIZE * sizeof *respond.tables)};
    bool good = respond.blocks != NULL && respond.tables != NULL && sort_runs(&respond) && make_chunks(&respond);

    if (good)
        shw_thread_pool_run(trainer->pool, respond.chunk_count, respond_chunk, &respond);
    free(respond.runs);
    free(respond.chunks);
    free(respond.blocks);
    free(respond.tables);
    return good ? SHW_OK : shw_fail_memory(&trainer->params.log, "responses");
}

enum shw_result shw_batch_next(struct shw_trainer *trainer, struct shw_batch_position *position,
                               struct shw_batch *batch)
{
    SHW_PROPAGATE(shw_batch_draw(trainer, position, batch));
    return batch->item_count > 0 ? compute_responses(trainer, batch) : SHW_OK;
}
