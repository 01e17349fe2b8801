#include "shell/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dataset/palette.h"
#include "ui/panels.h"

#define LONGEST_FRAME 0.25 /* seconds */
/* Milliseconds of a frame for labels: with 20 frames a second on processors, and 60 on GPUs, there is time for the
 * rest. */
#define CPU_BUDGET 20.0
#define GPU_BUDGET 8.0

static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct view_app *app = user;

    if (item == SHW_LOG_PROGRESS) /* training was given up, because there are newer strokes */
        return;
    fprintf(stderr, "shadewood-viewer: %s\n", text);
    if (level <= SHW_LOG_WARNING)
        view_toasts_add(&app->toasts, level == SHW_LOG_ERROR, text);
}

/* What `shadewood devices --calibrate` has stored. */
static void recall_calibration(struct view_app *app)
{
    struct shw_device_description description;

    shw_device_describe(app->gpu.shadewood, &description);
    app->calibrated = shw_calibration_file_load(&description, &app->log, &app->calibration);
}

enum shw_result view_app_create(const struct view_app_params *params, struct view_app *app)
{
    struct view_gpu_params gpu = {.index = params->device,
                                  .validation = params->validation,
                                  .extensions = params->extensions,
                                  .extension_count = params->extension_count};
    enum shw_result result;

    memset(app, 0, sizeof *app);
    view_toasts_init(&app->toasts);
    app->every_picture = params->every_picture;
    app->device = params->device;
    app->log = (struct shw_log){receive, app, SHW_LOG_WARNING};
    app->settings = (struct view_overlay_settings){.mode = VIEW_MODE_ARGMAX, .opacity = 50};
    app->place.zoom = VIEW_ZOOM_ONE;
    app->inspect.test = VIEW_ALL_TESTS;
    app->scale = app->display_scale = 1.0f;
    app->fitted = app->vsync = true;
    app->range.high = UINT16_MAX;
    gpu.log = app->log;
    SHW_TRY(view_gpu_create(&gpu, &app->gpu));
    recall_calibration(app);
    SHW_TRY(view_offscreen_create(&app->gpu, params->canvas, &app->canvas));
    app->area = view_panels_free_area(app);
    SHW_TRY(view_frames_create(&app->gpu, &app->frames));
    SHW_TRY(view_overlay_create(&app->gpu, app->canvas.pass, VIEW_SLOTS, &app->overlay));
    SHW_TRY(view_teaching_create(app));
    if (!params->complete)
        app->labelling.budget = app->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? CPU_BUDGET : GPU_BUDGET;
    return SHW_OK;

fail:
    view_app_destroy(app);
    return result;
}

unsigned view_app_destroy(struct view_app *app)
{
    unsigned messages;

    view_source_close(&app->source);
    view_frames_destroy(&app->gpu, &app->frames);
    view_teaching_destroy(app);
    view_panels_destroy(app);
    view_overlay_destroy(&app->gpu, &app->overlay);
    view_labelling_destroy(&app->gpu, &app->labelling);
    view_class_shares_destroy(&app->gpu, &app->shares);
    view_shown_destroy(&app->gpu, &app->shown);
    view_inspect_destroy(&app->inspect);
    view_texture_destroy(&app->gpu, &app->texture);
    view_channels_destroy(&app->gpu, &app->channels);
    view_offscreen_destroy(&app->gpu, &app->canvas);
    messages = view_gpu_destroy(&app->gpu);
    view_shared_forest_release(&app->forest);
    view_picture_free(app->picture);
    free(app->hidden);
    view_settings_free(&app->remembered);
    view_toasts_destroy(&app->toasts);
    memset(app, 0, sizeof *app);
    return messages;
}

uint32_t view_app_classes(const struct view_app *app, const struct shw_class **classes)
{
    uint32_t count = 0;

    *classes = NULL;
    if (app->teaching->project != NULL) {
        *classes = app->teaching->classes;
        return app->teaching->class_count;
    }
    if (app->forest != NULL) {
        *classes = shw_forest_get_info(app->forest->forest)->classes;
        return shw_forest_get_info(app->forest->forest)->class_count;
    }
    if (app->source != NULL)
        *classes = view_source_classes(app->source, &count);
    return *classes != NULL || app->picture == NULL ? count : app->truth_classes;
}

void view_app_colour_classes(struct view_app *app)
{
    const struct shw_class *classes;
    uint32_t described = view_app_classes(app, &classes);

    for (uint32_t c = 0; c < app->class_count; c++) {
        uint8_t colour[3];
        if (classes != NULL && c < described)
            memcpy(colour, classes[c].colour, 3);
        else
            shw_palette_default_colour(c, colour);
        view_overlay_set_class(app->overlay, c, colour, !app->hidden[c]);
    }
}

enum shw_result view_app_update_classes(struct view_app *app)
{
    const struct shw_class *classes;
    uint32_t count = view_app_classes(app, &classes);
    uint32_t planes = app->forest != NULL ? shw_forest_get_info(app->forest->forest)->class_count : 0;
    bool *hidden;

    count = count < planes ? planes : count;
    if (app->forest == NULL && count < app->class_count)
        count = app->class_count;
    if (count != app->class_count || planes != app->planes) {
        hidden = calloc(count + 1, sizeof *hidden);
        if (hidden == NULL)
            return shw_fail_memory(&app->log, "the classes");
        if (app->hidden != NULL)
            memcpy(hidden, app->hidden, (count < app->class_count ? count : app->class_count) * sizeof *hidden);
        free(app->hidden);
        app->hidden = hidden;
        app->class_count = app->planes = 0;
        SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
        SHW_PROPAGATE(view_overlay_set_classes(&app->gpu, app->overlay, count, planes));
        app->class_count = count;
        app->planes = planes;
    }
    view_app_colour_classes(app);
    return SHW_OK;
}

static uint32_t count_truth_classes(const struct view_picture *picture)
{
    size_t pixels = picture->labels != NULL ? (size_t)picture->image.width * picture->image.height : 0;
    uint32_t count = 0;

    for (size_t i = 0; i < pixels; i++)
        if (picture->labels[i] != SHW_LABEL_VOID && picture->labels[i] >= count)
            count = picture->labels[i] + 1u;
    return count;
}

enum shw_result view_app_take(struct view_app *app, struct view_picture *picture)
{
    enum shw_result result;

    view_picture_free(app->picture);
    app->picture = picture;
    app->truth_classes = count_truth_classes(picture);
    view_channels_new_picture(&app->channels);
    app->inspect.stale = true;
    if (app->auto_range && app->source != NULL)
        app->range = view_source_display_range(app->source);
    app->redraw = true;
    result = view_teaching_show(app);
    return result == SHW_OK ? view_app_update_classes(app) : result;
}

enum shw_result view_app_show(struct view_app *app, struct view_picture *picture)
{
    bool first = app->picture == NULL || app->picture->image.width != picture->image.width ||
                 app->picture->image.height != picture->image.height;
    bool renewed;
    enum shw_result result;

    if (view_labelling_defers(app, picture)) {
        view_labelling_defer(app, picture);
        return SHW_OK;
    }
    view_labelling_clear(app);
    result = view_shown_fit(&app->gpu, picture, &app->shown, &renewed);
    if (result == SHW_OK && renewed)
        result = view_overlay_fit(&app->gpu, app->overlay, app->shown.shown.extent);
    if (result != SHW_OK) {
        view_shown_destroy(&app->gpu, &app->shown);
        view_picture_free(picture);
        view_picture_free(app->picture);
        app->picture = NULL;
        return result;
    }
    app->upload = app->relabel = true;
    result = view_app_take(app, picture);
    if (first)
        view_app_fit(app);
    return result;
}

enum shw_result view_app_open(struct view_app *app, const char *spec)
{
    struct view_source_params params = {.spec = spec, .every_picture = app->every_picture, .log = app->log};
    struct view_source *source = NULL;

    SHW_PROPAGATE(view_source_open(&params, &source));
    view_source_close(&app->source);
    app->source = source;
    view_picture_free(app->labelling.coming);
    app->labelling.coming = NULL;
    app->opening = app->settle = true;
    return SHW_OK;
}

enum shw_result view_app_poll(struct view_app *app, double now)
{
    struct view_source_info info;
    struct view_picture *picture;
    enum shw_result result = SHW_OK;

    app->now = now;
    if (view_toasts_age(&app->toasts, now) && view_panels_are_on(app))
        app->redraw = true;
    app->redraw = app->redraw || view_labelling_needs_frames(app);
    SHW_TRY(view_teaching_poll(app));
    if (app->source == NULL)
        return SHW_OK;
    picture = view_source_poll(app->source, now);
    if (picture != NULL) {
        app->opening = false;
        result = view_app_show(app, picture);
    }
    view_source_info(app->source, &info);
    if (!info.pending) {
        if (app->settle && app->opening && result == SHW_OK)
            result = SHW_ERROR_IO; /* which was told */
        app->settle = false;
    }

fail:
    return result;
}

enum shw_result view_app_set_forest(struct view_app *app, struct view_shared_forest *forest)
{
    view_shared_forest_release(&app->forest);
    app->forest = forest;
    app->relabel = true;
    return view_app_update_classes(app);
}

const struct shw_image *view_app_image(const struct view_app *app)
{
    const struct view_picture *picture = app->texture.on ? app->texture.picture : app->picture;

    return picture != NULL ? &picture->image : NULL;
}

void view_app_fit(struct view_app *app)
{
    const struct view_area *area = &app->area;
    const struct shw_image *image = view_app_image(app);
    uint64_t across, down, zoom;

    app->fitted = true;
    if (image == NULL)
        return;
    across = (uint64_t)area->width * VIEW_ZOOM_ONE / image->width;
    down = (uint64_t)area->height * VIEW_ZOOM_ONE / image->height;
    zoom = across < down ? across : down;
    zoom = zoom < VIEW_ZOOM_MIN ? VIEW_ZOOM_MIN : zoom > VIEW_ZOOM_MAX ? VIEW_ZOOM_MAX : zoom;
    app->place.zoom = (uint32_t)zoom;
    app->place.offset_x =
        area->x * VIEW_ZOOM_ONE + ((int32_t)(area->width * VIEW_ZOOM_ONE) - (int32_t)(zoom * image->width)) / 2;
    app->place.offset_y =
        area->y * VIEW_ZOOM_ONE + ((int32_t)(area->height * VIEW_ZOOM_ONE) - (int32_t)(zoom * image->height)) / 2;
}

void view_app_area_changed(struct view_app *app)
{
    struct view_area old = app->area, new = view_panels_free_area(app);

    app->area = new;
    if (app->fitted)
        view_app_fit(app);
    else
        view_app_move(app, (2 * (int64_t)(new.x - old.x) + new.width - old.width) * VIEW_ZOOM_ONE / 2,
                      (2 * (int64_t)(new.y - old.y) + new.height - old.height) * VIEW_ZOOM_ONE / 2);
    app->redraw = true;
}

/* How far from the canvas a picture may lie. */
static int32_t limit_offset(int64_t offset)
{
    const int64_t limit = INT64_C(0x50000000);

    return (int32_t)(offset < -limit ? -limit : offset > limit ? limit : offset);
}

void view_app_move(struct view_app *app, int64_t x, int64_t y)
{
    struct view_place *place = &app->place;

    place->offset_x = limit_offset(place->offset_x + x);
    place->offset_y = limit_offset(place->offset_y + y);
    app->fitted = false;
}

uint32_t view_app_wipe_column(const struct view_app *app)
{
    return app->settings.wipe > 0 ? (uint32_t)app->area.x + app->area.width * app->settings.wipe / 100 : 0;
}

enum shw_result view_app_resize(struct view_app *app, VkExtent2D canvas)
{
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    SHW_PROPAGATE(view_offscreen_resize(&app->gpu, canvas, &app->canvas));
    view_app_area_changed(app);
    return SHW_OK;
}

void view_app_zoom(struct view_app *app, uint32_t zoom, int32_t x, int32_t y)
{
    struct view_place *place = &app->place;
    int64_t centre_x = (int64_t)x * VIEW_ZOOM_ONE, centre_y = (int64_t)y * VIEW_ZOOM_ONE;

    zoom = zoom < VIEW_ZOOM_MIN ? VIEW_ZOOM_MIN : zoom > VIEW_ZOOM_MAX ? VIEW_ZOOM_MAX : zoom;
    place->offset_x = limit_offset(centre_x - (centre_x - place->offset_x) * zoom / place->zoom);
    place->offset_y = limit_offset(centre_y - (centre_y - place->offset_y) * zoom / place->zoom);
    place->zoom = zoom;
    app->fitted = false;
}

/* The time between frames that follow each other; not that in which there was nothing to show. */
static void count_frame(struct view_frames *frames)
{
    double now = view_clock();

    if (now - frames->last < LONGEST_FRAME)
        view_times_add(&frames->times, VIEW_TIME_FRAME, (now - frames->last) * 1e3);
    frames->last = now;
}

/* What is drawn over the picture, or in its place. */
static void look_inside(struct view_app *app, struct view_frame *frame)
{
    struct view_texture *texture = &app->texture;

    frame->plane = &app->channels.plane;
    frame->marks = app->inspect.marks;
    frame->mark_count = view_inspect_mark(&app->inspect);
    if (!texture->on)
        return;
    frame->instead = &texture->shown;
    frame->texture = texture->upload ? texture->picture : NULL;
    frame->settings.mode = VIEW_MODE_NONE;
    frame->wipe_column = 0;
    frame->marks = texture->marks;
    frame->mark_count = view_texture_mark(app);
}

static bool counts_classes(const struct view_app *app)
{
    return app->count_classes || view_panels_open(app, "classes");
}

/* Room to count the labels by class, if anyone looks. */
static enum shw_result fit_shares(struct view_app *app)
{
    if (app->class_count == 0 || app->shares.classes == app->class_count || !counts_classes(app))
        return SHW_OK;
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    return view_class_shares_create(&app->gpu, app->class_count, &app->shares);
}

enum shw_result view_app_frame(struct view_app *app, const struct view_frame *extra)
{
    struct view_frame frame = extra != NULL ? *extra : (struct view_frame){0};

    count_frame(&app->frames);
    view_inspect_update(app); /* before the panels tell about it; and after, they may have changed everything */
    view_panels_frame(app);
    SHW_PROPAGATE(fit_shares(app));
    SHW_PROPAGATE(view_teaching_frame(app));
    view_inspect_update(app);
    view_texture_update(app);
    SHW_PROPAGATE(view_labelling_update(app));
    view_channels_update(app);
    frame.picture = app->upload ? app->picture : NULL;
    frame.range = app->range;
    frame.shown = &app->shown;
    frame.labelling = &app->labelling;
    frame.planes = app->planes;
    if (app->teaching->project != NULL && app->picture != NULL) {
        frame.painted = &app->teaching->painted;
        frame.strokes = view_teaching_labels(app);
    }
    frame.overlay = app->overlay;
    frame.settings = app->settings;
    frame.place = app->place;
    frame.area = (VkRect2D){{app->area.x, app->area.y}, {app->area.width, app->area.height}};
    frame.wipe_column = view_app_wipe_column(app);
    frame.canvas = &app->canvas;
    frame.ui = view_panels_ui(app);
    frame.shares = &app->shares;
    frame.count = app->shares.classes == app->class_count && counts_classes(app);
    look_inside(app, &frame);
    app->redraw =
        app->redraw || (frame.count && app->labelling.front.filled && view_class_shares_pending(&app->shares));
    SHW_PROPAGATE(view_frame_render(&app->gpu, &app->frames, &frame));
    app->upload = app->texture.upload = false;
    view_teaching_shown(app);
    return SHW_OK;
}

enum shw_result view_app_screenshot(struct view_app *app, const char *path)
{
    struct view_frame extra = {.read = true};
    double budget = app->labelling.budget;
    enum shw_result result;

    app->labelling.budget = 0.0;
    do
        result = view_app_frame(app, &extra);
    while (result == SHW_OK && !view_labelling_is_current(app));
    app->labelling.budget = budget;
    if (result != SHW_OK)
        goto fail;
    SHW_TRY(view_frames_wait(&app->gpu, &app->frames));
    SHW_TRY(view_offscreen_save(&app->gpu, &app->canvas, path));

fail:
    return result;
}
