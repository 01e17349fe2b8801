/* Detectors that are made in the window: training with the rectangles there, false alarms that are clicked away, and
 * tracks. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/detect.h>

#include "detection/metrics/detections.h"
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
    assert_non_null(strstr(said, "no cascade that was trained here"));
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
    assert_non_null(strstr(said, "no cascade was trained"));
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
           "rectangle-delete all\nfalse-alarm 1\nfalse-alarm 1\nrectangles-list\nrectangle-undo\nrectangles-list\n"
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

/* A disc that moves by 4 pixels from picture to picture of a folder. */
TESTING_CASE(objects_are_tracked)
{
    struct testing_random random = {3};
    const char *text;
    char table[FILE_PATH];

    snprintf(table, sizeof table, "%s", file("tracks.csv"));
    draw_rectangles();
    mkdir(testing_path("frames"), 0777);
    script("detect-train-folds 2\ndetect-train-stages 16\ndetect-train\ndetect-train-result\ntrack on\nopen %s\nwait 2",
           testing_path("frames"));
    for (uint32_t f = 0; f < 8; f++) {
        write_picture(picture_path("frames", f), &random, (struct place){20 + 6 * (int)f, 40});
        script("detect-list\nwait 2%s", f < 7 ? "\nstep forward" : "");
    }
    script("track-least 6\ntrack-list\ntrack-choose 1\npanels on\npanel detect on\nwait 3\ntrack-save %s\nwait "
           "2\ntrack-clear\ntrack-list\n"
           "quit",
           table);
    assert_int_equal(run_script(500, 700, NULL), 0);
    text = strstr(script_output(), "track 1: ");
    assert_non_null(text);
    assert_non_null(strstr(text, "tracks written to "));
    assert_null(strstr(text + 1, "\ntrack 1: "));
    text = text_of(table);
    assert_memory_equal(text, "track,picture,seconds,x,y,width,height,score\r\n1,1,0.000,", 56);
    assert_non_null(strstr(text, "\r\n1,6,"));
}

/* Forty rectangles around the heads of synthetic people make a detector that finds, at the least score that is chosen,
 * at least 80 % of those in pictures that it has not seen, with at most one false alarm in ten. */

static const uint8_t head_colour[3] = {213, 94, 0}; /* of synth's palette */

#define HEADS_LEARNED  40u
#define HEADS_MEASURED 200u
#define HEAD_LEAST     12u /* pixels of its sides */

/* The rectangle around the head of a scene, unless it is small or hidden; `none`: there is no head at all. */
static bool find_head(const char *folder, uint32_t number, struct shw_true_object *head, bool *none)
{
    char name[200];
    struct shw_image_file file;
    uint32_t x0 = UINT32_MAX, y0 = UINT32_MAX, x1 = 0, y1 = 0, count = 0;

    snprintf(name, sizeof name, "%s/%05u_ground_truth.png", folder, number);
    assert_int_equal(shw_image_file_read(testing_path(name), NULL, NULL, &file), SHW_OK);
    for (uint32_t y = 0; y < file.image.height; y++)
        for (uint32_t x = 0; x < file.image.width; x++) {
            const uint8_t *pixel = (const uint8_t *)file.image.pixels + 3 * ((size_t)y * file.image.width + x);

            if (memcmp(pixel, head_colour, 3) != 0)
                continue;
            x0 = x < x0 ? x : x0;
            y0 = y < y0 ? y : y0;
            x1 = x + 1 > x1 ? x + 1 : x1;
            y1 = y + 1;
            count++;
        }
    shw_image_file_free(&file);
    *none = count == 0;
    *head = (struct shw_true_object){(int32_t)x0, (int32_t)y0, x1 - x0, y1 - y0, false};
    return count > 0 && head->width >= HEAD_LEAST && head->height >= HEAD_LEAST &&
           count > 0.6 * head->width * head->height;
}

static const char *scene_path(const char *folder, uint32_t number)
{
    char name[200];

    snprintf(name, sizeof name, "%s/%05u_colors.png", folder, number);
    return testing_path(name);
}

static void make_scenes(const char *folder, uint32_t count, uint32_t seed)
{
    char command[2048];

    snprintf(command, sizeof command, "'%s' synth -q -o '%s' --count %u --seed %u --noise 20 >/dev/null",
             getenv("SHADEWOOD_PROGRAM"), testing_path(folder), count, seed);
    assert_int_equal(system(command), 0);
}

/* How many heads of the scenes are found, and how many false alarms there are, at the least score of the cascade. */
static struct shw_detection_rates measure_heads(const struct shw_cascade *cascade)
{
    const struct shw_detector_params params = {.cascade = cascade, .technique = SHW_TECHNIQUE_CPU};
    const struct shw_group_params group = {.has_min_score = true,
                                           .min_score = shw_cascade_get_info(cascade)->min_score};
    struct shw_detector *detector = NULL;
    struct shw_detection_rates rates;
    struct shw_detection_tally tally = {0};
    struct shw_detection_curve curve;

    assert_true(shw_cascade_get_info(cascade)->has_min_score);
    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    for (uint32_t s = 0; s < HEADS_MEASURED; s++) {
        struct shw_true_object head;
        struct shw_image_file scene;
        struct shw_detections items = {0};
        struct shw_match *matches;
        bool none, is_head = find_head("held-out", s, &head, &none);

        if (!is_head && !none)
            continue;
        assert_int_equal(shw_image_file_read(scene_path("held-out", s), NULL, NULL, &scene), SHW_OK);
        assert_int_equal(shw_detector_run(detector, &scene.image, &items), SHW_OK);
        assert_int_equal(shw_detections_group(&items, SHW_CASCADE_PIXELS, &group, NULL), SHW_OK);
        matches = calloc(items.count + (size_t)1, sizeof *matches);
        assert_non_null(matches);
        assert_int_equal(shw_detections_match(items.items, items.count, &head, is_head, 0.5, NULL, matches), SHW_OK);
        assert_int_equal(shw_detection_tally_add(&tally, items.items, matches, items.count, &head, is_head, 1, NULL),
                         SHW_OK);
        free(matches);
        free(items.items);
        shw_image_file_free(&scene);
    }
    shw_detector_destroy(&detector);
    assert_int_equal(shw_detection_curve_make(&tally, NULL, &curve), SHW_OK);
    assert_true(curve.count > 0);
    rates = shw_detection_rates_at(&curve, &curve.points[curve.count - 1]);
    shw_detection_curve_free(&curve);
    shw_detection_tally_free(&tally);
    return rates;
}

TESTING_CASE(forty_rectangles_find_heads)
{
    struct shw_cascade *cascade;
    uint32_t drawn = 0;
    struct shw_detection_rates rates;
    char path[FILE_PATH];

    if (!testing_is_slow())
        skip();
    make_scenes("learned", HEADS_LEARNED + 10, 11);
    make_scenes("held-out", HEADS_MEASURED, 200011);
    for (uint32_t s = 0; s < HEADS_LEARNED + 10 && drawn < HEADS_LEARNED; s++) {
        struct shw_true_object head;
        bool none;

        if (!find_head("learned", s, &head, &none))
            continue;
        script("open %s\nrectangle %d %d %u %u head", scene_path("learned", s), head.x, head.y, head.width,
               head.height);
        drawn++;
    }
    assert_int_equal(drawn, HEADS_LEARNED);
    snprintf(path, sizeof path, "%s", file("head.ktx2"));
    script("detect-train\ndetect-train-result\ncascade-save %s\nquit", path);
    assert_int_equal(run_script(64, 64, NULL), 0);
    printf("%s", script_output());
    assert_int_equal(shw_cascade_load(path, NULL, &cascade), SHW_OK);
    rates = measure_heads(cascade);
    shw_cascade_destroy(&cascade);
    printf("%.3f of the heads are found with %.3f false alarms per picture\n", rates.recall, rates.wrong_per_image);
    assert_true(rates.recall >= 0.8 && rates.wrong_per_image <= 0.1);
}

TESTING_FIXTURE(open_taught, close_taught)
