/* What the values of a pixel's distribution sum to: each is the mean of the trees' values rounded to nearest, so the
 * sum is not always that of a leaf. The documented bounds are reached, and never exceeded. */
#include "testing/testing.h"

#include <string.h>

#include <shadewood/label.h>

#define WHOLE       65535u
#define TREES_MAX   9u
#define CLASSES_MAX 12u

/* Leaves of `trees` trees of one node, whose values of class c sum to sums[c]; all of them sum to WHOLE * trees. */
static void share(const uint32_t *sums, uint32_t trees, uint32_t classes, uint16_t leaves[TREES_MAX][CLASSES_MAX])
{
    uint32_t tree = 0, room = WHOLE;

    memset(leaves, 0, TREES_MAX * sizeof *leaves);
    for (uint32_t c = 0; c < classes; c++)
        for (uint32_t left = sums[c]; left > 0;) {
            uint32_t part = left < room ? left : room;
            leaves[tree][c] = (uint16_t)(leaves[tree][c] + part);
            left -= part;
            room -= part;
            if (room == 0) {
                tree++;
                room = WHOLE;
            }
        }
    assert_int_equal(tree, trees);
}

static uint32_t label_sum(uint16_t leaves[TREES_MAX][CLASSES_MAX], uint32_t trees, uint32_t classes)
{
    static const uint8_t pixel[3];
    static const struct shw_node leaf;
    const struct shw_image image = {pixel, 1, 1, 0, SHW_PIXEL_RGB8};
    struct shw_tree list[TREES_MAX];
    struct shw_forest_params forest_params = {
        .info = {.channels = SHW_CHANNELS_RGB, .class_count = classes, .tree_count = trees}, .trees = list};
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_DISTRIBUTION, .threads = 1};
    struct shw_forest *forest = NULL;
    struct shw_labeller *labeller = NULL;
    uint16_t distribution[CLASSES_MAX];
    uint32_t sum = 0;

    for (uint32_t t = 0; t < trees; t++)
        list[t] = (struct shw_tree){.nodes = &leaf, .node_count = 1, .distributions = leaves[t]};
    assert_int_equal(shw_forest_create(&forest_params, &forest), SHW_OK);
    params.forest = forest;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(
        shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &(struct shw_labelling){.distribution = distribution}),
        SHW_OK);
    for (uint32_t c = 0; c < classes; c++)
        sum += distribution[c];
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    return sum;
}

/* The sum where the trees' sums of the first `count` classes, divided by the number of trees, leave remainders of `low`
 * to `high`, `total` together, and those of other classes none. */
static uint32_t sum_with(uint32_t trees, uint32_t classes, uint32_t count, uint32_t low, uint32_t high, uint32_t total)
{
    uint32_t sums[CLASSES_MAX], rest = WHOLE * trees;
    uint16_t leaves[TREES_MAX][CLASSES_MAX];

    assert_in_range(count, 0, classes);
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t remainder = 0;
        if (c < count) {
            uint32_t needed = (count - 1 - c) * low; /* by those that follow */
            remainder = total - needed < high ? total - needed : high;
            assert_in_range(remainder, low, high);
            total -= remainder;
        }
        sums[c] = 1000 * trees + remainder;
        rest -= sums[c];
    }
    assert_int_equal(total, 0);
    assert_int_equal(rest % trees, 0);
    sums[classes - 1] += rest;
    share(sums, trees, classes, leaves);
    return label_sum(leaves, trees, classes);
}

/* How far the sum can be above 65535, and below: a remainder of at least half the trees is rounded up, a smaller one
 * down. */
static uint32_t above(uint32_t trees, uint32_t classes)
{
    return classes * (trees / 2) / trees;
}

static uint32_t below(uint32_t trees, uint32_t classes)
{
    return classes * ((trees - 1) / 2) / trees;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return b > 0 ? (a + b - 1) / b : 0;
}

TESTING_CASE(the_bounds_are_reached)
{
    for (uint32_t trees = 1; trees <= TREES_MAX; trees++)
        for (uint32_t classes = 1; classes <= CLASSES_MAX; classes++) {
            uint32_t up = above(trees, classes), down = below(trees, classes), half = (trees + 1) / 2;
            uint32_t raised = divide_up(up * trees, trees / 2), lowered = divide_up(down * trees, (trees - 1) / 2);

            assert_int_equal(sum_with(trees, classes, raised, half, trees - 1, (raised - up) * trees), WHOLE + up);
            assert_int_equal(sum_with(trees, classes, lowered, 0, (trees - 1) / 2, down * trees), WHOLE - down);
        }
}

TESTING_CASE(the_bounds_are_not_exceeded)
{
    struct testing_random random = {65535};
    uint32_t highest = 0, lowest = UINT32_MAX;

    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t trees = 1 + testing_random_below(&random, TREES_MAX);
        uint32_t classes = 1 + testing_random_below(&random, CLASSES_MAX), sum;
        uint16_t leaves[TREES_MAX][CLASSES_MAX] = {{0}};

        for (uint32_t t = 0; t < trees; t++) {
            uint32_t left = WHOLE;
            for (uint32_t c = 0; c < classes - 1; c++) {
                leaves[t][c] = (uint16_t)testing_random_below(&random, left + 1);
                left -= leaves[t][c];
            }
            leaves[t][classes - 1] = (uint16_t)left;
        }
        sum = label_sum(leaves, trees, classes);
        assert_in_range(sum, WHOLE - below(trees, classes), WHOLE + above(trees, classes));
        highest = sum > highest ? sum : highest;
        lowest = sum < lowest ? sum : lowest;
    }
    assert_true(lowest < WHOLE && highest > WHOLE + 1);
}
