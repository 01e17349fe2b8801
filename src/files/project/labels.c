/* Labels from strokes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "files/project/state.h"

struct brush {
    struct shw_picture_state *picture;
    const struct shw_stroke *stroke;
    uint32_t owner; /* 0: the eraser */
    struct shw_rect clip;
    bool failed; /* out of memory */
};

static bool is_locked(const struct brush *brush, uint32_t owner)
{
    for (uint32_t i = 0; owner > 0 && i < brush->stroke->locked_count; i++)
        if (brush->picture->strokes[owner - 1].class_id == brush->stroke->locked[i])
            return true;
    return false;
}

static void paint_pixel(const struct brush *brush, struct shw_top_strokes_block *block, uint32_t *pixel)
{
    uint64_t *visible = brush->picture->visible;

    if (*pixel == brush->owner || is_locked(brush, *pixel))
        return;
    if (*pixel > 0)
        visible[*pixel - 1]--;
    if (brush->owner > 0)
        visible[brush->owner - 1]++;
    block->count += (brush->owner > 0) - (uint32_t)(*pixel > 0);
    *pixel = brush->owner;
}

static bool is_blank(const uint32_t *row, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++)
        any |= row[i];
    return any == 0;
}

/* Pixels of one row of a block. */
static void paint_row(const struct brush *brush, struct shw_top_strokes_block *block, uint32_t *row, uint32_t count)
{
    if (brush->owner > 0 && is_blank(row, count)) {
        for (uint32_t i = 0; i < count; i++)
            row[i] = brush->owner;
        block->count += count;
        brush->picture->visible[brush->owner - 1] += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        paint_pixel(brush, block, &row[i]);
}

static void paint_run(void *user, uint32_t from, uint32_t to, uint32_t y)
{
    struct brush *brush = user;
    struct shw_top_strokes *owners = &brush->picture->owners;
    const uint32_t side = SHW_OWNERS_SIDE;

    while (from < to && !brush->failed) {
        uint32_t end = (from / side + 1) * side, count = (to < end ? to : end) - from;
        bool has = brush->owner > 0 || shw_top_strokes_block(owners, from / side, y / side) != NULL;
        struct shw_top_strokes_block *block = has ? shw_top_strokes_change(owners, from, y) : NULL;

        brush->failed = has && block == NULL;
        if (block != NULL)
            paint_row(brush, block, block->owners + (size_t)(y % side) * side + from % side, count);
        from += count;
    }
}

/* Whether the stroke has an effect: it is the eraser's, or its class is not deleted. */
static bool shows(const struct shw_project *project, const struct shw_stroke *stroke)
{
    return stroke->class_id == SHW_STROKE_ERASER || project->classes[stroke->class_id].exists;
}

static bool overlap(struct shw_rect a, struct shw_rect b)
{
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

static bool contains(struct shw_rect outer, struct shw_rect inner)
{
    return outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && outer.x1 >= inner.x1 && outer.y1 >= inner.y1;
}

/* Paints the segments of a stroke that end at point *next or later, one at least, until the moment `end`; *next becomes
 * the first point that is left. False: out of memory. */
static bool paint_stroke(const struct shw_project *project, struct shw_picture_state *picture, uint32_t s,
                         uint32_t *next, struct shw_rect clip, double end)
{
    const struct shw_stroke *stroke = &picture->strokes[s];
    struct brush brush = {picture, stroke, stroke->class_id == SHW_STROKE_ERASER ? 0 : s + 1, clip, false};
    bool over = false;

    if (!shows(project, stroke) || !overlap(shw_stroke_bounds(stroke, *next), clip)) {
        *next = stroke->point_count;
        return true;
    }
    /* in an area, every second point ends a segment */
    for (uint32_t p = stroke->area ? *next | 1 : *next; p < stroke->point_count && !over; p += 1u + stroke->area) {
        shw_stroke_sweep(stroke->points[p > 0 ? p - 1 : 0], stroke->points[p], stroke->radius, clip, paint_run, &brush);
        *next = p + 1;
        over = end < INFINITY && shw_clock() > end;
    }
    return !brush.failed;
}

static bool is_up_to_date(const struct shw_picture_state *picture)
{
    return picture->stale.x0 >= picture->stale.x1;
}

static struct shw_rect whole(const struct shw_picture_state *picture)
{
    return (struct shw_rect){0, 0, (int32_t)picture->width, (int32_t)picture->height};
}

/* The blocks will be painted again. */
static void remove_blocks(struct shw_picture_state *picture, struct shw_rect rect)
{
    const uint32_t side = SHW_OWNERS_SIDE;

    for (uint32_t y = (uint32_t)rect.y0; y < (uint32_t)rect.y1; y += side)
        for (uint32_t x = (uint32_t)rect.x0; x < (uint32_t)rect.x1; x += side) {
            const struct shw_top_strokes_block *block = shw_top_strokes_block(&picture->owners, x / side, y / side);

            for (uint32_t i = 0; block != NULL && block->count > 0 && i < side * side; i++)
                if (block->owners[i] > 0)
                    picture->visible[block->owners[i] - 1]--;
        }
    shw_top_strokes_clear(&picture->owners, rect);
}

static struct shw_rect join(struct shw_rect a, struct shw_rect b)
{
    if (a.x0 >= a.x1 || b.x0 >= b.x1)
        return a.x0 >= a.x1 ? b : a;
    return (struct shw_rect){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0, a.x1 > b.x1 ? a.x1 : b.x1,
                             a.y1 > b.y1 ? a.y1 : b.y1};
}

static void make_stale(struct shw_picture_state *picture, struct shw_rect rect)
{
    shw_picture_labels_release(&picture->labels);
    picture->next_stroke = picture->next_point = 0;
    picture->stale = join(picture->stale, shw_top_strokes_cover(&picture->owners, rect));
    remove_blocks(picture, picture->stale);
}

void shw_project_repaint_last(struct shw_project *project, uint32_t picture)
{
    struct shw_picture_state *state = &project->pictures[picture];

    make_stale(state, shw_stroke_bounds(&state->strokes[state->stroke_count - 1], 0));
}

void shw_project_repaint_picture(struct shw_project *project, uint32_t picture)
{
    make_stale(&project->pictures[picture], whole(&project->pictures[picture]));
}

void shw_project_repaint_class(struct shw_project *project, uint32_t id)
{
    for (uint32_t p = 0; p < project->picture_count; p++) {
        struct shw_picture_state *picture = &project->pictures[p];
        struct shw_rect rect = {0};

        for (uint32_t s = 0; s < picture->stroke_count; s++)
            if (picture->strokes[s].class_id == id)
                rect = join(rect, shw_stroke_bounds(&picture->strokes[s], 0));
        make_stale(picture, rect); /* labels in any case: other classes have other numbers */
    }
}

void shw_project_paint_last(struct shw_project *project, uint32_t picture, uint32_t first)
{
    struct shw_picture_state *state = &project->pictures[picture];
    uint32_t last = state->stroke_count - 1;
    const struct shw_rect bounds = shw_stroke_bounds(&state->strokes[last], first);

    shw_picture_labels_release(&state->labels);
    if (is_up_to_date(state)) {
        if (!paint_stroke(project, state, last, &first, whole(state), INFINITY))
            make_stale(state, whole(state));
    } else if (!contains(state->stale, shw_top_strokes_cover(&state->owners, bounds))) {
        make_stale(state, bounds); /* otherwise it is the last one that will be painted there */
    }
}

/* Paints what is stale until the moment `end`. */
static enum shw_result paint_until(struct shw_project *project, struct shw_picture_state *picture, double end)
{
    bool good = true, over = false;

    if (is_up_to_date(picture))
        return SHW_OK;
    while (good && !over && picture->next_stroke < picture->stroke_count) {
        good = paint_stroke(project, picture, picture->next_stroke, &picture->next_point, picture->stale, end);
        if (picture->next_point >= picture->strokes[picture->next_stroke].point_count) {
            picture->next_stroke++;
            picture->next_point = 0;
        }
        over = end < INFINITY && shw_clock() > end;
    }
    if (!good)
        make_stale(picture, whole(picture));
    else if (picture->next_stroke == picture->stroke_count)
        picture->stale = (struct shw_rect){0};
    return good ? SHW_OK : shw_fail_memory(&project->log, picture->name);
}

static enum shw_result bring_up_to_date(struct shw_project *project, struct shw_picture_state *picture)
{
    return paint_until(project, picture, INFINITY);
}

bool shw_project_prepare_labels(struct shw_project *project, uint32_t first, double seconds)
{
    const double end = shw_clock() + seconds;
    const uint32_t count = project->picture_count;
    bool over = false;

    for (uint32_t i = 0; i < count && !over; i++) {
        struct shw_picture_state *picture = &project->pictures[first < count ? (first + i) % count : i];
        if (is_up_to_date(picture))
            continue;
        if (paint_until(project, picture, end) != SHW_OK)
            return true; /* it will fail again when it is needed */
        over = !is_up_to_date(picture) || shw_clock() > end;
    }
    for (uint32_t p = 0; p < count && over; p++)
        if (!is_up_to_date(&project->pictures[p]))
            return false;
    return true;
}

bool shw_project_has_labels(const struct shw_project *project, uint32_t picture)
{
    return is_up_to_date(&project->pictures[picture]);
}

static struct shw_picture_labels *take_labels(const struct shw_project *project,
                                              const struct shw_picture_state *picture)
{
    struct shw_picture_labels *labels = calloc(1, sizeof *labels);
    size_t count = picture->stroke_count;

    if (labels == NULL)
        return NULL;
    *labels = (struct shw_picture_labels){.width = picture->width,
                                          .height = picture->height,
                                          .stroke_count = picture->stroke_count,
                                          .values = malloc((count + 1) * sizeof *labels->values),
                                          .visible = malloc((count + 1) * sizeof *labels->visible)};
    atomic_init(&labels->shares, 1);
    if (labels->values == NULL || labels->visible == NULL ||
        !shw_top_strokes_share(&picture->owners, &labels->owners)) {
        shw_picture_labels_release(&labels);
        return NULL;
    }
    labels->values[0] = SHW_LABEL_VOID;
    for (uint32_t s = 0; s < picture->stroke_count; s++) {
        labels->values[s + 1] = shw_project_class_number(project, picture->strokes[s].class_id);
        labels->visible[s] = picture->visible[s];
        labels->count += picture->visible[s];
    }
    return labels;
}

enum shw_result shw_project_share_labels(struct shw_project *project, uint32_t picture,
                                         struct shw_picture_labels **labels)
{
    struct shw_picture_state *state = &project->pictures[picture];

    SHW_PROPAGATE(bring_up_to_date(project, state));
    if (state->labels == NULL)
        state->labels = take_labels(project, state);
    if (state->labels == NULL)
        return shw_fail_memory(&project->log, state->name);
    *labels = shw_picture_labels_share(state->labels);
    return SHW_OK;
}

enum shw_result shw_project_copy_labels(struct shw_project *project, uint32_t picture, int64_t x, int64_t y,
                                        uint32_t width, uint32_t height, uint32_t step, uint16_t *out)
{
    struct shw_picture_labels *labels = NULL;

    SHW_PROPAGATE(shw_project_share_labels(project, picture, &labels));
    shw_picture_labels_copy(labels, x, y, width, height, step, out);
    shw_picture_labels_release(&labels);
    return SHW_OK;
}

enum shw_result shw_project_count_labels(struct shw_project *project, uint32_t picture, uint64_t *counts)
{
    struct shw_picture_state *state = &project->pictures[picture];

    SHW_PROPAGATE(bring_up_to_date(project, state));
    memset(counts, 0, shw_project_get_class_count(project) * sizeof *counts);
    for (uint32_t s = 0; s < state->stroke_count; s++)
        if (state->visible[s] > 0)
            counts[shw_project_class_number(project, state->strokes[s].class_id)] += state->visible[s];
    return SHW_OK;
}
