/* Reading videos frame by frame, with FFmpeg's libraries where the program is built with them. */
#ifndef SHW_FILES_VIDEO_VIDEO_READ_H
#define SHW_FILES_VIDEO_VIDEO_READ_H

#include <shadewood/image.h>
#include <shadewood/log.h>

struct shw_video_reader;

struct shw_video_frame {
    struct shw_image image; /* upright; pixels to be freed with free(). NULL: the video has ended */
    double seconds;         /* since the beginning of the video */
};

/* Opens a video file. Errors, logged: IO, FORMAT, UNSUPPORTED, MEMORY. One thread at a time. */
enum shw_result shw_video_open(const char *path, const struct shw_log *log, struct shw_video_reader **reader);

/* Frames per second, and seconds; 0 if unknown. */
double shw_video_frame_rate(const struct shw_video_reader *reader);
double shw_video_duration(const struct shw_video_reader *reader);

/* Reads the next frame. Damaged frames are left out with a warning. A video without any frame that can be decoded is
 * refused. Errors, logged: IO (reading fails before the end), FORMAT, LIMIT, MEMORY. */
enum shw_result shw_video_next(struct shw_video_reader *reader, struct shw_video_frame *frame);

/* Sets *reader to NULL; accepts NULL in it. */
void shw_video_close_reader(struct shw_video_reader **reader);

#endif
