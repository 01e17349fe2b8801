/* What the thresholds of a batch are made from, if they must be known before its responses: the responses of some
 * samples of each node, or for evenly spaced ones the least and the greatest of them. The nodes of a fern's level share
 * these samples. */
#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "dense/grow/fern.h"
#include "dense/grow_cpu/batch.h"
#include "dense/grow_cpu/memory.h"

#define LOCKS 64u

/* Candidates whose thresholds are made from the same samples: an item of the batch, or a part of a fern's level. */
struct target {
    struct shw_feature_lanes lanes;
    uint32_t count;
    int32_t *values; /* number `n` of every candidate, one candidate after the other */
};

/* Sample `number` in the order in which thresholds are made. */
struct probe {
    uint32_t image, target, number, sample; /* image: the one whose planes are read */
};

struct probing {
    const struct shw_trainer *trainer;
    struct target *targets;
    struct probe *probes; /* sorted by image */
    uint32_t target_count, count;
    uint32_t *begins; /* [image with probes]: its first probe, and the end */
    uint32_t *images; /* images with probes */
    uint32_t image_count;
    struct shw_image_block *blocks; /* one per slot */
    pthread_mutex_t locks[LOCKS];   /* for the values of targets with that remainder */
};

/* Makes room. Errors: MEMORY; end() must be called in any case. */
static enum shw_result begin(struct probing *probing, size_t targets, size_t probes)
{
    probing->targets = malloc(targets * sizeof *probing->targets);
    probing->probes = malloc(probes * sizeof *probing->probes);
    probing->images = malloc(probes * sizeof *probing->images);
    probing->begins = malloc((probes + 1) * sizeof *probing->begins);
    probing->blocks = malloc(shw_cpu_planes_slots(probing->trainer) * sizeof *probing->blocks);
    return probing->targets != NULL && probing->probes != NULL && probing->images != NULL && probing->begins != NULL &&
                   probing->blocks != NULL
               ? SHW_OK
               : shw_fail_memory(&probing->trainer->params.log, "thresholds");
}

static void end(struct probing *probing)
{
    free(probing->targets);
    free(probing->probes);
    free(probing->images);
    free(probing->begins);
    free(probing->blocks);
}

/* Adds a target without values, which are made from these samples of the tree. */
static void add_target(struct probing *probing, const struct target *target, const uint32_t *samples, uint32_t count)
{
    const struct shw_trainer *trainer = probing->trainer;

    for (uint32_t n = 0; n < count; n++)
        probing->probes[probing->count++] =
            (struct probe){shw_train_image_of_planes(&trainer->images, trainer->builder.samples.image[samples[n]]),
                           probing->target_count, n, samples[n]};
    for (uint32_t n = 0; n < shw_threshold_values(&trainer->params); n++)
        for (uint32_t c = 0; c < target->count; c++)
            target->values[(size_t)n * target->count + c] = n == 0 ? INT32_MAX : INT32_MIN;
    probing->targets[probing->target_count++] = *target;
}

static int by_image(const void *a, const void *b)
{
    const struct probe *left = a, *right = b;

    return left->image < right->image ? -1 : left->image > right->image;
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
    const struct target *target = &probing->targets[probe->target];
    int32_t *low = target->values, *high = target->values + target->count;

    if (probing->trainer->params.thresholds != SHW_THRESHOLDS_BEST) {
        int32_t *values = target->values + (size_t)probe->number * target->count;
        for (uint32_t c = 0; c < target->count; c++)
            values[c] = responses[c];
        return;
    }
    pthread_mutex_lock(&probing->locks[probe->target % LOCKS]);
    for (uint32_t c = 0; c < target->count; c++) {
        if (responses[c] == SHW_UNDEFINED_RESPONSE) /* the smallest integer */
            continue;
        low[c] = responses[c] < low[c] ? responses[c] : low[c];
        high[c] = responses[c] > high[c] ? responses[c] : high[c];
    }
    pthread_mutex_unlock(&probing->locks[probe->target % LOCKS]);
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
        const struct target *target = &probing->targets[probe->target];
        const struct shw_respond *functions;
        shw_image_block_turn(block, &trainer->images, trainer->builder.samples.image[probe->sample]);
        shw_image_block_add(block, &trainer->builder.samples, probe->sample, 1, 0);
        functions = shw_respond_for(trainer->respond, trainer->params.feature, block);
        if (functions->prepare != NULL)
            functions->prepare(planes, block, 0, SHW_LANES_UP(1));
        functions->features(planes, block, 0, &target->lanes, target->count, responses);
        take_responses(probing, probe, responses);
    }
    return SHW_OK;
}

static enum shw_result run(struct probing *probing)
{
    enum shw_result result;

    for (uint32_t l = 0; l < LOCKS; l++)
        pthread_mutex_init(&probing->locks[l], NULL);
    sort_probes(probing);
    result = shw_cpu_planes_run(probing->trainer, probing->image_count, probe_image, probing);
    for (uint32_t l = 0; l < LOCKS; l++)
        pthread_mutex_destroy(&probing->locks[l]);
    return result;
}

static bool is_probed(const struct shw_batch_item *item)
{
    return item->kind == SHW_ITEM_BINS || item->kind == SHW_ITEM_COUNTS;
}

static int32_t *values_of(const struct shw_batch *batch, const struct shw_batch_item *item)
{
    return (int32_t *)(void *)(batch->bytes + item->values);
}

enum shw_result shw_batch_probe(struct shw_trainer *trainer, struct shw_batch *batch)
{
    struct probing probing = {.trainer = trainer};
    uint32_t targets = 0, samples[256];
    enum shw_result result;

    for (uint32_t i = 0; i < batch->item_count; i++)
        targets += is_probed(&batch->items[i]);
    if (targets == 0 || trainer->params.ferns)
        return SHW_OK;
    SHW_TRY(begin(&probing, targets, (size_t)targets * shw_threshold_probes(&trainer->params)));
    for (uint32_t i = 0; i < batch->item_count; i++) {
        const struct shw_batch_item *item = &batch->items[i];
        const struct shw_open_node *open = &trainer->builder.open[item->open];
        uint32_t count = is_probed(item) ? shw_choose_probes(trainer, open, samples) : 0;
        for (uint32_t n = 0; n < count; n++)
            samples[n] += open->first;
        if (is_probed(item))
            add_target(&probing, &(struct target){shw_batch_lanes(batch, item), item->count, values_of(batch, item)},
                       samples, count);
    }
    result = run(&probing);

fail:
    end(&probing);
    return result;
}

/* The features of a fern's level. */
struct drawing {
    const struct shw_trainer *trainer;
    uint32_t *words; /* [word][candidate] */
    size_t pitch;
};

static void draw_feature(void *user, uint32_t c, uint32_t thread)
{
    const struct drawing *drawing = user;
    const struct shw_trainer *trainer = drawing->trainer;
    const struct shw_feature feature = shw_candidate_feature(trainer, 0, trainer->candidate_begin + c);

    (void)thread;
    for (size_t w = 0; w < 5; w++)
        drawing->words[w * drawing->pitch + c] = feature.words[w];
}

/* The part of a level with candidate `c`: *first and those that follow; returns their number. */
static uint32_t part_of(const struct shw_trainer *trainer, uint32_t c, uint32_t *first)
{
    *first = c - c % SHW_ITEM_CANDIDATES;
    return trainer->candidate_count - *first < SHW_ITEM_CANDIDATES ? trainer->candidate_count - *first
                                                                   : SHW_ITEM_CANDIDATES;
}

enum shw_result shw_fern_level_probe(struct shw_trainer *trainer)
{
    struct shw_fern_level *level = trainer->fern_level;
    uint32_t candidates = trainer->candidate_count, targets = candidates / SHW_ITEM_CANDIDATES + 1, first;
    size_t each = shw_threshold_values(&trainer->params);
    struct probing probing = {.trainer = trainer};
    struct drawing drawing = {.trainer = trainer, .pitch = (size_t)candidates + 7};
    enum shw_result result;

    level->values = malloc(candidates * each * sizeof *level->values);
    drawing.words = calloc(5 * drawing.pitch, sizeof *drawing.words);
    SHW_TRY(begin(&probing, targets, (size_t)targets * level->probe_count));
    if (level->values == NULL || drawing.words == NULL)
        SHW_TRY(shw_fail_memory(&trainer->params.log, "thresholds"));
    shw_thread_pool_run(trainer->pool, candidates, draw_feature, &drawing);
    for (uint32_t c = 0; c < candidates; c += SHW_ITEM_CANDIDATES) {
        struct target target = {.count = part_of(trainer, c, &first), .values = level->values + c * each};
        for (size_t w = 0; w < 5; w++)
            target.lanes.words[w] = drawing.words + w * drawing.pitch + c;
        add_target(&probing, &target, level->probes, level->probe_count);
    }
    result = run(&probing);

fail:
    end(&probing);
    free(drawing.words);
    return result;
}

uint32_t shw_batch_get_values(const struct shw_trainer *trainer, const struct shw_batch *batch,
                              const struct shw_batch_item *item, uint32_t c, int32_t values[256])
{
    uint32_t count = shw_threshold_values(&trainer->params), step = item->count, first;
    const int32_t *from;

    if (trainer->params.ferns) {
        step = part_of(trainer, item->first + c, &first);
        from = trainer->fern_level->values + (size_t)first * count + (item->first + c - first);
    } else {
        from = values_of(batch, item) + c;
    }
    for (uint32_t n = 0; n < count; n++)
        values[n] = from[(size_t)n * step];
    if (trainer->params.thresholds == SHW_THRESHOLDS_BEST && values[0] > values[1])
        values[0] = values[1] = SHW_UNDEFINED_RESPONSE;
    return count;
}
