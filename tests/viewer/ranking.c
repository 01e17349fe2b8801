/* Pictures are ranked by how uncertain the forest is on them, and shown in that order. */
#include "viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/image/image_write.h"

enum { PICTURES = 4, CLASSES = 5 };

static char folder[FILE_PATH], forest_path[FILE_PATH];
static double expected[PICTURES]; /* of all pixels that are evaluated */

/* Of every second pixel if there are too many. */
static double mean_uncertainty(const struct testing_labelling *labels)
{
    uint32_t step = labels->width * labels->height > 65536 ? 2 : 1, count = 0;
    size_t pixels = (size_t)labels->width * labels->height;
    double sum = 0;

    for (uint32_t y = 0; y < labels->height; y += step)
        for (uint32_t x = 0; x < labels->width; x += step, count++) {
            sum += 1;
            for (uint32_t c = 0; c < CLASSES; c++) {
                double share = labels->out.distribution[c * pixels + y * labels->width + x] / 65535.0;
                sum -= share * share;
            }
        }
    return sum / count / (1 - 1.0 / CLASSES);
}

static int make_pictures(void **state)
{
    struct testing_random random = {6};
    struct shw_forest *forest = NULL;
    char path[FILE_PATH + 16];

    (void)state;
    write_forest_and_picture(8, 8, forest_path, path);
    assert_int_equal(shw_forest_load(forest_path, NULL, &forest), SHW_OK);
    snprintf(folder, sizeof folder, "%s", testing_path("ranked"));
    mkdir(folder, 0777);
    for (uint32_t i = 0; i < PICTURES; i++) {
        struct shw_image image = testing_image(&random, i == 2 ? 401 : 40 + i, i == 2 ? 300 : 30, SHW_PIXEL_RGB8, 0);
        struct testing_labelling labels = testing_label(&(struct shw_labeller_params){.forest = forest}, &image);
        snprintf(path, sizeof path, "%s/%c.png", folder, (char)('a' + i));
        assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
        expected[i] = mean_uncertainty(&labels);
        testing_labelling_free(&labels);
        free((void *)(uintptr_t)image.pixels);
    }
    shw_forest_destroy(&forest);
    return 0;
}

/* The next list that was printed: each picture's uncertainty in percent, and the number of the shown one. */
static const char *read_list(const char *text, double values[PICTURES], uint32_t *shown)
{
    *shown = UINT32_MAX;
    for (uint32_t i = 0; i < PICTURES; i++) {
        const char *end = strchr(text, '\n'), *value = strstr(text, "uncertainty ");

        assert_non_null(end);
        if (text[0] == '*')
            *shown = i;
        values[i] = value != NULL && value < end ? strtod(value + 12, NULL) : -1;
        text = end + 1;
    }
    return text;
}

static uint32_t most_uncertain(const bool left_out[PICTURES])
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < PICTURES; i++)
        if (!left_out[i] && (best == UINT32_MAX || expected[i] > expected[best]))
            best = i;
    return best;
}

TESTING_CASE(pictures_are_shown_in_order)
{
    bool visited[PICTURES] = {true};
    double values[PICTURES];
    uint32_t shown;
    const char *text;

    script("open %s\npictures\nforest %s\nrank\npictures", folder, forest_path);
    for (uint32_t i = 0; i < PICTURES; i++)
        script("uncertain picture\npictures");
    assert_int_equal(run_script(64, 64, NULL), 0);
    text = read_list(script_output(), values, &shown);
    assert_int_equal(shown, 0);
    for (uint32_t i = 0; i < PICTURES; i++)
        assert_true(values[i] < 0);
    text = read_list(text, values, &shown);
    for (uint32_t i = 0; i < PICTURES; i++)
        if (fabs(values[i] - 100 * expected[i]) > 0.051)
            fail_msg("picture %u: %g, not %g", i, values[i], 100 * expected[i]);
    for (uint32_t i = 0; i + 1 < PICTURES; i++) {
        text = read_list(text, values, &shown);
        assert_int_equal(shown, most_uncertain(visited));
        visited[shown] = true;
    }
    /* and from the beginning, except for the one that is shown */
    memset(visited, 0, sizeof visited);
    visited[shown] = true;
    read_list(text, values, &shown);
    assert_int_equal(shown, most_uncertain(visited));
}

/* The first time, it ranks them itself; what is painted does not count. */
TESTING_CASE(only_listed_and_unpainted_pixels_count)
{
    double values[PICTURES];
    uint32_t shown;
    const char *text;

    script("project new\nopen %s\nadd-class all\nteach off\ngo 4\npolygon all 0 0 42 0 42 29 0 29\nforest %s\nlist "
           "name b\nuncertain picture\nlist name\npictures\nlist class all\nuncertain picture\nlist all\npictures",
           folder, forest_path);
    assert_int_equal(run_script(64, 64, NULL), 0);
    text = read_list(script_output(), values, &shown);
    assert_int_equal(shown, 1);
    assert_true(values[3] >= 0 && values[3] < 0.001);
    assert_true(fabs(values[1] - 100 * expected[1]) < 0.051);
    read_list(text, values, &shown);
    assert_int_equal(shown, 3);
}

static void refuse(const char *line, const char *message)
{
    const char *said;

    script("open %s\n%s", folder, line);
    assert_int_equal(run_script(64, 64, &said), 1);
    if (strstr(said, message) == NULL)
        fail_msg("%s: %s", line, said);
}

TESTING_CASE(what_cannot_be_ranked_is_told)
{
    char line[2 * FILE_PATH + 64];

    refuse("rank", "there is no forest");
    refuse("uncertain nowhere", "nowhere is not place or picture");
    snprintf(line, sizeof line, "forest %s\nrank\nlist name nothing\nuncertain picture", forest_path);
    refuse(line, "no picture is listed");
    snprintf(line, sizeof line, "open camera:%s/a.png\nforest %s\nrank", folder, forest_path);
    refuse(line, "only the pictures of a folder");
}

/* Of pictures that cannot be read, each is tried once, and the others are ranked. */
TESTING_CASE(unreadable_pictures_are_tried_once)
{
    enum { BROKEN = 4 };
    char path[FILE_PATH + 16];
    const char *said;
    uint32_t told = 0;

    snprintf(path, sizeof path, "%s/broken", folder);
    mkdir(path, 0777);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(system("cp a.png broken/"), 0);
    for (uint32_t i = 0; i < BROKEN; i++) {
        FILE *file;
        snprintf(path, sizeof path, "broken/x%u.png", i);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs("no picture", file);
        fclose(file);
    }
    script("open %s/broken\nforest %s\nrank\npictures", folder, forest_path);
    assert_int_equal(run_script(64, 64, &said), 0);
    while ((said = strstr(said, "broken/x")) != NULL) {
        said++;
        told++;
    }
    assert_in_range(told, BROKEN, 2 * BROKEN); /* by the source, too */
    assert_non_null(strstr(script_output(), "uncertainty "));
}

TESTING_FIXTURE(make_pictures, NULL)
