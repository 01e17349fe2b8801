/* Makes the training set of a project, or of what was sent from elsewhere. */
#include "files/project/training_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
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

/* Adds a picture, whose shares it takes, if it has a label. Those that are trained on come first, in the order of their
 * names. */
static enum shw_result add_taught(struct shw_training_set *set, const char *name, bool kept,
                                  struct shw_picture_labels *labels, struct shw_pixels *pixels)
{
    struct shw_taught_picture *taught = &set->pictures[set->picture_count + set->kept_count];
    uint16_t *stroke_labels;

    if (labels->count == 0) {
        shw_picture_labels_release(&labels);
        shw_pixels_release(&pixels);
        return SHW_OK;
    }
    set->kept_count += kept;
    set->picture_count += !kept;
    *taught = (struct shw_taught_picture){.name = strdup(name),
                                          .width = labels->width,
                                          .height = labels->height,
                                          .labels = labels,
                                          .pixels = pixels,
                                          .first_stroke = set->stroke_count};
    stroke_labels =
        realloc(set->stroke_labels, (set->stroke_count + labels->stroke_count + 1u) * sizeof *set->stroke_labels);
    if (stroke_labels == NULL || taught->name == NULL || taught->pixels == NULL)
        return shw_fail_memory(&set->log, name);
    set->stroke_labels = stroke_labels;
    for (uint32_t s = 0; s < labels->stroke_count; s++)
        set->stroke_labels[set->stroke_count++] = labels->visible[s] > 0 ? labels->values[s + 1] : SHW_LABEL_VOID;
    return SHW_OK;
}

static enum shw_result add_picture(struct shw_project *project, uint32_t picture, struct shw_training_set *set)
{
    const struct shw_picture_state *state = &project->pictures[picture];
    struct shw_picture_labels *labels = NULL;

    SHW_PROPAGATE(shw_project_share_labels(project, picture, &labels));
    return add_taught(set, state->name, state->kept, labels,
                      labels->count > 0 ? shw_project_share_pixels(project, picture) : NULL);
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
        if (result == SHW_OK)
            result = shw_project_check_inputs(project, state->name, &whole->inputs, log);
        shw_pixels_part_release(&whole);
        shw_pixels_release(&pixels);
    }
    return result;
}

/* Whether more than one class can be seen in the pictures that are trained on. */
static enum shw_result check_classes(const struct shw_training_set *set, const struct shw_log *log)
{
    uint32_t count = set->kept_count > 0 ? set->pictures[set->picture_count].first_stroke : set->stroke_count;
    uint16_t first = SHW_LABEL_VOID;

    for (uint32_t s = 0; s < count; s++) {
        if (first == SHW_LABEL_VOID)
            first = set->stroke_labels[s];
        else if (set->stroke_labels[s] != SHW_LABEL_VOID && set->stroke_labels[s] != first)
            return SHW_OK;
    }
    if (first == SHW_LABEL_VOID)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT,
                    "only the class %s is painted: training needs strokes of a second class", set->classes[first].name);
}

/* What every set must have. */
static enum shw_result check_set(const struct shw_training_set *set, const struct shw_log *log)
{
    if (set->picture_count == 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT,
                        set->kept_count == 0 ? "nothing is painted: training needs strokes"
                                             : "all that is painted is kept for testing: training needs strokes");
    return check_classes(set, log);
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
    if (shw_project_is_held_back(project))
        SHW_TRY(shw_project_refuse_texts(project, "the project", log));
    set->texts = malloc(sizeof *set->texts);
    SHW_TRY(set->texts != NULL ? SHW_OK : shw_fail_memory(log, "strokes"));
    shw_project_hold_texts(&project->texts, set->texts);
    set->feature = shw_project_get_feature(project);
    set->training = project->training;
    set->notes = shw_image_choice_format(&project->choice, &fine);
    SHW_TRY(fine ? SHW_OK : shw_fail_memory(log, "strokes"));
    SHW_TRY(copy_classes(project, set) ? SHW_OK : shw_fail_memory(log, "strokes"));
    SHW_TRY(add_pictures(project, set));
    SHW_TRY(check_set(set, log));
    *made = set;
    return SHW_OK;

fail:
    shw_training_set_destroy(&set);
    return result;
}

/* Sets whose parts have come from elsewhere. */

static bool copy_listed_classes(const struct shw_training_parts *parts, struct shw_training_set *set)
{
    set->classes = calloc(parts->class_count + (size_t)1, sizeof *set->classes);
    if (set->classes == NULL)
        return false;
    for (; set->class_count < parts->class_count; set->class_count++) {
        const struct shw_class *from = &parts->classes[set->class_count];
        struct shw_class *class = &set->classes[set->class_count];

        memcpy(class->colour, from->colour, sizeof class->colour);
        class->name = strdup(from->name);
        if (class->name == NULL)
            return false;
    }
    return true;
}

/* Holds what texts make. */
static bool hold_made(const struct shw_training_parts *parts, struct shw_training_set *set)
{
    struct shw_text_states listed = {.count = 0};

    for (uint32_t i = 0; i < parts->text_count; i++)
        listed.list[listed.count++].made = parts->texts[i];
    shw_project_list_kinds(&listed);
    set->texts = malloc(sizeof *set->texts);
    if (set->texts == NULL)
        return false;
    shw_project_hold_texts(&listed, set->texts);
    for (uint32_t i = 0; i < parts->text_count; i++)
        set->feature = parts->texts[i].feature != NULL ? parts->texts[i].feature : set->feature;
    return true;
}

/* First those that are trained on, each in the order of their names. */
static int by_name(const void *a, const void *b)
{
    const struct shw_training_part *const *left = a, *const *right = b;

    if ((*left)->kept != (*right)->kept)
        return (*left)->kept ? 1 : -1;
    return strcmp((*left)->name, (*right)->name);
}

static enum shw_result add_parts(const struct shw_training_parts *parts, struct shw_training_set *set)
{
    const struct shw_training_part **order = calloc(parts->picture_count + (size_t)1, sizeof *order);
    enum shw_result result = SHW_OK;

    set->pictures = calloc(parts->picture_count + (size_t)1, sizeof *set->pictures);
    if (order == NULL || set->pictures == NULL)
        result = shw_fail_memory(&set->log, "strokes");
    for (uint32_t p = 0; p < parts->picture_count && result == SHW_OK; p++)
        order[p] = &parts->pictures[p];
    if (result == SHW_OK)
        qsort(order, parts->picture_count, sizeof *order, by_name);
    for (uint32_t p = 0; p < parts->picture_count && result == SHW_OK; p++)
        result = add_taught(set, order[p]->name, order[p]->kept, shw_picture_labels_share(order[p]->labels),
                            shw_pixels_share(order[p]->pixels));
    free(order);
    return result;
}

static enum shw_result check_stroke_labels(const struct shw_training_set *set, const struct shw_log *log)
{
    for (uint32_t s = 0; s < set->stroke_count; s++)
        if (set->stroke_labels[s] != SHW_LABEL_VOID && set->stroke_labels[s] >= set->class_count)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PROJECT, "a stroke has class %u, and there are %u classes",
                            set->stroke_labels[s], set->class_count);
    return SHW_OK;
}

enum shw_result shw_training_set_build(const struct shw_training_parts *parts, const struct shw_log *log,
                                       struct shw_training_set **made)
{
    struct shw_training_set *set = calloc(1, sizeof *set);
    const char *fault;
    enum shw_result result;

    if (set == NULL)
        return shw_fail_memory(log, "strokes");
    atomic_init(&set->shares, 1);
    if (log != NULL)
        set->log = *log;
    set->training = parts->training;
    SHW_TRY(hold_made(parts, set) && copy_listed_classes(parts, set) && shw_text_copy(parts->notes, &set->notes)
                ? SHW_OK
                : shw_fail_memory(log, "strokes"));
    fault = shw_project_training_fault(&set->training, &set->texts->kinds);
    if (fault != NULL)
        SHW_TRY(shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s", fault));
    SHW_TRY(add_parts(parts, set));
    SHW_TRY(check_stroke_labels(set, log));
    SHW_TRY(check_set(set, log));
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
    if (gone->texts != NULL)
        shw_project_free_texts(gone->texts);
    free(gone->texts);
    free(gone);
}

uint32_t shw_training_set_text_count(const struct shw_training_set *set)
{
    return set->texts->count;
}

const char *shw_training_set_text(const struct shw_training_set *set, uint32_t index, const char **name)
{
    const struct shw_code_made *made = &set->texts->list[index].made;

    *name = made->feature != NULL ? made->feature->name : made->kind->name;
    return made->feature != NULL ? made->feature->text : made->kind->text;
}

struct shw_trainer_params shw_project_params(void)
{
    return (struct shw_trainer_params){
        .offset_min = 1,
        .pixels_per_image = SHW_PIXELS_ALL,
        .weighting = SHW_WEIGHTING_INVERSE,
        .single_percent = 50,
        .thresholds = SHW_THRESHOLDS_RANDOM,
        .bins = 10,
    };
}

static uint32_t either(uint32_t chosen, uint32_t usual)
{
    return chosen > 0 ? chosen : usual;
}

struct shw_trainer_params shw_training_set_params(const struct shw_training_set *set)
{
    const struct shw_project_training *training = &set->training;
    struct shw_trainer_params params = shw_project_params();

    params.channels = shw_project_training_channels(training);
    params.tree_count = either(training->tree_count, SHW_PROJECT_TREES);
    params.depth = either(training->depth, SHW_PROJECT_DEPTH);
    params.candidates = either(training->candidates, SHW_PROJECT_CANDIDATES);
    params.offset_max = either(training->offset, SHW_PROJECT_OFFSET);
    params.smoothing.radius = either(training->smooth, SHW_PROJECT_SMOOTH);
    params.seed = training->seed;
    params.kinds = set->texts->kinds;
    params.feature = set->feature;
    params.notes = set->notes;
    return params;
}

struct shw_trainer_params shw_training_set_level_params(const struct shw_training_set *set)
{
    struct shw_trainer_params params = shw_training_set_params(set);

    if (set->training.levels <= 1)
        return params;
    params.levels = set->training.levels;
    params.offset_max = either(set->training.offset, SHW_PROJECT_FAR);
    return params;
}
