/* Labels of pictures with more pixels than are on the device at once: when they come, what is shown until then, and
 * what goes by them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "large_app.h"

/* Until labels are exact, those of before are seen, and it is said that they are a preview. */
TESTING_CASE(what_is_not_exact_is_a_preview)
{
    struct view_app app;

    large_open(false, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_false(view_labelling_is_preview(&app.scene.labelling)); /* nothing is seen yet */
    large_settle(&app);
    assert_false(view_labelling_is_preview(&app.scene.labelling));
    while (!view_scene_is_complete(&app.scene))
        large_frame(&app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(2)), SHW_OK);
    assert_false(view_scene_is_current(&app.scene));
    large_frame(&app); /* nothing can be exact before the frame after the one in which it begins */
    assert_true(view_labelling_has_labels(&app.scene.labelling));
    assert_true(view_labelling_is_preview(&app.scene.labelling));
    large_settle(&app);
    assert_false(view_labelling_is_preview(&app.scene.labelling));
    large_close(&app);
}

/* A label is that of its pixel, that of the middle of its block or not known; two forests follow each other so that a
 * sketch may be left incomplete. */
TESTING_CASE(a_sketch_comes_first)
{
    struct testing_labelling of[2];
    struct view_app app;
    const struct view_part_labels *shown;
    uint32_t side, step;

    large_open(false, &app);
    app.scene.labelling.parted.sketch = 20;
    shown = &app.scene.labelling.parted.layers[VIEW_OVERVIEW];
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    for (uint64_t f = 0; f < 2; f++) {
        assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1 + f)), SHW_OK);
        of[f] = large_label_all(&app);
        do {
            large_frame(&app);
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
    large_close(&app);
}

/* A picture that follows another waits for its labels, as small ones do. */
TESTING_CASE(the_next_picture_comes_with_its_labels)
{
    struct testing_labelling labels;
    struct view_app app;

    large_open(false, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    large_settle(&app);
    for (uint64_t next = 2; next < 6; next++) {
        const struct view_picture *before = app.scene.picture;
        assert_int_equal(view_app_show(&app, large_picture(next, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_ptr_equal(app.scene.picture, before);
        if (next == 3) /* it waits for those of another forest then */
            assert_int_equal(view_scene_set_forest(&app.scene, large_forest(2)), SHW_OK);
        if (next == 4)
            assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
        large_settle(&app);
        assert_ptr_not_equal(app.scene.picture, before);
        labels = large_label_all(&app);
        large_check_canvas(&app, &labels, NULL);
        testing_labelling_free(&labels);
    }
    large_close(&app);
}

/* Shares are those of the overview's pixels. */
TESTING_CASE(shares_are_counted_in_the_overview)
{
    struct testing_labelling labels;
    struct shw_part part;
    double counts[CLASSES] = {0};
    struct view_app app;

    large_open(false, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "zoom 1"), SHW_OK);
    large_frame(&app);
    assert_false(view_scene_shares_are_final(&app.scene)); /* only what is seen is labelled */
    assert_int_equal(view_app_run(&app, "shares"), SHW_OK);
    assert_true(view_scene_shares_are_final(&app.scene));
    labels = large_label_all(&app);
    part = view_scene_part(&app.scene, VIEW_OVERVIEW);
    for (uint32_t j = 0; j < part.height; j++)
        for (uint32_t i = 0; i < part.width; i++)
            counts[labels.out.argmax[j * part.step * WIDTH + i * part.step]]++;
    for (uint32_t c = 0; c < CLASSES; c++)
        assert_true(fabs((double)app.scene.shares.shares[c] - counts[c] / part.width / part.height) < 1e-6);
    testing_labelling_free(&labels);
    large_close(&app);
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

    large_open(complete, &app);
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
        assert_int_equal(view_scene_set_forest(&app.scene, large_forest(2)), SHW_OK);
        assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
        assert_int_equal(view_app_run(&app, "zoom 0.2"), SHW_OK);
        large_settle(&app);
        assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
        labels = large_label_all(&app);
        find_seed(&labels, &x, &y);
        snprintf(line, sizeof line, "zoom %s", zooms[z]);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        snprintf(line, sizeof line, "centre %u %u", x, y);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        if (z == 3) { /* loaded, so that what is seen is labelled before the overview */
            large_settle(&app);
            assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
        }
        snprintf(line, sizeof line, "wand one %u %u", x, y);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        large_frame(&app);
        assert_true(app.teaching.wand.waits);
        for (; view_wand_is_running(&app.teaching.wand); large_frame(&app))
            went_far = went_far || app.teaching.wand.far;
        large_settle(&app);
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
    large_close(&app);
}

TESTING_CASE(the_wand_takes_what_is_seen)
{
    check_wand(true);
    check_wand(false);
}

/* Also before a frame has looked at it. */
TESTING_CASE(another_view_is_not_current)
{
    static const char *const lines[] = {"zoom 1", "zoom 0.2", "zoom 0.4", "zoom 5", "centre 80 60", "pan 300 200"};
    struct view_app app;

    large_open(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "zoom 0.2"), SHW_OK);
    large_settle(&app);
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        assert_int_equal(view_app_run(&app, lines[l]), SHW_OK);
        assert_false(view_scene_is_current(&app.scene));
        large_settle(&app);
        assert_int_equal(view_app_run(&app, lines[l][0] == 'z' ? lines[l] : "zoom 5"), SHW_OK);
        assert_true(view_scene_is_current(&app.scene)); /* the same again */
    }
    assert_int_equal(view_app_resize(&app, (VkExtent2D){2 * large_canvas.width, large_canvas.height}), SHW_OK);
    assert_false(view_scene_is_current(&app.scene));
    large_close(&app);
}

/* Closing an outline too early keeps it; objects are forgotten with their forest. */
TESTING_CASE(what_is_begun_stays_and_what_is_past_goes)
{
    struct view_app app;

    large_open(true, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    assert_int_equal(view_app_show(&app, large_picture(1, SHW_PIXEL_RGB8, false)), SHW_OK);
    assert_int_equal(view_app_run(&app, "objects on"), SHW_OK);
    while (app.objects.found == NULL)
        large_frame(&app);
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    large_frame(&app);
    assert_null(app.objects.found);
    assert_int_equal(view_app_run(&app, "add-class one"), SHW_OK);
    assert_true(view_outline_begin(&app.teaching.outline, 0, (struct shw_point){10, 10}));
    assert_true(view_outline_append(&app.teaching.outline, (struct shw_point){30, 10}));
    assert_int_equal(view_app_run(&app, "outline close"), SHW_ERROR_ARGUMENT);
    assert_int_equal(app.teaching.outline.count, 2);
    assert_true(view_outline_append(&app.teaching.outline, (struct shw_point){10, 30}));
    assert_int_equal(view_app_run(&app, "outline close"), SHW_OK);
    assert_int_equal(app.teaching.outline.count, 0);
    large_close(&app);
}

/* Small and large pictures in turns, with what is under way given up. */
TESTING_CASE(sizes_change)
{
    struct testing_random random = {5};
    struct testing_labelling labels;
    struct view_app app;

    large_open(false, &app);
    assert_int_equal(view_scene_set_forest(&app.scene, large_forest(1)), SHW_OK);
    for (int i = 0; i < 8; i++) {
        struct view_picture *picture = large_picture((uint64_t)i, SHW_PIXEL_RGB8, false);
        if (i % 2 == 1) { /* few pixels */
            picture->image.width = 20;
            picture->image.height = 15;
        }
        assert_int_equal(view_app_show(&app, picture), SHW_OK);
        if (i % 3 == 0)
            large_go_somewhere(&app, &random);
        for (int f = 0; f < i; f++)
            large_frame(&app);
    }
    assert_int_equal(view_app_show(&app, large_picture(99, SHW_PIXEL_RGB8, false)), SHW_OK);
    large_settle(&app);
    labels = large_label_all(&app);
    large_check_canvas(&app, &labels, NULL);
    testing_labelling_free(&labels);
    assert_int_equal(view_scene_set_forest(&app.scene, NULL), SHW_OK);
    large_settle(&app);
    large_check_canvas(&app, NULL, NULL);
    large_close(&app);
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
TESTING_CASE(nothing_waits)
{
    struct testing_random random = {17};
    const struct view_watch *watch;
    struct view_app app;
    uint64_t before;

    large_open(false, &app);
    watch = &app.frames.watch;
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
    assert_int_equal(view_app_run(&app, "add-class a"), SHW_OK);
    view_frames_clear_times(&app.frames);
    for (int i = 0; i < 16; i++) {
        char line[64];
        if (i % 4 == 0) {
            struct view_picture *picture = large_picture((uint64_t)i, SHW_PIXEL_RGB8, i % 8 == 0);
            if (i == 4) {
                picture->image.height -= 9;
                picture->name[0] = 'L'; /* another one */
            }
            assert_int_equal(view_app_show(&app, picture), SHW_OK);
            assert_int_equal(view_app_frame(&app, NULL), SHW_OK);
        }
        if (i % 4 == 1)
            assert_int_equal(view_scene_set_forest(&app.scene, large_forest((uint64_t)i)), SHW_OK);
        large_go_somewhere(&app, &random);
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
    large_close(&app);
}

static int own_cache(void **state)
{
    (void)state;
    return setenv("XDG_CACHE_HOME", testing_path(""), 1) == 0 ? 0 : -1; /* where nothing is yet */
}
TESTING_FIXTURE(own_cache, NULL)
