/* The list of pictures: what is painted on them, filters, and how a project that is opened again shows it. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"

static char folder[FILE_PATH], project[FILE_PATH];

/* one/a.png, b.png and c.png, two/d.png and e.png, and a project that is painted on in both. */
static int make_project(void **state)
{
    struct testing_random random = {2};
    struct shw_image image = testing_image(&random, 40, 30, SHW_PIXEL_RGB8, 0);
    char path[FILE_PATH + 16];

    (void)state;
    snprintf(folder, sizeof folder, "%s", testing_path("list"));
    mkdir(folder, 0777);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i < 3 ? "one" : "two");
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/%s/%c.png", folder, i < 3 ? "one" : "two", 'a' + i);
        assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    }
    free((void *)(uintptr_t)image.pixels);
    snprintf(project, sizeof project, "%s", testing_path("list/p.json"));
    script(
        "project new\nopen %s/one\nadd-class sky\nadd-class sea\nteach off\ngo 2\nstroke sky 2 5 5 9 9\npictures\nopen "
        "%s/two\nstroke sky 2 5 5 9 9\nstroke sea 9 5 5 9 9\nstroke eraser 0 30 "
        "20\npictures\nundo\npictures\nsave %s",
        folder, folder, project);
    return run_script(64, 64, NULL);
}

static void assert_printed(const char *expected)
{
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_string_equal(script_output(), expected);
}

TESTING_CASE(what_is_painted_is_marked)
{
    assert_string_equal(script_output(), " 1 a.png\n*2 b.png, 1 stroke: sky\n 3 c.png\n"
                                         "*1 d.png, 3 strokes: sea\n 2 e.png\n"
                                         "*1 d.png, 2 strokes: sea\n 2 e.png\n");
}

TESTING_CASE(a_project_shows_its_folders)
{
    script("project %s\npictures\nlist painted\npictures\nlist unpainted\npictures\nlist class sky\npictures\n"
           "list all\nlist name B.p\npictures\nlist all\ngo 1\npictures",
           project);
    assert_printed(" 1 a.png\n 2 b.png, 1 stroke: sky\n 3 c.png\n*4 d.png, 2 strokes: sea\n 5 e.png\n"
                   " 2 b.png, 1 stroke: sky\n*4 d.png, 2 strokes: sea\n"
                   " 1 a.png\n 3 c.png\n 5 e.png\n"
                   " 2 b.png, 1 stroke: sky\n"
                   " 2 b.png, 1 stroke: sky\n"
                   "*1 a.png\n 2 b.png, 1 stroke: sky\n 3 c.png\n 4 d.png, 2 strokes: sea\n 5 e.png\n");
}

/* What is open has the keys. */
TESTING_CASE(filters_are_chosen_by_keys)
{
    script("panels left on\npanels on\nproject %s\nwait 8\nclick ##kind\nwait 4\nkey Down\nkey Down\nkey Up\nwait 4\n"
           "key Enter\nwait 8\npictures\nclick ##kind\nwait 4\nkey End\nkey Escape\nwait 8\npictures\nclick ##kind\n"
           "wait 4\nkey Home\nkey Up\nkey Enter\nwait 8\npictures",
           project);
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_string_equal(script_output(),
                        " 2 b.png, 1 stroke: sky\n*4 d.png, 2 strokes: sea\n"
                        " 2 b.png, 1 stroke: sky\n*4 d.png, 2 strokes: sea\n"
                        " 1 a.png\n 2 b.png, 1 stroke: sky\n 3 c.png\n*4 d.png, 2 strokes: sea\n 5 e.png\n");
}

/* A field does not keep keys that it has no use for. */
TESTING_CASE(pages_are_turned_beside_a_field)
{
    script(
        "panels left on\npanels on\nopen %s/one\nwait 8\nclick ##filter\nwait 4\nkey PageDown\nwait 8\ntype b\nwait 8\n"
        "pictures\nkey Backspace\nwait 4\nkey PageUp\nwait 8\npictures",
        folder);
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_string_equal(script_output(), "*2 b.png\n*1 a.png\n 2 b.png\n 3 c.png\n");
}

/* By arrow keys, after a click into the list; in pictures that the filter lets through. */
TESTING_CASE(the_list_is_walked_along)
{
    script("project %s\nlist unpainted\nlist previous\npictures\nlist previous\nlist previous\npictures\nlist next\n"
           "list all\nhand pan\npanels left on\nwait 4\nclick a.png\nwait 4\nkey Down\nkey Down\nkey "
           "Up\nkey Down\nkey "
           "Down\nwait 2\npictures\nmouse move 500 200\nmouse press left\nmouse release left\nkey Up\npictures",
           project);
    assert_int_equal(run_script(640, 480, NULL), 0);
    assert_string_equal(script_output(),
                        " 1 a.png\n*3 c.png\n 5 e.png\n"
                        "*1 a.png\n 3 c.png\n 5 e.png\n"
                        "there is no previous picture in the list\n"
                        " 1 a.png\n 2 b.png, 1 stroke: sky\n 3 c.png\n*4 d.png, 2 strokes: sea\n 5 e.png\n"
                        " 1 a.png\n 2 b.png, 1 stroke: sky\n 3 c.png\n*4 d.png, 2 strokes: sea\n 5 e.png\n");
}

/* Undoing changes the picture where the stroke is: that is shown then, and said. */
TESTING_CASE(what_is_undone_elsewhere_is_shown)
{
    script("project new\nopen %s/one\nadd-class sky\nteach off\ngo 1\nstroke sky 2 5 5 9 9\ngo 3\nstroke sky 2 5 5 9 "
           "9\nundo\nundo\nwait 1\npictures\nredo\nredo\nwait 1\npictures\nopen %s/two\nundo\nwait 1\npictures",
           folder, folder);
    assert_printed("undone on a.png\n*1 a.png\n 2 b.png\n 3 c.png\n"
                   "redone on c.png\n 1 a.png, 1 stroke: sky\n 2 b.png\n*3 c.png, 1 stroke: sky\n"
                   "undone on c.png, which is not among the pictures that are open\n*1 d.png\n 2 e.png\n");
}

/* The same of rectangles. */
TESTING_CASE(rectangles_undone_elsewhere_are_shown)
{
    script("open %s/one\nrectangle 3 3 9 9\ngo 3\nrectangle-undo\nwait 1\npictures\ngo 2\nrectangle-redo\nwait "
           "1\npictures",
           folder);
    assert_printed("undone on a.png\n*1 a.png\n 2 b.png\n 3 c.png\n"
                   "redone on a.png\n*1 a.png\n 2 b.png\n 3 c.png\n");
}

TESTING_CASE(pictures_for_testing_are_listed)
{
    script("project %s\ngo 3\nkeep-for-test on\nlist kept\npictures\ngo 4\nkeep-for-test on\npictures\ngo "
           "3\nkeep-for-test off\npictures",
           project);
    assert_printed("*3 c.png; kept for testing\n"
                   " 3 c.png; kept for testing\n*4 d.png, 2 strokes: sea; kept for testing\n"
                   " 4 d.png, 2 strokes: sea; kept for testing\n");
}

/* It begins with the first painted picture if that which was shown is gone. */
TESTING_CASE(pictures_that_are_gone_are_left_out)
{
    char path[FILE_PATH + 16];

    snprintf(path, sizeof path, "%s/two/d.png", folder);
    assert_int_equal(unlink(path), 0);
    script("project %s\npictures", project);
    assert_printed(" 1 a.png\n*2 b.png, 1 stroke: sky\n 3 c.png\n");
}

/* Folders of a project and pictures in them are in the order in which people count. */
TESTING_CASE(numbers_are_counted)
{
    static const char *const files[] = {"n9/f8.png", "n9/f10.png", "n9/f9.png", "N10/a.png"};
    struct testing_random random = {2};
    struct shw_image image = testing_image(&random, 40, 30, SHW_PIXEL_RGB8, 0);
    char numbers[FILE_PATH], path[FILE_PATH + 16];

    snprintf(numbers, sizeof numbers, "%s", testing_path("numbers"));
    for (int i = 0; i < 3; i++) {
        static const char *const folders[] = {"", "/n9", "/N10"};
        snprintf(path, sizeof path, "%s%s", numbers, folders[i]);
        mkdir(path, 0777);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", numbers, files[i]);
        assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    }
    free((void *)(uintptr_t)image.pixels);
    script("project new\nopen %s/n9\nadd-class sky\nteach off\npictures\nstroke sky 2 5 5 9 9\nopen %s/N10\n"
           "stroke sky 2 5 5 9 9\nsave %s/numbers.json\nproject %s/numbers.json\npictures",
           numbers, numbers, numbers, numbers);
    assert_printed("*1 f8.png\n 2 f9.png\n 3 f10.png\n"
                   "*1 a.png, 1 stroke: sky\n 2 f8.png, 1 stroke: sky\n 3 f9.png\n 4 f10.png\n");
}

/* Between two pictures, in the column on the left. */
static size_t differences(const char *one, const char *other)
{
    struct shw_image_file files[2];
    size_t count = 0;

    assert_int_equal(shw_image_file_read(testing_path(one), NULL, NULL, &files[0]), SHW_OK);
    assert_int_equal(shw_image_file_read(testing_path(other), NULL, NULL, &files[1]), SHW_OK);
    for (uint32_t i = 0; i < files[0].image.width * files[0].image.height; i++)
        count += i % files[0].image.width < 215 && i / files[0].image.width > 90 &&
                 memcmp((uint8_t *)files[0].pixels + 3 * i, (uint8_t *)files[1].pixels + 3 * i, 3) != 0;
    shw_image_file_free(&files[0]);
    shw_image_file_free(&files[1]);
    return count;
}

/* In the panel: the picture itself, and its rectangles. */
TESTING_CASE(pictures_and_rectangles_are_seen_in_the_list)
{
    struct shw_image image = {.width = 40, .height = 30, .format = SHW_PIXEL_RGB8};
    char path[FILE_PATH];
    uint8_t *pixels = calloc(40 * 30, 3);

    image.pixels = pixels;
    snprintf(path, sizeof path, "%s", testing_path("small"));
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s", testing_path("small/a.png"));
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    snprintf(path, sizeof path, "%s", testing_path("small/b.png"));
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    script("open %s\npanels on\npanels left on\nwait 6\nscreenshot %s", testing_path("small"),
           testing_path("black.png"));
    assert_int_equal(run_script(640, 480, NULL), 0);
    memset(pixels, 200, 40 * 30 * 3);
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    script("open %s\npanels on\npanels left on\nwait 6\nscreenshot %s", testing_path("small"),
           testing_path("light.png"));
    script("rectangle 1 1 9 9\nhand pan\npanel rectangles off\nwait 6\nscreenshot %s", testing_path("box.png"));
    assert_int_equal(run_script(640, 480, NULL), 0);
    assert_in_range(differences("black.png", "light.png"), 36 * 27 - 100, 36 * 27 + 100);
    assert_in_range(differences("light.png", "box.png"), 20, 400);
    free(pixels);
}

TESTING_FIXTURE(make_project, NULL)
