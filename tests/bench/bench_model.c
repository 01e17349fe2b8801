/* The model of what bounds a row, and what the bench labels: forests of exact shape, images. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "bench/setting.h"

/* A document of one row, and the limits of a device that loads 1000 words, fetches 500 texels, copies 100 bytes, adds
 * 10 and 20 points a millisecond; a processor gathers 2000. */
static json_t *document(const char *stage, const char *technique, double amount, const char *unit, double device_ms,
                        double wall_ms)
{
    return json_pack(
        "{s:[{s:s,s:f}, {s:s,s:f}, {s:s,s:f}, {s:s,s:f}, {s:s,s:f}, {s:s,s:f}], s:[{s:s, s:s, s:{s:f, s:s}, s:{s:f}, "
        "s:{s:f}, s:{s:i,s:i,s:i,s:i,s:i,s:s}, s:n}]}",
        "limits", "limit", "compute_buffer_loads", "per_second", 1e6, "limit", "fragment_texel_fetches", "per_second",
        5e5, "limit", "copy", "per_second", 1e5, "limit", "shared_atomics", "per_second", 1e4, "limit", "point_blends",
        "per_second", 2e4, "limit", "cpu_gathers", "per_second", 2e6, "rows", "stage", stage, "technique", technique,
        "work", "amount", amount, "unit", unit, "device_ms", "median", device_ms, "wall_ms", "median", wall_ms,
        "setting", "width", 10, "height", 5, "channels", 16, "trees", 4, "depth", 3, "output", "argmax", "bound");
}

/* Binds and compares; `limit` NULL: the row must not be bound. */
static void check(json_t *made, const char *limit, double ideal, double ratio)
{
    const json_t *bound;

    assert_non_null(made);
    assert_int_equal(shw_bench_bind(made, json_object_get(made, "limits"), NULL), SHW_OK);
    bound = json_object_get(json_array_get(json_object_get(made, "rows"), 0), "bound");
    if (limit == NULL) {
        assert_true(json_is_null(bound));
    } else {
        assert_string_equal(json_string_value(json_object_get(bound, "limit")), limit);
        assert_true(fabs(json_number_value(json_object_get(bound, "ideal_ms")) - ideal) < 1e-9 * ideal);
        assert_true(fabs(json_number_value(json_object_get(bound, "ratio")) - ratio) < 1e-9 * ratio);
    }
    json_decref(made);
}

TESTING_CASE(test_rows_are_bound_by_their_kind_of_work)
{
    /* 10 loads a visit: 8 corners, 2 texels */
    check(document("evaluate", "compute", 5000, "node visits", 100, 1), "compute_buffer_loads", 50, 2);
    check(document("evaluate", "fragment", 5000, "node visits", 300, 1), "fragment_texel_fetches", 100, 3);
    /* a processor's time is the host's */
    check(document("evaluate", "cpu", 5000, "node visits", 0, 60), "cpu_gathers", 20, 3);
    /* a copy reads and writes */
    check(document("channels", "compute", 4000, "bytes", 100, 1), "copy", 20, 5);
    /* 8 loads a response, 8 a millisecond of work for the counters: the adds are slower here */
    check(document("round", "compute", 1000, "responses", 400, 1), "shared_atomics", 100, 4);
    check(document("round", "blend", 1000, "responses", 100, 1), "point_blends", 50, 2);
    check(document("bare", "blend", 1000, "points", 60, 1), "point_blends", 50, 1.2);
    /* without timestamps the host's clock */
    check(document("evaluate", "compute", 5000, "node visits", 0, 150), "compute_buffer_loads", 50, 3);
}

TESTING_CASE(test_the_whole_is_the_sum_of_the_stages)
{
    /* 50 pixels: 50 * (4 + 32 + 96) bytes, 50 * 4 * 3 visits */
    double bytes = 6600, visits = 600;

    check(document("whole", "compute", 50, "pixels", 78, 1), "copy", bytes / 200 + visits / 100, 78 / 39.0);
    check(document("frame", "fragment", 50, "pixels", 90, 1), "copy", bytes / 200 + visits / 50, 90 / 45.0);
}

TESTING_CASE(test_what_the_model_does_not_know_stays_unbound)
{
    json_t *made = document("evaluate", "compute", 5000, "node visits", 100, 1);

    json_array_clear(json_object_get(made, "limits"));
    check(made, NULL, 0, 0);
    check(document("channels", "cpu", 4000, "bytes", 0, 100), NULL, 0, 0);
    check(document("evaluate", "mine", 5000, "node visits", 100, 1), NULL, 0, 0);
    check(document("label", "compute", 50, "pixels", 0, 100), NULL, 0, 0);
    check(document("evaluate", "compute", 5000, "node visits", 0, 0), NULL, 0, 0);
}

TESTING_CASE(test_forests_have_exactly_the_shape_asked_for)
{
    static const struct {
        uint32_t depth, full, leaves;
    } shapes[] = {{1, 12, 2}, {8, 12, 256}, {6, 6, 64}, {7, 6, 128}, {9, 6, 256}, {5, 0, 6}, {16, 10, 7 << 10}};
    struct shw_bench_setting setting = shw_bench_base();

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct shw_forest *forest = NULL, *again = NULL;
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        setting.forest.trees = 3;
        setting.forest.depth = shapes[i].depth;
        setting.forest.full_depth = shapes[i].full;
        setting.forest.feature = i % 2 == 0 ? &shw_feature_sum_difference : &shw_feature_mean_difference;
        assert_int_equal(shw_bench_forest(&setting.forest, &log, &forest), SHW_OK);
        assert_int_equal(shw_bench_forest(&setting.forest, &log, &again), SHW_OK);
        assert_true(shw_forest_hash(forest) == shw_forest_hash(again));
        for (uint32_t t = 0; t < 3; t++) {
            assert_int_equal(shw_forest_get_tree(forest, t).leaf_count, shapes[i].leaves);
            assert_int_equal(shw_forest_get_tree(forest, t).depth, shapes[i].depth);
        }
        assert_int_equal(shw_bench_setting_leaves(&setting), shapes[i].leaves);
        assert_in_range(shw_forest_get_reach(forest), 1, 60 + 32);
        shw_forest_destroy(&forest);
        shw_forest_destroy(&again);
    }
}

/* If all pixels went the same way, evaluation would be easier than it is. */
TESTING_CASE(test_pixels_of_the_image_reach_most_leaves)
{
    struct shw_bench_setting setting = shw_bench_base();
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_FOREST_LEAVES,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU};
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forest = NULL;
    struct shw_image image;
    size_t pixels = 320 * 240;
    struct shw_labelling out = {.forest_leaves = malloc(8 * pixels * sizeof(uint32_t))};

    assert_non_null(out.forest_leaves);
    assert_int_equal(shw_bench_forest(&setting.forest, &log, &forest), SHW_OK);
    assert_int_equal(shw_bench_image(320, 240, &log, &image), SHW_OK);
    params.forest = forest;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out), SHW_OK);
    for (uint32_t t = 0; t < 8; t++) {
        uint32_t counts[256] = {0}, reached = 0, largest = 0;
        for (size_t p = 0; p < pixels; p++)
            counts[out.forest_leaves[t * pixels + p]]++;
        for (uint32_t l = 0; l < 256; l++) {
            reached += counts[l] > 0;
            largest = counts[l] > largest ? counts[l] : largest;
        }
        printf("# tree %u: %u leaves, the largest has %u\n", t, reached, largest);
        assert_true(reached >= 90);
        assert_true(largest < pixels / 4);
    }
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
    free(out.forest_leaves);
}

TESTING_CASE(test_settings_tell_their_work)
{
    struct shw_bench_setting setting = shw_bench_base();
    const char *unit;
    char name[128];

    assert_true(shw_bench_setting_work(&setting, SHW_BENCH_STAGE_CHANNELS, &unit) == 307200.0 * 36);
    assert_true(shw_bench_setting_work(&setting, SHW_BENCH_STAGE_INTEGRATE, &unit) == 307200.0 * 96);
    assert_string_equal(unit, "bytes");
    assert_true(shw_bench_setting_work(&setting, SHW_BENCH_STAGE_EVALUATE, &unit) == 307200.0 * 64);
    assert_string_equal(unit, "node visits");
    setting.output = SHW_OUTPUT_TREE_LEAF; /* walks one tree */
    assert_true(shw_bench_setting_work(&setting, SHW_BENCH_STAGE_EVALUATE, &unit) == 307200.0 * 8);
    shw_bench_setting_name(&setting, SHW_BENCH_STAGE_EVALUATE, name, sizeof name);
    assert_string_equal(name, "640x480/trees-8/depth-8/classes-23/tree-leaf");
    shw_bench_setting_name(&setting, SHW_BENCH_STAGE_INTEGRATE, name, sizeof name);
    assert_string_equal(name, "640x480");
}
