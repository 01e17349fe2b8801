/* Accuracy in the program: what it tells and writes is what is measured on the same strokes here. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/project/held_out.h"

static struct shw_held_out measure(void)
{
    struct shw_held_out_params params = {.threads = 2};
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;
    struct shw_held_out held_out;

    assert_int_equal(shw_training_set_make(taught.project, NULL, &set), SHW_OK);
    assert_int_equal(shw_training_tiles_make(set, 95, NULL, NULL, &tiles), SHW_OK);
    assert_int_equal(shw_held_out_measure(tiles, &params, &held_out), SHW_OK);
    shw_training_tiles_release(&tiles);
    shw_training_set_destroy(&set);
    return held_out;
}

/* The line that tells the accuracy of a class. */
static const char *line_of(const struct shw_held_out *held_out, uint32_t number, const char *kind)
{
    static char line[256];
    const struct shw_held_out_class *class = &held_out->classes[number];

    snprintf(line, sizeof line, "%s: %.1f %% of %llu pixels, %u of %u strokes; %s\n", names[number],
             100.0 * (double)class->right / (double)class->pixels, (unsigned long long)class->pixels,
             class->strokes_right, class->strokes, kind);
    return line;
}

static void check_table(const struct shw_held_out *held_out, const char *path)
{
    static char text[4096];
    char expected[1024] = "class,held out,strokes,strokes right,pixels,pixels right,accuracy,left,middle,right\r\n";
    FILE *stream = fopen(path, "rb");
    size_t length;

    assert_non_null(stream);
    length = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[length] = '\0';
    assert_memory_equal(text, expected, strlen(expected));
    for (uint32_t c = 0; c < CLASSES; c++) {
        const struct shw_held_out_class *class = &held_out->classes[c];
        const unsigned long long *row = (const unsigned long long *)&held_out->matrix.confusion[c * CLASSES];

        snprintf(expected, sizeof expected, "%u,%u,%llu,%llu,%.9g,%llu,%llu,%llu\r\n", class->strokes,
                 class->strokes_right, (unsigned long long)class->pixels, (unsigned long long)class->right,
                 (double)class->right / (double)class->pixels, row[0], row[1], row[2]);
        assert_non_null(strstr(text, expected));
    }
}

TESTING_CASE(accuracy_is_told_and_written)
{
    struct shw_held_out expected;
    const char *frames;
    char told[FILE_PATH + 16];

    begin(taught.folder);
    paint_areas(0, 20);
    paint_areas(0, 50);
    paint_areas(0, 80);
    remove(file("matrix.csv"));
    script("accuracy\nwait trained\nforget\nwait judged\nreport\naccuracy\naccuracy-save %s\nsave %s\naccuracy-save\n"
           "accuracy-save\npanels on\npanel accuracy on\nwait 2\naccuracy-save %s",
           file("matrix.csv"), file("told.json"), taught.paths[0]);
    assert_int_not_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0); /* the last one: a picture that is read */
    expected = measure();
    frames = strstr(script_output(), "\"frames\":");
    assert_non_null(frames);
    assert_in_range(atoi(frames + strlen("\"frames\":")), 0, 12); /* what nobody has to see takes no time from it */
    assert_non_null(strstr(script_output(), "accuracy has not been measured yet"));
    for (uint32_t c = 0; c < CLASSES; c++)
        assert_non_null(strstr(script_output(), line_of(&expected, c, "strokes held out")));
    check_table(&expected, file("matrix.csv"));
    check_table(&expected, file("told-accuracy.csv")); /* another one each time, and reported */
    check_table(&expected, file("told-accuracy-2.csv"));
    snprintf(told, sizeof told, "wrote %s\n", file("told-accuracy-2.csv"));
    assert_non_null(strstr(script_output(), told));
    shw_held_out_free(&expected);
    end();
}

/* Accuracies are not those of other classes, which have the numbers of deleted ones. */
TESTING_CASE(deleted_classes_leave_no_accuracy)
{
    const char *said, *deleted;

    begin(taught.folder);
    paint_areas(0, 20);
    paint_areas(0, 50);
    script("wait judged\nadd-class other\nteach off\naccuracy\ndelete-class left\naccuracy\nadd-class "
           "another\naccuracy\naccuracy-save %s",
           file("of-others.csv"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
    assert_non_null(strstr(said, "accuracy has not been measured yet"));
    deleted = strstr(script_output(), "strokes held out\nmean of 3 classes");
    assert_non_null(deleted);
    assert_null(strstr(deleted, "other"));
    for (uint32_t i = 0; i < 2; i++) {
        deleted = strstr(deleted + 1, "accuracy has not been measured yet");
        assert_non_null(deleted);
    }
    end();
}

/* A picture kept for testing changes the forest to one without it, here and in the file, and back. */
TESTING_CASE(pictures_are_kept_for_testing)
{
    struct shw_project *read = NULL;
    struct shw_held_out expected;
    uint64_t with, without;

    begin(taught.folder);
    paint_areas(0, 20);
    script("step forward");
    paint_areas(1, 60);
    with = testing_paint_train(taught.project);
    script("keep-for-test on\nwait judged\naccuracy\nexport forest %s\nsave %s\nkeep-for-test toggle\nwait trained\n"
           "export forest %s",
           file("without.ktx2"), file("kept.json"), file("with.ktx2"));
    shw_project_keep_for_test(taught.project, 1, true);
    without = testing_paint_train(taught.project);
    assert_true(with != without);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    expected = measure();
    for (uint32_t c = 0; c < CLASSES; c++)
        assert_non_null(strstr(script_output(), line_of(&expected, c, "pictures kept for testing")));
    assert_non_null(strstr(script_output(), "on 1 picture kept for testing"));
    assert_true(load_hash(file("without.ktx2"), NULL) == without);
    assert_true(load_hash(file("with.ktx2"), NULL) == with);
    assert_int_equal(shw_project_read(file("kept.json"), NULL, &read), SHW_OK);
    assert_true(testing_paint_train(read) == without);
    shw_project_destroy(&read);
    shw_held_out_free(&expected);
    end();
}

/* With little memory, the forest is the same. */
TESTING_CASE(memory_is_limited)
{
    begin(taught.folder);
    paint_areas(0, 20);
    paint_areas(0, 70);
    script("training-memory 40\nwait judged\nexport forest %s\ntraining-memory auto\ntraining-memory much",
           file("small.ktx2"));
    assert_int_not_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_true(load_hash(file("small.ktx2"), NULL) == testing_paint_train(taught.project));
    end();
}

TESTING_FIXTURE(open_taught, close_taught)
