/* Pages, channels and values of TIFF files by the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "files/image/image_write.h"
#include "program.h"

#define WIDTH  40
#define HEIGHT 30
#define QUICK  "-t cpu --trees 2 --depth 4 --candidates 30 --pixels 200 --offset 10 --size 9"
#define DATA   "--data field --images '{}.tif' --labels '{}_L.png'"

/* A page of five channels of floats; the fourth tells the classes apart, by the half. */
static void write_page(TIFF *tiff, struct testing_random *random, float offset)
{
    float pixels[HEIGHT][WIDTH][5];

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 5; c++)
                pixels[y][x][c] = offset + (float)testing_random_below(random, 1000) / 1000 +
                                  (c == 3 && x >= WIDTH / 2 ? 3.0f : 0.0f);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 5);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
    assert_true(TIFFWriteEncodedStrip(tiff, 0, pixels, sizeof pixels) > 0);
    assert_int_equal(TIFFWriteDirectory(tiff), 1);
}

static void write_stack(const char *path, uint32_t pages, float offset)
{
    struct testing_random random = {7 + (uint64_t)(10 * offset)};
    TIFF *tiff = TIFFOpen(path, "w");

    assert_non_null(tiff);
    for (uint32_t i = 0; i < pages; i++)
        write_page(tiff, &random, offset);
    TIFFClose(tiff);
}

static int prepare(void **state)
{
    static const uint8_t colours[2][3] = {{10, 20, 30}, {200, 210, 220}};
    uint8_t labels[WIDTH * HEIGHT];

    (void)state;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        labels[i] = i % WIDTH >= WIDTH / 2;
    assert_success(run("mkdir field"));
    for (int i = 0; i < 2; i++)
        assert_int_equal(shw_png_write_indexed(testing_path(i == 0 ? "work/field/a_L.png" : "work/field/b_L.png"),
                                               labels, WIDTH, HEIGHT, colours, 2, NULL),
                         SHW_OK);
    write_stack(testing_path("work/field/a.tif"), 1, -2.0f);
    write_stack(testing_path("work/field/b.tif"), 1, -1.5f);
    write_stack(testing_path("work/stack.tif"), 3, -2.0f);
    return 0;
}

static double accuracy(void)
{
    json_t *document = parse_json(run("shadewood evaluate -t cpu " DATA " field.ktx2 --json").out);
    double value = json_real_value(json_object_get(document, "pixel_accuracy"));

    json_decref(document);
    return value;
}

/* The range is that of the first image, and both are used wherever the forest is. */
TESTING_CASE(test_choice_is_kept_in_the_forest)
{
    json_t *document, *record, *range;
    double low, high;

    assert_success(run("shadewood train " DATA " " QUICK " --image-channels 4,0,1 -o field.ktx2"));
    document = parse_json(run("shadewood inspect field.ktx2 --json").out);
    record = json_object_get(document, "training");
    range = json_object_get(record, "intensity_range");
    low = json_number_value(json_array_get(range, 0));
    high = json_number_value(json_array_get(range, 1));
    assert_true(low > -2.01 && low < -1.9 && high > 1.9 && high < 2.01);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(record, "image_channels"), 0)), 4);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(record, "image_channels"), 1)), 0);
    assert_success(run("shadewood label -t cpu field.ktx2 field/b.tif -o kept --leaves -q"));
    assert_success(run("shadewood label -t cpu field.ktx2 field/b.tif -o told --leaves -q --image-channels 4,0,1 "
                       "--range %.17g:%.17g",
                       low, high));
    assert_success(run("shadewood label -t cpu field.ktx2 field/b.tif -o other --leaves -q --image-channels 1,0,4"));
    assert_success(run("cmp kept/b_leaves.npy told/b_leaves.npy && ! cmp -s kept/b_leaves.npy other/b_leaves.npy"));
    assert_true(accuracy() > 0.95);
    json_decref(document);
}

/* The first three channels tell nothing. */
TESTING_CASE(test_choice_matters)
{
    struct run result = run("shadewood train " DATA " " QUICK " -o field.ktx2");

    assert_success(result);
    assert_non_null(strstr(result.err, "field/a.tif has 5 channels: the first three are read as colours"));
    assert_null(strstr(result.err, "b.tif has"));
    assert_true(accuracy() < 0.9);
    result = run("shadewood train " DATA " " QUICK " --image-channels 4 --range -0.1:1 -o field.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.err, "outside the range from -0.1 to 1"));
    assert_true(accuracy() > 0.95);
}

TESTING_CASE(test_pages)
{
    struct run result;

    assert_success(run("shadewood train " DATA " " QUICK " --image-channels 4 -o field.ktx2"));
    result = run("shadewood label -t cpu field.ktx2 stack.tif -o first");
    assert_success(result);
    assert_non_null(strstr(result.err, "stack.tif has 3 pages, of which the first is read: --page"));
    assert_success(run("shadewood label -t cpu field.ktx2 stack.tif -o all --page all"));
    assert_int_equal(entry_count("all"), 7); /* with classes.json */
    assert_success(run("cmp first/stack_labels.png all/stack_page1_labels.png"));
    assert_success(run("shadewood label -t cpu field.ktx2 stack.tif -o one --page 2"));
    assert_success(run("shadewood label -t cpu field.ktx2 'stack.tif#2' -o named"));
    assert_int_equal(entry_count("one"), 3);
    assert_success(run("cmp one/stack_page2_labels.png all/stack_page2_labels.png"));
    assert_success(run("cmp one/stack_page2_overlay.png named/stack_page2_overlay.png"));
    assert_one_line(run("shadewood label -t cpu field.ktx2 stack.tif -o none --page 4"), 1, "stack.tif#4",
                    "there is no page 4, the last is 3", NULL);
    assert_one_line(run("shadewood label -t cpu field.ktx2 'stack.tif#1' -o none --image-channels 6"), 1, "stack.tif",
                    "there is no channel 6, it has 5", NULL);
    assert_success(run("shadewood explain field.ktx2 'stack.tif#3' 30 10"));
}

TESTING_CASE(test_options)
{
    assert_one_line(run("shadewood label f.ktx2 a.tif --image-channels 1,2"), 2, "--image-channels", "'1,2'", NULL);
    assert_one_line(run("shadewood label f.ktx2 a.tif --image-channels 1,2,x"), 2, "'1,2,x'", NULL);
    assert_one_line(run("shadewood label f.ktx2 a.tif --image-channels 1,2,3,4"), 2, "'1,2,3,4'", NULL);
    assert_one_line(run("shadewood label f.ktx2 a.tif --range nan:1"), 2, "'nan:1'", NULL);
    assert_one_line(run("shadewood label f.ktx2 a.tif --range 1e5"), 2, "'1e5'", NULL);
    assert_one_line(run("shadewood label f.ktx2 a.tif --page 0"), 2, "--page", "'all'", NULL);
    assert_one_line(run("shadewood train --data field --images '{}.tif' --labels '{}_L.png' -o g.ktx2 "
                        "--image-channels 0"),
                    2, "--image-channels", NULL);
}

/* A project says how its pictures are read. */
TESTING_CASE(test_project)
{
    static const char text[] =
        "{\"format\": \"shadewood-project\", \"version\": 2, \"reading\": {\"image_channels\": [4]%s}, \"classes\": ["
        "{\"name\": \"dark\", \"colour\": [1, 2, 3]}, {\"name\": \"light\", \"colour\": [4, 5, 6]}],"
        "\"training\": {\"trees\": 2, \"depth\": 3, \"candidates\": 20, \"seed\": \"1\"}, \"pictures\": ["
        "{\"name\": \"stack.tif#2\", \"width\": 40, \"height\": 30, \"strokes\": ["
        "{\"class\": 0, \"radius\": 3, \"points\": [8, 5, 9, 20]}, {\"class\": 1, \"radius\": 3, \"points\": "
        "[30, 5, 31, 20]}]}]}";
    char project[1024];
    json_t *document, *record;

    for (int given = 0; given < 2; given++) {
        snprintf(project, sizeof project, text, given ? ", \"intensity_range\": [-2.5, 3]" : "");
        make_file("stack.json", project, strlen(project));
        assert_success(run("shadewood train -t cpu stack.json -o stack.ktx2 -q"));
        document = parse_json(run("shadewood inspect stack.ktx2 --json").out);
        record = json_object_get(document, "training");
        assert_int_equal(json_integer_value(json_array_get(json_object_get(record, "image_channels"), 0)), 4);
        double high = json_number_value(json_array_get(json_object_get(record, "intensity_range"), 1));
        assert_true(given ? high == 3.0 : high > 1.9 && high < 2.01);
        json_decref(document);
    }
    snprintf(project, sizeof project, text, ", \"intensity_range\": [3, 3]");
    make_file("stack.json", project, strlen(project));
    assert_one_line(run("shadewood train -t cpu stack.json -o stack.ktx2 --overwrite"), 1, "stack.json",
                    "\"reading\": \"intensity_range\" does not end above its start", NULL);
    assert_one_line(run("shadewood train stack.json -o stack.ktx2 --image-channels 1"), 2, "the project 'stack.json'",
                    NULL);
}

TESTING_FIXTURE(prepare, NULL)
