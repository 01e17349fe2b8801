#include "files/project/project.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>

#include "base/array.h"
#include "base/class.h"
#include "base/log.h"
#include "dense/input/inputs.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "files/project/state.h"

enum shw_result shw_project_create(const struct shw_log *log, struct shw_project **project)
{
    struct shw_project *made = calloc(1, sizeof *made);

    if (made != NULL) {
        made->folder = strdup("");
        made->channels = calloc(1, sizeof *made->channels);
    }
    if (made == NULL || made->folder == NULL || made->channels == NULL) {
        if (made != NULL) {
            free(made->folder);
            free(made->channels);
        }
        free(made);
        return shw_fail_memory(log, "project");
    }
    if (log != NULL)
        made->log = *log;
    made->revision = 1;
    made->objects = SHW_TAUGHT_NOTHING;
    *project = made;
    return SHW_OK;
}

void shw_project_destroy(struct shw_project **project)
{
    struct shw_project *gone = project != NULL ? *project : NULL;

    if (gone == NULL)
        return;
    *project = NULL;
    for (uint32_t i = 0; i < gone->edit_count; i++) {
        shw_stroke_free(&gone->edits[i].stroke);
        free(gone->edits[i].other.shown.name);
    }
    for (uint32_t i = 0; i < gone->picture_count; i++) {
        struct shw_picture_state *picture = &gone->pictures[i];

        for (uint32_t s = 0; s < picture->stroke_count; s++)
            shw_stroke_free(&picture->strokes[s]);
        shw_named_paths_free(&picture->inputs);
        free(picture->strokes);
        free(picture->name);
        free(picture->visible);
        shw_top_strokes_free(&picture->top);
        shw_picture_labels_release(&picture->labels);
        shw_pixels_release(&picture->pixels);
    }
    for (uint32_t i = 0; i < gone->class_count; i++)
        free(gone->classes[i].shown.name);
    shw_project_free_objects(&gone->objects);
    shw_project_free_texts(&gone->texts);
    shw_named_paths_free(&gone->inputs);
    free(gone->channels);
    free(gone->edits);
    free(gone->pictures);
    free(gone->classes);
    free(gone->folder);
    free(gone->shown);
    free(gone);
}

uint64_t shw_project_get_revision(const struct shw_project *project)
{
    return project->revision;
}

uint64_t shw_project_get_edition(const struct shw_project *project)
{
    return project->revision + project->objects.revision + project->looks;
}

uint64_t shw_project_get_taught(const struct shw_project *project)
{
    return project->revision - project->smoothings;
}

enum shw_result shw_project_set_folder(struct shw_project *project, const char *folder)
{
    char *copy = strdup(folder);

    if (copy == NULL)
        return shw_fail_memory(&project->log, "project");
    free(project->folder);
    project->folder = copy;
    return SHW_OK;
}

enum shw_result shw_project_set_shown(struct shw_project *project, const char *name)
{
    char *copy = name != NULL ? strdup(name) : NULL;

    if (copy == NULL && name != NULL)
        return shw_fail_memory(&project->log, name);
    free(project->shown);
    project->shown = copy;
    return SHW_OK;
}

const char *shw_project_get_shown(const struct shw_project *project)
{
    return project->shown;
}

void shw_project_set_shown_planes(struct shw_project *project, const struct shw_shown_planes *shown)
{
    project->looks += memcmp(&project->shown_planes, shown, sizeof *shown) != 0;
    project->shown_planes = *shown;
}

const struct shw_shown_planes *shw_project_get_shown_planes(const struct shw_project *project)
{
    return &project->shown_planes;
}

struct shw_project_training shw_project_get_training(const struct shw_project *project)
{
    return project->training;
}

static bool reads_what_is_not_kept(const struct shw_channel_list *list)
{
    for (uint32_t i = 0; i < list->input_count; i++)
        if (strcmp(list->inputs[i], SHW_COLOUR) != 0 && !list->is_plane[i] && !shw_project_keeps_input(list->inputs[i]))
            return true;
    return false;
}

const char *shw_project_training_fault(const struct shw_project_training *training,
                                       const struct shw_channel_kinds *kinds)
{
    struct shw_channel_list list;

    if (training->channels[0] != '\0' && shw_channel_list_parse(training->channels, kinds, NULL, &list) != SHW_OK)
        return "\"channels\" names no channels";
    if (training->channels[0] != '\0' && reads_what_is_not_kept(&list))
        return "\"channels\" read what a project does not keep: only colours, depth, height, planes and the previous "
               "frame";
    if (training->tree_count > SHW_TREES_MAX)
        return "\"trees\" is more than 4096";
    if (training->depth > SHW_DEPTH_MAX)
        return "\"depth\" is more than 64";
    if (training->candidates > 1u << 20)
        return "\"candidates\" is more than 1048576";
    if (training->offset > SHW_PROJECT_OFFSET_MAX)
        return "\"offset\" is more than 16383";
    if (training->levels > SHW_LEVELS_MAX)
        return "\"levels\" is more than 8";
    if (training->smooth > SHW_SMOOTHING_RADIUS_MAX && training->smooth != SHW_SMOOTHING_NONE)
        return "\"smooth\" is more than 120";
    return NULL;
}

/* Whether they train the same trees. */
static bool teaches_the_same(const struct shw_project_training *one, const struct shw_project_training *other)
{
    return strcmp(one->channels, other->channels) == 0 && one->tree_count == other->tree_count &&
           one->depth == other->depth && one->candidates == other->candidates && one->seed == other->seed &&
           one->offset == other->offset && one->levels == other->levels && one->levels <= 1;
}

enum shw_result shw_project_set_training(struct shw_project *project, const struct shw_project_training *training)
{
    const char *fault = shw_project_training_fault(training, &project->texts.kinds);
    struct shw_channel_list before;
    const struct shw_channel_list *after;

    if (fault != NULL)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s", fault);
    before = *shw_project_get_channels(project);
    project->smoothings +=
        teaches_the_same(&project->training, training) && project->training.smooth != training->smooth;
    project->training = *training;
    project->revision++;
    after = shw_project_get_channels(project);
    for (uint32_t i = 0; i < after->input_count; i++)
        if (!shw_channels_read(&before, after->inputs[i]))
            return shw_project_forget_files(project);
    return SHW_OK;
}

struct shw_image_choice shw_project_get_choice(const struct shw_project *project)
{
    return project->choice;
}

enum shw_result shw_project_set_choice(struct shw_project *project, const struct shw_image_choice *choice)
{
    SHW_PROPAGATE(shw_image_choice_check(choice, &project->log));
    if (shw_image_choice_equal(&project->choice, choice))
        return SHW_OK;
    SHW_PROPAGATE(shw_project_forget_files(project));
    project->choice = *choice;
    project->revision++;
    return SHW_OK;
}

uint32_t shw_project_class_id(const struct shw_project *project, uint32_t number)
{
    for (uint32_t id = 0; id < project->class_count; id++)
        if (project->classes[id].exists && number-- == 0)
            return id;
    return UINT32_MAX;
}

uint16_t shw_project_class_number(const struct shw_project *project, uint32_t id)
{
    uint16_t number = 0;

    if (id >= project->class_count || !project->classes[id].exists)
        return SHW_LABEL_VOID;
    for (uint32_t i = 0; i < id; i++)
        number = (uint16_t)(number + project->classes[i].exists);
    return number;
}

uint32_t shw_project_get_class_count(const struct shw_project *project)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < project->class_count; id++)
        count += project->classes[id].exists;
    return count;
}

const struct shw_project_class *shw_project_get_class(const struct shw_project *project, uint32_t number)
{
    uint32_t id = shw_project_class_id(project, number);

    return id != UINT32_MAX ? &project->classes[id].shown : NULL;
}

/* Whether a class other than `id` has the name. */
static enum shw_result check_name(const struct shw_project *project, const char *name, uint32_t id)
{
    if (!shw_class_name_is_valid(name))
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a class must have a name: 1 to %u bytes of UTF-8 without control characters",
                        SHW_CLASS_NAME_MAX);
    for (uint32_t i = 0; i < project->class_count; i++)
        if (i != id && project->classes[i].exists && strcmp(project->classes[i].shown.name, name) == 0)
            return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is already a class %s", name);
    return SHW_OK;
}

/* Changes a class, as a step of the history. */
static enum shw_result change(struct shw_project *project, uint32_t id, const struct shw_class_state *state)
{
    struct shw_edit edit = {.which = id, .other = project->classes[id]};
    enum shw_result result = shw_project_record(project, &edit);

    if (result == SHW_OK) {
        project->classes[id] = *state;
        if (edit.other.exists != state->exists)
            shw_project_repaint_class(project, id);
    }
    return result;
}

enum shw_result shw_project_add_class(struct shw_project *project, const char *name, const uint8_t colour[3])
{
    struct shw_class_state state = {.exists = true};
    enum shw_result result;

    SHW_TRY(check_name(project, name, UINT32_MAX));
    if (project->class_count == SHW_PROJECT_CLASSES_MAX)
        SHW_TRY(shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                         "a project has at most %u classes, including deleted ones", SHW_PROJECT_CLASSES_MAX));
    memcpy(state.shown.colour, colour, 3);
    state.shown.name = strdup(name);
    if (state.shown.name == NULL || !SHW_RESERVE(project->classes, project->class_capacity, project->class_count + 1u))
        SHW_TRY(shw_fail_memory(&project->log, name));
    project->classes[project->class_count] = (struct shw_class_state){0};
    result = change(project, project->class_count, &state);
    if (result == SHW_OK) {
        project->class_count++;
        return SHW_OK;
    }

fail:
    free(state.shown.name);
    return result;
}

enum shw_result shw_project_change_class(struct shw_project *project, uint32_t number, const char *name,
                                         const uint8_t colour[3])
{
    uint32_t id = shw_project_class_id(project, number);
    struct shw_class_state state = {.exists = true};
    enum shw_result result;

    if (id == UINT32_MAX)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no class %u", number);
    SHW_TRY(check_name(project, name, id));
    memcpy(state.shown.colour, colour, 3);
    state.shown.locked = project->classes[id].shown.locked;
    state.shown.name = strdup(name);
    result = state.shown.name != NULL ? change(project, id, &state) : shw_fail_memory(&project->log, name);

fail:
    if (result != SHW_OK)
        free(state.shown.name);
    return result;
}

enum shw_result shw_project_delete_class(struct shw_project *project, uint32_t number)
{
    uint32_t id = shw_project_class_id(project, number);

    if (id == UINT32_MAX)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no class %u", number);
    return change(project, id, &(struct shw_class_state){0});
}

void shw_project_lock_class(struct shw_project *project, uint32_t number, bool locked)
{
    uint32_t id = shw_project_class_id(project, number);

    if (id != UINT32_MAX)
        project->classes[id].shown.locked = locked;
}

uint32_t shw_project_get_picture_count(const struct shw_project *project)
{
    return project->picture_count;
}

struct shw_project_picture shw_project_get_picture(const struct shw_project *project, uint32_t picture)
{
    const struct shw_picture_state *state = &project->pictures[picture];

    return (struct shw_project_picture){state->name,         state->width,   state->height,    state->kept,
                                        state->stroke_count, state->strokes, state->pixel_side};
}

void shw_project_set_pixel_side(struct shw_project *project, uint32_t picture, double side)
{
    project->pictures[picture].pixel_side = side;
}

void shw_project_keep_for_test(struct shw_project *project, uint32_t picture, bool kept)
{
    project->revision += project->pictures[picture].kept != kept;
    project->pictures[picture].kept = kept;
}

/* FNV-1a: a search compares few names. */
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name != '\0'; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

uint32_t shw_project_seek_picture(const struct shw_project *project, const char *name)
{
    uint32_t hash = hash_name(name), i = 0;

    while (i < project->picture_count &&
           (project->pictures[i].name_hash != hash || strcmp(project->pictures[i].name, name) != 0))
        i++;
    return i;
}

/* Whether a file can store it. */
static bool is_text(const char *name)
{
    json_t *text = json_string(name); /* NULL unless it is UTF-8 */
    bool valid = text != NULL && name[0] != '\0';

    json_decref(text);
    return valid;
}

static enum shw_result add_picture(struct shw_project *project, const char *name, uint32_t width, uint32_t height)
{
    struct shw_picture_state state = {
        .name_hash = hash_name(name), .width = width, .height = height, .top = shw_top_strokes_make(width, height)};

    if (!is_text(name) || width == 0 || height == 0 || width > SHW_IMAGE_SIZE_MAX || height > SHW_IMAGE_SIZE_MAX ||
        (uint64_t)width * height > SHW_IMAGE_PIXELS_MAX)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a picture must have a name in UTF-8, and a size up to 2^28 pixels");
    if (project->picture_count == SHW_PROJECT_PICTURES_MAX)
        return shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "a project has at most %u pictures",
                        SHW_PROJECT_PICTURES_MAX);
    state.name = strdup(name);
    if (state.name == NULL || !SHW_RESERVE(project->pictures, project->picture_capacity, project->picture_count + 1u)) {
        free(state.name);
        return shw_fail_memory(&project->log, name);
    }
    project->pictures[project->picture_count++] = state;
    return SHW_OK;
}

enum shw_result shw_project_find_picture(struct shw_project *project, const char *name, uint32_t width, uint32_t height,
                                         uint32_t *picture)
{
    enum shw_result result = SHW_OK;
    uint32_t i = shw_project_seek_picture(project, name);

    if (i == project->picture_count)
        result = add_picture(project, name, width, height);
    else if (project->pictures[i].width != width || project->pictures[i].height != height)
        result =
            shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET, "%s is %u x %u, but was painted on at %u x %u",
                     name, width, height, project->pictures[i].width, project->pictures[i].height);
    if (result == SHW_OK)
        *picture = i;
    return result;
}

bool shw_project_has_pixels(const struct shw_project *project, uint32_t picture)
{
    struct shw_pixels *pixels = project->pictures[picture].pixels;

    return pixels != NULL && shw_pixels_has_whole(pixels);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct shw_named *)a)->name, ((const struct shw_named *)b)->name);
}

struct shw_named *shw_project_sort_names(const struct shw_project *project, const char *const *names)
{
    struct shw_named *order = calloc(project->picture_count + 1u, sizeof *order);

    for (uint32_t i = 0; order != NULL && i < project->picture_count; i++)
        order[i] = (struct shw_named){names != NULL && names[i] != NULL ? names[i] : project->pictures[i].name, i};
    if (order != NULL)
        qsort(order, project->picture_count, sizeof *order, by_name);
    return order;
}

static enum shw_result check_names(const struct shw_project *project, const struct shw_named *order)
{
    for (uint32_t i = 0; i < project->picture_count; i++)
        if (!is_text(order[i].name) || (i > 0 && strcmp(order[i].name, order[i - 1].name) == 0))
            return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "a picture cannot be called \"%s\": names are unique, not empty, and UTF-8", order[i].name);
    return SHW_OK;
}

enum shw_result shw_project_rename_pictures(struct shw_project *project, const char *const *names)
{
    uint32_t count = project->picture_count;
    struct shw_named *before = shw_project_sort_names(project, NULL), *after = shw_project_sort_names(project, names);
    char **copies = calloc(count + 1u, sizeof *copies);
    bool reordered = false;
    enum shw_result result = SHW_ERROR_MEMORY;

    if (before == NULL || after == NULL || copies == NULL)
        goto fail;
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = names[i] != NULL ? strdup(names[i]) : NULL;
        if (names[i] != NULL && copies[i] == NULL)
            goto fail;
        reordered = reordered || before[i].picture != after[i].picture;
    }
    SHW_TRY(check_names(project, after));
    for (uint32_t i = 0; i < count; i++) {
        if (copies[i] == NULL)
            continue;
        free(project->pictures[i].name);
        project->pictures[i].name = copies[i];
        project->pictures[i].name_hash = hash_name(copies[i]);
        copies[i] = NULL;
    }
    project->revision += reordered;

fail:
    if (result == SHW_ERROR_MEMORY)
        shw_fail_memory(&project->log, "names");
    for (uint32_t i = 0; copies != NULL && i < count; i++)
        free(copies[i]);
    free(copies);
    free(before);
    free(after);
    return result;
}

struct shw_pixels *shw_project_share_pixels(struct shw_project *project, uint32_t picture)
{
    struct shw_picture_state *state = &project->pictures[picture];
    struct shw_project_files files;
    char *path;

    if (state->pixels == NULL && shw_project_list_inputs(project, picture, &files) == SHW_OK) {
        path = shw_path_in(project->folder, state->name);
        if (path != NULL)
            state->pixels = shw_pixels_from_file(path, &project->choice, files.files, files.count);
        free(path);
        shw_project_files_free(&files);
    }
    return state->pixels != NULL ? shw_pixels_share(state->pixels) : NULL;
}

static enum shw_result check_size(const struct shw_project *project, uint32_t picture, const struct shw_image *image)
{
    const struct shw_picture_state *state = &project->pictures[picture];

    if (image->width == state->width && image->height == state->height)
        return SHW_OK;
    return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s: the size of the image differs from the picture's", state->name);
}

enum shw_result shw_project_lend_pixels(struct shw_project *project, uint32_t picture, struct shw_pixels_part *whole)
{
    struct shw_pixels *pixels;

    SHW_PROPAGATE(check_size(project, picture, &whole->input[0].image));
    pixels = shw_project_share_pixels(project, picture);
    if (pixels == NULL)
        return shw_fail_memory(&project->log, project->pictures[picture].name);
    shw_pixels_give(pixels, whole);
    shw_pixels_release(&pixels);
    return SHW_OK;
}

enum shw_result shw_project_set_pixels(struct shw_project *project, uint32_t picture, const struct shw_inputs *inputs)
{
    struct shw_picture_state *state = &project->pictures[picture];
    struct shw_pixels_part *whole;
    enum shw_result result;

    SHW_PROPAGATE(check_size(project, picture, &inputs->inputs[0].image));
    whole = shw_pixels_part_copy(inputs);
    if (whole == NULL)
        return shw_fail_memory(&project->log, state->name);
    shw_pixels_release(&state->pixels);
    result = shw_project_lend_pixels(project, picture, whole);
    shw_pixels_part_release(&whole);
    return result;
}

enum shw_result shw_project_add_inputs(struct shw_project *project, uint32_t picture, const struct shw_inputs *inputs)
{
    SHW_PROPAGATE(shw_project_set_pixels(project, picture, inputs));
    project->revision++;
    return SHW_OK;
}
