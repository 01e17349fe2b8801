/* Painting: strokes on the shown picture, and what they change on the screen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shell/app.h"
#include "teach/teaching.h"

enum shw_result view_teaching_show(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    bool blank = teaching->picture == UINT32_MAX && view_painted_fits(&teaching->painted, app->shown.shown.extent);
    char *name;

    view_search_give_up(&teaching->search);
    if (teaching->project == NULL || app->picture == NULL)
        return SHW_OK;
    view_teaching_end_stroke(app);
    teaching->picture = UINT32_MAX;
    name = view_teaching_picture_name(app);
    for (uint32_t p = 0; name != NULL && p < shw_project_get_picture_count(teaching->project); p++) {
        struct shw_project_picture picture = shw_project_get_picture(teaching->project, p);
        if (strcmp(picture.name, name) == 0 && picture.width == app->picture->image.width &&
            picture.height == app->picture->image.height)
            teaching->picture = p;
    }
    free(name);
    if (blank &&
        teaching->picture == UINT32_MAX) /* nothing on this one, and nothing on the one before: most frames of videos */
        return SHW_OK;
    return view_painted_fit(&app->gpu, app->shown.shown.extent, &teaching->painted);
}

/* Its pixels are here already, and of a video they are nowhere else. */
enum shw_result view_teaching_need_picture(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    const struct shw_image *image;
    uint32_t picture;
    char *name = NULL;
    enum shw_result result;

    SHW_TRY(view_teaching_need_project(app));
    if (app->picture == NULL)
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture to paint on");
    if (teaching->picture != UINT32_MAX && shw_project_has_pixels(teaching->project, teaching->picture))
        return SHW_OK;
    image = &app->picture->image;
    name = view_teaching_picture_name(app);
    if (name == NULL)
        return shw_fail_memory(&app->log, "the picture");
    SHW_TRY(shw_project_find_picture(teaching->project, name, image->width, image->height, &picture));
    if (!shw_project_has_pixels(teaching->project, picture))
        SHW_TRY(shw_project_set_pixels(teaching->project, picture, image));
    teaching->picture = picture;

fail:
    free(name);
    return result;
}

const uint64_t *view_teaching_count_labels(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    uint32_t classes = teaching->class_count;
    uint64_t *more;

    if (teaching->counts != NULL && (teaching->counted == shw_project_get_revision(teaching->project) ||
                                     shw_project_is_painting(teaching->project)))
        return teaching->counts;
    free(teaching->counts);
    teaching->counts = calloc(2 * (classes + (size_t)1), sizeof *teaching->counts);
    if (teaching->counts == NULL) {
        shw_fail_memory(&app->log, "labels");
        return NULL;
    }
    more = teaching->counts + classes + 1;
    for (uint32_t p = 0; p < shw_project_get_picture_count(teaching->project); p++) {
        if (shw_project_get_picture(teaching->project, p).stroke_count == 0 ||
            shw_project_count_labels(teaching->project, p, more) != SHW_OK)
            continue;
        for (uint32_t c = 0; c < classes; c++)
            teaching->counts[c] += more[c];
    }
    teaching->counted = shw_project_get_revision(teaching->project);
    return teaching->counts;
}

/* The segment that was painted last. */
static void mark_segment(struct view_teaching *teaching, struct shw_point a, struct shw_point b, uint32_t radius)
{
    int64_t left = a.x < b.x ? a.x : b.x, right = a.x < b.x ? b.x : a.x;
    int64_t top = a.y < b.y ? a.y : b.y, bottom = a.y < b.y ? b.y : a.y;

    view_painted_mark(&teaching->painted, left - radius, top - radius, right + radius + 1, bottom + radius + 1);
}

/* Marks what a change of one revision has painted; more have passed if something else has changed, too. */
static void take_mark(struct view_teaching *teaching, struct shw_point from, struct shw_point to, uint64_t before)
{
    if (teaching->marked == before) {
        mark_segment(teaching, from, to, teaching->stroke_radius);
        teaching->marked = shw_project_get_revision(teaching->project);
    }
    teaching->last = to;
}

enum shw_result view_teaching_begin_stroke(struct view_app *app, uint32_t number, uint32_t radius,
                                           struct shw_point point)
{
    struct view_teaching *teaching = app->teaching;
    uint64_t before;

    SHW_PROPAGATE(view_teaching_need_picture(app));
    if (app->source != NULL)
        view_source_pause(app->source);
    if (app->labelling.coming != NULL) { /* it would take the place of the one that is painted on */
        view_labelling_give_up(app);
        app->relabel = app->forest != NULL;
    }
    before = shw_project_get_revision(teaching->project);
    SHW_PROPAGATE(shw_project_begin_stroke(teaching->project, teaching->picture, number, radius, point));
    teaching->stroke_radius = radius;
    take_mark(teaching, point, point, before);
    app->redraw = true;
    return SHW_OK;
}

enum shw_result view_teaching_extend_stroke(struct view_app *app, struct shw_point point)
{
    struct view_teaching *teaching = app->teaching;
    uint64_t before = shw_project_get_revision(teaching->project);
    enum shw_result result = shw_project_extend_stroke(teaching->project, point);

    if (result == SHW_OK && shw_project_get_revision(teaching->project) != before)
        take_mark(teaching, teaching->last, point, before);
    app->redraw = true;
    return result;
}

void view_teaching_end_stroke(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;

    if (teaching->project == NULL || !shw_project_is_painting(teaching->project))
        return;
    shw_project_end_stroke(teaching->project);
    teaching->times =
        (struct view_stroke_times){.revision = shw_project_get_revision(teaching->project), .ended = view_clock()};
    app->redraw = true;
}

/* The step that changes; its picture may not be the one that is shown. */
enum shw_result view_teaching_undo(struct view_app *app, bool redo)
{
    struct view_teaching *teaching = app->teaching;
    uint32_t picture = 0;
    bool done;

    SHW_PROPAGATE(view_teaching_need_project(app));
    view_teaching_end_stroke(app);
    done = redo ? shw_project_redo(teaching->project, &picture) : shw_project_undo(teaching->project, &picture);
    app->redraw = true;
    if (done && picture == UINT32_MAX)
        SHW_PROPAGATE(view_teaching_classes_changed(app));
    return SHW_OK;
}

/* The pixel of the picture below the mouse; it may lie outside. */
static struct shw_point pixel_below(const struct view_app *app)
{
    double across = floor((app->input.x * VIEW_ZOOM_ONE - app->place.offset_x) / app->place.zoom);
    double down = floor((app->input.y * VIEW_ZOOM_ONE - app->place.offset_y) / app->place.zoom);

    return (struct shw_point){(int32_t)fmin(fmax(across, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX),
                              (int32_t)fmin(fmax(down, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX)};
}

/* The right button erases, too. */
static bool press(struct view_app *app, enum view_button button)
{
    const struct view_teaching *teaching = app->teaching;
    bool erases = teaching->hand == VIEW_HAND_ERASER || button == VIEW_RIGHT;

    if (!erases && app->settings.chosen >= teaching->class_count) {
        shw_log_message(&app->log, SHW_LOG_WARNING, SHW_LOG_ARGUMENT, "there is no class to paint: add one first");
        return false;
    }
    return view_teaching_begin_stroke(app, erases ? SHW_LABEL_VOID : app->settings.chosen, teaching->radius,
                                      pixel_below(app)) == SHW_OK;
}

static void move(struct view_app *app)
{
    if (shw_project_is_painting(app->teaching->project))
        view_teaching_extend_stroke(app, pixel_below(app));
}

/* With Ctrl held, the brush becomes larger and smaller. */
static bool wheel(struct view_app *app, double notches)
{
    double radius = app->teaching->radius + (fabs(notches) < 1.0 ? copysign(1.0, notches) : notches);

    if (!app->input.control)
        return false;
    app->teaching->radius = (uint32_t)lround(fmin(fmax(radius, 0.0), SHW_STROKE_RADIUS_MAX));
    return true;
}

void view_teaching_take_in_hand(struct view_app *app, enum view_hand hand)
{
    static const struct view_tool brush = {press, move, view_teaching_end_stroke, wheel};

    view_teaching_end_stroke(app); /* its end would not come with another tool */
    app->teaching->hand = hand;
    app->input.tool = app->teaching->project != NULL && hand != VIEW_HAND_PAN ? &brush : NULL;
    app->redraw = true;
}

bool view_teaching_has_brush(const struct view_app *app)
{
    return app->input.tool != NULL && app->picture != NULL && app->input.on_picture;
}

void view_teaching_brush_middle(const struct view_app *app, float *x, float *y)
{
    struct shw_point pixel = pixel_below(app);

    *x = (float)(((double)pixel.x + 0.5) * app->place.zoom + app->place.offset_x) / VIEW_ZOOM_ONE;
    *y = (float)(((double)pixel.y + 0.5) * app->place.zoom + app->place.offset_y) / VIEW_ZOOM_ONE;
}
