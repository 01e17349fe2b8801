/* Copies of the training set in memory: they take the memory that they may, waste little of it, and are what was read.
 */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/samples/image_store.h"

#define LIMIT      ((uint64_t)64 << 20)
#define COUNT_MAX  20000u
#define WIDTH      20u
#define PIXELS_MAX ((size_t)WIDTH * 13000)
#define PIXEL      5u /* bytes: three of colour, and a label; labels change from pixel to pixel, so runs would take more */

/* Examples of `width` x `height` pixels; every second one may have `other_height`. */
struct examples {
    struct shw_dataset dataset;
    uint32_t width, height, other_height;
    uint32_t reads; /* from the data set itself */
};

static uint32_t height_of(const struct examples *examples, uint32_t index)
{
    return index % 2 == 1 ? examples->other_height : examples->height;
}

/* Examples differ in which of the first bytes and which of the first seven labels an image begins with. */
static uint8_t bytes_of_all[3 * PIXELS_MAX + UINT8_MAX];
static uint16_t labels_of_all[PIXELS_MAX + 7];

static int make_pixels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bytes_of_all; i++)
        bytes_of_all[i] = (uint8_t)(i * 11 + i / 251);
    for (size_t i = 0; i < PIXELS_MAX + 7; i++)
        labels_of_all[i] = (uint16_t)(i % 7);
    return 0;
}

static const uint8_t *bytes_of(uint32_t index)
{
    return bytes_of_all + (uint8_t)(index * 37);
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct examples *examples = user;
    size_t pixels = (size_t)examples->width * height_of(examples, index);
    uint8_t *bytes = malloc(3 * pixels);
    uint16_t *labels = malloc(pixels * sizeof *labels);

    assert_non_null(bytes);
    assert_non_null(labels);
    assert_true(pixels <= PIXELS_MAX);
    memcpy(bytes, bytes_of(index), 3 * pixels);
    memcpy(labels, labels_of_all + index % 7, pixels * sizeof *labels);
    *example = (struct shw_labelled_image){.name = "example",
                                           .image = {.format = SHW_PIXEL_RGB8,
                                                     .width = examples->width,
                                                     .height = height_of(examples, index),
                                                     .pixels = bytes},
                                           .labels = labels,
                                           .handle = labels};
    examples->reads++;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    free((void *)(uintptr_t)example->image.pixels);
    free(example->handle);
}

static struct shw_image_store *open_store(struct examples *examples, uint64_t limit)
{
    static struct shw_channel_list channels;
    static struct testing_log log;
    static struct shw_log to;
    struct shw_image_store *store = NULL;

    to = testing_log(&log);
    assert_true(shw_channel_list_parse("gauss:1", NULL, &to, &channels) == SHW_OK);
    examples->dataset = (struct shw_dataset){.count = COUNT_MAX,
                                             .class_count = 7,
                                             .user = examples,
                                             .read = read_example,
                                             .release = release_example,
                                             .single_threaded = true};
    assert_int_equal(shw_image_store_create(&examples->dataset, &channels, limit, &to, &store), SHW_OK);
    return store;
}

/* Reads example `index` from the store, and checks it. */
static void read_from(const struct shw_image_store *store, const struct examples *examples, uint32_t index)
{
    const struct shw_dataset *dataset = shw_image_store_dataset(store);
    struct shw_labelled_image example;
    size_t pixels = (size_t)examples->width * height_of(examples, index);

    assert_int_equal(dataset->read(dataset->user, index, &example), SHW_OK);
    assert_int_equal(example.image.height, height_of(examples, index));
    assert_true(memcmp(example.image.pixels, bytes_of(index), 3 * pixels) == 0);
    assert_true(memcmp(example.labels, labels_of_all + index % 7, pixels * sizeof *labels_of_all) == 0);
    dataset->release(dataset->user, &example);
}

/* Bytes of the examples that have a copy: those that are not read from the data set. */
static uint64_t copied_bytes(const struct shw_image_store *store, struct examples *examples, uint32_t read)
{
    uint64_t bytes = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < read; i++) {
        uint32_t before = examples->reads;
        read_from(store, examples, i);
        if (examples->reads > before)
            continue;
        bytes += (uint64_t)PIXEL * examples->width * height_of(examples, i);
        count++;
    }
    assert_int_equal(count, shw_image_store_count(store));
    return bytes;
}

/* Reads until the memory is used up; at most a tenth of it may hold nothing. */
TESTING_CASE(memory_is_used)
{
    static const uint32_t heights[][2] = {{50, 50},       {640, 640},  {660, 660},  {2700, 2700}, {5300, 5300},
                                          {13000, 13000}, {160, 5300}, {5300, 160}, {660, 7000}};

    for (size_t t = 0; t < sizeof heights / sizeof *heights; t += testing_is_slow() ? 1 : 2) {
        struct examples examples = {.width = WIDTH, .height = heights[t][0], .other_height = heights[t][1]};
        struct shw_image_store *store = open_store(&examples, LIMIT);
        uint64_t offered = 0, bytes;
        uint32_t read = 0;
        while (offered < LIMIT + LIMIT / 8) {
            read_from(store, &examples, read);
            offered += (uint64_t)PIXEL * examples.width * height_of(&examples, read++);
            assert_true(read < COUNT_MAX);
        }
        assert_true(shw_image_store_bytes(store) <= LIMIT);
        shw_image_store_end(store, LIMIT);
        bytes = copied_bytes(store, &examples, read);
        if (bytes < LIMIT / 10 * 9)
            fail_msg("20 x %u and 20 x %u pixels: copies have %llu bytes of %llu", heights[t][0], heights[t][1],
                     (unsigned long long)bytes, (unsigned long long)LIMIT);
        shw_image_store_destroy(&store);
    }
}

/* With less memory afterwards, copies are dropped, and no more than need be. */
TESTING_CASE(copies_are_dropped)
{
    struct examples examples = {.width = WIDTH, .height = 100, .other_height = 700};
    uint32_t read = 800;

    for (uint64_t limit = LIMIT; limit > 1000; limit = testing_is_slow() ? limit / 3 * 2 : limit / 5 * 2) {
        struct shw_image_store *store = open_store(&examples, LIMIT);
        uint64_t all, bytes;
        for (uint32_t i = 0; i < read; i++)
            read_from(store, &examples, i);
        assert_int_equal(shw_image_store_count(store), read);
        all = shw_image_store_bytes(store);
        shw_image_store_end(store, limit);
        bytes = copied_bytes(store, &examples, read);
        assert_true(shw_image_store_bytes(store) <= limit);
        if (limit < all)
            assert_true(bytes + LIMIT / 10 >= limit);
        else
            assert_int_equal(shw_image_store_count(store), read);
        shw_image_store_destroy(&store);
    }
}

TESTING_FIXTURE(make_pixels, NULL)
