#include "teach/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "image/image_name.h"
#include "image/image_write.h"
#include "input/inputs.h"
#include "source/spec.h"

enum shw_result view_export_forest(const struct view_scene *scene, const struct view_project *project, const char *path)
{
    struct shw_output_files files;
    enum shw_result result;

    SHW_PROPAGATE(view_scene_need_forest(scene));
    view_outputs_begin(scene, &files);
    view_project_list_files(project, true, &files);
    shw_output_files_write(&files, path, &shw_file_forest);
    result = shw_output_files_check(&files);
    if (result == SHW_OK)
        result = shw_forest_save(scene->forest->forest, path, &scene->log);
    shw_output_files_free(&files);
    return result;
}

/* A picture to export. */
struct picked {
    enum { OF_PROJECT, OF_FOLDER, SHOWN } from;
    uint32_t number; /* there */
    const char *name;
    char *path; /* of the file to write */
};

/* Shared by the files of an export. */
struct export
{
    const struct view_scene *scene;
    const struct view_project *project;
    const char *folder;
    bool probabilities;
    struct shw_labeller *labeller; /* by the shown forest, on the host */
    const struct shw_forest_info *info;
    struct view_reader reader; /* of the folder that is the source, if it is one */
    struct picked *picked;
    uint32_t count;
    struct shw_output_files files;
};

/* The file for a picture: FOLDER/NAME_labels.png, or NAME-2 for the second picture of that name. NULL if out of memory.
 */
static char *output_path(const struct export *export, const char *name, uint32_t number)
{
    size_t length, size;
    const char *base = shw_image_base_name(name, &length);
    char ending[16] = "", *path;

    if (number > 1)
        snprintf(ending, sizeof ending, "-%u", number);
    size = strlen(export->folder) + length + sizeof ending + 24;
    path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%.*s%s_%s", export->folder, (int)length, base, ending,
                 export->probabilities ? "probabilities.tif" : "labels.png");
    return path;
}

static bool is_taken(const struct export *export, uint32_t count, const char *path)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(export->picked[i].path, path) == 0)
            return true;
    return false;
}

/* Gives each picture a file of its own. */
static enum shw_result choose_paths(struct export *export)
{
    for (uint32_t i = 0; i < export->count; i++) {
        struct picked *picked = &export->picked[i];
        uint32_t number = 1;
        picked->path = output_path(export, picked->name, number);
        while (picked->path != NULL && is_taken(export, i, picked->path)) {
            free(picked->path);
            picked->path = output_path(export, picked->name, ++number);
        }
        if (picked->path == NULL)
            return shw_fail_memory(&export->scene->log, picked->name);
    }
    return SHW_OK;
}

static enum shw_result write_picture(const struct export *export, const struct picked *picked,
                                     const struct view_picture *picture)
{
    const struct shw_forest_info *info = export->info;
    const struct shw_image *image = &picture->image;
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = view_picture_inputs(picture, info->channel_list, input);
    const struct shw_log *log = &export->scene->log;
    size_t planes = export->probabilities ? info->class_count : 1;
    uint16_t *values = malloc((size_t)image->width * image->height * planes * sizeof *values);
    struct shw_labelling out = {.argmax = export->probabilities ? NULL : values,
                                .distribution = export->probabilities ? values : NULL};
    const char *path = picked->path;
    enum shw_result result;

    if (values == NULL)
        return shw_fail_memory(log, picked->name);
    result = shw_labeller_run(export->labeller, &inputs, &out);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&export->files, path);
    if (result == SHW_OK)
        result = export->probabilities
                     ? shw_tiff_write_pages(path, values, info->class_count, image->width, image->height, log)
                     : shw_png_write_labels(path, values, image->width, image->height, info->classes, info->class_count,
                                            log);
    free(values);
    return result;
}

/* A picture of the project, with what that knows of it. */
static enum shw_result write_example(const struct export *export, const struct picked *picked,
                                     const struct shw_inputs *inputs)
{
    struct view_picture picture = {.image = inputs->inputs[0].image, .input_count = inputs->count - 1};

    memcpy(picture.inputs, inputs->inputs + 1, picture.input_count * sizeof *picture.inputs);
    if (shw_channels_read(export->info->channel_list, SHW_PREVIOUS) && shw_inputs_find(inputs, SHW_PREVIOUS) == NULL)
        shw_log_message(&export->scene->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: the previous frame, which the forest reads, is not known: all motion is zero",
                        picked->name);
    return write_picture(export, picked, &picture);
}

static enum shw_result export_example(const struct export *export, const struct picked *picked)
{
    struct shw_pixels *pixels = shw_project_share_pixels(export->project->data, picked->number);
    struct shw_inputs inputs;
    enum shw_result result = pixels != NULL ? shw_pixels_get(pixels, &export->scene->log, &inputs) : SHW_ERROR_MEMORY;

    if (result == SHW_OK)
        result = write_example(export, picked, &inputs);
    shw_pixels_release(&pixels);
    return result;
}

static enum shw_result export_file(const struct export *export, const struct picked *picked)
{
    struct view_reading reading;
    enum shw_result result = SHW_ERROR_IO; /* the reader has told */

    export->reader.at(export->reader.user, picked->number, false, &reading);
    if (reading.picture != NULL && reading.ticks == picked->number)
        result = write_picture(export, picked, reading.picture);
    view_picture_free(reading.picture);
    return result;
}

static enum shw_result export_one(const struct export *export, const struct picked *picked)
{
    switch (picked->from) {
    case OF_PROJECT: return export_example(export, picked);
    case OF_FOLDER: return export_file(export, picked);
    case SHOWN: break;
    }
    return write_picture(export, picked, export->scene->picture);
}

/* Whether the project has that picture of the source. */
static bool is_of_project(const struct export *export, const char *given)
{
    struct shw_project *project = export->project->data;
    char *name = project != NULL ? view_project_picture_name(export->project, given) : NULL;
    bool found = false;

    for (uint32_t p = 0; name != NULL && !found && p < shw_project_get_picture_count(project); p++)
        found = strcmp(shw_project_get_picture(project, p).name, name) == 0;
    free(name);
    return found;
}

/* Opens a reader of its own of the folder that is the source. */
static enum shw_result open_folder(struct export *export)
{
    const struct view_player *player = export->scene->player;
    const struct view_picture *picture = export->scene->picture;
    const char *slash;
    char *folder;
    struct view_spec spec = {0};
    enum shw_result result;

    if (picture == NULL || player->source == NULL || view_player_info(player).kind != VIEW_SOURCE_FOLDER)
        return SHW_OK;
    slash = strrchr(picture->name, '/');
    folder = slash != NULL ? strndup(picture->name, (size_t)(slash - picture->name) + 1) : strdup(".");
    result = folder != NULL ? view_spec_find(folder, &export->scene->log, &spec) : SHW_ERROR_MEMORY;
    if (result == SHW_OK)
        result = view_read_files(&spec.paths, &player->others, &export->scene->log, &export->reader);
    view_spec_free(&spec);
    free(folder);
    return result;
}

/* Picks the pictures of the project, and those of the source that are not among them: the files of a folder, otherwise
 * the shown one. */
static enum shw_result pick(struct export *export)
{
    const struct view_picture *picture = export->scene->picture;
    const struct view_reader *reader = &export->reader;
    struct shw_project *project = export->project->data;
    uint32_t pictures = project != NULL ? shw_project_get_picture_count(project) : 0;

    export->picked = calloc((size_t)pictures + reader->count + 1, sizeof *export->picked);
    if (export->picked == NULL)
        return shw_fail_memory(&export->scene->log, "a list of pictures");
    for (uint32_t p = 0; p < pictures; p++)
        export->picked[export->count++] =
            (struct picked){OF_PROJECT, p, shw_project_get_picture(project, p).name, NULL};
    for (uint32_t i = 0; i < reader->count; i++)
        if (!is_of_project(export, reader->name(reader->user, i)))
            export->picked[export->count++] = (struct picked){OF_FOLDER, i, reader->name(reader->user, i), NULL};
    if (picture != NULL && reader->close == NULL && !is_of_project(export, picture->name))
        export->picked[export->count++] = (struct picked){SHOWN, 0, picture->name, NULL};
    return SHW_OK;
}

/* Checks everything that is going to be written. */
static enum shw_result check_outputs(struct export *export)
{
    for (uint32_t i = 0; i < export->count; i++)
        shw_output_files_write(&export->files, export->picked[i].path,
                               export->probabilities ? &shw_file_probability_pages : &shw_file_labels);
    return shw_output_files_check(&export->files);
}

/* Failures do not stop it; the last one is the result. */
static enum shw_result export_all(const struct export *export)
{
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < export->count; i++) {
        enum shw_result one = export_one(export, &export->picked[i]);
        result = one != SHW_OK ? one : result;
    }
    return result;
}

enum shw_result view_export_pictures(const struct view_scene *scene, const struct view_project *project,
                                     const char *folder, bool probabilities)
{
    struct export export = {.scene = scene, .project = project, .folder = folder, .probabilities = probabilities};
    struct shw_labeller_params params = {.outputs = probabilities ? SHW_OUTPUT_DISTRIBUTION : SHW_OUTPUT_ARGMAX,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .log = scene->log};
    enum shw_result result;

    SHW_PROPAGATE(view_scene_need_forest(scene));
    params.forest = scene->forest->forest;
    export.info = shw_forest_get_info(params.forest);
    view_outputs_begin(scene, &export.files);
    view_project_list_files(project, true, &export.files);
    SHW_TRY(open_folder(&export));
    SHW_TRY(pick(&export));
    SHW_TRY(choose_paths(&export));
    SHW_TRY(view_make_folder(folder, &scene->log));
    SHW_TRY(check_outputs(&export));
    SHW_TRY(shw_labeller_create(&params, &export.labeller));
    result = export_all(&export);

fail:
    shw_labeller_destroy(&export.labeller);
    if (export.reader.close != NULL)
        export.reader.close(export.reader.user);
    for (uint32_t i = 0; i < export.count; i++)
        free(export.picked[i].path);
    free(export.picked);
    shw_output_files_free(&export.files);
    return result;
}
