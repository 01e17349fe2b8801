#include "dense/grow_cpu/responses.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/grow_cpu/batch.h"
#include "dense/grow_cpu/memory.h"

void shw_image_block_begin(struct shw_image_block *block, const struct shw_train_image *image)
{
    block->width = (int32_t)image->width;
    block->height = (int32_t)image->height;
    block->stride = (int32_t)(image->width + image->more);
    block->pitch = (int32_t)((image->width + image->more) * (image->height + image->more));
    block->mirror = NULL;
}

void shw_image_block_turn(struct shw_image_block *block, const struct shw_train_images *images, uint32_t index)
{
    block->mirror = shw_train_image_of_planes(images, index) != index ? &images->mirror : NULL;
}

void shw_image_block_add(struct shw_image_block *block, const struct shw_samples *samples, uint32_t first,
                         uint32_t count, uint32_t place)
{
    for (uint32_t i = 0; i < SHW_LANES_UP(count); i++) { /* lanes past the end repeat the last sample */
        uint32_t s = first + (i < count ? i : count - 1);
        block->x[place + i] = samples->x[s];
        block->y[place + i] = samples->y[s];
    }
}

const struct shw_respond *shw_respond_choose(const struct shw_feature_type *feature, size_t element_count,
                                             enum shw_simd simd)
{
    bool fast = feature->fast != NULL && feature->fast->respond != NULL && simd >= SHW_SIMD_AVX2;

    return fast && element_count < (size_t)1 << 31 ? feature->fast->respond : &feature->code->respond;
}

const struct shw_respond *shw_respond_for(const struct shw_respond *chosen, const struct shw_feature_type *feature,
                                          const struct shw_image_block *block)
{
    return block->mirror == NULL || chosen->mirrors ? chosen : &feature->code->respond;
}

/* Computes the responses of a batch, image by image, range by range. */

#define LONG_RUN 6u /* runs with at least so many samples are processed together */

/* Consecutive samples of one node in one image, at most SHW_BLOCK. Runs of one image that are processed together form a
 * chunk. */
struct run {
    uint32_t item, first, count;
    uint32_t place;  /* in its chunk's block: the first sample */
    uint32_t cursor; /* the next of the item's sides */
    size_t values;   /* in its chunk's table: the first response of the first candidate */
};

/* Chunks of one image that are processed one after the other. */
struct task {
    uint32_t first, end;
};

/* Shared by the threads that compute responses. */
struct respond {
    const struct shw_trainer *trainer;
    struct shw_batch *batch;
    /* Of the batch in each image and its mirror image: samples, the bytes of their responses to candidates that are
     * counted. The samples of a node are in the order of pictures, but may alternate between the parts of a picture,
     * and between an image and its mirror image. */
    uint32_t *image_samples;
    uint64_t *image_bytes;
    uint32_t begin, end;   /* the images of the range */
    uint32_t run_capacity; /* of the arrays below */
    struct run *listed;    /* runs of the range, item by item */
    struct run *runs;      /* the same, sorted by image */
    uint32_t run_count;
    uint32_t *next;   /* [image of the range], not mirrored and mirrored; of paired samples, both are the first */
    uint32_t *chunks; /* the first run of each chunk, and the end */
    uint32_t chunk_count;
    struct task *tasks;
    uint32_t task_count;
    struct shw_image_block *blocks; /* one per slot */
};

static const struct shw_open_node *open_of(const struct respond *respond, const struct shw_batch_item *item)
{
    return &respond->trainer->builder.open[item->open];
}

static uint32_t image_of(const struct respond *respond, const struct run *run)
{
    return respond->trainer->builder.samples.image[run->first];
}

/* The image whose planes a run reads. */
static uint32_t planes_of(const struct respond *respond, const struct run *run)
{
    return shw_train_image_of_planes(&respond->trainer->images, image_of(respond, run));
}

/* The image of a sample, whether mirrored or not. */
static uint32_t unmirrored(const struct respond *respond, uint32_t sample)
{
    uint32_t image = respond->trainer->builder.samples.image[sample], count = respond->trainer->images.base_count;

    return image < count ? image : image - count;
}

/* Counts the batch's samples by image. */
static void measure_images(struct respond *respond)
{
    for (uint32_t i = 0; i < respond->batch->item_count; i++) {
        struct shw_batch_item *item = &respond->batch->items[i];
        const struct shw_open_node *open = open_of(respond, item);
        size_t row = item->kind == SHW_ITEM_COUNTS ? shw_batch_pitch(item, open) : 0;
        item->visited = 0;
        for (uint32_t s = open->first; s < open->first + open->count; s++) {
            uint32_t image = unmirrored(respond, s);
            respond->image_samples[image]++;
            respond->image_bytes[image] += row;
        }
    }
}

/* Extends the range, which begins at `begin`, by as many images as there is room for, at least by one: parts of a
 * picture together, since samples are in the order of pictures. */
static void choose_range(struct respond *respond)
{
    const struct shw_train_images *images = &respond->trainer->images;
    uint64_t samples = 0, bytes = 0;

    for (respond->end = respond->begin; respond->end < images->base_count;) {
        uint32_t end = images->pictures[images->images[respond->end].picture].end;
        for (uint32_t i = respond->end; i < end; i++) {
            samples += respond->image_samples[i];
            bytes += respond->image_bytes[i];
        }
        if (respond->end > respond->begin && (samples > respond->run_capacity || bytes > respond->batch->range_bytes))
            break;
        respond->end = end;
    }
}

/* Lists the runs of the range's images. Returns false if there is not enough room for all; samples of other runs are in
 * the next range, which then begins with the same images. */
static bool list_runs(struct respond *respond)
{
    const uint32_t *image = respond->trainer->builder.samples.image;
    size_t rows = respond->batch->byte_limit - respond->batch->range_bytes;
    bool complete = true;

    respond->run_count = 0;
    for (uint32_t i = 0; i < respond->batch->item_count; i++) {
        struct shw_batch_item *item = &respond->batch->items[i];
        const struct shw_open_node *open = open_of(respond, item);
        size_t row = item->kind == SHW_ITEM_COUNTS ? shw_batch_pitch(item, open) : 0;
        uint32_t s = open->first + item->visited, end = open->first + open->count;
        item->range_first = s;
        item->range_rows = rows;
        while (s < end && unmirrored(respond, s) < respond->end) {
            uint32_t first = s, most = SHW_BLOCK;
            if (row > 0 && (respond->batch->byte_limit - rows) / row < most)
                most = (uint32_t)((respond->batch->byte_limit - rows) / row);
            if (most == 0 || respond->run_count == respond->run_capacity) {
                complete = false;
                break;
            }
            while (s < end && image[s] == image[first] && s - first < most)
                s++;
            respond->listed[respond->run_count++] = (struct run){.item = i, .first = first, .count = s - first};
            rows += row * (s - first);
        }
        item->range_count = s - item->range_first;
        item->visited += item->range_count;
    }
    return complete;
}

/* Where the counter of a run's image is. The runs of an item stay together, also if half of them are in the mirror
 * image and read the same planes. */
static uint32_t *next_of(const struct respond *respond, const struct run *run)
{
    bool mirrored = planes_of(respond, run) >= respond->trainer->images.base_count;

    return &respond->next[2 * (unmirrored(respond, run->first) - respond->begin) + mirrored];
}

/* Counting sort by image. */
static void sort_runs(struct respond *respond)
{
    uint32_t images = 2 * (respond->end - respond->begin), begin = 0;

    memset(respond->next, 0, images * sizeof *respond->next);
    for (uint32_t r = 0; r < respond->run_count; r++)
        ++*next_of(respond, &respond->listed[r]);
    for (uint32_t i = 0; i < images; i++) {
        uint32_t count = respond->next[i];
        respond->next[i] = begin;
        begin += count;
    }
    for (uint32_t r = 0; r < respond->run_count; r++)
        respond->runs[(*next_of(respond, &respond->listed[r]))++] = respond->listed[r];
}

static bool is_long(const struct respond *respond, const struct run *run)
{
    enum shw_item_kind kind = respond->batch->items[run->item].kind;

    return run->count >= LONG_RUN || kind == SHW_ITEM_BINS || kind == SHW_ITEM_SIDES;
}

/* Adds a chunk, to the last task if the planes of its image are made for that. */
static void add_chunk(struct respond *respond, uint32_t first, bool is_first)
{
    bool alone = is_first || shw_cpu_planes_are_resident(respond->trainer, image_of(respond, &respond->runs[first]));

    respond->chunks[respond->chunk_count++] = first;
    if (alone)
        respond->tasks[respond->task_count++].first = respond->chunk_count - 1;
    respond->tasks[respond->task_count - 1].end = respond->chunk_count;
}

/* Groups runs into chunks: long ones as far as block and table have room. */
static void make_chunks(struct respond *respond)
{
    uint32_t lanes = 0, image = UINT32_MAX;
    size_t values = 0;

    respond->chunk_count = respond->task_count = 0;
    for (uint32_t r = 0; r < respond->run_count; r++) {
        struct run *run = &respond->runs[r];
        uint32_t width = SHW_LANES_UP(run->count), of = planes_of(respond, run);
        size_t table = is_long(respond, run) ? (size_t)width * respond->batch->items[run->item].count : 0;
        if (of != image || lanes + width > SHW_BLOCK || values + table > respond->trainer->table_values) {
            add_chunk(respond, r, of != image);
            image = of;
            lanes = 0;
            values = 0;
        }
        run->place = lanes;
        run->values = values;
        lanes += width;
        values += table;
    }
    respond->chunks[respond->chunk_count] = respond->run_count;
}

/* Where the responses of a sample to all candidates of an item are stored. */
static char *row_of(const struct respond *respond, const struct shw_batch_item *item, uint32_t sample)
{
    bool counts = item->kind == SHW_ITEM_COUNTS;
    size_t begin = counts ? item->range_rows : item->begin;
    uint32_t first = counts ? item->range_first : open_of(respond, item)->first;

    return respond->batch->bytes + begin + (sample - first) * shw_batch_pitch(item, open_of(respond, item));
}

static void keep_bins(const struct respond *respond, const struct shw_batch_item *item, uint32_t candidate,
                      uint32_t sample, const int32_t *responses, uint32_t count)
{
    const struct shw_trainer *trainer = respond->trainer;
    const struct shw_thresholds *thresholds = &respond->batch->thresholds[item->thresholds + candidate];
    size_t pitch = shw_batch_pitch(item, open_of(respond, item));
    char *bytes = respond->batch->bytes + item->begin + candidate * pitch + (sample - open_of(respond, item)->first);
    int32_t bins[SHW_BLOCK];

    if (thresholds->count == 0)
        return;
    shw_thresholds_bin(trainer->params.thresholds, thresholds, responses, bins, count, trainer->simd);
    for (uint32_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)bins[i];
}

/* Stores the responses of consecutive samples to one candidate of an item. */
static void keep(const struct respond *respond, const struct shw_batch_item *item, uint32_t candidate, uint32_t sample,
                 const int32_t *responses, uint32_t count)
{
    size_t pitch = shw_batch_pitch(item, open_of(respond, item));
    char *row;

    if (item->kind == SHW_ITEM_BINS) {
        keep_bins(respond, item, candidate, sample, responses, count);
        return;
    }
    if (item->kind == SHW_ITEM_SIDES) {
        for (uint32_t i = 0; i < count; i++)
            respond->trainer->sides[sample + i] = shw_split_side(&respond->trainer->sided[item->open], responses[i]);
        return;
    }
    row = row_of(respond, item, sample) + candidate * sizeof *responses;
    for (uint32_t i = 0; i < count; i++, row += pitch)
        memcpy(row, &responses[i], sizeof *responses);
}

/* Turns the block to the run's image, which has the block's planes; returns the functions for it. */
static const struct shw_respond *turn_to(const struct respond *respond, const struct run *run,
                                         struct shw_image_block *block)
{
    shw_image_block_turn(block, &respond->trainer->images, image_of(respond, run));
    return shw_respond_for(respond->trainer->respond, respond->trainer->params.feature, block);
}

/* Short runs: all candidates of one sample after the other. */
static void respond_short(const struct respond *respond, const struct run *run, const void *planes,
                          struct shw_image_block *block)
{
    const struct shw_respond *functions = turn_to(respond, run, block);
    const struct shw_batch_item *item = &respond->batch->items[run->item];
    size_t pitch = shw_batch_pitch(item, open_of(respond, item));
    char *row = row_of(respond, item, run->first);
    struct shw_feature_lanes lanes = shw_batch_lanes(respond->batch, item);

    for (uint32_t i = 0; i < run->count; i++, row += pitch)
        functions->features(planes, block, run->place + i, &lanes, item->count, (int32_t *)(void *)row);
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
static void respond_long(const struct respond *respond, struct run *runs, uint32_t count, const void *planes,
                         struct shw_image_block *block, int32_t *table)
{
    const struct shw_trainer *trainer = respond->trainer;
    size_t loads = count_loads(respond, runs, count), element = shw_feature_element(trainer->params.feature);

    for (uint32_t channel = 0; channel < trainer->channels.channel_count; channel++) {
        warm_plane((const char *)planes + (size_t)channel * (size_t)block->pitch * element,
                   (size_t)block->pitch * element, loads);
        for (uint32_t r = 0; r < count; r++) {
            struct run *run = &runs[r];
            const struct shw_batch_item *item = &respond->batch->items[run->item];
            const struct shw_batch_side *sides = respond->batch->sides + 2 * item->features;
            const struct shw_respond *functions;
            uint32_t width = SHW_LANES_UP(run->count);
            if (!is_long(respond, run))
                continue;
            functions = turn_to(respond, run, block);
            for (; run->cursor < item->side_count && sides[run->cursor].side.channel == channel; run->cursor++)
                functions->side(planes, block, run->place, width, &sides[run->cursor].side,
                                table + run->values + (size_t)sides[run->cursor].candidate * width);
        }
    }
}

/* Long runs of features without sides: candidate by candidate. */
static void respond_whole(const struct respond *respond, const struct run *run, const void *planes,
                          struct shw_image_block *block, int32_t *table)
{
    const struct shw_respond *functions = turn_to(respond, run, block);
    const struct shw_batch_item *item = &respond->batch->items[run->item];
    struct shw_feature_lanes lanes = shw_batch_lanes(respond->batch, item);

    for (uint32_t c = 0; c < item->count; c++) {
        struct shw_feature feature = shw_batch_feature(&lanes, c);
        functions->run(planes, block, run->place, run->count, &feature,
                       table + run->values + (size_t)c * SHW_LANES_UP(run->count));
    }
}

static void respond_chunk(const struct respond *respond, uint32_t chunk, uint32_t slot, const void *planes)
{
    const struct shw_trainer *trainer = respond->trainer;
    struct run *runs = respond->runs + respond->chunks[chunk];
    uint32_t count = respond->chunks[chunk + 1] - respond->chunks[chunk];
    struct shw_image_block *block = &respond->blocks[slot];
    int32_t *table = trainer->tables + slot * trainer->table_values;
    size_t values = 0;

    shw_image_block_begin(block, &trainer->images.images[planes_of(respond, &runs[0])]);
    for (uint32_t r = 0; r < count; r++) {
        const struct shw_respond *functions;
        shw_image_block_add(block, &trainer->builder.samples, runs[r].first, runs[r].count, runs[r].place);
        functions = turn_to(respond, &runs[r], block);
        if (functions->prepare != NULL)
            functions->prepare(planes, block, runs[r].place, SHW_LANES_UP(runs[r].count));
        if (is_long(respond, &runs[r]))
            values += (size_t)SHW_LANES_UP(runs[r].count) * respond->batch->items[runs[r].item].count;
        else
            respond_short(respond, &runs[r], planes, block);
    }
    if (trainer->respond->sides != NULL) {
        memset(table, 0, values * sizeof *table);
        respond_long(respond, runs, count, planes, block, table);
    }
    for (uint32_t r = 0; r < count; r++) {
        const struct shw_batch_item *item = &respond->batch->items[runs[r].item];
        if (trainer->respond->sides == NULL && is_long(respond, &runs[r]))
            respond_whole(respond, &runs[r], planes, block, table);
        for (uint32_t c = 0; is_long(respond, &runs[r]) && c < item->count; c++)
            keep(respond, item, c, runs[r].first, table + runs[r].values + (size_t)c * SHW_LANES_UP(runs[r].count),
                 runs[r].count);
    }
}

static enum shw_result run_task(void *user, uint32_t index, uint32_t slot)
{
    const struct respond *respond = user;
    const struct task *task = &respond->tasks[index];
    const void *planes;

    SHW_PROPAGATE(shw_cpu_planes_get(respond->trainer, slot,
                                     image_of(respond, &respond->runs[respond->chunks[task->first]]), &planes));
    for (uint32_t chunk = task->first; chunk < task->end; chunk++)
        respond_chunk(respond, chunk, slot, planes);
    return SHW_OK;
}

static enum shw_result go_through_images(struct shw_trainer *trainer, struct respond *respond)
{
    bool complete = true;

    measure_images(respond);
    for (respond->begin = 0; respond->begin < trainer->images.base_count;
         respond->begin = complete ? respond->end : respond->begin) {
        choose_range(respond);
        complete = list_runs(respond);
        sort_runs(respond);
        make_chunks(respond);
        SHW_PROPAGATE(shw_cpu_planes_run(trainer, respond->task_count, run_task, respond));
        SHW_PROPAGATE(shw_trainer_check_interruption(trainer));
        if (respond->batch->range_bytes > 0)
            SHW_PROPAGATE(shw_batch_count(trainer, respond->batch));
    }
    return SHW_OK;
}

/* There cannot be more runs than samples. */
static uint32_t most_runs(const struct shw_trainer *trainer, const struct shw_batch *batch)
{
    uint64_t samples = 0;

    for (uint32_t i = 0; i < batch->item_count; i++)
        samples += trainer->builder.open[batch->items[i].open].count;
    return (uint32_t)shw_min_u64(samples, batch->run_capacity);
}

enum shw_result shw_batch_respond(struct shw_trainer *trainer, struct shw_batch *batch)
{
    size_t slots = shw_cpu_planes_slots(trainer), images = trainer->images.base_count;
    size_t runs = most_runs(trainer, batch);
    struct respond respond = {.trainer = trainer,
                              .batch = batch,
                              .run_capacity = (uint32_t)runs,
                              .image_samples = calloc(images, sizeof *respond.image_samples),
                              .image_bytes = calloc(images, sizeof *respond.image_bytes),
                              .listed = malloc(runs * sizeof *respond.listed),
                              .runs = malloc(runs * sizeof *respond.runs),
                              .next = malloc(2 * images * sizeof *respond.next),
                              .chunks = malloc((runs + 1) * sizeof *respond.chunks),
                              .tasks = malloc(runs * sizeof *respond.tasks),
                              .blocks = malloc(slots * sizeof *respond.blocks)};
    enum shw_result result;

    if (respond.image_samples == NULL || respond.image_bytes == NULL || respond.listed == NULL ||
        respond.runs == NULL || respond.next == NULL || respond.chunks == NULL || respond.tasks == NULL ||
        respond.blocks == NULL)
        result = shw_fail_memory(&trainer->params.log, "responses");
    else
        result = go_through_images(trainer, &respond);
    free(respond.image_samples);
    free(respond.image_bytes);
    free(respond.listed);
    free(respond.runs);
    free(respond.next);
    free(respond.chunks);
    free(respond.tasks);
    free(respond.blocks);
    return result;
}
