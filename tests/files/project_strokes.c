/* Painting: which pixels strokes label, locks, classes, and a history of any depth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "painted_project.h"

TESTING_CASE(small_discs_have_their_shapes)
{
    static const uint32_t pixels[] = {1, 9, 21, 37};
    struct shw_project *project = make_project(1);
    uint32_t picture = add_picture(project, "a", 21, 21);

    for (uint32_t radius = 0; radius < 4; radius++) {
        uint64_t count;

        assert_int_equal(shw_project_begin_stroke(project, picture, 0, radius, (struct shw_point){10, 10}), SHW_OK);
        assert_int_equal(shw_project_count_labels(project, picture, &count), SHW_OK);
        assert_int_equal(count, pixels[radius]);
        assert_true(shw_project_undo(project, NULL));
    }
    shw_project_destroy(&project);
}

TESTING_CASE(strokes_label_what_every_pixel_says)
{
    struct testing_random random = {1};

    for (uint32_t run = 0; run < 40; run++) {
        struct shw_project *project = make_project(3);
        uint32_t picture =
            add_picture(project, "a", 1 + testing_random_below(&random, 40), 1 + testing_random_below(&random, 40));

        if (run % 3 == 0) /* painted while it goes on, else all at once, or little by little */
            testing_labels(project, picture);
        for (uint32_t s = 0; s < 12; s++) {
            shw_project_lock_class(project, testing_random_below(&random, 3), testing_random_below(&random, 3) == 0);
            testing_paint_stroke(project, picture, &random);
            for (uint32_t i = testing_random_below(&random, 9); run % 3 == 1 && i > 0; i--)
                shw_project_prepare_labels(project, picture, 0.0);
        }
        testing_check_labels(project, picture);
        shw_project_destroy(&project);
    }
}

/* Pictures of several blocks, of which strokes touch few or many, and steps back and forth. */
TESTING_CASE(large_pictures_are_painted_as_small_ones)
{
    struct testing_random random = {4};

    for (uint32_t run = 0; run < 8; run++) {
        struct shw_project *project = make_project(3);
        uint32_t width = 60 + testing_random_below(&random, 150), height = 60 + testing_random_below(&random, 150);
        uint32_t picture = add_picture(project, "a", width, height);

        for (uint32_t s = 0; s < 14; s++) {
            shw_project_lock_class(project, testing_random_below(&random, 3), testing_random_below(&random, 3) == 0);
            testing_paint_stroke(project, picture, &random);
            if (testing_random_below(&random, 3) == 0)
                testing_labels(project, picture);
            for (uint32_t i = testing_random_below(&random, 9); run % 2 == 1 && i > 0; i--)
                shw_project_prepare_labels(project, picture, 0.0);
            for (uint32_t u = testing_random_below(&random, 3); u > 0 && s % 4 == 3; u--)
                assert_true(shw_project_undo(project, NULL));
            if (testing_random_below(&random, 2) == 0 && s % 4 == 3)
                shw_project_redo(project, NULL);
        }
        testing_check_labels(project, picture);
        shw_project_destroy(&project);
    }
}

/* Labels that are painted little by little, of several pictures, while strokes come and go: all of them in the end,
 * each call does something, and nothing is begun anew without need. */
TESTING_CASE(labels_are_prepared)
{
    struct testing_random random = {24};

    for (uint32_t run = 0; run < 6; run++) {
        struct shw_project *project = make_project(3);
        uint32_t pictures[3], calls = 0, segments = 0;

        for (uint32_t p = 0; p < 3; p++) {
            pictures[p] = add_picture(project, (const char[]){(char)('a' + p), '\0'}, 70 + 30 * p, 90);
            for (uint32_t s = 0; s < 15; s++)
                testing_paint_stroke(project, pictures[p], &random);
        }
        assert_int_equal(shw_project_delete_class(project, 2), SHW_OK);
        assert_true(shw_project_undo(project, NULL)); /* everything is to be painted again */
        for (uint32_t p = 0; p < 3; p++) {
            const struct shw_project_picture picture = shw_project_get_picture(project, pictures[p]);
            assert_false(shw_project_has_labels(project, pictures[p]));
            for (uint32_t s = 0; s < picture.stroke_count; s++)
                segments += picture.strokes[s].point_count;
        }
        while (!shw_project_prepare_labels(project, run, 0.0)) {
            calls++;
            if (calls % 10 == 0) { /* in the middle of that */
                testing_paint_stroke(project, pictures[0], &random);
                segments += 5;
            }
        }
        assert_true(calls > 3 && calls <= segments);
        for (uint32_t p = 0; p < 3; p++) {
            assert_true(shw_project_has_labels(project, pictures[p]));
            testing_check_labels(project, pictures[p]);
        }
        shw_project_destroy(&project);
    }
}

/* Any part, at any step, also beyond the borders. */
TESTING_CASE(parts_are_copied)
{
    struct testing_random random = {14};
    struct shw_project *project = make_project(3);
    uint32_t picture = add_picture(project, "a", 150, 131);
    const uint16_t *all;
    uint16_t part[40 * 40];

    for (uint32_t s = 0; s < 9; s++)
        testing_paint_stroke(project, picture, &random);
    all = testing_labels(project, picture);
    for (uint32_t run = 0; run < 500; run++) {
        int32_t x = testing_random_range(&random, -50, 170), y = testing_random_range(&random, -50, 150);
        uint32_t width = 1 + testing_random_below(&random, 40), height = 1 + testing_random_below(&random, 40);
        uint32_t step = 1 + testing_random_below(&random, run % 2 == 0 ? 1 : 90);

        assert_int_equal(shw_project_copy_labels(project, picture, x, y, width, height, step, part), SHW_OK);
        for (uint32_t i = 0; i < width * height; i++) {
            int64_t px = x + (int64_t)(i % width) * step, py = y + (int64_t)(i / width) * step;
            bool inside = px >= 0 && py >= 0 && px < 150 && py < 131;

            assert_int_equal(part[i], inside ? all[py * 150 + px] : SHW_LABEL_VOID);
        }
    }
    shw_project_destroy(&project);
}

/* Whatever happens to the project later. */
TESTING_CASE(snapshots_stay)
{
    struct testing_random random = {15};
    struct shw_project *project = make_project(3);
    uint32_t picture = add_picture(project, "a", 100, 90);
    struct shw_picture_labels *snapshots[12];
    uint16_t *copies[12], now[100 * 90];

    for (uint32_t s = 0; s < 12; s++) {
        testing_paint_stroke(project, picture, &random);
        if (s == 5)
            assert_int_equal(shw_project_delete_class(project, 0), SHW_OK);
        if (s == 8)
            assert_true(shw_project_undo(project, NULL));
        assert_int_equal(shw_project_share_labels(project, picture, &snapshots[s]), SHW_OK);
        copies[s] = malloc(sizeof now);
        assert_non_null(copies[s]);
        memcpy(copies[s], testing_labels(project, picture), sizeof now);
    }
    while (shw_project_undo(project, NULL))
        ;
    shw_project_destroy(&project);
    for (uint32_t s = 0; s < 12; s++) {
        shw_picture_labels_copy(snapshots[s], 0, 0, 100, 90, 1, now);
        assert_memory_equal(now, copies[s], sizeof now);
        shw_picture_labels_release(&snapshots[s]);
        free(copies[s]);
    }
}

/* Of a picture of the largest size, only what is painted takes memory. */
TESTING_CASE(memory_is_for_what_is_painted)
{
    struct shw_project *project = make_project(2);
    uint32_t picture = add_picture(project, "a", 65535, 4096), blocks = 0;
    struct shw_picture_labels *labels = NULL;
    uint64_t counts[2];

    for (uint32_t c = 0; c < 2; c++)
        assert_int_equal(
            shw_project_begin_stroke(project, picture, c, 6, (struct shw_point){60000 * (int)c + 40, 2000}), SHW_OK);
    assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){60400, 2000}), SHW_OK);
    assert_int_equal(shw_project_share_labels(project, picture, &labels), SHW_OK);
    for (uint32_t b = 0; b < labels->top.columns * labels->top.rows; b++)
        blocks += labels->top.blocks[b] != NULL;
    assert_in_range(blocks, 7, 24);
    assert_int_equal(shw_project_count_labels(project, picture, counts), SHW_OK);
    assert_int_equal(labels->count, counts[0] + counts[1]);
    assert_in_range(counts[1], 13 * 360, 13 * 380);
    shw_picture_labels_release(&labels);
    shw_project_destroy(&project);
}

TESTING_CASE(far_points_are_exact)
{
    struct shw_point a = {-SHW_STROKE_PLACE_MAX, -SHW_STROKE_PLACE_MAX},
                     b = {SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX};

    /* (5, 5 + n) is n / sqrt(2) from the diagonal: 724 / sqrt(2) < 512.5 < 725 / sqrt(2) */
    assert_true(shw_stroke_covers(a, b, 512, (struct shw_point){5, 5 + 724}));
    assert_false(shw_stroke_covers(a, b, 512, (struct shw_point){5, 5 + 725}));
    assert_true(shw_stroke_covers(b, a, 512, (struct shw_point){5 + 724, 5}));
    assert_false(shw_stroke_covers(b, a, 512, (struct shw_point){5 + 725, 5}));
}

TESTING_CASE(locked_classes_stay)
{
    struct shw_project *project = make_project(2);
    uint32_t picture = add_picture(project, "a", 9, 9);
    uint64_t counts[2];

    assert_int_equal(shw_project_begin_stroke(project, picture, 0, 1, (struct shw_point){4, 4}), SHW_OK);
    shw_project_lock_class(project, 0, true);
    assert_int_equal(shw_project_begin_stroke(project, picture, 1, 9, (struct shw_point){4, 4}), SHW_OK);
    assert_int_equal(shw_project_begin_stroke(project, picture, SHW_LABEL_VOID, 0, (struct shw_point){4, 4}), SHW_OK);
    assert_int_equal(shw_project_count_labels(project, picture, counts), SHW_OK);
    assert_int_equal(counts[0], 9);
    assert_int_equal(counts[1], 72);
    shw_project_lock_class(project, 0, false); /* what was painted does not change by it */
    assert_int_equal(shw_project_begin_stroke(project, picture, SHW_LABEL_VOID, 0, (struct shw_point){4, 4}), SHW_OK);
    assert_int_equal(shw_project_count_labels(project, picture, counts), SHW_OK);
    assert_int_equal(counts[0], 8);
    assert_int_equal(counts[1], 72);
    shw_project_destroy(&project);
}

TESTING_CASE(deleted_classes_give_way)
{
    struct shw_project *project = make_project(3);
    uint32_t picture = add_picture(project, "a", 5, 1);
    const uint16_t *labels;

    assert_int_equal(shw_project_begin_stroke(project, picture, 0, 2, (struct shw_point){2, 0}), SHW_OK);
    assert_int_equal(shw_project_begin_stroke(project, picture, 1, 1, (struct shw_point){2, 0}), SHW_OK);
    assert_int_equal(shw_project_begin_stroke(project, picture, 2, 0, (struct shw_point){2, 0}), SHW_OK);
    assert_int_equal(shw_project_delete_class(project, 1), SHW_OK);
    labels = testing_labels(project, picture);
    assert_memory_equal(labels, ((uint16_t[]){0, 0, 1, 0, 0}), 10);
    assert_string_equal(shw_project_get_class(project, 1)->name, "road");
    assert_null(shw_project_get_class(project, 2));
    assert_true(shw_project_undo(project, NULL));
    labels = testing_labels(project, picture);
    assert_memory_equal(labels, ((uint16_t[]){0, 1, 2, 1, 0}), 10);
    assert_string_equal(shw_project_get_class(project, 1)->name, "grass");
    shw_project_destroy(&project);
}

enum { STEPS = 400 };

static void step(struct shw_project *project, struct testing_random *random, uint32_t number)
{
    uint32_t classes = shw_project_get_class_count(project);
    char name[32];

    snprintf(name, sizeof name, "class %u", number);
    switch (testing_random_below(random, 12)) {
    case 0: assert_int_equal(shw_project_add_class(project, name, grey), SHW_OK); break;
    case 1:
        if (classes > 1)
            assert_int_equal(shw_project_delete_class(project, testing_random_below(random, classes)), SHW_OK);
        else
            assert_int_equal(shw_project_add_class(project, name, grey), SHW_OK);
        break;
    case 2:
        assert_int_equal(shw_project_change_class(project, 0, name, (uint8_t[]){1, 2, (uint8_t)number}), SHW_OK);
        break;
    default: testing_paint_stroke(project, testing_random_below(random, 2), random); break;
    }
}

TESTING_CASE(every_step_is_undone_and_redone)
{
    static uint64_t hashes[STEPS + 1];
    struct shw_project *project = make_project(2);
    struct testing_random random = {5};
    uint32_t at = 0, last = STEPS;

    add_picture(project, "a", 20, 13);
    add_picture(project, "b", 9, 22);
    hashes[0] = hash_all(project);
    for (uint32_t i = 1; i <= STEPS; i++) {
        step(project, &random, i);
        hashes[i] = hash_all(project);
    }
    for (at = STEPS; at > 0; at--) {
        assert_true(hashes[at] == hash_all(project));
        assert_true(shw_project_undo(project, NULL));
    }
    /* back and forth, now and then with something new, which ends what could be redone */
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t choice = testing_random_below(&random, 100);
        uint64_t revision = shw_project_get_revision(project);

        if (choice < 55 && at < last) {
            assert_true(shw_project_redo(project, NULL));
            at++;
        } else if (choice < 95 && at > 0) {
            assert_true(shw_project_undo(project, NULL));
            at--;
        } else if (at < STEPS) {
            step(project, &random, 1000 + i);
            last = ++at;
            hashes[at] = hash_all(project);
        } else {
            continue;
        }
        assert_true(shw_project_get_revision(project) > revision);
        assert_true(hashes[at] == hash_all(project));
    }
    while (at < last) {
        assert_true(shw_project_redo(project, NULL));
        assert_true(hashes[++at] == hash_all(project));
    }
    assert_false(shw_project_redo(project, NULL));
    shw_project_destroy(&project);
}

TESTING_CASE(a_step_tells_its_picture)
{
    struct shw_project *project = make_project(1);
    uint32_t first = add_picture(project, "a", 4, 4), second = add_picture(project, "b", 4, 4), told = 99;

    assert_int_equal(add_picture(project, "a", 4, 4), first);
    assert_int_equal(shw_project_begin_stroke(project, second, 0, 1, (struct shw_point){1, 1}), SHW_OK);
    assert_true(shw_project_undo(project, &told));
    assert_int_equal(told, second);
    assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){2, 2}), SHW_ERROR_ARGUMENT);
    assert_true(shw_project_undo(project, &told));
    assert_int_equal(told, UINT32_MAX);
    assert_false(shw_project_undo(project, &told));
    shw_project_destroy(&project);
}
