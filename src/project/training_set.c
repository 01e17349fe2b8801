#include "project/training_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "image/image_file.h"
#include "image/image_paths.h"
#include "project/state.h"

static enum shw_result check_size(const char *name, uint32_t width, uint32_t height, const struct shw_image *image,
                                  const struct shw_log *log)
{
    if (image->width == width && image->height == height)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %u x %u, but was painted on at %u x %u", name,
                    image->width, image->height, width, height);
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_training_set *set = user;
    const struct shw_taught_picture *picture = &set->pictures[index];
    const struct shw_image *image;
    struct shw_inputs inputs;

    SHW_PROPAGATE(shw_pixels_get(picture->pixels, &set->log, &inputs));
    image = &inputs.inputs[0].image;
    SHW_PROPAGATE(check_size(picture->name, picture->width, picture->height, image, &set->log));
    *example = (struct shw_labelled_image){.name = picture->name,
                                           .image = *image,
                                           .inputs = {inputs.count - 1, inputs.inputs + 1},
                                           .labels = picture->labels};
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
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

/* Adds a picture if it has a label. `first`: the strokes of the previous pictures. */
static enum shw_result copy_picture(struct shw_project *project, uint32_t picture, uint32_t first,
                                    struct shw_training_set *set)
{
    const struct shw_picture_state *state = &project->pictures[picture];
    size_t pixels = (size_t)state->width * state->height;
    struct shw_taught_picture *taught = &set->pictures[set->picture_count];
    struct shw_picture_labels *labels = NULL;

    SHW_PROPAGATE(shw_project_share_labels(project, picture, &labels));
    if (labels->count == 0) {
        shw_picture_labels_release(&labels);
        return SHW_OK;
    }
    set->picture_count++;
    *taught = (struct shw_taught_picture){.name = strdup(state->name),
                                          .width = state->width,
                                          .height = state->height,
                                          .labels = malloc(pixels * sizeof *taught->labels),
                                          .owners = malloc(pixels * sizeof *taught->owners),
                                          .pixels = shw_project_share_pixels(project, picture)};
    if (taught->name == NULL || taught->labels == NULL || taught->owners == NULL || taught->pixels == NULL) {
        shw_picture_labels_release(&labels);
        return shw_fail_memory(&set->log, state->name);
    }
    shw_picture_labels_copy(labels, 0, 0, state->width, state->height, 1, taught->labels);
    for (size_t i = 0; i < pixels; i++) {
        uint32_t owner = shw_owners_get(&labels->owners, (uint32_t)(i % state->width), (uint32_t)(i / state->width));
        taught->owners[i] = owner > 0 ? first + owner : 0;
        if (owner > 0)
            set->stroke_labels[first + owner - 1] = taught->labels[i];
    }
    shw_picture_labels_release(&labels);
    return SHW_OK;
}

static enum shw_result copy_pictures(struct shw_project *project, struct shw_training_set *set)
{
    struct shw_named *order = shw_project_sort_names(project, NULL);
    uint32_t first = 0;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < project->picture_count; i++)
        set->stroke_count += project->pictures[i].stroke_count;
    set->pictures = calloc(project->picture_count + 1u, sizeof *set->pictures);
    set->stroke_labels = malloc((set->stroke_count + 1u) * sizeof *set->stroke_labels);
    if (order == NULL || set->pictures == NULL || set->stroke_labels == NULL) {
        free(order);
        return shw_fail_memory(&set->log, "strokes");
    }
    memset(set->stroke_labels, 0xff, (set->stroke_count + 1u) * sizeof *set->stroke_labels); /* SHW_LABEL_VOID */
    for (uint32_t i = 0; i < project->picture_count && result == SHW_OK; i++) {
        uint32_t strokes = project->pictures[order[i].picture].stroke_count;

        if (strokes > 0)
            result = copy_picture(project, order[i].picture, first, set);
        first += strokes;
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
        struct shw_inputs inputs;

        if (state->stroke_count == 0)
            continue;
        pixels = shw_project_share_pixels(project, p);
        result = pixels != NULL ? shw_pixels_get(pixels, log, &inputs) : shw_fail_memory(log, state->name);
        if (result == SHW_OK)
            result = check_size(state->name, state->width, state->height, &inputs.inputs[0].image, log);
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
    SHW_TRY(copy_pictures(project, set));
    if (set->picture_count == 0)
        SHW_TRY(shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "nothing is painted: training needs strokes"));
    set->dataset = (struct shw_dataset){.count = set->picture_count,
                                        .class_count = set->class_count,
                                        .classes = set->classes,
                                        .user = set,
                                        .read = read_example,
                                        .release = release_example};
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
    for (uint32_t i = 0; i < gone->picture_count; i++) {
        free(gone->pictures[i].name);
        free(gone->pictures[i].labels);
        free(gone->pictures[i].owners);
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
