/* Rounds whose tests the caller's learner chooses. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "train/learning.h"

#define BAD_CHOICE(learning, node, format, ...)                                                                        \
    shw_fail(&(learning)->trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_LEARNER, "learner %s, node %u: " format,    \
             (learning)->learner->name, node, __VA_ARGS__)

void shw_learning_free(struct shw_learning **handle)
{
    struct shw_learning *learning = *handle;

    if (learning == NULL)
        return;
    free(learning->nodes);
    free(learning->class_words);
    free(learning->classes);
    free(learning->choices);
    free(learning->kept);
    free(learning->pieces);
    free(learning->first_rows);
    free(learning->usable);
    free(learning->thresholds);
    free(learning);
    *handle = NULL;
}

static void list_nodes(struct shw_learning *learning)
{
    const struct shw_growth *growth = &learning->trainer->growth;
    size_t classes = learning->trainer->dataset->class_count, at = 0;

    for (uint32_t o = 0; o < growth->open_count; o++) {
        const uint32_t *all = growth->open_counts + o * classes;
        struct shw_learn_node *node = &learning->nodes[o];
        uint32_t present = 0, *counts = learning->class_words + 2 * at, *weights;
        for (size_t c = 0; c < classes; c++)
            present += all[c] > 0;
        weights = counts + present;
        *node = (struct shw_learn_node){.number = growth->open[o].node,
                                        .samples = growth->open[o].count,
                                        .class_count = present,
                                        .classes = learning->classes + at,
                                        .counts = counts,
                                        .weights = weights};
        for (size_t c = 0; c < classes; c++)
            if (all[c] > 0) {
                learning->classes[at++] = (uint16_t)c;
                *counts++ = all[c];
                *weights++ = growth->weights[c];
            }
    }
}

enum shw_result shw_learning_begin(struct shw_trainer *trainer)
{
    struct shw_learning *learning = malloc(sizeof *learning);
    const struct shw_trainer_params *params = &trainer->params;
    const struct shw_growth *growth = &trainer->growth;
    size_t opens = growth->open_count, present = 0;

    trainer->learning = learning;
    if (learning == NULL)
        return shw_fail_memory(&params->log, "a training round");
    for (size_t i = 0; i < opens * trainer->dataset->class_count; i++)
        present += growth->open_counts[i] > 0;
    *learning = (struct shw_learning){
        .trainer = trainer,
        .learner = params->learner,
        .nodes = malloc(opens * sizeof *learning->nodes),
        .class_words = malloc(2 * present * sizeof *learning->class_words),
        .classes = malloc(present * sizeof *learning->classes),
        .choices = calloc(opens, sizeof *learning->choices),
        .kept_size = params->thresholds == SHW_THRESHOLDS_BEST ? 2 : params->bins - 1,
    };
    learning->kept = calloc(opens * params->candidates * learning->kept_size, sizeof *learning->kept);
    if (learning->nodes == NULL || learning->class_words == NULL || learning->classes == NULL ||
        learning->choices == NULL || learning->kept == NULL)
        return shw_fail_memory(&params->log, "a training round");
    list_nodes(learning);
    learning->round = (struct shw_learn_round){.tree = trainer->tree_count,
                                               .depth = growth->depth,
                                               .node_count = growth->open_count,
                                               .nodes = learning->nodes,
                                               .candidate_count = params->candidates,
                                               .bin_count = params->bins,
                                               .thresholds = params->thresholds,
                                               .samples_min = params->samples_min,
                                               .seed = params->seed};
    return learning->learner->begin_round != NULL
               ? learning->learner->begin_round(learning->learner->user, &learning->round)
               : SHW_OK;
}

static bool reserve_pieces(struct shw_learning *learning)
{
    uint32_t capacity = 2 * learning->piece_capacity + 16;
    struct shw_learn_piece *pieces;
    size_t *first_rows;

    if (learning->piece_count < learning->piece_capacity)
        return true;
    pieces = realloc(learning->pieces, capacity * sizeof *pieces);
    if (pieces != NULL)
        learning->pieces = pieces;
    first_rows = realloc(learning->first_rows, capacity * sizeof *first_rows);
    if (first_rows != NULL)
        learning->first_rows = first_rows;
    if (pieces == NULL || first_rows == NULL)
        return false;
    learning->piece_capacity = capacity;
    return true;
}

static bool reserve_rows(struct shw_learning *learning, size_t count)
{
    size_t capacity = 2 * (learning->row_count + count);
    uint8_t *usable;
    int32_t *thresholds;

    if (learning->row_count + count <= learning->row_capacity)
        return true;
    usable = realloc(learning->usable, capacity * sizeof *usable);
    if (usable != NULL)
        learning->usable = usable;
    thresholds = realloc(learning->thresholds, capacity * (learning->round.bin_count - 1) * sizeof *thresholds);
    if (thresholds != NULL)
        learning->thresholds = thresholds;
    if (usable == NULL || thresholds == NULL)
        return false;
    learning->row_capacity = capacity;
    return true;
}

enum shw_result shw_learning_add(struct shw_learning *learning, uint32_t open, uint32_t candidate, uint32_t count,
                                 uint32_t *histogram)
{
    if (!reserve_pieces(learning) || !reserve_rows(learning, count))
        return shw_fail_memory(&learning->trainer->params.log, "histograms");
    learning->first_rows[learning->piece_count] = learning->row_count;
    learning->pieces[learning->piece_count++] = (struct shw_learn_piece){
        .node = open, .candidate_begin = candidate, .candidate_count = count, .histogram = histogram};
    learning->row_count += count;
    return SHW_OK;
}

uint32_t *shw_learning_histogram(const struct shw_learning *learning, uint32_t piece, uint32_t candidate)
{
    const struct shw_learn_piece *of = &learning->pieces[piece];
    size_t words = (size_t)learning->round.bin_count * learning->nodes[of->node].class_count;

    return (uint32_t *)(uintptr_t)of->histogram + candidate * words;
}

void shw_learning_set_thresholds(struct shw_learning *learning, uint32_t piece, uint32_t candidate,
                                 const struct shw_thresholds *thresholds)
{
    const struct shw_learn_piece *of = &learning->pieces[piece];
    size_t count = learning->round.bin_count - 1, row = learning->first_rows[piece] + candidate;
    int32_t *values = learning->thresholds + row * count, *kept = learning->kept;

    learning->usable[row] = thresholds->count > 0;
    if (thresholds->count == 0) {
        memset(values, 0, count * sizeof *values);
        memset(shw_learning_histogram(learning, piece, candidate), 0,
               (count + 1) * learning->nodes[of->node].class_count * sizeof(uint32_t));
        return;
    }
    memcpy(values, thresholds->values, count * sizeof *values);
    kept +=
        ((size_t)of->node * learning->round.candidate_count + of->candidate_begin + candidate) * learning->kept_size;
    if (learning->round.thresholds == SHW_THRESHOLDS_BEST) {
        kept[0] = thresholds->low;
        kept[1] = (int32_t)thresholds->range;
    } else {
        memcpy(kept, values, count * sizeof *kept);
    }
}

enum shw_result shw_learning_call(struct shw_learning *learning)
{
    const struct shw_learner *learner = learning->learner;
    uint32_t count = learning->piece_count;

    for (uint32_t p = 0; p < count; p++) {
        learning->pieces[p].usable = learning->usable + learning->first_rows[p];
        learning->pieces[p].thresholds =
            learning->thresholds + learning->first_rows[p] * (learning->round.bin_count - 1);
    }
    learning->piece_count = 0;
    learning->row_count = 0;
    return count > 0 ? learner->histograms(learner->user, &learning->round, learning->pieces, count) : SHW_OK;
}

/* Threshold `k` of a candidate of which these words are kept. */
static int32_t threshold_of(const struct shw_learning *learning, const int32_t *kept, uint32_t k)
{
    if (learning->round.thresholds == SHW_THRESHOLDS_BEST)
        return shw_threshold_even(kept[0], (uint32_t)kept[1], learning->round.bin_count, k + 1);
    return kept[k];
}

static enum shw_result take_choice(const struct shw_learning *learning, uint32_t open, struct shw_split *split)
{
    const struct shw_learn_choice *choice = &learning->choices[open];
    const struct shw_learn_round *round = &learning->round;
    uint32_t node = round->nodes[open].number, first = choice->bin_first, last = choice->bin_last;
    const int32_t *kept;

    if (!choice->split)
        return SHW_OK;
    if (choice->candidate >= round->candidate_count)
        return BAD_CHOICE(learning, node, "there is no candidate %u; the last is %u", choice->candidate,
                          round->candidate_count - 1);
    if (first > last || last >= round->bin_count)
        return BAD_CHOICE(learning, node, "bins %u to %u are no run of bins; they go from 0 to %u", first, last,
                          round->bin_count - 1);
    if (last - first + 1 == round->bin_count)
        return BAD_CHOICE(learning, node, "bins %u to %u are all bins, which is no split", first, last);
    kept = learning->kept + ((size_t)open * round->candidate_count + choice->candidate) * learning->kept_size;
    if (round->thresholds == SHW_THRESHOLDS_BEST && kept[1] == 0)
        return BAD_CHOICE(learning, node, "candidate %u has no thresholds and cannot be chosen", choice->candidate);
    *split = (struct shw_split){.found = true,
                                .candidate = choice->candidate,
                                .t0 = first > 0 ? threshold_of(learning, kept, first - 1) : INT32_MIN,
                                .t1 = last + 1 < round->bin_count ? threshold_of(learning, kept, last) : INT32_MAX};
    return SHW_OK;
}

enum shw_result shw_learning_end(struct shw_learning *learning, struct shw_split *splits)
{
    const struct shw_learner *learner = learning->learner;

    memset(splits, 0, learning->round.node_count * sizeof *splits);
    SHW_PROPAGATE(learner->end_round(learner->user, &learning->round, learning->choices));
    for (uint32_t o = 0; o < learning->round.node_count; o++)
        SHW_PROPAGATE(take_choice(learning, o, &splits[o]));
    shw_split_recall_features(learning->trainer, splits);
    return SHW_OK;
}

enum shw_result shw_learning_check(const struct shw_trainer *trainer)
{
    const struct shw_growth *growth = &trainer->growth;
    size_t classes = trainer->dataset->class_count;

    for (uint32_t o = 0; o < growth->open_count; o++)
        for (uint32_t side = 0; side < 2 && growth->splits[o].found; side++) {
            const uint32_t *counts = growth->child_counts + (2 * (size_t)o + side) * classes;
            uint32_t all = 0;
            for (size_t c = 0; c < classes; c++)
                all += counts[c];
            if (all < trainer->params.samples_min)
                return BAD_CHOICE(trainer->learning, growth->open[o].node,
                                  "candidate %u leaves %u samples on the %s; samples_min is %u",
                                  growth->splits[o].candidate, all, side == 0 ? "left" : "right",
                                  trainer->params.samples_min);
        }
    return SHW_OK;
}
