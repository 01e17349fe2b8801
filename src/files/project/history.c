/* Steps that can be undone: strokes, and changes of classes. */
#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "files/project/state.h"

void shw_project_forget(struct shw_project *project)
{
    while (project->edit_count > project->done) {
        struct shw_edit *edit = &project->edits[--project->edit_count];

        shw_stroke_free(&edit->stroke);
        free(edit->other.shown.name);
    }
}

enum shw_result shw_project_record(struct shw_project *project, const struct shw_edit *edit)
{
    if (!SHW_RESERVE(project->edits, project->edit_capacity, project->done + 1u))
        return shw_fail_memory(&project->log, "history");
    shw_project_forget(project);
    project->edits[project->edit_count++] = *edit;
    project->done++;
    project->revision++;
    project->open = edit->is_stroke;
    return SHW_OK;
}

bool shw_project_push_stroke(struct shw_picture_state *picture, const struct shw_stroke *stroke)
{
    uint64_t *visible;

    if (!SHW_RESERVE(picture->strokes, picture->stroke_capacity, picture->stroke_count + 1u))
        return false;
    visible = realloc(picture->visible, picture->stroke_capacity * sizeof *visible);
    if (visible == NULL)
        return false;
    picture->visible = visible;
    picture->visible[picture->stroke_count] = 0;
    picture->strokes[picture->stroke_count++] = *stroke;
    return true;
}

bool shw_project_list_locked(const struct shw_project *project, struct shw_stroke *stroke)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < project->class_count; id++)
        count += project->classes[id].exists && project->classes[id].shown.locked;
    if (count == 0)
        return true;
    stroke->locked = malloc(count * sizeof *stroke->locked);
    if (stroke->locked == NULL)
        return false;
    for (uint32_t id = 0; id < project->class_count; id++)
        if (project->classes[id].exists && project->classes[id].shown.locked)
            stroke->locked[stroke->locked_count++] = id;
    return true;
}

enum shw_result shw_project_begin_stroke(struct shw_project *project, uint32_t picture, uint32_t number,
                                         uint32_t radius, struct shw_point point)
{
    uint32_t id = number == SHW_LABEL_VOID ? SHW_STROKE_ERASER : shw_project_class_id(project, number);
    struct shw_stroke stroke = {.class_id = id, .radius = radius};
    struct shw_edit edit = {.is_stroke = true, .which = picture};
    enum shw_result result;

    if (picture >= project->picture_count || (id == UINT32_MAX && number != SHW_LABEL_VOID) ||
        radius > SHW_STROKE_RADIUS_MAX)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a stroke needs a picture, an existing class, and a radius of at most %u",
                        SHW_STROKE_RADIUS_MAX);
    if (!shw_stroke_append(&stroke, point) || !shw_project_list_locked(project, &stroke) ||
        !shw_project_push_stroke(&project->pictures[picture], &stroke)) {
        result = shw_fail_memory(&project->log, "stroke");
        goto fail;
    }
    result = shw_project_record(project, &edit);
    if (result == SHW_OK) {
        shw_project_paint_last(project, picture, 0);
        return SHW_OK;
    }
    project->pictures[picture].stroke_count--;

fail:
    shw_stroke_free(&stroke);
    return result;
}

enum shw_result shw_project_extend_stroke(struct shw_project *project, struct shw_point point)
{
    struct shw_picture_state *picture;
    struct shw_stroke *stroke;
    uint32_t before;

    if (!project->open)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no stroke was begun");
    picture = &project->pictures[project->edits[project->done - 1].which];
    stroke = &picture->strokes[picture->stroke_count - 1];
    before = stroke->point_count;
    if (!shw_stroke_append(stroke, point))
        return before == SHW_STROKE_POINTS_MAX ? shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                                                          "a stroke has at most %u points", SHW_STROKE_POINTS_MAX)
                                               : shw_fail_memory(&project->log, "stroke");
    if (stroke->point_count > before) {
        shw_project_paint_last(project, project->edits[project->done - 1].which, before);
        project->revision++;
    }
    return SHW_OK;
}

void shw_project_end_stroke(struct shw_project *project)
{
    project->open = false;
}

bool shw_project_is_painting(const struct shw_project *project)
{
    return project->open;
}

static void swap_class(struct shw_project *project, struct shw_edit *edit)
{
    struct shw_class_state shown = project->classes[edit->which];
    bool locked = shown.shown.locked;

    project->classes[edit->which] = edit->other;
    edit->other = shown;
    /* locks are not part of the history */
    if (shown.exists && project->classes[edit->which].exists)
        project->classes[edit->which].shown.locked = locked;
    if (shown.exists != project->classes[edit->which].exists)
        shw_project_repaint_class(project, edit->which);
}

static void tell(struct shw_project *project, const struct shw_edit *edit, uint32_t *picture)
{
    project->revision++;
    if (picture != NULL)
        *picture = edit->is_stroke ? edit->which : UINT32_MAX;
}

static void undo_one(struct shw_project *project, uint32_t *picture)
{
    struct shw_edit *edit = &project->edits[--project->done];

    if (edit->is_stroke) {
        struct shw_picture_state *state = &project->pictures[edit->which];

        shw_project_repaint_last(project, edit->which);
        edit->stroke = state->strokes[--state->stroke_count];
    } else {
        swap_class(project, edit);
    }
    tell(project, edit, picture);
}

static void redo_one(struct shw_project *project, uint32_t *picture)
{
    struct shw_edit *edit = &project->edits[project->done++];

    if (edit->is_stroke) {
        struct shw_picture_state *state = &project->pictures[edit->which];

        /* cannot fail: the stroke was there before */
        state->strokes[state->stroke_count++] = edit->stroke;
        edit->stroke = (struct shw_stroke){0};
        shw_project_paint_last(project, edit->which, 0);
    } else {
        swap_class(project, edit);
    }
    tell(project, edit, picture);
}

bool shw_project_undo(struct shw_project *project, uint32_t *picture)
{
    bool more = project->done > 0;

    project->open = false;
    if (!more)
        return false;
    while (more) {
        more = project->edits[project->done - 1].joined;
        undo_one(project, picture);
    }
    return true;
}

bool shw_project_redo(struct shw_project *project, uint32_t *picture)
{
    project->open = false;
    if (project->done == project->edit_count)
        return false;
    redo_one(project, picture);
    while (project->done < project->edit_count && project->edits[project->done].joined)
        redo_one(project, picture);
    return true;
}
