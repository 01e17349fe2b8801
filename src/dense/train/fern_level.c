/* What the nodes of a fern's level share beside the test: the samples from which its thresholds are made. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/train/batch.h"
#include "dense/train/fern.h"
#include "dense/train/planes_cpu.h"
#include "shared/random.h"

static int by_place(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;

    return *left < *right ? -1 : *left > *right;
}

/* Sample `number` of all open nodes. `ends` has, per open node, the samples of it and those before. */
static uint32_t place_of(const struct shw_tree_builder *builder, const uint32_t *ends, uint32_t number)
{
    uint32_t low = 0, high = builder->open_count - 1; /* the node is one of these */

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (number < ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return builder->open[low].first + builder->open[low].count - (ends[low] - number);
}

/* As shw_choose_probes(), among the samples of all open nodes. */
static void choose_probes(const struct shw_trainer *trainer, const uint32_t *ends, struct shw_fern_level *level)
{
    const struct shw_trainer_params *params = &trainer->params;
    const struct shw_tree_builder *builder = &trainer->builder;
    bool best = params->thresholds == SHW_THRESHOLDS_BEST;
    uint32_t samples = ends[builder->open_count - 1], wanted = best ? SHW_THRESHOLD_SAMPLES : params->bins - 1;
    bool all = best && samples <= wanted;
    uint32_t key = shw_draw_key(params->seed, trainer->tree_count, SHW_DRAW_THRESHOLDS);

    level->probe_count = all ? samples : wanted;
    for (uint32_t i = 0; i < level->probe_count; i++)
        level->probes[i] =
            place_of(builder, ends, all ? i : shw_random_below(shw_random(key, builder->depth, i), samples));
}

enum shw_result shw_fern_level_begin(struct shw_trainer *trainer)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    struct shw_fern_level *level = calloc(1, sizeof *level);
    uint32_t *ends = malloc(builder->open_count * sizeof *ends), samples = 0;

    trainer->fern_level = level;
    if (level == NULL || ends == NULL) {
        free(ends);
        return shw_fail_memory(&trainer->params.log, "a training round");
    }
    for (uint32_t o = 0; o < builder->open_count; o++)
        ends[o] = samples += builder->open[o].count;
    level->trainer = trainer;
    level->splitter = shw_fern_splitter(level);
    choose_probes(trainer, ends, level);
    free(ends);
    return SHW_OK;
}

void shw_fern_level_free(struct shw_fern_level **handle)
{
    struct shw_fern_level *level = *handle;

    if (level == NULL)
        return;
    free(level->values);
    free(level->nodes);
    free(level->sums);
    free(level->usable);
    free(level->thresholds);
    free(level->scratch);
    free(level);
    *handle = NULL;
}

/* The responses of the probes on the CPU. */
struct probing {
    const struct shw_trainer *trainer;
    struct shw_fern_level *level;
    uint32_t *features;                              /* [word][candidate] */
    size_t pitch;                                    /* of `features` */
    uint32_t numbers[256], begins[257], image_count; /* numbers of probes by image, and where each image's begin */
    struct shw_image_block *blocks;                  /* one per slot */
    pthread_mutex_t lock;                            /* of the least and greatest responses */
};

static uint32_t image_of(const struct probing *probing, uint32_t number)
{
    return probing->trainer->builder.samples.image[probing->level->probes[number]];
}

/* Lists the probes image by image; they are at most 255. */
static void sort_probes(struct probing *probing)
{
    uint32_t images[256], count = probing->level->probe_count, at = 0;

    for (uint32_t n = 0; n < count; n++)
        images[n] = image_of(probing, n);
    qsort(images, count, sizeof *images, by_place);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && images[i] == images[i - 1])
            continue;
        probing->begins[probing->image_count++] = at;
        for (uint32_t n = 0; n < count; n++)
            if (image_of(probing, n) == images[i])
                probing->numbers[at++] = n;
    }
    probing->begins[probing->image_count] = at;
}

static void take_responses(struct probing *probing, uint32_t number, uint32_t first, uint32_t count,
                           const int32_t *responses)
{
    size_t each = shw_batch_values(probing->trainer);
    int32_t *values = probing->level->values + first * each;

    if (probing->trainer->params.thresholds != SHW_THRESHOLDS_BEST) {
        for (uint32_t c = 0; c < count; c++)
            values[c * each + number] = responses[c];
        return;
    }
    pthread_mutex_lock(&probing->lock);
    for (uint32_t c = 0; c < count; c++, values += 2) {
        if (responses[c] == SHW_UNDEFINED_RESPONSE) /* the smallest integer */
            continue;
        values[0] = responses[c] < values[0] ? responses[c] : values[0];
        values[1] = responses[c] > values[1] ? responses[c] : values[1];
    }
    pthread_mutex_unlock(&probing->lock);
}

static enum shw_result probe_image(void *user, uint32_t index, uint32_t slot)
{
    struct probing *probing = user;
    const struct shw_trainer *trainer = probing->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    struct shw_image_block *block = &probing->blocks[slot];
    uint32_t image = image_of(probing, probing->numbers[probing->begins[index]]);
    int32_t responses[SHW_ITEM_CANDIDATES];
    const struct shw_respond *functions;
    const void *planes;

    SHW_PROPAGATE(shw_cpu_planes_get(trainer, slot, image, &planes));
    shw_image_block_begin(block, &trainer->images.images[image]);
    shw_image_block_turn(block, &trainer->images, image);
    functions = shw_respond_for(trainer->respond, trainer->params.feature, block);
    for (uint32_t i = probing->begins[index]; i < probing->begins[index + 1]; i++) {
        uint32_t number = probing->numbers[i];
        shw_image_block_add(block, samples, probing->level->probes[number], 1, 0);
        if (functions->prepare != NULL)
            functions->prepare(planes, block, 0, SHW_LANES_UP(1));
        for (uint32_t first = 0; first < trainer->candidate_count; first += SHW_ITEM_CANDIDATES) {
            uint32_t left = trainer->candidate_count - first;
            uint32_t count = left < SHW_ITEM_CANDIDATES ? left : SHW_ITEM_CANDIDATES;
            struct shw_feature_lanes lanes;
            for (size_t w = 0; w < 5; w++)
                lanes.words[w] = probing->features + w * probing->pitch + first;
            functions->features(planes, block, 0, &lanes, count, responses);
            take_responses(probing, number, first, count, responses);
        }
    }
    return SHW_OK;
}

static void draw_feature(void *user, uint32_t c, uint32_t thread)
{
    const struct probing *probing = user;
    const struct shw_trainer *trainer = probing->trainer;
    uint32_t key = shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_CANDIDATES);
    struct shw_feature feature = shw_candidate_draw(&trainer->params, &trainer->channels, key, trainer->builder.depth,
                                                    trainer->candidate_begin + c);

    (void)thread;
    for (size_t w = 0; w < 5; w++)
        probing->features[w * probing->pitch + c] = feature.words[w];
}

enum shw_result shw_fern_level_probe(struct shw_trainer *trainer)
{
    struct shw_fern_level *level = trainer->fern_level;
    size_t candidates = trainer->candidate_count, each = shw_batch_values(trainer);
    struct probing probing = {.trainer = trainer, .level = level, .pitch = candidates + 7};
    enum shw_result result;

    level->values = malloc(candidates * each * sizeof *level->values);
    probing.features = calloc(5 * probing.pitch, sizeof *probing.features);
    probing.blocks = malloc(shw_cpu_planes_slots(trainer) * sizeof *probing.blocks);
    if (level->values == NULL || probing.features == NULL || probing.blocks == NULL) {
        result = shw_fail_memory(&trainer->params.log, "thresholds");
        goto end;
    }
    for (size_t c = 0; c < candidates && trainer->params.thresholds == SHW_THRESHOLDS_BEST; c++) {
        level->values[2 * c] = INT32_MAX;
        level->values[2 * c + 1] = INT32_MIN;
    }
    pthread_mutex_init(&probing.lock, NULL);
    sort_probes(&probing);
    shw_thread_pool_run(trainer->pool, trainer->candidate_count, draw_feature, &probing);
    result = shw_cpu_planes_run(trainer, probing.image_count, probe_image, &probing);
    pthread_mutex_destroy(&probing.lock);

end:
    free(probing.features);
    free(probing.blocks);
    return result;
}

uint32_t shw_fern_level_values(const struct shw_trainer *trainer, uint32_t c, int32_t values[256])
{
    uint32_t count = shw_batch_values(trainer);

    memcpy(values, trainer->fern_level->values + (size_t)c * count, count * sizeof *values);
    if (trainer->params.thresholds == SHW_THRESHOLDS_BEST && values[0] > values[1])
        values[0] = values[1] = SHW_UNDEFINED_RESPONSE;
    return count;
}
