#include "testing/testing.h"

#include <stdlib.h>

#include "testing/examples.h"

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static const char *const names[TESTING_EXAMPLES_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct testing_examples *examples = user;
    struct testing_example *from = &examples->examples[index];

    if (examples->fail_with != SHW_OK && index == examples->fail_at)
        return examples->fail_with;
    *example = (struct shw_labelled_image){.name = names[index],
                                           .image = {from->pixels, from->width, from->height, 0, SHW_PIXEL_RGB8},
                                           .labels = from->labels};
    example->inputs = (struct shw_inputs){2 + (index % 3 != 0), from->inputs};
    __atomic_fetch_add(&examples->held, 1, __ATOMIC_RELAXED);
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    struct testing_examples *examples = user;

    (void)example;
    __atomic_fetch_sub(&examples->held, 1, __ATOMIC_RELAXED);
}

static void paint(const struct testing_examples_params *params, struct testing_random *random,
                  struct testing_example *example)
{
    enum { PATCH = 5 };
    uint32_t across = example->width / PATCH + 1, down = example->height / PATCH + 1;
    uint16_t patches[64][64];

    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++)
            patches[y][x] = testing_random_below(random, 100) < params->void_percent
                                ? (uint16_t)SHW_LABEL_VOID
                                : (uint16_t)testing_random_below(random, params->classes);
    for (uint32_t i = 0; i < example->width * example->height; i++) {
        uint16_t label = patches[i / example->width / PATCH][i % example->width / PATCH];
        uint32_t shade = label * 97u + 40u;
        example->labels[i] = label;
        for (uint32_t c = 0; c < 3; c++)
            example->pixels[3 * i + c] = (uint8_t)(((shade >> c) + testing_random_below(random, 90)) % 256);
    }
}

/* Depths and heights that depend on the class, more or less, from 0.6 m on, with holes. They come from random numbers
 * of their own. */
static void measure(struct testing_example *example, uint64_t seed)
{
    struct testing_random random = {seed};
    uint32_t pixels = example->width * example->height;

    for (uint32_t i = 0; i < 2 * pixels; i++) {
        uint32_t label = example->labels[i % pixels];
        example->depths[i] = (uint16_t)(testing_random_below(&random, 6) == 0
                                            ? 0
                                            : 600 + label % 16 * 170 + testing_random_below(&random, 200));
    }
    for (uint32_t i = 0; i < 2; i++)
        example->inputs[i] = (struct shw_input){
            .name = i == 0 ? SHW_DEPTH : SHW_HEIGHT,
            .image = {example->depths + i * pixels, example->width, example->height, 0, SHW_PIXEL_GREY16}};
}

void testing_examples_make(const struct testing_examples_params *given, struct testing_examples *examples)
{
    struct testing_examples_params params = *given;
    struct testing_random random = {params.seed};

    params.count = params.count > 0 ? params.count : 4;
    params.classes = params.classes > 0 ? params.classes : 3;
    params.width = params.width > 0 ? params.width : 24;
    params.height = params.height > 0 ? params.height : 20;
    *examples = (struct testing_examples){.dataset = {.count = params.count,
                                                      .class_count = params.classes,
                                                      .user = examples,
                                                      .read = read_example,
                                                      .release = release_example}};
    for (uint32_t i = 0; i < params.count; i++) {
        struct testing_example *example = &examples->examples[i];
        example->width = params.width + (params.equal ? 0 : testing_random_below(&random, 8));
        example->height = params.height + (params.equal ? 0 : testing_random_below(&random, 8));
        example->pixels = malloc((size_t)2 * 3 * example->width * example->height);
        example->labels = malloc(sizeof(uint16_t) * example->width * example->height);
        assert_non_null(example->pixels);
        assert_non_null(example->labels);
        example->depths = malloc(sizeof(uint16_t) * 2 * example->width * example->height);
        assert_non_null(example->depths);
        example->inputs[2] = (struct shw_input){.name = SHW_PREVIOUS,
                                                .image = {example->pixels + 3 * example->width * example->height,
                                                          example->width, example->height, 0, SHW_PIXEL_RGB8}};
        paint(&params, &random, example);
        measure(example, params.seed + i);
        for (uint32_t b = 0, bytes = 3 * example->width * example->height; b < bytes; b++)
            example->pixels[bytes + b] = (uint8_t)(5 * example->pixels[b] + b);
    }
}

void testing_examples_free(struct testing_examples *examples)
{
    assert_int_equal(examples->held, 0);
    for (uint32_t i = 0; i < examples->dataset.count; i++) {
        free(examples->examples[i].pixels);
        free(examples->examples[i].labels);
        free(examples->examples[i].depths);
    }
}
