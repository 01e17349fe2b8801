/* The pixels of polygons and of connected regions, compared with what looking at every pixel gives. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "teach/region.h"

enum { SIDE = 40, CORNERS = 12 };

static int64_t across(struct shw_point a, struct shw_point b, struct shw_point p)
{
    return ((int64_t)b.x - a.x) * ((int64_t)p.y - a.y) - ((int64_t)p.x - a.x) * ((int64_t)b.y - a.y);
}

static bool is_between(int32_t a, int32_t b, int32_t p)
{
    return (a <= p && p <= b) || (b <= p && p <= a);
}

/* On the outline, or wound around, by the signs of areas. */
static bool is_inside(const struct shw_point *corners, uint32_t count, struct shw_point p)
{
    int winding = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct shw_point a = corners[i], b = corners[(i + 1) % count];
        int64_t side = across(a, b, p);

        if (side == 0 && is_between(a.x, b.x, p.x) && is_between(a.y, b.y, p.y))
            return true;
        if (a.y <= p.y && b.y > p.y && side > 0)
            winding++;
        if (a.y > p.y && b.y <= p.y && side < 0)
            winding--;
    }
    return winding != 0;
}

/* Runs must be in order and apart from each other. */
static void draw(const struct view_runs *runs, uint32_t width, uint32_t height, uint8_t *pixels)
{
    uint64_t count = 0;

    memset(pixels, 0, (size_t)width * height);
    for (uint32_t p = 0; p < runs->count; p += 2) {
        struct shw_point a = runs->points[p], b = runs->points[p + 1];

        assert_true(a.y == b.y && a.x <= b.x && a.x >= 0 && b.x < (int32_t)width && a.y >= 0 && a.y < (int32_t)height);
        if (p > 0) {
            struct shw_point before = runs->points[p - 1];
            assert_true(before.y < a.y || (before.y == a.y && before.x + 1 < a.x));
        }
        for (int32_t x = a.x; x <= b.x; x++, count++)
            pixels[(size_t)a.y * width + (uint32_t)x] = 1;
    }
    assert_true(count == runs->pixels);
}

static void check_polygon(const struct shw_point *corners, uint32_t count, uint32_t width, uint32_t height)
{
    static uint8_t pixels[SIDE * SIDE];
    struct view_runs runs = {0};

    assert_int_equal(view_polygon_fill(corners, count, width, height, &runs), SHW_OK);
    draw(&runs, width, height, pixels);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            if (pixels[y * width + x] != is_inside(corners, count, (struct shw_point){(int32_t)x, (int32_t)y}))
                fail_msg("pixel %u %u of %u x %u, %u corners", x, y, width, height, count);
    view_runs_free(&runs);
}

TESTING_CASE(polygons_have_the_pixels_inside)
{
    struct testing_random random = {5};

    for (int i = 0; i < 20000; i++) {
        uint32_t width = 1 + testing_random_below(&random, SIDE), height = 1 + testing_random_below(&random, SIDE);
        uint32_t count = 1 + testing_random_below(&random, CORNERS);
        int32_t most = i % 4 == 0 ? 3 : i % 4 == 1 ? SIDE : i % 4 == 2 ? 3 * SIDE : SHW_STROKE_PLACE_MAX;
        struct shw_point corners[CORNERS];

        for (uint32_t c = 0; c < count; c++)
            corners[c] = (struct shw_point){testing_random_range(&random, i % 2 == 0 ? -most : 0, most),
                                            testing_random_range(&random, i % 2 == 0 ? -most : 0, most)};
        check_polygon(corners, count, width, height);
    }
}

/* An outline drawn past its beginning, and one that winds twice, have no holes. */
TESTING_CASE(outlines_that_cross_themselves_have_no_holes)
{
    const struct shw_point past[] = {{5, 5}, {30, 5}, {30, 30}, {5, 30}, {5, 8}, {12, 3}};
    const struct shw_point twice[] = {{5, 5}, {30, 5}, {30, 30}, {5, 30}, {5, 5}, {25, 7}, {25, 25}, {7, 25}};
    struct view_runs runs = {0};
    uint8_t pixels[SIDE * SIDE];

    check_polygon(past, 6, SIDE, SIDE);
    check_polygon(twice, 8, SIDE, SIDE);
    assert_int_equal(view_polygon_fill(twice, 8, SIDE, SIDE, &runs), SHW_OK);
    draw(&runs, SIDE, SIDE, pixels);
    for (uint32_t y = 5; y <= 30; y++)
        for (uint32_t x = 5; x <= 30; x++)
            assert_int_equal(pixels[y * SIDE + x], 1);
    view_runs_free(&runs);
}

struct picture {
    uint32_t width, height;
    uint16_t values[SIDE * SIDE];
};

static uint16_t value_at(const void *user, uint32_t x, uint32_t y)
{
    const struct picture *picture = user;

    assert_true(x < picture->width && y < picture->height);
    return picture->values[y * picture->width + x];
}

/* Spreads from pixel to pixel until nothing changes. */
static void spread(const struct picture *picture, uint32_t x, uint32_t y, uint8_t *region)
{
    const uint32_t width = picture->width, height = picture->height;
    const uint16_t value = picture->values[y * width + x];
    bool changed = true;

    memset(region, 0, (size_t)width * height);
    region[y * width + x] = 1;
    while (changed) {
        changed = false;
        for (uint32_t p = 0; p < width * height; p++) {
            bool beside = (p % width > 0 && region[p - 1]) || (p % width + 1 < width && region[p + 1]) ||
                          (p >= width && region[p - width]) || (p + width < width * height && region[p + width]);
            if (!region[p] && beside && picture->values[p] == value) {
                region[p] = 1;
                changed = true;
            }
        }
    }
}

static unsigned sides_of(const uint8_t *region, uint32_t width, uint32_t height)
{
    unsigned sides = 0;

    for (uint32_t p = 0; p < width * height; p++)
        if (region[p])
            sides |= (p % width == 0 ? VIEW_REGION_LEFT : 0) | (p % width + 1 == width ? VIEW_REGION_RIGHT : 0) |
                     (p < width ? VIEW_REGION_TOP : 0) | (p + width >= width * height ? VIEW_REGION_BOTTOM : 0);
    return sides;
}

TESTING_CASE(regions_have_the_connected_pixels)
{
    struct testing_random random = {9};
    static struct picture picture;
    static uint8_t expected[SIDE * SIDE], grown[SIDE * SIDE];

    for (int i = 0; i < 3000; i++) {
        struct view_values values = {.at = value_at, .user = &picture};
        struct view_runs runs = {0};
        uint32_t x, y;
        unsigned sides, bounds = i % 3 == 0 ? 1 + testing_random_below(&random, 15) : 0;

        picture.width = values.width = 1 + testing_random_below(&random, SIDE);
        picture.height = values.height = 1 + testing_random_below(&random, SIDE);
        for (uint32_t p = 0; p < picture.width * picture.height; p++)
            picture.values[p] = testing_random_below(&random, 100) < 62 ? 0 : 65535;
        x = testing_random_below(&random, picture.width);
        y = testing_random_below(&random, picture.height);
        spread(&picture, x, y, expected);
        assert_int_equal(view_region_grow(&values, x, y, bounds, &runs, &sides), SHW_OK);
        if (bounds != 0 && (sides_of(expected, picture.width, picture.height) & bounds) == bounds) {
            assert_true((sides & bounds) == bounds);
        } else {
            draw(&runs, picture.width, picture.height, grown);
            assert_memory_equal(grown, expected, (size_t)picture.width * picture.height);
            assert_int_equal(sides, sides_of(expected, picture.width, picture.height));
        }
        view_runs_free(&runs);
    }
}

static uint16_t same(const void *user, uint32_t x, uint32_t y)
{
    (void)user, (void)x, (void)y;
    return 7;
}

static uint16_t striped(const void *user, uint32_t x, uint32_t y)
{
    (void)user;
    return x == 0 || (x + y) % 2 == 0;
}

TESTING_CASE(large_regions_are_refused)
{
    const struct view_values large = {20000, 20000, same, NULL}, many = {4000, 4000, striped, NULL};
    const struct shw_point corners[] = {{0, 0}, {19999, 0}, {19999, 19999}, {0, 19999}};
    struct view_runs runs = {0};
    unsigned sides;

    assert_int_equal(view_region_grow(&large, 10000, 10000, 0, &runs, &sides), SHW_ERROR_LIMIT);
    assert_true(runs.pixels <= VIEW_RUNS_PIXELS_MAX);
    view_runs_free(&runs);
    assert_int_equal(view_polygon_fill(corners, 4, 20000, 20000, &runs), SHW_ERROR_LIMIT);
    view_runs_free(&runs);
    assert_int_equal(view_region_grow(&many, 0, 0, 0, &runs, &sides), SHW_OK); /* a column alone: stripes are apart */
    assert_int_equal(runs.count, 2 * 4000);
    view_runs_free(&runs);
}
