/* Converts decoded video frames to pictures. */
#ifndef VIEW_SOURCE_FRAME_PICTURE_H
#define VIEW_SOURCE_FRAME_PICTURE_H

#include <libavutil/frame.h>
#include <libswscale/swscale.h>

#include <shadewood/log.h>

#include "source/picture.h"

/* State for frames of one kind. Zero: none yet. */
struct view_frame_converter {
    struct SwsContext *scaler;
    int width, height, format, colour_space, colour_range;
};
void view_frame_converter_free(struct view_frame_converter *converter);

/* Makes a picture without a name: RGB8, GREY16 with the stored values of 16-bit grey, which are shown in their own
 * range, or RGB16 of the full range if another sample has more than 8 bits. A frame gives the same bits on every
 * machine (libswscale's exact arithmetic, with colour interpolated at full resolution). Unless the frame says
 * otherwise, grey is full range and colour limited range. `name` is for messages. Errors, logged: FORMAT, LIMIT,
 * MEMORY. */
enum shw_result view_frame_picture(struct view_frame_converter *converter, const AVFrame *frame, const char *name,
                                   const struct shw_log *log, struct view_picture **picture);

/* The orientation, 1 to 8 as in EXIF, that a container's display matrix asks for; 1 for NULL. Only turns by right
 * angles and mirroring are supported. */
unsigned view_matrix_orientation(const int32_t matrix[9]);

/* Turns a picture that has such an orientation upright; frees it when it fails. Errors, logged: MEMORY. */
enum shw_result view_turn_upright(struct view_picture *picture, unsigned orientation, const struct shw_log *log);

#endif
