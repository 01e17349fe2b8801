#include "teach/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "image/image_write.h"
#include "input/inputs.h"
#include "source/spec.h"

enum shw_result view_export_forest(const struct view_scene *scene, const char *path)
{
    SHW_PROPAGATE(view_scene_need_forest(scene));
    return shw_forest_save(scene->forest->forest, path, &scene->log);
}

/* Shared by the files of an export. */
struct export
{
    const struct view_scene *scene;
    const struct view_project *project;
    const char *folder;
    bool probabilities;
    struct shw_labeller *labeller; /* by the shown forest, on the host */
    const struct shw_forest_info *info;
    enum shw_result result; /* of the last picture that failed */
};

static enum shw_result write_picture(const struct export *export, const char *name, const struct view_picture *picture)
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
    const char *base = strrchr(name, '/'), *dot;
    char path[4096];
    enum shw_result result;

    if (values == NULL)
        return shw_fail_memory(log, name);
    base = base != NULL ? base + 1 : name;
    dot = strrchr(base, '.');
    snprintf(path, sizeof path, "%s/%.*s_%s", export->folder,
             (int)(dot != NULL && dot > base ? dot - base : (long)strlen(base)), base,
             export->probabilities ? "probabilities.tif" : "labels.png");
    result = shw_labeller_run(export->labeller, &inputs, &out);
    if (result == SHW_OK)
        result = export->probabilities
                     ? shw_tiff_write_pages(path, values, info->class_count, image->width, image->height, log)
                     : shw_png_write_labels(path, values, image->width, image->height, info->classes, info->class_count,
                                            log);
    free(values);
    return result;
}

static void note(struct export *export, enum shw_result result)
{
    if (result != SHW_OK)
        export->result = result;
}

/* A picture of the project, with what that knows of it. */
static enum shw_result write_example(const struct export *export, const char *name, const struct shw_inputs *inputs)
{
    struct view_picture picture = {.image = inputs->inputs[0].image, .input_count = inputs->count - 1};

    memcpy(picture.inputs, inputs->inputs + 1, picture.input_count * sizeof *picture.inputs);
    if (shw_channels_read(export->info->channel_list, SHW_PREVIOUS) && shw_inputs_find(inputs, SHW_PREVIOUS) == NULL)
        shw_log_message(&export->scene->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: the previous frame, which the forest reads, is not known: all motion is zero", name);
    return write_picture(export, name, &picture);
}

static void export_project(struct export *export)
{
    struct shw_project *project = export->project->data;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++) {
        struct shw_pixels *pixels = shw_project_share_pixels(project, p);
        struct shw_inputs inputs;
        enum shw_result result =
            pixels != NULL ? shw_pixels_get(pixels, &export->scene->log, &inputs) : SHW_ERROR_MEMORY;

        if (result == SHW_OK)
            result = write_example(export, shw_project_get_picture(project, p).name, &inputs);
        note(export, result);
        shw_pixels_release(&pixels);
    }
}

static bool is_of_project(const struct export *export, const char *path)
{
    struct shw_project *project = export->project->data;
    char *name = project != NULL ? view_project_file_name(export->project, path) : NULL;
    bool found = false;

    for (uint32_t p = 0; name != NULL && !found && p < shw_project_get_picture_count(project); p++)
        found = strcmp(shw_project_get_picture(project, p).name, name) == 0;
    free(name);
    return found;
}

/* Exports the files of the folder that is the source, except those of the project. */
static void export_folder(struct export *export, const char *inside)
{
    const char *slash = strrchr(inside, '/');
    char *folder = slash != NULL ? strndup(inside, (size_t)(slash - inside) + 1) : strdup(".");
    struct view_spec spec = {0};
    struct view_reader reader = {0};
    enum shw_result result = folder != NULL ? view_spec_find(folder, &export->scene->log, &spec) : SHW_ERROR_MEMORY;

    if (result == SHW_OK)
        result = view_read_files(&spec.paths, &export->scene->player->others, &export->scene->log, &reader);
    note(export, result);
    for (uint32_t i = 0; i < reader.count; i++) {
        const char *path = reader.name(reader.user, i);
        struct view_reading reading;
        if (is_of_project(export, path))
            continue;
        reader.at(reader.user, i, false, &reading);
        note(export, reading.picture == NULL || reading.ticks != i ? SHW_ERROR_IO
                                                                   : write_picture(export, path, reading.picture));
        view_picture_free(reading.picture);
    }
    if (reader.close != NULL)
        reader.close(reader.user);
    view_spec_free(&spec);
    free(folder);
}

static void export_source(struct export *export)
{
    const struct view_player *player = export->scene->player;
    const struct view_picture *picture = export->scene->picture;

    if (picture == NULL)
        return;
    if (player->source != NULL && view_player_info(player).kind == VIEW_SOURCE_FOLDER)
        export_folder(export, picture->name);
    else if (!is_of_project(export, picture->name))
        note(export, write_picture(export, picture->name, picture));
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
    SHW_PROPAGATE(shw_labeller_create(&params, &export.labeller));
    result = view_make_folder(folder, &scene->log);
    if (result == SHW_OK) {
        if (project->data != NULL)
            export_project(&export);
        export_source(&export);
        result = export.result;
    }
    shw_labeller_destroy(&export.labeller);
    return result;
}
