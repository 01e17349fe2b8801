/* Histograms by compute shaders. */
#include "dense/train/histogram_compute.h"

#include "dense/train/backend_compute.h"

/* Pieces are items. */
static bool record(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                   const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work)
{
    const uint32_t *items = training->round.words + training->round.items + (size_t)batch->item_begin * SHW_ITEM_WORDS;
    uint32_t first = *piece, end = first, count = batch->item_end - batch->item_begin;
    uint64_t done = 0;

    while (end < count && (end == first || done < *work)) {
        done += (uint64_t)items[(size_t)end * SHW_ITEM_WORDS + 2] * items[(size_t)end * SHW_ITEM_WORDS + 4];
        end++;
    }
    push->item_begin = batch->item_begin + first;
    push->item_end = batch->item_begin + end;
    shw_compute_dispatch(training, commands, SHW_PROGRAM_HISTOGRAM, push, end - first);
    *work = done;
    *piece = end;
    return end == count;
}

const struct shw_histogram_counter shw_counter_compute = {.record = record};
