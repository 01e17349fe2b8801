#include "large_app.h"

#include <stdlib.h>
#include <string.h>

#include "open_app.h"

const VkExtent2D large_canvas = {96, 64};

struct view_picture *large_picture_of(uint32_t width, uint32_t height, uint64_t seed, enum shw_pixel_format format,
                                      bool with_truth)
{
    struct testing_random random = {seed};
    struct view_picture *picture = calloc(1, sizeof *picture);

    assert_non_null(picture);
    picture->image = testing_image(&random, width, height, format, 0);
    picture->name = strdup("large.png");
    if (with_truth) {
        picture->labels = malloc((size_t)width * height * sizeof *picture->labels);
        assert_non_null(picture->labels);
        for (uint32_t i = 0; i < width * height; i++)
            picture->labels[i] = (uint16_t)testing_random_below(&random, CLASSES);
        view_picture_count_classes(picture);
    }
    return picture;
}

struct view_picture *large_picture(uint64_t seed, enum shw_pixel_format format, bool with_truth)
{
    return large_picture_of(WIDTH, HEIGHT, seed, format, with_truth);
}

struct view_shared_forest *large_forest(uint64_t seed)
{
    struct random_forest_params params = {
        .seed = seed, .classes = CLASSES, .trees = 3, .depth = 5, .split_percent = 90, .offset_max = 9, .size_max = 9};
    struct view_shared_forest *forest = view_shared_forest_create(random_forest(&params), true, 0);

    assert_non_null(forest);
    return forest;
}

void large_open(bool complete, struct view_app *app)
{
    open_app_with((struct view_app_params){.canvas = large_canvas, .complete = complete}, app);
    app->scene.overview_pixels = OVERVIEW_PIXELS;
    app->scene.labelling.parted.side = CELL;
}

void large_close(struct view_app *app)
{
    assert_int_equal(view_app_destroy(app), 0);
}

void large_frame(struct view_app *app)
{
    struct view_frame extra = {.read = true};

    assert_int_equal(view_app_poll(app, 0.0), SHW_OK);
    assert_int_equal(view_app_frame(app, &extra), SHW_OK);
}

void large_settle(struct view_app *app)
{
    do
        large_frame(app);
    while (!view_scene_is_current(&app->scene));
    large_frame(app);
    assert_int_equal(view_frames_wait(&app->gpu, &app->frames), SHW_OK);
}

struct testing_labelling large_label_all(const struct view_app *app)
{
    const struct shw_labeller_params params = {.forest = app->scene.forest->forest, .threads = 1};

    return testing_label(&params, &app->scene.picture->image);
}

static void class_colour(const struct view_app *app, uint32_t number, uint8_t colour[3])
{
    memcpy(colour, view_scene_classes(&app->scene).list[number].colour, 3);
}

static void cover(uint8_t pixel[3], const uint8_t colour[3], uint32_t alpha)
{
    for (int c = 0; c < 3; c++)
        pixel[c] = (uint8_t)((pixel[c] * (255 - alpha) + colour[c] * alpha + 127) / 255);
}

static int64_t clamp(int64_t value, int64_t high)
{
    return value < 0 ? 0 : value > high ? high : value;
}

/* The number of pixels of one side that are seen at a step: from the one of the canvas's first pixel to the last. */
static int64_t seen_steps(int32_t offset, uint32_t zoom, uint32_t length, uint32_t size, int64_t step)
{
    int64_t first = clamp(-(int64_t)offset / zoom, size - 1);
    int64_t last = clamp(((int64_t)length * 256 - 1 - offset) / zoom, size - 1);

    return last / step - first / step + 1;
}

uint32_t large_step(const struct view_scene *scene)
{
    const struct view_place *place = &scene->place;
    uint32_t step = place->zoom < 256 ? 256 / place->zoom : 1, coarse = 1;

    while (((WIDTH + coarse - 1) / coarse) * ((HEIGHT + coarse - 1) / coarse) > scene->overview_pixels ||
           (WIDTH + coarse - 1) / coarse > scene->longest || (HEIGHT + coarse - 1) / coarse > scene->longest)
        coarse++;
    assert_true(coarse > 2);
    while (seen_steps(place->offset_x, place->zoom, large_canvas.width, WIDTH, step) > scene->longest ||
           seen_steps(place->offset_y, place->zoom, large_canvas.height, HEIGHT, step) > scene->longest)
        step++;
    return step < coarse ? step : coarse;
}

void large_draw(struct view_app *app, const struct testing_labelling *labels, const uint16_t *painted, uint32_t x,
                uint32_t y, uint8_t pixel[3])
{
    const struct view_scene *scene = &app->scene;
    const struct shw_image *image = &scene->picture->image;
    int64_t across = (int64_t)x * 256 + 128 - scene->place.offset_x,
            down = (int64_t)y * 256 + 128 - scene->place.offset_y, step = large_step(scene);
    const uint8_t *from;
    uint8_t colour[3];
    size_t at;

    memset(pixel, VIEW_BACKGROUND, 3);
    if (across < 0 || down < 0 || across / scene->place.zoom >= WIDTH || down / scene->place.zoom >= HEIGHT)
        return;
    across = across / scene->place.zoom / step * step;
    down = down / scene->place.zoom / step * step;
    at = (size_t)down * WIDTH + (size_t)across;
    if (image->format == SHW_PIXEL_GREY16) {
        uint16_t sample = ((const uint16_t *)image->pixels)[at];
        memset(pixel, (int)((sample * 255u + 32767) / 65535), 3);
    } else {
        from = (const uint8_t *)image->pixels + (size_t)down * image->stride + 3 * (size_t)across;
        memcpy(pixel, from, 3);
    }
    if (labels != NULL) {
        class_colour(app, labels->out.argmax[at], colour);
        cover(pixel, colour, OPACITY);
    }
    if (painted != NULL && painted[at] != SHW_LABEL_VOID) {
        class_colour(app, painted[at], colour);
        cover(pixel, colour, STROKES);
    }
}

void large_check_canvas(struct view_app *app, const struct testing_labelling *labels, const uint16_t *painted)
{
    const uint8_t *seen = app->canvas.back.mapped;

    for (uint32_t y = 0; y < large_canvas.height; y++)
        for (uint32_t x = 0; x < large_canvas.width; x++, seen += 4) {
            uint8_t expected[3];
            large_draw(app, labels, painted, x, y, expected);
            for (int c = 0; c < 3; c++)
                if (seen[c] != expected[c])
                    fail_msg("zoom %u at %d, %d: pixel %u, %u is (%u, %u, %u), not (%u, %u, %u)", app->scene.place.zoom,
                             app->scene.place.offset_x, app->scene.place.offset_y, x, y, seen[0], seen[1], seen[2],
                             expected[0], expected[1], expected[2]);
        }
}

void large_go_somewhere(struct view_app *app, struct testing_random *random)
{
    char line[64];

    if (testing_random_below(random, 6) == 0) {
        assert_int_equal(view_app_run(app, "zoom fit"), SHW_OK);
        return;
    }
    snprintf(line, sizeof line, "zoom %.3f", 0.1 + 0.01 * testing_random_below(random, 330));
    assert_int_equal(view_app_run(app, line), SHW_OK);
    snprintf(line, sizeof line, "centre %u %u", testing_random_below(random, WIDTH),
             testing_random_below(random, HEIGHT));
    assert_int_equal(view_app_run(app, line), SHW_OK);
}
