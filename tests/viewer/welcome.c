/* The page of an empty window: from there to labels in six clicks and typed words, what was opened before, and the
 * dialogue for files. */
#include "teaching.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/image/image_write.h"

static const char *settings(const char *name)
{
    static char option[600];

    snprintf(option, sizeof option, "--settings '%s'", file(name));
    return option;
}

static bool exists(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0;
}

static uint64_t painted_pixels(const char *path, uint32_t number)
{
    struct shw_project *read = NULL;
    uint64_t counts[8] = {0};

    assert_int_equal(shw_project_read(path, NULL, &read), SHW_OK);
    assert_int_equal(shw_project_count_labels(read, 0, counts), SHW_OK);
    shw_project_destroy(&read);
    return counts[number];
}

/* A stroke with the mouse in the middle of the window, at a part of its height. */
static void draw(uint32_t width, uint32_t height, uint32_t percent)
{
    script("mouse move %u %u\nmouse press left\nmouse move %u %u\nmouse release left\nwait 8", width / 2,
           height * percent / 100, width / 2 + width / 12, height * percent / 100);
}

/* Two classes, and labels: every line is a click, a word or a stroke. Then what is saved is found again, and painting
 * goes on. */
static void begin_and_go_on(uint32_t width, uint32_t height, int scale)
{
    char name[64], project[512], set[64];
    uint64_t before[2];
    const char *said;

    snprintf(name, sizeof name, "mine-%d", scale);
    snprintf(set, sizeof set, "begin-%d.json", scale);
    snprintf(project, sizeof project, "%s/%s.json", taught.folder, name);
    script("panels on\nscale %d\nwait 4\nclick New project...\nwait 8", scale);
    script("type %s\nkey Enter\nwait 16", taught.paths[0]);
    script("type sky\nkey Enter\nwait 8");
    draw(width, height, 42);
    script("type ground\nkey Enter\nwait 8");
    draw(width, height, 58);
    script("wait small\nwait labels\nwait 8\nshares\nlabels\nscreenshot %s", testing_path("begun.png"));
    script("key Ctrl+S\nwait 8\ntype %s\nkey Enter\nwait 8\nquit", name); /* beside the picture */
    assert_int_equal(run_script_with(settings(set), width, height, &said), 0);
    assert_string_equal(said, "");
    assert_non_null(strstr(script_output(), "sky: "));
    assert_non_null(strstr(script_output(), "ground: "));
    assert_null(strstr(script_output(), ": 0 pixels"));
    assert_true(exists(project));
    for (uint32_t c = 0; c < 2; c++)
        before[c] = painted_pixels(project, c);

    script("panels on\nscale %d\nwait recent\nwait 8\nclick %s.json\nwait 16", scale, name);
    draw(width, height, 50);
    script("wait small\nwait labels\nkey Ctrl+S\nwait 4\nquit");
    assert_int_equal(run_script_with(settings(set), width, height, &said), 0);
    assert_string_equal(said, "");
    assert_true(painted_pixels(project, 0) + painted_pixels(project, 1) > before[0] + before[1]);
}

TESTING_CASE(six_clicks_and_words_give_labels)
{
    begin_and_go_on(960, 640, 1);
}

TESTING_CASE_SLOW(and_in_a_large_window_of_large_letters)
{
    begin_and_go_on(1920, 1080, 2);
}

/* Without scrolling, in the smallest usual window; and the same with words. */
TESTING_CASE(tools_are_in_sight)
{
    static const char *const tools[] = {"Left column", "Left column", "Undo",     "Redo",         "Move",
                                        "Brush",       "Eraser",      "Fill",     "Lasso",        "Polygon",
                                        "Wand",        "Screen",      "Screen",   "Picture",      "Classes",
                                        "Heat",        "Blend",       "Entropy",  "Smooth",       "Smooth",
                                        "Strokes",     "Strokes",     "Contours", "Contours",     "1 : 1",
                                        "Fit",         "Train",       "Train",    "Next picture", "Previous picture",
                                        "Rectangle",   "Brush"};
    const char *said;

    script("panels on\nopen %s\nwait 8", taught.folder);
    script("project new\nadd-class one\nadd-class two\nstroke one 2 10 10\nstroke two 2 30 30\nteach on\nwait trained");
    for (int words = 0; words < 2; words++) {
        script("panel rectangles off\nicons %s\nwait 8", words ? "off" : "on");
        for (size_t t = 0; t < sizeof tools / sizeof *tools; t++)
            script("click %s\nwait 4", tools[t]);
        script("click Right column\nwait 6\nclick Right column\nwait 6");
    }
    assert_int_equal(run_script(960, 640, &said), 0);
    assert_string_equal(said, "");
}

/* The word after the first stroke is the name of the second class; there is nothing to tell from it before. */
TESTING_CASE(later_strokes_leave_the_keys_alone)
{
    unsigned painted, left;

    script("panels on\nopen %s\nproject new\nadd-class one\nadd-class two\nteach off\nwait 4", taught.paths[0]);
    draw(960, 640, 42);
    script("wait 12\ntype e\nwait 4\nlabels"); /* the eraser, not a name */
    draw(960, 640, 42);
    script("labels");
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_int_equal(
        sscanf(script_output(), "one: 0 pixels two: %u pixels one: 0 pixels two: %u pixels", &painted, &left), 2);
    assert_true(painted > 0 && left == 0);
}

TESTING_CASE(saved_projects_are_listed_however_they_are_saved)
{
    const char *list = "recent list";

    script("panels on\nproject new\nopen %s\nadd-class one\nteach off\nstroke one 0 2 3", taught.paths[0]);
    script("key Ctrl+S\nwait 6\ntype %s\nkey Enter\nwait 4\n%s", file("asked.json"), list);
    assert_int_equal(run_script_with(settings("listed.json"), 640, 400, NULL), 0);
    assert_non_null(strstr(script_output(), "1 project "));
    assert_non_null(strstr(script_output(), "asked.json\n2 open "));

    script("panels on\nopen %s\nrectangle 1 2 10 10 one\nkey Ctrl+S\nwait 6\ntype %s\nkey Enter\nwait 4\n%s",
           taught.paths[0], file("boxes.csv"), list);
    assert_int_equal(run_script_with(settings("listed.json"), 640, 400, NULL), 0);
    assert_non_null(strstr(script_output(), "1 rectangles "));
    assert_non_null(strstr(script_output(), "3 project "));
}

TESTING_CASE(what_is_missing_is_told_and_removed)
{
    char copy[512], command[1200];

    snprintf(copy, sizeof copy, "%s", file("gone.png"));
    snprintf(command, sizeof command, "cp '%s' '%s'", taught.paths[1], copy);
    assert_int_equal(system(command), 0);
    script("open %s\nopen %s\nopen %s", copy, taught.folder, taught.paths[0]);
    assert_int_equal(run_script_with(settings("missing.json"), 64, 64, NULL), 0);
    remove(copy);
    script(
        "panels on\nwait recent\nwait 4\nrecent list\nclick gone.png\nwait 8\nclick ##remove 1\nwait 4\nwait "
        "recent\nrecent list\nrecent remove missing\nrecent list\nwait 8\nclick Empty this list\nwait 4\nrecent list");
    assert_int_equal(run_script_with(settings("missing.json"), 960, 640, NULL), 0);
    assert_non_null(strstr(script_output(), "3 open "));
    assert_non_null(strstr(script_output(), "gone.png (missing)\n1 open "));
    assert_non_null(strstr(script_output(), "gone.png (missing)\n1 open "));
    snprintf(command, sizeof command, "2 open %s (missing)\n1 open %s\n", copy, taught.folder);
    assert_non_null(strstr(script_output(), command));
    assert_string_equal(strstr(script_output(), command) + strlen(command), "");
}

/* What is opened by a relative name, a page or the depth of something is found again from another folder. */
TESTING_CASE(names_are_kept_from_the_root)
{
    static const uint16_t depths[4] = {1000, 1000, 1000, 1000};
    const struct shw_image depth = {.pixels = depths, .width = 2, .height = 2, .format = SHW_PIXEL_GREY16};
    char command[4096], folder[512], expected[1700], *cwd = getcwd(NULL, 0);

    assert_non_null(cwd);
    snprintf(folder, sizeof folder, "%s", file("stack"));
    snprintf(command, sizeof command, "mkdir -p '%s/gd' && cp '%s' '%s/x.png'", folder, taught.paths[1], folder);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/gd/a.png", folder);
    assert_int_equal(shw_png_write(command, &depth, NULL), SHW_OK);
    assert_int_equal(chdir(folder), 0);
    script("open x.png#1\nopen gd\nopen depth:gd\nrecent list");
    assert_int_equal(run_script_with(settings("rooted.json"), 64, 64, NULL), 0);
    assert_int_equal(chdir(cwd), 0);
    free(cwd);
    snprintf(expected, sizeof expected, "1 open depth:%s/gd\n2 open %s/gd\n3 open %s/x.png#1\n", folder, folder,
             folder);
    assert_string_equal(script_output(), expected);
    script("wait recent\nrecent list\nrecent remove missing"); /* whether or not there are panels to show them */
    assert_int_equal(run_script_with(settings("rooted.json"), 64, 64, NULL), 0);
    assert_string_equal(script_output(), expected);
    snprintf(command, sizeof command, "rm '%s/x.png'", folder);
    assert_int_equal(system(command), 0);
    script("wait recent\nrecent list");
    assert_int_equal(run_script_with(settings("rooted.json"), 64, 64, NULL), 0);
    assert_non_null(strstr(script_output(), "x.png#1 (missing)\n"));
}

TESTING_CASE(a_demo_that_cannot_be_written)
{
    const char *said;
    char command[1200];

    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p data/shadewood && rm -rf data/shadewood/demo && touch "
             "data/shadewood/demo",
             testing_path(""));
    assert_int_equal(system(command), 0);
    script("demo");
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "the demo cannot be made: no files can be written to "));
    assert_non_null(strstr(said, "/data/shadewood/demo/\n"));
    assert_int_equal(remove(testing_path("data/shadewood/demo")), 0);
}

/* Counts the small pictures in the cache. */
static uint32_t count_kept(void)
{
    char folder[600];
    DIR *stream;
    uint32_t count = 0;

    snprintf(folder, sizeof folder, "%s", testing_path("cache/shadewood/thumbnails"));
    stream = opendir(folder);
    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;)
        count += entry->d_name[0] != '.';
    if (stream != NULL)
        closedir(stream);
    return count;
}

TESTING_CASE(small_pictures_are_kept_in_bounds)
{
    char folder[600], command[1400];

    snprintf(folder, sizeof folder, "%s", testing_path("cache/shadewood/thumbnails"));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    script("open %s\nopen %s\npanels on\nwait 4", taught.paths[0], taught.paths[1]);
    assert_int_equal(run_script_with(settings("kept.json"), 640, 400, NULL), 0);
    assert_int_equal(count_kept(), 0); /* they are made when they can be seen */
    for (int again = 0; again < 2; again++) {
        script("panels on\nwait recent");
        assert_int_equal(run_script_with(settings("kept.json"), 640, 400, NULL), 0);
        assert_int_equal(count_kept(), 2);
    }
    snprintf(command, sizeof command,
             "cd '%s' && for i in $(seq 100 199); do touch -d 2001-01-01 0000000000000$i.png; done && touch other",
             folder);
    assert_int_equal(system(command), 0);
    script("panels on\nwait recent");
    assert_int_equal(run_script_with(settings("kept.json"), 640, 400, NULL), 0);
    assert_int_equal(count_kept(), 64 + 1); /* and what is not the viewer's stays */
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    script("open %s\npanels on\nwait recent", taught.folder); /* without settings nothing is kept */
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(count_kept(), 0);
}

TESTING_CASE(a_refused_name_is_typed_again)
{
    script("panels on\nwait 2\nkey Ctrl+O\ntype /nowhere/at.png\nkey Enter\nwait 8\ntype %s\nkey Enter\nwait "
           "16\nproject new\nadd-class one\nsave %s",
           taught.paths[1], file("typed.json"));
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_true(exists(file("typed.json")));
    script("panels on\nopen %s\nproject new\nadd-class one\nkey Ctrl+S\ntype /nowhere/at.json\nkey Enter\nwait 8\n"
           "type %s\nkey Enter\nwait 8",
           taught.paths[1], file("typed-again.json"));
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_true(exists(file("typed-again.json")));
}

/* A folder that is entered is shown, and entered again, opened; names count from it. */
TESTING_CASE(folders_are_chosen)
{
    script("panels on\nwait 2\nbrowse\nwait 8\ntype %s\nkey Enter\nwait 8\nkey Enter\nwait 16\npictures\n"
           "browse\nwait 8\ntype b.png\nkey Enter\nwait 16\npictures",
           taught.folder);
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_string_equal(script_output(), "*1 a.png\n 2 b.png\n*1 b.png\n");
    script("panels on\nwait 2\nbrowse\nwait 8\ntype %s\nkey Enter\nwait 8\nclick Open this folder\nwait 16\npictures",
           taught.folder);
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_string_equal(script_output(), "*1 a.png\n 2 b.png\n");
}

TESTING_CASE(forests_cascades_and_masks_are_chosen)
{
    static const char *const subjects[] = {"forest", "cascade", "rectangles", "import", "project", "all"};
    const char *said;

    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        script("panels on\nbrowse %s\nwait 8\nclick ##path\nwait 4\nkey Escape\nwait 4", subjects[i]);
    assert_int_equal(run_script(960, 640, NULL), 0);
    script("browse nothing");
    assert_int_not_equal(run_script(64, 64, &said), 0);
    assert_non_null(strstr(said, "forest, cascade"));
}

TESTING_CASE(the_texture_of_no_forest_is_refused)
{
    const char *said;

    script("panels on\nwait 2\nkey X");
    assert_int_not_equal(run_script(640, 400, &said), 0);
    assert_non_null(strstr(said, "no forest"));
}

TESTING_CASE(ctrl_s_saves_what_there_is)
{
    char boxes[512];

    snprintf(boxes, sizeof boxes, "%s", file("some.csv"));
    script("panels on\nopen %s\nrectangle 1 2 10 10 one\nrectangles-save %s\nrectangle 20 2 10 10 two\nkey Ctrl+S\n"
           "wait 2\nrectangles new\nrectangles %s\nrectangles-list\nkey Ctrl+S",
           taught.paths[0], boxes, boxes);
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: 1 2 10 10 one\nrectangle 2: 20 2 10 10 two\n");

    /* both, and one question after the other */
    script("panels on\nopen %s\nproject new\nadd-class one\nteach off\nstroke one 0 2 3\nrectangle 1 2 10 10 one\nkey "
           "Ctrl+S\nwait 8\ntype %s\nkey Enter\nwait 12\ntype %s\nkey Enter\nwait 12",
           taught.paths[0], file("both.json"), file("both.csv"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_true(exists(file("both.json")) && exists(file("both.csv")));
}

TESTING_CASE(the_demo_is_labelled_and_goes_on)
{
    const char *said;
    char path[600];

    snprintf(path, sizeof path, "%s", testing_path("data/shadewood/demo/demo.json"));
    script(
        "panels on\nwait 4\nclick Try the demo\nwait 4\nlabels\nwait small\nwait labels\npictures\nteach off\nstroke "
        "person 4 100 100\nsave");
    assert_int_equal(run_script(960, 640, &said), 0);
    assert_string_equal(said, "");
    assert_non_null(strstr(script_output(), "person: "));
    assert_null(strstr(script_output(), ": 0 pixels"));
    assert_non_null(strstr(script_output(), "6 room-6.png"));
    assert_true(painted_pixels(path, 5) > 0);
    script("demo\nteach off\nundo\nlabels"); /* what was painted is there: the file is not made anew */
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_non_null(strstr(script_output(), "person: "));
}

TESTING_FIXTURE(open_taught, close_taught)
