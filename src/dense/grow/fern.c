#include "dense/grow/fern.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/grow/trainer.h"

/* The test of a fern's level: the one by which its nodes gain most in all (Waldvogel 2013, Eq. 4.14). */

#define BLOCK 4u /* candidates that a thread adds up at a time */

static enum shw_result begin_round(void *user, const struct shw_splitter_round *round)
{
    struct shw_fern_level *level = user;
    const struct shw_trainer *trainer = level->trainer;
    size_t candidates = round->candidate_count, classes = trainer->dataset->class_count;

    level->round = round;
    level->nodes = malloc(round->node_count * sizeof *level->nodes);
    level->sums = calloc(candidates * shw_split_tests(&trainer->params), sizeof *level->sums);
    level->usable = calloc(candidates, sizeof *level->usable);
    level->thresholds = malloc(candidates * (round->bin_count - 1) * sizeof *level->thresholds);
    level->scratch = malloc(4 * classes * shw_thread_pool_size(trainer->pool) * sizeof *level->scratch);
    if (level->nodes == NULL || level->sums == NULL || level->usable == NULL || level->thresholds == NULL ||
        level->scratch == NULL)
        return shw_fail_memory(&trainer->params.log, "the scores of a level");
    for (uint32_t n = 0; n < round->node_count; n++) {
        const struct shw_splitter_node *node = &round->nodes[n];
        level->nodes[n] = shw_node_counts_make(trainer->params.score, node->samples, node->class_count, node->weights,
                                               node->counts, level->scratch);
    }
    return SHW_OK;
}

struct call {
    struct shw_fern_level *level;
    const struct shw_splitter_piece *pieces;
    uint32_t piece_count;
};

/* Thresholds are the same in every node; those of the first are kept. */
static void keep_thresholds(struct shw_fern_level *level, const struct shw_splitter_piece *piece, uint32_t i)
{
    size_t count = level->round->bin_count - 1, candidate = piece->candidate_begin + i;

    level->usable[candidate] = piece->usable[i];
    memcpy(level->thresholds + candidate * count, piece->thresholds + i * count, count * sizeof *level->thresholds);
}

/* Adds up the gains of the candidates of a block. */
static void add_block(void *user, uint32_t index, uint32_t thread)
{
    const struct call *call = user;
    struct shw_fern_level *level = call->level;
    const struct shw_trainer *trainer = level->trainer;
    const struct shw_splitter_round *round = level->round;
    size_t tests = shw_split_tests(&trainer->params), bins = round->bin_count + round->undefined_bins;
    uint32_t *scratch = level->scratch + (size_t)thread * 4 * trainer->dataset->class_count;

    for (uint32_t p = 0; p < call->piece_count; p++) {
        const struct shw_splitter_piece *piece = &call->pieces[p];
        const struct shw_node_counts *node = &level->nodes[piece->node];
        for (uint32_t c = index * BLOCK; c < (index + 1) * BLOCK; c++) {
            uint32_t i = c - piece->candidate_begin;
            if (c < piece->candidate_begin || i >= piece->candidate_count)
                continue;
            if (piece->node == 0)
                keep_thresholds(level, piece, i);
            if (piece->usable[i] != 0)
                shw_split_add_gains(&trainer->params, node, piece->histogram + i * bins * node->class_count, scratch,
                                    level->sums + c * tests);
        }
    }
}

static enum shw_result histograms(void *user, const struct shw_splitter_round *round,
                                  const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct shw_fern_level *level = user;
    struct call call = {level, pieces, piece_count};

    shw_thread_pool_run(level->trainer->pool, (round->candidate_count + BLOCK - 1) / BLOCK, add_block, &call);
    return SHW_OK;
}

/* The bins of test `test`, in the order of shw_split_add_gains(). */
static void find_bins(const struct shw_splitter_round *round, uint32_t test, struct shw_splitter_choice *choice)
{
    uint32_t first = 0, count;

    if (round->thresholds == SHW_THRESHOLDS_BEST) {
        choice->bin_first = test + 1;
        choice->bin_last = round->bin_count - 1;
        return;
    }
    for (; test >= (count = round->bin_count - (first == 0 ? 1 : first)); first++)
        test -= count;
    choice->bin_first = first;
    choice->bin_last = first + test;
}

/* Whether only undefined responses would go right. */
static bool holds_nothing(const struct shw_fern_level *level, const struct shw_splitter_choice *choice)
{
    const int32_t *thresholds = level->thresholds + (size_t)choice->candidate * (level->round->bin_count - 1);

    return choice->bin_first > 0 && choice->bin_last + 1 < level->round->bin_count &&
           thresholds[choice->bin_first - 1] >= thresholds[choice->bin_last];
}

static enum shw_result end_round(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices)
{
    struct shw_fern_level *level = user;
    uint32_t tests = shw_split_tests(&level->trainer->params);
    struct shw_splitter_choice best = {.split = false};

    for (uint32_t c = 0; c < round->candidate_count; c++)
        for (uint32_t t = 0; level->usable[c] != 0 && t < tests; t++) {
            int64_t gain = level->sums[(size_t)c * tests + t];
            struct shw_splitter_choice choice = {.split = true, .candidate = c};
            if (gain <= level->gain)
                continue;
            find_bins(round, t, &choice);
            if (holds_nothing(level, &choice))
                continue;
            level->gain = gain;
            best = choice;
        }
    for (uint32_t n = 0; n < round->node_count; n++)
        choices[n] = best;
    return SHW_OK;
}

/* The splitter of a level, which is zero but for `trainer`. */
static struct shw_splitter fern_splitter(struct shw_fern_level *level)
{
    return (struct shw_splitter){
        .name = "ferns", .user = level, .begin_round = begin_round, .histograms = histograms, .end_round = end_round};
}

/* What the nodes of a fern's level share besides the test: the samples that its thresholds are made from. */

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
    number -= ends[low] - builder->open[low].all + builder->open[low].before;
    return number < builder->open[low].count ? builder->open[low].first + number : UINT32_MAX;
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
        ends[o] = samples += builder->open[o].all;
    level->trainer = trainer;
    level->splitter = fern_splitter(level);
    level->probe_count = shw_thresholds_choose(
        &trainer->params, shw_draw_key(trainer->params.seed, shw_trainer_tree(trainer), SHW_DRAW_THRESHOLDS),
        builder->depth, samples, level->probes);
    for (uint32_t i = 0; i < level->probe_count; i++)
        level->probes[i] = place_of(builder, ends, level->probes[i]);
    free(ends);
    return SHW_OK;
}

static void free_round(struct shw_fern_level *level)
{
    free(level->nodes);
    free(level->sums);
    free(level->usable);
    free(level->thresholds);
    free(level->scratch);
    level->nodes = NULL;
    level->sums = NULL;
    level->usable = NULL;
    level->thresholds = NULL;
    level->scratch = NULL;
}

enum shw_result shw_fern_level_score(struct shw_fern_level *level, const struct shw_splitter_round *round,
                                     const struct shw_splitter_piece *pieces, uint32_t piece_count,
                                     struct shw_splitter_choice *choice)
{
    struct shw_splitter_choice *choices = malloc(round->node_count * sizeof *choices);
    enum shw_result result = choices != NULL ? SHW_OK : shw_fail_memory(&level->trainer->params.log, "a level");

    if (result == SHW_OK)
        result = begin_round(level, round);
    if (result == SHW_OK)
        result = histograms(level, round, pieces, piece_count);
    if (result == SHW_OK)
        result = end_round(level, round, choices);
    if (result == SHW_OK)
        *choice = choices[0]; /* all nodes have the same */
    free(choices);
    free_round(level);
    return result;
}

void shw_fern_level_free(struct shw_fern_level **handle)
{
    struct shw_fern_level *level = *handle;

    if (level == NULL)
        return;
    free(level->values);
    free_round(level);
    free(level);
    *handle = NULL;
}
