/* ID3 and C4.5 as learners: the best test of every node by the score of shw_score_of(), kept while histograms pass
 * by. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "train/learning.h"

struct gain_learner {
    struct shw_log log;
    enum shw_score score;
    struct shw_split *best; /* a node of the round */
    uint32_t *scratch;      /* 4 numbers a class */
};

static enum shw_result begin_round(void *user, const struct shw_learn_round *round)
{
    struct gain_learner *learner = user;
    size_t classes = 0;

    for (uint32_t n = 0; n < round->node_count; n++)
        classes = round->nodes[n].class_count > classes ? round->nodes[n].class_count : classes;
    free(learner->best);
    free(learner->scratch);
    learner->best = calloc(round->node_count, sizeof *learner->best);
    learner->scratch = malloc(4 * classes * sizeof *learner->scratch);
    return learner->best != NULL && learner->scratch != NULL ? SHW_OK : shw_fail_memory(&learner->log, "a learner");
}

static struct shw_node_counts node_counts(const struct gain_learner *learner, const struct shw_learn_node *node)
{
    struct shw_node_counts counts = {
        .class_count = node->class_count, .weights = node->weights, .totals = node->counts, .samples = node->samples};
    const struct shw_score_side none = {0};

    for (uint32_t c = 0; c < node->class_count; c++)
        learner->scratch[c] = node->counts[c] * node->weights[c];
    counts.all = shw_score_side_of(learner->score, learner->scratch, node->class_count);
    counts.unsplit = shw_score_of(learner->score, &counts.all, &counts.all, &none);
    return counts;
}

static enum shw_result histograms(void *user, const struct shw_learn_round *round, const struct shw_learn_piece *pieces,
                                  uint32_t piece_count)
{
    struct gain_learner *learner = user;
    const struct shw_trainer_params params = {
        .score = learner->score, .thresholds = round->thresholds, .samples_min = round->samples_min};
    struct shw_thresholds thresholds = {.count = round->bin_count - 1};

    for (uint32_t p = 0; p < piece_count; p++) {
        const struct shw_learn_piece *piece = &pieces[p];
        const struct shw_learn_node *node = &round->nodes[piece->node];
        const struct shw_node_counts counts = node_counts(learner, node);
        size_t words = (size_t)round->bin_count * node->class_count;
        for (uint32_t c = 0; c < piece->candidate_count; c++) {
            if (piece->usable[c] == 0)
                continue;
            memcpy(thresholds.values, piece->thresholds + (size_t)c * thresholds.count,
                   thresholds.count * sizeof *thresholds.values);
            shw_split_choose(&params, &counts, &thresholds, piece->histogram + c * words, piece->candidate_begin + c,
                             learner->scratch, &learner->best[piece->node]);
        }
    }
    return SHW_OK;
}

static enum shw_result end_round(void *user, const struct shw_learn_round *round, struct shw_learn_choice *choices)
{
    const struct gain_learner *learner = user;

    for (uint32_t n = 0; n < round->node_count; n++)
        choices[n] = (struct shw_learn_choice){.split = learner->best[n].found,
                                               .candidate = learner->best[n].candidate,
                                               .bin_first = learner->best[n].bin_first,
                                               .bin_last = learner->best[n].bin_last};
    return SHW_OK;
}

static enum shw_result make(const struct shw_log *log, const char *name, enum shw_score score,
                            struct shw_learner *learner)
{
    struct gain_learner *made = calloc(1, sizeof *made);

    *learner = (struct shw_learner){0};
    if (made == NULL)
        return shw_fail_memory(log, "a learner");
    made->score = score;
    made->log = log != NULL ? *log : made->log;
    *learner = (struct shw_learner){
        .name = name, .user = made, .begin_round = begin_round, .histograms = histograms, .end_round = end_round};
    return SHW_OK;
}

enum shw_result shw_learner_id3(const struct shw_log *log, struct shw_learner *learner)
{
    return make(log, "id3", SHW_SCORE_INFORMATION_GAIN, learner);
}

enum shw_result shw_learner_c45(const struct shw_log *log, struct shw_learner *learner)
{
    return make(log, "c4.5", SHW_SCORE_GAIN_RATIO, learner);
}

void shw_learner_free(struct shw_learner *learner)
{
    struct gain_learner *made;

    if (learner == NULL || learner->user == NULL)
        return;
    made = learner->user;
    free(made->best);
    free(made->scratch);
    free(made);
    *learner = (struct shw_learner){0};
}
