/* Histograms for the caller's splitter, counted on the device and read back. */
#include <string.h>

#include "base/log.h"
#include "train/backend_compute.h"
#include "train/splitting.h"

static void read_thresholds(const uint32_t *row, uint32_t count, struct shw_thresholds *thresholds)
{
    thresholds->count = row[0] != 0 ? count : 0;
    thresholds->low = (int32_t)row[1];
    thresholds->range = row[2];
    memcpy(thresholds->values, row + SHW_THRESHOLD_WORDS, count * sizeof *thresholds->values);
}

enum shw_result shw_splitting_batch(struct shw_splitting *splitting, const struct shw_compute_batch *batch,
                                    uint32_t *words)
{
    uint32_t count = splitting->round.bin_count - 1;
    const uint32_t *row = words + batch->histogram_words;
    struct shw_thresholds thresholds;

    for (uint32_t o = 0; o < batch->open_count; o++) {
        uint32_t open = batch->open_begin + o;
        SHW_PROPAGATE(shw_splitting_add(splitting, open, batch->candidate_begin, batch->candidate_count, words));
        words += (size_t)batch->candidate_count * splitting->round.bin_count * splitting->nodes[open].class_count;
        for (uint32_t c = 0; c < batch->candidate_count; c++, row += SHW_THRESHOLD_WORDS + count) {
            read_thresholds(row, count, &thresholds);
            shw_splitting_set_thresholds(splitting, o, c, &thresholds);
        }
    }
    return shw_splitting_call(splitting);
}

enum shw_result shw_compute_round_hand_over(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                            bool *last)
{
    struct shw_compute_plan *plan = &training->plan;
    const struct shw_compute_batch *batch = &training->round.batches[plan->batch++];

    *last = plan->batch == training->round.batch_count;
    plan->step = *last ? SHW_STEP_DECIDE : SHW_STEP_CANDIDATES;
    return shw_splitting_batch(trainer->splitting, batch, training->readback.mapped);
}

void shw_compute_round_chosen(struct shw_train_compute *training, const struct shw_trainer *trainer,
                              const struct shw_split *splits)
{
    uint32_t *decisions = training->decisions.mapped;

    for (uint32_t o = 0; o < trainer->builder.open_count; o++) {
        uint32_t *winner = decisions + (size_t)o * SHW_WINNER_WORDS;
        memset(winner, 0, SHW_WINNER_WORDS * sizeof *winner);
        winner[0] = splits[o].found ? splits[o].candidate : SHW_NO_SPLIT;
        winner[1] = (uint32_t)splits[o].t0;
        winner[2] = (uint32_t)splits[o].t1;
        memcpy(winner + 8, &splits[o].feature, sizeof splits[o].feature);
    }
    training->plan.decided = true;
}
