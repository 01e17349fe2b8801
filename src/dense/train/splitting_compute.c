#include "dense/train/splitting_compute.h"

#include <string.h>

#include "base/log.h"
#include "dense/train/splitting.h"

static void read_thresholds(const uint32_t *row, uint32_t count, struct shw_thresholds *thresholds)
{
    thresholds->count = row[0] != 0 ? count : 0;
    thresholds->low = (int32_t)row[1];
    thresholds->range = row[2];
    memcpy(thresholds->values, row + SHW_THRESHOLD_WORDS, count * sizeof *thresholds->values);
}

enum shw_result shw_splitting_compute(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                      const struct shw_compute_batch *batch)
{
    struct shw_splitting *splitting = trainer->splitting;
    uint32_t count = splitting->round.bin_count - 1, *words = training->readback.mapped;
    const uint32_t *row = words + batch->histogram_words;
    struct shw_thresholds thresholds;

    for (uint32_t o = 0; o < batch->open_count; o++) {
        uint32_t open = batch->open_begin + o;
        SHW_PROPAGATE(shw_splitting_add(splitting, open, batch->candidate_begin, batch->candidate_count, words));
        words += batch->candidate_count * shw_splitting_words(splitting, open);
        for (uint32_t c = 0; c < batch->candidate_count; c++, row += SHW_THRESHOLD_WORDS + count) {
            read_thresholds(row, count, &thresholds);
            shw_splitting_set_thresholds(splitting, o, c, &thresholds);
        }
    }
    return shw_splitting_call(splitting);
}
