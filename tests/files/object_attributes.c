/* Attributes of objects against plain definitions, forests of objects, and objects that are dropped. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/objects/object_forest.h"
#include "testing/testing.h"

#define SIDE 40

/* A picture with random blots of two classes, random colours and probabilities. */
struct blots {
    uint16_t labels[SIDE * SIDE];
    uint16_t distribution[2 * SIDE * SIDE];
    uint16_t colours[SIDE * SIDE * 3];
    uint8_t bytes[SIDE * SIDE];
    struct shw_objects found;
};

static void make_blots(struct testing_random *random, bool four, struct blots *blots)
{
    const struct shw_object_picture picture = {blots->labels, blots->distribution, SIDE, SIDE, 2};

    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        blots->labels[i] = SHW_LABEL_VOID;
    for (uint32_t b = 0; b < 14; b++) {
        uint32_t x = testing_random_below(random, SIDE), y = testing_random_below(random, SIDE);
        uint32_t width = 1 + testing_random_below(random, 9), height = 1 + testing_random_below(random, 9);
        uint16_t label = (uint16_t)testing_random_below(random, 2);

        for (uint32_t j = y; j < y + height && j < SIDE; j++)
            for (uint32_t i = x; i < x + width && i < SIDE; i++)
                if (testing_random_below(random, 6) > 0)
                    blots->labels[j * SIDE + i] = label;
    }
    for (uint32_t i = 0; i < 2 * SIDE * SIDE; i++)
        blots->distribution[i] = (uint16_t)testing_random_below(random, 65536);
    for (uint32_t i = 0; i < SIDE * SIDE * 3; i++)
        blots->colours[i] = (uint16_t)testing_random_below(random, 65536);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        blots->bytes[i] = (uint8_t)testing_random_below(random, 256);
    assert_int_equal(shw_objects_find(&picture, &(struct shw_object_settings){.four = four}, NULL, &blots->found),
                     SHW_OK);
    assert_true(blots->found.count > 2);
}

static bool has(const struct shw_objects *found, uint32_t number, int x, int y)
{
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE && found->numbers[y * SIDE + x] == number;
}

static double cross(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The area of the smallest convex polygon around all corners of its pixels: of the edges between two corners that have
 * all others on one side. */
static double hull_area(const struct shw_objects *found, uint32_t number)
{
    static double corners[4 * SIDE * SIDE][2];
    double doubled = 0;
    uint32_t count = 0;

    for (int y = 0; y <= SIDE; y++)
        for (int x = 0; x <= SIDE; x++)
            if (has(found, number, x, y) || has(found, number, x - 1, y) || has(found, number, x, y - 1) ||
                has(found, number, x - 1, y - 1)) {
                corners[count][0] = x;
                corners[count++][1] = y;
            }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++) {
            bool edge = a != b;

            /* all others on the left, and those on the line between a and b */
            for (uint32_t c = 0; edge && c < count; c++) {
                double side = cross(corners[a], corners[b], corners[c]);
                double along = (corners[c][0] - corners[a][0]) * (corners[b][0] - corners[a][0]) +
                               (corners[c][1] - corners[a][1]) * (corners[b][1] - corners[a][1]);
                double length = (corners[b][0] - corners[a][0]) * (corners[b][0] - corners[a][0]) +
                                (corners[b][1] - corners[a][1]) * (corners[b][1] - corners[a][1]);

                edge = side > 0 || (!(side < 0) && along >= 0 && along <= length);
            }
            if (edge)
                doubled += corners[a][0] * corners[b][1] - corners[b][0] * corners[a][1];
        }
    return doubled / 2;
}

/* Sides of the outline, with diagonals where it turns: walks the corners of pixels, and looks at what is around. */
static double outline_length(const struct shw_objects *found, uint32_t number)
{
    double length = 0;

    for (int y = 0; y <= SIDE; y++)
        for (int x = 0; x <= SIDE; x++) {
            bool nw = has(found, number, x - 1, y - 1), ne = has(found, number, x, y - 1);
            bool sw = has(found, number, x - 1, y), se = has(found, number, x, y);
            int count = nw + ne + sw + se;

            if (count == 1 || count == 3)
                length += sqrt(0.5);
            else if (count == 2)
                length += nw == se ? 2 * sqrt(0.5) : 1;
        }
    return length;
}

struct statistics {
    double mean, deviation;
};

static struct statistics measure(const struct shw_objects *found, uint32_t number, const double *values)
{
    double sum = 0, squares = 0, count = 0;

    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        if (found->numbers[i] == number) {
            sum += values[i];
            count++;
        }
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        if (found->numbers[i] == number)
            squares += (values[i] - sum / count) * (values[i] - sum / count);
    return (struct statistics){sum / count, sqrt(squares / count)};
}

static void assert_near(float measured, double expected)
{
    assert_true(fabs((double)measured - expected) <= 1e-5 * (1 + fabs(expected)));
}

static void check_shape(const struct blots *blots, uint32_t number, const float *values)
{
    const struct shw_objects *found = &blots->found;
    const double area = found->list[number - 1].area, outline = outline_length(found, number);
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0, middle, half;

    for (uint32_t j = 0; j < SIDE; j++)
        for (uint32_t i = 0; i < SIDE; i++)
            if (found->numbers[j * SIDE + i] == number) {
                x += i / area;
                y += j / area;
            }
    for (uint32_t j = 0; j < SIDE; j++)
        for (uint32_t i = 0; i < SIDE; i++)
            if (found->numbers[j * SIDE + i] == number) {
                xx += ((i - x) * (i - x) + 1.0 / 12) / area;
                yy += ((j - y) * (j - y) + 1.0 / 12) / area;
                xy += (i - x) * (j - y) / area;
            }
    middle = (xx + yy) / 2;
    half = sqrt(middle * middle - (xx * yy - xy * xy) > 0 ? middle * middle - (xx * yy - xy * xy) : 0);
    assert_near(values[SHW_OBJECT_AREA], area);
    assert_near(values[SHW_OBJECT_OUTLINE], outline);
    assert_near(values[SHW_OBJECT_CIRCULARITY], 4 * acos(-1.0) * area / outline / outline);
    assert_near(values[SHW_OBJECT_WIDTH], found->list[number - 1].width);
    assert_near(values[SHW_OBJECT_HEIGHT], found->list[number - 1].height);
    assert_near(values[SHW_OBJECT_EXTENT], area / found->list[number - 1].width / found->list[number - 1].height);
    assert_near(values[SHW_OBJECT_SOLIDITY], area / hull_area(found, number));
    assert_true(values[SHW_OBJECT_SOLIDITY] <= 1.0f);
    assert_near(values[SHW_OBJECT_MAJOR], 4 * sqrt(middle + half));
    assert_near(values[SHW_OBJECT_MINOR], 4 * sqrt(middle - half));
    assert_true(fabs((double)values[SHW_OBJECT_ECCENTRICITY] * (double)values[SHW_OBJECT_ECCENTRICITY] -
                     (1 - (middle - half) / (middle + half))) < 1e-5);
    assert_near(values[SHW_OBJECT_AT_BORDER], found->list[number - 1].at_border);
    assert_near(values[SHW_OBJECT_CLASS], found->list[number - 1].label);
}

/* `samples`: of each channel, 0 to 1. */
static void check_colours(const struct blots *blots, uint32_t number, const double (*samples)[SIDE * SIDE],
                          const float *values)
{
    const uint16_t *plane = blots->distribution + (size_t)blots->found.list[number - 1].label * SIDE * SIDE;
    double probabilities[SIDE * SIDE];
    struct statistics expected;

    for (int c = 0; c < 3; c++) {
        expected = measure(&blots->found, number, samples[c]);
        assert_near(values[SHW_OBJECT_MEAN_RED + c], expected.mean);
        assert_near(values[SHW_OBJECT_DEVIATION_RED + c], expected.deviation);
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        probabilities[i] = plane[i] / 65535.0;
    expected = measure(&blots->found, number, probabilities);
    assert_near(values[SHW_OBJECT_MEAN_PROBABILITY], expected.mean);
    assert_near(values[SHW_OBJECT_DEVIATION_PROBABILITY], expected.deviation);
}

TESTING_CASE(attributes_are_as_defined)
{
    static struct blots blots;
    static double samples[3][SIDE * SIDE], greys[3][SIDE * SIDE];
    struct testing_random random = {5};

    for (uint32_t run = 0; run < 12; run++) {
        const struct shw_image colours = {
            .pixels = blots.colours, .width = SIDE, .height = SIDE, .format = SHW_PIXEL_RGB16};
        const struct shw_image grey = {.pixels = blots.bytes, .width = SIDE, .height = SIDE, .format = SHW_PIXEL_GREY8};
        float *values, *of_grey;

        make_blots(&random, run % 2 == 1, &blots);
        values = malloc(blots.found.count * SHW_OBJECT_ATTRIBUTES * sizeof *values);
        of_grey = malloc(blots.found.count * SHW_OBJECT_ATTRIBUTES * sizeof *of_grey);
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            for (int c = 0; c < 3; c++) {
                samples[c][i] = blots.colours[i * 3 + (uint32_t)c] / 65535.0;
                greys[c][i] = blots.bytes[i] / 255.0;
            }
        assert_int_equal(shw_object_attributes_measure(&blots.found, &colours, blots.distribution, NULL, values),
                         SHW_OK);
        assert_int_equal(shw_object_attributes_measure(&blots.found, &grey, blots.distribution, NULL, of_grey), SHW_OK);
        for (uint32_t n = 1; n <= blots.found.count; n++) {
            check_shape(&blots, n, values + (n - 1) * SHW_OBJECT_ATTRIBUTES);
            check_colours(&blots, n, samples, values + (n - 1) * SHW_OBJECT_ATTRIBUTES);
            check_colours(&blots, n, greys, of_grey + (n - 1) * SHW_OBJECT_ATTRIBUTES);
        }
        free(values);
        free(of_grey);
        shw_objects_free(&blots.found);
    }
}

TESTING_CASE(what_is_not_known_is_missing)
{
    static struct blots blots;
    struct testing_random random = {6};
    const struct shw_image floats = {
        .pixels = blots.colours, .width = SIDE, .height = SIDE, .format = SHW_PIXEL_GREY16_FLOAT};
    float *values;

    make_blots(&random, false, &blots);
    values = malloc(blots.found.count * SHW_OBJECT_ATTRIBUTES * sizeof *values);
    assert_int_equal(shw_object_attributes_measure(&blots.found, &floats, NULL, NULL, values), SHW_OK);
    for (uint32_t a = 0; a < SHW_OBJECT_ATTRIBUTES; a++)
        assert_int_equal(isnan(values[a]), a >= SHW_OBJECT_MEAN_RED && a <= SHW_OBJECT_DEVIATION_PROBABILITY);
    free(values);
    shw_objects_free(&blots.found);
}

TESTING_CASE(some_objects_are_kept)
{
    static struct blots blots;
    static uint32_t before[SIDE * SIDE];
    static struct shw_object list[SIDE * SIDE];
    static bool kept[SIDE * SIDE];
    struct testing_random random = {7};
    uint32_t expected[SIDE * SIDE + 1] = {0}, count = 0, all;

    make_blots(&random, false, &blots);
    all = blots.found.count;
    memcpy(before, blots.found.numbers, sizeof before);
    memcpy(list, blots.found.list, all * sizeof *list);
    for (uint32_t n = 1; n <= all; n++) {
        kept[n - 1] = n % 3 != 1;
        expected[n] = kept[n - 1] ? ++count : 0;
    }
    assert_int_equal(shw_objects_keep(&blots.found, kept, NULL), SHW_OK);
    assert_int_equal(blots.found.count, count);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        assert_int_equal(blots.found.numbers[i], expected[before[i]]);
        assert_int_equal(blots.found.labels[i] == SHW_LABEL_VOID, blots.found.numbers[i] == 0);
    }
    for (uint32_t n = 1; n <= all; n++)
        if (kept[n - 1])
            assert_memory_equal(&blots.found.list[expected[n] - 1], &list[n - 1], sizeof *list);
    shw_objects_free(&blots.found);
}

TESTING_CASE(large_objects_are_left_out)
{
    static struct blots blots;
    struct testing_random random = {8};
    const struct shw_object_picture picture = {blots.labels, NULL, SIDE, SIDE, 2};
    struct shw_objects some;
    uint32_t expected = 0;

    make_blots(&random, false, &blots);
    for (uint32_t n = 0; n < blots.found.count; n++)
        expected += blots.found.list[n].area >= 2 && blots.found.list[n].area <= 12;
    assert_true(expected > 0 && expected < blots.found.count);
    assert_int_equal(
        shw_objects_find(&picture, &(struct shw_object_settings){.area_min = 2, .area_max = 12}, NULL, &some), SHW_OK);
    assert_int_equal(some.count, expected);
    for (uint32_t n = 0; n < some.count; n++)
        assert_in_range(some.list[n].area, 2, 12);
    shw_objects_free(&some);
    shw_objects_free(&blots.found);
}

/* Objects of two kinds that differ in one attribute, and noise in all others. */
static float *make_kinds(struct testing_random *random, uint32_t count, uint32_t *numbers)
{
    float *values = malloc(count * SHW_OBJECT_ATTRIBUTES * sizeof *values);

    for (uint32_t i = 0; i < count; i++) {
        float *own = values + i * SHW_OBJECT_ATTRIBUTES;

        numbers[i] = testing_random_below(random, 2);
        for (uint32_t a = 0; a < SHW_OBJECT_ATTRIBUTES; a++)
            own[a] = (float)testing_random_below(random, 1000);
        own[SHW_OBJECT_ECCENTRICITY] = 0.1f + 0.6f * (float)numbers[i] + (float)testing_random_below(random, 100) / 500;
    }
    return values;
}

static void make_lessons(struct testing_random *random, uint32_t count, struct shw_object_lessons *lessons)
{
    *lessons = (struct shw_object_lessons){.classes = calloc(3, sizeof *lessons->classes),
                                           .class_count = 3,
                                           .numbers = malloc(count * sizeof *lessons->numbers),
                                           .count = count};
    lessons->classes[0].name = strdup("round");
    lessons->classes[1].name = strdup("long");
    lessons->classes[2].name = strdup("never taught");
    lessons->values = make_kinds(random, count, lessons->numbers);
}

/* Of many objects and classes there are fewer trees, and of too many none. */
static void assert_trees(uint32_t classes, uint32_t count, uint32_t trees)
{
    struct shw_object_lessons lessons = {.classes = calloc(classes, sizeof *lessons.classes),
                                         .values =
                                             calloc((size_t)count * SHW_OBJECT_ATTRIBUTES, sizeof *lessons.values),
                                         .numbers = malloc(count * sizeof *lessons.numbers),
                                         .count = count};
    struct shw_object_forest *forest = NULL;
    char name[16];

    for (; lessons.class_count < classes; lessons.class_count++) {
        snprintf(name, sizeof name, "%u", lessons.class_count);
        lessons.classes[lessons.class_count].name = strdup(name);
    }
    for (uint32_t i = 0; i < count; i++)
        lessons.numbers[i] = i % classes;
    assert_int_equal(shw_object_forest_train(&lessons, NULL, &forest), trees > 0 ? SHW_OK : SHW_ERROR_LIMIT);
    if (forest != NULL)
        assert_int_equal(shw_record_forest_get_info(shw_object_forest_records(forest))->tree_count, trees);
    shw_object_forest_destroy(&forest);
    shw_object_lessons_free(&lessons);
}

TESTING_CASE(forests_have_bounds)
{
    assert_trees(10, 1000, 100);
    assert_trees(1024, 1024, 64);
    assert_trees(1024, 8192, 8);
    assert_trees(1024, 8193, 0);
}

static uint32_t count_right(const struct shw_object_forest *forest, const float *values, const uint32_t *numbers,
                            uint32_t count)
{
    struct shw_objects objects = {.count = count, .list = calloc(count, sizeof *objects.list)};
    uint32_t right = 0;

    assert_int_equal(shw_object_forest_apply(forest, values, NULL, &objects), SHW_OK);
    for (uint32_t n = 0; n < count; n++) {
        assert_in_range(objects.list[n].kind, 1, 3);
        assert_in_range(objects.list[n].kind_probability, 33333, 100000);
        right += objects.list[n].kind == numbers[n] + 1;
    }
    free(objects.list);
    return right;
}

TESTING_CASE(a_forest_tells_objects_apart)
{
    struct testing_random random = {9};
    struct shw_object_lessons lessons;
    struct shw_object_forest *forest = NULL, *again = NULL, *loaded = NULL;
    uint32_t numbers[200], count;
    const char *path = testing_path("objects.ktx2");
    float *values;

    make_lessons(&random, 60, &lessons);
    assert_true(shw_object_lessons_suffice(&lessons));
    assert_int_equal(shw_object_forest_train(&lessons, NULL, &forest), SHW_OK);
    assert_int_equal(shw_object_forest_train(&lessons, NULL, &again), SHW_OK);
    assert_true(shw_record_forest_hash(shw_object_forest_records(forest)) ==
                shw_record_forest_hash(shw_object_forest_records(again)));
    assert_int_equal(count_right(forest, lessons.values, lessons.numbers, 60), 60);
    values = make_kinds(&random, 200, numbers);
    assert_true(count_right(forest, values, numbers, 200) >= 180); /* 100 by chance */
    assert_string_equal(shw_object_forest_classes(forest, &count)[1].name, "long");
    assert_int_equal(count, 3);
    assert_int_equal(shw_object_forest_save(forest, path, NULL), SHW_OK);
    assert_int_equal(shw_object_forest_load(path, NULL, &loaded), SHW_OK);
    assert_int_equal(shw_object_forest_find(loaded, "long"), 1);
    assert_true(shw_object_forest_find(loaded, "short") == UINT32_MAX);
    assert_int_equal(count_right(loaded, values, numbers, 200), count_right(forest, values, numbers, 200));
    free(values);
    shw_object_forest_destroy(&forest);
    shw_object_forest_destroy(&again);
    shw_object_forest_destroy(&loaded);
    shw_object_lessons_free(&lessons);
}

TESTING_CASE(two_lessons_are_enough)
{
    struct testing_random random = {10};
    struct shw_object_lessons lessons;
    struct shw_object_forest *forest = NULL;

    make_lessons(&random, 2, &lessons);
    lessons.numbers[0] = lessons.numbers[1] = 1;
    assert_false(shw_object_lessons_suffice(&lessons));
    lessons.numbers[0] = 0;
    assert_true(shw_object_lessons_suffice(&lessons));
    assert_int_equal(shw_object_forest_train(&lessons, NULL, &forest), SHW_OK);
    assert_int_equal(count_right(forest, lessons.values, lessons.numbers, 2), 2);
    shw_object_forest_destroy(&forest);
    shw_object_lessons_free(&lessons);
}

/* A record forest of something else is refused. */
TESTING_CASE(other_forests_are_refused)
{
    const float values[4] = {1, 2, 3, 4};
    const uint32_t classes[2] = {0, 1};
    const struct shw_record_examples examples = {
        .records = {.values = values, .count = 2, .attribute_count = 2}, .classes = classes, .class_count = 2};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *records;
    struct shw_object_forest *forest = NULL;
    const char *path = testing_path("others.ktx2");

    assert_int_equal(shw_record_train(&(struct shw_record_trainer_params){.tree_count = 2, .records_percent = 100},
                                      &examples, &records),
                     SHW_OK);
    assert_int_equal(shw_record_forest_save(records, path, NULL), SHW_OK);
    assert_int_equal(shw_object_forest_load(path, &log, &forest), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "no forest that tells objects apart"));
    shw_record_forest_destroy(&records);
}
