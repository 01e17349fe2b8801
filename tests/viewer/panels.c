/* Panels: what is done by them is compared with what the actions of the same meaning do. */
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"

TESTING_CASE(a_click_does_what_the_action_does)
{
    seen_same("panels on\nwait 2\nclick Contours\nwait 4" AWAY, "panels on\ncontours on" AWAY);
    seen_same("panels on\nclick Entropy\nwait 4" AWAY, "panels on\noverlay entropy" AWAY);
    seen_same("panels left on\nwait 3\nclick For colour-blind people\nwait 4\npanels off" AWAY "colour-blind off",
              "wait 1" AWAY);
    seen_assert_same();
    seen_after("panels on\ncontours on" AWAY);
    seen_after("panels on" AWAY);
    seen_run();
    assert_true(seen_differences(0, 1, 280) > 0); /* in the picture */
}

/* A click within one frame is seen, and a click where no panel is does not reach one. */
TESTING_CASE(quick_clicks_and_clicks_elsewhere)
{
    seen_same("panels on\nwait 2\nclick Contours\nclick Contours\nclick Contours\nwait 20" AWAY,
              "panels on\ncontours on" AWAY);
    seen_same("panels on\nwait 2\nmouse move 500 200\nmouse press left\nmouse release left\nwait 4" AWAY,
              "panels on" AWAY);
    seen_assert_same();
}

/* The height of what differs between two pictures, from a column on. */
static uint32_t rows_that_differ(unsigned one, unsigned other, uint32_t from)
{
    struct shw_image_file files[2];
    uint32_t first = UINT32_MAX, last = 0;

    assert_int_equal(shw_image_file_read(seen_path(one), NULL, NULL, &files[0]), SHW_OK);
    assert_int_equal(shw_image_file_read(seen_path(other), NULL, NULL, &files[1]), SHW_OK);
    for (uint32_t y = 0; y < files[0].image.height; y++) {
        const size_t at = ((size_t)y * files[0].image.width + from) * 3;
        if (memcmp((const uint8_t *)files[0].pixels + at, (const uint8_t *)files[1].pixels + at,
                   (size_t)(files[0].image.width - from) * 3) != 0) {
            first = first == UINT32_MAX ? y : first;
            last = y;
        }
    }
    shw_image_file_free(&files[0]);
    shw_image_file_free(&files[1]);
    return first == UINT32_MAX ? 0 : last - first + 1;
}

/* Over the picture, so that a column loses nothing. */
TESTING_CASE(tooltips_lie_beside_what_they_explain)
{
    uint32_t rows;

    seen_after("panels on\nwait 3\nclick Show all\nwait 8"); /* the mouse rests there */
    seen_after("panels on\nwait 8" AWAY);
    seen_run();
    rows = rows_that_differ(0, 1, SEEN_WIDTH - 215);
    assert_true(rows > 0 && rows < 30);
    assert_true(seen_differences(0, 1, 0) > seen_differences(0, 1, SEEN_WIDTH - 215) + 500);
}

TESTING_CASE(the_picture_fits_beside_the_panels)
{
    seen_after("panels on\nwait 3");
    seen_after("wait 1");
    seen_run();
    assert_true(seen_differences(0, 1, 0) > 0);
    seen_same("panels on\nwait 3\npanels off\nwait 1", "wait 1");
    seen_same("pan 7 3\npanels on\nwait 3\npanels off\nwait 1", "pan 7 3\nwait 1");
    seen_same("panels on\nwait 3\nscale 2\nwait 3\nscale 1\nwait 5", "panels on\nwait 3");
    seen_assert_same();
}

/* 330 points are taken from the picture, which keeps 200. */
TESTING_CASE(columns_are_as_wide_as_they_are_dragged)
{
    static const char both[] = "panels left on\npanel classes off\npanel teach off\npanel pixel off\n";
    static const struct {
        const char *drag, *width;
    } cases[] = {{"mouse move 221 200\nwait 2\nmouse press left\nwait 2\nmouse move 331 190", "left 330"},
                 {"mouse move 219 200\nwait 2\nmouse press left\nwait 2\nmouse move 639 190", "left 440"},
                 {"mouse move 219 200\nwait 2\nmouse press left\nwait 2\nmouse move 3 190", "left 220"}};
    char lines[8][512];

    for (unsigned i = 0; i < 3; i++) {
        snprintf(lines[2 * i], sizeof *lines, "%swait 3\n%s\nwait 2\nmouse release left\nwait 4" AWAY, both,
                 cases[i].drag);
        snprintf(lines[2 * i + 1], sizeof *lines, "%spanels width %s" AWAY, both, cases[i].width);
        seen_same(lines[2 * i], lines[2 * i + 1]);
    }
    snprintf(
        lines[6], sizeof *lines,
        "%spanels width left 300\nwait 3\nmouse move 300 200\nwait 2\nclick left edge\nclick left edge\nwait 12" AWAY,
        both);
    snprintf(lines[7], sizeof *lines, "%s" AWAY, both);
    seen_same(lines[6], lines[7]);
    seen_same("scale 0.75\npanels on\npanel inspect on\nwait 3\nmouse move 474 200\nwait 2\nmouse press left\nwait 2\n"
              "mouse move 414 200\nwait 2\nmouse release left\nwait 4" AWAY,
              "scale 0.75\npanels on\npanel inspect on\npanels width right 300" AWAY);
    seen_assert_same();
}

/* A column is folded away, a panel is moved to the other side and folded, and what is asked for comes back. */
TESTING_CASE(columns_and_panels_are_moved)
{
    seen_after("panels on\nwait 3" AWAY);
    seen_after("panels on\npanels right off\nwait 3" AWAY);
    seen_after("panels left on\nwait 3" AWAY);
    seen_after("panel sources right\nwait 3" AWAY);
    seen_run();
    assert_true(seen_differences(0, 1, 440) > 10000);
    assert_true(seen_differences(0, 2, 0) > 10000);
    assert_true(seen_differences(0, 3, 440) > 1000);
    seen_same("panels on\npanels right off\nwait 3\npanel classes on" AWAY, "panels on" AWAY);
    seen_same("panels on\nwait 3\nclick Right column\nwait 4" AWAY, "panels on\npanels right off" AWAY);
    seen_same("key F4\nwait 3\nkey F5" AWAY, "panels left on\npanels right off" AWAY);
    seen_same("panels left on\nwait 3\nclick move Overlay\nwait 4" AWAY "panel overlay left",
              "panel overlay right\npanels left on" AWAY "panel overlay left");
    seen_same("panels left on\nwait 3\nclick Overlay\nwait 5" AWAY "panel overlay unfold",
              "panels left on\npanel overlay fold" AWAY "panel overlay unfold");
    seen_same("panels left on\nwait 3\nclick Overlay\nwait 3\nclick Overlay\nwait 4" AWAY, "panels left on" AWAY);
    seen_same("panels left on\nwait 3\nclick hide Overlay\nwait 4" AWAY "panel overlay on",
              "panels left on\npanel overlay off" AWAY "panel overlay on");
    seen_assert_same();
}

/* The number of pixels of a colour. */
static uint64_t count_colour(const char *path, const uint8_t colour[3])
{
    struct shw_image_file file;
    uint64_t count = 0;

    assert_int_equal(shw_image_file_read(path, NULL, NULL, &file), SHW_OK);
    for (size_t i = 0; i < (size_t)file.image.width * file.image.height; i++)
        count += memcmp((const uint8_t *)file.pixels + 3 * i, colour, 3) == 0;
    shw_image_file_free(&file);
    return count;
}

/* At the size of a small window, and at twice the scale, the picture has two thirds of the window, with all tools;
 * where these are words, for lack of the icons' font, three fifths. */
TESTING_CASE(the_picture_has_two_thirds_of_a_small_window)
{
    static const uint8_t colour[3] = {255, 0, 255};
    static const struct {
        uint32_t width, height;
        const char *scale;
    } cases[] = {{960, 640, "1"}, {1920, 1080, "2"}, {1920, 1280, "2"}};
    static uint8_t pixels[64 * 64 * 3];
    const struct shw_image image = {.pixels = pixels, .width = 64, .height = 64, .format = SHW_PIXEL_RGB8};

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = colour[i % 3];
    assert_int_equal(shw_png_write(testing_path("magenta.png"), &image, NULL), SHW_OK);
    for (size_t i = 0; i < (testing_is_slow() ? sizeof cases / sizeof *cases : 1); i++) {
        const uint64_t pixels_seen = (uint64_t)cases[i].width * cases[i].height;
        bool icons;
        script("scale %s\nproject new\nadd-class one\npanels on\nopen %s\nzoom 64\nwait 8\nscreenshot %s",
               cases[i].scale, testing_path("magenta.png"), seen_path(0));
        script("icons off\nwait 8\nscreenshot %s", seen_path(1));
        assert_int_equal(run_script(cases[i].width, cases[i].height, NULL), 0);
        icons = seen_differences(0, 1, 0) > 0;
        assert_true(count_colour(seen_path(0), colour) * (icons ? 3 : 5) >= pixels_seen * (icons ? 2 : 3));
        assert_true(count_colour(seen_path(1), colour) * 5 >= pixels_seen * 3);
    }
}

TESTING_CASE(widths_that_make_no_sense_are_refused)
{
    static const char *const wrong[] = {"left 219",   "left 2001", "right nan", "right -300", "middle 300",
                                        "left auto2", "left",      "left 300x", "LEFT 300"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *said;
        script("panels width %s", wrong[i]);
        assert_int_not_equal(run_script(300, 200, &said), 0);
        assert_non_null(strstr(said, "from 220 to 2000"));
    }
}

TESTING_CASE(help_lies_over_all_until_it_is_closed)
{
    seen_same("panels on\nhelp on\nwait 3\nkey Escape" AWAY, "panels on" AWAY);
    seen_same("panels on\nhelp on\nwait 3\nclick Contours\nwait 4\nhelp toggle" AWAY, "panels on" AWAY);
    seen_same("key F1\nwait 3\nmouse wheel 3\nmouse press left\nmouse move 500 50\nmouse release left\nkey Escape" AWAY,
              "panels on" AWAY);
    seen_assert_same();
    seen_after("panels on\nwait 3");
    seen_after("panels on\nhelp on\nwait 3");
    seen_run();
    assert_true(seen_differences(0, 1, 0) > SEEN_WIDTH * SEEN_HEIGHT / 2);
}

/* And not chosen from: Escape closes it, and other keys do nothing. */
TESTING_CASE(a_list_is_opened)
{
    seen_same("panels on\npanel objects on\nwait 3\nclick ##objects\nwait 3\ntype c3\nkey Tab\nkey Escape\nwait 4" AWAY,
              "panels on\npanel objects on" AWAY);
    seen_same("panels on\npanel objects on\nwait 3\nclick ##objects\nwait 3\nkey Escape\nwait 2\ntype c\nwait 4" AWAY,
              "panels on\npanel objects on\ncontours on" AWAY);
    seen_assert_same();
}

TESTING_CASE(numbers_are_entered_in_sliders)
{
    seen_same("panels on\npanel objects on\nwait 3\nmouse hold control\nclick smallest area\nmouse hold nothing\ntype "
              "3000\nkey Enter\nwait 4" AWAY,
              "panels on\npanel objects on\nobjects-area 3000" AWAY);
    seen_same("panels on\npanel objects on\nwait 3\nmouse hold control\nclick smoothing\nmouse hold nothing\ntype "
              "300\nkey Enter\nwait 4" AWAY,
              "panels on\npanel objects on\nobjects-smooth 64" AWAY);
    seen_assert_same();
}

TESTING_CASE(the_size_of_letters_is_chosen)
{
    seen_same("panels on\nhelp on\nwait 3\nclick Text size\nwait 4\nclick 150 %\nwait 8\nkey Escape" AWAY,
              "panels on\nscale 1.5" AWAY);
    seen_same("panels on\nhelp on\nwait 3\nclick Text size\nwait 4\nclick as the display\nwait 8\nkey Escape" AWAY,
              "panels on\nscale auto" AWAY);
    seen_assert_same();
}

/* A step to a picture that cannot be read passes it over, and tells so for ten seconds of sixty frames. */
TESTING_CASE(what_went_wrong_is_shown_for_seconds)
{
    char folder[512], command[8192];
    const char *said;

    snprintf(folder, sizeof folder, "%s", testing_path("folder"));
    snprintf(command, sizeof command,
             "mkdir -p '%s/whole' && cp '%s' '%s/a.png' && cp '%s' '%s/c.png' && cp '%s'/*.png '%s/whole' && "
             "head -c 60 '%s' > '%s/b.png'",
             folder, seen_picture, folder, seen_picture, folder, folder, folder, seen_picture, folder);
    assert_int_equal(system(command), 0);
    script("panels on\nopen %s/whole\nstep forward\nwait 3\nscreenshot %s", folder, seen_path(0));
    script("open %s\nstep forward\nwait 3\nscreenshot %s", folder, seen_path(1));
    script("wait 600\nscreenshot %s", seen_path(2));
    assert_int_equal(run_script(420, 160, &said), 0);
    assert_non_null(strstr(said, "b.png"));
    assert_true(seen_differences(0, 1, 0) > 1000);
    assert_int_equal(seen_differences(0, 2, 300), 0);
}

TESTING_CASE(files_are_opened_by_hand)
{
    struct testing_random random = {2};
    struct shw_image image = testing_image(&random, 50, 20, SHW_PIXEL_RGB8, 0);
    char lines[3][2048], other[2048], path[512];

    snprintf(path, sizeof path, "%s", testing_path("\xc3\xa4rger.png"));
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    assert_int_equal(shw_png_write(testing_path("chosen.png"), &image, NULL), SHW_OK);
    snprintf(other, sizeof other, "open %s" AWAY, path);
    /* typed, with what is no part of the path taken out again */
    snprintf(
        lines[0], sizeof lines[0],
        "key Ctrl+O\nwait 4\nclick ##path\nwait 4\nkey Ctrl+A\ntype %s?\nkey Backspace\nwait 8\nkey Enter\nwait 8\n"
        "panels off" AWAY,
        path);
    seen_same(lines[0], other);
    /* chosen in the folder */
    snprintf(lines[1], sizeof lines[1],
             "key Ctrl+O\nwait 4\nclick ##path\nwait 4\nkey Ctrl+A\ntype %s\nkey Enter\nwait 8\n"
             "click chosen.png\nwait 4\nclick ##open\nwait 8\npanels off" AWAY,
             testing_path("."));
    seen_same(lines[1], other);
    /* what is typed at once replaces the path of the last time */
    snprintf(lines[2], sizeof lines[2],
             "key Ctrl+O\ntype /nowhere\nkey Enter\nwait 8\nkey Ctrl+O\ntype %s\nkey Enter\nwait 12\npanels off" AWAY,
             path);
    seen_same(lines[2], other);
    /* and not */
    seen_same("key Ctrl+O\nwait 4\nclick ##path\nwait 4\nkey Ctrl+A\ntype /nowhere\nwait 8\nkey Escape\nwait 4\npanels "
              "off" AWAY,
              "wait 1" AWAY);
    seen_assert_same();
    free((void *)(uintptr_t)image.pixels);
}

TESTING_CASE(recent_files_are_opened_again)
{
    char lines[2048];

    snprintf(lines, sizeof lines, "open %s\nkey Ctrl+O\nwait 4\nclick picture.png\nwait 8\npanels off" AWAY,
             testing_path("\xc3\xa4rger.png"));
    seen_same(lines, "wait 1" AWAY);
    seen_assert_same();
}

/* By the labels of the cpu technique, whatever the labels are computed by. */
TESTING_CASE(shares_of_classes_are_counted)
{
    struct shw_forest *forest;
    struct shw_image_file file;
    struct testing_labelling labels;
    uint32_t counts[5] = {0}, pixels;
    char expected[512] = "";

    assert_int_equal(shw_forest_load(seen_forest, NULL, &forest), SHW_OK);
    assert_int_equal(shw_image_file_read(seen_picture, NULL, NULL, &file), SHW_OK);
    labels = testing_label(&(struct shw_labeller_params){.forest = forest}, &file.image);
    pixels = file.image.width * file.image.height;
    for (uint32_t i = 0; i < pixels; i++)
        counts[labels.out.argmax[i]]++;
    for (uint32_t c = 0; c < 5; c++)
        sprintf(expected + strlen(expected), "class %u: %.4f %%\n", c,
                100.0 * (double)(float)((double)counts[c] / pixels));
    script("forest %s\nopen %s\nshares\npanels on\nwait 3\nshares", seen_forest, seen_picture);
    assert_int_equal(run_script(SEEN_WIDTH, SEEN_HEIGHT, NULL), 0);
    assert_int_equal(strlen(script_output()), 2 * strlen(expected));
    assert_memory_equal(script_output(), expected, strlen(expected));
    assert_string_equal(script_output() + strlen(expected), expected);
    testing_labelling_free(&labels);
    shw_image_file_free(&file);
    shw_forest_destroy(&forest);
}

TESTING_FIXTURE(seen_open_files, NULL)
