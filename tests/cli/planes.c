/* Planes in the images' own files and in others: training, labelling, evaluating, explaining and inspecting. */
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "files/io/npy_header.h"

enum { WIDTH = 40, HEIGHT = 30, PLANES = 13, IMAGES = 3 };

/* Arrays whose planes 8 and 12 tell the class, and these planes as images of their own; the first also with 8 bits. */
static void write_image(uint32_t number)
{
    static float array[HEIGHT][WIDTH][PLANES];
    static uint16_t planes[2][HEIGHT][WIDTH];
    static uint8_t low[HEIGHT][WIDTH];
    const struct shw_image low_image = {low, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY8};
    static uint8_t labels[HEIGHT][WIDTH];
    static const uint8_t colours[3][3] = {{0, 0, 0}, {255, 0, 0}, {0, 255, 0}};
    const uint64_t shape[] = {HEIGHT, WIDTH, PLANES};
    struct testing_random random = {number};
    char header[SHW_NPY_WRITTEN_SIZE], name[64];
    FILE *file;

    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            labels[y][x] = (uint8_t)((x / 10 + y / 8 + number) % 3);
            for (uint32_t p = 0; p < PLANES; p++) {
                bool bright = (labels[y][x] == 1 && p == 7) || (labels[y][x] == 2 && p == 11);
                uint32_t value = testing_random_below(&random, 500) + (bright ? 4000 : 1000);
                array[y][x][p] = (float)value / 10000;
                if (p == 7 || p == 11)
                    planes[p == 11][y][x] = (uint16_t)value;
            }
            low[y][x] = (uint8_t)(planes[0][y][x] / 20);
        }
    snprintf(name, sizeof name, "bands/p%u.npy", number);
    shw_npy_header_write(header, "f4", 3, shape);
    file = fopen(place(name), "wb");
    assert_non_null(file);
    fwrite(header, 1, sizeof header, file);
    fwrite(array, 1, sizeof array, file);
    assert_int_equal(fclose(file), 0);
    for (int p = 0; p < 2; p++) {
        const struct shw_image image = {planes[p], WIDTH, HEIGHT, 0, SHW_PIXEL_GREY16};
        snprintf(name, sizeof name, "%s/p%u.png", p == 0 ? "nir" : "swir", number);
        assert_int_equal(shw_png_write(place(name), &image, NULL), SHW_OK);
    }
    snprintf(name, sizeof name, "low/p%u.png", number);
    assert_int_equal(shw_png_write(place(name), &low_image, NULL), SHW_OK);
    snprintf(name, sizeof name, "labels/p%u.png", number);
    assert_int_equal(shw_png_write_indexed(place(name), labels[0], WIDTH, HEIGHT, colours, 3, NULL), SHW_OK);
}

static int prepare(void **state)
{
    (void)state;
    assert_success(run_blind("mkdir bands nir swir low labels"));
    for (uint32_t i = 0; i < IMAGES; i++)
        write_image(i);
    return 0;
}

#define DATA     "-d . --images 'bands/{}.npy' --labels 'labels/{}.png'"
#define SETTINGS "--trees 2 --depth 5 --pixels 300 -q"
#define OF_BANDS "plane:b8,gauss:1@b12,ndiff:b8,b12,range:b8=0..1,range:b12=0..1"
#define OF_FILES "plane:nir,gauss:1@swir,ndiff:nir,swir,range:nir=0..10000,range:swir=0..10000"

static json_t *importance_of(const char *forest)
{
    json_t *document = parse_json(run("shadewood inspect %s --json", forest).out);
    json_t *importance = json_incref(json_object_get(document, "importance"));

    json_decref(document);
    assert_non_null(importance);
    return importance;
}

TESTING_CASE_WITH(planes_of_the_image, prepare, NULL)
{
    json_t *importance, *planes;
    double gain = 0;
    const char *name;
    json_t *share;

    assert_success(run_blind("shadewood train " DATA " --channels '" OF_BANDS "' -t cpu -o bands.ktx2 " SETTINGS));
    assert_success(run_blind("shadewood evaluate bands.ktx2 " DATA " --json > accuracy.json"));
    assert_success(run_blind("shadewood label bands.ktx2 bands/p0.npy -o out --label-tiff -q"));
    assert_true(exists("out/p0_labels.png"));
    assert_true(exists("out/p0_labels.tif"));
    assert_non_null(strstr(run_blind("shadewood explain bands.ktx2 bands/p0.npy 3 4").out, "gauss-1@b12["));
    assert_non_null(strstr(run_blind("shadewood inspect bands.ktx2").out, OF_BANDS));
    importance = importance_of("bands.ktx2");
    planes = json_object_get(importance, "planes");
    json_object_foreach(planes, name, share) gain += json_number_value(json_object_get(share, "gain"));
    assert_true(fabs(gain - 1) < 1e-6);
    assert_non_null(json_object_get(planes, "b8"));
    assert_non_null(json_object_get(planes, "b12"));
    json_decref(importance);
    assert_non_null(strstr(run_blind("shadewood inspect bands.ktx2").out, "\n  plane   "));
}

/* Numbers that are 10,000 times as large, and a range that says so, give the same channels but for rounding of floats,
 * and files by pattern the same forest as those in one file. */
TESTING_CASE(planes_of_other_files)
{
    struct run run;

    assert_success(run_blind("shadewood train " DATA
                             " --input 'nir=nir/{}.png' --input 'swir=swir/{}.png' --channels '" OF_FILES
                             "' -t cpu -o files.ktx2 " SETTINGS));
    assert_success(run_blind("shadewood label files.ktx2 bands/p1.npy --input 'nir=nir/{}.png' --input "
                             "'swir=swir/{}.png' -o other -q"));
    assert_success(run_blind("shadewood explain files.ktx2 bands/p1.npy 3 4 --input nir=nir/p1.png --input "
                             "swir=swir/p1.png"));
    run = run_blind("shadewood label files.ktx2 bands/p1.npy --input 'nir=nir/{}.png' -o none -q");
    assert_one_line(run, 1, "has no plane swir; its planes are b1 to b13: --input swir=PATTERN", NULL);
    run = run_blind("shadewood label files.ktx2 bands/p1.npy --input 'red=nir/{}.png' -o none -q");
    assert_one_line(run, 1, "the input red is not read", NULL);
}

TESTING_CASE(floats_need_a_range)
{
    assert_one_line(run_blind("shadewood train " DATA " --channels plane:b8 -t cpu -o none.ktx2 " SETTINGS), 1,
                    "range:b8=LOW..HIGH", NULL);
}

#define STROKES                                                                                                        \
    "\"strokes\": [{\"class\": 0, \"radius\": 2, \"points\": [2, 2, 8, 2]}, {\"class\": 1, \"radius\": 1, "            \
    "\"points\": [13, 3, 17, 3]}, {\"class\": 1, \"radius\": 1, \"points\": [3, 11, 6, 11]}]"

/* A project on the first image, with planes of its own file or others. */
static void write_project(const char *name, const char *channels, const char *inputs, const char *own)
{
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "{\"format\": \"shadewood-project\", \"version\": 6, \"classes\": [{\"name\": \"a\", "
                          "\"colour\": [1, 2, 3]}, {\"name\": \"b\", \"colour\": [4, 5, 6]}], \"training\": "
                          "{\"channels\": \"%s\", \"trees\": 3, \"depth\": 5}, %s \"pictures\": [{\"name\": "
                          "\"bands/p0.npy\", \"width\": %d, \"height\": %d, %s " STROKES "}]}",
                          channels, inputs, WIDTH, HEIGHT, own);

    assert_in_range(length, 1, sizeof text - 1);
    make_file(name, text, (size_t)length);
}

static unsigned long long train_project(const char *project, const char *options)
{
    struct run result = run("shadewood train %s --overwrite -o %s.ktx2 --json -q %s", project, project, options);
    unsigned long long hash;
    json_t *told;

    assert_success(result);
    told = parse_json(result.out);
    hash = strtoull(json_string_value(json_object_get(told, "hash")), NULL, 16);
    json_decref(told);
    return hash;
}

/* Wherever a project's planes are, the forest is the same, with each technique. */
TESTING_CASE(projects_have_planes)
{
    static const char *const techniques[] = {"-t blend", "-t compute"};
    unsigned long long hash;

    write_project("own.json", OF_BANDS, "", "");
    hash = train_project("own.json", "-t cpu");
    for (size_t t = 0; t < 2 && run("shadewood devices").code == 0; t++)
        assert_true(train_project("own.json", techniques[t]) == hash);
    write_project("rgb.json", "rgb", "", "");
    assert_true(train_project("rgb.json", "-t cpu") != hash);
    write_project("pattern.json", OF_FILES, "\"inputs\": {\"nir\": \"nir/{}.png\", \"swir\": \"swir/{}.png\"},", "");
    write_project("given.json", OF_FILES, "\"inputs\": {\"swir\": \"swir/{}.png\"},",
                  "\"inputs\": {\"nir\": \"nir/p0.png\"},");
    assert_true(train_project("pattern.json", "-t cpu") == train_project("given.json", "-t cpu"));

    assert_success(run_blind("shadewood label own.json bands/p1.npy -t cpu -q -o by-project"));
    assert_success(run_blind("shadewood label own.json.ktx2 bands/p1.npy -t cpu -q -o by-forest"));
    assert_success(run("cmp by-project/p1_labels.png by-forest/p1_labels.png"));
    assert_success(run_blind("shadewood label pattern.json bands/p1.npy -t cpu -q -o by-pattern"));
    assert_success(run_blind("shadewood label pattern.json.ktx2 bands/p1.npy --input 'nir=nir/{}.png' --input "
                             "'swir=swir/{}.png' -t cpu -q -o by-option"));
    assert_success(run("cmp by-pattern/p1_labels.png by-option/p1_labels.png"));
}

TESTING_CASE(what_projects_lack_is_said)
{
    write_project("lack.json", "plane:nir,range:nir=0..1", "", "");
    assert_one_line(run_blind("shadewood train lack.json -t cpu -q -o lack.ktx2"), 1, "p0.npy", "no plane nir", NULL);
    write_project("lack.json", "plane:nir", "\"inputs\": {\"nir\": \"gone/{}.png\"},", "");
    assert_one_line(run_blind("shadewood train lack.json -t cpu -q -o lack.ktx2"), 1, "p0.npy", "no plane nir",
                    "gone/{}.png", NULL);
    write_project("lack.json", "plane:b2", "", "");
    assert_one_line(run_blind("shadewood train lack.json -t cpu -q -o lack.ktx2"), 1, "range:b2=LOW..HIGH", NULL);
}

/* A kind as text that computes the base value of a plane, as plane:NAME does. */
static void write_text(const char *file, const char *plane, const char *sample)
{
    char text[512];
    int length = snprintf(text, sizeof text,
                          "//!CHANNEL own-%s\n//!INPUT %s\n//!OUTPUT own\n//!MAXIMUM 4080\n//!FRACTION 4\n"
                          "int own()\n{\n    return (16 * %s + 128) / 257;\n}\n",
                          plane, plane, sample);

    assert_in_range(length, 1, sizeof text - 1);
    make_file(file, text, (size_t)length);
}

/* Trains a forest on the list with the text, and one with plane:NAME in its place: with the same labels, by each
 * technique. */
static void assert_same_as_plane(const char *plane, const char *others, const char *options)
{
    static const char *const techniques[] = {"cpu", "compute", "fragment"};
    const bool has_device = run("shadewood devices").code == 0;

    assert_success(run("rm -rf text plain"));
    assert_success(run_blind("shadewood train " DATA
                             " --channels '%s.glsl,%s' %s -t cpu --overwrite -o text.ktx2 " SETTINGS,
                             plane, others, options));
    assert_success(run_blind("shadewood train " DATA
                             " --channels 'plane:%s,%s' %s -t cpu --overwrite -o plain.ktx2 " SETTINGS,
                             plane, others, options));
    assert_success(run_blind("shadewood label plain.ktx2 bands/p0.npy %s -o plain -t cpu -q", options));
    for (size_t t = 0; t < (has_device ? 3 : 1); t++) {
        assert_success(run("shadewood label text.ktx2 bands/p0.npy %s -o text --trust-code -t %s -q --overwrite",
                           options, techniques[t]));
        assert_success(run("cmp plain/p0_labels.png text/p0_labels.png"));
    }
    for (int t = 0; t < 2 && has_device; t++) {
        assert_success(run("shadewood train " DATA
                           " --channels '%s.glsl,%s' %s -t %s --overwrite -o device.ktx2 " SETTINGS,
                           plane, others, options, t == 0 ? "blend" : "compute"));
        assert_success(run("cmp text.ktx2 device.ktx2"));
    }
}

/* What a text reads is what the file stores, or its place in the range that the list states: of planes of the image's
 * own file and of others, beside other kinds that read the same plane and alone. */
TESTING_CASE(texts_read_planes)
{
    skip_on_windows("feature types and channel kinds are not compiled from text");
    write_text("b8.glsl", "b8", "plane(0, 0)");
    write_text("low.glsl", "low", "257 * plane(0, 0)");
    assert_same_as_plane("b8", "gauss:2@b8,range:b8=0..1", "");
    if (testing_is_slow()) {
        assert_same_as_plane("b8", "plane:b12,range:b8=0..1,range:b12=0..1", "");
        assert_same_as_plane("low", "gauss:1@low,plane:nir", "--input 'low=low/{}.png' --input 'nir=nir/{}.png'");
    }
    assert_same_as_plane("low", "plane:nir", "--input 'low=low/{}.png' --input 'nir=nir/{}.png'");
    assert_one_line(run_blind("shadewood train " DATA " --channels b8.glsl -t cpu -o none.ktx2 " SETTINGS), 1,
                    "range:b8=LOW..HIGH", NULL);
}

/* Planes are named without regard to capital letters. */
TESTING_CASE(names_in_capitals)
{
    assert_success(run_blind("shadewood train " DATA " --channels plane:b8,gauss:1@b8,range:b8=0..1 -t cpu --overwrite "
                             "-o small.ktx2 " SETTINGS));
    assert_success(run_blind("shadewood train " DATA " --channels plane:B8,gauss:1@B8,range:B8=0..1 -t cpu --overwrite "
                             "-o capital.ktx2 " SETTINGS));
    assert_success(run("cmp small.ktx2 capital.ktx2"));
    assert_one_line(run_blind("shadewood train " DATA " --channels plane:b8,plane:B8,range:b8=0..1 -t cpu "
                              "-o none.ktx2 " SETTINGS),
                    2, "entry 2 is the same as entry 1", NULL);
}
