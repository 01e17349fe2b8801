/* Objects of labelled images: the table, outlines and instances, as a user gets them. */
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/image/resolution.h"

#define LABEL "shadewood label meadow.ktx2 pairs/00.png pairs/01.png -t cpu "

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", 2);
    make_project("meadow.json", "pairs/00.png");
    assert_success(run_blind("shadewood train meadow.json -o meadow.ktx2 -q && cp meadow.json keep.json"));
    return 0;
}

/* The first field of a row after `skip` others, up to the next comma. */
static unsigned field(const char *row, unsigned skip)
{
    for (; skip > 0; skip--)
        row = strchr(row, ',') + 1;
    return (unsigned)strtoul(row, NULL, 10);
}

/* The rows of a picture in the table are its instances. Returns the number of rows. */
static unsigned check_picture(const char *table, const char *picture, const char *instances)
{
    struct shw_image_file image;
    const uint16_t *numbers;
    unsigned rows = 0, areas = 0;

    assert_int_equal(shw_image_file_read(testing_path(instances), NULL, NULL, &image), SHW_OK);
    assert_int_equal(image.image.format, SHW_PIXEL_GREY16);
    numbers = image.image.pixels;
    for (const char *row = strchr(table, '\n') + 1; *row != '\0'; row = strchr(row, '\n') + 1) {
        unsigned area = 0;

        if (strncmp(row, picture, strlen(picture)) != 0)
            continue;
        assert_int_equal(field(row, 1), ++rows);
        for (unsigned i = 0; i < 48 * 40; i++)
            area += numbers[i] == rows;
        assert_int_equal(field(row, 4), area);
        areas += area;
    }
    assert_int_equal(areas, 48 * 40);
    shw_image_file_free(&image);
    return rows;
}

TESTING_CASE(test_formats)
{
    struct run result = run_blind(LABEL "-o all --objects --objects-format csv,geojson,instances --json -q");
    json_t *document, *told, *count;
    unsigned rows[2];
    const char *class;
    size_t size, features = 0, i;
    char *table, *text;
    json_t *image;

    assert_success(result);
    document = parse_json(result.out);
    told = json_object_get(document, "images");
    table = file_bytes("all/objects.csv", &size);
    assert_memory_equal(table, "picture,object,class,", 21);
    rows[0] = check_picture(table, "pairs/00.png,", "work/all/00_instances.png");
    rows[1] = check_picture(table, "pairs/01.png,", "work/all/01_instances.png");
    assert_true(rows[0] > 1 && rows[1] > 1);
    json_array_foreach(told, i, image)
    {
        unsigned counted = 0;

        json_object_foreach(json_object_get(image, "objects"), class, count) counted +=
            (unsigned)json_integer_value(count);
        assert_int_equal(counted, rows[i]);
        assert_int_equal(json_object_size(json_object_get(image, "objects")), 3);
    }
    text = file_bytes("all/00_objects.geojson", &size);
    for (const char *at = text; (at = strstr(at, "\"Feature\"")) != NULL; at++)
        features++;
    assert_int_equal(features, rows[0]);
    assert_int_equal(entry_count("all"), 2 * 4 + 2);
    free(text);
    free(table);
    json_decref(document);

    /* Tables have no room for a mark; everything else is known as ours, also when a folder is labelled. */
    assert_one_line(run_blind(LABEL "-o all --objects"), 1, "all/objects.csv exists", "--overwrite", NULL);
    assert_success(run_blind(LABEL "-o all --objects --overwrite -q"));
    assert_success(run_blind(LABEL "-o all --objects --objects-format instances,geojson -q"));
    assert_success(run_blind("cp pairs/00.png all && shadewood label meadow.ktx2 all -t cpu -o again -q"));
    assert_int_equal(entry_count("again"), 3);
}

TESTING_CASE(test_settings)
{
    size_t size;
    char *table;

    assert_success(run_blind(LABEL "-o some --no-labels --no-overlay --objects --objects-classes 1,2 --objects-area 20 "
                                   "--objects-holes all --objects-smooth 2 --objects-connectivity 4 -q"));
    table = file_bytes("some/objects.csv", &size);
    for (const char *row = strchr(table, '\n') + 1; *row != '\0'; row = strchr(row, '\n') + 1) {
        assert_in_range(field(row, 3), 1, 2);
        assert_true(field(row, 4) >= 20);
    }
    assert_int_equal(entry_count("some"), 2);
    free(table);
}

/* A square micrometre has four pixels of half a micrometre. */
TESTING_CASE(test_units)
{
    size_t size, objects = 0;
    char *table, *column;

    assert_success(run_blind(LABEL
                             "-o units --no-labels --no-overlay --objects --objects-area-max 90 --pixel-size 0.5um "
                             "-q"));
    table = file_bytes("units/objects.csv", &size);
    for (char *row = strchr(table, '\n') + 1; *row != '\0'; row = strchr(row, '\n') + 1, objects++) {
        column = row;
        for (int skip = 0; skip < 16; skip++)
            column = strchr(column, ',') + 1;
        assert_true(field(row, 4) <= 90);
        assert_true(fabs(strtod(column, NULL) - field(row, 4) / 4.0) <= 1e-4 * field(row, 4));
    }
    assert_true(objects > 0 && strstr(table, ",area_um2,") != NULL);
    free(table);
}

TESTING_CASE(test_options_that_are_wrong)
{
    assert_one_line(run_blind(LABEL "-o never --objects-area 5"), 2, "--objects", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-format csv,json"), 2, "'json'", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-format ''"), 2, "geojson", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-classes 0,3"), 2, "'3'", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-classes tree,lake"), 2, "no class", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-smooth 65"), 2, "from 0 to 64", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-connectivity 6"), 2, "8, 4", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --pixel-size '2 parsec'"), 2, "not '2 parsec'", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-show tree"), 2, "no object class", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --object-forest meadow.ktx2"), 1, "not a record forest", NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --objects-area 9 --objects-area-max 8"), 2, "larger than",
                    NULL);
    assert_one_line(run_blind(LABEL "-o never --objects --pixel-size '0x10 um'"), 2, "not '0x10 um'", NULL);
    assert_one_line(run_blind(LABEL "-o never --pixel-size '1 um'"), 2, "--scale-bar", NULL);
    assert_one_line(run_blind(LABEL "-o never --scale-bar"), 2, "--pixel-size", NULL);
    assert_one_line(run_blind(LABEL "-o never --scale-bar --pixel-size none"), 2, "--pixel-size", NULL);
    assert_false(exists("never/objects.csv"));
}

/* What is wrong in a project is said of the project, not of options that nobody gave. */
TESTING_CASE(test_projects_that_are_wrong)
{
    static const char *const settings[][2] = {{"\"class\": \"lake\"", "'lake'"},
                                              {"\"show\": \"lake\"", "'lake'"},
                                              {"\"area\": 9, \"area_max\": 8", "larger than the largest"}};
    size_t size;
    char *project = file_bytes("meadow.json", &size), text[8192];

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *pictures = strstr(project, "\"pictures\"");
        const int length =
            snprintf(text, sizeof text,
                     "%.*s\"objects\": {\"settings\": {%s}, \"attributes\": [\"area_px\"], \"classes\": [{\"name\": "
                     "\"a\", \"colour\": [1,2,3]}, {\"name\": \"b\", \"colour\": [1,2,4]}], \"examples\": "
                     "[{\"picture\": \"pairs/00.png\", \"x\": 1, \"y\": 1, \"class\": 0, \"values\": [3]}, "
                     "{\"picture\": \"pairs/00.png\", \"x\": 9, \"y\": 9, \"class\": 1, \"values\": [30]}]}, %s",
                     (int)(pictures - project), project, settings[i][0], pictures);
        struct run result;

        make_file("wrong.json", text, (size_t)length);
        result = run_blind("shadewood label wrong.json pairs/00.png -t cpu -q -o wrong --objects");
        assert_int_equal(result.code, 1);
        assert_non_null(strstr(result.err, "wrong.json"));
        assert_non_null(strstr(result.err, settings[i][1]));
        assert_null(strstr(result.err, "--objects-show:"));
        assert_null(strstr(result.err, "--objects-classes:"));
    }
    free(project);
}

/* The bar is as long as it says: 5 um of 0.13 um pixels, of a quarter of 160 pixels at most. */
TESTING_CASE(test_scale_bar)
{
    static uint8_t pixels[160 * 100 * 3];
    const struct shw_image image = {pixels, 160, 100, 0, SHW_PIXEL_RGB8};
    struct shw_image_file file;
    uint32_t longest = 0;

    assert_int_equal(shw_png_write(testing_path("work/wide.png"), &image, NULL), SHW_OK);
    assert_success(run_blind("shadewood label meadow.ktx2 wide.png -t cpu -q -o bar --no-labels --scale-bar "
                             "--pixel-size '0.13 um'"));
    assert_int_equal(shw_image_file_read(testing_path("work/bar/wide_overlay.png"), NULL, NULL, &file), SHW_OK);
    for (uint32_t y = 0; y < 100; y++)
        for (uint32_t x = 0, run = 0; x < 160; x++) {
            const uint8_t *pixel = (const uint8_t *)file.image.pixels + 3 * (y * 160 + x);

            run = pixel[0] == 255 && pixel[1] == 255 && pixel[2] == 255 ? run + 1 : 0;
            longest = run > longest ? run : longest;
        }
    assert_int_equal(longest, 38);
    shw_image_file_free(&file);
}

/* Labels and overlays have the size of the picture's pixels, as it was given or as its file says. */
TESTING_CASE(test_results_have_the_size_of_pixels)
{
    static uint8_t pixels[32 * 20 * 3];
    const struct shw_image image = {pixels, 32, 20, 0, SHW_PIXEL_RGB8};
    static const struct {
        const char *options;
        double side;
    } cases[] = {{"", 0.25}, {"--pixel-size file --scale-bar", 0.25}, {"--pixel-size 0.5um --scale-bar", 0.5}};

    assert_int_equal(shw_png_write_scaled(testing_path("work/sized.png"), NULL, 0.25, &image, NULL), SHW_OK);
    for (int i = 0; i < 3; i++) {
        assert_success(
            run_blind("shadewood label meadow.ktx2 sized.png -t cpu -q --overwrite -o sized %s", cases[i].options));
        assert_true(fabs(shw_image_pixel_size(testing_path("work/sized/sized_labels.png")) - cases[i].side) < 1e-6);
        assert_true(fabs(shw_image_pixel_size(testing_path("work/sized/sized_overlay.png")) - cases[i].side) < 1e-6);
    }
    assert_success(run_blind("shadewood label meadow.ktx2 pairs/00.png -t cpu -q -o unsized"));
    assert_true(!(shw_image_pixel_size(testing_path("work/unsized/00_labels.png")) > 0.0));
}

/* An image that cannot be read is reported, and the table has the others. */
TESTING_CASE(test_an_image_that_fails)
{
    size_t size;
    char *table;

    make_file("bad.png", "no image", 8);
    assert_one_line(run_blind("shadewood label meadow.ktx2 bad.png pairs/00.png -t cpu -o part --objects -q"), 1,
                    "bad.png", NULL);
    table = file_bytes("part/objects.csv", &size);
    assert_null(strstr(table, "bad.png"));
    assert_non_null(strstr(table, "pairs/00.png,1,"));
    free(table);
    assert_int_equal(run_blind("shadewood label meadow.ktx2 bad.png -t cpu -o bad --objects -q").code, 1);
    assert_false(exists("bad/objects.csv"));
}

TESTING_FIXTURE(prepare, NULL)
