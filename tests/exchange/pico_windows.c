/* The windows that pico's runtime finds with its own cascade on real pictures, one by one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/pico_cascade.h"
#include "image/image_file.h"
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

static struct list read_list(void)
{
    FILE *file = fopen(testing_data("pico/expected_msrc21.csv"), "r");
    struct list list = {0};
    char line[128];

    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        struct window window = {.found = false};
        assert_int_equal(sscanf(line, "%31[^,],%d,%d,%d,%lf", window.image, &window.row, &window.column, &window.size,
                                &window.score),
                         5);
        list.windows = realloc(list.windows, (list.count + 1) * sizeof window);
        assert_non_null(list.windows);
        list.windows[list.count++] = window;
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

static uint32_t take_all(struct list *list, const char *image, struct shw_detector *detector, uint32_t fraction_bits)
{
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_image_file file;
    struct shw_detections found;
    char name[64];

    snprintf(name, sizeof name, "msrc21/images/%s.png", image);
    assert_int_equal(shw_image_file_read(testing_data(name), NULL, &log, &file), SHW_OK);
    assert_int_equal(shw_detector_run(detector, &file.image, &found), SHW_OK);
    for (uint32_t i = 0; i < found.count; i++)
        take(list, image, &found.items[i], fraction_bits);
    free(found.items);
    shw_image_file_free(&file);
    return found.count;
}

static void windows_are_those_of_pico(void **state)
{
    const struct shw_cascade_import import = {.object = "face", .training = "{}"};
    struct list list = read_list();
    FILE *names = fopen(testing_data("pico/images_msrc21.txt"), "r");
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_cascade *cascade = NULL;
    struct shw_detector_params params = {
        .technique = SHW_TECHNIQUE_CPU,
        .scan = {.min_size = MIN_SIZE, .max_size = MAX_SIZE, .scale_factor = 1.1, .stride = 0.1},
        .log = log};
    struct shw_detector *detector = NULL;
    uint32_t images = 0, taken = 0;
    char image[32];

    (void)state;
    assert_non_null(names);
    assert_int_equal(shw_pico_cascade_read(testing_data("pico/facefinder"), &import, &log, &cascade), SHW_OK);
    params.cascade = cascade;
    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    for (; fscanf(names, "%31s", image) == 1; images++)
        taken += take_all(&list, image, detector, shw_cascade_get_info(cascade)->fraction_bits);
    assert_int_equal(images, 44);
    assert_int_equal(taken, list.count);
    fclose(names);
    free(list.windows);
    shw_detector_destroy(&detector);
    shw_cascade_destroy(&cascade);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_those_of_pico),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
