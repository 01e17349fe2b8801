/* Parts of pictures, with margins around their labels, give the forest that whole pictures give: by every technique,
 * with little memory, and continued from checkpoints. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "dense/grow/trainer.h"
#include "dense/grow_cpu/memory.h"
#include "testing/device.h"
#include "testing/training.h"

enum { PICTURES = 3, PARTS_MAX = 9, WIDTH = 96, HEIGHT = 80 };

/* The labels of one cell of a picture. */
struct part {
    uint32_t picture;
    struct shw_rect cell, rect; /* with margins */
    uint16_t *labels;           /* of the rect */
};

static struct testing_examples examples;
static struct part parts[PICTURES * PARTS_MAX];
static struct shw_dataset cut;

static enum shw_result read_part(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct part *part = &parts[index];
    const struct shw_rect *rect = &part->rect;
    uint32_t width = (uint32_t)(rect->x1 - rect->x0), height = (uint32_t)(rect->y1 - rect->y0);
    struct shw_labelled_image whole;

    (void)user;
    assert_int_equal(examples.dataset.read(examples.dataset.user, part->picture, &whole), SHW_OK);
    *example = (struct shw_labelled_image){
        .name = whole.name,
        .image = shw_image_part(&whole.image, (uint32_t)rect->x0, (uint32_t)rect->y0, width, height),
        .labels = part->labels,
        .part = {part->picture, (uint32_t)rect->x0, (uint32_t)rect->y0, whole.image.width, whole.image.height}};
    return SHW_OK;
}

static void release_part(void *user, struct shw_labelled_image *example)
{
    (void)user;
    examples.dataset.release(examples.dataset.user, example);
}

static void make_part(struct testing_random *random, uint32_t picture, struct shw_rect cell, uint32_t reach)
{
    const struct testing_example *example = &examples.examples[picture];
    struct part *part = &parts[cut.count++];
    int32_t margin = (int32_t)(reach + testing_random_below(random, 3));

    *part = (struct part){.picture = picture, .cell = cell, .rect = cell};
    part->rect.x0 = cell.x0 > margin ? cell.x0 - margin : 0;
    part->rect.y0 = cell.y0 > margin ? cell.y0 - margin : 0;
    part->rect.x1 = cell.x1 + margin < (int32_t)example->width ? cell.x1 + margin : (int32_t)example->width;
    part->rect.y1 = cell.y1 + margin < (int32_t)example->height ? cell.y1 + margin : (int32_t)example->height;
    part->labels = malloc((size_t)(part->rect.x1 - part->rect.x0) * (size_t)(part->rect.y1 - part->rect.y0) * 2);
    assert_non_null(part->labels);
    for (int32_t y = part->rect.y0, i = 0; y < part->rect.y1; y++)
        for (int32_t x = part->rect.x0; x < part->rect.x1; x++, i++)
            part->labels[i] = x >= cell.x0 && x < cell.x1 && y >= cell.y0 && y < cell.y1
                                  ? example->labels[(size_t)y * example->width + (size_t)x]
                                  : SHW_LABEL_VOID;
}

/* Cuts a picture into cells, of which some lose their labels; the others are its parts, in any order. */
static void cut_picture(struct testing_random *random, uint32_t picture, uint32_t reach)
{
    const struct testing_example *example = &examples.examples[picture];
    int32_t xs[4] = {0, 0, 0, (int32_t)example->width}, ys[4] = {0, 0, 0, (int32_t)example->height};
    uint32_t order[PARTS_MAX], count = 1 + testing_random_below(random, 5);

    for (int i = 1; i < 3; i++) {
        xs[i] = testing_random_range(random, xs[i - 1], xs[3] - 1);
        ys[i] = testing_random_range(random, ys[i - 1], ys[3] - 1);
    }
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        order[i] = PARTS_MAX - 1 - i; /* the last one is never empty */
    for (uint32_t i = 1; i < PARTS_MAX; i++) {
        uint32_t other = i + testing_random_below(random, PARTS_MAX - i), cell = order[other];

        order[other] = order[i];
        order[i] = cell;
    }
    for (uint32_t i = 0; i < PARTS_MAX; i++) {
        struct shw_rect cell = {xs[order[i] % 3], ys[order[i] / 3], xs[order[i] % 3 + 1], ys[order[i] / 3 + 1]};
        bool stays = i < count && cell.x0 < cell.x1 && cell.y0 < cell.y1;

        if (stays)
            make_part(random, picture, cell, reach);
        for (int32_t y = cell.y0; !stays && y < cell.y1; y++)
            for (int32_t x = cell.x0; x < cell.x1; x++)
                example->labels[(size_t)y * example->width + (size_t)x] = SHW_LABEL_VOID;
    }
}

static void make(uint64_t seed, const struct shw_trainer_params *params)
{
    struct testing_random random = {seed};

    testing_examples_make(
        &(struct testing_examples_params){
            .seed = seed, .count = PICTURES, .width = WIDTH, .height = HEIGHT, .void_percent = 50},
        &examples);
    cut = examples.dataset;
    cut.count = 0;
    cut.picture_count = PICTURES;
    cut.read = read_part;
    cut.release = release_part;
    for (uint32_t p = 0; p < PICTURES; p++)
        cut_picture(&random, p, shw_trainer_params_get_reach(params));
}

static void release_all(void)
{
    for (uint32_t i = 0; i < cut.count; i++)
        free(parts[i].labels);
    testing_examples_free(&examples);
}

static struct shw_trainer *create(struct shw_trainer_params params, const struct shw_dataset *dataset,
                                  enum shw_technique technique, struct testing_log *memory)
{
    struct shw_trainer *trainer = NULL;

    params.log = testing_log(memory);
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    if (shw_trainer_create(&params, dataset, &trainer) != SHW_OK)
        fail_msg("%s", memory->last);
    return trainer;
}

static uint64_t train(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                      enum shw_technique technique)
{
    struct testing_log memory;
    struct shw_trainer *trainer = create(*params, dataset, technique, &memory);

    return testing_finish(trainer);
}

TESTING_CASE(parts_make_the_forest_of_pictures)
{
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    uint32_t count = testing_training_variants(list);

    for (uint32_t v = 0; v < count; v++) {
        if (list[v].feature != NULL && list[v].feature->reads_depth)
            continue; /* it may look anywhere */
        make(v, &list[v]);
        assert_true(train(&list[v], &cut, SHW_TECHNIQUE_CPU) == train(&list[v], &examples.dataset, SHW_TECHNIQUE_CPU));
        release_all();
    }
}

TESTING_CASE(devices_train_on_parts)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct shw_trainer_params params = testing_training;

    params.channels = SHW_CHANNELS_WIDE;
    params.tree_count = 1;
    params.depth = 4;
    for (uint32_t run = 0; run < 4; run++) {
        params.mirror = run == 1;
        params.sampling = run == 2 ? SHW_SAMPLING_BALANCED : SHW_SAMPLING_UNIFORM;
        params.pixels_per_image = run == 2 ? 70 : SHW_PIXELS_ALL;
        params.feature = shw_feature_type_get(run == 3 ? 2 : 0);
        make(50 + run, &params);
        for (size_t t = 0; t < 2; t++)
            assert_true(train(&params, &cut, techniques[t]) == train(&params, &examples.dataset, SHW_TECHNIQUE_CPU));
        release_all();
    }
}

/* The channel x of a mirrored part is not that of the part. */
TESTING_CASE(pairs_need_whole_pictures_for_positions)
{
    struct shw_trainer_params params = testing_training;
    struct testing_log memory;
    struct shw_trainer *trainer;

    params.channels = SHW_CHANNELS_WIDE;
    params.mirror = SHW_MIRROR_PAIRED;
    params.pixels_per_image = SHW_PIXELS_ALL;
    make(60, &params);
    trainer = create(params, &cut, SHW_TECHNIQUE_CPU, &memory);
    assert_int_equal(shw_trainer_prepare(trainer), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "a part of a picture, whose mirror image has a different channel x: "));
    shw_trainer_destroy(&trainer);
    release_all();
}

/* With the least memory and with more, planes of parts are made again and again. */
TESTING_CASE(little_memory_is_enough)
{
    struct shw_trainer_params params = testing_training;

    params.pixels_per_image = SHW_PIXELS_ALL;
    params.channels = SHW_CHANNELS_WINN16;
    for (uint32_t run = 0; run < 4; run++) {
        struct testing_log memory;
        struct shw_trainer *trainer;
        uint64_t least, hash;

        params.mirror = run == 3 ? SHW_MIRROR_PAIRED : run == 1 ? SHW_MIRROR_IMAGES : SHW_MIRROR_NONE;
        params.memory = 0;
        make(70 + run, &params);
        trainer = create(params, &cut, SHW_TECHNIQUE_CPU, &memory);
        assert_int_equal(shw_trainer_prepare(trainer), SHW_OK);
        least = shw_cpu_memory_least(trainer);
        hash = testing_finish(trainer);
        params.memory = least + run * (least / 3);
        assert_true(train(&params, &cut, SHW_TECHNIQUE_CPU) == hash);
        params.memory = 0;
        assert_true(train(&params, &examples.dataset, SHW_TECHNIQUE_CPU) == hash);
        release_all();
    }
}

TESTING_CASE(checkpoints_continue)
{
    struct shw_trainer_params params = testing_training;
    const char *path = testing_path("parts.ktx2");

    params.channels = SHW_CHANNELS_WIDE;
    for (uint32_t run = 0; run < 8; run++) {
        struct testing_log memory;
        struct shw_trainer *trainer;
        bool finished = false;

        params.mirror = run % 2 == 1;
        params.pixels_per_image = run % 3 == 0 ? SHW_PIXELS_ALL : 90;
        make(90 + run, &params);
        trainer = create(params, &cut, SHW_TECHNIQUE_CPU, &memory);
        for (uint32_t round = 0; round <= run; round++)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        shw_trainer_destroy(&trainer);
        trainer = create(params, &cut, run % 4 == 3 ? SHW_TECHNIQUE_COMPUTE : SHW_TECHNIQUE_CPU, &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        assert_true(testing_finish(trainer) == train(&params, &examples.dataset, SHW_TECHNIQUE_CPU));
        release_all();
    }
}

/* Another training with the same parts, or others, keeps nothing that does not fit. */
TESTING_CASE(trainers_are_renewed)
{
    struct shw_trainer_params params = testing_training;
    struct testing_log memory;
    struct shw_trainer *trainer = NULL;

    params.channels = SHW_CHANNELS_WIDE;
    params.log = testing_log(&memory);
    params.technique = SHW_TECHNIQUE_CPU;
    for (uint32_t run = 0; run < 6; run++) {
        uint64_t hash;

        make(110 + run / 2, &params);
        hash = train(&params, &examples.dataset, SHW_TECHNIQUE_CPU);
        if (trainer == NULL)
            trainer = create(params, &cut, SHW_TECHNIQUE_CPU, &memory);
        else
            assert_int_equal(shw_trainer_renew(trainer, &params, &cut), SHW_OK);
        assert_true(testing_grow(trainer) == hash);
        release_all();
    }
    shw_trainer_destroy(&trainer);
}

/* Some parts stay, some go, and others come. */
TESTING_CASE(planes_of_parts_are_kept)
{
    struct shw_trainer_params params = testing_training;
    struct testing_log memory;
    struct shw_trainer *trainer;
    struct part all[PICTURES * PARTS_MAX];
    uint32_t count;

    params.channels = SHW_CHANNELS_WIDE;
    params.mirror = true;
    params.technique = SHW_TECHNIQUE_CPU;
    make(150, &params);
    memcpy(all, parts, sizeof all);
    count = cut.count;
    trainer = create(params, &cut, SHW_TECHNIQUE_CPU, &memory);
    testing_grow(trainer);
    for (uint32_t run = 0; run < 5; run++) {
        uint32_t kept = 0;

        for (uint32_t i = 0; i < count; i++) /* at least one of each picture */
            if (i == 0 || all[i].picture != all[i - 1].picture || (i + run) % 3 != 0)
                parts[kept++] = all[i];
        cut.count = kept;
        params.log = testing_log(&memory);
        assert_int_equal(shw_trainer_renew(trainer, &params, &cut), SHW_OK);
        assert_true(testing_grow(trainer) == train(&params, &cut, SHW_TECHNIQUE_CPU));
    }
    shw_trainer_destroy(&trainer);
    memcpy(parts, all, sizeof all);
    cut.count = count;
    release_all();
}

TESTING_CASE(bad_parts_are_refused)
{
    struct shw_trainer_params params = testing_training;

    params.technique = SHW_TECHNIQUE_CPU;
    for (uint32_t run = 0; run < 3; run++) {
        struct testing_log memory;
        struct shw_trainer *trainer;
        uint32_t made;

        make(130, &params);
        made = cut.count;
        assert_true(made >= 2);
        cut.count = cut.picture_count = 1;
        parts[0].picture = 0;
        parts[0].rect = (struct shw_rect){10, 10, 60, 60};
        parts[0].labels = realloc(parts[0].labels, 50 * 50 * sizeof(uint16_t));
        assert_non_null(parts[0].labels);
        memset(parts[0].labels, 0xff, 50 * 50 * sizeof(uint16_t));
        parts[0].labels[25 * 50 + 25] = 0;
        if (run == 0) /* too near to the border */
            parts[0].labels[25 * 50 + 50 - 12] = 1;
        if (run == 1) { /* twice */
            cut.count = 2;
            parts[1].picture = 0;
            parts[1].rect = parts[0].rect;
            parts[1].labels = realloc(parts[1].labels, 50 * 50 * sizeof(uint16_t));
            memcpy(parts[1].labels, parts[0].labels, 50 * 50 * sizeof(uint16_t));
        }
        trainer = create(params, &cut, SHW_TECHNIQUE_CPU, &memory);
        if (run == 2) {
            assert_int_equal(shw_trainer_prepare(trainer), SHW_OK);
        } else {
            bool finished;

            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_FORMAT);
            assert_non_null(strstr(memory.last, run == 0 ? "has a label at pixel (38, 25)" : "label a pixel twice"));
        }
        shw_trainer_destroy(&trainer);
        cut.count = made;
        release_all();
    }
}
