/* Histograms on a device: batches of rows and candidates, each over all slices. */
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/boost/device.h"
#include "vulkan/commands.h"

#define MISSING INT32_MAX /* a threshold that no response exceeds */

/* What is counted, and the batch. */
struct counting {
    struct shw_boost_device *boosting;
    const struct shw_boost_candidates *candidates;
    uint32_t row_begin, rows, candidate_begin, candidate_count;
    uint32_t row_cells; /* of a candidate: bins times classes */
    uint32_t *histograms;
};

static uint32_t cells_of(const struct counting *counting)
{
    return counting->candidate_count * counting->rows * counting->row_cells;
}

static void write_candidates(const struct counting *counting)
{
    const struct shw_boost_candidates *candidates = counting->candidates;
    uint32_t count = candidates->threshold_count, width = counting->boosting->boost->params.width;
    uint32_t *words = shw_boost_write_tables(counting->boosting);

    for (uint32_t i = 0; i < counting->candidate_count; i++, words += SHW_BOOST_CANDIDATE_WORDS) {
        size_t c = (size_t)counting->candidate_begin + i;
        struct shw_boost_pair pair = candidates->pairs[c];
        for (uint32_t t = 0; t < SHW_BOOST_THRESHOLDS_MAX; t++)
            words[t] = (uint32_t)(t < count ? candidates->thresholds[c * count + t] : MISSING);
        words[SHW_BOOST_CANDIDATE_WORDS - 1] = (pair.y1 * width + pair.x1) | (pair.y2 * width + pair.x2) << 16;
    }
}

static struct shw_boost_push push_of(const struct counting *counting, const struct shw_boost_slice *slice)
{
    struct shw_boost_push push = shw_boost_slice_push(counting->boosting, slice);

    push.row_begin = counting->row_begin;
    push.row_count = counting->rows;
    push.bins = counting->candidates->threshold_count + 1;
    push.cell_count = cells_of(counting);
    push.width_shift = counting->boosting->width_shift;
    return push;
}

/* Adds a slice, in pieces of candidates that are not too much work for a submission. */
static enum shw_result add_slice(const struct counting *counting, uint32_t number)
{
    struct shw_boost_device *boosting = counting->boosting;
    const struct shw_boost_slice *slice = &boosting->slices[number];
    struct shw_boost_push push = push_of(counting, slice);

    for (uint32_t c = 0; c < counting->candidate_count && push.count > 0; c += push.candidate_count) {
        uint64_t piece;
        if (boosting->responses >= boosting->work_max) {
            SHW_PROPAGATE(shw_boost_submit(boosting));
            SHW_PROPAGATE(shw_boost_record(boosting));
        }
        if (c == 0)
            shw_boost_slice_bring(boosting, slice);
        piece = shw_max_u64((boosting->work_max - boosting->responses) / push.count, 1);
        push.candidate_begin = c;
        push.candidate_count = (uint32_t)shw_min_u64(counting->candidate_count - c, piece);
        boosting->counter->add(boosting, number, push);
        boosting->responses += (uint64_t)push.candidate_count * push.count;
    }
    return SHW_OK;
}

/* The sums of a candidate's bins at a node. */
static void read_row(const struct counting *counting, size_t cell, uint32_t *row)
{
    const struct shw_boost_device *boosting = counting->boosting;
    const float *sums = (const float *)boosting->readback.mapped + cell;

    if (boosting->counter->is_float)
        for (uint32_t k = 0; k < counting->row_cells; k++)
            row[k] = (uint32_t)sums[k];
    else
        memcpy(row, (const uint32_t *)boosting->readback.mapped + cell, counting->row_cells * sizeof *row);
}

/* All candidates have the same samples of a node. */
static enum shw_result check_row(const struct counting *counting, const uint32_t *row, uint64_t *all)
{
    const struct shw_boost *boost = counting->boosting->boost;
    uint64_t sum = 0;

    for (uint32_t k = 0; k < counting->row_cells; k++)
        sum += row[k];
    if (*all == UINT64_MAX)
        *all = sum;
    if (*all == sum)
        return SHW_OK;
    return shw_fail(&boost->params.log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "the technique %s does not count correctly here: candidates have different sums of weights, %llu "
                    "and %llu: use another technique",
                    shw_technique_name(boost->params.technique), (unsigned long long)*all, (unsigned long long)sum);
}

static enum shw_result copy_out(const struct counting *counting)
{
    size_t node_words = (size_t)counting->candidates->count * counting->row_cells;

    for (uint32_t r = 0; r < counting->rows; r++) {
        uint64_t all = UINT64_MAX;
        for (uint32_t c = 0; c < counting->candidate_count; c++) {
            uint32_t *to = counting->histograms + (counting->row_begin + r) * node_words +
                           ((size_t)counting->candidate_begin + c) * counting->row_cells;
            read_row(counting, ((size_t)c * counting->rows + r) * counting->row_cells, to);
            SHW_PROPAGATE(check_row(counting, to, &all));
        }
    }
    return SHW_OK;
}

static enum shw_result count_batch(const struct counting *counting)
{
    struct shw_boost_device *boosting = counting->boosting;

    write_candidates(counting);
    SHW_PROPAGATE(shw_boost_record(boosting));
    boosting->counter->clear(boosting, cells_of(counting));
    for (uint32_t s = 0; s < boosting->slice_count; s++)
        SHW_PROPAGATE(add_slice(counting, s));
    boosting->counter->read(boosting, cells_of(counting));
    SHW_PROPAGATE(shw_boost_submit(boosting));
    return copy_out(counting);
}

enum shw_result shw_boost_device_count(void *state, const struct shw_boost_candidates *candidates, uint32_t node_count,
                                       uint32_t *histograms)
{
    struct shw_boost_device *boosting = state;
    struct counting counting = {.boosting = boosting,
                                .candidates = candidates,
                                .row_cells = (candidates->threshold_count + 1) * SHW_BOOST_CLASSES,
                                .histograms = histograms};
    uint32_t most = boosting->counter->cells_max(boosting), rows, together;

    rows = shw_min_u32(node_count, boosting->counter->rows_max(boosting, counting.row_cells));
    together = shw_min_u32(SHW_BOOST_LIST_WORDS / SHW_BOOST_CANDIDATE_WORDS, most / (rows * counting.row_cells));
    for (uint32_t r = 0; r < node_count; r += rows)
        for (uint32_t c = 0; c < candidates->count; c += together) {
            counting.row_begin = r;
            counting.rows = shw_min_u32(node_count - r, rows);
            counting.candidate_begin = c;
            counting.candidate_count = shw_min_u32(candidates->count - c, together);
            SHW_PROPAGATE(count_batch(&counting));
        }
    return SHW_OK;
}
