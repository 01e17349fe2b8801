/* Pictures with more pixels than are on the device at once: whatever the zoom, what is seen are the picture's pixels
 * and the labels of the whole picture at those pixels, and strokes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "large_app.h"
#include "open_app.h"

/* `longest`: what sides of images may be; 0: as the device says. */
static void check_views(bool complete, enum shw_pixel_format format, uint32_t longest)
{
    struct testing_random random = {7};
    struct testing_labelling labels;
    struct view_app app;

    large_open(complete, &app);
    if (longest > 0) {
        app.scene.overview_pixels = VIEW_OVERVIEW_PIXELS;
        app.scene.longest = longest;
    }
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, format, false)), SHW_OK);
    labels = large_label_all(&app);
    for (int i = 0; i < 25; i++) {
        large_go_somewhere(&app, &random);
        if (i % 3 == 0) /* on to the next place before this one is labelled */
            large_frame(&app);
        else {
            large_settle(&app);
            assert_false(view_labelling_is_preview(&app.scene.labelling));
            large_check_canvas(&app, &labels, NULL);
            for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
                const struct shw_part part = view_scene_part(&app.scene, l);
                assert_true(part.width <= app.scene.longest && part.height <= app.scene.longest);
            }
        }
        if (i == 12) { /* another forest, other labels */
            assert_int_equal(view_scene_set_forest(&app.scene, large_forest(2)), SHW_OK);
            testing_labelling_free(&labels);
            labels = large_label_all(&app);
        }
    }
    testing_labelling_free(&labels);
    large_close(&app);
}

TESTING_CASE(every_zoom_shows_the_pictures_labels)
{
    check_views(false, SHW_PIXEL_RGB8, 0);
    check_views(true, SHW_PIXEL_RGB8, 0);
}

/* Pictures with few pixels and sides that are longer than an image of the device. */
TESTING_CASE(no_image_is_longer_than_the_devices)
{
    static const uint32_t sizes[][2] = {{1, 700}, {700, 1}, {257, 3}, {256, 4}, {4, 256}, {255, 2}, {2, 65535}};
    struct view_app app;

    check_views(false, SHW_PIXEL_RGB8, 34);
    check_views(true, SHW_PIXEL_RGB8, 34);
    open_app_with((struct view_app_params){.canvas = large_canvas, .complete = true}, &app);
    app.gpu.properties.limits.maxImageDimension2D = 256;
    app.scene.longest = 255;
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct view_image *argmax, *planes;
        struct view_picture *picture = large_picture_of(sizes[i][0], sizes[i][1], i, SHW_PIXEL_RGB8, i == 0);
        const struct view_part_labels *shown = &app.scene.labelling.parted.layers[VIEW_OVERVIEW];
        struct testing_labelling labels;

        assert_int_equal(view_app_show(&app, picture), SHW_OK);
        large_settle(&app);
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        while (!view_scene_is_complete(&app.scene))
            large_frame(&app);
        assert_int_equal(view_app_run(&app, "zoom fit"), SHW_OK);
        large_settle(&app);
        labels = large_label_all(&app);
        view_labelling_images(&app.scene.labelling, VIEW_OVERVIEW, &argmax, &planes);
        assert_non_null(argmax);
        for (uint32_t p = 0; shown->known && p < shown->part.width * shown->part.height; p++)
            assert_int_equal(shown->argmax[p],
                             labels.out.argmax[p / shown->part.width * shown->part.step * sizes[i][0] +
                                               p % shown->part.width * shown->part.step]);
        assert_int_equal(shown->known, sizes[i][0] > 255 || sizes[i][1] > 255);
        testing_labelling_free(&labels);
    }
    large_close(&app);
}

/* A device without the images for a picture shows the next one. */
TESTING_CASE(a_picture_that_cannot_be_shown_is_left)
{
    struct view_frame extra = {.read = true};
    struct testing_labelling labels;
    struct view_app app;
    uint32_t most;

    large_open(true, &app);
    most = app.gpu.properties.limits.maxImageDimension2D;
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    for (int i = 0; i < 2; i++) {
        app.gpu.properties.limits.maxImageDimension2D = 64; /* too few for the detail */
        assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        assert_int_equal(view_app_frame_anyhow(&app, &extra), SHW_OK);
        assert_null(app.scene.picture);
        assert_int_equal(view_app_frame_anyhow(&app, &extra), SHW_OK);
        app.gpu.properties.limits.maxImageDimension2D = 4; /* nor for the overview */
        assert_int_equal(view_app_show(&app, large_picture(2, SHW_PIXEL_RGB8, false)), SHW_ERROR_UNSUPPORTED);
        assert_int_equal(view_app_frame_anyhow(&app, &extra), SHW_OK);
        app.gpu.properties.limits.maxImageDimension2D = most;
        assert_int_equal(view_app_show(&app, large_picture(3, SHW_PIXEL_RGB8, false)), SHW_OK);
        large_settle(&app);
        labels = large_label_all(&app);
        large_check_canvas(&app, &labels, NULL);
        testing_labelling_free(&labels);
    }
    large_close(&app);
}

TESTING_CASE(pictures_of_16_bits)
{
    check_views(false, SHW_PIXEL_GREY16, 0);
}

/* The same with other modes: nothing is drawn that is not there. */
TESTING_CASE(every_mode_is_drawn)
{
    struct view_app app;

    large_open(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
    assert_int_equal(view_app_run(&app, "overlay none"), SHW_OK);
    large_settle(&app);
    large_check_canvas(&app, NULL, NULL);
    for (uint32_t m = 0; m < VIEW_MODE_COUNT; m++) {
        char line[64];
        snprintf(line, sizeof line, "overlay %s", view_overlay_kinds[m].name);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        large_settle(&app);
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        large_settle(&app);
        assert_int_equal(view_app_run(&app, "zoom fit"), SHW_OK);
    }
    large_close(&app);
}

/* At the zoom of pixel for pixel, `truth` is the truth. */
TESTING_CASE(truth_is_the_pictures)
{
    struct testing_labelling truth = {.width = WIDTH, .height = HEIGHT};
    struct testing_random random = {3};
    struct view_app app;

    large_open(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
    assert_int_equal(view_app_run(&app, "overlay truth"), SHW_OK);
    truth.out.argmax = app.scene.picture->labels;
    for (int i = 0; i < 8; i++) {
        large_go_somewhere(&app, &random);
        large_settle(&app);
        large_check_canvas(&app, &truth, NULL);
    }
    large_close(&app);
}

/* A channel of the whole picture, or its sums over each pixel and all to the left of it and above. */
static void whole_channel(const struct view_app *app, uint32_t channel, bool integral, double *values)
{
    const struct shw_channel_list *list = view_channels_list(&app->scene);
    size_t pixels = (size_t)WIDTH * HEIGHT;
    int16_t *planes = malloc(list->channel_count * pixels * sizeof *planes);

    assert_non_null(planes);
    assert_int_equal(
        shw_channels_cpu(list, &(struct shw_channel_images){.of = {&app->scene.picture->image}}, NULL, planes, NULL),
        SHW_OK);
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
    int64_t step = coarse ? view_scene_part(&app->scene, VIEW_OVERVIEW).step : large_step(&app->scene);
    double low = (double)app->inside.channels.low, high = (double)app->inside.channels.high;
    uint32_t checked = 0;

    for (uint32_t y = 0; y < large_canvas.height; y++)
        for (uint32_t x = 0; x < large_canvas.width; x++, seen += 4) {
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
TESTING_CASE(channels_are_seen)
{
    static double values[WIDTH * HEIGHT];
    struct testing_random random = {13};

    for (int complete = 0; complete < 2; complete++) {
        struct view_app app;
        large_open(complete == 1, &app);
        assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
        assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
        for (int i = 0; i < 12; i++) {
            uint32_t channel = testing_random_below(&random, view_channels_list(&app.scene)->channel_count);
            bool integral = i % 3 == 2;
            char line[32];
            snprintf(line, sizeof line, "channel %u", channel);
            assert_int_equal(view_app_run(&app, line), SHW_OK);
            assert_int_equal(view_app_run(&app, integral ? "overlay integral" : "overlay channel"), SHW_OK);
            large_go_somewhere(&app, &random);
            do
                large_settle(&app);
            while (app.inside.channels.pending);
            whole_channel(&app, channel, integral, values);
            check_greys(&app, values, integral);
        }
        large_close(&app);
    }
}

static void copy_strokes(struct view_app *app, uint16_t *painted)
{
    struct shw_picture_labels *labels = view_painting_labels(&app->teaching.painting);

    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        painted[i] = labels != NULL ? shw_picture_labels_get(labels, i % WIDTH, i / WIDTH) : SHW_LABEL_VOID;
}

/* Strokes are seen at every zoom, while they are painted and when the view moves. */
TESTING_CASE(strokes_are_seen)
{
    static uint16_t painted[WIDTH * HEIGHT];
    struct testing_random random = {11};
    struct view_app app;

    large_open(true, &app);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class a"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class b"), SHW_OK);
    for (int i = 0; i < 20; i++) {
        char line[96];
        if (i % 2 == 0)
            large_go_somewhere(&app, &random);
        snprintf(line, sizeof line, "stroke %s %u %u %u %u %u", i % 2 == 0 ? "a" : "b",
                 testing_random_below(&random, 6), testing_random_below(&random, WIDTH),
                 testing_random_below(&random, HEIGHT), testing_random_below(&random, WIDTH),
                 testing_random_below(&random, HEIGHT));
        assert_int_equal(view_app_run(&app, i == 13 ? "undo" : line), SHW_OK);
        large_settle(&app);
        copy_strokes(&app, painted);
        large_check_canvas(&app, NULL, painted);
    }
    large_close(&app);
}

/* Many strokes that are all to be painted again: the window is looked at after each, nothing is drawn that is not
 * known, and training waits. */
TESTING_CASE(many_strokes_are_painted_little_by_little)
{
    static uint16_t painted[WIDTH * HEIGHT];
    const struct view_painting *painting;
    struct view_train_status status;
    struct view_app app;
    uint32_t frames = 0;

    large_open(false, &app);
    painting = &app.teaching.painting;
    app.teaching.painting.slice = 0.0;
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    large_settle(&app);
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
        large_frame(&app);
        view_train_worker_get_status(app.teaching.worker, &status);
        if (view_painting_is_prepared(painting))
            break;
        frames++;
        assert_int_equal(status.state, VIEW_TRAIN_IDLE);
        assert_int_equal(view_frames_wait(&app.gpu, &app.frames), SHW_OK);
        large_check_canvas(&app, NULL, NULL);
        assert_true(frames < 1000);
    }
    assert_true(frames > 10);
    large_settle(&app);
    copy_strokes(&app, painted);
    large_check_canvas(&app, NULL, painted);
    view_train_worker_get_status(app.teaching.worker, &status);
    assert_true(status.state != VIEW_TRAIN_IDLE);
    large_close(&app);
}

/* A snapshot in tiles, composed while another picture is shown: what a plain program would draw, pixel for pixel. */
TESTING_CASE(snapshots_are_made_in_the_background)
{
    static uint16_t painted[WIDTH * HEIGHT];
    static const char *const modes[] = {"argmax", "truth"};
    struct view_app app;
    char line[600];

    large_open(false, &app);
    app.snapshots.tile = 37;
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
    for (uint32_t c = 0; c < CLASSES; c++) {
        snprintf(line, sizeof line, "add-class class%u", c);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
    }
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
    assert_int_equal(view_app_run(&app, "stroke class1 6 10 10 70 60"), SHW_OK);
    for (int m = 0; m < 2; m++) {
        struct testing_labelling labels = large_label_all(&app), truth = {.width = WIDTH, .height = HEIGHT};
        struct shw_image_file file;

        copy_strokes(&app, painted);
        snprintf(line, sizeof line, "overlay %s", modes[m]);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        snprintf(line, sizeof line, "snapshot %s", testing_path(m == 0 ? "one.png" : "two.png"));
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        assert_true(view_snapshots_are_busy(&app.snapshots)); /* nobody has polled */
        assert_int_equal(view_app_show(&app, large_picture(9, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_int_equal(view_app_run(&app, "stroke class2 9 3 60 70 2"), SHW_OK);
        while (view_snapshots_are_busy(&app.snapshots))
            large_frame(&app);
        assert_int_equal(shw_image_file_read(testing_path(m == 0 ? "one.png" : "two.png"), NULL, NULL, &file), SHW_OK);
        assert_int_equal(file.image.width, WIDTH);
        assert_int_equal(file.image.height, HEIGHT);
        assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, true)), SHW_OK);
        large_settle(&app); /* it is the shown picture again: its colours are compared */
        assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        app.scene.place = (struct view_place){0, 0, 256};
        truth.out.argmax = app.scene.picture->labels;
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                const uint8_t *is = (const uint8_t *)file.image.pixels + 3 * ((size_t)y * WIDTH + x);
                uint8_t expected[3];
                large_draw(&app, m == 0 ? &labels : &truth, painted, x, y, expected);
                if (memcmp(is, expected, 3) != 0)
                    fail_msg("overlay %s: pixel %u, %u is (%u, %u, %u), not (%u, %u, %u)", modes[m], x, y, is[0], is[1],
                             is[2], expected[0], expected[1], expected[2]);
            }
        shw_image_file_free(&file);
        testing_labelling_free(&labels);
    }
    large_close(&app);
}

static int own_cache(void **state)
{
    (void)state;
    return setenv("XDG_CACHE_HOME", testing_path(""), 1) == 0 ? 0 : -1; /* where nothing is yet */
}
TESTING_FIXTURE(own_cache, NULL)
