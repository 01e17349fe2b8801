/* Replaces reading and writing of videos if FFmpeg's libraries are missing. */
#include "base/log.h"
#include "files/video/video_read.h"
#include "files/video/video_write.h"

enum shw_result shw_video_open(const char *path, const struct shw_log *log, struct shw_video_reader **reader)
{
    *reader = NULL;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "%s cannot be read: this program was built without FFmpeg's libraries", path);
}

double shw_video_frame_rate(const struct shw_video_reader *reader)
{
    (void)reader;
    return 0.0;
}

double shw_video_duration(const struct shw_video_reader *reader)
{
    (void)reader;
    return 0.0;
}

enum shw_result shw_video_next(struct shw_video_reader *reader, struct shw_video_frame *frame)
{
    (void)reader;
    *frame = (struct shw_video_frame){0};
    return SHW_ERROR_UNSUPPORTED;
}

void shw_video_close_reader(struct shw_video_reader **reader)
{
    *reader = NULL;
}

enum shw_result shw_video_create(const struct shw_video_params *params, const struct shw_log *log,
                                 struct shw_video_file **file)
{
    *file = NULL;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "%s cannot be written: this program was built without FFmpeg's libraries", params->path);
}

enum shw_result shw_video_check_size(const struct shw_video_file *file, uint32_t width, uint32_t height)
{
    (void)file, (void)width, (void)height;
    return SHW_OK;
}

enum shw_result shw_video_add(struct shw_video_file *file, const uint8_t *rgb, double seconds)
{
    (void)file, (void)rgb, (void)seconds;
    return SHW_ERROR_UNSUPPORTED;
}

enum shw_result shw_video_close(struct shw_video_file **file)
{
    *file = NULL;
    return SHW_OK;
}
