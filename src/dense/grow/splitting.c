#include "dense/grow/splitting.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "dense/grow/fern.h"
#include "dense/split/split.h"

#define BAD_CHOICE(splitting, node, format, ...)                                                                       \
    shw_fail(&(splitting)->trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_SPLITTER, "splitter %s, node %u: " format, \
             (splitting)->splitter->name, node, __VA_ARGS__)

void shw_splitting_free(struct shw_splitting **handle)
{
    struct shw_splitting *splitting = *handle;

    if (splitting == NULL)
        return;
    free(splitting->nodes);
    free(splitting->class_words);
    free(splitting->classes);
    free(splitting->choices);
    free(splitting->kept);
    free(splitting->pieces);
    free(splitting->first_rows);
    free(splitting->usable);
    free(splitting->thresholds);
    free(splitting);
    *handle = NULL;
}

static void list_nodes(struct shw_splitting *splitting)
{
    const struct shw_tree_builder *builder = &splitting->trainer->builder;
    const uint32_t *own_counts = shw_tree_builder_own_counts(builder);
    size_t classes = splitting->trainer->dataset->class_count, at = 0;

    for (uint32_t o = 0; o < builder->open_count; o++) {
        const uint32_t *all = builder->open_counts + o * classes, *own = own_counts + o * classes;
        struct shw_splitter_node *node = &splitting->nodes[o];
        uint32_t present = 0, *counts = splitting->class_words + 2 * at, *weights;
        for (size_t c = 0; c < classes; c++)
            present += all[c] > 0;
        weights = counts + present;
        *node = (struct shw_splitter_node){.number = builder->open[o].node,
                                           .samples = builder->open[o].count,
                                           .class_count = present,
                                           .classes = splitting->classes + at,
                                           .counts = counts,
                                           .weights = weights};
        for (size_t c = 0; c < classes; c++)
            if (all[c] > 0) {
                splitting->classes[at++] = (uint16_t)c;
                *counts++ = own[c];
                *weights++ = builder->weights[c];
            }
    }
}

enum shw_result shw_splitting_begin(struct shw_trainer *trainer)
{
    struct shw_splitting *splitting = malloc(sizeof *splitting);
    const struct shw_trainer_params *params = &trainer->params;
    const struct shw_tree_builder *builder = &trainer->builder;
    size_t opens = builder->open_count, present = 0;

    trainer->splitting = splitting;
    if (splitting == NULL)
        return shw_fail_memory(&params->log, "a training round");
    for (size_t i = 0; i < opens * trainer->dataset->class_count; i++)
        present += builder->open_counts[i] > 0;
    *splitting = (struct shw_splitting){
        .trainer = trainer,
        .splitter = trainer->division != NULL ? &trainer->division->splitter
                    : params->ferns           ? &trainer->fern_level->splitter
                                              : params->splitter,
        .nodes = malloc(opens * sizeof *splitting->nodes),
        .class_words = malloc(2 * present * sizeof *splitting->class_words),
        .classes = malloc(present * sizeof *splitting->classes),
        .choices = calloc(opens, sizeof *splitting->choices),
        .kept_size = shw_threshold_values(params),
    };
    splitting->kept =
        calloc((params->ferns ? 1 : opens) * trainer->candidate_count * splitting->kept_size, sizeof *splitting->kept);
    if (splitting->nodes == NULL || splitting->class_words == NULL || splitting->classes == NULL ||
        splitting->choices == NULL || splitting->kept == NULL)
        return shw_fail_memory(&params->log, "a training round");
    list_nodes(splitting);
    splitting->round = (struct shw_splitter_round){.tree = shw_trainer_tree(trainer),
                                                   .depth = builder->depth,
                                                   .node_count = builder->open_count,
                                                   .nodes = splitting->nodes,
                                                   .candidate_count = trainer->candidate_count,
                                                   .bin_count = params->bins,
                                                   .undefined_bins = params->feature->may_be_undefined,
                                                   .thresholds = params->thresholds,
                                                   .samples_min = params->samples_min,
                                                   .seed = params->seed};
    return splitting->splitter->begin_round != NULL
               ? splitting->splitter->begin_round(splitting->splitter->user, &splitting->round)
               : SHW_OK;
}

static bool reserve_pieces(struct shw_splitting *splitting)
{
    uint32_t capacity = splitting->piece_capacity; /* of both arrays */

    return SHW_RESERVE(splitting->first_rows, capacity, splitting->piece_count + 1u) &&
           SHW_RESERVE(splitting->pieces, splitting->piece_capacity, splitting->piece_count + 1u);
}

static bool reserve_rows(struct shw_splitting *splitting, size_t count)
{
    uint32_t capacity = splitting->row_capacity; /* of both arrays */

    count += splitting->row_count;
    return SHW_RESERVE(splitting->usable, capacity, count) &&
           shw_array_reserve(&splitting->thresholds, &splitting->row_capacity, count,
                             (splitting->round.bin_count - 1) * sizeof *splitting->thresholds);
}

enum shw_result shw_splitting_add(struct shw_splitting *splitting, uint32_t open, uint32_t candidate, uint32_t count,
                                  uint32_t *histogram)
{
    if (!reserve_pieces(splitting) || !reserve_rows(splitting, count))
        return shw_fail_memory(&splitting->trainer->params.log, "histograms");
    splitting->first_rows[splitting->piece_count] = splitting->row_count;
    splitting->pieces[splitting->piece_count++] = (struct shw_splitter_piece){
        .node = open, .candidate_begin = candidate, .candidate_count = count, .histogram = histogram};
    splitting->row_count += count;
    return SHW_OK;
}

uint32_t *shw_splitting_histogram(const struct shw_splitting *splitting, uint32_t piece, uint32_t candidate)
{
    const struct shw_splitter_piece *of = &splitting->pieces[piece];
    size_t words = shw_splitting_words(splitting, of->node);

    return (uint32_t *)(uintptr_t)of->histogram + candidate * words;
}

/* All nodes of a fern's level have the same thresholds; those of the first are kept. */
static int32_t *kept_of(const struct shw_splitting *splitting, uint32_t open, uint32_t candidate)
{
    if (splitting->trainer->params.ferns)
        open = 0;
    return splitting->kept + ((size_t)open * splitting->round.candidate_count + candidate) * splitting->kept_size;
}

/* Keeps what the thresholds can be made from again. */
static void keep(const struct shw_splitting *splitting, const struct shw_thresholds *thresholds, int32_t *kept)
{
    if (thresholds->count == 0) {
        kept[0] = SHW_UNDEFINED_RESPONSE; /* no threshold is made from it */
    } else if (splitting->round.thresholds == SHW_THRESHOLDS_BEST) {
        kept[0] = thresholds->low;
        kept[1] = (int32_t)thresholds->range;
    } else {
        memcpy(kept, thresholds->values, thresholds->count * sizeof *kept);
    }
}

void shw_splitting_set_thresholds(struct shw_splitting *splitting, uint32_t piece, uint32_t candidate,
                                  const struct shw_thresholds *thresholds)
{
    const struct shw_splitter_piece *of = &splitting->pieces[piece];
    size_t count = splitting->round.bin_count - 1, row = splitting->first_rows[piece] + candidate;
    int32_t *values = splitting->thresholds + row * count;

    splitting->usable[row] = thresholds->count > 0;
    if (thresholds->count == 0) {
        memset(values, 0, count * sizeof *values);
        memset(shw_splitting_histogram(splitting, piece, candidate), 0,
               shw_splitting_words(splitting, of->node) * sizeof(uint32_t));
    } else {
        memcpy(values, thresholds->values, count * sizeof *values);
    }
    if (of->node == 0 || !splitting->trainer->params.ferns)
        keep(splitting, thresholds, kept_of(splitting, of->node, of->candidate_begin + candidate));
}

/* Whether the histograms of a piece hold the samples of its node, class by class. */
static bool is_complete(const struct shw_splitting *splitting, const struct shw_splitter_piece *piece)
{
    const struct shw_splitter_node *node = &splitting->round.nodes[piece->node];
    uint32_t bins = splitting->round.bin_count + splitting->round.undefined_bins;
    const uint32_t *histogram = piece->histogram;

    for (uint32_t i = 0; i < piece->candidate_count; i++, histogram += (size_t)bins * node->class_count)
        if (piece->usable[i] != 0 && !shw_histogram_is_complete(histogram, bins, node->class_count, node->counts))
            return false;
    return true;
}

enum shw_result shw_splitting_call(struct shw_splitting *splitting)
{
    const struct shw_splitter *splitter = splitting->splitter;
    uint32_t count = splitting->piece_count;

    for (uint32_t p = 0; p < count; p++) {
        splitting->pieces[p].usable = splitting->usable + splitting->first_rows[p];
        splitting->pieces[p].thresholds =
            splitting->thresholds + splitting->first_rows[p] * (splitting->round.bin_count - 1);
        if (!is_complete(splitting, &splitting->pieces[p]))
            return shw_tree_builder_lost(splitting->trainer, splitting->pieces[p].node);
    }
    splitting->piece_count = 0;
    splitting->row_count = 0;
    return count > 0 ? splitter->histograms(splitter->user, &splitting->round, splitting->pieces, count) : SHW_OK;
}

/* Threshold `k` of a candidate, from its kept words. */
static int32_t threshold_of(const struct shw_splitting *splitting, const int32_t *kept, uint32_t k)
{
    if (splitting->round.thresholds == SHW_THRESHOLDS_BEST)
        return shw_threshold_even(kept[0], (uint32_t)kept[1], splitting->round.bin_count, k + 1);
    return kept[k];
}

static enum shw_result take_choice(const struct shw_splitting *splitting, uint32_t open, struct shw_split *split)
{
    const struct shw_splitter_choice *choice = &splitting->choices[open];
    const struct shw_splitter_round *round = &splitting->round;
    uint32_t node = round->nodes[open].number, first = choice->bin_first, last = choice->bin_last;
    const int32_t *kept;

    if (!choice->split)
        return SHW_OK;
    if (choice->candidate >= round->candidate_count)
        return BAD_CHOICE(splitting, node, "there is no candidate %u; the last is %u", choice->candidate,
                          round->candidate_count - 1);
    if (first > last || last >= round->bin_count)
        return BAD_CHOICE(splitting, node, "bins %u to %u are not a range within bins 0 to %u", first, last,
                          round->bin_count - 1);
    if (last - first + 1 == round->bin_count)
        return BAD_CHOICE(splitting, node, "bins %u to %u are all bins, which splits nothing", first, last);
    kept = kept_of(splitting, open, choice->candidate);
    if (kept[0] == SHW_UNDEFINED_RESPONSE)
        return BAD_CHOICE(splitting, node, "candidate %u has no thresholds and cannot be chosen", choice->candidate);
    *split = (struct shw_split){.found = true,
                                .candidate = splitting->trainer->candidate_begin + choice->candidate,
                                .t0 = first > 0 ? threshold_of(splitting, kept, first - 1) : INT32_MIN,
                                .t1 = last + 1 < round->bin_count ? threshold_of(splitting, kept, last) : INT32_MAX};
    if (splitting->trainer->params.ferns)
        split->score = (struct shw_score_value){splitting->trainer->fern_level->gain, 0, 1};
    if (split->t0 >= split->t1)
        return BAD_CHOICE(splitting, node, "between equal thresholds, bins %u to %u hold no response", first, last);
    return SHW_OK;
}

enum shw_result shw_splitting_end(struct shw_splitting *splitting, struct shw_split *splits)
{
    const struct shw_splitter *splitter = splitting->splitter;

    memset(splits, 0, splitting->round.node_count * sizeof *splits);
    SHW_PROPAGATE(splitter->end_round(splitter->user, &splitting->round, splitting->choices));
    for (uint32_t o = 0; o < splitting->round.node_count; o++)
        SHW_PROPAGATE(take_choice(splitting, o, &splits[o]));
    return SHW_OK;
}

enum shw_result shw_splitting_check(const struct shw_trainer *trainer)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    size_t classes = trainer->dataset->class_count;

    for (uint32_t o = 0; o < builder->open_count; o++)
        for (uint32_t side = 0; side < 2 && builder->splits[o].found; side++) {
            const uint32_t *counts = builder->child_counts + (2 * (size_t)o + side) * classes;
            uint32_t all = 0;
            for (size_t c = 0; c < classes; c++)
                all += counts[c];
            if (all < trainer->params.samples_min)
                return BAD_CHOICE(trainer->splitting, builder->open[o].node,
                                  "candidate %u leaves %u samples on the %s; samples_min is %u",
                                  builder->splits[o].candidate, all, side == 0 ? "left" : "right",
                                  trainer->params.samples_min);
        }
    return SHW_OK;
}

/* ID3 and C4.5 as splitters: keep the best test of every node by shw_score_of() while histograms arrive. */

struct gain_splitter {
    struct shw_log log;
    enum shw_score score;
    struct shw_split *best; /* per node of the round */
    uint32_t *scratch;      /* 4 numbers per class */
};

static enum shw_result begin_round(void *user, const struct shw_splitter_round *round)
{
    struct gain_splitter *splitter = user;
    size_t classes = 0;

    for (uint32_t n = 0; n < round->node_count; n++)
        classes = round->nodes[n].class_count > classes ? round->nodes[n].class_count : classes;
    free(splitter->best);
    free(splitter->scratch);
    splitter->best = calloc(round->node_count, sizeof *splitter->best);
    splitter->scratch = malloc(4 * classes * sizeof *splitter->scratch);
    return splitter->best != NULL && splitter->scratch != NULL ? SHW_OK : shw_fail_memory(&splitter->log, "a splitter");
}

static struct shw_node_counts node_counts(const struct gain_splitter *splitter, const struct shw_splitter_node *node)
{
    struct shw_node_counts counts = {
        .class_count = node->class_count, .weights = node->weights, .totals = node->counts, .samples = node->samples};
    const struct shw_score_side none = {0};

    for (uint32_t c = 0; c < node->class_count; c++)
        splitter->scratch[c] = node->counts[c] * node->weights[c];
    counts.all = shw_score_side_of(splitter->score, splitter->scratch, node->class_count);
    counts.unsplit = shw_score_of(splitter->score, &counts.all, &counts.all, &none);
    return counts;
}

static enum shw_result histograms(void *user, const struct shw_splitter_round *round,
                                  const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct gain_splitter *splitter = user;
    const struct shw_trainer_params params = {
        .score = splitter->score, .thresholds = round->thresholds, .samples_min = round->samples_min};
    struct shw_thresholds thresholds = {.count = round->bin_count - 1, .undefined_bins = round->undefined_bins};

    for (uint32_t p = 0; p < piece_count; p++) {
        const struct shw_splitter_piece *piece = &pieces[p];
        const struct shw_splitter_node *node = &round->nodes[piece->node];
        const struct shw_node_counts counts = node_counts(splitter, node);
        size_t words = (size_t)(round->bin_count + round->undefined_bins) * node->class_count;
        for (uint32_t c = 0; c < piece->candidate_count; c++) {
            if (piece->usable[c] == 0)
                continue;
            memcpy(thresholds.values, piece->thresholds + (size_t)c * thresholds.count,
                   thresholds.count * sizeof *thresholds.values);
            shw_split_choose(&params, &counts, &thresholds, piece->histogram + c * words, piece->candidate_begin + c,
                             splitter->scratch, &splitter->best[piece->node]);
        }
    }
    return SHW_OK;
}

static enum shw_result end_round(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices)
{
    const struct gain_splitter *splitter = user;

    for (uint32_t n = 0; n < round->node_count; n++)
        choices[n] = (struct shw_splitter_choice){.split = splitter->best[n].found,
                                                  .candidate = splitter->best[n].candidate,
                                                  .bin_first = splitter->best[n].bin_first,
                                                  .bin_last = splitter->best[n].bin_last};
    return SHW_OK;
}

static enum shw_result make(const struct shw_log *log, const char *name, enum shw_score score,
                            struct shw_splitter *splitter)
{
    struct gain_splitter *made = calloc(1, sizeof *made);

    *splitter = (struct shw_splitter){0};
    if (made == NULL)
        return shw_fail_memory(log, "a splitter");
    made->score = score;
    made->log = log != NULL ? *log : made->log;
    *splitter = (struct shw_splitter){
        .name = name, .user = made, .begin_round = begin_round, .histograms = histograms, .end_round = end_round};
    return SHW_OK;
}

enum shw_result shw_splitter_id3_abi(uint32_t abi, const struct shw_log *log, struct shw_splitter *splitter)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, splitter);

    return make(log, "id3", SHW_SCORE_INFORMATION_GAIN, splitter);
}

enum shw_result shw_splitter_c45_abi(uint32_t abi, const struct shw_log *log, struct shw_splitter *splitter)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, splitter);

    return make(log, "c4.5", SHW_SCORE_GAIN_RATIO, splitter);
}

void shw_splitter_free(struct shw_splitter *splitter)
{
    struct gain_splitter *made;

    if (splitter == NULL || splitter->user == NULL)
        return;
    made = splitter->user;
    free(made->best);
    free(made->scratch);
    free(made);
    *splitter = (struct shw_splitter){0};
}
