/* Reading examples: what read() yields, its errors, memory, threads. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread_pool.h"
#include "files/dataset/dataset.h"
#include "testing/image_encode.h"

#define COUNT 12

static char root[512];
static uint16_t values[64 * 64 * 3];

static const char palette_text[] =
    "{\"classes\": [{\"name\": \"none\", \"colour\": [0, 0, 0], \"void\": true}, "
    "{\"name\": \"a\", \"colour\": [10, 0, 0]}, {\"name\": \"b\", \"colour\": [0, 20, 0]}]}";
static const uint8_t class_colours[3][3] = {{0, 0, 0}, {10, 0, 0}, {0, 20, 0}};

static uint32_t width_of(uint32_t index)
{
    return 5 + index;
}

static uint32_t height_of(uint32_t index)
{
    return 20 - index;
}

/* Image `index` is filled with that number; pixel p has the label p % 3, and the depth 1000 * index + p. */
static struct testing_picture picture_of(uint32_t index, unsigned bits, unsigned samples)
{
    struct testing_picture picture = {
        .width = width_of(index), .height = height_of(index), .bits = bits, .samples = samples};

    picture.values = values;
    return picture;
}

static void write_picture(const char *folder, uint32_t index, struct testing_bytes bytes)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", root, folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%02u.png", root, folder, index);
    testing_write_file(path, bytes);
}

static void write_text(const char *name, const char *text)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", root, name);
    testing_write_file(path, (struct testing_bytes){(uint8_t *)strdup(text), strlen(text)});
}

static void write_example(uint32_t index)
{
    struct testing_picture image = picture_of(index, 8, 3), label = picture_of(index, 8, 1),
                           colour = picture_of(index, 8, 3), depth = picture_of(index, 16, 1);
    size_t pixels = (size_t)image.width * image.height;

    for (size_t i = 0; i < pixels * 3; i++)
        values[i] = (uint16_t)index;
    write_picture("images", index, testing_encode_png(&image));
    for (size_t i = 0; i < pixels; i++)
        values[i] = (uint16_t)(i % 3);
    write_picture("labels", index, testing_encode_png(&label));
    for (size_t i = 0; i < pixels * 3; i++)
        values[i] = class_colours[i / 3 % 3][i % 3];
    write_picture("colours", index, testing_encode_png(&colour));
    for (size_t i = 0; i < pixels; i++)
        values[i] = (uint16_t)(1000 * index + i);
    write_picture("depths", index, testing_encode_png(&depth));
}

static int setup(void **state)
{
    static unsigned count;
    char name[32];

    (void)state;
    snprintf(name, sizeof name, "set%u", count++);
    snprintf(root, sizeof root, "%s", testing_path(name));
    mkdir(root, 0777);
    for (uint32_t i = 0; i < COUNT; i++)
        write_example(i);
    return 0;
}

static struct shw_dataset open_set(const struct shw_dataset_params *params, struct testing_log *memory)
{
    struct shw_dataset_params with_log = *params;
    struct shw_dataset set = {0};

    with_log.root = root;
    with_log.log = testing_log(memory);
    assert_int_equal(shw_dataset_open(&with_log, &set), SHW_OK);
    return set;
}

static bool example_is_right(const struct shw_labelled_image *example, uint32_t index)
{
    size_t pixels = (size_t)width_of(index) * height_of(index);
    const uint8_t *rgb = example->image.pixels;
    const struct shw_input *depth = shw_inputs_find(&example->inputs, SHW_DEPTH);
    bool right = example->image.width == width_of(index) && example->image.height == height_of(index) &&
                 example->image.format == SHW_PIXEL_RGB8 && depth != NULL && depth->image.format == SHW_PIXEL_GREY16;

    for (size_t p = 0; p < pixels && right; p++)
        right = rgb[3 * p] == index && example->labels[p] == (p % 3 == 0 ? SHW_LABEL_VOID : p % 3 - 1) &&
                ((const uint16_t *)depth->image.pixels)[p] == (uint16_t)(1000 * index + p);
    return right;
}

TESTING_CASE_WITH(test_read, setup, NULL)
{
    struct shw_dataset_params params = {
        .images = "images/{}.png",
        .labels = "labels/{}.png",
        .inputs = (const struct shw_input_file[]){{.name = SHW_DEPTH, .path = "depths/{}.png"}},
        .input_count = 1};
    struct testing_log memory;
    struct shw_dataset set;

    write_text("palette.json", palette_text);
    for (int kind = 0; kind < 2; kind++) {
        params.labels = kind == 0 ? "labels/{}.png" : "colours/{}.png";
        set = open_set(&params, &memory);
        assert_int_equal(set.count, COUNT);
        assert_int_equal(set.class_count, 2);
        assert_string_equal(set.classes[1].name, "b");
        assert_false(set.single_threaded);
        for (uint32_t i = 0; i < COUNT; i++) {
            struct shw_labelled_image example;
            char name[8];

            assert_int_equal(set.read(set.user, i, &example), SHW_OK);
            snprintf(name, sizeof name, "%02u", i);
            assert_string_equal(example.name, name);
            assert_true(example_is_right(&example, i));
            set.release(set.user, &example);
        }
        shw_dataset_close(&set);
        assert_null(set.user);
    }
}

TESTING_CASE_WITH(test_unlabelled, setup, NULL)
{
    struct shw_dataset_params params = {.images = "images/{}.png"};
    struct testing_log memory;
    struct shw_dataset set = open_set(&params, &memory);
    struct shw_labelled_image example;

    assert_int_equal(set.class_count, 1);
    assert_null(set.classes);
    assert_int_equal(set.read(set.user, 3, &example), SHW_OK);
    assert_null(example.labels);
    assert_int_equal(example.inputs.count, 0);
    set.release(set.user, &example);
    assert_int_equal(set.read(set.user, COUNT, &example), SHW_ERROR_ARGUMENT);
    shw_dataset_close(&set);
}

/* Classes found in the labels, whichever part of the set is asked for. */
TESTING_CASE_WITH(test_derived_classes, setup, NULL)
{
    char split[600];
    const char *splits = split;
    struct shw_dataset_params params = {.images = "images/{}.png", .labels = "labels/{}.png"};
    struct testing_picture odd = picture_of(7, 8, 1);
    struct testing_log memory;
    struct shw_dataset set;

    for (size_t i = 0; i < 64 * 64; i++)
        values[i] = 200;
    write_picture("labels", 7, testing_encode_png(&odd));
    write_text("split.txt", "03\n04\n");
    snprintf(split, sizeof split, "%s/split.txt", root);
    params.splits = &splits;
    for (params.split_count = 0; params.split_count < 2; params.split_count++) {
        set = open_set(&params, &memory);
        assert_int_equal(set.class_count, 4);
        assert_string_equal(set.classes[0].name, "class 0");
        assert_string_equal(set.classes[3].name, "class 200");
        assert_int_equal(set.count, params.split_count == 0 ? COUNT : 2);
        assert_int_equal(memory.errors, 0);
        shw_dataset_close(&set);
    }
    params.labels = "colours/{}.png", params.split_count = 0;
    set = open_set(&params, &memory);
    assert_int_equal(set.class_count, 2); /* black is void */
    assert_string_equal(set.classes[0].name, "#001400");
    assert_string_equal(set.classes[1].name, "#0a0000");
    assert_int_equal(set.classes[1].colour[0], 10);
    shw_dataset_close(&set);
}

/* Nothing but void pixels: indices and colours. */
TESTING_CASE_WITH(test_label_images_without_classes, setup, NULL)
{
    static const char *const patterns[] = {"indices/{}.png", "black/{}.png"};

    for (uint32_t i = 0; i < COUNT; i++) {
        struct testing_picture indices = picture_of(i, 16, 1), black = picture_of(i, 8, 3);
        memset(values, 0xff, sizeof values);
        write_picture("indices", i, testing_encode_png(&indices));
        memset(values, 0, sizeof values);
        write_picture("black", i, testing_encode_png(&black));
    }
    for (size_t p = 0; p < 2; p++) {
        struct shw_dataset_params params = {.root = root, .images = "images/{}.png", .labels = patterns[p]};
        struct testing_log memory;
        struct shw_dataset set = {0};
        params.log = testing_log(&memory);
        assert_int_equal(shw_dataset_open(&params, &set), SHW_ERROR_FORMAT);
        assert_int_equal(memory.errors, 1);
        assert_non_null(strstr(memory.last, patterns[p]));
        assert_non_null(strstr(memory.last, "all pixels of all label images are void"));
    }
}

/* The number that the frame before an example is filled with; -1: there is none. */
static int before(struct shw_dataset *set, uint32_t index)
{
    struct shw_labelled_image example;
    const struct shw_input *previous;
    int value = -1;

    assert_int_equal(set->read(set->user, index, &example), SHW_OK);
    previous = shw_inputs_find(&example.inputs, SHW_PREVIOUS);
    if (previous != NULL) {
        assert_int_equal(previous->image.width, example.image.width);
        value = *(const uint8_t *)previous->image.pixels;
    }
    set->release(set->user, &example);
    return value;
}

static void write_frame(const char *folder, uint32_t number, uint32_t width)
{
    struct testing_picture picture = {.width = width, .height = 4, .bits = 8, .samples = 1, .values = values};

    for (uint32_t i = 0; i < width * 4; i++)
        values[i] = (uint16_t)number;
    write_picture(folder, number, testing_encode_png(&picture));
}

/* Folders are sequences, single images none, and split files may say otherwise. */
TESTING_CASE_WITH(test_sequences, setup, NULL)
{
    static const int by_folder[] = {-1, 1, -1, 3, 4, -1, -1}, by_pattern[] = {1, 2, 3, 5};
    char split[600];
    const char *splits = split;
    struct shw_dataset_params params = {.images = "clips/{}.png", .with_previous = true};
    struct shw_labelled_image example;
    struct testing_log memory;
    struct shw_dataset set;

    write_frame("clips", 8, 3);
    write_frame("clips", 9, 3);
    for (uint32_t i = 1; i <= 5; i++)
        write_frame(i < 3 ? "clips/a" : "clips/b", i, i < 3 ? 5 : 6);
    set = open_set(&params, &memory); /* 08, 09, a/01, ... */
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(before(&set, (i + 2) % 7), by_folder[i]);
    shw_dataset_close(&set);
    write_text("split.txt", "a/01\n---\nb/03\na/02\n  ---  \n# one alone\nb/05\n---\n");
    snprintf(split, sizeof split, "%s/split.txt", root);
    params.splits = &splits;
    params.split_count = 1;
    set = open_set(&params, &memory); /* a/01; b/03, a/02; b/05 */
    assert_int_equal(set.count, 4);
    assert_int_equal(before(&set, 0), -1);
    assert_int_equal(before(&set, 3), -1);
    assert_int_equal(before(&set, 2), -1);
    assert_int_equal(set.read(set.user, 1, &example), SHW_ERROR_FORMAT); /* a/02 after b/03, which is wider */
    assert_non_null(strstr(memory.last, "a/02 has 5 x 4 pixels, but the previous frame of its sequence, b/03, has 6"));
    shw_dataset_close(&set);
    /* Without a sequence, and in the current folder, which has no name. */
    write_text("split.txt", "a/01\n---\nb/03\n");
    assert_int_equal(chdir(root), 0);
    params.root = NULL;
    params.log = testing_log(&memory);
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_non_null(strstr(memory.last, "no example of the current folder has a previous frame"));
    shw_dataset_close(&set);
    write_text("split.txt", "a/01\n---\nb/03\na/02\n  ---  \n# one alone\nb/05\n---\n");
    /* What is given as the previous frame replaces the sequence's. */
    params.inputs = &(struct shw_input_file){.name = "previous", .path = "clips/{}.png"};
    params.input_count = 1;
    set = open_set(&params, &memory);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(before(&set, i), by_pattern[i]);
    shw_dataset_close(&set);
    params.input_count = 0;
    params.with_previous = false;
    set = open_set(&params, &memory);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(before(&set, i), -1);
    shw_dataset_close(&set);
}

/* Frames fN are filled with N: which is before which, as "8-9-10 3-4" says, and that order for people. Numbers stay
 * bytewise. */
static void check_frames(struct shw_dataset_params *params, const char *expected, unsigned warnings)
{
    struct testing_log memory;
    struct shw_dataset set;
    char text[256] = "";
    uint32_t place;

    params->log = testing_log(&memory);
    params->root = root;
    assert_int_equal(shw_dataset_open(params, &set), SHW_OK);
    assert_int_equal(memory.count[SHW_LOG_DATASET], warnings);
    for (uint32_t i = 0; i < set.count; i++) {
        const char *name = shw_dataset_name(&set, shw_dataset_at(&set, i)), *number = strrchr(name, 'f') + 1;
        const int previous = before(&set, shw_dataset_at(&set, i));
        char part[64];

        assert_int_equal(shw_dataset_find_before(&set, i, &place), previous >= 0);
        if (previous >= 0)
            assert_int_equal(atoi(strrchr(shw_dataset_name(&set, shw_dataset_at(&set, place)), 'f') + 1), previous);
        snprintf(part, sizeof part, previous >= 0 ? "%s<%d " : "%s ", number, previous);
        strcat(text, part);
        assert_true(i == 0 || strcmp(shw_dataset_name(&set, i - 1), shw_dataset_name(&set, i)) < 0);
    }
    assert_string_equal(text, expected);
    shw_dataset_close(&set);
}

/* Frames follow each other as people count, or as they are listed. */
TESTING_CASE_WITH(test_order_of_frames, setup, NULL)
{
    static const uint32_t frames[] = {8, 9, 10, 11, 2};
    char split[600], second[600];
    const char *splits[] = {split, second};
    struct shw_dataset_params params = {.images = "video/{}.png", .with_previous = true};
    char path[600];

    for (int i = 0; i < 3; i++) {
        static const char *const folders[] = {"video", "video/a9", "video/a10"};

        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        mkdir(path, 0777);
    }
    snprintf(split, sizeof split, "%s/split.txt", root);
    snprintf(second, sizeof second, "%s/second.txt", root);
    for (uint32_t i = 0; i < 5; i++) {
        struct testing_picture picture = {.width = 4, .height = 4, .bits = 8, .samples = 1, .values = values};

        for (uint32_t p = 0; p < 16; p++)
            values[p] = (uint16_t)frames[i];
        snprintf(path, sizeof path, "%s/video/%s/f%u.png", root, i < 4 ? "a10" : "a9", frames[i]);
        testing_write_file(path, testing_encode_png(&picture));
    }
    check_frames(&params, "2 8 9<8 10<9 11<10 ", 0);
    params.splits = splits;
    params.split_count = 1;
    write_text("split.txt", "a10/f8\na10/f9\na10/f10\na10/f11\n");
    check_frames(&params, "8 9<8 10<9 11<10 ", 0);
    write_text("split.txt", "---\na10/f8\na10/f9\na10/f10\na10/f11\n");
    check_frames(&params, "8 9<8 10<9 11<10 ", 0);
    /* In turns with another folder. */
    write_text("split.txt", "a10/f8\na9/f2\na10/f11\n");
    check_frames(&params, "8 2 11<8 ", 0);
    /* Backwards: on purpose if sequences are stated, otherwise with a warning. */
    write_text("split.txt", "a10/f11\na10/f10\na10/f8\n");
    check_frames(&params, "11 10<11 8<10 ", 1);
    write_text("split.txt", "a10/f11\na10/f10\n---\na10/f9\na9/f2\na10/f8\n");
    check_frames(&params, "11 10<11 9 2<9 8<2 ", 0);
    /* What is listed twice counts where it is listed first. */
    write_text("split.txt", "---\na10/f8\na10/f9\na10/f10\n---\na9/f2\na10/f9\na10/f11\n");
    check_frames(&params, "8 9<8 10<9 2 11<2 ", 1);
    /* Several files. */
    write_text("split.txt", "a10/f9\na10/f10\n");
    write_text("second.txt", "a10/f11\na9/f2\n");
    params.split_count = 2;
    check_frames(&params, "9 10<9 11<10 2 ", 0);
    write_text("second.txt", "a10/f11\n---\na9/f2\n");
    check_frames(&params, "9 10<9 11 2 ", 0);
    /* The frames of a folder stay together, even where a folder in it would stand between them. */
    write_frame("video/a10/f9b", 7, 4);
    params.split_count = 0;
    check_frames(&params, "2 8 9<8 10<9 11<10 9b/07 ", 0);
}

static void check_open_error(const struct shw_dataset_params *params, enum shw_log_item item, const char *part)
{
    struct shw_dataset_params with_log = *params;
    struct shw_dataset set = {0};
    struct testing_log memory;

    with_log.root = root;
    with_log.log = testing_log(&memory);
    assert_int_equal(shw_dataset_open(&with_log, &set), SHW_ERROR_FORMAT);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, item);
    assert_non_null(strstr(memory.last, part));
}

TESTING_CASE_WITH(test_not_derivable, setup, NULL)
{
    struct shw_dataset_params params = {.images = "images/{}.png", .labels = "labels/{}.png"};
    struct testing_picture photograph = picture_of(11, 8, 3);
    struct testing_random random = {1};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = (uint16_t)testing_random_below(&random, 256);
    write_picture("labels", 4, testing_encode_png(&photograph));
    check_open_error(&params, SHW_LOG_DATASET, "some label images have indices and some have colours");
    photograph.width = photograph.height = 64;
    write_picture("colours", 11, testing_encode_png(&photograph));
    params.labels = "colours/{}.png";
    check_open_error(&params, SHW_LOG_DATASET, "more than 256 colours");
}

static void check_read_error(const struct shw_dataset *set, uint32_t index, enum shw_log_item item, const char *part,
                             struct testing_log *memory)
{
    struct shw_labelled_image example;

    memory->errors = 0;
    assert_int_equal(set->read(set->user, index, &example), SHW_ERROR_FORMAT);
    assert_int_equal(memory->errors, 1);
    assert_int_equal(memory->last_item, item);
    assert_non_null(strstr(memory->last, part));
}

TESTING_CASE_WITH(test_read_errors, setup, NULL)
{
    struct shw_dataset_params params = {
        .images = "images/{}.png",
        .labels = "labels/{}.png",
        .inputs = (const struct shw_input_file[]){{.name = SHW_DEPTH, .path = "depths/{}.png"}},
        .input_count = 1};
    struct testing_picture label = picture_of(0, 8, 1), small = picture_of(2, 8, 1), flat = picture_of(4, 8, 1),
                           narrow = picture_of(6, 16, 1);
    struct shw_labelled_image example;
    struct testing_log memory;
    struct shw_dataset set;

    write_text("palette.json", palette_text);
    memset(values, 0, sizeof values);
    values[2 * width_of(0) + 1] = 3;
    write_picture("labels", 0, testing_encode_png(&label));
    small.width--;
    write_picture("labels", 2, testing_encode_png(&small));
    write_picture("depths", 4, testing_encode_png(&flat));
    narrow.height++;
    write_picture("depths", 6, testing_encode_png(&narrow));
    write_picture("images", 8, (struct testing_bytes){calloc(1, 1), 0});
    set = open_set(&params, &memory);
    check_read_error(&set, 0, SHW_LOG_LABEL_COLOUR, "labels/00.png: the label 3 of pixel (1, 2) is not in the palette",
                     &memory);
    check_read_error(&set, 2, SHW_LOG_DATASET, "images/02.png has 7 x 18 pixels, but its label image ", &memory);
    check_read_error(&set, 2, SHW_LOG_DATASET, "labels/02.png has 6 x 18", &memory);
    check_read_error(&set, 4, SHW_LOG_IMAGE_FORMAT, "depths/04.png as a depth image", &memory);
    check_read_error(&set, 6, SHW_LOG_DATASET, "depths/06.png has 11 x 15", &memory);
    check_read_error(&set, 8, SHW_LOG_IMAGE_FORMAT, "images/08.png: the file is empty", &memory);
    assert_int_equal(set.read(set.user, 1, &example), SHW_OK);
    assert_true(example_is_right(&example, 1));
    set.release(set.user, &example);
    shw_dataset_close(&set);
}

/* The camera lay on its side: the picture is turned, and the label image is as the picture is seen. */
TESTING_CASE_WITH(test_orientation, setup, NULL)
{
    struct shw_dataset_params params = {.images = "turned/{}.png", .labels = "labels/{}.png"};
    struct testing_picture image = picture_of(3, 8, 1);
    struct shw_labelled_image example;
    struct testing_log memory;
    struct shw_dataset set;

    write_text("palette.json", palette_text);
    image.width = height_of(3);
    image.height = width_of(3);
    image.orientation = 6;
    write_picture("turned", 3, testing_encode_png(&image));
    set = open_set(&params, &memory);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.read(set.user, 0, &example), SHW_OK);
    assert_int_equal(example.image.width, width_of(3));
    set.release(set.user, &example);
    shw_dataset_close(&set);
}

TESTING_CASE_WITH(test_cache_keeps, setup, NULL)
{
    struct shw_dataset_params params = {.images = "images/{}.png"};
    struct shw_labelled_image first, again;
    struct testing_log memory;
    struct shw_dataset set;

    for (int kept = 0; kept < 2; kept++) {
        params.cache_bytes = kept ? 0 : 1;
        setup(NULL);
        set = open_set(&params, &memory);
        assert_int_equal(set.read(set.user, 5, &first), SHW_OK);
        assert_int_equal(set.read(set.user, 5, &again), SHW_OK);
        assert_ptr_equal(first.image.pixels, again.image.pixels);
        set.release(set.user, &first);
        set.release(set.user, &again);
        write_picture("images", 5, (struct testing_bytes){calloc(1, 1), 0});
        assert_int_equal(set.read(set.user, 5, &again), kept ? SHW_OK : SHW_ERROR_FORMAT); /* decoded again? */
        if (kept)
            set.release(set.user, &again);
        shw_dataset_close(&set);
    }
}

struct reading {
    const struct shw_dataset *set;
    uint32_t wrong[64];
};

static void read_one(void *user, uint32_t index, uint32_t thread)
{
    struct reading *reading = user;
    struct shw_labelled_image example;
    uint32_t which = index * 7 % COUNT;

    if (reading->set->read(reading->set->user, which, &example) != SHW_OK) {
        reading->wrong[thread]++;
        return;
    }
    reading->wrong[thread] += !example_is_right(&example, which);
    reading->set->release(reading->set->user, &example);
}

TESTING_CASE_WITH(test_threads, setup, NULL)
{
    struct shw_dataset_params params = {
        .images = "images/{}.png",
        .labels = "labels/{}.png",
        .inputs = (const struct shw_input_file[]){{.name = SHW_DEPTH, .path = "depths/{}.png"}},
        .input_count = 1};
    struct shw_thread_pool *pool = NULL;

    write_text("palette.json", palette_text);
    assert_int_equal(shw_thread_pool_create(4, &pool), SHW_OK);
    for (int i = 0; i < 3; i++) {
        static const size_t limits[3] = {1, 3000, 0};
        struct reading reading = {0};
        struct testing_log memory;
        struct shw_dataset set;

        params.cache_bytes = limits[i];
        set = open_set(&params, &memory);
        reading.set = &set;
        shw_thread_pool_run(pool, 300, read_one, &reading);
        for (int t = 0; t < 64; t++)
            assert_int_equal(reading.wrong[t], 0);
        shw_dataset_close(&set);
    }
    shw_thread_pool_destroy(&pool);
}
