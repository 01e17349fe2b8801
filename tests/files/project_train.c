/* Training by strokes: the same strokes give the same forest, from whole pictures and from tiles of them. */
#include "testing/painting.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/project/training_tiles.h"

enum { WIDTH = 48, HEIGHT = 36 };

static struct testing_log memory;

static struct shw_log quiet(void)
{
    struct shw_log log = testing_log(&memory);

    log.level = SHW_LOG_ERROR;
    return log;
}

static struct shw_project *make_project(void)
{
    struct shw_log log = quiet();

    return testing_paint_project(WIDTH, HEIGHT, &log);
}

/* A plain data set of two pictures. */
struct plain {
    struct shw_labelled_image examples[2];
};

static enum shw_result read_plain(void *user, uint32_t index, struct shw_labelled_image *example)
{
    *example = ((struct plain *)user)->examples[index];
    return SHW_OK;
}

static void release_plain(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

TESTING_CASE(a_project_trains_as_its_label_images_do)
{
    static const struct shw_class classes[3] = {{"left", {0, 0, 0}}, {"middle", {1, 1, 1}}, {"right", {2, 2, 2}}};
    struct shw_project *project = make_project();
    uint8_t *pixels[2] = {testing_paint_scene(NULL, WIDTH, HEIGHT, 1), testing_paint_scene(NULL, WIDTH, HEIGHT, 2)};
    struct plain plain = {0};
    struct shw_dataset dataset = {2, 3, classes, false, &plain, read_plain, release_plain, 0, false};
    struct shw_trainer_params params = {.channels = SHW_CHANNELS_RGB,
                                        .tree_count = 3,
                                        .depth = 5,
                                        .candidates = 20,
                                        .offset_min = 1,
                                        .offset_max = SHW_PROJECT_OFFSET,
                                        .seed = 11,
                                        .pixels_per_image = SHW_PIXELS_ALL,
                                        .weighting = SHW_WEIGHTING_INVERSE,
                                        .single_percent = 50,
                                        .thresholds = SHW_THRESHOLDS_RANDOM,
                                        .bins = 10,
                                        .smoothing = {.radius = SHW_PROJECT_SMOOTH},
                                        .technique = SHW_TECHNIQUE_CPU};
    struct shw_forest *forest = NULL;

    testing_paint_areas(project, 3);
    for (uint32_t i = 0; i < 2; i++) { /* a.png is the project's second */
        plain.examples[i].name = i == 0 ? "a" : "b";
        plain.examples[i].image = (struct shw_image){pixels[i], WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8};
        plain.examples[i].labels = testing_labels(project, 1 - i);
    }
    assert_int_equal(shw_train(&params, &dataset, &forest), SHW_OK);
    assert_true(shw_forest_hash(forest) == testing_paint_train(project));
    shw_forest_destroy(&forest);
    shw_project_destroy(&project);
    free(pixels[0]);
    free(pixels[1]);
}

/* The same strokes in the end: by another order of pictures, by detours, from a file, with pixels from memory. */
TESTING_CASE(the_way_does_not_matter)
{
    struct shw_project *project = make_project(), *other = make_project(), *read = NULL;
    struct testing_random random = {8};
    struct shw_log log = quiet();
    uint64_t hash;

    testing_paint_areas(project, 2);
    hash = testing_paint_train(project);
    for (uint32_t p = 2; p-- > 0;)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t row = 0; row < 2; row++) {
                testing_paint_stroke(other, testing_random_below(&random, 2), &random);
                assert_true(shw_project_undo(other, NULL));
                testing_paint_area(other, p, c, 15 + row * 35);
                assert_int_equal(shw_project_add_class(other, "extra", (uint8_t[]){1, 1, 1}), SHW_OK);
                testing_paint_stroke(other, p, &random);
                assert_true(shw_project_undo(other, NULL));
                assert_true(shw_project_undo(other, NULL));
                assert_true(shw_project_undo(other, NULL));
                assert_true(shw_project_redo(other, NULL));
            }
    assert_true(testing_paint_train(other) == hash);
    assert_int_equal(shw_project_write(other, testing_path("way.json")), SHW_OK);
    assert_int_equal(shw_project_read(testing_path("way.json"), &log, &read), SHW_OK);
    assert_true(testing_paint_train(read) == hash);
    for (uint32_t p = 0; p < 2; p++) {
        uint8_t *pixels = testing_paint_scene(NULL, WIDTH, HEIGHT, 2 - p);
        struct shw_image image = {pixels, WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8};

        assert_int_equal(shw_project_set_pixels(project, p, SHW_COLOUR_IMAGE(image)), SHW_OK);
        free(pixels);
    }
    assert_int_equal(shw_project_set_folder(project, "/nowhere"), SHW_OK);
    assert_true(testing_paint_train(project) == hash);
    testing_paint_area(project, 0, 1, 95); /* and what is painted does */
    assert_true(testing_paint_train(project) != hash);
    shw_project_destroy(&project);
    shw_project_destroy(&other);
    shw_project_destroy(&read);
}

static uint64_t hash_labels(const struct shw_picture_labels *labels)
{
    static uint16_t copy[WIDTH * HEIGHT];

    shw_picture_labels_copy(labels, 0, 0, WIDTH, HEIGHT, 1, copy);
    return testing_hash(copy, sizeof copy);
}

TESTING_CASE(a_snapshot_does_not_change)
{
    struct shw_project *project = make_project();
    struct shw_training_set *set = NULL;
    uint64_t before;

    testing_paint_areas(project, 2);
    assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
    assert_int_equal(set->picture_count, 2);
    assert_string_equal(set->pictures[0].name, "a.png");
    before = hash_labels(set->pictures[0].labels);
    assert_int_equal(shw_project_begin_stroke(project, 1, 0, 50, (struct shw_point){10, 10}), SHW_OK);
    assert_true(hash_labels(set->pictures[0].labels) == before);
    shw_project_destroy(&project);
    assert_true(hash_labels(set->pictures[0].labels) == before);
    shw_training_set_destroy(&set);
}

TESTING_CASE(failures_are_told)
{
    struct shw_project *project = make_project();
    struct shw_log log = quiet();
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;

    assert_int_equal(shw_training_set_make(project, &log, &set), SHW_ERROR_FORMAT);
    assert_int_equal(memory.last_item, SHW_LOG_PROJECT);
    assert_null(set);
    testing_paint_areas(project, 1);
    assert_int_equal(unlink(testing_path("a.png")), 0);
    assert_int_equal(shw_training_set_make(project, &log, &set), SHW_OK);
    assert_int_equal(shw_training_tiles_make(set, 5, NULL, NULL, &tiles), SHW_ERROR_IO);
    free(testing_paint_scene(testing_path("a.png"), WIDTH + 1, HEIGHT, 1));
    assert_int_equal(shw_training_tiles_make(set, 5, NULL, NULL, &tiles), SHW_ERROR_FORMAT);
    assert_int_equal(memory.last_item, SHW_LOG_DATASET);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
}

/* Of large pictures, tiles make the forest that whole pictures make; they hold all labels, and stay the same tiles. */
TESTING_CASE(tiles_make_the_forest_of_pictures)
{
    enum { SIDE = 330, NARROW = 40, RUNS = 7 };
    static const struct shw_class classes[3] = {{"left", {0, 0, 0}}, {"middle", {1, 1, 1}}, {"right", {2, 2, 2}}};
    uint32_t tiled = 0, full = 0;

    for (uint32_t run = 0; run < RUNS; run++) {
        /* tiles of the last two are as wide or as high as their pictures, and yet not the whole */
        const uint32_t width = run == RUNS - 2 ? NARROW : SIDE, height = run == RUNS - 1 ? NARROW : SIDE;
        uint8_t *pixels[2] = {testing_paint_scene(NULL, width, height, 1), testing_paint_scene(NULL, width, height, 2)};
        struct testing_random random = {run};
        struct shw_project *project = testing_paint_project(width, height, NULL);
        struct plain plain = {0};
        struct shw_dataset dataset = {2, 3, classes, false, &plain, read_plain, release_plain, 0, false};
        struct shw_training_set *set = NULL;
        struct shw_training_tiles *tiles = NULL, *again = NULL;
        struct shw_trainer_params params = {.channels = "rgb,position",
                                            .tree_count = 2,
                                            .depth = 5,
                                            .candidates = 12,
                                            .offset_min = 1,
                                            .offset_max = 7 + 5 * (run % 5),
                                            .pixels_per_image = run == 4 ? 300 : SHW_PIXELS_ALL,
                                            .weighting = SHW_WEIGHTING_INVERSE,
                                            .technique = SHW_TECHNIQUE_CPU};
        struct shw_training_choice all;
        struct shw_forest *whole = NULL, *cut = NULL;

        for (uint32_t s = 0; s < (run < 5 ? 7 : 3); s++)
            for (uint32_t p = 0; p < 2; p++) {
                int32_t x = testing_random_range(&random, 0, (int32_t)width - 1);
                int32_t y = testing_random_range(&random, 0, (int32_t)height - 1);

                assert_int_equal(shw_project_begin_stroke(project, p, s % 3, 2, (struct shw_point){x, y}), SHW_OK);
                assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){x + 30, y - 20}), SHW_OK);
            }
        for (uint32_t i = 0; i < 2; i++) { /* a.png is the project's second */
            plain.examples[i].name = i == 0 ? "a" : "b";
            plain.examples[i].image = (struct shw_image){pixels[i], width, height, 0, SHW_PIXEL_RGB8};
            plain.examples[i].labels = testing_labels(project, 1 - i);
        }
        assert_int_equal(shw_train(&params, &dataset, &whole), SHW_OK);
        assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
        assert_int_equal(shw_training_tiles_make(set, shw_trainer_params_get_reach(&params), NULL, NULL, &tiles),
                         SHW_OK);
        assert_int_equal(shw_training_choice_make(tiles, NULL, &all), SHW_OK);
        assert_int_equal(shw_train(&params, &all.dataset, &cut), SHW_OK);
        assert_true(shw_forest_hash(cut) == shw_forest_hash(whole));
        assert_int_equal(shw_training_tiles_make(set, shw_trainer_params_get_reach(&params), NULL, NULL, &again),
                         SHW_OK);
        assert_int_equal(again->count, tiles->count);
        for (uint32_t t = 0; t < tiles->count; t++) {
            assert_ptr_equal(again->tiles[t].pixels, tiles->tiles[t].pixels); /* nothing is read again */
            tiled += tiles->tiles[t].is_part;
            full += tiles->tiles[t].is_part && (tiles->tiles[t].rect.x1 - tiles->tiles[t].rect.x0 == NARROW ||
                                                tiles->tiles[t].rect.y1 - tiles->tiles[t].rect.y0 == NARROW);
        }
        shw_training_choice_free(&all);
        shw_training_tiles_release(&again);
        shw_training_tiles_release(&tiles);
        shw_training_set_destroy(&set);
        shw_project_destroy(&project);
        shw_forest_destroy(&whole);
        shw_forest_destroy(&cut);
        free(pixels[0]);
        free(pixels[1]);
    }
    assert_true(tiled > 20 && full > 0);
}

/* Every labelled pixel is in one tile, whose margin surrounds it. */
TESTING_CASE(cuts_hold_all_labels)
{
    struct testing_random random = {3};

    for (uint32_t run = 0; run < 30; run++) {
        uint32_t width = 100 + testing_random_below(&random, 900), height = 100 + testing_random_below(&random, 900);
        int32_t margin = testing_random_range(&random, 0, 90);
        struct shw_project *project = testing_paint_project(24, 18, NULL);
        struct shw_picture_labels *labels = NULL;
        struct shw_cut cut;
        uint64_t held = 0, pixels = 0;
        uint32_t picture;

        assert_int_equal(shw_project_find_picture(project, "large.png", width, height, &picture), SHW_OK);
        for (uint32_t s = 0; s < 1 + run % 8; s++)
            testing_paint_stroke(project, picture, &random);
        assert_int_equal(shw_project_share_labels(project, picture, &labels), SHW_OK);
        assert_true(shw_cut_make(labels, run % 10 == 9 ? UINT32_MAX : (uint32_t)margin, &cut));
        for (uint32_t t = 0; t < cut.tile_count; t++) {
            struct shw_rect rect = cut.tiles[t].rect;

            assert_true(rect.x0 >= 0 && rect.y0 >= 0 && rect.x0 < rect.x1 && rect.x1 <= (int32_t)width &&
                        rect.y0 < rect.y1 && rect.y1 <= (int32_t)height);
            pixels += (uint64_t)(rect.x1 - rect.x0) * (uint64_t)(rect.y1 - rect.y0);
            for (uint32_t b = 0; b < cut.tiles[t].count; b++) {
                const struct shw_cut_block *block = &cut.blocks[cut.tiles[t].first + b];

                for (int32_t y = block->labels.y0; y < block->labels.y1; y++)
                    for (int32_t x = block->labels.x0; x < block->labels.x1; x++) {
                        if (shw_picture_labels_get(labels, (uint32_t)x, (uint32_t)y) == SHW_LABEL_VOID)
                            continue;
                        held++;
                        assert_true(rect.x0 == 0 || rect.x0 + margin <= x);
                        assert_true(rect.y0 == 0 || rect.y0 + margin <= y);
                        assert_true(rect.x1 == (int32_t)width || x + margin < rect.x1);
                        assert_true(rect.y1 == (int32_t)height || y + margin < rect.y1);
                    }
            }
        }
        assert_int_equal(held, labels->count);
        assert_true(pixels <= (uint64_t)width * height);
        shw_cut_free(&cut);
        shw_picture_labels_release(&labels);
        shw_project_destroy(&project);
    }
}

/* Painted all over, a large picture is cut nevertheless. */
TESTING_CASE(large_tiles_are_cut)
{
    struct shw_project *project = testing_paint_project(24, 18, NULL);
    struct shw_picture_labels *labels = NULL;
    struct shw_cut cut;
    uint64_t pixels = 0;
    uint32_t picture;

    assert_int_equal(shw_project_find_picture(project, "large.png", 5000, 3000, &picture), SHW_OK);
    for (int32_t s = 0; s < 2; s++) {
        struct shw_point left = {0, 700 + 1500 * s};

        assert_int_equal(shw_project_begin_stroke(project, picture, (uint32_t)s, 1000, left), SHW_OK);
        assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){5000, left.y}), SHW_OK);
    }
    assert_int_equal(shw_project_share_labels(project, picture, &labels), SHW_OK);
    assert_true(shw_cut_make(labels, 107, &cut));
    assert_in_range(cut.tile_count, 4, 8);
    for (uint32_t t = 0; t < cut.tile_count; t++) {
        struct shw_rect around = {5000, 3000, 0, 0}, rect = cut.tiles[t].rect;

        for (uint32_t b = cut.tiles[t].first; b < cut.tiles[t].first + cut.tiles[t].count; b++) {
            around.x0 = cut.blocks[b].labels.x0 < around.x0 ? cut.blocks[b].labels.x0 : around.x0;
            around.y0 = cut.blocks[b].labels.y0 < around.y0 ? cut.blocks[b].labels.y0 : around.y0;
            around.x1 = cut.blocks[b].labels.x1 > around.x1 ? cut.blocks[b].labels.x1 : around.x1;
            around.y1 = cut.blocks[b].labels.y1 > around.y1 ? cut.blocks[b].labels.y1 : around.y1;
        }
        pixels += (uint64_t)(around.x1 - around.x0) * (uint64_t)(around.y1 - around.y0);
        assert_true((uint64_t)(around.x1 - around.x0) * (uint64_t)(around.y1 - around.y0) <= SHW_CUT_PIXELS_MAX);
        assert_true(rect.x0 == (around.x0 > 107 ? around.x0 - 107 : 0) &&
                    rect.y1 == (around.y1 + 107 < 3000 ? around.y1 + 107 : 3000));
    }
    assert_int_equal(pixels, labels->count);
    shw_cut_free(&cut);
    shw_picture_labels_release(&labels);
    shw_project_destroy(&project);
}

/* Two strokes far apart in a large picture: what training takes is what surrounds them. */
TESTING_CASE(far_strokes_need_little)
{
    struct shw_project *project = testing_paint_project(24, 18, NULL);
    struct shw_picture_labels *labels = NULL;
    struct shw_cut cut;
    uint64_t pixels = 0;
    uint32_t picture;

    assert_int_equal(shw_project_find_picture(project, "large.png", 12000, 8000, &picture), SHW_OK);
    for (int32_t s = 0; s < 2; s++) {
        assert_int_equal(
            shw_project_begin_stroke(project, picture, (uint32_t)s, 6, (struct shw_point){1000 + s * 9000, 1000}),
            SHW_OK);
        assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){1200 + s * 9000, 1020}), SHW_OK);
    }
    assert_int_equal(shw_project_share_labels(project, picture, &labels), SHW_OK);
    assert_true(shw_cut_make(labels, 107, &cut));
    assert_int_equal(cut.tile_count, 2);
    for (uint32_t t = 0; t < cut.tile_count; t++)
        pixels += (uint64_t)(cut.tiles[t].rect.x1 - cut.tiles[t].rect.x0) *
                  (uint64_t)(cut.tiles[t].rect.y1 - cut.tiles[t].rect.y0);
    assert_int_equal(pixels, 2 * (200 + 13 + 2 * 107) * (20 + 13 + 2 * 107));
    shw_cut_free(&cut);
    shw_picture_labels_release(&labels);
    shw_project_destroy(&project);
}
