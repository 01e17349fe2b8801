/* Objects in label images, against plain definitions: floods, sums and outlines drawn again. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/io/file_kind.h"
#include "files/objects/object_files.h"
#include "plain_objects.h"

static const struct shw_object_columns no_columns;

static void check_object(const struct picture *picture, const struct shw_objects *found, uint32_t number)
{
    const struct shw_object *object = &found->list[number - 1];
    uint64_t area = 0, sum_x = 0, sum_y = 0, probability = 0, perimeter = 0;
    uint32_t left = UINT32_MAX, top = UINT32_MAX, right = 0, bottom = 0;

    for (uint32_t y = 0; y < picture->height; y++)
        for (uint32_t x = 0; x < picture->width; x++) {
            static const int32_t sides[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            size_t i = (size_t)y * picture->width + x;

            if (found->numbers[i] != number)
                continue;
            assert_int_equal(found->labels[i], object->label);
            area++;
            sum_x += x;
            sum_y += y;
            left = x < left ? x : left;
            top = y < top ? y : top;
            right = x > right ? x : right;
            bottom = y;
            probability += picture->distribution[object->label * (size_t)picture->width * picture->height + i];
            for (int s = 0; s < 4; s++)
                perimeter +=
                    !is_inside(picture, (int64_t)x + sides[s][0], (int64_t)y + sides[s][1]) ||
                    found->numbers[i + (size_t)(sides[s][1] * (int32_t)picture->width + sides[s][0])] != number;
        }
    assert_int_equal(object->area, area);
    assert_int_equal(object->sum_x, sum_x);
    assert_int_equal(object->sum_y, sum_y);
    assert_int_equal(object->probability, probability);
    assert_int_equal(object->perimeter, perimeter);
    assert_int_equal(object->x, left);
    assert_int_equal(object->y, top);
    assert_int_equal(object->width, right - left + 1);
    assert_int_equal(object->height, bottom - top + 1);
    assert_int_equal(object->at_border,
                     left == 0 || top == 0 || right == picture->width - 1 || bottom == picture->height - 1);
    assert_int_equal(shw_object_get_probability(object),
                     (uint32_t)((double)probability * 1e5 / 65535 / (double)area + 0.5));
    assert_true(llabs((long long)shw_object_get_centre(object).x -
                      (long long)(1000 * ((double)sum_x / (double)area + 0.5) + 0.5)) <= 0);
    assert_true(llabs((long long)shw_object_get_centre(object).y -
                      (long long)(1000 * ((double)sum_y / (double)area + 0.5) + 0.5)) <= 0);
}

/* Draws a closed ring of GeoJSON, by counting crossings to the left of each pixel; returns twice its signed area. */
static int64_t draw_ring(const json_t *ring, uint32_t width, uint32_t height, uint8_t *inside)
{
    static uint8_t passed[(SIDE_MAX + 1) * (SIDE_MAX + 1)];
    size_t count = json_array_size(ring);
    int64_t doubled = 0;

    assert_true(count >= 5);
    assert_true(json_equal(json_array_get(ring, 0), json_array_get(ring, count - 1)));
    memset(passed, 0, sizeof passed);
    for (size_t i = 0; i + 1 < count; i++) {
        const json_t *a = json_array_get(ring, i), *b = json_array_get(ring, i + 1);
        json_int_t x = json_integer_value(json_array_get(a, 0)), y = json_integer_value(json_array_get(a, 1));
        json_int_t u = json_integer_value(json_array_get(b, 0)), v = json_integer_value(json_array_get(b, 1));
        json_int_t dx = (u > x) - (u < x), dy = (v > y) - (v < y);

        assert_true((dx == 0) != (dy == 0));
        assert_true(u >= 0 && u <= width && v >= 0 && v <= height);
        doubled += x * v - u * y;
        for (json_int_t s = x, t = y; s != u || t != v; s += dx, t += dy) {
            assert_int_equal(passed[t * (SIDE_MAX + 1) + s]++, 0); /* no corner twice */
            if (dy != 0)
                for (json_int_t column = x; column < width; column++)
                    inside[(dy > 0 ? t : t - 1) * width + column] ^= 1;
        }
    }
    return doubled;
}

/* The outlines of an object, drawn again, are its pixels. */
static void check_feature(const json_t *feature, const struct shw_objects *found, uint32_t number,
                          const struct shw_class *classes)
{
    static uint8_t inside[PIXELS_MAX];
    const json_t *geometry = json_object_get(feature, "geometry");
    const json_t *properties = json_object_get(feature, "properties");
    const json_t *measurements = json_object_get(properties, "measurements");
    const json_t *classification = json_object_get(properties, "classification");
    const struct shw_object *object = &found->list[number - 1];
    bool several = strcmp(json_string_value(json_object_get(geometry, "type")), "MultiPolygon") == 0;
    json_t *polygons = json_object_get(geometry, "coordinates");
    size_t count = several ? json_array_size(polygons) : 1;

    assert_true(!several || (count > 1 && !found->four));
    memset(inside, 0, sizeof inside);
    for (size_t p = 0; p < count; p++) {
        const json_t *rings = several ? json_array_get(polygons, p) : polygons;
        int64_t area = 0;

        for (size_t r = 0; r < json_array_size(rings); r++) {
            int64_t doubled = draw_ring(json_array_get(rings, r), found->width, found->height, inside);

            assert_int_equal(doubled > 0, r == 0);
            area += doubled;
        }
        assert_true(area > 0);
    }
    for (size_t i = 0; i < (size_t)found->width * found->height; i++)
        if (inside[i] != (found->numbers[i] == number))
            fail_msg("object %u at %zu", number, i);
    assert_string_equal(json_string_value(json_object_get(properties, "objectType")), "detection");
    assert_int_equal(json_integer_value(json_object_get(properties, "object")), number);
    assert_string_equal(json_string_value(json_object_get(classification, "name")), classes[object->label].name);
    for (size_t c = 0; c < 3; c++)
        assert_int_equal(json_integer_value(json_array_get(json_object_get(classification, "color"), c)),
                         classes[object->label].colour[c]);
    assert_int_equal(json_integer_value(json_object_get(measurements, "area_px")), object->area);
    assert_true(json_is_real(json_object_get(measurements, "mean_probability")));
}

static struct shw_class *make_classes(void)
{
    static struct shw_class classes[CLASSES];
    static char names[CLASSES][32];

    for (uint32_t c = 0; c < CLASSES; c++) {
        snprintf(names[c], sizeof names[c], c == 1 ? "a \"b\", c" : "class %u", c);
        classes[c] = (struct shw_class){.name = names[c], .colour = {(uint8_t)c, (uint8_t)(c >> 4), 7}};
    }
    return classes;
}

static void check_outlines(const struct shw_objects *found, const struct shw_class *classes)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    json_t *document, *features;

    assert_int_equal(shw_print_object_outlines(stream, found, classes, CLASSES, &no_columns, NULL), SHW_OK);
    fclose(stream);
    document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    features = json_object_get(document, "features");
    assert_int_equal(json_array_size(features), found->count);
    for (uint32_t n = 1; n <= found->count; n++)
        check_feature(json_array_get(features, n - 1), found, n, classes);
    json_decref(document);
    free(text);
}

static void check(const struct picture *picture, const struct shw_object_settings *settings)
{
    static struct picture plain;
    static uint32_t numbers[PIXELS_MAX], areas[PIXELS_MAX + 1], kept[PIXELS_MAX + 1];
    const struct shw_object_picture given = {picture->labels, picture->distribution, picture->width, picture->height,
                                             picture->class_count};
    uint32_t pixels = picture->width * picture->height, count, left = 0;
    struct shw_objects found;

    plain = *picture;
    if (settings->smooth > 0)
        smooth_plainly(&plain, (int32_t)settings->smooth);
    for (uint32_t i = 0; i < pixels; i++)
        if (settings->classes != NULL && !settings->classes[plain.labels[i]])
            plain.labels[i] = SHW_LABEL_VOID;
    fill_plainly(&plain, settings->four, settings->hole_max);
    count = number_plainly(&plain, settings->four, numbers);
    memset(areas, 0, sizeof areas);
    for (uint32_t i = 0; i < pixels; i++)
        areas[numbers[i]]++;
    kept[0] = 0;
    for (uint32_t n = 1; n <= count; n++)
        kept[n] = areas[n] >= settings->area_min ? ++left : 0;

    assert_int_equal(shw_objects_find(&given, settings, NULL, &found), SHW_OK);
    assert_int_equal(found.count, left);
    for (uint32_t i = 0; i < pixels; i++) {
        if (found.numbers[i] != kept[numbers[i]])
            fail_msg("%u x %u, smooth %u, holes %u, %d: pixel %u is of %u, not %u", picture->width, picture->height,
                     settings->smooth, settings->hole_max, settings->four, i, found.numbers[i], kept[numbers[i]]);
        assert_int_equal(found.labels[i], kept[numbers[i]] > 0 ? plain.labels[i] : SHW_LABEL_VOID);
    }
    for (uint32_t n = 1; n <= found.count; n++)
        check_object(picture, &found, n);
    check_outlines(&found, make_classes());
    shw_objects_free(&found);
}

static void check_all_settings(const struct picture *picture)
{
    static const uint32_t holes[] = {0, 1, 5, SHW_OBJECT_HOLES_ALL};

    for (uint32_t i = 0; i < 8; i++)
        check(picture, &(struct shw_object_settings){
                           .smooth = i == 5 ? 2 : 0, .four = i % 2 == 1, .hole_max = holes[i / 2], .area_min = i});
}

static int set_up(void **state)
{
    static struct picture picture;
    struct testing_random random = {7};

    picture.distribution = malloc(sizeof(uint16_t) * CLASSES * PIXELS_MAX);
    for (size_t i = 0; i < (size_t)CLASSES * PIXELS_MAX; i++)
        picture.distribution[i] = (uint16_t)testing_random_next(&random);
    *state = &picture;
    return 0;
}

static int tear_down(void **state)
{
    free(((struct picture *)*state)->distribution);
    return 0;
}

/* Random pixels and random rectangles, so that there are rings in rings, and rings that cross at corners. */
TESTING_CASE(test_random)
{
    struct picture *picture = *state;
    struct testing_random random = {1};

    for (int turn = 0; turn < (TESTING_SANITIZED ? 250 : 2000); turn++) {
        bool chosen[4] = {testing_random_below(&random, 2) == 0, true, testing_random_below(&random, 2) == 0, true};
        uint32_t side = turn % 10 == 0 ? 24 : 9;
        struct shw_object_settings settings = {
            .smooth = testing_random_below(&random, 4) == 0 ? 1 + testing_random_below(&random, 4) : 0,
            .four = testing_random_below(&random, 2) == 0,
            .hole_max =
                testing_random_below(&random, 3) == 0 ? SHW_OBJECT_HOLES_ALL : testing_random_below(&random, 12),
            .area_min = testing_random_below(&random, 5),
            .classes = testing_random_below(&random, 2) == 0 ? chosen : NULL};

        picture->width = 1 + testing_random_below(&random, side);
        picture->height = 1 + testing_random_below(&random, side);
        picture->class_count = 1 + testing_random_below(&random, 4);
        for (uint32_t i = 0; i < picture->width * picture->height; i++)
            picture->labels[i] = (uint16_t)testing_random_below(&random, picture->class_count);
        for (int r = 0; turn % 3 == 0 && r < 6; r++) {
            uint32_t x = testing_random_below(&random, picture->width);
            uint32_t y = testing_random_below(&random, picture->height);
            uint16_t label = (uint16_t)testing_random_below(&random, picture->class_count);
            bool diagonal = testing_random_below(&random, 2) == 0;

            for (uint32_t i = 0; i < picture->width * picture->height; i++) {
                uint32_t u = i % picture->width, v = i / picture->width;
                uint32_t du = u > x ? u - x : x - u, dv = v > y ? v - y : y - v;

                if ((diagonal ? du + dv : du > dv ? du : dv) == 3) /* a ring */
                    picture->labels[i] = label;
            }
        }
        check(picture, &settings);
    }
}

TESTING_CASE(test_lines_and_patterns)
{
    struct picture *picture = *state;
    struct testing_random random = {2};

    picture->class_count = 3;
    for (uint32_t length = 1; length <= 40; length += 13)
        for (int across = 0; across < 2; across++) {
            picture->width = across ? length : 1;
            picture->height = across ? 1 : length;
            for (uint32_t i = 0; i < length; i++)
                picture->labels[i] = (uint16_t)testing_random_below(&random, 2);
            check_all_settings(picture);
        }
    picture->width = 33;
    picture->height = 31;
    for (int pattern = 0; pattern < 4; pattern++) {
        for (uint32_t i = 0; i < 33 * 31; i++) {
            uint32_t x = i % 33, y = i / 33, ring = x < y ? x : y;

            ring = ring < 32 - x ? ring : 32 - x;
            ring = ring < 30 - y ? ring : 30 - y;
            picture->labels[i] = (uint16_t)(pattern == 0                 ? (x + y) % 2 /* checkerboard */
                                            : pattern == 1               ? 2           /* all one class */
                                            : pattern == 2               ? ring % 3    /* rings in rings */
                                            : x == ring && y == ring + 1 ? ring % 2
                                                                         : (ring + 1) % 2 /* a spiral */);
        }
        check_all_settings(picture);
    }
}

/* Two rings, linked: each crosses the other at corners of pixels, where both are connected. */
TESTING_CASE(test_linked_rings)
{
    static const char *const rows[] = {
        "....a......b....", "...a.a....b.b...", "..a...a..b...b..", ".a.....ab.....b.", "a......ba......b",
        ".a....b..a....b.", "..a..b....a..b..", "...ab......ab...", "...ba......ba...", "....b.....b..a..",
    };
    struct picture *picture = *state;

    picture->width = 16;
    picture->height = 10;
    picture->class_count = 3;
    for (uint32_t i = 0; i < 160; i++)
        picture->labels[i] = (uint16_t)(rows[i / 16][i % 16] == '.' ? 0 : rows[i / 16][i % 16] - 'a' + 1);
    check_all_settings(picture);
    for (uint32_t hole = 0; hole < 40; hole++)
        check(picture, &(struct shw_object_settings){.hole_max = hole, .area_min = hole / 2});
}

TESTING_CASE(test_many_classes)
{
    struct picture *picture = *state;

    picture->width = 40;
    picture->height = 33;
    picture->class_count = CLASSES;
    for (uint32_t i = 0; i < 40 * 33; i++)
        picture->labels[i] = (uint16_t)((i % 40 / 2 + 20 * (i / 40 / 2)) * 7 % CLASSES);
    check_all_settings(picture);
    picture->labels[5] = CLASSES - 1;
    check(picture, &(struct shw_object_settings){.smooth = 1});
    check(picture, &(struct shw_object_settings){.smooth = 64});
}

TESTING_CASE(test_refuses)
{
    struct picture *picture = *state;
    struct shw_object_picture given = {picture->labels, NULL, 4, 4, 2};
    struct shw_object_settings settings = {0};
    struct testing_log memory = {0};
    const struct shw_log log = testing_log(&memory);
    struct shw_objects found;

    memset(picture->labels, 0, sizeof picture->labels);
    picture->labels[7] = 2;
    assert_int_equal(shw_objects_find(&given, &settings, &log, &found), SHW_ERROR_ARGUMENT);
    assert_string_equal(memory.last, "the label 2 is not one of 2 classes");
    shw_objects_free(&found);
    picture->labels[7] = 1;
    settings.smooth = SHW_OBJECT_SMOOTH_MAX + 1;
    assert_int_equal(shw_objects_find(&given, &settings, NULL, &found), SHW_ERROR_ARGUMENT);
    shw_objects_free(&found);
    given.width = 0;
    settings.smooth = 0;
    assert_int_equal(shw_objects_find(&given, &settings, NULL, &found), SHW_ERROR_ARGUMENT);
    shw_objects_free(&found);
}

/* The table and the files of a picture; a changed file is no longer ours. */
TESTING_CASE(test_files)
{
    static const uint16_t labels[12] = {0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0};
    static const uint16_t distribution[24] = {65535, 65535, 0, 0, 65535, 65535, 0, 0, 0, 0, 0, 1};
    const struct shw_object_picture picture = {labels, distribution, 4, 3, 2};
    const struct shw_class *classes = make_classes();
    struct shw_object_paths paths = {{NULL, "p_objects.geojson", "p_instances.png", "p_instances.tif"}};
    struct shw_object_table table = {0};
    struct shw_image_file image;
    struct shw_objects found;
    char text[1024];
    FILE *file;

    assert_int_equal(chdir(testing_path("")), 0);
    assert_int_equal(shw_objects_find(&picture, &(struct shw_object_settings){0}, NULL, &found), SHW_OK);
    assert_int_equal(shw_object_table_open(&table, "objects.csv", &no_columns, NULL), SHW_OK);
    shw_object_table_add(&table, "a,b.png", "x/a,b-2", &found, classes);
    assert_int_equal(access("objects.csv", F_OK), -1); /* not before it is complete */
    assert_int_equal(shw_object_table_commit(&table, NULL), SHW_OK);
    file = fopen("objects.csv", "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "picture,object,class,class_number,area_px,x_px,y_px,width_px,height_px,centre_x_px,"
                              "centre_y_px,perimeter_px,touches_border,mean_probability,files\r\n"
                              "\"a,b.png\",1,class 0,0,4,0,0,2,2,1.000,1.000,8,true,1.00000,\"x/a,b-2\"\r\n"
                              "\"a,b.png\",2,\"a \"\"b\"\", c\",1,6,0,0,4,3,2.167,1.667,14,true,0.00000,\"x/a,b-2\"\r\n"
                              "\"a,b.png\",3,class 0,0,2,3,1,1,2,3.500,2.000,6,true,0.00001,\"x/a,b-2\"\r\n");

    assert_int_equal(shw_object_files_write(&paths, &found, classes, 2, &no_columns, NULL), SHW_OK);
    assert_true(shw_file_outlines.is_ours("p_objects.geojson", shw_file_outlines.name));
    assert_true(shw_file_instances.is_ours("p_instances.png", shw_file_instances.name));
    assert_int_equal(shw_image_file_read("p_instances.png", NULL, NULL, &image), SHW_OK);
    assert_int_equal(image.image.format, SHW_PIXEL_GREY16);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(((const uint16_t *)image.image.pixels)[i], found.numbers[i]);
    shw_image_file_free(&image);
    shw_objects_free(&found);

    file = fopen("p_objects.geojson", "r+b");
    fseek(file, -3, SEEK_END);
    fputc(' ', file);
    fclose(file);
    assert_false(shw_file_outlines.is_ours("p_objects.geojson", shw_file_outlines.name));
    assert_false(shw_file_outlines.is_ours("p_instances.png", shw_file_outlines.name));
}

/* More objects than a 16-bit image has numbers: a TIFF file takes the place of the PNG file, and the other way round.
 */
TESTING_CASE(test_many_objects)
{
    enum { SIDE = 300 };
    static uint16_t labels[SIDE * SIDE];
    const struct shw_object_picture picture = {labels, NULL, SIDE, SIDE, 2};
    const struct shw_object_paths paths = {{NULL, NULL, "m_instances.png", "m_instances.tif"}};
    struct shw_objects found;

    assert_int_equal(chdir(testing_path("")), 0);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        labels[i] = (uint16_t)((i / SIDE + i) % 2);
    for (int four = 0; four < 3; four++) {
        bool many = four == 1;

        assert_int_equal(shw_objects_find(&picture, &(struct shw_object_settings){.four = many}, NULL, &found), SHW_OK);
        assert_int_equal(found.count, many ? SIDE * SIDE : 2);
        assert_false(found.has_probability);
        assert_int_equal(shw_object_files_write(&paths, &found, make_classes(), 2, &no_columns, NULL), SHW_OK);
        assert_int_equal(access(paths.paths[SHW_OBJECT_INSTANCES], F_OK), many ? -1 : 0);
        assert_int_equal(access(paths.paths[SHW_OBJECT_MANY_INSTANCES], F_OK), many ? 0 : -1);
        assert_int_equal(
            shw_file_instance_page.is_ours(paths.paths[SHW_OBJECT_MANY_INSTANCES], shw_file_instance_page.name), many);
        shw_objects_free(&found);
    }
}

TESTING_FIXTURE(set_up, tear_down)
