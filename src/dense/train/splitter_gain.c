/* ID3 and C4.5 as splitters: keep the best test of every node by shw_score_of() while histograms arrive. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/train/splitting.h"

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
