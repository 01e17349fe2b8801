/* The tables by which groups of lanes evaluate trees: whoever follows them finds the leaves of plain evaluation. */
#include "testing/record_forests.h"
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "records/evaluate/lanes.h"
#include "shared/record.h"

#define RECORDS 60u

static bool side_of(shw_uint4 entry, const float *record)
{
    uint32_t bits, flags = entry.x >> SHW_LANES_FLAGS_SHIFT;
    int32_t code;

    memcpy(&bits, &record[entry.x & SHW_LANES_ATTRIBUTE_MASK], sizeof bits);
    code = shw_record_code_for(shw_record_code(bits), flags >> 1 & 1);
    return shw_record_goes_right(code, (int32_t)entry.y, flags & 1) != 0;
}

static uint32_t follow(const struct shw_record_tree *tree, const shw_uint4 *entries, uint32_t count,
                       const float *record)
{
    uint32_t target = tree->depth == 0 ? SHW_LANES_LEAF : 0, steps = 0;

    while ((target & SHW_LANES_LEAF) == 0) {
        uint32_t at = target & SHW_LANES_VALUE_MASK, next;
        assert_true(at < count);
        next = side_of(entries[at], record) ? entries[at].w : entries[at].z;
        assert_true((next & SHW_LANES_LEAF) != 0 || (next & SHW_LANES_VALUE_MASK) > at);
        assert_true(steps++ <= tree->depth);
        target = next;
    }
    return target & SHW_LANES_VALUE_MASK;
}

/* Windows are successive entries with places from 0 on, and exactly what is INSIDE stays in its window. */
static void check_windows(const shw_uint4 *entries, uint32_t count, uint32_t levels)
{
    uint32_t *window = calloc(count + 1, sizeof *window), *level = calloc(count + 1, sizeof *level);

    assert_non_null(window);
    assert_non_null(level);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = entries[i].x >> SHW_LANES_PLACE_SHIFT;
        assert_true(place <= i && place < (1u << levels) - 1);
        window[i] = i - place;
        if (i > 0 && place > 0)
            assert_int_equal(window[i], window[i - 1]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t target = side ? entries[i].w : entries[i].z, at = target & SHW_LANES_VALUE_MASK;
            bool inside = (target & SHW_LANES_INSIDE) != 0;
            if ((target & SHW_LANES_LEAF) != 0)
                continue;
            assert_int_equal(inside, window[at] == window[i]);
            level[at] = inside ? level[i] + 1 : 0;
            assert_true(level[at] < levels);
            if (!inside) {
                assert_int_equal(window[at], at);
                assert_int_equal(level[i], levels - 1); /* windows are as deep as they may be */
            }
        }
    free(window);
    free(level);
}

static void check_tree(const struct shw_record_forest *forest, uint32_t t, enum shw_lane_order order, uint32_t levels,
                       const float *records, const uint32_t *leaves)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_record_tree *tree = &info->trees[t];
    uint32_t count = shw_lane_entries(tree, order);
    shw_uint4 *entries = calloc(count + 1, sizeof *entries);

    assert_non_null(entries);
    assert_int_equal(shw_lane_fill(tree, info->nodes + tree->first_node, order, levels, NULL, entries), SHW_OK);
    for (uint32_t r = 0; r < RECORDS; r++)
        assert_int_equal(follow(tree, entries, count, records + (size_t)r * info->attribute_count),
                         leaves[(size_t)r * info->tree_count + t]);
    if (order == SHW_LANES_OF_WINDOWS)
        check_windows(entries, count, levels);
    free(entries);
}

static void check_ballot(const struct shw_record_forest *forest, uint32_t t, const float *records,
                         const uint32_t *leaves)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_record_tree *tree = &info->trees[t];
    shw_uint4 entries[2 * 64 + 1];
    uint32_t splits = tree->node_count / 2;

    for (uint32_t width = splits > 0 ? splits : 1; width <= 64; width += width < splits + 4 ? 1 : 13) {
        shw_lane_fill_ballot(tree, info->nodes + tree->first_node, width, entries);
        for (uint32_t r = 0; r < RECORDS; r++) {
            uint32_t reached = 0, leaf = width;
            uint64_t sides = 0;
            for (uint32_t e = 0; e < width; e++)
                sides |= (uint64_t)side_of(entries[e], records + (size_t)r * info->attribute_count) << e;
            for (uint32_t e = 0; e < width; e++) {
                bool low = ((uint32_t)sides & entries[e].z) == entries[e].w;
                bool high = width <= 32 || ((uint32_t)(sides >> 32) & entries[width + e].x) == entries[width + e].y;
                if (low && high) {
                    leaf = e;
                    reached++;
                }
            }
            assert_true(reached == 1 || (reached == 0 && splits == width));
            assert_int_equal(leaf, leaves[(size_t)r * info->tree_count + t]);
        }
    }
}

static void check_forest(const struct random_record_forest_params *params)
{
    struct shw_record_forest *forest = random_record_forest(params);
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    float *records = random_records(forest, RECORDS, params->seed);
    struct plain_results expected = plain_evaluate(forest, records, RECORDS, info->attribute_count, 1, NULL);

    for (uint32_t t = 0; t < info->tree_count; t++) {
        check_tree(forest, t, SHW_LANES_OF_NODES, 0, records, expected.leaves);
        check_tree(forest, t, SHW_LANES_OF_SPLITS, 0, records, expected.leaves);
        for (uint32_t levels = 1; levels <= 10; levels++)
            check_tree(forest, t, SHW_LANES_OF_WINDOWS, levels, records, expected.leaves);
        if (info->trees[t].node_count / 2 <= 64)
            check_ballot(forest, t, records, expected.leaves);
    }
    plain_results_free(&expected);
    free(records);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(tables_lead_to_the_leaves)
{
    static const enum random_tree_shape shapes[] = {TREE_BALANCED, TREE_RANDOM, TREE_CHAIN, TREE_LEAF};

    for (uint32_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (uint32_t depth = 1; depth <= 7; depth++)
            check_forest(&(struct random_record_forest_params){
                .seed = 100 * s + depth, .shape = shapes[s], .trees = 3, .depth = depth});
    check_forest(&(struct random_record_forest_params){.seed = 1, .shape = TREE_CHAIN, .trees = 1, .depth = 4096});
    check_forest(&(struct random_record_forest_params){.seed = 2, .shape = TREE_CHAIN, .trees = 1, .depth = 64});
    check_forest(&(struct random_record_forest_params){.seed = 3, .shape = TREE_RANDOM, .trees = 1, .depth = 12});
}

static const struct shw_subgroup none = {0}, eight = {8, 0xbf}, thirty_two = {32, 0xff}, no_shuffle = {32, 0x0f};
static const VkPhysicalDeviceLimits limits = {.maxComputeWorkGroupInvocations = 1024,
                                              .maxComputeWorkGroupSize = {1024, 1024, 64},
                                              .maxComputeSharedMemorySize = 49152};
static const VkPhysicalDeviceLimits least_limits = {.maxComputeWorkGroupInvocations = 128,
                                                    .maxComputeWorkGroupSize = {128, 128, 64},
                                                    .maxComputeSharedMemorySize = 16384};

static void expect_plan(enum shw_record_technique technique, struct shw_record_tuning tuning, uint32_t nodes,
                        uint32_t depth, const struct shw_subgroup *subgroup, struct shw_lane_plan expected)
{
    struct shw_lane_plan plan =
        shw_lane_plan_make(technique, &tuning, (struct shw_lane_sizes){nodes, depth}, subgroup, &limits);

    assert_int_equal(plan.form, expected.form);
    assert_int_equal(plan.lanes, expected.lanes);
    assert_int_equal(plan.groups, expected.groups);
    assert_int_equal(plan.entries, expected.entries);
    assert_int_equal(plan.reductions, expected.reductions);
    assert_int_equal(plan.whole, expected.whole);
}

/* Spencer's experiment: a half warp for the 15 splits of a tree of 31 nodes. */
TESTING_CASE(plans_follow_tree_and_device)
{
    const struct shw_record_tuning usual = {0};

#define PLAN(f, l, g, e, r, w)                                                                                         \
    (struct shw_lane_plan){.form = (f), .lanes = (l), .groups = (g), .entries = (e), .reductions = (r), .whole = (w)}
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, usual, 31, 11, &thirty_two, PLAN(SHW_LANES_BALLOT, 16, 8, 1, 2, true));
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, (struct shw_record_tuning){.reductions = 3}, 31, 11, &thirty_two,
                PLAN(SHW_LANES_SUBGROUP, 16, 8, 16, 3, true));
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, (struct shw_record_tuning){.group_lanes = 8}, 31, 11, &thirty_two,
                PLAN(SHW_LANES_BALLOT, 8, 16, 2, 2, true));
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, (struct shw_record_tuning){.group_lanes = 64}, 31, 11, &thirty_two,
                PLAN(SHW_LANES_SHARED, 64, 1, 15, 2, true));
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, usual, 31, 11, &none, PLAN(SHW_LANES_SHARED, 16, 4, 15, 2, true));
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, usual, 31, 11, &eight, PLAN(SHW_LANES_BALLOT, 8, 16, 2, 2, true));
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, usual, 129, 7, &thirty_two, PLAN(SHW_LANES_BALLOT, 32, 4, 2, 2, true));
    expect_plan(SHW_RECORD_SPECULATIVE_MAPPED, usual, 131, 7, &thirty_two, PLAN(SHW_LANES_SHARED, 128, 1, 65, 2, true));
    expect_plan(SHW_RECORD_SPECULATIVE, usual, 31, 11, &thirty_two, PLAN(SHW_LANES_SUBGROUP, 32, 4, 32, 1, true));
    expect_plan(SHW_RECORD_SPECULATIVE, usual, 31, 11, &no_shuffle, PLAN(SHW_LANES_SHARED, 32, 2, 31, 1, true));
    expect_plan(SHW_RECORD_SPECULATIVE, usual, 33, 11, &thirty_two, PLAN(SHW_LANES_SHARED, 64, 1, 33, 1, true));
    expect_plan(SHW_RECORD_SPECULATIVE, usual, 1025, 11, &none, PLAN(SHW_LANES_SHARED_HALF, 256, 1, 1025, 1, true));
    expect_plan(SHW_RECORD_SPECULATIVE, usual, 99999, 40, &none, PLAN(SHW_LANES_SHARED_HALF, 256, 1, 12286, 1, false));
    expect_plan(SHW_RECORD_SPECULATIVE, usual, 1, 0, &thirty_two, PLAN(SHW_LANES_SUBGROUP, 1, 128, 1, 1, true));
    expect_plan(SHW_RECORD_WINDOWED, usual, 9999, 30, &thirty_two, PLAN(SHW_LANES_SUBGROUP, 4, 32, 4, 1, false));
    expect_plan(SHW_RECORD_WINDOWED, usual, 9999, 30, &none, PLAN(SHW_LANES_SHARED, 4, 8, 3, 1, false));
    expect_plan(SHW_RECORD_WINDOWED, (struct shw_record_tuning){.window_levels = 5}, 9999, 30, &thirty_two,
                PLAN(SHW_LANES_SUBGROUP, 32, 4, 32, 2, false));
    expect_plan(SHW_RECORD_WINDOWED, (struct shw_record_tuning){.window_levels = 10}, 9999, 30, &thirty_two,
                PLAN(SHW_LANES_SHARED, 256, 1, 1023, 2, false));
    expect_plan(SHW_RECORD_WINDOWED, (struct shw_record_tuning){.window_levels = 10}, 9999, 10, &thirty_two,
                PLAN(SHW_LANES_SHARED, 256, 1, 1023, 2, true));
#undef PLAN
}

/* Whatever is asked for, work groups and shared memory stay within the limits. */
TESTING_CASE(plans_stay_within_limits)
{
    struct testing_random random = {7};

    for (int i = 0; i < 20000; i++) {
        const struct shw_subgroup *subgroups[] = {&none, &eight, &thirty_two, &no_shuffle};
        const VkPhysicalDeviceLimits *most = testing_random_below(&random, 2) ? &limits : &least_limits;
        struct shw_record_tuning tuning = {
            .group_lanes = testing_random_below(&random, 2) ? 1u << testing_random_below(&random, 11) : 0,
            .reductions = testing_random_below(&random, 9),
            .window_levels = testing_random_below(&random, 11)};
        uint32_t nodes = 2 * testing_random_below(&random, 1u << testing_random_below(&random, 20)) + 1;
        enum shw_record_technique technique = SHW_RECORD_SPECULATIVE + testing_random_below(&random, 3);
        struct shw_lane_plan plan =
            shw_lane_plan_make(technique, &tuning, (struct shw_lane_sizes){nodes, nodes / 2 < 4096 ? nodes / 2 : 4096},
                               subgroups[testing_random_below(&random, 4)], most);
        uint32_t word = plan.form == SHW_LANES_SHARED_HALF ? 2 : 4, records;
        assert_true(plan.lanes > 0 && (plan.lanes & (plan.lanes - 1)) == 0 && plan.entries > 0);
        assert_true(plan.lanes * plan.groups <= most->maxComputeWorkGroupInvocations);
        if (plan.form >= SHW_LANES_SHARED)
            assert_true(plan.groups * (2 * word * (plan.entries + (word == 2 && plan.entries % 2)) + 4) <=
                        most->maxComputeSharedMemorySize);
        if (plan.form >= SHW_LANES_SHARED)
            assert_true(plan.groups <= SHW_LANES_GROUPS_MAX);
        records = shw_lane_plan_records(&plan, &tuning, 1 + testing_random_below(&random, 1u << 22), 1, 65535);
        assert_true(records > 0);
    }
}

TESTING_CASE(groups_share_all_records)
{
    const struct shw_record_tuning usual = {0}, own = {.records_per_group = 3};
    struct shw_lane_plan plan = {.form = SHW_LANES_SUBGROUP, .lanes = 16, .groups = 8, .iterations = 10};

    assert_int_equal(shw_lane_plan_records(&plan, &usual, 65536, 1, 65535), 8);
    assert_int_equal(shw_lane_plan_records(&plan, &usual, 100, 1, 65535), 1);
    assert_int_equal(shw_lane_plan_records(&plan, &usual, 2000000, 1, 65535), 16);
    assert_int_equal(shw_lane_plan_records(&plan, &own, 2000000, 1, 65535), 4);
    assert_int_equal(shw_lane_plan_records(&plan, &own, 65536, 1, 65535), 3);
    assert_int_equal(shw_lane_plan_records(&plan, &own, 2, 1, 65535), 2);
    plan.form = SHW_LANES_BALLOT;
    assert_int_equal(shw_lane_plan_records(&plan, &usual, 100, 1, 65535), 4);
    assert_int_equal(shw_lane_plan_records(&plan, &usual, 100, 1000, 65535), 3); /* within the iterations of loops */
    plan = (struct shw_lane_plan){.lanes = 256, .groups = 1, .iterations = 100};
    assert_true((uint64_t)shw_lane_plan_records(&plan, &usual, 4000000, 1, 65535) * 65535 >= 4000000);
}
