#include "random_set.h"

#include <stdlib.h>

#include "dense/own_kinds.h"
#include "testing/cases.h"
#include "testing/labelling.h"

enum { SIDE_MAX = 64 };

/* Every second image comes after the one before it, if they are alike. */
static bool has_previous(const struct random_set *set, uint32_t index)
{
    const struct shw_image *image = &set->images[index], *before = image - 1;

    return index % 2 == 1 && before->width == image->width && before->height == image->height &&
           (before->format >= SHW_PIXEL_GREY16) == (image->format >= SHW_PIXEL_GREY16);
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static const char *const names[RANDOM_SET_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    struct random_set *set = user;

    *example =
        (struct shw_labelled_image){.name = names[index], .image = set->images[index], .labels = set->labels[index]};
    example->inputs = (struct shw_inputs){RANDOM_SET_INPUTS - (has_previous(set, index) ? 0 : 1), set->inputs[index]};
    __atomic_fetch_add(&set->held, 1, __ATOMIC_RELAXED);
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    struct random_set *set = user;

    (void)example;
    __atomic_fetch_sub(&set->held, 1, __ATOMIC_RELAXED);
}

/* Brighter pixels belong to higher classes, in patches; some are mistaken, some void. */
static uint16_t *random_labels(struct testing_random *random, const struct shw_image *image, uint32_t classes,
                               uint32_t void_percent)
{
    uint16_t *labels = malloc(sizeof *labels * image->width * image->height);
    size_t pixel = shw_pixel_size(image->format), high = image->format >= SHW_PIXEL_GREY16 ? 1 : 0;
    const uint8_t *pixels = image->pixels;

    assert_non_null(labels);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            uint32_t value = pixels[y * image->stride + x * pixel + high], patch = x / 7 * 3 + y / 5;
            uint32_t label = random_chance(random, 80) ? (value * classes / 256 + patch % 2) % classes
                                                       : testing_random_below(random, classes);
            labels[(size_t)y * image->width + x] =
                random_chance(random, void_percent) ? (uint16_t)SHW_LABEL_VOID : (uint16_t)label;
        }
    return labels;
}

void random_set_make(struct testing_random *random, struct random_set *set)
{
    uint32_t count = 1 + testing_random_below(random, RANDOM_SET_MAX), width, height;
    uint32_t classes = 1 + random_size(random, random_chance(random, 10) ? 200 : 9);
    uint32_t void_percent = random_chance(random, 30) ? 40 : 0;
    uint32_t format = SHW_PIXEL_GREY8 + testing_random_below(random, 6);
    enum shw_pixel_format plane = random_chance(random, 50) ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16;
    bool equal = random_chance(random, 50), formats = random_chance(random, 40);

    random_extent(random, SIDE_MAX, &width, &height);
    *set = (struct random_set){.dataset = {.count = count,
                                           .class_count = classes,
                                           .single_threaded = random_chance(random, 20),
                                           .user = set,
                                           .read = read_example,
                                           .release = release_example}};
    testing_describe(" %u images of %s %ux%u, %s, %u classes, %u %% void;", count, equal ? "exactly" : "up to", width,
                     height, formats ? "several formats" : "one format", classes, void_percent);
    for (uint32_t i = 0; i < count; i++) {
        set->images[i] = testing_image(random, equal ? width : 1 + testing_random_below(random, width),
                                       equal ? height : 1 + testing_random_below(random, height),
                                       (enum shw_pixel_format)format, 2 * testing_random_below(random, 3));
        set->inputs[i][0] = (struct shw_input){
            .name = OWN_PLANE, .image = testing_image(random, set->images[i].width, set->images[i].height, plane, 0)};
        for (uint32_t k = 1; k < 3; k++)
            set->inputs[i][k] =
                (struct shw_input){.name = k == 1 ? SHW_DEPTH : SHW_HEIGHT,
                                   .image = testing_depth(random, set->images[i].width, set->images[i].height)};
        for (uint32_t k = 3; k < 5; k++)
            set->inputs[i][k] = (struct shw_input){
                .name = k == 3 ? "pa" : "pb",
                .image = testing_image(random, set->images[i].width, set->images[i].height, plane, 0)};
        set->inputs[i][5] = (struct shw_input){
            .name = TESTING_FLOAT_PLANE, .image = testing_floats(random, set->images[i].width, set->images[i].height)};
        set->inputs[i][RANDOM_SET_INPUTS - 1] =
            (struct shw_input){.name = SHW_PREVIOUS, .image = set->images[i > 0 ? i - 1 : 0]};
        set->labels[i] = random_labels(random, &set->images[i], classes, void_percent);
        if (formats)
            format = SHW_PIXEL_GREY8 + testing_random_below(random, 6);
    }
}

void random_set_free(struct random_set *set)
{
    assert_int_equal(set->held, 0);
    for (uint32_t i = 0; i < set->dataset.count; i++) {
        free((void *)(uintptr_t)set->images[i].pixels);
        for (uint32_t k = 0; k + 1 < RANDOM_SET_INPUTS; k++)
            free((void *)(uintptr_t)set->inputs[i][k].image.pixels);
        free(set->labels[i]);
    }
}
