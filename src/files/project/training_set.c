#include "files/project/training_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "files/project/state.h"

static enum shw_result check_size(const char *name, uint32_t width, uint32_t height, const struct shw_image *image,
                                  const struct shw_log *log)
{
    if (image->width == width && image->height == height)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %u x %u, but was painted on at %u x %u", name,
                    image->width, image->height, width, height);
}

static bool copy_classes(const struct shw_project *project, struct shw_training_set *set)
{
    uint32_t count = shw_project_get_class_count(project);

    set->classes = calloc(count + 1u, sizeof *set->classes);
    if (set->classes == NULL)
        return false;
    for (set->class_count = 0; set->class_count < count; set->class_count++) {
        const struct shw_project_class *shown = shw_project_get_class(project, set->class_count);
        struct shw_class *class = &set->classes[set->class_count];

        memcpy(class->colour, shown->colour, sizeof class->colour);
        class->name = strdup(shown->name);
        if (class->name == NULL)
            return false;
    }
    return true;
}

/* Adds a picture if it has a label. */
static enum shw_result add_picture(struct shw_project *project, uint32_t picture, struct shw_training_set *set)
{
    const struct shw_picture_state *state = &project->pictures[picture];
    struct shw_taught_picture *taught = &set->pictures[set->picture_count + set->kept_count];
    struct shw_picture_labels *labels = NULL;
    uint16_t *stroke_labels;

    SHW_PROPAGATE(shw_project_share_labels(project, picture, &labels));
    if (labels->count == 0) {
        shw_picture_labels_release(&labels);
        return SHW_OK;
    }
    set->kept_count += state->kept;
    set->picture_count += !state->kept;
    *taught = (struct shw_taught_picture){.name = strdup(state->name),
                                          .width = state->width,
                                          .height = state->height,
                                          .labels = labels,
                                          .pixels = shw_project_share_pixels(project, picture),
                                          .first_stroke = set->stroke_count};
    stroke_labels =
        realloc(set->stroke_labels, (set->stroke_count + labels->stroke_count + 1u) * sizeof *set->stroke_labels);
    if (stroke_labels == NULL || taught->name == NULL || taught->pixels == NULL)
        return shw_fail_memory(&set->log, state->name);
    set->stroke_labels = stroke_labels;
    for (uint32_t s = 0; s < labels->stroke_count; s++)
        set->stroke_labels[set->stroke_count++] = labels->visible[s] > 0 ? labels->values[s + 1] : SHW_LABEL_VOID;
    return SHW_OK;
}

static enum shw_result add_pictures(struct shw_project *project, struct shw_training_set *set)
{
    struct shw_named *order = shw_project_sort_names(project, NULL);
    enum shw_result result = SHW_OK;

    set->pictures = calloc(project->picture_count + 1u, sizeof *set->pictures);
    if (order == NULL || set->pictures == NULL)
        result = shw_fail_memory(&set->log, "strokes");
    for (uint32_t i = 0; i < 2 * project->picture_count && result == SHW_OK; i++) {
        uint32_t number = order[i % project->picture_count].picture;
        const struct shw_picture_state *picture = &project->pictures[number];

        if (picture->stroke_count > 0 && picture->kept == (i >= project->picture_count))
            result = add_picture(project, number, set);
    }
    free(order);
    return result;
}

/* A project that was not made by the viewer may have pictures that want a range, and none. */
static enum shw_result settle_choice(struct shw_project *project, const struct shw_log *log)
{
    struct shw_image_choice choice = project->choice;
    struct shw_named *order = shw_project_sort_names(project, NULL);
    enum shw_result result = order != NULL ? SHW_OK : shw_fail_memory(log, "names");

    for (uint32_t i = 0; i < project->picture_count && result == SHW_OK; i++) {
        const struct shw_picture_state *state = &project->pictures[order[i].picture];
        char *path;

        if (shw_intensity_range_is_set(&choice.range))
            break;
        if (state->stroke_count == 0)
            continue;
        path = shw_path_in(project->folder, state->name);
        result = path != NULL ? shw_image_choice_settle(&choice, path, log) : shw_fail_memory(log, state->name);
        free(path);
    }
    free(order);
    return result == SHW_OK ? shw_project_set_choice(project, &choice) : result;
}

enum shw_result shw_project_check_pictures(struct shw_project *project, const struct shw_log *log)
{
    enum shw_result result = settle_choice(project, log);

    for (uint32_t p = 0; p < project->picture_count && result == SHW_OK; p++) {
        const struct shw_picture_state *state = &project->pictures[p];
        struct shw_pixels *pixels;
        struct shw_pixels_part *whole = NULL;

        if (state->stroke_count == 0)
            continue;
        pixels = shw_project_share_pixels(project, p);
        result = pixels != NULL ? shw_pixels_take(pixels, log, &whole) : shw_fail_memory(log, state->name);
        if (result == SHW_OK)
            result = check_size(state->name, state->width, state->height, &whole->input[0].image, log);
        shw_pixels_part_release(&whole);
        shw_pixels_release(&pixels);
    }
    return result;
}

enum shw_result shw_training_set_make(struct shw_project *project, const struct shw_log *log,
                                      struct shw_training_set **made)
{
    struct shw_training_set *set = calloc(1, sizeof *set);
    enum shw_result result;
    bool fine;

    if (set == NULL)
        return shw_fail_memory(log, "strokes");
    atomic_init(&set->shares, 1);
    if (log != NULL)
        set->log = *log;
    set->training = project->training;
    set->notes = shw_image_choice_format(&project->choice, &fine);
    SHW_TRY(fine ? SHW_OK : shw_fail_memory(log, "strokes"));
    SHW_TRY(copy_classes(project, set) ? SHW_OK : shw_fail_memory(log, "strokes"));
    SHW_TRY(add_pictures(project, set));
    if (set->picture_count == 0)
        SHW_TRY(shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT,
                         set->kept_count == 0 ? "nothing is painted: training needs strokes"
                                              : "all that is painted is kept for testing: training needs strokes"));
    *made = set;
    return SHW_OK;

fail:
    shw_training_set_destroy(&set);
    return result;
}

struct shw_training_set *shw_training_set_share(struct shw_training_set *set)
{
    atomic_fetch_add(&set->shares, 1);
    return set;
}

void shw_training_set_destroy(struct shw_training_set **set)
{
    struct shw_training_set *gone = set != NULL ? *set : NULL;

    if (gone == NULL)
        return;
    *set = NULL;
    if (atomic_fetch_sub(&gone->shares, 1) > 1)
        return;
    for (uint32_t i = 0; i < gone->picture_count + gone->kept_count; i++) {
        free(gone->pictures[i].name);
        shw_picture_labels_release(&gone->pictures[i].labels);
        shw_pixels_release(&gone->pictures[i].pixels);
    }
    for (uint32_t i = 0; i < gone->class_count; i++)
        free((char *)(uintptr_t)gone->classes[i].name);
    free(gone->pictures);
    free(gone->classes);
    free(gone->stroke_labels);
    free(gone->notes);
    free(gone);
}

struct shw_trainer_params shw_training_set_params(const struct shw_training_set *set)
{
    return (struct shw_trainer_params){.channels = set->training.channels[0] != '\0' ? set->training.channels : NULL,
                                       .tree_count = set->training.tree_count,
                                       .depth = set->training.depth,
                                       .candidates = set->training.candidates,
                                       .seed = set->training.seed,
                                       .pixels_per_image = SHW_PIXELS_ALL,
                                       .weighting = SHW_WEIGHTING_INVERSE,
                                       .notes = set->notes};
}
