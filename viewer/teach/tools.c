#include "teach/tools.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "teach/region.h"
#include "teach/teaching.h"

static bool has_labels(const struct view_scene *scene)
{
    return scene->picture != NULL && scene->forest != NULL && view_labelling_has_labels(&scene->labelling);
}

static enum shw_result refuse_area(const struct view_scene *scene)
{
    return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "the wand needs labels, and none are shown yet: paint and train a forest, or load one");
}

/* Takes the region around a pixel of the shown picture, in favour of a class or SHW_LABEL_VOID, from the labels of the
 * next frame; view_wand_poll() has it then. Of large pictures, it waits until the labels that the region goes by are
 * exact, and says so. Errors: ARGUMENT (no picture there, no labels). */
static enum shw_result wand_begin(struct view_wand *wand, struct view_scene *scene, uint32_t number,
                                  struct shw_point pixel)
{
    const struct view_picture *picture = scene->picture;

    if (picture == NULL || pixel.x < 0 || pixel.y < 0 || pixel.x >= (int32_t)picture->image.width ||
        pixel.y >= (int32_t)picture->image.height)
        return shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the picture has no pixel %d %d", pixel.x,
                        pixel.y);
    if (!has_labels(scene))
        return refuse_area(scene);
    *wand = (struct view_wand){.wanted = true, .number = number, .pixel = pixel};
    return SHW_OK;
}

void view_wand_give_up(struct view_wand *wand)
{
    *wand = (struct view_wand){0};
}

bool view_wand_is_running(const struct view_wand *wand)
{
    return wand->wanted;
}

bool view_wand_needs_frames(const struct view_wand *wand)
{
    return wand->wanted && !wand->waits;
}

static uint16_t wand_label_at(const void *user, uint32_t x, uint32_t y)
{
    const struct view_read_labels *read = user;

    return read->labels[(size_t)y * read->width + x];
}

/* The labels of a large picture, which are on the host. */
struct parted_labels {
    const struct view_parted *parted;
    bool *open; /* set when labels that are not exact have been looked at */
};

/* As fine as they are seen, where that is known. */
static uint16_t part_label_at(const void *user, uint32_t x, uint32_t y)
{
    const struct parted_labels *labels = user;
    const struct view_parted *parted = labels->parted;

    for (uint32_t l = parted->has_detail ? VIEW_LAYERS : 1; l > 0; l--) {
        const struct view_part_labels *layer = &parted->layers[l - 1];
        const struct shw_part *part = &layer->part;
        uint32_t i, j;

        if (!layer->known || x < part->x || y < part->y)
            continue;
        i = (x - part->x) / part->step;
        j = (y - part->y) / part->step;
        if (i < part->width && j < part->height && layer->argmax[(size_t)j * part->width + i] != VIEW_NO_LABEL) {
            *labels->open = *labels->open || !view_part_labels_is_exact(layer, i, j);
            return layer->argmax[(size_t)j * part->width + i];
        }
    }
    *labels->open = true;
    return VIEW_NO_LABEL;
}

static void warn(const struct view_scene *scene, const char *text)
{
    shw_log_message(&scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT, "the wand waits until %s", text);
}

/* Without exact labels the region would end where nothing is labelled yet. It waits for those of what is seen, and only
 * if it goes beyond that, for those of the whole picture. */
static enum shw_result poll_parts(struct view_wand *wand, const struct view_scene *scene, struct view_runs *runs,
                                  bool *found)
{
    const struct shw_image *image = &scene->picture->image;
    bool exact = wand->far ? view_scene_is_complete(scene) : view_scene_is_current(scene), open = false;
    const struct parted_labels labels = {&scene->labelling.parted, &open};
    const struct view_values values = {image->width, image->height, part_label_at, &labels};
    unsigned sides;
    enum shw_result result;

    if (!exact && !wand->waits)
        warn(scene, "what is seen is labelled");
    wand->waits = !exact;
    if (!exact)
        return SHW_OK;
    result = view_region_grow(&values, (uint32_t)wand->pixel.x, (uint32_t)wand->pixel.y, 0, runs, &sides);
    if (open && !wand->far) {
        warn(scene, "all of the picture is labelled: the region goes beyond what is seen");
        view_runs_free(runs);
        wand->far = wand->waits = true;
        return SHW_OK;
    }
    view_wand_give_up(wand);
    *found = result == SHW_OK;
    if (result != SHW_OK)
        view_runs_free(runs);
    return view_runs_check(result, &scene->log);
}

static enum shw_result grow(const struct view_wand *wand, const struct view_read_labels *read,
                            const struct shw_log *log, struct view_runs *runs)
{
    const struct view_values values = {read->width, read->height, wand_label_at, read};
    unsigned sides;
    enum shw_result result =
        view_region_grow(&values, (uint32_t)wand->pixel.x, (uint32_t)wand->pixel.y, 0, runs, &sides);

    return view_runs_check(result, log);
}

/* Labels for an earlier wand, which was given up, are only released: the device may still have been writing them. */
enum shw_result view_wand_poll(struct view_wand *wand, struct view_scene *scene, struct view_runs *runs, bool *found)
{
    const struct view_labelling_params *params = &scene->labelling.params;
    const struct view_wand begun = *wand;
    struct view_read_labels read;
    enum shw_result result = SHW_OK;

    *found = false;
    if (begun.wanted && !begun.asked && !has_labels(scene)) {
        view_wand_give_up(wand);
        return refuse_area(scene);
    }
    if (begun.wanted && !begun.asked && scene->labelling.parted.on)
        return poll_parts(wand, scene, runs, found);
    if (view_label_reading_take(params->gpu, params->frames, &scene->reading, &read)) {
        if (begun.asked) {
            view_wand_give_up(wand);
            result = grow(&begun, &read, &scene->log, runs);
            *found = result == SHW_OK;
        }
        view_label_reading_end(params->gpu, &scene->reading);
    } else if (begun.asked && !view_label_reading_is_running(&scene->reading)) {
        view_wand_give_up(wand);
        return refuse_area(scene);
    }
    if (wand->wanted && !wand->asked && !view_label_reading_is_running(&scene->reading)) {
        view_label_reading_want(&scene->reading);
        wand->asked = scene->redraw = true;
    }
    if (result != SHW_OK)
        view_runs_free(runs);
    return result;
}

static struct view_size *brush_size(struct view_teaching *teaching)
{
    return &teaching->brush;
}

static struct view_size *eraser_size(struct view_teaching *teaching)
{
    return &teaching->eraser;
}

enum shw_result view_tool_line(struct view_teaching *teaching, uint32_t number, uint32_t radius, struct shw_point to)
{
    struct shw_point from;

    if (!view_painting_last_point(&teaching->painting, &from))
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no stroke on this picture from whose end a line could be drawn");
    SHW_PROPAGATE(view_painting_begin(&teaching->painting, number, radius, from));
    return view_painting_extend(&teaching->painting, to);
}

/* Whether the brush may reach the picture on the way from one pixel to another. */
static bool reaches(struct view_teaching *teaching, struct shw_point from, struct shw_point to)
{
    const struct view_picture *picture = teaching->scene->picture;
    const int64_t radius = view_tool_radius(teaching);
    const int64_t left = from.x < to.x ? from.x : to.x, right = from.x < to.x ? to.x : from.x;
    const int64_t top = from.y < to.y ? from.y : to.y, bottom = from.y < to.y ? to.y : from.y;

    return picture == NULL || (right + radius >= 0 && bottom + radius >= 0 && left - radius < picture->image.width &&
                               top - radius < picture->image.height);
}

/* With Shift, a straight line from the last stroke's end comes first. */
static bool brush_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    uint32_t radius = view_tool_radius(teaching);
    struct shw_point last;

    if (teaching->cursor->shift && view_painting_last_point(&teaching->painting, &last))
        return view_tool_line(teaching, number, radius, pixel) == SHW_OK;
    teaching->approach.on = !reaches(teaching, pixel, pixel);
    teaching->approach.number = number;
    teaching->approach.point = pixel;
    if (teaching->approach.on)
        return true;
    return view_painting_begin(&teaching->painting, number, radius, pixel) == SHW_OK;
}

/* A stroke outside the picture begins when it comes near. */
static void begin_late(struct view_teaching *teaching, struct shw_point pixel)
{
    const struct shw_point from = teaching->approach.point;

    teaching->approach.point = pixel;
    if (!reaches(teaching, from, pixel))
        return;
    teaching->approach.on = false;
    view_painting_begin(&teaching->painting, teaching->approach.number, view_tool_radius(teaching), from);
}

static void brush_drag(struct view_teaching *teaching, struct shw_point pixel)
{
    if (teaching->approach.on)
        begin_late(teaching, pixel);
    if (shw_project_is_painting(teaching->project.data))
        view_painting_extend(&teaching->painting, pixel);
}

static void brush_release(struct view_teaching *teaching)
{
    teaching->approach.on = false;
    view_teaching_end_stroke(teaching);
}

const struct view_tool view_tool_brush_entry = {
    "brush",      "Brush",     "paint the chosen class; the right button erases; with Shift, straight lines",
    brush_size,   brush_press, brush_drag,
    brush_release};
const struct view_tool view_tool_eraser_entry = {
    "eraser",   "Eraser",     "remove labels; with Shift, in straight lines", eraser_size, brush_press,
    brush_drag, brush_release};

/* Fill: the region between strokes, or the area of a label. */

/* Of what is painted on the shown picture; NULL: nothing. */
static uint16_t label_at(const void *user, uint32_t x, uint32_t y)
{
    return user != NULL ? shw_picture_labels_get(user, x, y) : SHW_LABEL_VOID;
}

static enum shw_result refuse(const struct view_teaching *teaching, const char *why)
{
    return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "nothing is filled: %s", why);
}

/* Whether filling a region with that label would change it; logs why not. */
static enum shw_result check(const struct view_teaching *teaching, uint16_t label, uint32_t number)
{
    if (label == number)
        return refuse(teaching, label == SHW_LABEL_VOID ? "nothing is painted here" : "it has this class already");
    if (label != SHW_LABEL_VOID && shw_project_get_class(teaching->project.data, label)->locked)
        return refuse(teaching, "the class that is painted here is locked");
    return SHW_OK;
}

enum shw_result view_tool_fill(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    const struct view_picture *picture = teaching->scene->picture;
    struct view_values values = {.at = label_at, .user = view_painting_labels(&teaching->painting)};
    struct view_runs runs = {0};
    unsigned sides, bounds;
    uint16_t label;
    enum shw_result result;

    if (picture == NULL || pixel.x < 0 || pixel.y < 0 || pixel.x >= (int32_t)picture->image.width ||
        pixel.y >= (int32_t)picture->image.height)
        return refuse(teaching, "there is no such pixel");
    values.width = picture->image.width;
    values.height = picture->image.height;
    label = label_at(values.user, (uint32_t)pixel.x, (uint32_t)pixel.y);
    SHW_PROPAGATE(check(teaching, label, number));
    bounds = label == SHW_LABEL_VOID ? VIEW_REGION_AROUND : 0;
    result = view_region_grow(&values, (uint32_t)pixel.x, (uint32_t)pixel.y, bounds, &runs, &sides);
    if (bounds != 0 && sides == bounds)
        result = refuse(teaching, "strokes do not enclose this region, which reaches all sides of the picture");
    else if (view_runs_check(result, &teaching->scene->log) == SHW_OK)
        result = view_teaching_add_area(teaching, number, &runs);
    view_runs_free(&runs);
    return result;
}

static bool fill_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    view_tool_fill(teaching, number, pixel);
    return false;
}

const struct view_tool view_tool_fill_entry = {
    "fill",
    "Fill",
    "label a region that strokes enclose, or all that is painted alike here; the right button erases it",
    NULL,
    fill_press,
    NULL,
    NULL};

/* Ground-truth rectangles, which need no project. */
static bool rectangle_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    (void)pixel;
    return view_annotating_press(teaching->annotating, number == SHW_LABEL_VOID);
}

static void rectangle_drag(struct view_teaching *teaching, struct shw_point pixel)
{
    (void)pixel;
    view_annotating_drag(teaching->annotating);
}

static void rectangle_release(struct view_teaching *teaching)
{
    view_annotating_release(teaching->annotating);
}

const struct view_tool view_tool_rectangle_entry = {
    .name = "rectangle",
    .label = "Rectangle",
    .help = "draw, move and resize ground-truth rectangles; the right button deletes; no class of the project",
    .press = rectangle_press,
    .drag = rectangle_drag,
    .release = rectangle_release};

/* Wand: the region that the forest labels alike. */
enum shw_result view_tool_wand(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    SHW_PROPAGATE(wand_begin(&teaching->wand, teaching->scene, number, pixel));
    view_scene_keep(teaching->scene);
    return SHW_OK;
}

static bool wand_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    view_tool_wand(teaching, number, pixel);
    return false;
}

const struct view_tool view_tool_wand_entry = {
    "wand",
    "Wand",
    "label the connected region that the forest gives the same class; the right button erases in it",
    NULL,
    wand_press,
    NULL,
    NULL};

bool view_outline_begin(struct view_outline *outline, uint32_t number, struct shw_point point)
{
    view_outline_drop(outline);
    outline->begun = true;
    outline->number = number;
    return view_outline_append(outline, point);
}

bool view_outline_append(struct view_outline *outline, struct shw_point point)
{
    const struct shw_point *last = outline->count > 0 ? &outline->points[outline->count - 1] : NULL;

    if (last != NULL && last->x == point.x && last->y == point.y)
        return true;
    if (outline->count == SHW_STROKE_POINTS_MAX ||
        !SHW_RESERVE(outline->points, outline->capacity, outline->count + 1u))
        return false;
    outline->points[outline->count++] = point;
    return true;
}

void view_outline_take_back(struct view_outline *outline)
{
    if (outline->count > 1)
        outline->count--;
    else
        view_outline_drop(outline);
}

void view_outline_drop(struct view_outline *outline)
{
    free(outline->points);
    *outline = (struct view_outline){0};
}

/* Lasso and polygon: what an outline encloses. */

#define NEAR 6 /* pixels of the canvas around a corner that are taken for it */

enum shw_result view_tool_polygon(struct view_teaching *teaching, uint32_t number, const struct shw_point *corners,
                                  uint32_t count)
{
    const struct shw_log *log = &teaching->scene->log;
    const struct view_picture *picture = teaching->scene->picture;
    struct view_runs runs = {0};
    enum shw_result result;

    if (count < 3)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "an outline needs three points");
    if (picture == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture to paint on");
    result = view_polygon_fill(corners, count, picture->image.width, picture->image.height, &runs);
    result = view_runs_check(result, log);
    if (result == SHW_OK && runs.count == 0)
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the outline has no pixel of the picture");
    if (result == SHW_OK)
        result = view_teaching_add_area(teaching, number, &runs);
    view_runs_free(&runs);
    return result;
}

enum shw_result view_tool_close(struct view_teaching *teaching)
{
    const struct view_outline *outline = &teaching->outline;

    teaching->scene->redraw = true;
    SHW_PROPAGATE(view_tool_polygon(teaching, outline->number, outline->points, outline->count));
    view_outline_drop(&teaching->outline);
    return SHW_OK;
}

static bool begin(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    if (teaching->scene->picture == NULL)
        return false;
    view_scene_keep(teaching->scene);
    if (!view_outline_begin(&teaching->outline, number, pixel))
        shw_fail_memory(&teaching->scene->log, "an outline");
    return teaching->outline.begun;
}

static void append(struct view_teaching *teaching, struct shw_point pixel)
{
    const struct view_outline *outline = &teaching->outline;

    if (!view_outline_append(&teaching->outline, pixel))
        shw_fail(&teaching->scene->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "an outline has at most %u points",
                 outline->count);
}

static bool lasso_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    return begin(teaching, number, pixel);
}

static void lasso_drag(struct view_teaching *teaching, struct shw_point pixel)
{
    if (teaching->outline.begun)
        append(teaching, pixel);
}

/* A click encloses nothing. */
static void lasso_release(struct view_teaching *teaching)
{
    if (teaching->outline.count >= 3)
        view_tool_close(teaching);
    view_outline_drop(&teaching->outline);
}

/* Whether the pixel is shown at about the same place as a corner. */
static bool is_near(const struct view_teaching *teaching, struct shw_point pixel, struct shw_point corner)
{
    int64_t zoom = teaching->scene->place.zoom;
    int64_t across = llabs((int64_t)pixel.x - corner.x) * zoom, down = llabs((int64_t)pixel.y - corner.y) * zoom;

    return across <= NEAR * VIEW_ZOOM_ONE && down <= NEAR * VIEW_ZOOM_ONE;
}

/* Adds a corner. The first or the last one again, as by a double click, closes the polygon. The button of the first
 * one decides whether it erases. */
static bool polygon_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    const struct view_outline *outline = &teaching->outline;
    bool again;

    if (!outline->begun) {
        begin(teaching, number, pixel);
        return false;
    }
    again = is_near(teaching, pixel, outline->points[outline->count - 1]);
    if (outline->count >= 3 && (again || is_near(teaching, pixel, outline->points[0])))
        view_tool_close(teaching);
    else if (!again)
        append(teaching, pixel);
    return false;
}

const struct view_tool view_tool_lasso_entry = {
    "lasso",      "Lasso",     "label what an outline that is drawn encloses; the right button erases it",
    NULL,         lasso_press, lasso_drag,
    lasso_release};
const struct view_tool view_tool_polygon_entry = {
    "polygon",
    "Polygon",
    "click corners, and the last one twice; Enter closes, Backspace takes back, Escape gives up",
    NULL,
    polygon_press,
    NULL,
    NULL};

static const struct view_tool pan = {.name = "pan", .label = "Move", .help = "drag to move the picture"};

const struct view_tool *const view_tools[VIEW_HAND_COUNT] = {
    [VIEW_HAND_PAN] = &pan,
    [VIEW_HAND_BRUSH] = &view_tool_brush_entry,
    [VIEW_HAND_ERASER] = &view_tool_eraser_entry,
    [VIEW_HAND_FILL] = &view_tool_fill_entry,
    [VIEW_HAND_LASSO] = &view_tool_lasso_entry,
    [VIEW_HAND_POLYGON] = &view_tool_polygon_entry,
    [VIEW_HAND_WAND] = &view_tool_wand_entry,
    [VIEW_HAND_RECTANGLE] = &view_tool_rectangle_entry,
};

const struct view_tool *view_tool_in_hand(const struct view_teaching *teaching)
{
    return view_tools[teaching->hand];
}

/* Whether the tool in hand paints classes of the project. */
static bool paints(const struct view_teaching *teaching)
{
    return teaching->hand != VIEW_HAND_PAN && teaching->hand != VIEW_HAND_RECTANGLE;
}

bool view_tool_works(const struct view_teaching *teaching)
{
    return (teaching->project.data != NULL || !paints(teaching)) && view_tool_in_hand(teaching)->press != NULL;
}

struct shw_point view_tool_pixel(const struct view_teaching *teaching)
{
    const struct view_place *place = &teaching->scene->place;
    double across = floor((teaching->cursor->x * VIEW_ZOOM_ONE - place->offset_x) / place->zoom);
    double down = floor((teaching->cursor->y * VIEW_ZOOM_ONE - place->offset_y) / place->zoom);

    return (struct shw_point){(int32_t)fmin(fmax(across, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX),
                              (int32_t)fmin(fmax(down, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX)};
}

void view_tool_place(const struct view_teaching *teaching, struct shw_point pixel, float *x, float *y)
{
    const struct view_place *place = &teaching->scene->place;

    *x = (float)(((double)pixel.x + 0.5) * place->zoom + place->offset_x) / VIEW_ZOOM_ONE;
    *y = (float)(((double)pixel.y + 0.5) * place->zoom + place->offset_y) / VIEW_ZOOM_ONE;
}

/* The right button always erases. */
bool view_tool_press(struct view_teaching *teaching, bool right)
{
    const struct view_scene *scene = teaching->scene;
    bool erases = teaching->hand == VIEW_HAND_ERASER || right;

    if (!erases && paints(teaching) && scene->settings.chosen >= teaching->class_count) {
        shw_log_message(&scene->log, SHW_LOG_WARNING, SHW_LOG_ARGUMENT,
                        "there is no class to paint with: add one first");
        return false;
    }
    return view_tool_in_hand(teaching)->press(teaching, erases ? SHW_LABEL_VOID : scene->settings.chosen,
                                              view_tool_pixel(teaching));
}

void view_tool_drag(struct view_teaching *teaching)
{
    const struct view_tool *tool = view_tool_in_hand(teaching);

    if (tool->drag != NULL)
        tool->drag(teaching, view_tool_pixel(teaching));
}

/* Whether the first stroke has been painted, and there is no other class to tell its own from. */
static bool needs_class(const struct view_teaching *teaching)
{
    const struct shw_project *project = teaching->project.data;
    uint32_t strokes = 0;

    for (uint32_t p = 0; project != NULL && p < shw_project_get_picture_count(project); p++)
        strokes += shw_project_get_picture(project, p).stroke_count;
    return strokes == 1 && teaching->class_count == 1;
}

void view_tool_release(struct view_teaching *teaching)
{
    const struct view_tool *tool = view_tool_in_hand(teaching);

    if (tool->release != NULL)
        tool->release(teaching);
    teaching->fields.next = needs_class(teaching);
}

struct view_size *view_tool_size(struct view_teaching *teaching)
{
    const struct view_tool *tool = view_tool_in_hand(teaching);

    return tool->size != NULL ? tool->size(teaching) : &teaching->brush;
}

/* Discs have diameters of 2 * radius + 1 pixels, of the picture or the screen. */
uint32_t view_tool_radius(struct view_teaching *teaching)
{
    const struct view_size *size = view_tool_size(teaching);
    uint64_t radius = size->radius;

    if (size->screen)
        radius = (2 * radius + 1) * VIEW_ZOOM_ONE / (2 * (uint64_t)teaching->scene->place.zoom);
    return radius < SHW_STROKE_RADIUS_MAX ? (uint32_t)radius : SHW_STROKE_RADIUS_MAX;
}

/* With Ctrl, changes the size of the brush. */
bool view_tool_wheel(struct view_teaching *teaching, double notches)
{
    struct view_size *size = view_tool_size(teaching);
    double radius = size->radius + (fabs(notches) < 1.0 ? copysign(1.0, notches) : notches);

    if (!teaching->cursor->control || view_tool_in_hand(teaching)->size == NULL)
        return false;
    size->radius = (uint32_t)lround(fmin(fmax(radius, 0.0), SHW_STROKE_RADIUS_MAX));
    return true;
}
