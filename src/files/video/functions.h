/* Reading and writing of videos as a module that is loaded when it is needed. */
#ifndef SHW_FILES_VIDEO_FUNCTIONS_H
#define SHW_FILES_VIDEO_FUNCTIONS_H

#include "files/io/module.h"
#include "files/video/video_read.h"
#include "files/video/video_write.h"

#define SHW_VIDEO_MODULE  "shadewood-video.so"
#define SHW_VIDEO_EXPORTS "shw_video_exports"

/* The functions of the two headers, in their order. */
struct shw_video_functions {
    struct shw_module_exports module;
    enum shw_result (*open)(const char *path, const struct shw_log *log, struct shw_video_reader **reader);
    double (*frame_rate)(const struct shw_video_reader *reader);
    double (*duration)(const struct shw_video_reader *reader);
    enum shw_result (*next)(struct shw_video_reader *reader, struct shw_video_frame *frame);
    void (*close_reader)(struct shw_video_reader **reader);
    enum shw_result (*create)(const struct shw_video_params *params, const struct shw_log *log,
                              struct shw_video_file **file);
    enum shw_result (*check_size)(const struct shw_video_file *file, uint32_t width, uint32_t height);
    enum shw_result (*add)(struct shw_video_file *file, const uint8_t *rgb, double seconds);
    enum shw_result (*close)(struct shw_video_file **file);
};

#endif
