/* Cascades trained by all techniques, with much and little device memory, at once and from a checkpoint: the same
 * file. */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/detect_train.h>

#define OBJECTS     60u
#define BACKGROUNDS 4u
#define OBJECT_SIDE 14u
#define IMAGE_SIDE  56u
#define IMAGES      (OBJECTS + BACKGROUNDS)

/* Dark crosses on noise, and noise. */
struct crosses {
    struct shw_cascade_object objects[OBJECTS];
    bool backgrounds[IMAGES];
    uint8_t pixels[IMAGES][IMAGE_SIDE * IMAGE_SIDE];
};

static uint32_t side_of(uint32_t image)
{
    return image < OBJECTS ? OBJECT_SIDE : IMAGE_SIDE;
}

static struct crosses *make_crosses(void)
{
    struct crosses *crosses = calloc(1, sizeof *crosses);
    struct testing_random random = {3};

    for (uint32_t i = 0; i < IMAGES; i++) {
        uint32_t side = side_of(i), middle = side / 2;
        for (uint32_t p = 0; p < side * side; p++) {
            uint32_t x = p % side, y = p / side;
            bool dark = i < OBJECTS && (x == middle || y == middle);
            crosses->pixels[i][p] = (uint8_t)((dark ? 20 : 90) + testing_random_below(&random, 110));
        }
        crosses->backgrounds[i] = i >= OBJECTS;
        if (i < OBJECTS)
            crosses->objects[i] = (struct shw_cascade_object){.image = i, .width = side, .height = side};
    }
    return crosses;
}

static enum shw_result read_image(void *user, uint32_t index, struct shw_cascade_image *image)
{
    const struct crosses *crosses = user;

    image->image = (struct shw_image){.pixels = crosses->pixels[index],
                                      .format = SHW_PIXEL_GREY8,
                                      .width = side_of(index),
                                      .height = side_of(index),
                                      .stride = side_of(index)};
    return SHW_OK;
}

static void release_image(void *user, struct shw_cascade_image *image)
{
    (void)user;
    (void)image;
}

struct variant {
    enum shw_technique technique;
    uint64_t memory;
    uint32_t threads;
    uint32_t pause; /* trees before a checkpoint from which another trainer continues; 0: none */
};

static struct shw_cascade_trainer *create(const struct crosses *crosses, const struct shw_cascade_dataset *dataset,
                                          struct variant variant)
{
    struct testing_log memory;
    const struct shw_cascade_trainer_params params = {
        .name = "cross",
        .window_width = 9,
        .window_height = 9,
        .levels_per_octave = 2,
        .depth = 3,
        .stage_count = 12,
        .candidates = 60,
        .thresholds = 15,
        .copies = 4,
        .variation = {.mirror = true, .shift = 5, .contrast = 10},
        .background_count = 300,
        .seed = 5,
        .technique = variant.technique,
        .device = variant.technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL,
        .memory = variant.memory,
        .threads = variant.threads,
        .log = testing_log(&memory),
    };
    struct shw_cascade_trainer *trainer = NULL;

    (void)crosses;
    if (shw_cascade_trainer_create(&params, dataset, &trainer) != SHW_OK)
        fail_msg("%s", memory.last);
    assert_int_equal(shw_cascade_trainer_get_technique(trainer), variant.technique);
    return trainer;
}

/* The cascade's file; `trees`: how many it has. */
static void *train(struct crosses *crosses, struct variant variant, size_t *size, uint32_t *trees)
{
    const struct shw_cascade_dataset dataset = {.image_count = IMAGES,
                                                .object_count = OBJECTS,
                                                .objects = crosses->objects,
                                                .backgrounds = crosses->backgrounds,
                                                .user = crosses,
                                                .read = read_image,
                                                .release = release_image};
    struct shw_cascade_trainer *trainer = create(crosses, &dataset, variant);
    struct shw_cascade *cascade = NULL;
    void *bytes = NULL;
    bool finished = false;

    for (*trees = 0; !finished; ++*trees) {
        if (*trees > 0 && *trees == variant.pause) {
            const char *path = testing_path("cross.checkpoint");
            assert_int_equal(shw_cascade_trainer_save(trainer, path), SHW_OK);
            shw_cascade_trainer_destroy(&trainer);
            trainer = create(crosses, &dataset, variant);
            assert_int_equal(shw_cascade_trainer_load(trainer, path), SHW_OK);
        }
        assert_int_equal(shw_cascade_trainer_step(trainer, &finished), SHW_OK);
    }
    assert_int_equal(shw_cascade_trainer_get_cascade(trainer, &cascade), SHW_OK);
    *trees = shw_cascade_get_info(cascade)->tree_count;
    assert_int_equal(shw_cascade_save_memory(cascade, &bytes, size), SHW_OK);
    shw_cascade_destroy(&cascade);
    shw_cascade_trainer_destroy(&trainer);
    return bytes;
}

TESTING_CASE(every_variant_makes_the_same_file)
{
    static const uint64_t some = (1u << 20) + (1u << 16); /* a part of the patches has room */
    static const struct variant variants[] = {
        {SHW_TECHNIQUE_CPU, 0, 3, 0},     {SHW_TECHNIQUE_CPU, 0, 1, 3},        {SHW_TECHNIQUE_COMPUTE, 0, 1, 0},
        {SHW_TECHNIQUE_COMPUTE, 1, 2, 4}, {SHW_TECHNIQUE_COMPUTE, some, 1, 7}, {SHW_TECHNIQUE_BLEND, 0, 2, 5},
        {SHW_TECHNIQUE_BLEND, 1, 1, 0},   {SHW_TECHNIQUE_BLEND, some, 1, 2},
    };
    struct crosses *crosses = make_crosses();
    size_t size = 0;
    uint32_t trees = 0;
    void *expected = train(crosses, (struct variant){SHW_TECHNIQUE_CPU, 0, 1, 0}, &size, &trees);

    assert_true(trees > 7); /* so that all pauses take place */
    for (size_t w = 0; w < sizeof variants / sizeof *variants; w++) {
        size_t other_size = 0;
        uint32_t other_trees = 0;
        void *bytes = train(crosses, variants[w], &other_size, &other_trees);
        assert_int_equal(other_trees, trees);
        assert_int_equal(other_size, size);
        assert_memory_equal(bytes, expected, size);
        free(bytes);
    }
    free(expected);
    free(crosses);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
