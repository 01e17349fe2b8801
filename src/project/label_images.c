/* Label images: import as areas among the strokes. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dataset/label_classes.h"
#include "image/image_file.h"
#include "project/state.h"

/* Appends the runs of a class in a label image. False: out of memory, or there are too many. */
static bool append_runs(const struct shw_picture_state *picture, const uint16_t *labels, uint16_t number,
                        struct shw_stroke *stroke)
{
    for (uint32_t y = 0; y < picture->height; y++) {
        const uint16_t *row = labels + (size_t)y * picture->width;

        for (uint32_t x = 0; x < picture->width; x++) {
            uint32_t begin = x;

            while (x < picture->width && row[x] == number)
                x++;
            if (x > begin && (!shw_stroke_append_raw(stroke, (struct shw_point){(int32_t)begin, (int32_t)y}) ||
                              !shw_stroke_append_raw(stroke, (struct shw_point){(int32_t)x - 1, (int32_t)y})))
                return false;
        }
    }
    return true;
}

static enum shw_result add_area(struct shw_project *project, uint32_t picture, const uint16_t *labels, uint16_t number,
                                bool joined)
{
    struct shw_picture_state *state = &project->pictures[picture];
    struct shw_stroke stroke = {.class_id = shw_project_class_id(project, number)};
    enum shw_result result;

    if (append_runs(state, labels, number, &stroke))
        return shw_project_take_area(project, picture, &stroke, joined);
    result = stroke.point_count == SHW_STROKE_POINTS_MAX
                 ? shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                            "%s: class %u of the labels has more than %u runs of pixels", state->name, number,
                            SHW_STROKE_POINTS_MAX / 2)
                 : shw_fail_memory(&project->log, state->name);
    shw_stroke_free(&stroke);
    return result;
}

enum shw_result shw_project_import_labels(struct shw_project *project, uint32_t picture, const uint16_t *labels)
{
    const struct shw_picture_state *state = &project->pictures[picture];
    uint32_t classes = shw_project_get_class_count(project);
    bool present[SHW_PROJECT_CLASSES_MAX] = {false}, joined = false;
    enum shw_result result = SHW_OK;

    for (size_t p = 0; p < (size_t)state->width * state->height; p++) {
        if (labels[p] != SHW_LABEL_VOID && labels[p] >= classes)
            return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "%s: there is no class %u, which the labels use", state->name, labels[p]);
        if (labels[p] != SHW_LABEL_VOID)
            present[labels[p]] = true;
    }
    for (uint32_t c = 0; c < classes && result == SHW_OK; c++) {
        if (!present[c])
            continue;
        result = add_area(project, picture, labels, (uint16_t)c, joined);
        joined |= result == SHW_OK;
    }
    if (result != SHW_OK && joined) {
        shw_project_undo(project, NULL);
        shw_project_forget(project);
    }
    return result;
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
