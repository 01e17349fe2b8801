/* From decoded video frames to pictures. */
#ifndef VIEW_SOURCE_FRAME_PICTURE_H
#define VIEW_SOURCE_FRAME_PICTURE_H

#include <libavutil/frame.h>
#include <libswscale/swscale.h>

#include <shadewood/log.h>

#include "picture_data.h"

/* Keeps what it needs for frames of one kind. Zero-initialised: none yet. */
struct view_frame_converter {
    struct SwsContext *scaler;
    int width, height, format, colour_space, colour_range;
};
void view_frame_converter_free(struct view_frame_converter *converter);

/* Makes a picture without a name: RGB8, or RGB16 of the full range if a sample has more than 8 bits. The same frame gives the same
 * bits on every machine (libswscale's exact arithmetic, with colour interpolated at full resolution). Grey is taken as
 * full range and colour as limited range unless the frame says otherwise. `name` is for messages. Errors, told: FORMAT, LIMIT, MEMORY. */
enum shw_result view_frame_picture(struct view_frame_converter *converter, const AVFrame *frame, const char *name,
                                   const struct shw_log *log, struct view_picture **picture);

#endif
