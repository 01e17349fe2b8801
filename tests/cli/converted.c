#include "converted.h"

#include <string.h>

#include "files/image/image_write.h"

void write_image(const char *name, enum shw_pixel_format format, uint32_t width, uint32_t height, const void *pixels)
{
    const struct shw_image image = {pixels, width, height, 0, format};

    assert_int_equal(shw_png_write(place(name), &image, NULL), SHW_OK);
}

uint8_t colour_of(uint32_t frame, uint32_t x, uint32_t y, uint32_t component)
{
    return (uint8_t)(3 * (y * WIDTH + x) + 80 * frame + component);
}

uint32_t millimetres_of(uint32_t frame, uint32_t x, uint32_t y)
{
    return (x + y) % 5 == 0 ? 0 : 500 + 100 * frame + y * WIDTH + x;
}

uint32_t label_of(uint32_t frame, uint32_t x, uint32_t y)
{
    return (x + 2 * y + frame) % 4;
}

void fill(uint32_t frame, uint32_t units, uint8_t *colours, uint16_t *depth, uint16_t *labels)
{
    for (uint32_t i = 0; i < PIXELS; i++) {
        for (uint32_t c = 0; c < 3; c++)
            colours[3 * i + c] = colour_of(frame, i % WIDTH, i / WIDTH, c);
        depth[i] = (uint16_t)(millimetres_of(frame, i % WIDTH, i / WIDTH) * units / 1000);
        labels[i] = (uint16_t)label_of(frame, i % WIDTH, i / WIDTH);
    }
}

void check_example(const struct shw_dataset *dataset, uint32_t index, uint32_t frame, const char *name,
                   const uint16_t *class_of)
{
    struct shw_labelled_image example;
    const struct shw_image *depth;

    assert_int_equal(dataset->read(dataset->user, index, &example), SHW_OK);
    assert_string_equal(example.name, name);
    assert_int_equal(example.image.width, WIDTH);
    assert_int_equal(example.image.height, HEIGHT);
    depth = &example.inputs.inputs[0].image;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            size_t i = y * WIDTH + x;
            for (uint32_t c = 0; c < 3; c++)
                assert_int_equal(((const uint8_t *)example.image.pixels)[3 * i + c], colour_of(frame, x, y, c));
            assert_int_equal(((const uint16_t *)depth->pixels)[i], millimetres_of(frame, x, y));
            if (class_of != NULL)
                assert_int_equal(example.labels[i], class_of[label_of(frame, x, y)]);
        }
    dataset->release(dataset->user, &example);
}

struct shw_dataset open_set(const char *folder, bool labelled)
{
    static const struct shw_input_file depth = {.name = SHW_DEPTH, .path = "{}_depth.png"};
    struct shw_dataset_params params = {.root = place(folder), .layout = SHW_DATASET_CURFIL};
    struct shw_dataset dataset = {0};

    if (!labelled) {
        params.layout = SHW_DATASET_PATTERNS;
        params.images = "{}_colors.png";
        params.inputs = &depth;
        params.input_count = 1;
    }
    assert_int_equal(shw_dataset_open(&params, &dataset), SHW_OK);
    return dataset;
}

void assert_output(struct run result, const char *text)
{
    assert_success(result);
    if (strcmp(result.out, text) != 0)
        fail_msg("not '%s' but '%s' (%s)", text, result.out, result.err);
}
