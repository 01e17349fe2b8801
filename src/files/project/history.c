/* Steps that can be undone, strokes and changes of classes; and snapshots of projects, which share what does not
 * change. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
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
    if (edit->of_objects)
        project->objects.revision++;
    else
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

static void tell_change(struct shw_project *project, const struct shw_edit *edit, uint32_t *picture)
{
    if (edit->of_objects)
        project->objects.revision++;
    else
        project->revision++;
    if (picture != NULL)
        *picture = edit->is_stroke || (edit->of_objects && !edit->is_class) ? edit->which : UINT32_MAX;
}

static void undo_one(struct shw_project *project, uint32_t *picture)
{
    struct shw_edit *edit = &project->edits[--project->done];

    if (edit->is_stroke) {
        struct shw_picture_state *state = &project->pictures[edit->which];

        shw_project_repaint_last(project, edit->which);
        edit->stroke = state->strokes[--state->stroke_count];
    } else if (edit->of_objects) {
        shw_project_swap_objects(project, edit, false);
    } else {
        swap_class(project, edit);
    }
    tell_change(project, edit, picture);
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
    } else if (edit->of_objects) {
        shw_project_swap_objects(project, edit, true);
    } else {
        swap_class(project, edit);
    }
    tell_change(project, edit, picture);
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

static bool copy_classes(const struct shw_project *project, struct shw_project *copy)
{
    copy->classes = calloc(project->class_count + (size_t)1, sizeof *copy->classes);
    if (copy->classes == NULL)
        return false;
    copy->class_capacity = project->class_count + 1;
    for (; copy->class_count < project->class_count; copy->class_count++) {
        struct shw_class_state *class = &copy->classes[copy->class_count];

        *class = project->classes[copy->class_count];
        if (!shw_text_copy(class->shown.name, &class->shown.name))
            return false;
    }
    return true;
}

static bool copy_picture(struct shw_picture_state *picture, struct shw_picture_state *copy)
{
    size_t room = picture->stroke_count + (size_t)1;

    *copy = (struct shw_picture_state){.name = strdup(picture->name),
                                       .name_hash = picture->name_hash,
                                       .width = picture->width,
                                       .height = picture->height,
                                       .strokes = malloc(room * sizeof *copy->strokes),
                                       .stroke_capacity = picture->stroke_count + 1,
                                       .kept = picture->kept,
                                       .pixel_side = picture->pixel_side,
                                       .example_count = picture->example_count,
                                       .top = shw_top_strokes_make(picture->width, picture->height),
                                       .visible = calloc(room, sizeof *copy->visible)};
    if (copy->name == NULL || copy->strokes == NULL || copy->visible == NULL ||
        !shw_named_paths_copy(&picture->inputs, &copy->inputs))
        return false;
    for (; copy->stroke_count < picture->stroke_count; copy->stroke_count++)
        if (!shw_stroke_share(&picture->strokes[copy->stroke_count], &copy->strokes[copy->stroke_count]))
            return false;
    return true;
}

/* numbers[p]: what picture p becomes. */
static bool copy_pictures(struct shw_project *project, uint32_t *numbers, struct shw_project *copy)
{
    bool fine = true;

    copy->pictures = calloc(project->picture_count + (size_t)1, sizeof *copy->pictures);
    if (copy->pictures == NULL || numbers == NULL)
        return false;
    copy->picture_capacity = project->picture_count + 1;
    for (uint32_t p = 0; p < project->picture_count && fine; p++) {
        if (!shw_picture_is_stored(&project->pictures[p]))
            continue;
        numbers[p] = copy->picture_count;
        fine = copy_picture(&project->pictures[p], &copy->pictures[copy->picture_count++]);
        shw_project_repaint_picture(copy, copy->picture_count - 1);
    }
    return fine;
}

enum shw_result shw_project_snapshot(struct shw_project *project, const struct shw_log *log,
                                     struct shw_project **snapshot)
{
    uint32_t *numbers = calloc(project->picture_count + (size_t)1, sizeof *numbers);
    struct shw_project *copy = NULL;
    enum shw_result result = shw_project_create(log, &copy);

    if (result != SHW_OK) {
        free(numbers);
        return result;
    }
    copy->training = project->training;
    copy->choice = project->choice;
    copy->revision = project->revision;
    copy->smoothings = project->smoothings;
    copy->shown_planes = project->shown_planes;
    copy->looks = project->looks;
    if (shw_project_set_folder(copy, project->folder) == SHW_OK && shw_text_copy(project->shown, &copy->shown) &&
        shw_project_copy_texts(&project->texts, &copy->texts) &&
        shw_named_paths_copy(&project->inputs, &copy->inputs) && copy_classes(project, copy) &&
        copy_pictures(project, numbers, copy) && shw_project_copy_objects(&project->objects, numbers, &copy->objects))
        *snapshot = copy;
    else
        result = shw_fail_memory(log, "a copy of the project");
    free(numbers);
    if (result != SHW_OK)
        shw_project_destroy(&copy);
    return result;
}
