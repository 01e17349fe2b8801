/* Histograms and splits of a round on the CPU: a task is a node, or for large nodes a slice of its candidates, so that no histogram is
 * larger than a cache and nothing has to be merged but the winners. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shared/random.h"
#include "train/trainer.h"

#define SLICE_MAX     128u               /* candidates whose histograms are filled together */
#define LARGE_NODE    16384u             /* samples from which on slices are tasks of their own */
#define HISTOGRAM_MAX ((size_t)64 << 20) /* bytes of a slice's histograms */

struct scratch {
    struct shw_block block, probe; /* the node's samples, piece by piece; its threshold samples */
    int32_t responses[SHW_BLOCK];
    struct shw_thresholds *thresholds;                         /* slice */
    struct shw_packed_feature *features;                       /* slice */
    uint32_t *histograms;                                      /* slice * bins * classes */
    uint32_t *class_index, *weights, *totals, *counts, *sides; /* a class */
};

struct task {
    uint32_t open, first, end; /* candidates first..end-1 of an open node */
    struct shw_split best;
};

struct round {
    struct shw_trainer *trainer;
    uint32_t slice, candidate_key, threshold_key;
    struct scratch *scratch; /* a thread */
    struct task *tasks;
    uint32_t task_count;
};

static void free_scratch(struct scratch *scratch)
{
    free(scratch->thresholds);
    free(scratch->features);
    free(scratch->histograms);
    free(scratch->class_index);
    free(scratch->weights);
    free(scratch->totals);
    free(scratch->counts);
    free(scratch->sides);
}

static bool allocate_scratch(struct scratch *scratch, const struct round *round)
{
    uint32_t classes = round->trainer->dataset->class_count;

    scratch->thresholds = malloc(round->slice * sizeof *scratch->thresholds);
    scratch->features = malloc(round->slice * sizeof *scratch->features);
    scratch->histograms = malloc((size_t)round->slice * round->trainer->params.bins * classes * sizeof *scratch->histograms);
    scratch->class_index = malloc(classes * sizeof *scratch->class_index);
    scratch->weights = malloc(classes * sizeof *scratch->weights);
    scratch->totals = malloc(classes * sizeof *scratch->totals);
    scratch->counts = malloc(classes * sizeof *scratch->counts);
    scratch->sides = malloc((size_t)2 * classes * sizeof *scratch->sides);
    return scratch->thresholds != NULL && scratch->features != NULL && scratch->histograms != NULL &&
           scratch->class_index != NULL && scratch->weights != NULL && scratch->totals != NULL && scratch->counts != NULL &&
           scratch->sides != NULL;
}

static struct shw_node_counts count_classes(const struct shw_trainer *trainer, const struct shw_open_node *open,
                                            struct scratch *scratch)
{
    uint32_t classes = trainer->dataset->class_count;
    const uint16_t *labels = trainer->growth.samples.label + open->first;
    struct shw_node_counts node = {.weights = scratch->weights, .totals = scratch->totals, .samples = open->count};
    struct shw_score_side all, none = {0};

    memset(scratch->counts, 0, classes * sizeof *scratch->counts);
    for (uint32_t i = 0; i < open->count; i++)
        scratch->counts[labels[i]]++;
    for (uint32_t c = 0; c < classes; c++)
        if (scratch->counts[c] > 0) {
            scratch->class_index[c] = node.class_count;
            scratch->weights[node.class_count] = trainer->growth.weights[c];
            scratch->totals[node.class_count] = scratch->counts[c];
            scratch->sides[node.class_count++] = scratch->counts[c] * trainer->growth.weights[c];
        }
    all = shw_score_side_of(trainer->params.score, scratch->sides, node.class_count);
    node.unsplit = shw_score_of(trainer->params.score, &all, &none);
    return node;
}

/* The samples that thresholds are made from: all of a small node, else drawn. */
static void fill_probe(const struct round *round, const struct shw_open_node *open, struct scratch *scratch)
{
    const struct shw_trainer *trainer = round->trainer;
    bool best = trainer->params.thresholds == SHW_THRESHOLDS_BEST;
    uint32_t wanted = best ? SHW_THRESHOLD_SAMPLES : trainer->params.bins - 1;
    uint32_t indices[256], count = best && open->count < wanted ? open->count : wanted;

    for (uint32_t i = 0; i < count; i++)
        indices[i] =
            open->first +
            (best && open->count <= wanted ? i : shw_random_below(shw_random(round->threshold_key, open->node, i), open->count));
    shw_block_fill(&scratch->probe, &trainer->images, &trainer->growth.samples, 0, indices, count);
}

static void prepare_slice(const struct round *round, const struct shw_open_node *open, uint32_t first, uint32_t count,
                          const struct shw_node_counts *node, struct scratch *scratch)
{
    const struct shw_trainer *trainer = round->trainer;
    uint32_t place = trainer->params.pool == SHW_POOL_NODE ? open->node : trainer->growth.depth;

    for (uint32_t i = 0; i < count; i++) {
        struct shw_feature feature = shw_candidate_draw(&trainer->params, trainer->set, round->candidate_key, place, first + i);
        scratch->features[i] = shw_feature_pack(&feature);
        trainer->respond(trainer->images.integrals, &scratch->probe, &scratch->features[i], scratch->responses);
        shw_thresholds_make(&trainer->params, scratch->responses, scratch->probe.count, &scratch->thresholds[i]);
    }
    memset(scratch->histograms, 0, (size_t)count * trainer->params.bins * node->class_count * sizeof *scratch->histograms);
}

static void fill_histograms(const struct round *round, const struct shw_open_node *open, uint32_t count,
                            const struct shw_node_counts *node, struct scratch *scratch)
{
    const struct shw_trainer *trainer = round->trainer;
    struct shw_block *block = &scratch->block;
    uint32_t classes = node->class_count;

    for (uint32_t done = 0; done < open->count; done += block->count) {
        uint32_t left = open->count - done;
        shw_block_fill(block, &trainer->images, &trainer->growth.samples, open->first + done, NULL,
                       left < SHW_BLOCK ? left : SHW_BLOCK);
        for (uint32_t s = 0; s < block->count; s++)
            block->label[s] = (uint16_t)scratch->class_index[block->label[s]];
        for (uint32_t i = 0; i < count; i++) {
            uint32_t *histogram = scratch->histograms + (size_t)i * trainer->params.bins * classes;
            if (scratch->thresholds[i].count == 0)
                continue;
            trainer->respond(trainer->images.integrals, block, &scratch->features[i], scratch->responses);
            shw_thresholds_bin(trainer->params.thresholds, &scratch->thresholds[i], scratch->responses, block->count);
            for (uint32_t s = 0; s < block->count; s++)
                histogram[(uint32_t)scratch->responses[s] * classes + block->label[s]]++;
        }
    }
}

static void run_task(void *user, uint32_t index, uint32_t thread)
{
    const struct round *round = user;
    struct task *task = &round->tasks[index];
    struct scratch *scratch = &round->scratch[thread];
    const struct shw_trainer *trainer = round->trainer;
    const struct shw_open_node *open = &trainer->growth.open[task->open];
    struct shw_node_counts node = count_classes(trainer, open, scratch);

    if (node.class_count < 2)
        return;
    fill_probe(round, open, scratch);
    for (uint32_t first = task->first; first < task->end; first += round->slice) {
        uint32_t count = task->end - first < round->slice ? task->end - first : round->slice;
        prepare_slice(round, open, first, count, &node, scratch);
        fill_histograms(round, open, count, &node, scratch);
        for (uint32_t i = 0; i < count; i++)
            if (scratch->thresholds[i].count > 0)
                shw_split_choose(&trainer->params, &node, &scratch->thresholds[i],
                                 scratch->histograms + (size_t)i * trainer->params.bins * node.class_count, first + i,
                                 scratch->sides, &task->best);
    }
}

/* Slices that keep all threads busy on one node, and histograms within bounds. */
static uint32_t choose_slice(const struct shw_trainer *trainer)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    uint32_t slice = (trainer->params.candidates + threads - 1) / threads;
    size_t histogram = (size_t)trainer->params.bins * trainer->dataset->class_count * sizeof(uint32_t);

    slice = slice < SLICE_MAX ? slice : SLICE_MAX;
    slice = slice * histogram > HISTOGRAM_MAX ? (uint32_t)(HISTOGRAM_MAX / histogram) : slice;
    return slice > 0 ? slice : 1;
}

static bool make_tasks(struct round *round)
{
    const struct shw_growth *growth = &round->trainer->growth;
    uint32_t candidates = round->trainer->params.candidates;
    uint32_t slices = (candidates + round->slice - 1) / round->slice;

    round->tasks = malloc((size_t)growth->open_count * slices * sizeof *round->tasks);
    if (round->tasks == NULL)
        return false;
    for (uint32_t o = 0; o < growth->open_count; o++) {
        bool large = growth->open[o].count >= LARGE_NODE;
        for (uint32_t first = 0; first < candidates; first += large ? round->slice : candidates) {
            uint32_t end = large && candidates - first > round->slice ? first + round->slice : candidates;
            round->tasks[round->task_count++] = (struct task){.open = o, .first = first, .end = end};
        }
    }
    return true;
}

/* Tasks are in order of their candidates, so a later one only wins by a better score. */
static void merge(const struct round *round, struct shw_split *splits)
{
    const struct shw_trainer *trainer = round->trainer;

    memset(splits, 0, trainer->growth.open_count * sizeof *splits);
    for (uint32_t t = 0; t < round->task_count; t++) {
        const struct task *task = &round->tasks[t];
        struct shw_split *split = &splits[task->open];
        if (task->best.found && (!split->found || shw_score_compare(&task->best.score, &split->score) > 0))
            *split = task->best;
    }
    for (uint32_t o = 0; o < trainer->growth.open_count; o++)
        if (splits[o].found)
            splits[o].feature =
                shw_candidate_draw(&trainer->params, trainer->set, round->candidate_key,
                                   trainer->params.pool == SHW_POOL_NODE ? trainer->growth.open[o].node : trainer->growth.depth,
                                   splits[o].candidate);
}

enum shw_result shw_split_cpu(struct shw_trainer *trainer, struct shw_split *splits)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    struct round round = {.trainer = trainer,
                          .slice = choose_slice(trainer),
                          .candidate_key = shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_CANDIDATES),
                          .threshold_key = shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_THRESHOLDS),
                          .scratch = calloc(threads, sizeof *round.scratch)};
    bool good = round.scratch != NULL && make_tasks(&round);

    for (uint32_t t = 0; good && t < threads; t++)
        good = allocate_scratch(&round.scratch[t], &round);
    if (good) {
        shw_thread_pool_run(trainer->pool, round.task_count, run_task, &round);
        merge(&round, splits);
        for (uint32_t o = 0; o < trainer->growth.open_count; o++)
            trainer->responses += (uint64_t)trainer->growth.open[o].count * trainer->params.candidates;
    }
    for (uint32_t t = 0; round.scratch != NULL && t < threads; t++)
        free_scratch(&round.scratch[t]);
    free(round.scratch);
    free(round.tasks);
    return good ? SHW_OK : shw_fail_memory(&trainer->params.log, "histograms");
}
