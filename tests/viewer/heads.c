/* Forty rectangles around the heads of synthetic people, drawn in the window, make a detector that finds, at the least
 * score that is chosen, at least 80 % of those in pictures that it has not seen, with at most one false alarm in ten.
 */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/detect.h>

#include "detection/metrics/detections.h"
#include "files/image/image_file.h"

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

    make_scenes("learned", HEADS_LEARNED + 10, 21);
    make_scenes("held-out", HEADS_MEASURED, 200021);
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
