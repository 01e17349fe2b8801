/* What a video device is asked for: camera:DEVICE?size=1280x720&rate=30&format=mjpeg. */
#ifndef VIEW_SOURCE_CAMERA_CHOICE_H
#define VIEW_SOURCE_CAMERA_CHOICE_H

#include <stdint.h>

#include <shadewood/log.h>

struct view_camera_choice {
    uint32_t width, height; /* 0 x 0: as the device is set */
    double rate;            /* pictures per second; 0: as the device is set */
    char format[16];        /* of its pixels, as FFmpeg calls it; "": any */
};

/* Takes what follows the question mark. Errors, logged with `name`: ARGUMENT. */
enum shw_result view_camera_choice_parse(const char *text, const char *name, const struct shw_log *log,
                                         struct view_camera_choice *choice);

#endif
