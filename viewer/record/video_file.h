/* Writing videos, with FFmpeg's libraries where the viewer is built with them. */
#ifndef VIEW_RECORD_VIDEO_FILE_H
#define VIEW_RECORD_VIDEO_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <shadewood/log.h>

struct view_video_file;

struct view_video_params {
    const char *path; /* is replaced; decides by its ending which container is written */
    FILE *stream;     /* is written to instead, and must outlive the video; NULL: none */
    uint32_t width, height;
    double frame_rate; /* about; 0: unknown */
};

/* Whether a name has the ending of a container that can be written: .mkv, .mp4, .mov or .avi. */
bool view_is_video_name(const char *name);

/* Creates the file: H.264 where this FFmpeg can encode it, otherwise MPEG-4. It can be played up to its last complete
 * part even if it is never closed. Sizes that are odd are extended by a row or a column. One thread at a time. Errors,
 * logged: ARGUMENT (the name), IO, UNSUPPORTED, LIMIT, MEMORY. */
enum shw_result view_video_create(const struct view_video_params *params, const struct shw_log *log,
                                  struct view_video_file **file);

/* Errors: FORMAT for frames of another size than the file's. */
enum shw_result view_video_check_size(const struct view_video_file *file, uint32_t width, uint32_t height);

/* Adds a frame, width * height * 3 bytes of R, G, B, at a time that increases. Errors: IO, MEMORY; nothing can be added
 * then, but closed. */
enum shw_result view_video_add(struct view_video_file *file, const uint8_t *rgb, double seconds);

/* Completes and closes the file; sets *file to NULL, and accepts NULL in it. Errors: IO, MEMORY. */
enum shw_result view_video_close(struct view_video_file **file);

#endif
