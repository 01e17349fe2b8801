/* Snapshots of projects, which share what does not change. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/project/state.h"

static bool copy_text(const char *text, char **copy)
{
    *copy = text != NULL ? strdup(text) : NULL;
    return text == NULL || *copy != NULL;
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
        if (!copy_text(class->shown.name, &class->shown.name))
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
                                       .owners = shw_top_strokes_make(picture->width, picture->height),
                                       .visible = calloc(room, sizeof *copy->visible)};
    if (copy->name == NULL || copy->strokes == NULL || copy->visible == NULL)
        return false;
    for (; copy->stroke_count < picture->stroke_count; copy->stroke_count++)
        if (!shw_stroke_share(&picture->strokes[copy->stroke_count], &copy->strokes[copy->stroke_count]))
            return false;
    return true;
}

static bool copy_pictures(struct shw_project *project, struct shw_project *copy)
{
    bool fine = true;

    copy->pictures = calloc(project->picture_count + (size_t)1, sizeof *copy->pictures);
    if (copy->pictures == NULL)
        return false;
    copy->picture_capacity = project->picture_count + 1;
    for (uint32_t p = 0; p < project->picture_count && fine; p++) {
        if (!shw_picture_is_stored(&project->pictures[p]))
            continue;
        fine = copy_picture(&project->pictures[p], &copy->pictures[copy->picture_count++]);
        shw_project_repaint_picture(copy, copy->picture_count - 1);
    }
    return fine;
}

enum shw_result shw_project_snapshot(struct shw_project *project, const struct shw_log *log,
                                     struct shw_project **snapshot)
{
    struct shw_project *copy;

    SHW_PROPAGATE(shw_project_create(log, &copy));
    copy->training = project->training;
    copy->choice = project->choice;
    copy->revision = project->revision;
    if (shw_project_set_folder(copy, project->folder) == SHW_OK && copy_text(project->shown, &copy->shown) &&
        copy_classes(project, copy) && copy_pictures(project, copy)) {
        *snapshot = copy;
        return SHW_OK;
    }
    shw_project_destroy(&copy);
    return shw_fail_memory(log, "a copy of the project");
}
