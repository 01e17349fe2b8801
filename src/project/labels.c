/* Label images from strokes. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "project/state.h"

struct brush {
    struct shw_picture_state *picture;
    const struct shw_stroke *stroke;
    uint32_t owner; /* 0: the eraser */
    uint16_t label;
};

static void paint_pixel(void *user, uint32_t x, uint32_t y)
{
    const struct brush *brush = user;
    struct shw_picture_state *picture = brush->picture;
    size_t pixel = (size_t)y * picture->width + x;
    uint32_t owner = picture->owners[pixel];

    for (uint32_t i = 0; owner > 0 && i < brush->stroke->locked_count; i++)
        if (picture->strokes[owner - 1].class_id == brush->stroke->locked[i])
            return;
    picture->owners[pixel] = brush->owner;
    picture->labels[pixel] = brush->label;
}

static struct brush take_brush(const struct shw_project *project, struct shw_picture_state *picture, uint32_t s)
{
    const struct shw_stroke *stroke = &picture->strokes[s];
    uint16_t label = shw_project_class_number(project, stroke->class_id);

    return (struct brush){picture, stroke, stroke->class_id == SHW_STROKE_ERASER ? 0 : s + 1, label};
}

/* Whether the stroke has an effect: it is the eraser's, or its class is not deleted. */
static bool shows(const struct brush *brush)
{
    return brush->owner == 0 || brush->label != SHW_LABEL_VOID;
}

static void paint_segment(struct brush *brush, uint32_t point)
{
    const struct shw_stroke *stroke = brush->stroke;

    shw_stroke_sweep(stroke->points[point > 0 ? point - 1 : 0], stroke->points[point], stroke->radius,
                     brush->picture->width, brush->picture->height, paint_pixel, brush);
}

void shw_project_repaint(struct shw_project *project, uint32_t picture)
{
    for (uint32_t i = 0; i < project->picture_count; i++)
        if (picture == SHW_PROJECT_ALL || picture == i)
            project->pictures[i].painted = false;
}

void shw_project_paint_end(struct shw_project *project, uint32_t picture)
{
    struct shw_picture_state *state = &project->pictures[picture];
    struct brush brush = take_brush(project, state, state->stroke_count - 1);

    if (state->painted)
        paint_segment(&brush, brush.stroke->point_count - 1);
}

static bool make_ready(struct shw_picture_state *picture)
{
    size_t pixels = (size_t)picture->width * picture->height;

    if (picture->labels == NULL)
        picture->labels = malloc(pixels * sizeof *picture->labels);
    if (picture->owners == NULL)
        picture->owners = malloc(pixels * sizeof *picture->owners);
    if (picture->labels == NULL || picture->owners == NULL)
        return false;
    memset(picture->owners, 0, pixels * sizeof *picture->owners);
    memset(picture->labels, 0xff, pixels * sizeof *picture->labels); /* SHW_LABEL_VOID */
    return true;
}

enum shw_result shw_project_get_labels(struct shw_project *project, uint32_t picture, const uint16_t **labels,
                                       const uint32_t **owners)
{
    struct shw_picture_state *state = &project->pictures[picture];

    if (!state->painted && !make_ready(state))
        return shw_fail_memory(&project->log, state->name);
    for (uint32_t s = 0; !state->painted && s < state->stroke_count; s++) {
        struct brush brush = take_brush(project, state, s);

        /* in an area, every second point ends a segment */
        for (uint32_t p = brush.stroke->area; shows(&brush) && p < brush.stroke->point_count;
             p += 1u + brush.stroke->area)
            paint_segment(&brush, p);
    }
    state->painted = true;
    if (labels != NULL)
        *labels = state->labels;
    if (owners != NULL)
        *owners = state->owners;
    return SHW_OK;
}

enum shw_result shw_project_count_labels(struct shw_project *project, uint32_t picture, uint64_t *counts)
{
    const struct shw_picture_state *state = &project->pictures[picture];
    const uint16_t *labels;

    SHW_PROPAGATE(shw_project_get_labels(project, picture, &labels, NULL));
    memset(counts, 0, shw_project_get_class_count(project) * sizeof *counts);
    for (size_t i = 0; i < (size_t)state->width * state->height; i++)
        if (labels[i] != SHW_LABEL_VOID)
            counts[labels[i]]++;
    return SHW_OK;
}
