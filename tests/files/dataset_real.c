/* Published data sets: small ones that are laid out as they are, and themselves where they are at hand. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/dataset/dataset.h"
#include "testing/image_encode.h"

static void path_in(char *path, size_t size, const char *folder, const char *rest)
{
    snprintf(path, size, "%s/%s", folder, rest);
}

/* A folder below that of the tests; `name` may have others before it, which are there. */
static const char *make_folder(const char *name)
{
    const char *path = testing_path(name);

    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static void write_text(const char *name, const char *text)
{
    testing_write_file(testing_path(name), (struct testing_bytes){(uint8_t *)strdup(text), strlen(text)});
}

/* A palette.json of 24 entries, of which some are void. */
static void write_palette(const char *name, const char *const names[24], uint32_t count, uint32_t voids)
{
    char text[4096] = "{\"classes\": [";

    for (uint32_t c = 0; c < count; c++) {
        char number[16];
        snprintf(number, sizeof number, "thing %u", c);
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\": \"%s\", \"colour\": [%u, %u, 9], \"void\": %s}", c > 0 ? ", " : "",
                 names[c] != NULL ? names[c] : number, 10 * c, c > 0 ? 255 - c : 0,
                 (voids >> c & 1) != 0 ? "true" : "false");
    }
    strcat(text, "]}");
    write_text(name, text);
}

enum encoding { INDICES, COLOURS, PHOTO, DEPTH };

/* Labels of `count` classes in stripes, by their palette's colours; or any picture, or depth. */
static void write_picture(const char *name, uint32_t width, uint32_t height, enum encoding encoding,
                          const uint8_t (*palette)[3], uint32_t count, uint32_t first)
{
    uint32_t samples = encoding == COLOURS || encoding == PHOTO ? 3 : 1;
    uint16_t *values = malloc((size_t)2 * samples * width * height);
    const struct testing_picture picture = {.width = width,
                                            .height = height,
                                            .bits = encoding == DEPTH ? 16 : 8,
                                            .samples = samples,
                                            .values = values,
                                            .palette = encoding == INDICES ? palette : NULL};

    assert_non_null(values);
    for (uint32_t i = 0; i < samples * width * height; i++) {
        uint32_t pixel = i / samples, label = (pixel % width * count / width + first) % count;
        values[i] = (uint16_t)(encoding == INDICES   ? label
                               : encoding == COLOURS ? palette[label][i % 3]
                               : encoding == DEPTH   ? (pixel % 5 == 0 ? 0 : 500 + pixel)
                                                     : (pixel * 7 + i) % 256);
    }
    testing_write_file(testing_path(name),
                       strstr(name, ".jpg") != NULL ? testing_encode_jpeg(&picture) : testing_encode_png(&picture));
    free(values);
}

/* Reads all examples and counts the labelled pixels of each class, void last. */
static void count_labels(const struct shw_dataset *set, uint64_t *counts)
{
    for (uint32_t i = 0; i < set->count; i++) {
        struct shw_labelled_image example;

        assert_int_equal(set->read(set->user, i, &example), SHW_OK);
        assert_string_equal(example.name, shw_dataset_name(set, i));
        for (size_t p = 0; p < (size_t)example.image.width * example.image.height; p++) {
            assert_true(example.labels[p] < set->class_count || example.labels[p] == SHW_LABEL_VOID);
            counts[example.labels[p] == SHW_LABEL_VOID ? set->class_count : example.labels[p]]++;
        }
        set->release(set->user, &example);
    }
}

/* Of void there are 6 to 20 % of the pixels. */
static void check_msrc21(const char *root, uint32_t count, uint32_t taught, const char *first)
{
    struct testing_log memory;
    struct shw_dataset_params params = {.root = root,
                                        .images = "images/{}.png",
                                        .labels = "labels/{}.png",
                                        .cache_bytes = 1,
                                        .log = testing_log(&memory)};
    char train[1000], val[1000], test[1000];
    const char *splits[2] = {train, val}, *test_split = test;
    uint64_t counts[22] = {0}, all = 0;
    struct shw_dataset set = {0};

    path_in(train, sizeof train, root, "splits/Train.txt");
    path_in(val, sizeof val, root, "splits/Val.txt");
    path_in(test, sizeof test, root, "splits/Test.txt");

    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, count);
    assert_int_equal(set.class_count, 21);
    assert_string_equal(set.classes[0].name, "building");
    assert_string_equal(set.classes[20].name, "boat");
    assert_string_equal(shw_dataset_name(&set, 0), first);
    count_labels(&set, counts);
    for (int c = 0; c < 22; c++) {
        assert_true(counts[c] > 0);
        all += counts[c];
    }
    assert_true(counts[21] * 100 / all >= 6 && counts[21] * 100 / all <= 20);
    shw_dataset_close(&set);

    params.splits = splits;
    params.split_count = 2;
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, taught);
    shw_dataset_close(&set);
    params.splits = &test_split;
    params.split_count = 1;
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, count - taught);
    shw_dataset_close(&set);
    assert_int_equal(memory.errors, 0);
}

/* Images of two sizes, label images with a palette of 24 entries, 3 of which are void, and three lists. */
TESTING_CASE(test_msrc21)
{
    static const char *const names[24] = {[0] = "void", [1] = "building", [23] = "boat"};
    uint8_t palette[256][3] = {{0}};
    char root[512], name[64];
    const char *real = testing_data("msrc21");

    snprintf(root, sizeof root, "%s", make_folder("msrc"));
    make_folder("msrc/images");
    make_folder("msrc/labels");
    make_folder("msrc/splits");
    write_palette("msrc/palette.json", names, 24, 1 | 1 << 5 | 1 << 8);
    for (uint32_t c = 0; c < 24; c++)
        memcpy(palette[c], (uint8_t[]){(uint8_t)(10 * c), (uint8_t)(c > 0 ? 255 - c : 0), 9}, 3);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t width = i % 2 == 0 ? 32 : 21, height = 53 - width;
        snprintf(name, sizeof name, "msrc/images/%u_%u_s.png", 10 + i, i);
        write_picture(name, width, height, PHOTO, NULL, 24, i);
        snprintf(name, sizeof name, "msrc/labels/%u_%u_s.png", 10 + i, i);
        write_picture(name, width, height, INDICES, palette, 24, 5 * i);
    }
    write_text("msrc/splits/Train.txt", "13_3_s\n10_0_s\n");
    write_text("msrc/splits/Val.txt", "12_2_s\n");
    write_text("msrc/splits/Test.txt", "11_1_s\n14_4_s\n");
    check_msrc21(root, 5, 3, "10_0_s");
    if (real != NULL)
        check_msrc21(real, 591, 335, "10_10_s");
}

static void check_replica(const char *root, uint32_t count)
{
    struct testing_log memory;
    struct shw_dataset_params params = {.root = root, .layout = SHW_DATASET_CURFIL, .log = testing_log(&memory)};
    uint64_t counts[23] = {0};
    struct shw_dataset set = {0};
    struct shw_labelled_image example;
    uint64_t present = 0, pixels;
    const uint16_t *depth;

    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, count);
    assert_int_equal(set.class_count, 22);
    assert_string_equal(shw_dataset_name(&set, 0), "0000");
    assert_int_equal(set.read(set.user, 0, &example), SHW_OK);
    depth = shw_inputs_find(&example.inputs, SHW_DEPTH)->image.pixels;
    pixels = (uint64_t)example.image.width * example.image.height;
    for (size_t p = 0; p < pixels; p++)
        present += depth[p] > 300 && depth[p] < 10000;
    assert_true(present > pixels / 2);
    set.release(set.user, &example);
    count_labels(&set, counts);
    assert_true(counts[8] > 0); /* the floor */
    shw_dataset_close(&set);
}

/* CURFIL's layout, with a palette in the folder above, which training and test share. */
TESTING_CASE(test_replica)
{
    static const char *const names[24] = {[0] = "void"}, *const kinds[] = {"colors", "ground_truth", "depth"};
    static const enum encoding encodings[] = {PHOTO, COLOURS, DEPTH};
    const char *real = testing_data("replica_office0/train");
    uint8_t palette[23][3] = {{0, 0, 9}};
    char root[512], name[64];

    make_folder("replica");
    snprintf(root, sizeof root, "%s", make_folder("replica/train"));
    write_palette("replica/palette.json", names, 23, 1);
    for (uint32_t c = 1; c < 23; c++)
        memcpy(palette[c], (uint8_t[]){(uint8_t)(10 * c), (uint8_t)(255 - c), 9}, 3);
    for (uint32_t i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "replica/train/%04u_%s.png", i, kinds[k]);
            write_picture(name, 60, 34, encodings[k], palette, 23, i);
        }
    check_replica(root, 3);
    if (real != NULL)
        check_replica(real, 52);
}

static void check_curfil(const char *root)
{
    struct testing_log memory;
    struct shw_dataset_params params = {.root = root, .layout = SHW_DATASET_CURFIL, .log = testing_log(&memory)};
    uint64_t counts[300] = {0};
    struct shw_dataset set = {0};

    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, 4);
    assert_int_equal(set.class_count, 4);
    assert_string_equal(set.classes[2].name, "#ff0000");
    count_labels(&set, counts);
    for (uint32_t c = 0; c < set.class_count; c++)
        assert_true(counts[c] > 0);
    shw_dataset_close(&set);
}

/* Without a palette: the classes are the colours that occur, and black is void. */
TESTING_CASE(test_curfil)
{
    static const uint8_t palette[5][3] = {{255, 255, 0}, {0, 0, 255}, {0, 0, 0}, {255, 0, 0}, {0, 255, 0}};
    static const char *const pictures[] = {"testing1", "training1", "training2", "training3"}, *const kinds[] = {
                                                                                                   "colors",
                                                                                                   "ground_truth",
                                                                                                   "depth"};
    static const enum encoding encodings[] = {PHOTO, COLOURS, DEPTH};
    const char *real = testing_data("curfil_testdata");
    char root[512], name[64];

    snprintf(root, sizeof root, "%s", make_folder("curfil"));
    for (uint32_t i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "curfil/%s_%s.png", pictures[i], kinds[k]);
            write_picture(name, 40, 30, encodings[k], palette, 5, i);
        }
    check_curfil(root);
    if (real != NULL)
        check_curfil(real);
}

static void check_horses(const char *root, uint32_t count)
{
    struct testing_log memory;
    struct shw_dataset_params params = {
        .root = root, .images = "horse/{}.jpg", .labels = "mask/{}.png", .log = testing_log(&memory)};
    struct shw_dataset set = {0};
    uint64_t counts[3] = {0};

    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, count);
    assert_int_equal(set.class_count, 2);
    assert_string_equal(set.classes[1].name, "class 1");
    count_labels(&set, counts);
    assert_true(counts[0] > counts[1] && counts[1] > 0 && counts[2] == 0);
    shw_dataset_close(&set);
}

/* Masks of 0 and 1 need no palette. */
TESTING_CASE(test_horses)
{
    const char *real = testing_data("weizmann_horses");
    char root[512], name[64];

    snprintf(root, sizeof root, "%s", make_folder("horses"));
    make_folder("horses/horse");
    make_folder("horses/mask");
    for (uint32_t i = 1; i <= 3; i++) {
        uint16_t mask[31 * 20];
        const struct testing_picture picture = {.width = 31, .height = 20, .bits = 8, .samples = 1, .values = mask};
        for (uint32_t p = 0; p < 31 * 20; p++)
            mask[p] = p % 31 > 10 + i && p % 31 < 20;
        snprintf(name, sizeof name, "horses/horse/horse%03u.jpg", i);
        write_picture(name, 31, 20, PHOTO, NULL, 1, 0);
        snprintf(name, sizeof name, "horses/mask/horse%03u.png", i);
        testing_write_file(testing_path(name), testing_encode_png(&picture));
    }
    check_horses(root, 3);
    if (real != NULL)
        check_horses(real, 327);
}
