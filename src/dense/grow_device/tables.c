/* The tables of a training round. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "dense/grow/fern.h"
#include "dense/grow_device/round.h"
#include "shared/random.h"

/* The host's cached n log2 n. */
static inline struct shw_uint2 times_log2(uint32_t n)
{
    uint64_t value = shw_score_times_log2(n);

    return (struct shw_uint2){(uint32_t)(value >> 32), (uint32_t)value};
}

#define SHW_TIMES_LOG2(n) times_log2(n)
#include "shared/fraction.h"

/* Items of large nodes have few enough samples that the integral images read by all running work groups stay in the
 * device's cache, and enough that adding their counts to the histogram is cheap. They have few candidates, so that
 * counts leave room for a cache on the processor. */
#define ITEM_PAIRS      4096u /* samples times candidates that an item of a small node should have */
#define ITEM_SAMPLES    2048u
#define ITEM_CANDIDATES 8u
#define SEGMENT_SIZE    4096u
#define OPEN_MAX        65535u
#define CANDIDATE_MAX   65535u

void shw_compute_tables_free(struct shw_compute_tables *tables)
{
    free(tables->words);
    free(tables->batches);
    *tables = (struct shw_compute_tables){0};
}

/* Appends `count` words and returns them; NULL if out of memory. Invalidates earlier pointers. */
static uint32_t *append(struct shw_compute_tables *tables, size_t count)
{
    if (!SHW_RESERVE(tables->words, tables->capacity, tables->count + count))
        return NULL;
    tables->count += count;
    return tables->words + tables->count - count;
}

static uint32_t *node_of(struct shw_compute_tables *tables, uint32_t open)
{
    return tables->words + (size_t)open * SHW_TABLE_NODE_WORDS;
}

/* The classes of a node, the index of each label among them, and the score of the unsplit node. */
static bool add_classes(struct shw_compute_tables *tables, const struct shw_trainer *trainer, uint32_t open)
{
    uint32_t all = trainer->dataset->class_count, present = 0, mass = 0, score = (uint32_t)trainer->params.score;
    const uint32_t *counts = trainer->builder.open_counts + (size_t)open * all, *weights = trainer->builder.weights;
    uint32_t *index = append(tables, all), *node, *list;
    uint32_t index_at = (uint32_t)(tables->count - all);
    struct shw_uint2 measure = {0, 0}, nothing = {0, 0}, together;
    struct shw_fraction unsplit;

    if (index == NULL)
        return false;
    for (uint32_t c = 0; c < all; c++)
        index[c] = counts[c] > 0 ? present++ : 0;
    list = append(tables, (size_t)2 * present);
    if (list == NULL)
        return false;
    for (uint32_t c = 0; c < all; c++)
        if (counts[c] > 0) {
            *list++ = weights[c];
            *list++ = counts[c];
            mass += counts[c] * weights[c];
            measure = shw_measure_add(score, measure, counts[c] * weights[c]);
        }
    together = SHW_TIMES_LOG2(mass);
    unsplit = shw_fraction_of(score, measure, together, measure, mass, nothing, 0);
    node = node_of(tables, open);
    node[SHW_NODE_FIRST] = trainer->builder.open[open].first;
    node[SHW_NODE_COUNT] = trainer->builder.open[open].count;
    node[SHW_NODE_WHOLE_COUNT] = trainer->builder.open[open].all;
    node[SHW_NODE_BEFORE] = trainer->builder.open[open].before;
    node[SHW_NODE_NUMBER] = trainer->builder.open[open].node;
    node[SHW_NODE_CLASSES] = present;
    node[SHW_NODE_CLASS_LIST] = (uint32_t)tables->count - 2 * present;
    node[SHW_NODE_CLASS_INDEX] = index_at;
    memcpy(node + SHW_NODE_SCORE, &unsplit, sizeof unsplit);
    memcpy(node + SHW_NODE_ALL, (const uint32_t[]){measure.x, measure.y, together.x, together.y}, 4 * sizeof *node);
    return true;
}

/* The tests on bins; among equal scores the first one wins. */
static bool add_tests(struct shw_compute_tables *tables, const struct shw_trainer_params *params)
{
    uint32_t bins = params->bins, *words;
    bool best = params->thresholds == SHW_THRESHOLDS_BEST;

    tables->tests = (uint32_t)tables->count;
    tables->test_count = shw_split_tests(params);
    words = append(tables, tables->test_count);
    if (words == NULL)
        return false;
    for (uint32_t first = 1; best && first < bins; first++)
        *words++ = first | bins << 16;
    for (uint32_t first = 0; !best && first < bins; first++)
        for (uint32_t end = first + 1; end <= bins && end - first < bins; end++)
            *words++ = first | end << 16;
    return true;
}

/* The samples from which the thresholds of a fern's level are made. */
static bool add_level_probes(struct shw_compute_tables *tables, const struct shw_fern_level *level)
{
    uint32_t *words;

    tables->level_probes = (uint32_t)tables->count;
    tables->level_probe_count = level != NULL ? level->probe_count : 0;
    if (level == NULL)
        return true;
    words = append(tables, level->probe_count);
    if (words != NULL)
        memcpy(words, level->probes, level->probe_count * sizeof *words);
    return words != NULL;
}

static bool add_segments(struct shw_compute_tables *tables, const struct shw_tree_builder *builder)
{
    tables->segments = (uint32_t)tables->count;
    tables->segment_count = 0;
    for (uint32_t o = 0; o < builder->open_count; o++) {
        const struct shw_open_node *open = &builder->open[o];
        node_of(tables, o)[SHW_NODE_SEGMENT] = tables->segment_count;
        for (uint32_t done = 0; done < open->count; done += SEGMENT_SIZE) {
            uint32_t *words = append(tables, SHW_SEGMENT_WORDS), left = open->count - done;
            if (words == NULL)
                return false;
            words[0] = o;
            words[1] = open->first + done;
            words[2] = left < SEGMENT_SIZE ? left : SEGMENT_SIZE;
            tables->segment_count++;
        }
    }
    node_of(tables, builder->open_count)[SHW_NODE_SEGMENT] = tables->segment_count;
    return true;
}

static bool add_item(struct shw_compute_tables *tables, uint32_t open, uint32_t first, uint32_t count,
                     uint32_t candidate, uint32_t candidates)
{
    uint32_t *words = append(tables, SHW_ITEM_WORDS);

    if (words == NULL)
        return false;
    memcpy(words, (const uint32_t[SHW_ITEM_WORDS]){open, first, count, candidate, candidates},
           SHW_ITEM_WORDS * sizeof *words);
    tables->item_count++;
    return true;
}

/* The items in which the histograms of `candidates` candidates of a node are counted. */
static bool add_items(struct shw_compute_tables *tables, const struct shw_train_compute *training,
                      const struct shw_trainer *trainer, uint32_t o, uint32_t candidates)
{
    const struct shw_open_node *open = &trainer->builder.open[o];
    uint32_t words = node_of(tables, o)[SHW_NODE_CLASSES] * shw_histogram_bins(&trainer->params);
    uint32_t group = training->shared_words / words > 0 ? training->shared_words / words : 1, length = open->count;
    bool large = open->count >= SHW_TRAIN_WORKGROUP;

    if (open->count == 0) /* all are other workers' */
        return true;
    if (large) {
        length = trainer->builder.samples.count >= 1024 * ITEM_SAMPLES ? 2 * ITEM_SAMPLES : ITEM_SAMPLES;
        group = group < ITEM_CANDIDATES ? group : ITEM_CANDIDATES;
    } else if (group > (ITEM_PAIRS + length - 1) / length) {
        group = (ITEM_PAIRS + length - 1) / length;
    }
    for (uint32_t done = 0; done < open->count; done += length)
        for (uint32_t c = 0; c < candidates; c += group) {
            uint32_t left = open->count - done;
            if (!add_item(tables, o, open->first + done, left < length ? left : length, c,
                          candidates - c < group ? candidates - c : group))
                return false;
        }
    return true;
}

static struct shw_compute_batch *add_batch(struct shw_compute_tables *tables, uint32_t open, uint32_t candidate)
{
    struct shw_compute_batch *batch;

    if (!SHW_RESERVE(tables->batches, tables->batch_capacity, tables->batch_count + 1u))
        return NULL;
    batch = &tables->batches[tables->batch_count++];
    *batch = (struct shw_compute_batch){.open_begin = open,
                                        .candidate_begin = candidate,
                                        .item_begin = tables->item_count,
                                        .item_end = tables->item_count};
    return batch;
}

/* Puts nodes with all their candidates into a batch while there is room; a node that does not fit gets batches of its
 * own, with some candidates each. */
static enum shw_result add_batches(struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    struct shw_compute_tables *tables = &training->round;
    const struct shw_trainer_params *params = &trainer->params;
    size_t limit = training->batch_bytes / sizeof(uint32_t), row = SHW_THRESHOLD_WORDS + params->bins - 1, most_rows;
    uint32_t all = trainer->candidate_count < CANDIDATE_MAX ? trainer->candidate_count : CANDIDATE_MAX;
    struct shw_compute_batch *batch = NULL;

    row = row > SHW_THRESHOLD_SAMPLES ? row : SHW_THRESHOLD_SAMPLES; /* probes or thresholds, whichever is more */
    most_rows = limit / row;
    tables->items = (uint32_t)tables->count;
    for (uint32_t o = 0; o < trainer->builder.open_count; o++) {
        size_t words = (size_t)node_of(tables, o)[SHW_NODE_CLASSES] * shw_histogram_bins(params), most = limit / words;
        most = most < most_rows ? most : most_rows;
        most = most < all ? most : all;
        if (most == 0)
            return shw_fail(
                &params->log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                "one histogram of %u bins and %u classes needs more than the %llu bytes available: use fewer bins",
                params->bins, node_of(tables, o)[SHW_NODE_CLASSES], (unsigned long long)training->batch_bytes);
        for (uint32_t c = 0; c < trainer->candidate_count;) {
            uint32_t left = trainer->candidate_count - c, count = left < most ? left : (uint32_t)most;
            size_t rows = batch != NULL ? (size_t)(batch->open_count + 1) * count : 0;
            if (batch == NULL || count < trainer->candidate_count ||
                batch->candidate_count < trainer->candidate_count || batch->histogram_words + count * words > limit ||
                rows > most_rows || batch->open_count == OPEN_MAX)
                batch = add_batch(tables, o, c);
            if (batch == NULL)
                return shw_fail_memory(&params->log, "tables of a training round");
            node_of(tables, o)[SHW_NODE_HISTOGRAM] = (uint32_t)batch->histogram_words;
            batch->open_count++;
            batch->candidate_count = count;
            batch->histogram_words += count * words;
            if (!add_items(tables, training, trainer, o, count))
                return shw_fail_memory(&params->log, "tables of a training round");
            batch->item_end = tables->item_count;
            rows = (size_t)batch->open_count * count;
            tables->rows = rows > tables->rows ? rows : tables->rows;
            if (batch->histogram_words > tables->histogram_words)
                tables->histogram_words = batch->histogram_words;
            c += count;
        }
    }
    return SHW_OK;
}

enum shw_result shw_compute_tables_make(struct shw_train_compute *training, const struct shw_trainer *trainer)
{
    struct shw_compute_tables *tables = &training->round;
    uint32_t *words, opens = trainer->builder.open_count, channels = trainer->channels.channel_count;

    tables->count = tables->rows = tables->histogram_words = 0;
    tables->item_count = tables->batch_count = 0;
    words = append(tables, (size_t)(opens + 1) * SHW_TABLE_NODE_WORDS);
    if (words == NULL)
        goto memory;
    memset(words, 0, (size_t)(opens + 1) * SHW_TABLE_NODE_WORDS * sizeof *words);
    tables->channels = (uint32_t)tables->count;
    words = append(tables, channels);
    if (words == NULL)
        goto memory;
    for (uint32_t c = 0; c < channels; c++)
        words[c] = trainer->channels.channels[c].max_abs | (uint32_t)trainer->channels.channels[c].content << 16;
    for (uint32_t o = 0; o < opens; o++)
        if (!add_classes(tables, trainer, o))
            goto memory;
    if (!add_tests(tables, &trainer->params) || !add_level_probes(tables, trainer->fern_level) ||
        !add_segments(tables, &trainer->builder))
        goto memory;
    SHW_PROPAGATE(add_batches(training, trainer));
    if (sizeof training->constants + tables->count * sizeof *words > training->range)
        return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                        "a training round of %u nodes is too large for the device: lower depth, or raise samples_min",
                        opens);
    return SHW_OK;

memory:
    return shw_fail_memory(&trainer->params.log, "tables of a training round");
}
