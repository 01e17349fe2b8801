/* Labels from strokes, from areas, which are strokes that consist of runs of pixels, and from label images, which are
 * imported as areas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "files/dataset/palette.h"
#include "files/image/image_file.h"
#include "files/project/state.h"

struct brush {
    struct shw_picture_state *picture;
    const struct shw_stroke *stroke;
    uint32_t number; /* of the stroke; 0: the eraser */
    struct shw_rect clip;
    bool failed; /* out of memory */
};

static bool is_locked(const struct brush *brush, uint32_t number)
{
    for (uint32_t i = 0; number > 0 && i < brush->stroke->locked_count; i++)
        if (brush->picture->strokes[number - 1].class_id == brush->stroke->locked[i])
            return true;
    return false;
}

static void paint_pixel(const struct brush *brush, struct shw_top_strokes_block *block, uint32_t *pixel)
{
    uint64_t *visible = brush->picture->visible;

    if (*pixel == brush->number || is_locked(brush, *pixel))
        return;
    if (*pixel > 0)
        visible[*pixel - 1]--;
    if (brush->number > 0)
        visible[brush->number - 1]++;
    block->count += (brush->number > 0) - (uint32_t)(*pixel > 0);
    *pixel = brush->number;
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
    if (brush->number > 0 && is_blank(row, count)) {
        for (uint32_t i = 0; i < count; i++)
            row[i] = brush->number;
        block->count += count;
        brush->picture->visible[brush->number - 1] += count;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        paint_pixel(brush, block, &row[i]);
}

static void paint_run(void *user, uint32_t from, uint32_t to, uint32_t y)
{
    struct brush *brush = user;
    struct shw_top_strokes *top = &brush->picture->top;
    const uint32_t side = SHW_TOP_STROKES_SIDE;

    while (from < to && !brush->failed) {
        uint32_t end = (from / side + 1) * side, count = (to < end ? to : end) - from;
        bool has = brush->number > 0 || shw_top_strokes_block(top, from / side, y / side) != NULL;
        struct shw_top_strokes_block *block = has ? shw_top_strokes_change(top, from, y) : NULL;

        brush->failed = has && block == NULL;
        if (block != NULL)
            paint_row(brush, block, block->strokes + (size_t)(y % side) * side + from % side, count);
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
    const uint32_t side = SHW_TOP_STROKES_SIDE;

    for (uint32_t y = (uint32_t)rect.y0; y < (uint32_t)rect.y1; y += side)
        for (uint32_t x = (uint32_t)rect.x0; x < (uint32_t)rect.x1; x += side) {
            const struct shw_top_strokes_block *block = shw_top_strokes_block(&picture->top, x / side, y / side);

            for (uint32_t i = 0; block != NULL && block->count > 0 && i < side * side; i++)
                if (block->strokes[i] > 0)
                    picture->visible[block->strokes[i] - 1]--;
        }
    shw_top_strokes_clear(&picture->top, rect);
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
    picture->stale = join(picture->stale, shw_top_strokes_cover(&picture->top, rect));
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
    } else if (!contains(state->stale, shw_top_strokes_cover(&state->top, bounds))) {
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
    if (labels->values == NULL || labels->visible == NULL || !shw_top_strokes_share(&picture->top, &labels->top)) {
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
/* Adds a stroke whose points are runs of pixels, as a step of the history; takes ownership also if it fails. `painted`:
 * the caller brings the picture's top strokes up to date. Errors: MEMORY. */
static enum shw_result project_take_area(struct shw_project *project, uint32_t picture, struct shw_stroke *area,
                                         bool joined, bool painted)
{
    struct shw_picture_state *state = &project->pictures[picture];
    const struct shw_edit edit = {.is_stroke = true, .joined = joined, .which = picture};
    enum shw_result result;

    area->area = true;
    if (!shw_project_list_locked(project, area) || !shw_project_push_stroke(state, area)) {
        result = shw_fail_memory(&project->log, state->name);
        goto fail;
    }
    result = shw_project_record(project, &edit);
    if (result == SHW_OK) {
        shw_project_end_stroke(project);
        if (!painted)
            shw_project_paint_last(project, picture, 0);
        return SHW_OK;
    }
    state->stroke_count--;

fail:
    shw_stroke_free(area);
    return result;
}

enum shw_result shw_project_add_area(struct shw_project *project, uint32_t picture, uint32_t number,
                                     const struct shw_point *runs, uint32_t count)
{
    uint32_t id = number == SHW_LABEL_VOID ? SHW_STROKE_ERASER : shw_project_class_id(project, number);
    struct shw_stroke area = {.class_id = id};

    if (picture >= project->picture_count || (id == UINT32_MAX && number != SHW_LABEL_VOID) || count == 0)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an area needs a picture, an existing class, and pixels");
    if (count > SHW_STROKE_POINTS_MAX / 2)
        return shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "an area has at most %u runs of pixels",
                        SHW_STROKE_POINTS_MAX / 2);
    area.points = malloc(2 * (size_t)count * sizeof *area.points);
    if (area.points == NULL)
        return shw_fail_memory(&project->log, "an area");
    memcpy(area.points, runs, 2 * (size_t)count * sizeof *area.points);
    area.point_count = area.point_capacity = 2 * count;
    return project_take_area(project, picture, &area, false, false);
}

/* The top strokes that were found with the runs become those of a picture that had no strokes. */
static void take_top_strokes(struct shw_picture_state *picture, struct shw_label_runs *runs)
{
    shw_picture_labels_release(&picture->labels);
    shw_top_strokes_free(&picture->top);
    picture->top = runs->top;
    picture->stale = (struct shw_rect){0};
    runs->top = (struct shw_top_strokes){0};
}

enum shw_result shw_project_import_runs(struct shw_project *project, uint32_t picture, struct shw_label_runs *runs)
{
    struct shw_picture_state *state = &project->pictures[picture];
    uint32_t classes = shw_project_get_class_count(project);
    bool joined = false, alone = state->stroke_count == 0;
    enum shw_result result = SHW_OK;

    if (runs->width != state->width || runs->height != state->height)
        result = shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%s: the size of the labels differs from the picture's", state->name);
    for (uint32_t c = 0; c < runs->class_count && result == SHW_OK; c++) {
        struct shw_stroke *area = &runs->areas[c];

        if (area->point_count == 0)
            continue;
        if (c >= classes) {
            result = shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                              "%s: there is no class %u, which the labels use", state->name, c);
            break;
        }
        area->class_id = shw_project_class_id(project, c);
        result = project_take_area(project, picture, area, joined, alone);
        *area = (struct shw_stroke){0};
        joined |= result == SHW_OK;
        if (alone && result == SHW_OK)
            state->visible[state->stroke_count - 1] = runs->pixels[c];
    }
    if (alone && joined && result == SHW_OK)
        take_top_strokes(state, runs);
    if (result != SHW_OK && joined) {
        shw_project_undo(project, NULL);
        shw_project_forget(project);
    }
    shw_label_runs_free(runs);
    return result;
}

enum shw_result shw_project_import_labels(struct shw_project *project, uint32_t picture, const uint16_t *labels)
{
    const struct shw_picture_state *state = &project->pictures[picture];
    struct shw_label_runs runs;

    SHW_PROPAGATE(shw_label_runs_find(labels, state->width, state->height, shw_project_get_class_count(project),
                                      state->name, &project->log, &runs));
    return shw_project_import_runs(project, picture, &runs);
}

/* The project's classes, and an entry for unlabelled pixels. */
static enum shw_result make_palette(const struct shw_project *project, const char *name, struct shw_palette *palette)
{
    uint32_t count = shw_project_get_class_count(project);
    struct shw_palette_entry *entries = calloc(count + 1u, sizeof *entries);
    struct shw_class *classes = calloc(count + 1u, sizeof *classes);
    char void_name[] = "void";
    enum shw_result result;

    if (entries == NULL || classes == NULL) {
        free(entries);
        free(classes);
        return shw_fail_memory(&project->log, name);
    }
    for (uint32_t c = 0; c < count; c++) {
        const struct shw_project_class *shown = shw_project_get_class(project, c);

        entries[c].name = shown->name;
        memcpy(entries[c].colour, shown->colour, sizeof entries[c].colour);
        memcpy(classes[c].colour, shown->colour, sizeof classes[c].colour);
    }
    entries[count] = (struct shw_palette_entry){.name = void_name, .is_void = true};
    shw_palette_void_colour(classes, count, entries[count].colour);
    result = shw_palette_make(entries, count + 1, name, &project->log, palette);
    free(entries);
    free(classes);
    return result;
}

enum shw_result shw_project_import_label_file(struct shw_project *project, uint32_t picture, const char *path)
{
    const struct shw_picture_state *state = &project->pictures[picture];
    struct shw_label_file file = {0};
    struct shw_palette palette = {0};
    uint16_t *labels = NULL;
    enum shw_result result;

    SHW_TRY(make_palette(project, path, &palette));
    SHW_TRY(shw_label_file_read(path, SHW_LABELS_AUTO, &project->log, &file));
    if (file.width != state->width || file.height != state->height)
        SHW_TRY(shw_fail(&project->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                         "%s is %u x %u, but the picture %s is %u x %u", path, file.width, file.height, state->name,
                         state->width, state->height));
    SHW_TRY(shw_labels_to_classes(&file, path, &palette, &project->log, &labels));
    result = shw_project_import_labels(project, picture, labels);

fail:
    free(labels);
    shw_palette_free(&palette);
    shw_label_file_free(&file);
    return result;
}
