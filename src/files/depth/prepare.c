#include "files/depth/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/input.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "dense/channels/fill.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"

#define MADE_FROM "Made-From" /* a text in the results: the digest of everything they depend on */
#define VERSION   "1"         /* part of it; changes when the same settings give other results */

/* What the results are made from; empty for an unwanted one. */
struct digests {
    struct shw_digest filled, heights;
};

static bool add_image(struct shw_digester *digester, const char *path)
{
    uint32_t page;
    char *file = shw_image_file_of(path, &page), number[16];
    bool added = file != NULL && shw_digester_add_file(digester, file);

    snprintf(number, sizeof number, "%u", page);
    shw_digester_add_text(digester, number);
    free(file);
    return added;
}

/* The digest of what a result depends on; empty if that cannot be read. */
static struct shw_digest digest(const struct shw_depth_files *files, const struct shw_depth_settings *settings,
                                bool of_heights)
{
    struct shw_digester *digester = shw_digester_create();
    bool colours = settings->fill == SHW_DEPTH_FILL_COLORIZATION;
    char text[256];

    if (digester == NULL)
        return (struct shw_digest){""};
    snprintf(text, sizeof text, "%s %d %d %a", VERSION, of_heights, (int)settings->fill,
             colours ? settings->colorization.alpha : 0);
    shw_digester_add_text(digester, text);
    snprintf(text, sizeof text, "%d %a %a %d %a %a", settings->has_focal, settings->camera.focal[0],
             settings->camera.focal[1], settings->has_centre, settings->camera.centre[0], settings->camera.centre[1]);
    shw_digester_add_text(digester, of_heights ? text : "");
    if (add_image(digester, files->depth) && (!colours || add_image(digester, files->colours)))
        return shw_digester_end(&digester);
    (void)shw_digester_end(&digester);
    return (struct shw_digest){""};
}

/* `path`: of a result, or NULL. */
static bool is_up_to_date(const char *path, const struct shw_file_kind *kind, const struct shw_digest *wanted)
{
    char *found;
    bool same;

    if (path == NULL)
        return true;
    if (wanted->text[0] == '\0' || !kind->is_ours(path, kind->name))
        return false;
    found = shw_png_read_text(path, MADE_FROM);
    same = found != NULL && strcmp(found, wanted->text) == 0;
    free(found);
    return same;
}

static enum shw_result fill_by_colours(const struct shw_depth_files *files, const struct shw_depth_settings *settings,
                                       const struct shw_log *log, const struct shw_image *image, uint16_t *depth)
{
    struct shw_image_file colours = {0};
    enum shw_result result = shw_image_file_read(files->colours, NULL, log, &colours);

    if (result != SHW_OK)
        return result;
    if (colours.image.width != image->width || colours.image.height != image->height)
        result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %u x %u pixels, and its depth %s %u x %u",
                          files->colours, colours.image.width, colours.image.height, files->depth, image->width,
                          image->height);
    else
        result = shw_fill_colorization(depth, image->width, image->height, &colours.image, &settings->colorization,
                                       files->depth, log);
    shw_image_file_free(&colours);
    return result;
}

static enum shw_result fill(const struct shw_depth_files *files, const struct shw_depth_settings *settings,
                            const struct shw_log *log, const struct shw_image *image, uint16_t *depth)
{
    const struct shw_rect whole = {0, 0, (int32_t)image->width, (int32_t)image->height};

    if (settings->fill == SHW_DEPTH_FILL_SIMPLE)
        return shw_fill_simple(&(struct shw_input){.image = *image}, whole, depth, image->width) == SHW_OK
                   ? SHW_OK
                   : shw_fail_memory(log, files->depth);
    memcpy(depth, image->pixels, (size_t)image->width * image->height * sizeof *depth);
    return settings->fill == SHW_DEPTH_FILL_COLORIZATION ? fill_by_colours(files, settings, log, image, depth) : SHW_OK;
}

static enum shw_result write_result(const char *path, const struct shw_file_kind *kind, const struct shw_digest *from,
                                    const struct shw_image *image, const uint16_t *values,
                                    const struct shw_output_files *outputs, const struct shw_log *log)
{
    const struct shw_png_text text = {MADE_FROM, from->text};
    struct shw_image written = *image;

    written.pixels = values;
    SHW_PROPAGATE(shw_output_files_look_again(outputs, path));
    return shw_png_write_with_texts(path, kind->name, &text, 1, &written, log);
}

static struct shw_camera complete_camera(const struct shw_depth_settings *settings, uint32_t width, uint32_t height)
{
    struct shw_camera camera = shw_camera_assume(width, height);

    if (settings->has_focal)
        memcpy(camera.focal, settings->camera.focal, sizeof camera.focal);
    if (settings->has_centre)
        memcpy(camera.centre, settings->camera.centre, sizeof camera.centre);
    return camera;
}

/* `filled` becomes the heights. */
static enum shw_result make_heights(const struct shw_image *image, const struct shw_depth_settings *settings,
                                    const struct shw_log *log, uint16_t *filled, struct shw_ground *ground)
{
    const struct shw_camera camera = complete_camera(settings, image->width, image->height);

    SHW_PROPAGATE(shw_find_ground(image->pixels, image->width, image->height, &camera, log, ground));
    shw_make_heights(filled, image->width, image->height, &camera, ground, filled);
    return SHW_OK;
}

static enum shw_result prepare(const struct shw_depth_files *files, const struct shw_depth_settings *settings,
                               const struct shw_output_files *outputs, const struct shw_log *log,
                               const struct digests *from, const struct shw_image *image, struct shw_prepared *prepared)
{
    size_t pixels = (size_t)image->width * image->height;
    const uint16_t *measured = image->pixels;
    uint16_t *depth = malloc(pixels * sizeof *depth);
    enum shw_result result;

    if (depth == NULL)
        return shw_fail_memory(log, files->depth);
    prepared->width = image->width;
    prepared->height = image->height;
    for (size_t i = 0; i < pixels; i++)
        prepared->missing += measured[i] == 0;
    SHW_TRY(fill(files, settings, log, image, depth));
    if (files->filled != NULL)
        SHW_TRY(write_result(files->filled, &shw_file_depth, &from->filled, image, depth, outputs, log));
    if (files->heights != NULL) {
        SHW_TRY(make_heights(image, settings, log, depth, &prepared->ground));
        SHW_TRY(write_result(files->heights, &shw_file_height, &from->heights, image, depth, outputs, log));
    }
fail:
    free(depth);
    return result;
}

enum shw_result shw_prepare_depth(const struct shw_depth_files *files, const struct shw_depth_settings *settings,
                                  const struct shw_output_files *outputs, const struct shw_log *log,
                                  struct shw_prepared *prepared)
{
    struct digests from = {{""}, {""}};
    struct shw_image_file file;
    enum shw_result result;

    *prepared = (struct shw_prepared){0};
    if (files->filled != NULL)
        from.filled = digest(files, settings, false);
    if (files->heights != NULL)
        from.heights = digest(files, settings, true);
    prepared->up_to_date = is_up_to_date(files->filled, &shw_file_depth, &from.filled) &&
                           is_up_to_date(files->heights, &shw_file_height, &from.heights);
    if (prepared->up_to_date)
        return SHW_OK;
    SHW_PROPAGATE(shw_input_file_read(SHW_DEPTH, files->depth, NULL, log, &file));
    result = prepare(files, settings, outputs, log, &from, &file.image, prepared);
    shw_image_file_free(&file);
    return result;
}
