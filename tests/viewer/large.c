/* Pictures with more pixels than are on the device at once: whatever the zoom, what is seen are the picture's pixels
 * and the labels of the whole picture at those pixels, and strokes; what is not exact yet says so. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channels/channels.h"
#include "open_app.h"
#include "shell/app.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

enum { WIDTH = 90, HEIGHT = 70, OVERVIEW_PIXELS = 500, CELL = 24, CLASSES = 4, OPACITY = 128, STROKES = 179 };

static const VkExtent2D canvas = {96, 64};

static struct view_picture *make_picture_of(uint32_t width, uint32_t height, uint64_t seed,
                                            enum shw_pixel_format format, bool with_truth)
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

static struct view_picture *make_picture(uint64_t seed, enum shw_pixel_format format, bool with_truth)
{
    return make_picture_of(WIDTH, HEIGHT, seed, format, with_truth);
}

static struct view_shared_forest *make_forest(uint64_t seed)
{
    struct random_forest_params params = {
        .seed = seed, .classes = CLASSES, .trees = 3, .depth = 5, .split_percent = 90, .offset_max = 9, .size_max = 9};
    struct view_shared_forest *forest = view_shared_forest_create(random_forest(&params), true, 0);

    assert_non_null(forest);
    return forest;
}

static void open_app(bool complete, struct view_app *app)
{
    open_app_with((struct view_app_params){.canvas = canvas, .complete = complete}, app);
    app->scene.overview_pixels = OVERVIEW_PIXELS;
    app->scene.labelling.parted.side = CELL;
}

static void close_app(struct view_app *app)
{
    assert_int_equal(view_app_destroy(app), 0);
}

static void frame(struct view_app *app)
{
    struct view_frame extra = {.read = true};

    assert_int_equal(view_app_poll(app, 0.0), SHW_OK);
    assert_int_equal(view_app_frame(app, &extra), SHW_OK);
}

static void settle(struct view_app *app)
{
    do
        frame(app);
    while (!view_scene_is_current(&app->scene));
    frame(app);
    assert_int_equal(view_frames_wait(&app->gpu, &app->frames), SHW_OK);
}

static struct testing_labelling label_all(const struct view_app *app)
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

/* The step of what is seen at a zoom: one or more labels for each pixel of the canvas, but not more than there are and
 * not more than an image can have side by side. */
static uint32_t step_of(const struct view_scene *scene)
{
    const struct view_place *place = &scene->place;
    uint32_t step = place->zoom < 256 ? 256 / place->zoom : 1, coarse = 1;

    while (((WIDTH + coarse - 1) / coarse) * ((HEIGHT + coarse - 1) / coarse) > scene->overview_pixels ||
           (WIDTH + coarse - 1) / coarse > scene->longest || (HEIGHT + coarse - 1) / coarse > scene->longest)
        coarse++;
    assert_true(coarse > 2);
    while (seen_steps(place->offset_x, place->zoom, canvas.width, WIDTH, step) > scene->longest ||
           seen_steps(place->offset_y, place->zoom, canvas.height, HEIGHT, step) > scene->longest)
        step++;
    return step < coarse ? step : coarse;
}

/* What a plain program would draw at (x, y) of the canvas. */
static void draw(struct view_app *app, const struct testing_labelling *labels, const uint16_t *painted, uint32_t x,
                 uint32_t y, uint8_t pixel[3])
{
    const struct view_scene *scene = &app->scene;
    const struct shw_image *image = &scene->picture->image;
    int64_t across = (int64_t)x * 256 + 128 - scene->place.offset_x,
            down = (int64_t)y * 256 + 128 - scene->place.offset_y, step = step_of(scene);
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

static void check_canvas(struct view_app *app, const struct testing_labelling *labels, const uint16_t *painted)
{
    const uint8_t *seen = app->canvas.back.mapped;

    for (uint32_t y = 0; y < canvas.height; y++)
        for (uint32_t x = 0; x < canvas.width; x++, seen += 4) {
            uint8_t expected[3];
            draw(app, labels, painted, x, y, expected);
            for (int c = 0; c < 3; c++)
                if (seen[c] != expected[c])
                    fail_msg("zoom %u at %d, %d: pixel %u, %u is (%u, %u, %u), not (%u, %u, %u)", app->scene.place.zoom,
                             app->scene.place.offset_x, app->scene.place.offset_y, x, y, seen[0], seen[1], seen[2],
                             expected[0], expected[1], expected[2]);
        }
}

/* A zoom from everything to a few pixels, anywhere. */
static void go_somewhere(struct view_app *app, struct testing_random *random)
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

/* `longest`: what sides of images may be; 0: as the device says. */
static void check_views(bool complete, enum shw_pixel_format format, uint32_t longest)
{
    struct testing_random random = {7};
    struct testing_labelling labels;
    struct view_app app;

    open_app(complete, &app);
    if (longest > 0) {
        app.scene.overview_pixels = VIEW_OVERVIEW_PIXELS;
        app.scene.longest = longest;
    }
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, format, false)), SHW_OK);
    labels = label_all(&app);
    for (int i = 0; i < 25; i++) {
        go_somewhere(&app, &random);
        if (i % 3 == 0) /* on to the next place before this one is labelled */
            frame(&app);
        else {
            settle(&app);
            assert_false(view_labelling_is_preview(&app.scene.labelling));
            check_canvas(&app, &labels, NULL);
            for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
                const struct shw_part part = view_scene_part(&app.scene, l);
                assert_true(part.width <= app.scene.longest && part.height <= app.scene.longest);
            }
        }
        if (i == 12) { /* another forest, other labels */
            assert_int_equal(view_scene_set_forest(&app.scene, make_forest(2)), SHW_OK);
            testing_labelling_free(&labels);
            labels = label_all(&app);
        }
    }
    testing_labelling_free(&labels);
    close_app(&app);
}

static void every_zoom_shows_the_pictures_labels(void **state)
{
    (void)state;
    check_views(false, SHW_PIXEL_RGB8, 0);
    check_views(true, SHW_PIXEL_RGB8, 0);
}

/* Pictures with few pixels and sides that are longer than an image of the device. */
static void no_image_is_longer_than_the_devices(void **state)
{
    static const uint32_t sizes[][2] = {{1, 700}, {700, 1}, {257, 3}, {256, 4}, {4, 256}, {255, 2}, {2, 65535}};
    struct view_app app;

    (void)state;
    check_views(false, SHW_PIXEL_RGB8, 34);
    check_views(true, SHW_PIXEL_RGB8, 34);
    open_app_with((struct view_app_params){.canvas = canvas, .complete = true}, &app);
    app.gpu.properties.limits.maxImageDimension2D = 256;
    app.scene.longest = 255;
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct view_image *argmax, *planes;
        struct view_picture *picture = make_picture_of(sizes[i][0], sizes[i][1], i, SHW_PIXEL_RGB8, i == 0);
        const struct view_part_labels *shown = &app.scene.labelling.parted.layers[VIEW_OVERVIEW];
        struct testing_labelling labels;

        assert_int_equal(view_app_show(&app, picture), SHW_OK);
        settle(&app);
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        while (!view_scene_is_complete(&app.scene))
            frame(&app);
        assert_int_equal(view_app_run(&app, "zoom fit"), SHW_OK);
        settle(&app);
        labels = label_all(&app);
        view_labelling_images(&app.scene.labelling, VIEW_OVERVIEW, &argmax, &planes);
        assert_non_null(argmax);
        for (uint32_t p = 0; shown->known && p < shown->part.width * shown->part.height; p++)
            assert_int_equal(shown->argmax[p],
                             labels.out.argmax[p / shown->part.width * shown->part.step * sizes[i][0] +
                                               p % shown->part.width * shown->part.step]);
        assert_int_equal(shown->known, sizes[i][0] > 255 || sizes[i][1] > 255);
        testing_labelling_free(&labels);
    }
    close_app(&app);
}

/* A device without the images for a picture shows the next one. */
static void a_picture_that_cannot_be_shown_is_left(void **state)
{
    struct view_frame extra = {.read = true};
    struct testing_labelling labels;
    struct view_app app;
    uint32_t most;

    (void)state;
    open_app(true, &app);
    most = app.gpu.properties.limits.maxImageDimension2D;
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    for (int i = 0; i < 2; i++) {
        app.gpu.properties.limits.maxImageDimension2D = 64; /* too few for the detail */
        assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        assert_int_equal(view_app_frame_anyhow(&app, &extra), SHW_OK);
        assert_null(app.scene.picture);
        assert_int_equal(view_app_frame_anyhow(&app, &extra), SHW_OK);
        app.gpu.properties.limits.maxImageDimension2D = 4; /* nor for the overview */
        assert_int_equal(view_app_show(&app, make_picture(2, SHW_PIXEL_RGB8, false)), SHW_ERROR_UNSUPPORTED);
        assert_int_equal(view_app_frame_anyhow(&app, &extra), SHW_OK);
        app.gpu.properties.limits.maxImageDimension2D = most;
        assert_int_equal(view_app_show(&app, make_picture(3, SHW_PIXEL_RGB8, false)), SHW_OK);
        settle(&app);
        labels = label_all(&app);
        check_canvas(&app, &labels, NULL);
        testing_labelling_free(&labels);
    }
    close_app(&app);
}

static void pictures_of_16_bits(void **state)
{
    (void)state;
    check_views(false, SHW_PIXEL_GREY16, 0);
}

/* The same with other modes: nothing is drawn that is not there. */
static void every_mode_is_drawn(void **state)
{
    struct view_app app;

    (void)state;
    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
    assert_int_equal(view_app_run(&app, "overlay none"), SHW_OK);
    settle(&app);
    check_canvas(&app, NULL, NULL);
    for (uint32_t m = 0; m < VIEW_MODE_COUNT; m++) {
        char line[64];
        snprintf(line, sizeof line, "overlay %s", view_mode_names[m]);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        settle(&app);
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        settle(&app);
        assert_int_equal(view_app_run(&app, "zoom fit"), SHW_OK);
    }
    close_app(&app);
}

/* At the zoom of pixel for pixel, `truth` is the truth. */
static void truth_is_the_pictures(void **state)
{
    struct testing_labelling truth = {.width = WIDTH, .height = HEIGHT};
    struct testing_random random = {3};
    struct view_app app;

    (void)state;
    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
    assert_int_equal(view_app_run(&app, "overlay truth"), SHW_OK);
    truth.out.argmax = app.scene.picture->labels;
    for (int i = 0; i < 8; i++) {
        go_somewhere(&app, &random);
        settle(&app);
        check_canvas(&app, &truth, NULL);
    }
    close_app(&app);
}

/* A channel of the whole picture, or its sums over each pixel and all to the left of it and above. */
static void whole_channel(const struct view_app *app, uint32_t channel, bool integral, double *values)
{
    const struct shw_channel_list *list = view_channels_list(&app->scene);
    size_t pixels = (size_t)WIDTH * HEIGHT;
    int16_t *planes = malloc(list->channel_count * pixels * sizeof *planes);

    assert_non_null(planes);
    assert_int_equal(
        shw_channels_cpu(list, &(struct shw_channel_images){{&app->scene.picture->image}}, NULL, planes, NULL), SHW_OK);
    for (size_t i = 0; i < pixels; i++) {
        size_t x = i % WIDTH, y = i / WIDTH;
        values[i] = planes[channel * pixels + i];
        if (integral)
            values[i] += (x > 0 ? values[i - 1] : 0.0) + (y > 0 ? values[i - WIDTH] : 0.0) -
                         (x > 0 && y > 0 ? values[i - WIDTH - 1] : 0.0);
    }
    free(planes);
}

/* `coarse`: at the overview's step, whatever the zoom. */
static void check_greys(struct view_app *app, const double *values, bool coarse)
{
    const struct view_place *place = &app->scene.place;
    const uint8_t *seen = app->canvas.back.mapped;
    int64_t step = coarse ? view_scene_part(&app->scene, VIEW_OVERVIEW).step : step_of(&app->scene);
    double low = (double)app->inside.channels.low, high = (double)app->inside.channels.high;
    uint32_t checked = 0;

    for (uint32_t y = 0; y < canvas.height; y++)
        for (uint32_t x = 0; x < canvas.width; x++, seen += 4) {
            int64_t across = ((int64_t)x * 256 + 128 - place->offset_x),
                    down = (int64_t)y * 256 + 128 - place->offset_y;
            double grey;
            if (across < 0 || down < 0 || across / place->zoom >= WIDTH || down / place->zoom >= HEIGHT)
                continue;
            across = across / place->zoom / step * step;
            down = down / place->zoom / step * step;
            grey = 255.0 * (values[down * WIDTH + across] - low) / (high - low);
            grey = grey < 0.0 ? 0.0 : grey > 255.0 ? 255.0 : grey;
            assert_true(fabs(seen[0] - grey) <= 0.51);
            checked++;
        }
    assert_true(checked > 0);
}

/* Channels at the pixels that are seen, also those with negative values; integral images of the overview's. */
static void channels_are_seen(void **state)
{
    static double values[WIDTH * HEIGHT];
    struct testing_random random = {13};

    (void)state;
    for (int complete = 0; complete < 2; complete++) {
        struct view_app app;
        open_app(complete == 1, &app);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
        assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
        for (int i = 0; i < 12; i++) {
            uint32_t channel = testing_random_below(&random, view_channels_list(&app.scene)->channel_count);
            bool integral = i % 3 == 2;
            char line[32];
            snprintf(line, sizeof line, "channel %u", channel);
            assert_int_equal(view_app_run(&app, line), SHW_OK);
            assert_int_equal(view_app_run(&app, integral ? "overlay integral" : "overlay channel"), SHW_OK);
            go_somewhere(&app, &random);
            do
                settle(&app);
            while (app.inside.channels.pending);
            whole_channel(&app, channel, integral, values);
            check_greys(&app, values, integral);
        }
        close_app(&app);
    }
}

static void copy_strokes(struct view_app *app, uint16_t *painted)
{
    struct shw_picture_labels *labels = view_painting_labels(&app->teaching.painting);

    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        painted[i] = labels != NULL ? shw_picture_labels_get(labels, i % WIDTH, i / WIDTH) : SHW_LABEL_VOID;
}

/* Strokes are seen at every zoom, while they are painted and when the view moves. */
static void strokes_are_seen(void **state)
{
    static uint16_t painted[WIDTH * HEIGHT];
    struct testing_random random = {11};
    struct view_app app;

    (void)state;
    open_app(true, &app);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class a"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class b"), SHW_OK);
    for (int i = 0; i < 20; i++) {
        char line[96];
        if (i % 2 == 0)
            go_somewhere(&app, &random);
        snprintf(line, sizeof line, "stroke %s %u %u %u %u %u", i % 2 == 0 ? "a" : "b",
                 testing_random_below(&random, 6), testing_random_below(&random, WIDTH),
                 testing_random_below(&random, HEIGHT), testing_random_below(&random, WIDTH),
                 testing_random_below(&random, HEIGHT));
        assert_int_equal(view_app_run(&app, i == 13 ? "undo" : line), SHW_OK);
        settle(&app);
        copy_strokes(&app, painted);
        check_canvas(&app, NULL, painted);
    }
    close_app(&app);
}

/* Many strokes that are all to be painted again: the window is looked at after each, nothing is drawn that is not
 * known, and training waits. */
static void many_strokes_are_painted_little_by_little(void **state)
{
    static uint16_t painted[WIDTH * HEIGHT];
    const struct view_painting *painting;
    struct view_train_status status;
    struct view_app app;
    uint32_t frames = 0;

    (void)state;
    open_app(false, &app);
    painting = &app.teaching.painting;
    app.teaching.painting.slice = 0.0;
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    settle(&app);
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "overlay none"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class a"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class b"), SHW_OK);
    for (int i = 0; i < 40; i++) {
        char line[64];
        snprintf(line, sizeof line, "stroke %s 2 %d %d 80 %d", i % 2 == 0 ? "a" : "b", 2 * i, i, 3 + i);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
    }
    assert_int_equal(view_app_run(&app, "delete-class a"), SHW_OK);
    assert_int_equal(view_app_run(&app, "undo"), SHW_OK);
    for (;;) {
        frame(&app);
        view_train_worker_get_status(app.teaching.worker, &status);
        if (view_painting_is_prepared(painting))
            break;
        frames++;
        assert_int_equal(status.state, VIEW_TRAIN_IDLE);
        assert_int_equal(view_frames_wait(&app.gpu, &app.frames), SHW_OK);
        check_canvas(&app, NULL, NULL);
        assert_true(frames < 1000);
    }
    assert_true(frames > 10);
    settle(&app);
    copy_strokes(&app, painted);
    check_canvas(&app, NULL, painted);
    view_train_worker_get_status(app.teaching.worker, &status);
    assert_true(status.state != VIEW_TRAIN_IDLE);
    close_app(&app);
}

/* A snapshot in tiles, composed while another picture is shown: what a plain program would draw, pixel for pixel. */
static void snapshots_are_made_in_the_background(void **state)
{
    static uint16_t painted[WIDTH * HEIGHT];
    static const char *const modes[] = {"argmax", "truth"};
    struct view_app app;
    char line[600];

    (void)state;
    open_app(false, &app);
    app.snapshots.tile = 37;
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
    for (uint32_t c = 0; c < CLASSES; c++) {
        snprintf(line, sizeof line, "add-class class%u", c);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
    }
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
    assert_int_equal(view_app_run(&app, "stroke class1 6 10 10 70 60"), SHW_OK);
    for (int m = 0; m < 2; m++) {
        struct testing_labelling labels = label_all(&app), truth = {.width = WIDTH, .height = HEIGHT};
        struct shw_image_file file;

        copy_strokes(&app, painted);
        snprintf(line, sizeof line, "overlay %s", modes[m]);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        snprintf(line, sizeof line, "snapshot %s", testing_path(m == 0 ? "one.png" : "two.png"));
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        assert_true(view_snapshots_are_busy(&app.snapshots)); /* nobody has polled */
        assert_int_equal(view_app_show(&app, make_picture(9, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_int_equal(view_app_run(&app, "stroke class2 9 3 60 70 2"), SHW_OK);
        while (view_snapshots_are_busy(&app.snapshots))
            frame(&app);
        assert_int_equal(shw_image_file_read(testing_path(m == 0 ? "one.png" : "two.png"), NULL, NULL, &file), SHW_OK);
        assert_int_equal(file.image.width, WIDTH);
        assert_int_equal(file.image.height, HEIGHT);
        assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
        settle(&app); /* it is the shown picture again: its colours are compared */
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        app.scene.place = (struct view_place){0, 0, 256};
        truth.out.argmax = app.scene.picture->labels;
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                const uint8_t *is = (const uint8_t *)file.image.pixels + 3 * ((size_t)y * WIDTH + x);
                uint8_t expected[3];
                draw(&app, m == 0 ? &labels : &truth, painted, x, y, expected);
                if (memcmp(is, expected, 3) != 0)
                    fail_msg("overlay %s: pixel %u, %u is (%u, %u, %u), not (%u, %u, %u)", modes[m], x, y, is[0], is[1],
                             is[2], expected[0], expected[1], expected[2]);
            }
        shw_image_file_free(&file);
        testing_labelling_free(&labels);
    }
    close_app(&app);
}

/* Until labels are exact, those of before are seen, and it is said that they are a preview. */
static void what_is_not_exact_is_a_preview(void **state)
{
    struct view_app app;

    (void)state;
    open_app(false, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_false(view_labelling_is_preview(&app.scene.labelling)); /* nothing is seen yet */
    settle(&app);
    assert_false(view_labelling_is_preview(&app.scene.labelling));
    while (!view_scene_is_complete(&app.scene))
        frame(&app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(2)), SHW_OK);
    assert_false(view_scene_is_current(&app.scene));
    frame(&app); /* nothing can be exact before the frame after the one in which it begins */
    assert_true(view_labelling_has_labels(&app.scene.labelling));
    assert_true(view_labelling_is_preview(&app.scene.labelling));
    settle(&app);
    assert_false(view_labelling_is_preview(&app.scene.labelling));
    close_app(&app);
}

/* A label is that of its pixel, that of the middle of its block or not known; two forests follow each other so that a
 * sketch may be left incomplete. */
static void a_sketch_comes_first(void **state)
{
    struct testing_labelling of[2];
    struct view_app app;
    const struct view_part_labels *shown;
    uint32_t side, step;

    (void)state;
    open_app(false, &app);
    app.scene.labelling.parted.sketch = 20;
    shown = &app.scene.labelling.parted.layers[VIEW_OVERVIEW];
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    for (uint64_t f = 0; f < 2; f++) {
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1 + f)), SHW_OK);
        of[f] = label_all(&app);
        do {
            frame(&app);
            side = shown->known ? view_part_labels_block_side(&shown->part, 20) : 1;
            step = shown->part.step;
            for (uint32_t i = 0; shown->known && i < shown->part.width * shown->part.height; i++) {
                uint32_t x = i % shown->part.width, y = i / shown->part.width;
                uint32_t left = x / side * side, top = y / side * side;
                uint32_t width = shown->part.width - left < side ? shown->part.width - left : side;
                uint32_t height = shown->part.height - top < side ? shown->part.height - top : side;
                uint32_t middle = (top + height / 2) * step * WIDTH + (left + width / 2) * step;
                bool good = shown->argmax[i] == VIEW_NO_LABEL && !shown->covered;
                for (uint64_t g = 0; g <= f; g++)
                    good = good || shown->argmax[i] == of[g].out.argmax[y * step * WIDTH + x * step] ||
                           shown->argmax[i] == of[g].out.argmax[middle];
                if (!good)
                    fail_msg("forest %llu label %u is %u covered %d block side %u exact %u", (unsigned long long)f, i,
                             shown->argmax[i], shown->covered, side, shown->exact_count);
            }
        } while (f == 0 ? !shown->known : !view_scene_is_complete(&app.scene));
    }
    assert_true(shown->covered);
    for (uint32_t i = 0; i < shown->part.width * shown->part.height; i++)
        assert_int_equal(shown->argmax[i],
                         of[1].out.argmax[i / shown->part.width * step * WIDTH + i % shown->part.width * step]);
    testing_labelling_free(&of[0]);
    testing_labelling_free(&of[1]);
    close_app(&app);
}

/* A picture that follows another waits for its labels, as small ones do. */
static void the_next_picture_comes_with_its_labels(void **state)
{
    struct testing_labelling labels;
    struct view_app app;

    (void)state;
    open_app(false, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    settle(&app);
    for (uint64_t next = 2; next < 6; next++) {
        const struct view_picture *before = app.scene.picture;
        assert_int_equal(view_app_show(&app, make_picture(next, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_ptr_equal(app.scene.picture, before);
        if (next == 3) /* it waits for those of another forest then */
            assert_int_equal(view_scene_set_forest(&app.scene, make_forest(2)), SHW_OK);
        if (next == 4)
            assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        settle(&app);
        assert_ptr_not_equal(app.scene.picture, before);
        labels = label_all(&app);
        check_canvas(&app, &labels, NULL);
        testing_labelling_free(&labels);
    }
    close_app(&app);
}

/* Shares are those of the overview's pixels. */
static void shares_are_counted_in_the_overview(void **state)
{
    struct testing_labelling labels;
    struct shw_part part;
    double counts[CLASSES] = {0};
    struct view_app app;

    (void)state;
    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
    assert_int_equal(view_app_run(&app, "shares"), SHW_OK);
    labels = label_all(&app);
    part = view_scene_part(&app.scene, VIEW_OVERVIEW);
    for (uint32_t j = 0; j < part.height; j++)
        for (uint32_t i = 0; i < part.width; i++)
            counts[labels.out.argmax[j * part.step * WIDTH + i * part.step]]++;
    for (uint32_t c = 0; c < CLASSES; c++)
        assert_true(fabs((double)app.scene.shares.shares[c] - counts[c] / part.width / part.height) < 1e-6);
    testing_labelling_free(&labels);
    close_app(&app);
}

struct stood_for {
    const struct testing_labelling *labels;
    struct shw_part detail, overview;
};

/* Of the detail where it is, otherwise of the overview; each label stands for a square of pixels. */
static uint16_t label_stood_for(const void *user, uint32_t x, uint32_t y)
{
    const struct stood_for *of = user;
    const struct shw_part *part = &of->detail;

    if (part->width == 0 || x < part->x || y < part->y || (x - part->x) / part->step >= part->width ||
        (y - part->y) / part->step >= part->height)
        part = &of->overview;
    x = part->x + (x - part->x) / part->step * part->step;
    y = part->y + (y - part->y) / part->step * part->step;
    return of->labels->out.argmax[y * WIDTH + x];
}

/* A pixel whose label goes on in the overview around a view of it. */
static void find_seed(const struct testing_labelling *labels, uint32_t *x, uint32_t *y)
{
    const uint16_t *argmax = labels->out.argmax;

    for (*y = 24; *y < HEIGHT - 24; (*y)++)
        for (*x = 24; *x < WIDTH - 24; (*x)++) {
            bool alike = true;
            for (uint32_t i = 0; i < 12; i++)
                alike = alike && argmax[*y * WIDTH + *x] == argmax[*y * WIDTH + *x - i];
            if (alike)
                return;
        }
    fail_msg("no such pixel");
}

/* A view and another forest that no frame has looked at yet: the wand waits for their labels, also for those beyond the
 * view that its region reaches. */
static void check_wand(bool complete)
{
    static const char *const zooms[] = {"fit", "1", "0.6", "30"};
    static uint16_t painted[WIDTH * HEIGHT];
    struct testing_labelling labels;
    struct view_app app;
    bool went_far = false;

    open_app(complete, &app);
    for (int z = 0; z < 4; z++) {
        struct stood_for of = {.labels = &labels};
        struct view_values values = {WIDTH, HEIGHT, label_stood_for, &of};
        struct view_runs runs = {0};
        uint64_t count = 0;
        uint32_t x, y;
        unsigned sides;
        char line[64];

        assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
        assert_int_equal(view_app_run(&app, "add-class one"), SHW_OK);
        assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(2)), SHW_OK);
        assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_int_equal(view_app_run(&app, "zoom 0.2"), SHW_OK);
        settle(&app);
        assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
        labels = label_all(&app);
        find_seed(&labels, &x, &y);
        snprintf(line, sizeof line, "zoom %s", zooms[z]);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        snprintf(line, sizeof line, "centre %u %u", x, y);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        if (z == 3) { /* loaded, so that what is seen is labelled before the overview */
            settle(&app);
            assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
        }
        snprintf(line, sizeof line, "wand one %u %u", x, y);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        frame(&app);
        assert_true(app.teaching.wand.waits);
        for (; view_wand_is_under_way(&app.teaching.wand); frame(&app))
            went_far = went_far || app.teaching.wand.far;
        settle(&app);
        of.overview = view_scene_part(&app.scene, VIEW_OVERVIEW);
        of.detail = view_scene_part(&app.scene, VIEW_DETAIL);
        assert_int_equal(view_region_grow(&values, x, y, 0, &runs, &sides), SHW_OK);
        assert_int_equal(shw_project_copy_labels(app.teaching.project.data, 0, 0, 0, WIDTH, HEIGHT, 1, painted),
                         SHW_OK);
        for (uint32_t p = 0; p < WIDTH * HEIGHT; p++)
            count += painted[p] == 0;
        assert_true(count == runs.pixels);
        for (uint32_t r = 0; r < runs.count; r += 2)
            for (int32_t i = runs.points[r].x; i <= runs.points[r + 1].x; i++)
                assert_int_equal(painted[runs.points[r].y * WIDTH + i], 0);
        view_runs_free(&runs);
        testing_labelling_free(&labels);
    }
    assert_true(went_far);
    close_app(&app);
}

static void the_wand_takes_what_is_seen(void **state)
{
    (void)state;
    check_wand(true);
    check_wand(false);
}

/* Also before a frame has looked at it. */
static void another_view_is_not_current(void **state)
{
    static const char *const lines[] = {"zoom 1", "zoom 0.2", "zoom 0.4", "zoom 5", "centre 80 60", "pan 300 200"};
    struct view_app app;

    (void)state;
    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "zoom 0.2"), SHW_OK);
    settle(&app);
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        assert_int_equal(view_app_run(&app, lines[l]), SHW_OK);
        assert_false(view_scene_is_current(&app.scene));
        settle(&app);
        assert_int_equal(view_app_run(&app, lines[l][0] == 'z' ? lines[l] : "zoom 5"), SHW_OK);
        assert_true(view_scene_is_current(&app.scene)); /* the same again */
    }
    assert_int_equal(view_app_resize(&app, (VkExtent2D){2 * canvas.width, canvas.height}), SHW_OK);
    assert_false(view_scene_is_current(&app.scene));
    close_app(&app);
}

/* Closing an outline too early keeps it; objects are forgotten with their forest. */
static void what_is_begun_stays_and_what_is_past_goes(void **state)
{
    struct view_app app;

    (void)state;
    open_app(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, make_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "objects on"), SHW_OK);
    while (app.objects.found == NULL)
        frame(&app);
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    frame(&app);
    assert_null(app.objects.found);
    assert_int_equal(view_app_run(&app, "add-class one"), SHW_OK);
    assert_true(view_outline_begin(&app.teaching.outline, 0, (struct shw_point){10, 10}));
    assert_true(view_outline_append(&app.teaching.outline, (struct shw_point){30, 10}));
    assert_int_equal(view_app_run(&app, "outline close"), SHW_ERROR_ARGUMENT);
    assert_int_equal(app.teaching.outline.count, 2);
    assert_true(view_outline_append(&app.teaching.outline, (struct shw_point){10, 30}));
    assert_int_equal(view_app_run(&app, "outline close"), SHW_OK);
    assert_int_equal(app.teaching.outline.count, 0);
    close_app(&app);
}

/* Small and large pictures in turns, with what is under way given up. */
static void sizes_change(void **state)
{
    struct testing_random random = {5};
    struct testing_labelling labels;
    struct view_app app;

    (void)state;
    open_app(false, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, make_forest(1)), SHW_OK);
    for (int i = 0; i < 8; i++) {
        struct view_picture *picture = make_picture((uint64_t)i, SHW_PIXEL_RGB8, false);
        if (i % 2 == 1) { /* few pixels */
            picture->image.width = 20;
            picture->image.height = 15;
        }
        assert_int_equal(view_app_show(&app, picture), SHW_OK);
        if (i % 3 == 0)
            go_somewhere(&app, &random);
        for (int f = 0; f < i; f++)
            frame(&app);
    }
    assert_int_equal(view_app_show(&app, make_picture(99, SHW_PIXEL_RGB8, false)), SHW_OK);
    settle(&app);
    labels = label_all(&app);
    check_canvas(&app, &labels, NULL);
    testing_labelling_free(&labels);
    assert_int_equal(view_scene_set_forest(&app.scene, NULL), SHW_OK);
    settle(&app);
    check_canvas(&app, NULL, NULL);
    close_app(&app);
}

/* Frames until what is seen is labelled; nothing waits for the device. */
static void settle_gently(struct view_app *app)
{
    do {
        assert_int_equal(view_app_poll(app, 0.0), SHW_OK);
        assert_int_equal(view_app_frame(app, NULL), SHW_OK);
    } while (!view_scene_is_complete(&app->scene));
}

/* While pictures are opened, zoomed, painted on and labelled, the thread that draws waits for nothing but the frame
 * before the last one. */
static void nothing_waits(void **state)
{
    struct testing_random random = {17};
    const struct view_watch *watch;
    struct view_app app;
    uint64_t before;

    (void)state;
    open_app(false, &app);
    watch = &app.frames.watch;
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class a"), SHW_OK);
    view_frames_clear_times(&app.frames);
    for (int i = 0; i < 16; i++) {
        char line[64];
        if (i % 4 == 0) {
            struct view_picture *picture = make_picture((uint64_t)i, SHW_PIXEL_RGB8, i % 8 == 0);
            if (i == 4) {
                picture->image.height -= 9;
                picture->name[0] = 'L'; /* another one */
            }
            assert_int_equal(view_app_show(&app, picture), SHW_OK);
            assert_int_equal(view_app_frame(&app, NULL), SHW_OK);
        }
        if (i % 4 == 1)
            assert_int_equal(view_scene_set_forest(&app.scene, make_forest((uint64_t)i)), SHW_OK);
        go_somewhere(&app, &random);
        snprintf(line, sizeof line, "stroke a 3 %u 20 %u 50", testing_random_below(&random, WIDTH),
                 testing_random_below(&random, WIDTH));
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        settle_gently(&app);
    }
    assert_true(watch->blocks[VIEW_BLOCK_SLOT] > 0);
    for (uint32_t kind = VIEW_BLOCK_FRAMES; kind < VIEW_BLOCK_COUNT; kind++)
        assert_int_equal(watch->blocks[kind], 0);
    before = watch->blocks[VIEW_BLOCK_FRAMES];
    assert_int_equal(view_frames_wait(&app.gpu, &app.frames), SHW_OK);
    assert_true(watch->blocks[VIEW_BLOCK_FRAMES] > before); /* what waits is counted */
    close_app(&app);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_zoom_shows_the_pictures_labels),
        cmocka_unit_test(no_image_is_longer_than_the_devices),
        cmocka_unit_test(a_picture_that_cannot_be_shown_is_left),
        cmocka_unit_test(pictures_of_16_bits),
        cmocka_unit_test(every_mode_is_drawn),
        cmocka_unit_test(truth_is_the_pictures),
        cmocka_unit_test(channels_are_seen),
        cmocka_unit_test(strokes_are_seen),
        cmocka_unit_test(many_strokes_are_painted_little_by_little),
        cmocka_unit_test(snapshots_are_made_in_the_background),
        cmocka_unit_test(what_is_not_exact_is_a_preview),
        cmocka_unit_test(a_sketch_comes_first),
        cmocka_unit_test(the_next_picture_comes_with_its_labels),
        cmocka_unit_test(shares_are_counted_in_the_overview),
        cmocka_unit_test(the_wand_takes_what_is_seen),
        cmocka_unit_test(another_view_is_not_current),
        cmocka_unit_test(what_is_begun_stays_and_what_is_past_goes),
        cmocka_unit_test(sizes_change),
        cmocka_unit_test(nothing_waits),
    };

    setenv("XDG_CACHE_HOME", testing_path(""), 1); /* where nothing is yet */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
