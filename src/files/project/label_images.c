/* Label images: import as areas among the strokes. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/label_classes.h"
#include "files/image/image_file.h"
#include "files/project/state.h"

/* The owners that were found with the runs become those of a picture that had no strokes. */
static void take_owners(struct shw_picture_state *picture, struct shw_label_runs *runs)
{
    shw_picture_labels_release(&picture->labels);
    shw_top_strokes_free(&picture->owners);
    picture->owners = runs->owners;
    picture->stale = (struct shw_rect){0};
    runs->owners = (struct shw_top_strokes){0};
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
        result = shw_project_take_area(project, picture, area, joined, alone);
        *area = (struct shw_stroke){0};
        joined |= result == SHW_OK;
        if (alone && result == SHW_OK)
            state->visible[state->stroke_count - 1] = runs->pixels[c];
    }
    if (alone && joined && result == SHW_OK)
        take_owners(state, runs);
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
