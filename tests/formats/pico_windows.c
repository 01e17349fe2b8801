/* Windows one by one: those of a plain scan with random cascades, and, where the data are at hand, those that pico's
 * runtime finds with its own cascade on real pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "formats/cascade_formats.h"
#include "pico_plain.h"
#include "testing/testing.h"

#define MIN_SIZE     30
#define MAX_SIZE     400
#define SCALE_FACTOR 1.1f
#define STRIDE       0.1f

/* A line of the list: positions and sizes as pico has them before it truncates them, rounded. */
struct window {
    char image[32];
    int row, column, size;
    double score;
    bool found;
};

struct list {
    struct window *windows;
    uint32_t count;
};

static void add(struct list *list, const struct window *window)
{
    list->windows = realloc(list->windows, (list->count + 1) * sizeof *window);
    assert_non_null(list->windows);
    list->windows[list->count++] = *window;
}

static struct list read_list(const char *path)
{
    FILE *file = fopen(path, "r");
    struct list list = {0};
    char line[128];

    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        struct window window = {.found = false};
        assert_int_equal(sscanf(line, "%31[^,],%d,%d,%d,%lf", window.image, &window.row, &window.column, &window.size,
                                &window.score),
                         5);
        add(&list, &window);
    }
    fclose(file);
    return list;
}

static float size_of(uint32_t level)
{
    float size = MIN_SIZE;

    for (uint32_t l = 0; l < level; l++)
        size *= SCALE_FACTOR;
    return size;
}

/* The centre, rounded, of the window that begins at `first`. */
static int centre_of(float size, int32_t first)
{
    float step = STRIDE * size > 1 ? STRIDE * size : 1, centre = size / 2 + 1;

    while ((int32_t)centre < first + (int32_t)size / 2)
        centre += step;
    assert_int_equal((int32_t)centre, first + (int32_t)size / 2);
    return (int)lrintf(centre);
}

static void take(struct list *list, const char *image, const struct shw_detection *item, uint32_t fraction_bits)
{
    float size = size_of(item->level);
    int row = centre_of(size, item->y), column = centre_of(size, item->x);

    assert_int_equal(item->width, (int32_t)size);
    for (uint32_t i = 0; i < list->count; i++) {
        struct window *window = &list->windows[i];
        if (strcmp(window->image, image) == 0 && window->row == row && window->column == column &&
            window->size == (int)lrintf(size) && !window->found) {
            assert_true(fabs(window->score - ldexp(item->score, -(int)fraction_bits)) < 1e-4);
            window->found = true;
            return;
        }
    }
    fail_msg("%s: a window at row %d, column %d of size %d, which pico does not find", image, row, column,
             (int)lrintf(size));
}

static struct shw_detector *make_detector(const struct shw_cascade *cascade, const struct shw_log *log)
{
    const struct shw_detector_params params = {
        .cascade = cascade,
        .technique = SHW_TECHNIQUE_CPU,
        .scan = {.min_size = MIN_SIZE, .max_size = MAX_SIZE, .scale_factor = 1.1, .stride = 0.1},
        .log = *log};
    struct shw_detector *detector = NULL;

    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    return detector;
}

static uint32_t take_all(struct list *list, const char *name, const struct shw_image *image,
                         struct shw_detector *detector, uint32_t fraction_bits)
{
    struct shw_detections found;

    assert_int_equal(shw_detector_run(detector, image, &found), SHW_OK);
    for (uint32_t i = 0; i < found.count; i++)
        take(list, name, &found.items[i], fraction_bits);
    free(found.items);
    return found.count;
}

/* The scan of pico's runtime: positions and sizes are truncated where a window is read. */
static struct list scan_plainly(const uint8_t *cascade, const uint8_t *image, int32_t width, int32_t height)
{
    struct list list = {0};

    for (uint32_t level = 0; size_of(level) <= MAX_SIZE; level++) {
        float size = size_of(level), step = STRIDE * size > 1 ? STRIDE * size : 1;
        for (float row = size / 2 + 1; row <= (float)height - size / 2 - 1; row += step)
            for (float column = size / 2 + 1; column <= (float)width - size / 2 - 1; column += step) {
                struct window window = {"", (int)lrintf(row), (int)lrintf(column), (int)lrintf(size), .found = false};
                if (walk_pico(cascade, image, width, (int32_t)row, (int32_t)column, (int32_t)size, &window.score))
                    add(&list, &window);
            }
    }
    return list;
}

static void windows_are_those_of_a_plain_scan(void)
{
    enum { WIDTH = 150, HEIGHT = 110 };
    const struct shw_cascade_import import = {.object = "thing", .training = "{}"};
    struct testing_random random = {4};
    struct testing_log memory = {0};
    const struct shw_log log = testing_log(&memory);
    uint8_t pixels[WIDTH * HEIGHT];
    const struct shw_image image = {.pixels = pixels, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_GREY8};

    for (uint32_t depth = 1; depth <= 6; depth++) {
        uint8_t *bytes = make_pico(&random, depth, 9);
        struct shw_cascade *cascade = NULL;
        struct shw_detector *detector;
        struct list list;
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) /* few grey levels, so that many pixels are equal */
            pixels[i] = (uint8_t)(60 * testing_random_below(&random, 4));
        assert_int_equal(shw_pico_cascade_parse(bytes, pico_size(depth, 9), "a", &import, &log, &cascade), SHW_OK);
        detector = make_detector(cascade, &log);
        list = scan_plainly(bytes, pixels, WIDTH, HEIGHT);
        assert_in_range(list.count, 50, 20000);
        assert_int_equal(take_all(&list, "", &image, detector, shw_cascade_get_info(cascade)->fraction_bits),
                         list.count);
        free(list.windows);
        free(bytes);
        shw_detector_destroy(&detector);
        shw_cascade_destroy(&cascade);
    }
}

static void windows_are_those_of_pico(void)
{
    const struct shw_cascade_import import = {.object = "face", .training = "{}"};
    struct list list = read_list(testing_data("pico/expected_msrc21.csv"));
    FILE *names = fopen(testing_data("pico/images_msrc21.txt"), "r");
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_cascade *cascade = NULL;
    struct shw_detector *detector;
    uint32_t images = 0, taken = 0;
    char image[32], name[64];

    assert_non_null(names);
    assert_int_equal(shw_pico_cascade_read(&(const struct shw_import_source){.path = testing_data("pico/facefinder")},
                                           &import, &log, &cascade),
                     SHW_OK);
    detector = make_detector(cascade, &log);
    for (; fscanf(names, "%31s", image) == 1; images++) {
        struct shw_image_file file;
        snprintf(name, sizeof name, "msrc21/images/%s.png", image);
        assert_int_equal(shw_image_file_read(testing_data(name), NULL, &log, &file), SHW_OK);
        taken += take_all(&list, image, &file.image, detector, shw_cascade_get_info(cascade)->fraction_bits);
        shw_image_file_free(&file);
    }
    assert_int_equal(images, 44);
    assert_int_equal(taken, list.count);
    fclose(names);
    free(list.windows);
    shw_detector_destroy(&detector);
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(windows_are_where_others_find_them)
{
    windows_are_those_of_a_plain_scan();
    if (testing_data("pico/facefinder") != NULL && testing_data("pico/expected_msrc21.csv") != NULL &&
        testing_data("pico/images_msrc21.txt") != NULL && testing_data("msrc21/images") != NULL)
        windows_are_those_of_pico();
}
