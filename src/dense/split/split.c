#include "dense/split/split.h"

#include <string.h>

#include "dense/feature/feature_code.h"
#include "shared/feature.h"
#include "shared/random.h"

struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_list *set,
                                      uint32_t key, uint32_t place, uint32_t candidate)
{
    const struct shw_candidate_space space = {.key = key,
                                              .channels = set->channel_count,
                                              .size_max = params->size_max,
                                              .offset_max = params->offset_max,
                                              .single_percent = params->single_percent,
                                              .offset_min = params->offset_min,
                                              .candidates = params->candidates,
                                              .shapes = params->shapes};

    return params->feature->code->draw(set, &space, place, candidate);
}

/* Thresholds, and the bins between them. */

uint32_t shw_thresholds_choose(const struct shw_trainer_params *params, uint32_t key, uint32_t place, uint32_t count,
                               uint32_t chosen[256])
{
    uint32_t wanted = shw_threshold_probes(params);
    bool all = params->thresholds == SHW_THRESHOLDS_BEST && count <= wanted;

    wanted = all ? count : wanted;
    for (uint32_t i = 0; i < wanted; i++)
        chosen[i] = all ? i : shw_random_below(shw_random(key, place, i), count);
    return wanted;
}

static void sort(int32_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        int32_t value = values[i];
        uint32_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

int32_t shw_threshold_even(int32_t low, uint32_t range, uint32_t bins, uint32_t k)
{
    return (int32_t)((uint32_t)low + (uint32_t)(((uint64_t)range * k + bins - 1) / bins));
}

/* From the smallest to the largest response. */
static struct shw_interval find_extremes(const int32_t *responses, uint32_t count)
{
    struct shw_interval interval = {responses[0], responses[0]};

    for (uint32_t i = 1; i < count; i++) {
        interval.low = responses[i] < interval.low ? responses[i] : interval.low;
        interval.high = responses[i] > interval.high ? responses[i] : interval.high;
    }
    return interval;
}

/* Bin boundaries at equal distances in the interval, without values. */
static void space_evenly(struct shw_interval interval, uint32_t bins, struct shw_thresholds *thresholds)
{
    if (interval.low == interval.high)
        return;
    thresholds->low = interval.low;
    thresholds->range = (uint32_t)interval.high - (uint32_t)interval.low;
    thresholds->count = bins - 1;
}

static void fill_values(struct shw_thresholds *thresholds)
{
    for (uint32_t k = 1; k <= thresholds->count; k++)
        thresholds->values[k - 1] = shw_threshold_even(thresholds->low, thresholds->range, thresholds->count + 1, k);
}

/* False if none is defined. */
static bool replace_undefined(int32_t *responses, uint32_t count)
{
    int32_t greatest = SHW_UNDEFINED_RESPONSE; /* the smallest integer */

    for (uint32_t i = 0; i < count; i++)
        greatest = responses[i] > greatest ? responses[i] : greatest;
    for (uint32_t i = 0; i < count; i++)
        responses[i] = responses[i] == SHW_UNDEFINED_RESPONSE ? greatest : responses[i];
    return greatest != SHW_UNDEFINED_RESPONSE;
}

bool shw_thresholds_bound(const struct shw_trainer_params *params, struct shw_interval interval, int32_t *responses,
                          uint32_t count, struct shw_thresholds *thresholds)
{
    thresholds->count = 0;
    thresholds->undefined_bins = params->feature->may_be_undefined;
    if (interval.low < interval.high) {
        space_evenly(interval, params->bins, thresholds);
        if (params->thresholds != SHW_THRESHOLDS_BEST)
            fill_values(thresholds);
        return true;
    }
    if (params->feature->may_be_undefined && !replace_undefined(responses, count))
        return false;
    if (params->thresholds == SHW_THRESHOLDS_BEST) {
        space_evenly(find_extremes(responses, count), params->bins, thresholds);
        return thresholds->count > 0;
    }
    thresholds->count = params->bins - 1 < count ? params->bins - 1 : count;
    memcpy(thresholds->values, responses, thresholds->count * sizeof *responses);
    sort(thresholds->values, thresholds->count);
    return thresholds->count > 0;
}

void shw_thresholds_make(const struct shw_trainer_params *params, struct shw_interval interval, int32_t *responses,
                         uint32_t count, struct shw_thresholds *thresholds)
{
    if (shw_thresholds_bound(params, interval, responses, count, thresholds) &&
        params->thresholds == SHW_THRESHOLDS_BEST)
        fill_values(thresholds);
}

/* floor((response - low) * bins / range) is the number of thresholds that do not exceed the response. All numbers are
 * below 2^41, so truncating the rounded quotient is exact. */
static inline void bin_evenly(const struct shw_thresholds *thresholds, const int32_t *responses, int32_t *bins,
                              uint32_t count)
{
    double low = thresholds->low, range = thresholds->range, last = thresholds->count, bin_count = last + 1;

    for (uint32_t i = 0; i < count; i++) {
        double bin = ((double)responses[i] - low) * bin_count / range;
        bin = bin < 0 ? 0 : bin;
        bin = bin > last ? last : bin;
        bins[i] = (int32_t)bin;
    }
}

#if SHW_SIMD_X86
__attribute__((target("avx2"))) static void bin_evenly_avx2(const struct shw_thresholds *thresholds,
                                                            const int32_t *responses, int32_t *bins, uint32_t count)
{
    bin_evenly(thresholds, responses, bins, count);
}
#endif

static void bin_defined(enum shw_threshold_scheme scheme, const struct shw_thresholds *thresholds,
                        const int32_t *responses, int32_t *bins, uint32_t count, enum shw_simd simd)
{
    (void)simd;
    if (scheme == SHW_THRESHOLDS_BEST) {
#if SHW_SIMD_X86
        if (simd >= SHW_SIMD_AVX2) {
            bin_evenly_avx2(thresholds, responses, bins, count);
            return;
        }
#endif
        bin_evenly(thresholds, responses, bins, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0,
                 high = thresholds
                            ->count; /* thresholds before `low` do not exceed the response, those from `high` on do */
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (thresholds->values[middle] <= responses[i])
                low = middle + 1;
            else
                high = middle;
        }
        bins[i] = (int32_t)low;
    }
}

void shw_thresholds_bin(enum shw_threshold_scheme scheme, const struct shw_thresholds *thresholds,
                        const int32_t *responses, int32_t *bins, uint32_t count, enum shw_simd simd)
{
    bin_defined(scheme, thresholds, responses, bins, count, simd);
    for (uint32_t i = 0; thresholds->undefined_bins > 0 && i < count; i++)
        bins[i] = responses[i] == SHW_UNDEFINED_RESPONSE ? (int32_t)thresholds->count + 1 : bins[i];
}

/* Finds the best test of one candidate from its histogram. */

/* Both sides of a partition while bins move from one to the other. */
struct sides {
    enum shw_score score;
    const uint32_t *weights;
    uint32_t classes;
    uint32_t *counts[2]; /* weighted, by class */
    struct shw_score_side side[2];
    uint32_t samples[2];
    bool moved; /* by the last move() */
};

static uint64_t term(enum shw_score score, uint32_t count)
{
    return score == SHW_SCORE_GINI ? (uint64_t)count * count : shw_score_times_log2(count);
}

static bool is_empty(const uint32_t *bin, uint32_t classes)
{
    uint32_t any = 0;

    for (uint32_t c = 0; c < classes; c++)
        any |= bin[c];
    return any == 0;
}

/* Moves one bin's samples from side 0 to side 1. */
static inline void move(struct sides *sides, const uint32_t *bin)
{
    sides->moved = !is_empty(bin, sides->classes);
    if (!sides->moved)
        return;
    for (uint32_t c = 0; c < sides->classes; c++) {
        uint32_t weight, from, to;
        if (bin[c] == 0)
            continue;
        weight = bin[c] * sides->weights[c];
        from = sides->counts[0][c];
        to = sides->counts[1][c];
        if (sides->score != SHW_SCORE_MISCLASSIFICATION) {
            sides->side[0].measure -= term(sides->score, from) - term(sides->score, from - weight);
            sides->side[1].measure += term(sides->score, to + weight) - term(sides->score, to);
        }
        sides->counts[0][c] = from - weight;
        sides->counts[1][c] = to + weight;
        sides->side[0].mass -= weight;
        sides->side[1].mass += weight;
        sides->samples[0] -= bin[c];
        sides->samples[1] += bin[c];
    }
    if (sides->score == SHW_SCORE_MISCLASSIFICATION)
        for (int s = 0; s < 2; s++)
            sides->side[s] = shw_score_side_of(sides->score, sides->counts[s], sides->classes);
}

/* Puts all samples on side 0. */
static void reset(struct sides *sides, const struct shw_node_counts *node)
{
    for (uint32_t c = 0; c < sides->classes; c++)
        sides->counts[0][c] = node->totals[c] * sides->weights[c];
    memset(sides->counts[1], 0, sides->classes * sizeof(uint32_t));
    sides->side[0] = node->all;
    sides->side[1] = (struct shw_score_side){0};
    sides->samples[0] = node->samples;
    sides->samples[1] = 0;
}

bool shw_histogram_is_complete(const uint32_t *histogram, uint32_t bins, uint32_t class_count, const uint32_t *totals)
{
    for (uint32_t c = 0; c < class_count; c++) {
        uint32_t sum = 0;
        for (uint32_t b = 0; b < bins; b++)
            sum += histogram[(size_t)b * class_count + c];
        if (sum != totals[c])
            return false;
    }
    return true;
}

/* Called for the test that sends bins first..last to one side; tests come in the order in which ties are broken. */
typedef void (*visit_test)(void *user, const struct sides *sides, uint32_t first, uint32_t last);

__attribute__((always_inline)) static inline void visit_tests(const struct shw_trainer_params *params,
                                                              const struct shw_node_counts *node, uint32_t bins,
                                                              uint32_t undefined_bins, const uint32_t *histogram,
                                                              uint32_t *scratch, visit_test visit, void *user)
{
    uint32_t classes = node->class_count;
    struct sides sides = {
        .score = params->score, .weights = node->weights, .classes = classes, .counts = {scratch, scratch + classes}};

    reset(&sides, node);
    if (params->thresholds == SHW_THRESHOLDS_BEST) {
        /* Among equal scores the lowest threshold wins, so bins move from the lowest on: side 1 is what stays left, and
         * undefined samples never do. */
        for (uint32_t b = 0; b + 1 < bins; b++) {
            move(&sides, histogram + (size_t)b * classes);
            visit(user, &sides, b + 1, bins - 1);
        }
        return;
    }
    for (uint32_t first = 0; first < bins; first++) {
        if (first > 0)
            reset(&sides, node);
        if (undefined_bins > 0)
            move(&sides, histogram + (size_t)bins * classes);
        for (uint32_t end = first + 1; end <= bins && end - first < bins; end++) {
            move(&sides, histogram + (size_t)(end - 1) * classes);
            visit(user, &sides, first, end - 1);
        }
    }
}

/* Whether both sides have enough samples. */
static inline bool is_split(const struct shw_trainer_params *params, const struct sides *sides)
{
    return sides->samples[0] >= params->samples_min && sides->samples[1] >= params->samples_min;
}

struct choice {
    const struct shw_trainer_params *params;
    const struct shw_node_counts *node;
    const struct shw_thresholds *thresholds;
    uint32_t candidate;
    struct shw_split *best;
};

static inline void consider(void *user, const struct sides *sides, uint32_t first, uint32_t last)
{
    const struct choice *choice = user;
    const struct shw_thresholds *thresholds = choice->thresholds;
    const struct shw_node_counts *node = choice->node;
    struct shw_split *best = choice->best;
    int32_t t0 = first > 0 ? thresholds->values[first - 1] : INT32_MIN;
    int32_t t1 = last < thresholds->count ? thresholds->values[last] : INT32_MAX;
    struct shw_score_value value;

    /* The previous test divides the node equally, and wins the tie. */
    if (!sides->moved && choice->params->thresholds == SHW_THRESHOLDS_BEST)
        return;
    /* No response lies between equal thresholds; only undefined ones would go right. */
    if (!is_split(choice->params, sides) || t0 >= t1)
        return;
    value = shw_score_of(choice->params->score, &node->all, &sides->side[0], &sides->side[1]);
    if (shw_score_compare(&value, best->found ? &best->score : &node->unsplit) <= 0)
        return;
    *best = (struct shw_split){.found = true,
                               .candidate = choice->candidate,
                               .bin_first = first,
                               .bin_last = last,
                               .t0 = t0,
                               .t1 = t1,
                               .score = value};
}

void shw_split_choose(const struct shw_trainer_params *params, const struct shw_node_counts *node,
                      const struct shw_thresholds *thresholds, const uint32_t *histogram, uint32_t candidate,
                      uint32_t *scratch, struct shw_split *best)
{
    struct choice choice = {params, node, thresholds, candidate, best};

    visit_tests(params, node, thresholds->count + 1, thresholds->undefined_bins, histogram, scratch, consider, &choice);
}

struct gains {
    const struct shw_trainer_params *params;
    const struct shw_node_counts *node;
    int64_t unsplit, *sums; /* sums: of the next test */
};

static inline void add_gain(void *user, const struct sides *sides, uint32_t first, uint32_t last)
{
    struct gains *gains = user;
    const struct shw_node_counts *node = gains->node;
    enum shw_score score = gains->params->score;
    struct shw_score_value value;

    (void)first, (void)last;
    if (is_split(gains->params, sides)) {
        value = shw_score_of(score, &node->all, &sides->side[0], &sides->side[1]);
        *gains->sums += shw_score_weigh(score, node->all.mass, &value) - gains->unsplit;
    }
    gains->sums++;
}

void shw_split_add_gains(const struct shw_trainer_params *params, const struct shw_node_counts *node,
                         const uint32_t *histogram, uint32_t *scratch, int64_t *sums)
{
    struct gains gains = {params, node, shw_score_weigh(params->score, node->all.mass, &node->unsplit), sums};

    visit_tests(params, node, params->bins, params->feature->may_be_undefined, histogram, scratch, add_gain, &gains);
}

struct shw_node_counts shw_node_counts_make(enum shw_score score, uint32_t samples, uint32_t class_count,
                                            const uint32_t *weights, const uint32_t *totals, uint32_t *scratch)
{
    struct shw_node_counts node = {
        .class_count = class_count, .weights = weights, .totals = totals, .samples = samples};
    struct shw_score_side none = {0};

    for (uint32_t c = 0; c < class_count; c++)
        scratch[c] = totals[c] * weights[c];
    node.all = shw_score_side_of(score, scratch, class_count);
    node.unsplit = shw_score_of(score, &node.all, &node.all, &none);
    return node;
}
