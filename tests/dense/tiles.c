/* How images are cut: every pixel in one tile, every margin in its region, no region too large. */
#include "testing/testing.h"

#include <string.h>

#include "dense/stage/tiles.h"

/* One direction of a tile. */
struct span {
    uint32_t first, length;               /* of the tile, in the image */
    uint32_t region_first, region_length; /* of the region, in the image */
};

static struct span horizontal(const struct shw_tile *tile)
{
    return (struct span){tile->region.x + tile->x, tile->width, tile->region.x, tile->region.width};
}

static struct span vertical(const struct shw_tile *tile)
{
    return (struct span){tile->region.y + tile->y, tile->height, tile->region.y, tile->region.height};
}

/* The tile begins where the one before it ended, and its region is the tile and its margins as far as the image
 * goes. */
static void check_span(struct span span, uint32_t expected_first, uint32_t image, uint32_t margin, uint32_t limit)
{
    uint32_t end = span.first + span.length;

    assert_int_equal(span.first, expected_first);
    assert_true(span.length > 0 && end <= image);
    assert_int_equal(span.region_first, span.first < margin ? 0 : span.first - margin);
    assert_int_equal(span.region_first + span.region_length, image - end < margin ? image : end + margin);
    assert_true(span.region_length <= limit);
}

static void check(uint32_t width, uint32_t height, uint32_t margin, uint32_t region_width, uint32_t region_height)
{
    struct shw_tiling tiling;
    uint32_t y = 0;

    if (!shw_tiling_make(width, height, margin, region_width, region_height, &tiling)) {
        assert_true((width > region_width && region_width <= 2 * margin) ||
                    (height > region_height && region_height <= 2 * margin));
        return;
    }
    assert_true(tiling.columns == 1 || width > region_width);
    assert_true(tiling.rows == 1 || height > region_height);
    for (uint32_t row = 0; row < tiling.rows; row++) {
        uint32_t x = 0, tile_height = 0;
        for (uint32_t column = 0; column < tiling.columns; column++) {
            struct shw_tile tile = shw_tiling_get(&tiling, row * tiling.columns + column);
            assert_int_equal(tile.region.full_width, width);
            assert_int_equal(tile.region.full_height, height);
            assert_true(tile.width <= tiling.width && tile.height <= tiling.height);
            check_span(horizontal(&tile), x, width, margin, region_width);
            check_span(vertical(&tile), y, height, margin, region_height);
            x += tile.width;
            tile_height = tile.height;
        }
        assert_int_equal(x, width);
        y += tile_height;
    }
    assert_int_equal(y, height);
}

TESTING_CASE(every_small_cut_is_right)
{
    for (uint32_t length = 1; length <= 40; length++)
        for (uint32_t margin = 0; margin <= 12; margin++)
            for (uint32_t region = 1; region <= 41; region++) {
                check(length, 3, margin, region, 3);
                check(2, length, margin, 2, region);
            }
}

TESTING_CASE(random_cuts_are_right)
{
    struct testing_random random = {51};

    for (int i = 0; i < 3000; i++) {
        uint32_t width = 1 + testing_random_below(&random, 300), height = 1 + testing_random_below(&random, 300);
        uint32_t margin = testing_random_below(&random, 30);
        check(width, height, margin, 1 + testing_random_below(&random, 320), 1 + testing_random_below(&random, 320));
    }
}

/* Along one side: pieces follow each other without gaps, and their regions are as large as margins make them. */
static void check_part_side(const struct shw_part *part, uint32_t image, uint32_t margin, uint32_t limit)
{
    const struct shw_tiling_limits limits = shw_tiling_limits(image, 1, part, margin);
    struct shw_tiling tiling;
    uint32_t next = 0;

    if (!shw_tiling_make_part(image, 1, part, margin, limit, 1, &tiling)) {
        assert_true(limit < limits.least_width);
        return;
    }
    assert_true(limit >= limits.least_width);
    assert_int_equal(tiling.columns == 1, limit >= limits.width);
    for (uint32_t i = 0; i < tiling.columns; i++) {
        const struct shw_tile tile = shw_tiling_get(&tiling, i);
        uint32_t first = tile.region.x + tile.x, end = first + tile.width;
        assert_int_equal(tile.results.x, next);
        assert_int_equal(tile.results.width, part->width);
        assert_int_equal(tile.results.step, part->step);
        assert_int_equal(first, part->x + next * part->step);
        assert_int_equal((tile.width - 1) % part->step, 0);
        next += (tile.width - 1) / part->step + 1;
        assert_int_equal(tile.region.x, first < margin ? 0 : first - margin);
        assert_int_equal(tile.region.x + tile.region.width, image - end < margin ? image : end + margin);
        assert_true(tile.region.width <= limit);
    }
    assert_int_equal(next, part->width);
}

TESTING_CASE(parts_are_cut_at_their_pixels)
{
    struct testing_random random = {77};

    for (int i = 0; i < 20000; i++) {
        uint32_t image = 1 + testing_random_below(&random, 90), step = 1 + testing_random_below(&random, 9);
        struct shw_part part = {.x = testing_random_below(&random, image), .height = 1, .step = step};
        part.width = 1 + testing_random_below(&random, (image - part.x - 1) / step + 1);
        check_part_side(&part, image, testing_random_below(&random, 14), 1 + testing_random_below(&random, 95));
    }
}

static void expect_columns(uint32_t width, uint32_t margin, uint32_t region, uint32_t columns)
{
    struct shw_tiling tiling;

    assert_int_equal(shw_tiling_make(width, 1, margin, region, 1, &tiling), columns > 0);
    assert_int_equal(tiling.columns, columns);
}

TESTING_CASE(as_few_as_margins_allow)
{
    expect_columns(100, 10, 100, 1);
    expect_columns(101, 10, 100, 2);
    expect_columns(180, 10, 100, 2); /* 90 and one margin of 10 */
    expect_columns(181, 10, 100, 3); /* 80 and two */
    expect_columns(240, 10, 100, 3);
    expect_columns(241, 10, 100, 4);
    expect_columns(101, 49, 100, 2); /* the margins of an inner tile would leave 2 pixels */
    expect_columns(103, 49, 100, 52);
    expect_columns(103, 50, 100, 0);
    expect_columns(300, 0, 100, 3);
}

/* The smallest region is the first with which an image can be cut. */
TESTING_CASE(smallest_regions)
{
    struct shw_tiling tiling;

    for (uint32_t length = 1; length <= 60; length++)
        for (uint32_t margin = 0; margin <= 70; margin++) {
            uint32_t region = 1;

            while (!shw_tiling_make(length, 1, margin, region, 1, &tiling))
                region++;
            assert_int_equal(shw_tiling_region_min(length, margin), region);
        }
    assert_int_equal(shw_tiling_region_min(320, 107), 215); /* a pixel and its margins */
    assert_int_equal(shw_tiling_region_min(160, 70), 141);
    assert_int_equal(shw_tiling_region_min(160, 79), 159); /* one of two pieces, or a pixel and its margins */
    assert_int_equal(shw_tiling_region_min(100, 50), 100); /* the whole side */
    assert_int_equal(shw_tiling_region_min(65535, UINT32_MAX), 65535);
}

/* Nothing wraps at the largest images and margins. */
TESTING_CASE(extremes)
{
    expect_columns(65535, 0, 1, 65535);
    expect_columns(65535, 40000, 65534, 0);
    expect_columns(65535, 32766, 65534, 2);
    expect_columns(65535, UINT32_MAX / 2 + 7, 65534, 0);
    expect_columns(65535, UINT32_MAX, 65535, 1);
    expect_columns(65535, UINT32_MAX, 65534, 0);
}
