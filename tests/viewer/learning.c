/* Detectors that are made in the window: training with the rectangles there, false alarms that are clicked away, and
 * tracks. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <shadewood/cascade.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"

/* Pictures of a bright disc with a dark middle, on other discs. */

#define SIDE     96
#define PICTURES 24

struct place {
    int x, y; /* the middle */
};

static void fill(uint8_t *pixels, int x, int y, int radius, int grey)
{
    for (int row = y - radius; row <= y + radius; row++)
        for (int column = x - radius; column <= x + radius; column++)
            if (row >= 0 && column >= 0 && row < SIDE && column < SIDE &&
                (row - y) * (row - y) + (column - x) * (column - x) <= radius * radius)
                pixels[row * SIDE + column] = (uint8_t)grey;
}

static void write_picture(const char *path, struct testing_random *random, struct place place)
{
    static uint8_t pixels[SIDE * SIDE];
    const struct shw_image image = {pixels, SIDE, SIDE, 0, SHW_PIXEL_GREY8};

    for (int p = 0; p < SIDE * SIDE; p++)
        pixels[p] = (uint8_t)(80 + testing_random_below(random, 80));
    for (int shape = 0; shape < 10; shape++)
        fill(pixels, testing_random_range(random, 0, SIDE - 1), testing_random_range(random, 0, SIDE - 1),
             testing_random_range(random, 5, 12), testing_random_range(random, 0, 255));
    fill(pixels, place.x, place.y, 10, 220);
    fill(pixels, place.x, place.y, 4, 20);
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
}

static const char *picture_path(const char *folder, uint32_t number)
{
    static char path[600];
    char name[40];

    snprintf(name, sizeof name, "%s/%02u.png", folder, number);
    snprintf(path, sizeof path, "%s", testing_path(name));
    return path;
}

/* Pictures in which it is anywhere, with its rectangles in the script. */
static void draw_rectangles(void)
{
    struct testing_random random = {7};

    mkdir(testing_path("discs"), 0777);
    for (uint32_t p = 0; p < PICTURES; p++) {
        const struct place place = {testing_random_range(&random, 14, SIDE - 15),
                                    testing_random_range(&random, 14, SIDE - 15)};

        write_picture(picture_path("discs", p), &random, place);
        script("open %s\nrectangle %d %d 21 21 disc", picture_path("discs", p), place.x - 10, place.y - 10);
    }
}

static const char *text_of(const char *path)
{
    static char text[65536];
    FILE *stream = fopen(path, "rb");

    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

TESTING_CASE(rectangles_make_a_cascade)
{
    const char *said;
    char path[FILE_PATH];
    struct shw_cascade *cascade;

    snprintf(path, sizeof path, "%s", file("disc.ktx2"));
    draw_rectangles();
    script("detect-train-folds 2\ndetect-train-stages 16\ndetect-train\ndetect-train-result\ndetect-overlap 40\n"
           "detect-list\ncascade-save %s\ndetect-score any\ncascade-save %s\nquit",
           path, path);
    assert_int_equal(run_script(200, 150, &said), 0);
    assert_non_null(
        strstr(script_output(), "trained: 24 rectangles, 24 pictures, 0 false alarms, 2 folds\nheld out: "));
    assert_non_null(strstr(script_output(), "found 1, false 0, missed 0\n"));
    assert_int_equal(shw_cascade_load(path, NULL, &cascade), SHW_OK);
    assert_string_equal(shw_cascade_get_info(cascade)->name, "disc");
    assert_false(shw_cascade_get_info(cascade)->has_min_score); /* as it was chosen last */
    shw_cascade_destroy(&cascade);

    /* with the panels, too; and another file is not replaced */
    script("panels on\npanel detect on\nwait 3\ndetect-open %s\ncascade-save %s\nquit", path, file("other.ktx2"));
    assert_int_equal(run_script(400, 700, &said), 1);
    assert_non_null(strstr(said, "the chosen cascade was not trained here"));
}

/* Leaving and opening another cascade ask about one that is in training or not saved, and about a file in its way. */
TESTING_CASE(a_cascade_is_not_lost_without_a_question)
{
    char boxes[FILE_PATH], path[FILE_PATH], other[FILE_PATH];
    struct shw_cascade *cascade;

    snprintf(boxes, sizeof boxes, "%s", file("asked.csv"));
    snprintf(path, sizeof path, "%s", file("asked.ktx2"));
    snprintf(other, sizeof other, "%s", file("taken.ktx2"));
    draw_rectangles();
    script("rectangles-save %s\ndetect-train-folds 1\ndetect-train-stages 2\npanels on\ndetect-train\nstatus\nkey "
           "Ctrl+Q\nwait 4\nclick Go on training\nwait 4\ndetect-train-result\nleave\nwait "
           "3\ncascade-answer cancel\ndetect-open none\ncascade-answer cancel\ndetect-train-result\nleave\nwait "
           "3\ncascade-answer save %s\nscreenshot %s",
           boxes, path, file("never.png"));
    assert_int_equal(run_script(700, 500, NULL), 0);
    assert_non_null(strstr(script_output(), "status: training a cascade, "));
    assert_int_equal(access(file("never.png"), F_OK), -1);
    assert_int_equal(shw_cascade_load(path, NULL, &cascade), SHW_OK);
    shw_cascade_destroy(&cascade);

    script(
        "rectangles %s\ndetect-train-folds 1\ndetect-train-stages 2\npanels on\ndetect-train\ndetect-train-result\n"
        "cascade-save %s\ncascade-answer rename\nwait 6\nkey Ctrl+A\ntype %s\nkey Enter\nwait 6\nleave\nscreenshot %s",
        boxes, path, other, file("never.png"));
    assert_int_equal(run_script(700, 500, NULL), 0);
    assert_int_equal(access(file("never.png"), F_OK), -1);
    assert_int_equal(shw_cascade_load(other, NULL, &cascade), SHW_OK);
    shw_cascade_destroy(&cascade);

    script("rectangles %s\npanels on\ndetect-train\nleave\nwait 3\ncascade-answer discard\nscreenshot %s", boxes,
           file("never.png"));
    assert_int_equal(run_script(700, 500, NULL), 0);
    assert_int_equal(access(file("never.png"), F_OK), -1);
}

static void assert_name(const char *path, const char *name)
{
    struct shw_cascade *cascade;

    assert_int_equal(shw_cascade_load(path, NULL, &cascade), SHW_OK);
    assert_string_equal(shw_cascade_get_info(cascade)->name, name);
    shw_cascade_destroy(&cascade);
}

/* Each of several is saved, or asked about. */
TESTING_CASE(two_cascades_are_trained)
{
    char boxes[FILE_PATH], first[FILE_PATH], second[FILE_PATH];
    const char *said;

    snprintf(boxes, sizeof boxes, "%s", file("two.csv"));
    snprintf(first, sizeof first, "%s", file("first.ktx2"));
    snprintf(second, sizeof second, "%s", file("second.ktx2"));
    draw_rectangles();
    script("rectangles-save %s\ndetect-train-folds 1\ndetect-train-stages 2\npanels on\ndetect-train\n"
           "detect-train-result\ndetect-class first\ndetect-train\ndetect-train-result\ncascade-save %s\n"
           "detect-cascades\nleave\nwait 3\ncascade-answer save %s\nscreenshot %s",
           boxes, second, first, file("never.png"));
    if (run_script(700, 500, &said) != 0)
        fail_msg("%s", said);
    assert_non_null(strstr(script_output(), ", not saved\ncascade 2: disc, on, "));
    assert_int_equal(access(file("never.png"), F_OK), -1);
    assert_name(first, "first");
    assert_name(second, "disc");

    script("rectangles %s\ndetect-train-folds 1\ndetect-train-stages 2\ndetect-train\ndetect-train-result\n"
           "detect-class first\ndetect-train\ndetect-train-result\ndetect-open none\nquit",
           boxes);
    if (run_script(200, 150, &said) != 0)
        fail_msg("%s", said);
    assert_non_null(strstr(said, "the cascade 'disc' that was trained here was closed without being saved"));
    assert_non_null(strstr(said, "the cascade 'first' that was trained here was closed without being saved"));
}

TESTING_CASE(training_is_cancelled_and_refused)
{
    const char *said;

    script("open %s\ndetect-train\nquit", taught.paths[0]);
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "there are no rectangles to train with"));
    script("open %s\nrectangle 1 1 9 9 a\ndetect-train\ndetect-train-result\nquit", taught.paths[0]);
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "there is 1 rectangle: at least 4 are needed"));
    draw_rectangles();
    script("detect-train disc\ndetect-train-cancel\nwait 1\ndetect-train-result\nquit");
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "no cascade that was trained is open"));
    draw_rectangles();
    script("panels on\npanel detect on\ndetect-train\ndetect-train\nquit");
    assert_int_equal(run_script(300, 300, &said), 1);
    assert_non_null(strstr(said, "a cascade is being trained"));
}

/* They are saved with the rectangles, can be undone, are no objects, and are learned from. */
TESTING_CASE(false_alarms_are_remembered)
{
    char table[FILE_PATH];

    snprintf(table, sizeof table, "%s", file("table.csv"));
    draw_rectangles();
    script("detect-train-folds 1\ndetect-train-stages 2\ndetect-train\ndetect-train-result\ndetect-score any\n"
           "rectangle-delete all\nfalse-alarm 1\nrectangles-list\nrectangle-undo\nrectangles-list\n"
           "rectangle-redo\ndetect-list\nrectangles-save %s\nrectangles %s\nrectangles-list\n"
           "detect-train\ndetect-train-result\nquit",
           table, table);
    assert_int_equal(run_script(200, 150, NULL), 0);
    assert_non_null(strstr(script_output(), " false-alarm\n"));
    assert_null(strstr(script_output(), "rectangle 2"));
    assert_non_null(strstr(script_output(), "found 0, false "));
    assert_non_null(strstr(script_output(), ", missed 0\n"));
    assert_non_null(strstr(text_of(table), ",false-alarm\r\n"));
    assert_non_null(strstr(script_output(), "trained: 23 rectangles, 23 pictures, 1 false alarms, 1 folds\n"));
}

/* The right button of the tool. */
TESTING_CASE(false_alarms_are_clicked_away)
{
    struct view view = {.width = 300, .height = 200};
    struct shw_image image = {NULL, SIDE, SIDE, 0, SHW_PIXEL_GREY8};
    struct testing_random random = {9};
    const struct place place = {40, 50};
    const char *said;

    draw_rectangles();
    write_picture(picture_path("discs", 90), &random, place);
    view.image = &image;
    view_fit(&view);
    view_zoom(&view, 2 * 256);
    script("detect-train-folds 1\ndetect-train-stages 12\ndetect-train\ndetect-train-result\nopen %s\ndetect-list\n"
           "zoom 2\nhand rectangle\nwait 3\nmouse move %d %d\nmouse press right\nmouse release right\nwait 2\n"
           "rectangles-list\ndetect-accept all\nrectangles-list\nquit",
           picture_path("discs", 90), (int)((place.x * (double)view.zoom + (double)view.offset_x) / 256),
           (int)((place.y * (double)view.zoom + (double)view.offset_y) / 256));
    assert_int_equal(run_script(300, 200, &said), 0);
    said = strstr(script_output(), "rectangle 1: ");
    assert_non_null(said);
    assert_non_null(strstr(said, " false-alarm\n"));
    assert_null(strstr(said, " disc\n")); /* nor is it accepted now */
}

/* Pictures in which the disc moves by 6 pixels from one to the next, and a video of them (YUV4MPEG2, which needs no
 * encoder). */

#define FRAMES 8

static void write_frames(void)
{
    struct testing_random random = {3};
    FILE *video = fopen(testing_path("frames.y4m"), "wb");

    assert_non_null(video);
    fprintf(video, "YUV4MPEG2 W%d H%d F10:1 Ip A1:1 Cmono\n", SIDE, SIDE);
    mkdir(testing_path("frames"), 0777);
    for (uint32_t f = 0; f < FRAMES; f++) {
        struct shw_image_file frame;

        write_picture(picture_path("frames", f), &random, (struct place){20 + 6 * (int)f, 40});
        assert_int_equal(shw_image_file_read(picture_path("frames", f), NULL, NULL, &frame), SHW_OK);
        assert_int_equal(frame.image.format, SHW_PIXEL_GREY8);
        fputs("FRAME\n", video);
        assert_int_equal(fwrite(frame.image.pixels, SIDE, SIDE, video), SIDE);
        shw_image_file_free(&frame);
    }
    fclose(video);
}

/* Steps through what is open. */
static void see_all(void)
{
    for (uint32_t f = 0; f < FRAMES; f++)
        script("detect-list\nwait 2%s", f < FRAMES - 1 ? "\nstep forward" : "");
}

TESTING_CASE(objects_are_tracked)
{
    const char *text;
    char table[FILE_PATH], cascade[FILE_PATH], both[FILE_PATH];

    snprintf(table, sizeof table, "%s", file("tracks.csv"));
    snprintf(both, sizeof both, "%s", file("both.csv"));
    snprintf(cascade, sizeof cascade, "%s", file("disc.ktx2"));
    draw_rectangles();
    write_frames();
    script("detect-train-folds 2\ndetect-train-stages 16\ndetect-train\ndetect-train-result\ncascade-save %s\n"
           "track on\nopen %s\nwait 2",
           cascade, testing_path("frames"));
    see_all();
    script("track-least 6\ntrack-list\ntrack-choose 1\npanels on\npanel detect on\nwait 3\ntrack-save %s\nwait 2\n"
           "track-clear\ntrack-list\nquit",
           table);
    assert_int_equal(run_script(500, 700, NULL), 0);
    text = strstr(script_output(), "track 1: ");
    assert_non_null(text);
    assert_non_null(strstr(text, "tracks written to "));
    assert_null(strstr(text + 1, "\ntrack 1: "));
    text = text_of(table);
    assert_memory_equal(text, "track,picture,seconds,x,y,width,height,score\r\n1,1,0.000,", 56);
    assert_non_null(strstr(text, "\r\n1,6,"));

    /* those of two cascades are apart, even where both find the same */
    script("open %s\ndetect-open %s\ndetect-add %s\ndetect-class again\ntrack on\nwait 2", testing_path("frames"),
           cascade, cascade);
    see_all();
    script("track-least 6\ndetect-open none\ndetect-open none\ntrack-list\ntrack-save %s\nquit", both); /* they stay */
    assert_int_equal(run_script(200, 150, NULL), 0);
    text = strstr(script_output(), "track 1: ");
    assert_non_null(text);
    assert_non_null(strstr(text, " pixels, disc\n"));
    assert_non_null(strstr(text, " pixels, again\n"));
    text = text_of(both);
    assert_non_null(strstr(text, ",score,label\r\n1,1,0.000,"));
    assert_non_null(strstr(text, ",disc\r\n"));
    assert_non_null(strstr(text, ",again\r\n"));
}

#ifdef SHADEWOOD_VIDEO

/* A table of a video's tracks: which object is where, when. */
TESTING_CASE(objects_of_a_video_are_tracked)
{
    uint32_t rows = 0;
    char table[FILE_PATH];

    snprintf(table, sizeof table, "%s", file("video.csv"));
    draw_rectangles();
    write_frames();
    script("detect-train-folds 1\ndetect-train-stages 16\ndetect-train\ndetect-train-result\ntrack on\nopen %s\nwait 2",
           testing_path("frames.y4m"));
    see_all();
    script("track-least 6\ntrack-save %s\nquit", table);
    assert_int_equal(run_script(200, 150, NULL), 0);
    for (const char *row = strstr(text_of(table), "\r\n1,"); row != NULL; row = strstr(row + 1, "\r\n1,")) {
        uint32_t picture, width, height;
        double seconds, score;
        int x, y;

        assert_int_equal(sscanf(row, " 1,%u,%lf,%d,%d,%u,%u,%lf", &picture, &seconds, &x, &y, &width, &height, &score),
                         7);
        assert_true(seconds > 0.1 * (picture - 1) - 0.001 && seconds < 0.1 * (picture - 1) + 0.001);
        assert_in_range(x + (int)width / 2, 20 + 6 * (picture - 1) - 4, 20 + 6 * (picture - 1) + 4);
        assert_in_range(y + (int)height / 2, 36, 44);
        rows++;
    }
    assert_in_range(rows, 6, FRAMES);
}

#endif

TESTING_FIXTURE(open_taught, close_taught)
