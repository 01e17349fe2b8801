#include "export/export_film.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/log.h"
#include "files/image/draw.h"

char *view_export_film_path(const struct view_export_item *item)
{
    return shw_path_join(item->place, "_overlay", ".mkv");
}

enum shw_result view_export_film_begin(const struct view_export_job *job, const struct view_export_item *item,
                                       double frame_rate, struct view_export_film *film)
{
    struct stat status;

    *film = (struct view_export_film){.frame_rate = frame_rate};
    if ((job->content & VIEW_EXPORT_VIDEOS) == 0)
        return SHW_OK;
    film->path = view_export_film_path(item);
    if (film->path != NULL && job->settings.existing == VIEW_EXPORT_MISSING && lstat(film->path, &status) == 0) {
        free(film->path);
        film->path = NULL;
        return SHW_OK;
    }
    return film->path != NULL ? SHW_OK : shw_fail_memory(&job->log, item->name);
}

static enum shw_result need_file(const struct view_export_job *job, struct view_export_film *film,
                                 const struct shw_image *image)
{
    struct shw_video_params params = {
        .path = film->path, .width = image->width, .height = image->height, .frame_rate = film->frame_rate};

    if (film->file != NULL)
        return shw_video_check_size(film->file, image->width, image->height);
    SHW_PROPAGATE(shw_atomic_file_open(&film->written, film->path, &job->log));
    params.stream = film->written.stream;
    return shw_video_create(&params, &job->log, &film->file);
}

enum shw_result view_export_film_add(const struct view_export_job *job, struct view_export_film *film,
                                     const struct view_picture *picture, const uint16_t *labels)
{
    const struct shw_label_files_params *params = &job->each.labels.params;
    uint8_t *overlay = shw_overlay_image(&picture->image, labels, params->classes, params->opacity);
    enum shw_result result =
        overlay != NULL ? need_file(job, film, &picture->image) : shw_fail_memory(&job->log, film->path);

    if (result == SHW_OK)
        result = shw_video_add(film->file, overlay, picture->seconds);
    film->failed = result != SHW_OK;
    free(overlay);
    return result;
}

enum shw_result view_export_film_end(const struct view_export_job *job, struct view_export_film *film, bool complete)
{
    bool kept = film->file != NULL && complete && !film->failed;
    enum shw_result result = shw_video_close(&film->file);

    if (kept && result == SHW_OK)
        result = shw_output_files_look_again(&job->files, film->path);
    if (kept && result == SHW_OK)
        result = shw_atomic_file_commit(&film->written, &job->log);
    else
        shw_atomic_file_abandon(&film->written);
    free(film->path);
    film->path = NULL;
    return result;
}
