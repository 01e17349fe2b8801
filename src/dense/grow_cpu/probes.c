/* What the thresholds of a batch are made from, if they must be known before its responses: the responses of some
 * samples of each node, or for evenly spaced ones the least and the greatest of them. The nodes of a fern's level share
 * these samples. */
#include <pthread.h>
#include <stdlib.h>

#include "base/integers.h"
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
    size_t pitch;    /* from one number to the next */
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

/* The samples that a target's values are made from, as the tree builder numbers them; numbers[n] is that of sample n in
 * the order in which thresholds are made. */
struct chosen {
    uint32_t count, samples[256], numbers[256];
};

/* Adds a target without values. */
static void add_target(struct probing *probing, const struct target *target, const struct chosen *chosen)
{
    const struct shw_trainer *trainer = probing->trainer;

    for (uint32_t n = 0; n < chosen->count; n++) {
        const uint32_t sample = chosen->samples[n];
        probing->probes[probing->count++] =
            (struct probe){shw_train_image_of_planes(&trainer->images, trainer->builder.samples.image[sample]),
                           probing->target_count, chosen->numbers[n], sample};
    }
    for (uint32_t n = 0; n < shw_threshold_values(&trainer->params); n++)
        for (uint32_t c = 0; c < target->count; c++)
            target->values[n * target->pitch + c] = shw_threshold_neutral(&trainer->params, n);
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
    const struct shw_trainer_params *params = &probing->trainer->params;
    const struct target *target = &probing->targets[probe->target];
    const bool shared = params->thresholds == SHW_THRESHOLDS_BEST; /* with other probes of the target */

    if (shared)
        pthread_mutex_lock(&probing->locks[probe->target % LOCKS]);
    for (uint32_t c = 0; c < target->count; c++)
        shw_threshold_values_take(params, probe->number, responses[c], target->values + c, target->pitch);
    if (shared)
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

/* Chooses among the samples of an open node; those of other workers that divide the images are left out. */
static void choose(const struct shw_trainer *trainer, uint32_t index, struct chosen *chosen)
{
    const struct shw_open_node *open = &trainer->builder.open[index];
    uint32_t samples[256];
    const uint32_t count = shw_choose_probes(trainer, open, samples);

    chosen->count = 0;
    for (uint32_t n = 0; n < count; n++)
        if (samples[n] - open->before < open->count) {
            chosen->samples[chosen->count] = open->first + samples[n] - open->before;
            chosen->numbers[chosen->count++] = n;
        }
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
    uint32_t targets = 0;
    enum shw_result result;

    for (uint32_t i = 0; i < batch->item_count; i++)
        targets += is_probed(&batch->items[i]);
    if (targets == 0 || trainer->params.ferns || trainer->division != NULL)
        return SHW_OK;
    SHW_TRY(begin(&probing, targets, (size_t)targets * shw_threshold_probes(&trainer->params)));
    for (uint32_t i = 0; i < batch->item_count; i++) {
        const struct shw_batch_item *item = &batch->items[i];
        const struct target target = {shw_batch_lanes(batch, item), item->count, values_of(batch, item), item->count};
        struct chosen chosen;
        if (!is_probed(item))
            continue;
        choose(trainer, item->open, &chosen);
        add_target(&probing, &target, &chosen);
    }
    result = run(&probing);

fail:
    end(&probing);
    return result;
}

/* The features of an open node, or of a fern's level. */
struct drawing {
    const struct shw_trainer *trainer;
    uint32_t *words; /* [word][candidate] */
    size_t pitch;
    uint32_t open;
};

static void draw_feature(void *user, uint32_t c, uint32_t thread)
{
    const struct drawing *drawing = user;
    const struct shw_trainer *trainer = drawing->trainer;
    const struct shw_feature feature = shw_candidate_feature(trainer, drawing->open, trainer->candidate_begin + c);

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

static struct shw_feature_lanes lanes_of(const struct drawing *drawing, uint32_t c)
{
    struct shw_feature_lanes lanes;

    for (size_t w = 0; w < 5; w++)
        lanes.words[w] = drawing->words + w * drawing->pitch + c;
    return lanes;
}

enum shw_result shw_fern_level_probe(struct shw_trainer *trainer)
{
    struct shw_fern_level *level = trainer->fern_level;
    uint32_t candidates = trainer->candidate_count, targets = candidates / SHW_ITEM_CANDIDATES + 1, first;
    size_t each = shw_threshold_values(&trainer->params);
    struct probing probing = {.trainer = trainer};
    struct drawing drawing = {.trainer = trainer, .pitch = (size_t)candidates + 7};
    struct chosen chosen = {0};
    enum shw_result result;

    if (trainer->division == NULL)
        level->values = malloc(candidates * each * sizeof *level->values);
    drawing.words = calloc(5 * drawing.pitch, sizeof *drawing.words);
    SHW_TRY(begin(&probing, targets, (size_t)targets * level->probe_count));
    if ((level->values == NULL && trainer->division == NULL) || drawing.words == NULL)
        SHW_TRY(shw_fail_memory(&trainer->params.log, "thresholds"));
    shw_thread_pool_run(trainer->pool, candidates, draw_feature, &drawing);
    for (uint32_t n = 0; n < level->probe_count; n++)
        if (level->probes[n] != UINT32_MAX) {
            chosen.samples[chosen.count] = level->probes[n];
            chosen.numbers[chosen.count++] = n;
        }
    for (uint32_t c = 0; c < candidates; c += SHW_ITEM_CANDIDATES) {
        const uint32_t count = part_of(trainer, c, &first);
        const struct target target =
            trainer->division != NULL
                ? (struct target){lanes_of(&drawing, c), count, shw_division_values(trainer, 0, 0) + c, candidates}
                : (struct target){lanes_of(&drawing, c), count, level->values + c * each, count};
        add_target(&probing, &target, &chosen);
    }
    result = run(&probing);

fail:
    end(&probing);
    free(drawing.words);
    return result;
}

/* Of some nodes of a block, whose features are in memory together. */
#define BLOCK_NODES 64u

/* Probes open nodes `begin` to `end` - 1. */
static enum shw_result probe_nodes(struct shw_trainer *trainer, uint32_t begin_open, uint32_t end_open)
{
    const uint32_t candidates = trainer->candidate_count, parts = candidates / SHW_ITEM_CANDIDATES + 1;
    const size_t targets = (size_t)parts * (end_open - begin_open), pitch = (size_t)candidates + 7;
    struct probing probing = {.trainer = trainer};
    struct drawing drawing = {.trainer = trainer, .pitch = pitch};
    uint32_t *words = calloc((end_open - begin_open) * 5 * pitch, sizeof *words), first;
    struct chosen chosen;
    enum shw_result result;

    SHW_TRY(begin(&probing, targets, targets * shw_threshold_probes(&trainer->params)));
    if (words == NULL)
        SHW_TRY(shw_fail_memory(&trainer->params.log, "thresholds"));
    for (uint32_t o = begin_open; o < end_open; o++) {
        drawing.open = o;
        drawing.words = words + (o - begin_open) * 5 * pitch;
        choose(trainer, o, &chosen);
        shw_thread_pool_run(trainer->pool, candidates, draw_feature, &drawing);
        for (uint32_t c = 0; c < candidates && chosen.count > 0; c += SHW_ITEM_CANDIDATES)
            add_target(&probing,
                       &(struct target){lanes_of(&drawing, c), part_of(trainer, c, &first),
                                        shw_division_values(trainer, o, 0) + c, candidates},
                       &chosen);
    }
    result = run(&probing);

fail:
    end(&probing);
    free(words);
    return result;
}

enum shw_result shw_block_probe(struct shw_trainer *trainer)
{
    const uint32_t opens = trainer->builder.open_count;

    for (uint32_t o = 0; o < opens; o += BLOCK_NODES)
        SHW_PROPAGATE(probe_nodes(trainer, o, shw_min_u32(opens, o + BLOCK_NODES)));
    return SHW_OK;
}

uint32_t shw_batch_get_values(const struct shw_trainer *trainer, const struct shw_batch *batch,
                              const struct shw_batch_item *item, uint32_t c, int32_t values[256])
{
    uint32_t count = shw_threshold_values(&trainer->params), step = item->count, first;
    const int32_t *from;

    if (trainer->division != NULL) {
        step = trainer->candidate_count;
        from = shw_division_values(trainer, item->open, 0) + item->first + c;
    } else if (trainer->params.ferns) {
        step = part_of(trainer, item->first + c, &first);
        from = trainer->fern_level->values + (size_t)first * count + (item->first + c - first);
    } else {
        from = values_of(batch, item) + c;
    }
    for (uint32_t n = 0; n < count; n++)
        values[n] = from[(size_t)n * step];
    shw_threshold_values_settle(&trainer->params, values);
    return count;
}
