/* Groups of detections, against OpenCV's groupRectangles and against plain definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/testing.h"

#include "detection/detect/group.h"

/* The same rectangles as of the script that asked OpenCV. */
static uint32_t draw(uint32_t *state, uint32_t bound)
{
    *state = (uint32_t)(*state * (uint64_t)1103515245 + 12345) & 0x7fffffff;
    return (*state >> 8) % bound;
}

static struct shw_detections scatter(uint32_t seed, uint32_t count, uint32_t spread)
{
    struct shw_detections all = {count, calloc(count, sizeof *all.items)};
    uint32_t state = seed;

    assert_non_null(all.items);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = draw(&state, 5);
        all.items[i].x = (int32_t)(40 * k + draw(&state, spread));
        all.items[i].y = (int32_t)(30 * (k % 3) + draw(&state, spread));
        all.items[i].width = 24 + draw(&state, spread);
        all.items[i].height = 24 + draw(&state, spread);
        all.items[i].score = (int32_t)(i * 7919 % 101);
        all.items[i].neighbours = 1;
    }
    return all;
}

struct group {
    int32_t x, y;
    uint32_t width, height, neighbours;
};

/* cv2.groupRectangles() of OpenCV 4.6.0. */
static const struct {
    uint32_t seed, count, spread, threshold;
    double epsilon;
    uint32_t group_count;
    struct group groups[8];
} cases[] = {
    {1,
     60,
     8,
     3,
     0.2,
     5,
     {{165, 34, 27, 28, 11}, {124, 4, 27, 28, 11}, {44, 33, 28, 28, 18}, {3, 2, 28, 29, 9}, {84, 64, 29, 29, 9}}},
    {2,
     60,
     14,
     1,
     0.2,
     6,
     {{126, 4, 32, 30, 10},
      {46, 38, 31, 31, 20},
      {8, 6, 32, 31, 11},
      {168, 37, 29, 32, 3},
      {90, 70, 32, 34, 2},
      {172, 34, 30, 26, 4}}},
    {3,
     40,
     20,
     2,
     0.4,
     5,
     {{170, 43, 34, 33, 10}, {89, 77, 33, 38, 7}, {48, 45, 34, 36, 7}, {12, 14, 32, 36, 4}, {124, 9, 38, 30, 5}}},
    {4,
     80,
     10,
     2,
     0.1,
     5,
     {{1, 2, 30, 31, 3}, {46, 32, 30, 27, 4}, {83, 68, 30, 30, 5}, {164, 35, 32, 26, 4}, {5, 4, 32, 29, 4}}},
};

TESTING_CASE(means_are_those_of_opencv)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct shw_detections all = scatter(cases[c].seed, cases[c].count, cases[c].spread);
        const struct shw_group_params params = {
            .method = SHW_GROUP_MEAN, .min_neighbours = cases[c].threshold + 1, .epsilon = cases[c].epsilon};
        uint32_t seen = 0;

        assert_int_equal(shw_detections_group(&all, SHW_CASCADE_HAAR, &params, NULL), SHW_OK);
        assert_int_equal(all.count, cases[c].group_count);
        for (uint32_t i = 0; i < all.count; i++)
            for (uint32_t g = 0; g < cases[c].group_count; g++) {
                const struct group found = {all.items[i].x, all.items[i].y, all.items[i].width, all.items[i].height,
                                            all.items[i].neighbours};
                seen |= (uint32_t)(memcmp(&found, &cases[c].groups[g], sizeof found) == 0) << g;
            }
        assert_int_equal(seen, (1u << cases[c].group_count) - 1);
        free(all.items);
    }
}

/* Of the same OpenCV: groups inside others go if they have two windows, or fewer than the other one's and that has more
 * than three. */
TESTING_CASE(groups_inside_others_go)
{
    static const struct group drawn[] = {{10, 10, 80, 80, 5},  {30, 30, 20, 20, 2},   {200, 10, 20, 20, 2},
                                         {60, 60, 24, 24, 3},  {300, 300, 60, 60, 3}, {310, 310, 20, 20, 2},
                                         {311, 341, 15, 15, 3}};
    static const struct group expected[] = {
        {10, 10, 80, 80, 5}, {200, 10, 20, 20, 2}, {300, 300, 60, 60, 3}, {311, 341, 15, 15, 3}};
    const struct shw_group_params params = {.method = SHW_GROUP_MEAN, .min_neighbours = 2};
    struct shw_detections all = {0, calloc(32, sizeof *all.items)};

    assert_non_null(all.items);
    for (size_t g = 0; g < sizeof drawn / sizeof *drawn; g++)
        for (uint32_t n = 0; n < drawn[g].neighbours; n++)
            all.items[all.count++] = (struct shw_detection){.x = drawn[g].x,
                                                            .y = drawn[g].y,
                                                            .width = drawn[g].width,
                                                            .height = drawn[g].height,
                                                            .score = -(int32_t)g,
                                                            .neighbours = 1};
    assert_int_equal(shw_detections_group(&all, SHW_CASCADE_LBP, &params, NULL), SHW_OK);
    assert_int_equal(all.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < all.count; i++) {
        assert_int_equal(all.items[i].x, expected[i].x);
        assert_int_equal(all.items[i].width, expected[i].width);
        assert_int_equal(all.items[i].neighbours, expected[i].neighbours);
    }
    free(all.items);
}

static double overlap_of(const struct shw_detection *a, const struct shw_detection *b)
{
    double width = fmin((double)a->x + a->width, (double)b->x + b->width) - fmax(a->x, b->x);
    double height = fmin((double)a->y + a->height, (double)b->y + b->height) - fmax(a->y, b->y);
    double common = fmax(width, 0) * fmax(height, 0);

    return common / ((double)a->width * a->height + (double)b->width * b->height - common);
}

/* Gives everything that overlaps item `i`, directly or not, the number `label`. */
static void flood(const struct shw_detections *all, uint32_t i, double overlap, uint32_t label, uint32_t *labels)
{
    labels[i] = label;
    for (uint32_t j = 0; j < all->count; j++)
        if (labels[j] == 0 && overlap_of(&all->items[i], &all->items[j]) > overlap)
            flood(all, j, overlap, label, labels);
}

static bool has_cluster(const struct shw_detections *groups, const struct shw_detections *all, const uint32_t *labels,
                        uint32_t label)
{
    double x = 0, y = 0, width = 0, height = 0;
    int64_t score = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->count; i++)
        if (labels[i] == label) {
            x += all->items[i].x;
            y += all->items[i].y;
            width += all->items[i].width;
            height += all->items[i].height;
            score += all->items[i].score;
            count++;
        }
    for (uint32_t g = 0; g < groups->count; g++) {
        const struct shw_detection *group = &groups->items[g];
        if (group->x == floor(x / count + 0.5) && group->y == floor(y / count + 0.5) &&
            group->width == floor(width / count + 0.5) && group->height == floor(height / count + 0.5) &&
            group->score == score && group->neighbours == count)
            return true;
    }
    return false;
}

TESTING_CASE(clusters_are_components)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct shw_detections all = scatter(seed, 1 + seed * 2, 10 + seed),
                              groups = scatter(seed, all.count, 10 + seed);
        double overlap = seed % 2 == 0 ? 0 : 0.55;
        const struct shw_group_params params = {.method = SHW_GROUP_CLUSTER, .overlap = overlap};
        uint32_t labels[128] = {0}, count = 0;

        for (uint32_t i = 0; i < all.count; i++)
            if (labels[i] == 0)
                flood(&all, i, overlap > 0 ? overlap : 0.3, ++count, labels);
        assert_int_equal(shw_detections_group(&groups, SHW_CASCADE_SCALED, &params, NULL), SHW_OK);
        assert_int_equal(groups.count, count);
        for (uint32_t label = 1; label <= count; label++)
            assert_true(has_cluster(&groups, &all, labels, label));
        free(all.items);
        free(groups.items);
    }
}

TESTING_CASE(suppression_keeps_the_best)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct shw_detections all = scatter(seed, 1 + seed * 2, 10 + seed), kept = scatter(seed, all.count, 10 + seed);
        const struct shw_group_params params = {.method = SHW_GROUP_SUPPRESS, .overlap = 0.4};
        bool dropped[128] = {false};
        uint32_t expected = 0, windows = 0;

        assert_int_equal(shw_detections_group(&kept, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
        for (;; expected++) { /* the best that is left; of equals the first from the left, the top, and the narrowest */
            const struct shw_detection *best = NULL;
            for (uint32_t i = 0; i < all.count; i++) {
                const struct shw_detection *item = &all.items[i];
                if (dropped[i])
                    continue;
                if (best == NULL || item->score > best->score ||
                    (item->score == best->score &&
                     (item->x < best->x || (item->x == best->x &&
                                            (item->y < best->y || (item->y == best->y && item->width < best->width))))))
                    best = item;
            }
            if (best == NULL)
                break;
            assert_true(expected < kept.count);
            assert_int_equal(kept.items[expected].score, best->score);
            assert_int_equal(kept.items[expected].x, best->x);
            assert_int_equal(kept.items[expected].y, best->y);
            windows += kept.items[expected].neighbours;
            for (uint32_t i = 0; i < all.count; i++)
                dropped[i] |= &all.items[i] == best || overlap_of(best, &all.items[i]) > 0.4;
        }
        assert_int_equal(kept.count, expected);
        assert_int_equal(windows, all.count);
        free(all.items);
        free(kept.items);
    }
}

/* In integers what the machine's single precision gives. */
TESTING_CASE(means_are_those_of_single_precision)
{
    struct testing_random random = {21};

    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t sum = testing_random_next(&random) >> 1 >> testing_random_below(&random, 63);
        uint32_t count = 1 + (uint32_t)((testing_random_next(&random) >> 33) >> testing_random_below(&random, 31));
        struct shw_uint2 mean = shw_group_single_mean(shw_wide((uint32_t)(sum >> 32), (uint32_t)sum), count);
        long long expected = llrintf((float)(int64_t)sum * (1.0f / (float)count));

        if (expected == (long long)((uint64_t)1 << 63)) /* it does not fit there */
            continue;
        assert_true(((uint64_t)mean.x << 32 | mean.y) == (uint64_t)expected);
    }
}

/* Rectangles whose sides have 16 bits or fewer, many of them at a limit, and one that only moves far away. */
static struct shw_detections scatter_narrow(struct testing_random *random, uint32_t count, uint32_t most, bool far)
{
    struct shw_detections all = {count, calloc(count + 1, sizeof *all.items)};

    assert_non_null(all.items);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t corner = !far ? 0 : testing_random_below(random, 2) == 0 ? INT32_MIN : INT32_MAX - (int32_t)most;
        all.items[i] = (struct shw_detection){.x = corner + (int32_t)testing_random_below(random, most),
                                              .y = corner + (int32_t)testing_random_below(random, most),
                                              .width = most / 2 + testing_random_below(random, most - most / 2 + 1),
                                              .height = most / 2 + testing_random_below(random, most - most / 2 + 1),
                                              .score = (int32_t)testing_random_below(random, 9),
                                              .neighbours = 1};
    }
    return all;
}

/* Numbers of 64 bits give what those of 96 bits do, which one wide rectangle far from all others asks for. */
TESTING_CASE(narrow_sides_are_grouped_as_wide_ones)
{
    static const uint32_t sides[] = {1, 2, 3, 8, 20, 100, 65535};
    static const double limits[] = {0, 0.25, 1.0 / 3, 0.5, 1};
    struct testing_random random = {33};

    for (uint32_t i = 0; i < 900; i++) {
        const struct shw_group_params params = {
            .method = (enum shw_group_method)(SHW_GROUP_MEAN + testing_random_below(&random, 3)),
            .min_neighbours = 1,
            .epsilon = limits[testing_random_below(&random, 5)] * (1 + 9 * testing_random_below(&random, 2)),
            .overlap = limits[testing_random_below(&random, 5)]};
        const struct shw_detection wide = {
            .x = 1 << 20, .width = 65536, .score = INT32_MIN, .neighbours = 1}; /* without a height */
        const uint32_t count = 1 + testing_random_below(&random, 60);
        struct shw_detections narrow = scatter_narrow(&random, count, sides[testing_random_below(&random, 7)],
                                                      testing_random_below(&random, 4) == 0);
        struct shw_detections all = {count + 1, malloc((count + 1) * sizeof *all.items)};

        memcpy(all.items, narrow.items, count * sizeof *all.items);
        all.items[count] = wide;
        all.items[count].y = params.method == SHW_GROUP_MEAN ? INT32_MAX / 2 : 0;
        assert_int_equal(shw_detections_group(&narrow, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
        assert_int_equal(shw_detections_group(&all, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
        assert_int_equal(all.count, narrow.count + 1);
        assert_memory_equal(all.items, narrow.items, narrow.count * sizeof *all.items);
        free(narrow.items);
        free(all.items);
    }
}

/* Exactly at a limit, whatever the fraction is in binary. */
TESTING_CASE(limits_are_exact)
{
    for (uint32_t percent = 1; percent < 100; percent++) {
        struct shw_detection items[2] = {{.width = 100, .height = 100, .score = 2, .neighbours = 1},
                                         {.width = 100, .height = percent, .score = 1, .neighbours = 1}};
        for (int more = 0; more < 2; more++) {
            struct shw_detections all = {2, malloc(sizeof items)};
            const struct shw_group_params params = {.method = SHW_GROUP_SUPPRESS, .overlap = percent / 100.0};
            items[1].height = percent + (uint32_t)more;
            memcpy(all.items, items, sizeof items);
            assert_int_equal(shw_detections_group(&all, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
            assert_int_equal(all.count, more == 0 ? 2 : 1);
            free(all.items);
        }
        for (int more = 0; more < 2; more++) {
            struct shw_detections all = {2, malloc(sizeof items)};
            const struct shw_group_params params = {
                .method = SHW_GROUP_MEAN, .min_neighbours = 1, .epsilon = percent / 100.0};
            memcpy(all.items, items, sizeof items);
            all.items[1].height = 100;
            all.items[1].x = (int32_t)percent + more;
            assert_int_equal(shw_detections_group(&all, SHW_CASCADE_HAAR, &params, NULL), SHW_OK);
            assert_int_equal(all.items[0].neighbours, more == 0 ? 2 : 1);
            free(all.items);
        }
    }
}

/* The order of the windows changes nothing, whatever the method. */
TESTING_CASE(order_does_not_matter)
{
    for (uint32_t method = SHW_GROUP_NONE; method < SHW_GROUP_METHOD_COUNT; method++) {
        struct shw_detections one = scatter(9, 90, 16), other = scatter(9, 90, 16);
        const struct shw_group_params params = {.method = (enum shw_group_method)method, .min_neighbours = 1};

        for (uint32_t i = 0; i < other.count; i++) {
            one.items[i].score %= 4;
            other.items[(i * 37 + 11) % other.count] = one.items[i];
        }
        assert_int_equal(shw_detections_group(&one, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
        assert_int_equal(shw_detections_group(&other, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.items, other.items, one.count * sizeof *one.items);
        for (uint32_t i = 1; i < one.count; i++)
            assert_true(one.items[i - 1].score >= one.items[i].score);
        free(one.items);
        free(other.items);
    }
}

static uint32_t count_groups(enum shw_group_method method, uint32_t windows, uint32_t min_neighbours)
{
    struct shw_detections all = {windows, calloc(windows, sizeof *all.items)};
    const struct shw_group_params params = {.method = method, .min_neighbours = min_neighbours};
    uint32_t count;

    assert_non_null(all.items);
    for (uint32_t i = 0; i < windows; i++)
        all.items[i] = (struct shw_detection){.x = 50, .y = 60, .width = 30, .height = 30, .neighbours = 1};
    assert_int_equal(shw_detections_group(&all, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
    count = all.count;
    free(all.items);
    return count;
}

/* OpenCV's usual 3 neighbours are four windows. */
TESTING_CASE(usual_groups_have_enough_windows)
{
    assert_int_equal(count_groups(SHW_GROUP_MEAN, 3, 0), 0);
    assert_int_equal(count_groups(SHW_GROUP_MEAN, 4, 0), 1);
    assert_int_equal(count_groups(SHW_GROUP_MEAN, 3, 3), 1);
    assert_int_equal(count_groups(SHW_GROUP_CLUSTER, 1, 0), 1);
}

TESTING_CASE(few_or_low_ones_are_dropped)
{
    struct shw_detections every = scatter(1, 60, 8), all = scatter(1, 60, 8), none = {0};
    struct shw_group_params params = {.method = SHW_GROUP_CLUSTER};
    uint32_t large = 0;

    assert_int_equal(shw_detections_group(&every, SHW_CASCADE_SCALED, &params, NULL), SHW_OK);
    for (uint32_t g = 0; g < every.count; g++)
        large += every.items[g].neighbours >= 10;
    assert_in_range(large, 3, every.count - 1);
    free(every.items);
    params.min_neighbours = 10;
    assert_int_equal(shw_detections_group(&all, SHW_CASCADE_SCALED, &params, NULL), SHW_OK);
    assert_int_equal(all.count, large);
    params =
        (struct shw_group_params){.method = SHW_GROUP_NONE, .min_score = all.items[1].score, .has_min_score = true};
    assert_true(all.items[1].score > all.items[2].score);
    assert_int_equal(shw_detections_group(&all, SHW_CASCADE_SCALED, &params, NULL), SHW_OK);
    assert_int_equal(all.count, 2);
    params.min_score = INT32_MAX;
    assert_int_equal(shw_detections_group(&all, SHW_CASCADE_SCALED, &params, NULL), SHW_OK);
    assert_int_equal(all.count, 0);
    assert_null(all.items);
    assert_int_equal(shw_detections_group(&none, SHW_CASCADE_SCALED, &params, NULL), SHW_OK);
}

TESTING_CASE(extremes_do_not_overflow)
{
    const struct shw_detection far[] = {
        {.x = INT32_MIN, .y = INT32_MIN, .width = UINT32_MAX, .height = UINT32_MAX, .score = INT32_MAX},
        {.x = INT32_MIN, .y = INT32_MIN, .width = UINT32_MAX, .height = UINT32_MAX, .score = INT32_MAX},
        {.x = INT32_MAX, .y = INT32_MAX, .width = UINT32_MAX, .height = 0, .score = INT32_MIN},
        {.x = INT32_MAX, .y = INT32_MAX, .width = 0, .height = 0, .score = INT32_MIN}};

    for (uint32_t method = SHW_GROUP_NONE; method < SHW_GROUP_METHOD_COUNT; method++) {
        struct shw_detections all = {4, malloc(sizeof far)};
        const struct shw_group_params params = {.method = (enum shw_group_method)method, .min_neighbours = 1};

        assert_non_null(all.items);
        memcpy(all.items, far, sizeof far);
        assert_int_equal(shw_detections_group(&all, SHW_CASCADE_PIXELS, &params, NULL), SHW_OK);
        assert_int_equal(all.items[0].score, INT32_MAX);
        free(all.items);
    }
}

TESTING_CASE(wrong_parameters_are_refused)
{
    static const struct shw_group_params wrong[] = {{.method = (enum shw_group_method)SHW_GROUP_METHOD_COUNT},
                                                    {.method = (enum shw_group_method) - 1},
                                                    {.epsilon = -0.1},
                                                    {.epsilon = NAN},
                                                    {.overlap = 1.1},
                                                    {.overlap = NAN},
                                                    {.method = SHW_GROUP_DEFAULT}};
    struct shw_detections all = scatter(1, 3, 8);

    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
        assert_int_equal(shw_detections_group(&all, (enum shw_cascade_kind)4, &wrong[w], NULL), SHW_ERROR_ARGUMENT);
    assert_int_equal(all.count, 3);
    free(all.items);
}
