/* Converts decoded video frames to images. */
#ifndef SHW_FILES_VIDEO_FRAME_IMAGE_H
#define SHW_FILES_VIDEO_FRAME_IMAGE_H

#include <libavutil/frame.h>
#include <libswscale/swscale.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* State for frames of one kind. Zero: none yet. */
struct shw_frame_converter {
    struct SwsContext *scaler;
    int width, height, format, colour_space, colour_range;
};
void shw_frame_converter_free(struct shw_frame_converter *converter);

/* Makes an image, whose pixels are to be freed with free(): RGB8, GREY16 with the stored values of 16-bit grey, or
 * RGB16 of the full range if another sample has more than 8 bits. A frame gives the same bits on every machine
 * (libswscale's exact arithmetic, with colour interpolated at full resolution). Unless the frame says otherwise, grey
 * is full range and colour limited range. `orientation`, as in EXIF, is that of the frame, and the image is upright.
 * `name` is for messages. Errors, logged: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_frame_image(struct shw_frame_converter *converter, const AVFrame *frame, unsigned orientation,
                                const char *name, const struct shw_log *log, struct shw_image *image);

/* The orientation, 1 to 8 as in EXIF, that a container's display matrix asks for; 1 for NULL. Only turns by right
 * angles and mirroring are supported. */
unsigned shw_matrix_orientation(const int32_t matrix[9]);

#endif
