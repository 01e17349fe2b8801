/* Writing videos, with FFmpeg's libraries where the program is built with them. */
#ifndef SHW_FILES_VIDEO_VIDEO_WRITE_H
#define SHW_FILES_VIDEO_VIDEO_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include <shadewood/log.h>

struct shw_video_file;

struct shw_video_params {
    const char *path; /* is replaced; decides by its ending which container is written */
    FILE *stream;     /* is written to instead, and must outlive the video; NULL: none */
    uint32_t width, height;
    double frame_rate; /* about; 0: unknown */
};

/* Creates the file: H.264 where this FFmpeg can encode it, otherwise MPEG-4. It can be played up to its last complete
 * part even if it is never closed. Sizes that are odd are extended by a row or a column. One thread at a time. Errors,
 * logged: ARGUMENT (the name), IO, UNSUPPORTED, LIMIT, MEMORY. */
enum shw_result shw_video_create(const struct shw_video_params *params, const struct shw_log *log,
                                 struct shw_video_file **file);

/* Errors: FORMAT for frames of another size than the file's. */
enum shw_result shw_video_check_size(const struct shw_video_file *file, uint32_t width, uint32_t height);

/* Adds a frame, width * height * 3 bytes of R, G, B, at a time that increases. Errors: IO, MEMORY; nothing can be added
 * then, but closed. */
enum shw_result shw_video_add(struct shw_video_file *file, const uint8_t *rgb, double seconds);

/* Completes and closes the file; sets *file to NULL, and accepts NULL in it. Errors: IO, MEMORY. */
enum shw_result shw_video_close(struct shw_video_file **file);

#endif
