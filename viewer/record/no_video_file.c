/* Replaces video_file.c if FFmpeg's libraries are missing. */
#include "base/log.h"
#include "image/image_name.h"
#include "record/video_file.h"

bool view_is_video_name(const char *name)
{
    return shw_name_ends_with(name, ".mkv") || shw_name_ends_with(name, ".mp4") || shw_name_ends_with(name, ".mov") ||
           shw_name_ends_with(name, ".avi");
}

enum shw_result view_video_create(const struct view_video_params *params, const struct shw_log *log,
                                  struct view_video_file **file)
{
    (void)file;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "%s cannot be written: this viewer was built without FFmpeg's libraries", params->path);
}

enum shw_result view_video_check_size(const struct view_video_file *file, uint32_t width, uint32_t height)
{
    (void)file, (void)width, (void)height;
    return SHW_OK;
}

enum shw_result view_video_add(struct view_video_file *file, const uint8_t *rgb, double seconds)
{
    (void)file, (void)rgb, (void)seconds;
    return SHW_ERROR_UNSUPPORTED;
}

enum shw_result view_video_close(struct view_video_file **file)
{
    *file = NULL;
    return SHW_OK;
}
