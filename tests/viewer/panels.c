/* Mouse and keys, on the panels and beside them: what they do is compared with what the actions of the same meaning do. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_file.h"
#include "image/image_write.h"
#include "testing/random_forest.h"

#define WIDTH  640
#define HEIGHT 360

static char forest_path[512], picture_path[512];

static int open_files(void **state)
{
    struct random_forest_params params = {.seed = 3, .classes = 5, .trees = 2, .depth = 4, .split_percent = 90};
    struct testing_random random = {1};
    struct shw_image image = testing_image(&random, 64, 48, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forest = random_forest(&params);

    (void)state;
    snprintf(forest_path, sizeof forest_path, "%s", testing_path("forest.ktx2"));
    snprintf(picture_path, sizeof picture_path, "%s", testing_path("picture.png"));
    assert_int_equal(shw_forest_save(forest, forest_path, NULL), SHW_OK);
    assert_int_equal(shw_png_write(picture_path, &image, NULL), SHW_OK);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
    return 0;
}

/* Pictures that one run of the program makes, each from the same state. */
static unsigned picture_count;

static const char *picture_path_of(unsigned number)
{
    char name[32];

    snprintf(name, sizeof name, "seen-%u.png", number);
    return testing_path(name);
}

/* Lets the next run write what is seen after the lines; returns the picture's number. */
static unsigned picture_of(const char *lines)
{
    if (picture_count == 0)
        script("forest %s\nopen %s", forest_path, picture_path);
    script("panels off\noverlay argmax\nopacity 50\ncontours off\nwipe 0\nmouse move 600 5\nzoom fit\nwait 1\n%s", lines);
    script("screenshot %s", picture_path_of(picture_count));
    return picture_count++;
}

static void run_pictures(void)
{
    picture_count = 0;
    script("quit");
    assert_int_equal(run_script(WIDTH, HEIGHT, NULL), 0);
}

/* The number of pixels that differ, from a column on. */
static size_t differences(unsigned one, unsigned other, uint32_t from)
{
    struct shw_image_file files[2];
    size_t count = 0;

    assert_int_equal(shw_image_file_read(picture_path_of(one), NULL, NULL, &files[0]), SHW_OK);
    assert_int_equal(shw_image_file_read(picture_path_of(other), NULL, NULL, &files[1]), SHW_OK);
    assert_int_equal(files[0].image.width, files[1].image.width);
    assert_int_equal(files[0].image.height, files[1].image.height);
    for (uint32_t y = 0; y < files[0].image.height; y++)
        for (uint32_t x = from; x < files[0].image.width; x++) {
            size_t at = ((size_t)y * files[0].image.width + x) * 3;
            count += memcmp((uint8_t *)files[0].pixels + at, (uint8_t *)files[1].pixels + at, 3) != 0;
        }
    shw_image_file_free(&files[0]);
    shw_image_file_free(&files[1]);
    return count;
}

static const char *same[16][2];
static unsigned same_count;

/* The next assert_all_same() will find the same picture after both. */
static void same_picture(const char *lines, const char *others)
{
    assert_true(same_count < 16);
    same[same_count][0] = lines;
    same[same_count++][1] = others;
}

static void assert_all_same(void)
{
    unsigned count = same_count;

    same_count = 0;
    for (unsigned i = 0; i < count; i++) {
        picture_of(same[i][0]);
        picture_of(same[i][1]);
    }
    run_pictures();
    for (unsigned i = 0; i < count; i++) {
        size_t wrong = differences(2 * i, 2 * i + 1, 0);
        if (wrong > 0)
            fail_msg("%zu pixels differ between what these give:\n%s\nand these:\n%s", wrong, same[i][0], same[i][1]);
    }
}

/* The mouse goes away, so that nothing looks hovered. */
#define AWAY "\nmouse move 600 5\nwait 4\n"

static void a_click_does_what_the_action_does(void **state)
{
    (void)state;
    same_picture("panels on\nwait 2\nclick Contours\nwait 4" AWAY, "panels on\ncontours on" AWAY);
    same_picture("panels on\nclick Entropy\nwait 4" AWAY, "panels on\noverlay entropy" AWAY);
    assert_all_same();
    picture_of("panels on\ncontours on" AWAY);
    picture_of("panels on" AWAY);
    run_pictures();
    assert_true(differences(0, 1, 280) > 0); /* in the picture */
}

/* A click within one frame is seen, and a click where no panel is does not reach one. */
static void quick_clicks_and_clicks_elsewhere(void **state)
{
    (void)state;
    same_picture("panels on\nwait 2\nclick Contours\nclick Contours\nclick Contours\nwait 20" AWAY,
                 "panels on\ncontours on" AWAY);
    same_picture("panels on\nwait 2\nmouse move 500 200\nmouse press left\nmouse release left\nwait 4" AWAY, "panels on" AWAY);
    assert_all_same();
}

static void the_picture_is_moved_and_zoomed_by_the_mouse(void **state)
{
    (void)state;
    same_picture(
        "mouse move 100 100\nmouse press left\nmouse move 110 95\nmouse move 130 90\nmouse release left\nmouse move 5 5\nwait 1",
        "pan 30 -10\nwait 1");
    same_picture("mouse move 100 100\nmouse press middle\nmouse move 90 120\nmouse release middle\nwait 1", "pan -10 20\nwait 1");
    same_picture("mouse move 320 180\nmouse wheel 4\nwait 1", "zoom in\nwait 1");
    /* on a panel, neither moves it */
    same_picture(
        "panels on\nwait 2\nmouse move 100 300\nmouse wheel 4\nmouse press left\nmouse move 150 310\nmouse release left" AWAY,
        "panels on" AWAY);
    assert_all_same();
}

static void the_wipe_is_moved_by_the_mouse(void **state)
{
    (void)state;
    same_picture(
        "wipe 50\nmouse move 321 100\nmouse press left\nmouse move 128 90\nmouse release left\nmouse move 500 10\nwait 1",
        "wipe 20\nwait 1");
    assert_all_same();
}

static void keys_run_actions(void **state)
{
    (void)state;
    same_picture("key C\nkey 4\nkey ]\nkey Left\nwait 1", "contours on\noverlay entropy\nopacity +10\npan 64 0\nwait 1");
    same_picture("type c4\nwait 1", "contours on\noverlay entropy\nwait 1");
    same_picture("key Tab\nwait 3", "panels on\nwait 3");
    assert_all_same();
}

static void the_picture_fits_beside_the_panels(void **state)
{
    (void)state;
    picture_of("panels on\nwait 3");
    picture_of("wait 1");
    run_pictures();
    assert_true(differences(0, 1, 0) > 0);
    same_picture("panels on\nwait 3\npanels off\nwait 1", "wait 1");
    same_picture("pan 7 3\npanels on\nwait 3\npanels off\nwait 1", "pan 7 3\nwait 1");
    same_picture("panels on\nwait 3\nscale 2\nwait 3\nscale 1\nwait 2", "panels on\nwait 3");
    assert_all_same();
}

static void help_lies_over_all_until_it_is_closed(void **state)
{
    (void)state;
    same_picture("panels on\nhelp on\nwait 3\nkey Escape" AWAY, "panels on" AWAY);
    same_picture("panels on\nhelp on\nwait 3\nclick Contours\nwait 4\nhelp toggle" AWAY, "panels on" AWAY);
    same_picture("key F1\nwait 3\nmouse wheel 3\nmouse press left\nmouse move 500 50\nmouse release left\nkey Escape" AWAY,
                 "panels on" AWAY);
    assert_all_same();
    picture_of("panels on\nhelp on\nwait 3");
    picture_of("panels on\nwait 3");
    run_pictures();
    assert_true(differences(0, 1, 0) > WIDTH * HEIGHT / 2);
}

/* A step to a picture that cannot be read passes it over, and tells so for ten seconds of sixty frames. */
static void what_went_wrong_is_shown_for_seconds(void **state)
{
    char folder[512], command[4096];
    const char *said;

    (void)state;
    snprintf(folder, sizeof folder, "%s", testing_path("folder"));
    snprintf(command, sizeof command, "mkdir -p '%s' && cp '%s' '%s/a.png' && cp '%s' '%s/c.png' && head -c 60 '%s' > '%s/b.png'",
             folder, picture_path, folder, picture_path, folder, picture_path, folder);
    assert_int_equal(system(command), 0);
    script("panels on\nopen %s\nwait 3\nscreenshot %s", picture_path, picture_path_of(0));
    script("open %s\nstep forward\nwait 3\nscreenshot %s", folder, picture_path_of(1));
    script("wait 600\nscreenshot %s", picture_path_of(2));
    assert_int_equal(run_script(WIDTH, HEIGHT, &said), 0);
    assert_non_null(strstr(said, "b.png"));
    assert_true(differences(0, 1, WIDTH / 2) > 1000);
    assert_int_equal(differences(0, 2, WIDTH / 2), 0);
}

/* By the labels of the cpu technique, whatever the labels are computed by. */
static void shares_of_classes_are_counted(void **state)
{
    struct shw_forest *forest;
    struct shw_image_file file;
    struct testing_labelling labels;
    uint32_t counts[5] = {0}, pixels;
    char expected[512] = "";

    (void)state;
    assert_int_equal(shw_forest_load(forest_path, NULL, &forest), SHW_OK);
    assert_int_equal(shw_image_file_read(picture_path, NULL, NULL, &file), SHW_OK);
    labels = testing_label(&(struct shw_labeller_params){.forest = forest}, &file.image);
    pixels = file.image.width * file.image.height;
    for (uint32_t i = 0; i < pixels; i++)
        counts[labels.out.argmax[i]]++;
    for (uint32_t c = 0; c < 5; c++)
        sprintf(expected + strlen(expected), "class %u: %.4f %%\n", c, 100.0 * (double)(float)((double)counts[c] / pixels));
    script("forest %s\nopen %s\nshares\npanels on\nwait 3\nshares", forest_path, picture_path);
    assert_int_equal(run_script(WIDTH, HEIGHT, NULL), 0);
    assert_int_equal(strlen(script_output()), 2 * strlen(expected));
    assert_memory_equal(script_output(), expected, strlen(expected));
    assert_string_equal(script_output() + strlen(expected), expected);
    testing_labelling_free(&labels);
    shw_image_file_free(&file);
    shw_forest_destroy(&forest);
}

static void what_is_dropped_is_opened(void **state)
{
    char lines[2048];

    (void)state;
    snprintf(lines, sizeof lines, "drop %s\ndrop %s\nwait 1", picture_path, forest_path);
    same_picture(lines, "wait 1");
    assert_all_same();
}

static void what_scripts_can_do_wrong(void **state)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {{"mouse jump", "jump is not `move X Y`"},
                 {"mouse move 3", "move 3 is not `move X Y`"},
                 {"mouse press nose", "press nose is not"},
                 {"click Contours", "Contours is not a label that is in sight"},
                 {"panels on\nclick Nothing of that name", "Nothing of that name is not a label"},
                 {"panel nothing on", "nothing on is not a panel's name"},
                 {"scale 9", "9 is not a factor"}};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *said;
        script("%s", wrong[i].line);
        assert_int_equal(run_script(WIDTH, HEIGHT, &said), 1);
        if (strstr(said, wrong[i].message) == NULL)
            fail_msg("%s: %s", wrong[i].line, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_click_does_what_the_action_does),
                                       cmocka_unit_test(quick_clicks_and_clicks_elsewhere),
                                       cmocka_unit_test(the_picture_is_moved_and_zoomed_by_the_mouse),
                                       cmocka_unit_test(the_wipe_is_moved_by_the_mouse),
                                       cmocka_unit_test(keys_run_actions),
                                       cmocka_unit_test(the_picture_fits_beside_the_panels),
                                       cmocka_unit_test(help_lies_over_all_until_it_is_closed),
                                       cmocka_unit_test(what_went_wrong_is_shown_for_seconds),
                                       cmocka_unit_test(shares_of_classes_are_counted),
                                       cmocka_unit_test(what_is_dropped_is_opened),
                                       cmocka_unit_test(what_scripts_can_do_wrong)};

    return cmocka_run_group_tests(tests, open_files, NULL);
}
