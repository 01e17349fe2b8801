#include "teach/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "image/image_file.h"
#include "image/image_write.h"
#include "source/spec.h"

enum shw_result view_export_forest(const struct view_scene *scene, const char *path)
{
    SHW_PROPAGATE(view_scene_need_forest(scene));
    return shw_forest_save(scene->forest->forest, path, &scene->log);
}

/* Labels with the shown forest, on the host. */
struct host_labeller {
    struct shw_labeller *labeller;
    const struct shw_forest_info *info;
};

static enum shw_result make_labeller(const struct view_scene *scene, uint32_t outputs, struct host_labeller *made)
{
    struct shw_labeller_params params = {.outputs = outputs,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .log = scene->log};

    *made = (struct host_labeller){0};
    SHW_PROPAGATE(view_scene_need_forest(scene));
    params.forest = scene->forest->forest;
    made->info = shw_forest_get_info(params.forest);
    return shw_labeller_create(&params, &made->labeller);
}

static size_t pixels_of(const struct shw_image *image)
{
    return (size_t)image->width * image->height;
}

static enum shw_result write_labels(const char *path, const uint16_t *labels, const struct shw_image *size,
                                    const struct shw_forest_info *info, const struct shw_log *log)
{
    struct shw_image image = {
        .pixels = labels, .width = size->width, .height = size->height, .format = SHW_PIXEL_GREY16};
    uint8_t colours[256][3], *indices;
    enum shw_result result;

    if (info->class_count > 256)
        return shw_png_write(path, &image, log);
    indices = malloc(pixels_of(size));
    if (indices == NULL)
        return shw_fail_memory(log, path);
    for (uint32_t c = 0; c < info->class_count; c++)
        memcpy(colours[c], info->classes[c].colour, 3);
    for (size_t i = 0; i < pixels_of(size); i++)
        indices[i] = (uint8_t)labels[i];
    result = shw_png_write_indexed(path, indices, size->width, size->height, colours, info->class_count, log);
    free(indices);
    return result;
}

/* Shared by the files of an export. */
struct export
{
    const struct view_scene *scene;
    const struct view_project *project;
    const char *folder;
    bool probabilities;
    struct host_labeller labeller;
    enum shw_result result; /* of the last picture that failed */
};

static enum shw_result write_picture(const struct export *export, const char *name, const struct shw_image *image)
{
    const struct shw_forest_info *info = export->labeller.info;
    const struct shw_log *log = &export->scene->log;
    size_t planes = export->probabilities ? info->class_count : 1;
    uint16_t *values = malloc(pixels_of(image) * planes * sizeof *values);
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
    result = shw_labeller_run(export->labeller.labeller, SHW_COLOUR_IMAGE(*image), &out);
    if (result == SHW_OK)
        result = export->probabilities
                     ? shw_tiff_write_pages(path, values, info->class_count, image->width, image->height, log)
                     : write_labels(path, values, image, info, log);
    free(values);
    return result;
}

static void note(struct export *export, enum shw_result result)
{
    if (result != SHW_OK)
        export->result = result;
}

static void export_project(struct export *export)
{
    struct shw_project *project = export->project->data;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++) {
        struct shw_pixels *pixels = shw_project_share_pixels(project, p);
        struct shw_image image;
        enum shw_result result =
            pixels != NULL ? shw_pixels_get(pixels, &export->scene->log, &image) : SHW_ERROR_MEMORY;

        if (result == SHW_OK)
            result = write_picture(export, shw_project_get_picture(project, p).name, &image);
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
    enum shw_result result = folder != NULL ? view_spec_find(folder, &export->scene->log, &spec) : SHW_ERROR_MEMORY;

    note(export, result);
    for (uint32_t i = 0; result == SHW_OK && i < spec.paths.count; i++) {
        struct shw_image_file file;
        enum shw_result done;
        if (is_of_project(export, spec.paths.paths[i]))
            continue;
        done = shw_image_file_read(spec.paths.paths[i], NULL, &export->scene->log, &file);
        if (done == SHW_OK) {
            done = write_picture(export, spec.paths.paths[i], &file.image);
            shw_image_file_free(&file);
        }
        note(export, done);
    }
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
        note(export, write_picture(export, picture->name, &picture->image));
}

enum shw_result view_export_pictures(const struct view_scene *scene, const struct view_project *project,
                                     const char *folder, bool probabilities)
{
    struct export export = {.scene = scene, .project = project, .folder = folder, .probabilities = probabilities};
    enum shw_result result;

    SHW_PROPAGATE(make_labeller(scene, probabilities ? SHW_OUTPUT_DISTRIBUTION : SHW_OUTPUT_ARGMAX, &export.labeller));
    result = view_make_folder(folder, &scene->log);
    if (result == SHW_OK) {
        if (project->data != NULL)
            export_project(&export);
        export_source(&export);
        result = export.result;
    }
    shw_labeller_destroy(&export.labeller.labeller);
    return result;
}
