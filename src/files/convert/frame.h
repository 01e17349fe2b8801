/* Frames that are read from sources. */
#ifndef SHW_FILES_CONVERT_FRAME_H
#define SHW_FILES_CONVERT_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* Labels of pixels: numbers below SHW_VALUE_COLOUR; colours, 0xRRGGBB, plus SHW_VALUE_COLOUR; or void. */
#define SHW_VALUE_COLOUR 0x1000000u
#define SHW_VALUE_VOID   UINT32_MAX

struct shw_frame {
    uint32_t width, height;
    uint8_t *colours; /* width * height * 3: R, G, B; NULL: none */
    uint16_t *depth;  /* width * height, millimetres, 0: missing */
    uint32_t *labels; /* width * height; NULL: none */
};

/* A part of an image. Width 0: all of it. */
struct shw_frame_part {
    uint32_t x, y, width, height;
};

/* Accepts zero-initialised and freed ones. */
void shw_frame_free(struct shw_frame *frame);

/* Leaves the part of the frame; `name` is for the message. Errors: FORMAT if it is not in it. */
enum shw_result shw_frame_crop(struct shw_frame *frame, const struct shw_frame_part *part, const char *name,
                               const struct shw_log *log);

/* The nearest millimetre, the upper one of two; of positive depth at least 1, at most 65535; 0 for everything else. */
uint16_t shw_millimetres_of_metres(double metres);
/* The same for a value of which `units` are a metre. */
uint16_t shw_millimetres_of_units(uint16_t value, uint32_t units);

/* What is shown where there is no colour: grey, the nearer the lighter, 0 where depth is missing and otherwise
 * 255 - min(254, millimetres / 40). In new memory; NULL if it is exhausted. */
uint8_t *shw_colours_of_depth(const uint16_t *depth, size_t pixels);

/* R, G, B of 8 bits, without padding: samples of 16 bits become v * 255 / 65535, rounded to the nearest, the upper one
 * of two. In new memory; NULL if it is exhausted. */
uint8_t *shw_colours_of_image(const struct shw_image *image);

/* Colours in another size: each pixel is the mean of what it covers, in exact integer arithmetic, rounded to the
 * nearest, the upper one of two. In new memory; NULL if it is exhausted. */
uint8_t *shw_colours_resize(const uint8_t *colours, uint32_t width, uint32_t height, uint32_t new_width,
                            uint32_t new_height);

/* Labels in another size: each pixel has the label at its centre. As above. */
uint32_t *shw_labels_resize(const uint32_t *labels, uint32_t width, uint32_t height, uint32_t new_width,
                            uint32_t new_height);

#endif
