/* Ballots: their tables, and the sums of a record by its places. */
#include "records/evaluate/records_cpu_ballots.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"

#define LANES          SHW_RECORD_BALLOT_LANES
#define TESTS          SHW_RECORD_BALLOT_TESTS
#define MORE_WORDS     16u /* of tests that a part may have if one part less is evaluated for them */
#define LANES_AT_ONCE  16u
#define SHIFT_OF_ALL   63u
#define FEW_THRESHOLDS 40u /* of an attribute, all of which are compared rather than searched */

static uint32_t groups_of(uint32_t trees)
{
    return (trees + LANES - 1) / LANES;
}

static bool has_tests(const struct shw_record_top *top)
{
    return top->levels + top->steps > 0;
}

/* Parts are of trees that all have steps below their tops, or none, or steps with sets. */
static bool belong_together(const struct shw_record_top *a, const struct shw_record_top *b)
{
    return (a->levels > 0) == (b->levels > 0) && (a->steps > 0) == (b->steps > 0) && a->has_sets == b->has_sets;
}

static uint32_t levels_of_part(const struct shw_record_top *top)
{
    return top->levels > 0 ? shw_max_u32(top->levels, SHW_RECORD_BALLOT_LEVELS_LEAST) : 0;
}

static uint32_t groups_at_once(uint32_t levels)
{
    return levels > 0 ? shw_min_u32(SHW_RECORD_BALLOT_GROUPS_AT_ONCE,
                                    SHW_RECORD_BALLOT_WORDS_AT_ONCE / SHW_RECORD_BALLOT_WORDS(levels))
                      : SHW_RECORD_BALLOT_GROUPS_AT_ONCE;
}

static uint32_t words_of(uint32_t levels, uint32_t trees)
{
    return levels > 0 ? groups_of(trees) * SHW_RECORD_BALLOT_WORDS(levels) : 0;
}

/* A tree by the order of parts, and within them of steps, so that trees that are descended together are alike. */
struct place_in_order {
    const struct shw_record_top *top;
    uint32_t tree;
};

static int compare_trees(const void *a, const void *b)
{
    const struct place_in_order *x = a, *y = b;

    if ((x->top->levels == 0) != (y->top->levels == 0))
        return x->top->levels == 0 ? 1 : -1;
    if (x->top->has_sets != y->top->has_sets)
        return x->top->has_sets ? 1 : -1;
    if ((x->top->steps > 0) != (y->top->steps > 0))
        return x->top->steps > 0 ? 1 : -1;
    if (levels_of_part(x->top) != levels_of_part(y->top))
        return levels_of_part(x->top) < levels_of_part(y->top) ? 1 : -1;
    if (x->top->steps != y->top->steps)
        return x->top->steps > y->top->steps ? 1 : -1;
    return x->tree > y->tree ? 1 : -1;
}

/* Trees with tests, in the order of parts. Returns how many there are. */
static uint32_t sort_trees(const struct shw_record_tops *tops, struct place_in_order *order)
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < tops->info->tree_count; t++)
        if (has_tests(&tops->trees[t]))
            order[count++] = (struct place_in_order){&tops->trees[t], t};
    qsort(order, count, sizeof *order, compare_trees);
    return count;
}

/* How many of the trees, which are sorted, make the next part: those with as many levels, and those with fewer as long
 * as their tests do not take much more space than in a part of their own. */
static uint32_t trees_of_part(const struct place_in_order *order, uint32_t count)
{
    const uint32_t levels = levels_of_part(order[0].top);
    uint32_t taken = 0;

    while (taken < count && belong_together(order[0].top, order[taken].top)) {
        const uint32_t own = levels_of_part(order[taken].top);
        uint32_t more = 0;
        while (taken + more < count && belong_together(order[0].top, order[taken + more].top) &&
               levels_of_part(order[taken + more].top) == own)
            more++;
        if (words_of(levels, taken + more) > words_of(levels, taken) + words_of(own, more) + MORE_WORDS)
            break;
        taken += more;
    }
    return taken;
}

/* Lists the parts, and returns how many trees they have with those that are repeated. */
static size_t list_parts(const struct place_in_order *order, uint32_t count, struct shw_record_ballots *ballots,
                         size_t *words)
{
    size_t trees = 0;

    *words = 0;
    for (uint32_t first = 0; first < count;) {
        const uint32_t taken = trees_of_part(order + first, count - first), levels = levels_of_part(order[first].top);
        struct shw_record_ballot_part *part = &ballots->parts[ballots->part_count++];
        *part = (struct shw_record_ballot_part){
            .levels = levels,
            .has_sets = order[first].top->has_sets,
            .count = taken,
            .groups = groups_of(taken),
            .groups_at_once = groups_at_once(levels),
            .first = trees,
            .word = *words,
        };
        for (uint32_t i = first; i < first + taken; i++)
            part->steps = shw_max_u32(part->steps, order[i].top->steps);
        trees += (size_t)groups_of(taken) * LANES;
        *words += words_of(levels, taken);
        first += taken;
    }
    return trees;
}

/* Of a tree: where the words of its group have the result of a test. */
static size_t slot_of(const struct shw_record_ballot_part *part, uint32_t number, uint32_t test)
{
    const size_t group = part->word + (size_t)(number / LANES) * SHW_RECORD_BALLOT_WORDS(part->levels);
    const uint32_t slots = shw_min_u32(1u << part->levels, TESTS);

    return group * TESTS + ((size_t)(test / TESTS) * LANES + number % LANES) * slots + test % TESTS;
}

static void write_limit(struct shw_record_ballots *ballots, size_t slot, int32_t limit)
{
    if (ballots->tops->axes->width == SHW_RECORD_RANK_8)
        ((int8_t *)ballots->limits)[slot] = (int8_t)limit;
    else
        ((int16_t *)ballots->limits)[slot] = (int16_t)limit;
}

static void fill_test(struct shw_record_ballots *ballots, size_t slot, const struct shw_record_top_node *test)
{
    const uint32_t column = test->offset / SHW_RECORD_LINE;

    if (column == 0)
        return;
    ballots->values[slot] = (uint8_t)ballots->numbers[column];
    write_limit(ballots, slot, (int32_t)test->limit); /* of which the lowest bits are one limit */
}

static void fill_tree(struct shw_record_ballots *ballots, const struct shw_record_ballot_part *part, uint32_t number,
                      const struct place_in_order *tree)
{
    const uint32_t places = 1u << tree->top->levels;

    ballots->trees[part->first + number] = tree->tree;
    ballots->places[part->first + number] = tree->top->first_place - (part->levels > 0 ? places : 0);
    ballots->shifts[part->first + number] = part->levels - tree->top->levels;
    for (uint32_t test = 1; test < places; test++)
        fill_test(ballots, slot_of(part, number, test), &ballots->tops->nodes[tree->top->first_node + test - 1]);
}

static void fill_part(struct shw_record_ballots *ballots, const struct place_in_order *order,
                      const struct shw_record_ballot_part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        fill_tree(ballots, part, i, &order[i]);
    for (uint32_t i = part->count; i < part->groups * LANES; i++) {
        ballots->trees[part->first + i] = 0;
        ballots->places[part->first + i] = ballots->tops->nowhere;
        ballots->shifts[part->first + i] = SHIFT_OF_ALL;
    }
}

static void add_values(const struct shw_record_forest_info *info, uint32_t tree, const int32_t *values, int64_t *sums)
{
    if (info->values_per_leaf == 1)
        sums[info->trees[tree].output] += values[0];
    else
        for (uint32_t v = 0; v < info->values_per_leaf; v++)
            sums[v] += values[v];
}

static const int32_t *values_of(const struct shw_record_forest_info *info, uint32_t tree, uint32_t leaf)
{
    return info->leaf_values + ((size_t)info->trees[tree].first_leaf + leaf) * info->values_per_leaf;
}

static void fill_base(struct shw_record_ballots *ballots)
{
    const struct shw_record_forest_info *info = ballots->tops->info;

    memcpy(ballots->base, info->base, info->output_count * sizeof *info->base);
    for (uint32_t t = 0; t < info->tree_count; t++)
        if (!has_tests(&ballots->tops->trees[t]))
            add_values(info, t, values_of(info, t, 0), ballots->base);
}

/* The most thresholds of an attribute, if they are few. */
static uint32_t count_few(const struct shw_record_axes *axes)
{
    uint32_t most = 1;

    for (uint32_t a = 0; a < axes->count; a++)
        most = shw_max_u32(most, axes->items[a].threshold_count);
    return most <= FEW_THRESHOLDS ? most : 0;
}

/* Lanes and planes. */

static uint32_t lane_of(const struct shw_record_ballots *ballots, uint32_t axis)
{
    return ballots->is_direct ? ballots->tops->axes->items[axis].attribute : axis;
}

static uint32_t plane_of(const struct shw_record_ballots *ballots, const struct shw_record_column *column)
{
    uint32_t plane = 0;

    while (plane < ballots->plane_count && (ballots->planes[plane].missing_right != column->missing_right ||
                                            ballots->planes[plane].zero_missing != column->zero_missing))
        plane++;
    return plane;
}

/* The planes, and lanes for all attributes up to the last one that is tested, if most of these are, or for the tested
 * ones alone. False if there are more values than the vectors can tell apart. */
static bool lay_out(struct shw_record_ballots *ballots)
{
    const struct shw_record_axes *axes = ballots->tops->axes;
    const uint32_t span = axes->count > 0 ? axes->items[axes->count - 1].attribute + 1 : 0;
    const uint32_t most = axes->width == SHW_RECORD_RANK_8 ? ballots->vectors->values_8 : ballots->vectors->values_16;

    for (uint32_t c = 1; c < axes->columns->count; c++)
        if (plane_of(ballots, &axes->columns->items[c]) == ballots->plane_count)
            ballots->planes[ballots->plane_count++] = axes->columns->items[c];
    ballots->is_direct = span / 2 <= axes->count && ballots->plane_count * shw_align_up(span, LANES_AT_ONCE) <= most;
    ballots->used_lanes = ballots->is_direct ? span : axes->count;
    ballots->lane_count = (uint32_t)shw_align_up(shw_max_u32(ballots->used_lanes, 1), LANES_AT_ONCE);
    return ballots->plane_count * (uint64_t)ballots->lane_count <= most;
}

/* Where a search among thresholds begins. */
static void fill_search(struct shw_record_ballots *ballots, uint32_t number)
{
    const struct shw_record_axis *axis = &ballots->tops->axes->items[number];
    const int32_t *thresholds = ballots->tops->axes->thresholds + axis->first_threshold;
    const uint32_t shift = axis->steps - shw_min_u32(axis->steps, SHW_RECORD_PIVOT_STEPS);
    int32_t *pivots = ballots->pivots + (size_t)number * SHW_RECORD_NEAR;

    ballots->searches[number] = (struct shw_record_ballot_search){lane_of(ballots, number), shift, thresholds};
    for (uint32_t p = 0; p < SHW_RECORD_NEAR; p++)
        pivots[p] = shift > 0 && p + 1 < SHW_RECORD_NEAR ? thresholds[((size_t)(p + 1) << shift) - 1] : INT32_MAX;
}

static void fill_lanes(struct shw_record_ballots *ballots)
{
    const struct shw_record_axes *axes = ballots->tops->axes;

    for (uint32_t l = 0; l < ballots->lane_count; l++) {
        ballots->attributes[l] = l < ballots->used_lanes && ballots->is_direct ? l : 0;
        ballots->threshold_counts[l] = 0;
    }
    for (size_t t = 0; t < (size_t)ballots->few * ballots->lane_count; t++)
        ballots->few_thresholds[t] = INT32_MAX;
    for (uint32_t a = 0; a < axes->count; a++) {
        const struct shw_record_axis *axis = &axes->items[a];
        const uint32_t lane = lane_of(ballots, a);
        ballots->attributes[lane] = axis->attribute;
        ballots->threshold_counts[lane] = (int32_t)axis->threshold_count;
        for (uint32_t t = 0; ballots->few > 0 && t < axis->threshold_count; t++)
            ballots->few_thresholds[(size_t)t * ballots->lane_count + lane] =
                axes->thresholds[axis->first_threshold + t];
        for (uint32_t c = axis->first_column; c < axis->first_column + axis->column_count; c++)
            ballots->numbers[c] = plane_of(ballots, &axes->columns->items[c]) * ballots->lane_count + lane;
        fill_search(ballots, a);
    }
}

static bool allocate_lanes(struct shw_record_ballots *ballots)
{
    const struct shw_record_axes *axes = ballots->tops->axes;

    ballots->attributes = malloc(ballots->lane_count * sizeof *ballots->attributes);
    ballots->threshold_counts = malloc(ballots->lane_count * sizeof *ballots->threshold_counts);
    ballots->numbers = malloc(axes->columns->count * sizeof *ballots->numbers);
    ballots->few_thresholds =
        malloc(((size_t)ballots->few + 1) * ballots->lane_count * sizeof *ballots->few_thresholds);
    ballots->searches = malloc((axes->count + 1) * sizeof *ballots->searches);
    ballots->pivots = malloc(((size_t)axes->count + 1) * SHW_RECORD_NEAR * sizeof *ballots->pivots);
    return ballots->attributes != NULL && ballots->threshold_counts != NULL && ballots->numbers != NULL &&
           ballots->few_thresholds != NULL && ballots->searches != NULL && ballots->pivots != NULL;
}

/* Trees and tests. */

static bool allocate_trees(struct shw_record_ballots *ballots, size_t trees, size_t words)
{
    ballots->trees = malloc((trees + 1) * sizeof *ballots->trees);
    ballots->places = malloc((trees + 1) * sizeof *ballots->places);
    ballots->shifts = malloc((trees + 1) * sizeof *ballots->shifts);
    ballots->base = malloc(ballots->tops->info->output_count * sizeof *ballots->base);
    ballots->values = shw_aligned(SHW_RECORD_LINE, (words + 1) * TESTS);
    ballots->limits = shw_aligned(SHW_RECORD_LINE, (words + 1) * TESTS * (size_t)ballots->tops->axes->width);
    if (ballots->values == NULL || ballots->limits == NULL)
        return false;
    memset(ballots->values, 0, words * TESTS);
    for (size_t slot = 0; slot < words * TESTS; slot++)
        write_limit(ballots, slot, ballots->tops->axes->width == SHW_RECORD_RANK_8 ? INT8_MAX : INT16_MAX);
    return ballots->trees != NULL && ballots->places != NULL && ballots->shifts != NULL && ballots->base != NULL;
}

/* False: no memory. */
static bool fill(struct shw_record_ballots *ballots, struct place_in_order *order)
{
    const uint32_t count = sort_trees(ballots->tops, order);
    size_t trees, words;
    uint32_t first = 0;

    ballots->parts = malloc((count + 1) * sizeof *ballots->parts);
    if (ballots->parts == NULL)
        return false;
    trees = list_parts(order, count, ballots, &words);
    if (!allocate_lanes(ballots) || !allocate_trees(ballots, trees, words))
        return false;
    fill_lanes(ballots);
    fill_base(ballots);
    for (uint32_t p = 0; p < ballots->part_count; first += ballots->parts[p].count, p++)
        fill_part(ballots, order + first, &ballots->parts[p]);
    return true;
}

/* NULL where there are none. */
static const struct shw_record_ballot_vectors *choose_vectors(enum shw_record_width width)
{
    const enum shw_simd level = shw_simd_level();

    if (level < SHW_SIMD_AVX2 || width == SHW_RECORD_CODE_32)
        return NULL;
#if SHW_SIMD_X86
    if (level == SHW_SIMD_AVX512 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi"))
        return &shw_record_ballots_avx512;
#endif
    return &shw_record_ballots_avx2;
}

enum shw_result shw_record_ballots_make(const struct shw_record_tops *tops, const struct shw_log *log,
                                        struct shw_record_ballots *ballots)
{
    struct place_in_order *order;
    bool made;

    *ballots = (struct shw_record_ballots){.vectors = choose_vectors(tops->axes->width), .tops = tops};
    if (ballots->vectors == NULL)
        return SHW_OK;
    if (!lay_out(ballots)) {
        ballots->vectors = NULL;
        return SHW_OK;
    }
    ballots->few = count_few(tops->axes);
    order = malloc(tops->info->tree_count * sizeof *order);
    made = order != NULL && fill(ballots, order);
    free(order);
    return made ? SHW_OK : shw_fail_memory(log, "ballots of a record forest");
}

void shw_record_ballots_free(struct shw_record_ballots *ballots)
{
    free(ballots->parts);
    free(ballots->trees);
    free(ballots->places);
    free(ballots->shifts);
    free(ballots->base);
    shw_free_aligned(ballots->values);
    shw_free_aligned(ballots->limits);
    free(ballots->attributes);
    free(ballots->threshold_counts);
    free(ballots->numbers);
    free(ballots->few_thresholds);
    free(ballots->searches);
    free(ballots->pivots);
}

/* What evaluation does without vectors. */

void shw_record_ballots_copy(const struct shw_record_ballots *ballots, const struct shw_records *records,
                             uint64_t record, uint32_t *bits)
{
    const float *row = records->values + record * records->record_stride;
    const size_t stride = records->attribute_stride;

    for (uint32_t l = 0; l < ballots->used_lanes; l++)
        memcpy(&bits[l], row + ballots->attributes[l] * stride, sizeof *bits);
    for (uint32_t l = ballots->used_lanes; l < ballots->lane_count; l++)
        bits[l] = 0;
}

/* Nodes below tops have columns of their own. */
void shw_record_ballots_descend(const struct shw_record_ballots *ballots, const struct shw_record_ballot_part *part,
                                uint32_t groups, const void *values, uint64_t *places)
{
    const struct shw_record_axes *axes = ballots->tops->axes;
    const uint32_t columns = axes->columns->count;
    int8_t of_8[SHW_RECORD_BALLOT_VALUES + 1] = {INT8_MIN};
    int16_t of_16[SHW_RECORD_BALLOT_VALUES + 1] = {INT16_MIN};
    const bool is_8 = axes->width == SHW_RECORD_RANK_8;

    if (is_8)
        for (uint32_t c = 1; c < columns; c++)
            of_8[c] = ((const int8_t *)values)[ballots->numbers[c]];
    else
        for (uint32_t c = 1; c < columns; c++)
            of_16[c] = ((const int16_t *)values)[ballots->numbers[c]];
    shw_record_tops_descend_trees(ballots->tops, is_8 ? (const void *)of_8 : of_16, groups * LANES, part->steps,
                                  part->has_sets, places);
}

void shw_record_ballots_add(const struct shw_record_ballots *ballots, const uint32_t *trees, const uint64_t *places,
                            uint32_t count, int64_t *sums, uint32_t *leaves)
{
    const struct shw_record_tops *tops = ballots->tops;
    const struct shw_record_forest_info *info = tops->info;

    if (tops->values != NULL)
        for (uint32_t i = 0; i < count; i++)
            add_values(info, trees[i], tops->values + places[i] * info->values_per_leaf, sums);
    else
        for (uint32_t i = 0; i < count; i++)
            add_values(info, trees[i], values_of(info, trees[i], tops->leaves[places[i]]), sums);
    for (uint32_t i = 0; leaves != NULL && i < count; i++)
        leaves[trees[i]] = tops->leaves[places[i]];
}
