/* Data sets of images and labels in memory. */
#include "testing/testing.h"

#include <string.h>

#include <shadewood/dataset.h>

enum { WIDTH = 5, HEIGHT = 4, PIXELS = WIDTH * HEIGHT };

static const uint8_t colours[PIXELS * 3];

static struct shw_image colour(void)
{
    return (struct shw_image){.pixels = colours, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};
}

static void expect(const struct shw_array_example *example, const uint16_t *labels)
{
    const struct shw_array_dataset_params params = {.examples = example, .count = 1, .class_count = 3};
    struct shw_labelled_image read;
    struct shw_dataset *dataset = NULL;

    assert_int_equal(shw_array_dataset_create(&params, &dataset), SHW_OK);
    assert_int_equal(dataset->count, 1);
    assert_int_equal(dataset->class_count, 3);
    assert_true(dataset->in_memory);
    assert_int_equal(dataset->read(dataset->user, 0, &read), SHW_OK);
    assert_ptr_equal(read.image.pixels, colours);
    if (labels == NULL)
        assert_null(read.labels);
    else
        assert_memory_equal(read.labels, labels, PIXELS * sizeof *labels);
    dataset->release(dataset->user, &read);
    shw_array_dataset_destroy(&dataset);
    assert_null(dataset);
}

/* 8 and 16 bits, with and without room between rows; void; contiguous 16 bits are not copied. */
TESTING_CASE(labels_of_all_layouts_are_the_same)
{
    uint16_t plain[PIXELS], wide[HEIGHT][WIDTH + 2];
    uint8_t narrow[PIXELS], padded[HEIGHT][WIDTH + 3];
    struct shw_array_example example = {.image = colour()};

    for (uint32_t i = 0; i < PIXELS; i++) {
        const uint32_t y = i / WIDTH, x = i % WIDTH;
        plain[i] = wide[y][x] = i % 4 == 3 ? SHW_LABEL_VOID : (uint16_t)(i % 4);
        narrow[i] = padded[y][x] = i % 4 == 3 ? 255 : (uint8_t)(i % 4);
    }
    expect(&example, NULL);
    example.labels = (struct shw_image){plain, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY16};
    expect(&example, plain);
    example.labels = (struct shw_image){wide, WIDTH, HEIGHT, sizeof *wide, SHW_PIXEL_GREY16};
    expect(&example, plain);
    example.labels = (struct shw_image){narrow, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY8};
    expect(&example, plain);
    example.labels = (struct shw_image){padded, WIDTH, HEIGHT, sizeof *padded, SHW_PIXEL_GREY8};
    expect(&example, plain);
}

TESTING_CASE(names_are_numbers_unless_given)
{
    const struct shw_array_example examples[] = {{.image = colour()}, {.name = "lawn", .image = colour()}};
    const struct shw_array_dataset_params params = {.examples = examples, .count = 2, .class_count = 1};
    struct shw_labelled_image read;
    struct shw_dataset *dataset = NULL;

    assert_int_equal(shw_array_dataset_create(&params, &dataset), SHW_OK);
    assert_int_equal(dataset->read(dataset->user, 0, &read), SHW_OK);
    assert_string_equal(read.name, "00000");
    assert_int_equal(dataset->read(dataset->user, 1, &read), SHW_OK);
    assert_string_equal(read.name, "lawn");
    shw_array_dataset_destroy(&dataset);
}

static void refuse(const struct shw_array_example *example, uint32_t classes, const char *message)
{
    struct testing_log memory;
    const struct shw_array_dataset_params params = {
        .examples = example, .count = 1, .class_count = classes, .log = testing_log(&memory)};
    struct shw_dataset *dataset = NULL;

    assert_int_equal(shw_array_dataset_create(&params, &dataset), SHW_ERROR_ARGUMENT);
    assert_null(dataset);
    assert_non_null(strstr(memory.last, message));
    assert_string_equal(shw_last_error(), memory.last);
}

TESTING_CASE(what_is_wrong_is_named)
{
    uint16_t labels[PIXELS] = {[7] = 3};
    uint8_t narrow[PIXELS] = {0};
    struct shw_array_example example = {.image = colour(), .labels = {labels, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY16}};

    refuse(&example, 3, "image 00000: the label 3 of pixel (2, 1) is none of the 3 classes");
    refuse(&example, 0, "0 classes");
    example.labels.height = HEIGHT - 1;
    refuse(&example, 4, "another size");
    example.labels = (struct shw_image){narrow, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY8};
    refuse(&example, 256, "at most 255 classes");
    example.labels.format = SHW_PIXEL_RGB8;
    refuse(&example, 3, "8 or 16 bits");
    example.image.pixels = NULL;
    refuse(&example, 3, "has no pixels");
}
