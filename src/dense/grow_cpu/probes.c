#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/grow/fern.h"
#include "dense/grow_cpu/batch.h"
#include "dense/grow_cpu/memory.h"

/* What the thresholds of a batch are made from, if they must be known before its responses: the responses of some
 * samples of each node, or for evenly spaced ones the least and the greatest of them. */

#define LOCKS 64u

/* Sample `number` in the order in which thresholds are made. */
struct probe {
    uint32_t image, item, number, sample; /* image: the one whose planes are read */
};

struct probing {
    const struct shw_trainer *trainer;
    struct shw_batch *batch;
    struct probe *probes; /* sorted by image */
    uint32_t count, capacity;
    uint32_t *begins; /* [image with probes]: its first probe, and the end */
    uint32_t *images; /* images with probes */
    uint32_t image_count;
    struct shw_image_block *blocks; /* one per slot */
    pthread_mutex_t locks[LOCKS];   /* for the values of items with that remainder */
};

static bool is_probed(const struct shw_batch_item *item)
{
    return item->kind == SHW_ITEM_BINS || item->kind == SHW_ITEM_COUNTS;
}

/* Number `n` of every candidate, one candidate after the other. */
static int32_t *values_of(const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t n)
{
    return (int32_t *)(void *)(batch->bytes + item->values) + (size_t)n * item->count;
}

/* Copies what the thresholds of candidate `c`, relative to the worker's first, are made from; returns how many numbers.
 */
static uint32_t get_level_values(const struct shw_trainer *trainer, uint32_t c, int32_t values[256])
{
    uint32_t count = shw_threshold_values(&trainer->params);

    memcpy(values, trainer->fern_level->values + (size_t)c * count, count * sizeof *values);
    if (trainer->params.thresholds == SHW_THRESHOLDS_BEST && values[0] > values[1])
        values[0] = values[1] = SHW_UNDEFINED_RESPONSE;
    return count;
}

uint32_t shw_batch_get_values(const struct shw_trainer *trainer, const struct shw_batch *batch,
                              const struct shw_batch_item *item, uint32_t c, int32_t values[256])
{
    uint32_t count = shw_threshold_values(&trainer->params);

    if (trainer->params.ferns)
        return get_level_values(trainer, item->first + c, values);
    for (uint32_t n = 0; n < count; n++)
        values[n] = values_of(batch, item, n)[c];
    if (trainer->params.thresholds == SHW_THRESHOLDS_BEST && values[0] > values[1])
        values[0] = values[1] = SHW_UNDEFINED_RESPONSE;
    return count;
}

static int by_image(const void *a, const void *b)
{
    const struct probe *left = a, *right = b;

    return left->image < right->image ? -1 : left->image > right->image;
}

static void list_probes(struct probing *probing)
{
    const struct shw_trainer *trainer = probing->trainer;
    uint32_t chosen[256];

    for (uint32_t i = 0; i < probing->batch->item_count; i++) {
        const struct shw_batch_item *item = &probing->batch->items[i];
        const struct shw_open_node *open = &trainer->builder.open[item->open];
        uint32_t count = is_probed(item) ? shw_choose_probes(trainer, open, chosen) : 0;
        for (uint32_t n = 0; n < count; n++)
            probing->probes[probing->count++] = (struct probe){
                shw_train_image_of_planes(&trainer->images, trainer->builder.samples.image[open->first + chosen[n]]), i,
                n, open->first + chosen[n]};
        for (uint32_t c = 0; is_probed(item) && c < item->count; c++)
            for (uint32_t n = 0; n < shw_threshold_values(&trainer->params); n++)
                values_of(probing->batch, item, n)[c] = n == 0 ? INT32_MAX : INT32_MIN;
    }
}

/* Sorts the probes by image. */
static void sort_probes(struct probing *probing)
{
    const struct probe *probes = probing->probes;

    qsort(probing->probes, probing->count, sizeof *probing->probes, by_image);
    for (uint32_t p = 0; p < probing->count; p++)
        if (p == 0 || probes[p].image != probes[p - 1].image) {
            probing->images[probing->image_count] = probes[p].image;
            probing->begins[probing->image_count++] = p;
        }
    probing->begins[probing->image_count] = probing->count;
}

static void take_responses(struct probing *probing, const struct probe *probe, const int32_t *responses)
{
    const struct shw_batch_item *item = &probing->batch->items[probe->item];
    int32_t *low = values_of(probing->batch, item, 0), *high = values_of(probing->batch, item, 1);

    if (probing->trainer->params.thresholds != SHW_THRESHOLDS_BEST) {
        int32_t *values = values_of(probing->batch, item, probe->number);
        for (uint32_t c = 0; c < item->count; c++)
            values[c] = responses[c];
        return;
    }
    pthread_mutex_lock(&probing->locks[probe->item % LOCKS]);
    for (uint32_t c = 0; c < item->count; c++) {
        if (responses[c] == SHW_UNDEFINED_RESPONSE) /* the smallest integer */
            continue;
        low[c] = responses[c] < low[c] ? responses[c] : low[c];
        high[c] = responses[c] > high[c] ? responses[c] : high[c];
    }
    pthread_mutex_unlock(&probing->locks[probe->item % LOCKS]);
}

static enum shw_result probe_image(void *user, uint32_t index, uint32_t slot)
{
    struct probing *probing = user;
    const struct shw_trainer *trainer = probing->trainer;
    uint32_t image = probing->images[index];
    struct shw_image_block *block = &probing->blocks[slot];
    int32_t responses[SHW_ITEM_CANDIDATES];
    const void *planes;

    SHW_PROPAGATE(shw_cpu_planes_get(trainer, slot, image, &planes));
    shw_image_block_begin(block, &trainer->images.images[image]);
    for (uint32_t p = probing->begins[index]; p < probing->begins[index + 1]; p++) {
        const struct probe *probe = &probing->probes[p];
        const struct shw_batch_item *item = &probing->batch->items[probe->item];
        struct shw_feature_lanes lanes = shw_batch_lanes(probing->batch, item);
        const struct shw_respond *functions;
        shw_image_block_turn(block, &trainer->images, trainer->builder.samples.image[probe->sample]);
        shw_image_block_add(block, &trainer->builder.samples, probe->sample, 1, 0);
        functions = shw_respond_for(trainer->respond, trainer->params.feature, block);
        if (functions->prepare != NULL)
            functions->prepare(planes, block, 0, SHW_LANES_UP(1));
        functions->features(planes, block, 0, &lanes, item->count, responses);
        take_responses(probing, probe, responses);
    }
    return SHW_OK;
}

enum shw_result shw_batch_probe(struct shw_trainer *trainer, struct shw_batch *batch)
{
    struct probing probing = {.trainer = trainer, .batch = batch};
    uint32_t each = shw_threshold_probes(&trainer->params);
    size_t most = 0;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < batch->item_count; i++)
        most += is_probed(&batch->items[i]) ? each : 0;
    if (most == 0 || trainer->params.ferns)
        return SHW_OK;
    probing.probes = malloc(most * sizeof *probing.probes);
    probing.images = malloc(most * sizeof *probing.images);
    probing.begins = malloc((most + 1) * sizeof *probing.begins);
    probing.blocks = malloc(shw_cpu_planes_slots(trainer) * sizeof *probing.blocks);
    if (probing.probes == NULL || probing.images == NULL || probing.begins == NULL || probing.blocks == NULL) {
        result = shw_fail_memory(&trainer->params.log, "thresholds");
        goto end;
    }
    for (uint32_t l = 0; l < LOCKS; l++)
        pthread_mutex_init(&probing.locks[l], NULL);
    list_probes(&probing);
    sort_probes(&probing);
    result = shw_cpu_planes_run(trainer, probing.image_count, probe_image, &probing);
    for (uint32_t l = 0; l < LOCKS; l++)
        pthread_mutex_destroy(&probing.locks[l]);

end:
    free(probing.probes);
    free(probing.images);
    free(probing.begins);
    free(probing.blocks);
    return result;
}

/* The same for a fern's level, whose nodes share the samples from which thresholds are made. */

static int by_place(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;

    return *left < *right ? -1 : *left > *right;
}

/* The responses of the probes on the CPU. */
struct level_probing {
    const struct shw_trainer *trainer;
    struct shw_fern_level *level;
    uint32_t *features;                              /* [word][candidate] */
    size_t pitch;                                    /* of `features` */
    uint32_t numbers[256], begins[257], image_count; /* numbers of probes by image, and where each image's begin */
    struct shw_image_block *blocks;                  /* one per slot */
    pthread_mutex_t lock;                            /* of the least and greatest responses */
};

static uint32_t image_of(const struct level_probing *level_probing, uint32_t number)
{
    return level_probing->trainer->builder.samples.image[level_probing->level->probes[number]];
}

/* Lists the probes image by image; they are at most 255. */
static void sort_level_probes(struct level_probing *level_probing)
{
    uint32_t images[256], count = level_probing->level->probe_count, at = 0;

    for (uint32_t n = 0; n < count; n++)
        images[n] = image_of(level_probing, n);
    qsort(images, count, sizeof *images, by_place);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && images[i] == images[i - 1])
            continue;
        level_probing->begins[level_probing->image_count++] = at;
        for (uint32_t n = 0; n < count; n++)
            if (image_of(level_probing, n) == images[i])
                level_probing->numbers[at++] = n;
    }
    level_probing->begins[level_probing->image_count] = at;
}

static void take_level_responses(struct level_probing *level_probing, uint32_t number, uint32_t first, uint32_t count,
                                 const int32_t *responses)
{
    size_t each = shw_threshold_values(&level_probing->trainer->params);
    int32_t *values = level_probing->level->values + first * each;

    if (level_probing->trainer->params.thresholds != SHW_THRESHOLDS_BEST) {
        for (uint32_t c = 0; c < count; c++)
            values[c * each + number] = responses[c];
        return;
    }
    pthread_mutex_lock(&level_probing->lock);
    for (uint32_t c = 0; c < count; c++, values += 2) {
        if (responses[c] == SHW_UNDEFINED_RESPONSE) /* the smallest integer */
            continue;
        values[0] = responses[c] < values[0] ? responses[c] : values[0];
        values[1] = responses[c] > values[1] ? responses[c] : values[1];
    }
    pthread_mutex_unlock(&level_probing->lock);
}

static enum shw_result probe_level_image(void *user, uint32_t index, uint32_t slot)
{
    struct level_probing *level_probing = user;
    const struct shw_trainer *trainer = level_probing->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    struct shw_image_block *block = &level_probing->blocks[slot];
    uint32_t image = image_of(level_probing, level_probing->numbers[level_probing->begins[index]]);
    int32_t responses[SHW_ITEM_CANDIDATES];
    const struct shw_respond *functions;
    const void *planes;

    SHW_PROPAGATE(shw_cpu_planes_get(trainer, slot, image, &planes));
    shw_image_block_begin(block, &trainer->images.images[image]);
    shw_image_block_turn(block, &trainer->images, image);
    functions = shw_respond_for(trainer->respond, trainer->params.feature, block);
    for (uint32_t i = level_probing->begins[index]; i < level_probing->begins[index + 1]; i++) {
        uint32_t number = level_probing->numbers[i];
        shw_image_block_add(block, samples, level_probing->level->probes[number], 1, 0);
        if (functions->prepare != NULL)
            functions->prepare(planes, block, 0, SHW_LANES_UP(1));
        for (uint32_t first = 0; first < trainer->candidate_count; first += SHW_ITEM_CANDIDATES) {
            uint32_t left = trainer->candidate_count - first;
            uint32_t count = left < SHW_ITEM_CANDIDATES ? left : SHW_ITEM_CANDIDATES;
            struct shw_feature_lanes lanes;
            for (size_t w = 0; w < 5; w++)
                lanes.words[w] = level_probing->features + w * level_probing->pitch + first;
            functions->features(planes, block, 0, &lanes, count, responses);
            take_level_responses(level_probing, number, first, count, responses);
        }
    }
    return SHW_OK;
}

static void draw_feature(void *user, uint32_t c, uint32_t thread)
{
    const struct level_probing *level_probing = user;
    const struct shw_trainer *trainer = level_probing->trainer;
    uint32_t key = shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_CANDIDATES);
    struct shw_feature feature = shw_candidate_draw(&trainer->params, &trainer->channels, key, trainer->builder.depth,
                                                    trainer->candidate_begin + c);

    (void)thread;
    for (size_t w = 0; w < 5; w++)
        level_probing->features[w * level_probing->pitch + c] = feature.words[w];
}

enum shw_result shw_fern_level_probe(struct shw_trainer *trainer)
{
    struct shw_fern_level *level = trainer->fern_level;
    size_t candidates = trainer->candidate_count, each = shw_threshold_values(&trainer->params);
    struct level_probing level_probing = {.trainer = trainer, .level = level, .pitch = candidates + 7};
    enum shw_result result;

    level->values = malloc(candidates * each * sizeof *level->values);
    level_probing.features = calloc(5 * level_probing.pitch, sizeof *level_probing.features);
    level_probing.blocks = malloc(shw_cpu_planes_slots(trainer) * sizeof *level_probing.blocks);
    if (level->values == NULL || level_probing.features == NULL || level_probing.blocks == NULL) {
        result = shw_fail_memory(&trainer->params.log, "thresholds");
        goto end;
    }
    for (size_t c = 0; c < candidates && trainer->params.thresholds == SHW_THRESHOLDS_BEST; c++) {
        level->values[2 * c] = INT32_MAX;
        level->values[2 * c + 1] = INT32_MIN;
    }
    pthread_mutex_init(&level_probing.lock, NULL);
    sort_level_probes(&level_probing);
    shw_thread_pool_run(trainer->pool, trainer->candidate_count, draw_feature, &level_probing);
    result = shw_cpu_planes_run(trainer, level_probing.image_count, probe_level_image, &level_probing);
    pthread_mutex_destroy(&level_probing.lock);

end:
    free(level_probing.features);
    free(level_probing.blocks);
    return result;
}
