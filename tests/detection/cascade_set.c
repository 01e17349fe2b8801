#include "cascade_set.h"

#include <stdlib.h>

static enum shw_result read_image(void *user, uint32_t index, struct shw_cascade_image *image)
{
    struct set *set = user;

    *image = (struct shw_cascade_image){.image = {.pixels = set->pixels[index],
                                                  .width = set->sizes[index][0],
                                                  .height = set->sizes[index][1],
                                                  .format = SHW_PIXEL_GREY8}};
    return SHW_OK;
}

static void release_image(void *user, struct shw_cascade_image *image)
{
    (void)user, (void)image;
}

static void draw_disc(struct set *set, uint32_t image, int32_t x, int32_t y, int32_t size)
{
    for (int32_t j = 0; j < size; j++)
        for (int32_t i = 0; i < size; i++) {
            uint8_t *pixel = &set->pixels[image][(y + j) * (int32_t)set->sizes[image][0] + x + i];
            int32_t dx = 2 * i + 1 - size, dy = 2 * j + 1 - size;
            *pixel = (uint8_t)((dx * dx + dy * dy) * 3 < size * size * 2 ? 40 + *pixel * 3 / 4 : *pixel * 3 / 4);
        }
}

struct set *make_set(void)
{
    struct set *set = calloc(1, sizeof *set);
    struct testing_random random = {3};

    for (uint32_t i = 0; i < IMAGES; i++) {
        set->sizes[i][0] = WIDTH - i % 3;
        set->sizes[i][1] = HEIGHT - i % 4;
        set->backgrounds[i] = i != 1;
        for (uint32_t p = 0; p < WIDTH * HEIGHT; p++)
            set->pixels[i][p] = (uint8_t)(testing_random_below(&random, 120) + p * (i % 4) / 16 % 120);
    }
    for (uint32_t o = 0; o < OBJECTS; o++) {
        int32_t size = testing_random_range(&random, 8, 12), x = (int32_t)(o % 3) * 14 + 1;
        struct shw_cascade_object *object = &set->objects[o];
        *object = (struct shw_cascade_object){.image = o / 6,
                                              .x = x,
                                              .y = (int32_t)(o / 3 % 2) * 16 + 2,
                                              .width = (uint32_t)size,
                                              .height = (uint32_t)size};
        draw_disc(set, object->image, object->x, object->y, size);
    }
    set->dataset = (struct shw_cascade_dataset){.image_count = IMAGES,
                                                .object_count = OBJECTS,
                                                .objects = set->objects,
                                                .backgrounds = set->backgrounds,
                                                .user = set,
                                                .read = read_image,
                                                .release = release_image};
    return set;
}

static struct testing_log messages;

struct shw_cascade_trainer_params usual_params(void)
{
    return (struct shw_cascade_trainer_params){
        .window_width = 8,
        .window_height = 8,
        .planes = {.octaves = true},
        .levels_per_octave = 4,
        .stage_count = 14,
        .candidates = 60,
        .copies = 4,
        .variation = {.mirror = true, .shift = 4, .scale = 6, .turn = 10, .contrast = 20, .blur = true, .noise = 4},
        .background_count = 300,
        .calibration_percent = 30,
        .loss_permille = 100,
        .turned_backgrounds = true,
        .seed = 5,
        .log = testing_log(&messages),
        .technique = SHW_TECHNIQUE_CPU,
        .threads = 1,
    };
}

struct shw_cascade_trainer *begin(const struct shw_cascade_trainer_params *params, const struct set *set)
{
    struct shw_cascade_trainer *trainer;

    assert_int_equal(shw_cascade_trainer_create(params, &set->dataset, &trainer), SHW_OK);
    return trainer;
}

bool step(struct shw_cascade_trainer *trainer, uint32_t stages)
{
    bool finished = false;

    for (uint32_t i = 0; i < stages && !finished; i++)
        assert_int_equal(shw_cascade_trainer_step(trainer, &finished), SHW_OK);
    return finished;
}

struct bytes bytes_of(struct shw_cascade_trainer *trainer)
{
    struct shw_cascade *cascade;
    struct bytes bytes;

    assert_int_equal(shw_cascade_trainer_get_cascade(trainer, &cascade), SHW_OK);
    assert_int_equal(shw_cascade_save_memory(cascade, &bytes.bytes, &bytes.size), SHW_OK);
    shw_cascade_destroy(&cascade);
    return bytes;
}

void assert_same(struct bytes expected, struct bytes is)
{
    assert_int_equal(expected.size, is.size);
    assert_memory_equal(expected.bytes, is.bytes, is.size);
    free(is.bytes);
}
