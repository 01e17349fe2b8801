/* What is shown after work was recovered. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "teach/teaching.h"

#define ROUNDING 0.0005 /* seconds: names of frames have three decimals */

/* The path of a picture as it was, which need not be a file. NULL if out of memory. */
static char *path_of(const struct view_project *project, uint32_t picture)
{
    return shw_path_in(project->folder != NULL ? project->folder : "",
                       shw_project_get_picture(project->data, picture).name);
}

/* Opens the folder of the first painted picture that is a file. */
static enum shw_result open_folder(const struct view_teaching *teaching, bool *opened)
{
    const struct view_project *project = &teaching->project;
    enum shw_result result = SHW_OK;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data) && !*opened; p++) {
        char *file = path_of(project, p), *slash = file != NULL ? strrchr(file, '/') : NULL;

        *opened = slash != NULL && shw_image_has_file(file);
        if (*opened) {
            slash[1] = '\0';
            result = view_player_open(teaching->scene->player, file);
        }
        free(file);
    }
    return result;
}

/* Splits the name of a frame, in place; false: it is not one of a video that exists. */
static bool split_frame(char *name, double *seconds)
{
    return view_picture_split_name(name, seconds) && shw_is_file(name) && !shw_image_file_is_image(name);
}

/* Opens the video of the first painted frame, there. */
static enum shw_result open_video(const struct view_teaching *teaching, bool *opened)
{
    const struct view_project *project = &teaching->project;
    struct view_player *player = teaching->scene->player;
    enum shw_result result = SHW_OK;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data) && !*opened; p++) {
        char *name = strdup(shw_project_get_picture(project->data, p).name);
        double seconds;

        *opened = name != NULL && split_frame(name, &seconds);
        if (*opened)
            result = view_player_open(player, name);
        if (*opened && result == SHW_OK)
            result = view_source_seek(player->source, seconds + ROUNDING);
        free(name);
    }
    return result;
}

/* A copy of a picture that has been kept with the work; *kept NULL: out of memory, which is logged. */
static enum shw_result copy_kept(const struct view_teaching *teaching, uint32_t number, struct view_picture **kept)
{
    const struct shw_log *log = &teaching->scene->log;
    struct shw_project *data = teaching->project.data;
    struct shw_pixels *pixels = shw_project_share_pixels(data, number);
    struct shw_pixels_part *whole = NULL;
    struct view_picture *picture = calloc(1, sizeof *picture);
    enum shw_result result =
        pixels != NULL && picture != NULL ? shw_pixels_take(pixels, log, &whole) : shw_fail_memory(log, "a picture");

    if (result == SHW_OK) {
        const struct shw_image *image = &whole->input[0].image;
        size_t stride = image->stride != 0 ? image->stride : image->width * shw_pixel_size(image->format);
        void *copy = malloc(stride * image->height);
        picture->name = strdup(shw_project_get_picture(data, number).name);
        picture->image = *image;
        picture->image.pixels = copy;
        if (copy != NULL)
            memcpy(copy, image->pixels, stride * image->height);
        if (copy == NULL || picture->name == NULL)
            result = shw_fail_memory(log, "a picture");
    }
    shw_pixels_part_release(&whole);
    shw_pixels_release(&pixels);
    if (result == SHW_OK)
        *kept = picture;
    else
        view_picture_free(picture);
    return result;
}

/* Shows the first painted picture that the copy has. */
static enum shw_result show_kept(struct view_teaching *teaching)
{
    struct shw_project *data = teaching->project.data;
    struct view_picture *picture;
    uint32_t first = UINT32_MAX, count = 0;

    for (uint32_t p = shw_project_get_picture_count(data); p-- > 0;)
        if (shw_project_get_picture(data, p).stroke_count > 0 && shw_project_has_pixels(data, p)) {
            first = p;
            count++;
        }
    if (count == 0)
        return SHW_OK;
    SHW_PROPAGATE(copy_kept(teaching, first, &picture));
    if (count > 1)
        shw_log_message(&teaching->scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "%u painted pictures are no files, of which the first is shown: saving the project writes all "
                        "of them to files",
                        count);
    SHW_PROPAGATE(view_scene_show(teaching->scene, picture));
    return view_teaching_follow(teaching);
}

enum shw_result view_teaching_show_pictures(struct view_teaching *teaching)
{
    const struct view_project *project = &teaching->project;
    bool opened = false;

    if (project->path != NULL && shw_is_file(project->path) && view_project_has_files(project))
        return view_player_open(teaching->scene->player, project->path);
    SHW_PROPAGATE(open_folder(teaching, &opened));
    if (!opened)
        SHW_PROPAGATE(open_video(teaching, &opened));
    return opened ? SHW_OK : show_kept(teaching);
}
