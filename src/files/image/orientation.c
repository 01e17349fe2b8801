#include "files/image/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"

/* Transposing goes through squares of this side, which caches hold. */
#define SQUARE 32u

/* The orientations 1 to 8 as EXIF numbers them: whether the upright picture's x runs along the stored y, and whether
 * the stored x and y run backwards. */
static const struct turn {
    bool transposed, x_backwards, y_backwards;
} turns[9] = {
    [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true}, [5] = {true, false, false},
    [6] = {true, false, true},  [7] = {true, true, true},  [8] = {true, true, false},
};

/* Copies the part of a row of the upright picture from `first` to before `last`; stored pixels are `step` bytes apart.
 * The sizes are those of pixels, constant so that copies need no calls. */
static void copy_pixels(uint8_t *to, const uint8_t *from, ptrdiff_t step, uint32_t first, uint32_t last, size_t pixel)
{
#define COPY(size)                                                                                                     \
    case size:                                                                                                         \
        for (uint32_t x = first; x < last; x++)                                                                        \
            memcpy(to + (size_t)x * (size), from + (ptrdiff_t)x * step, size);                                         \
        break;
    switch (pixel) {
        COPY(1)
        COPY(2)
        COPY(3)
        COPY(4)
        COPY(6)
        COPY(8)
    }
#undef COPY
}

/* `width` and `height` are those of the upright picture. */
static void turn(const struct shw_decoded *decoded, const struct turn *how, uint32_t width, uint32_t height,
                 uint8_t *upright)
{
    size_t pixel = shw_pixel_size(decoded->format);
    ptrdiff_t right = (ptrdiff_t)pixel, down = (ptrdiff_t)(decoded->width * pixel); /* in what is stored */
    const uint8_t *first = decoded->pixels;
    uint32_t square = how->transposed ? SQUARE : width;

    if (how->x_backwards) {
        first += right * (ptrdiff_t)(decoded->width - 1);
        right = -right;
    }
    if (how->y_backwards) {
        first += down * (ptrdiff_t)(decoded->height - 1);
        down = -down;
    }
    for (uint32_t top = 0; top < height; top += SQUARE)
        for (uint32_t left = 0; left < width; left += square)
            for (uint32_t y = top; y < shw_min_u32(top + SQUARE, height); y++)
                copy_pixels(upright + (size_t)y * width * pixel,
                            first + (ptrdiff_t)y * (how->transposed ? right : down), how->transposed ? down : right,
                            left, shw_min_u32(left + square, width), pixel);
}

enum shw_result shw_decoded_turn_upright(const struct shw_source *source, struct shw_decoded *decoded)
{
    unsigned orientation = decoded->orientation;
    uint32_t width = decoded->width, height = decoded->height;
    uint8_t *upright;

    decoded->orientation = 1;
    if (orientation < 2 || orientation > 8)
        return SHW_OK;
    if (turns[orientation].transposed) {
        width = decoded->height;
        height = decoded->width;
    }
    upright = malloc((size_t)width * height * shw_pixel_size(decoded->format));
    if (upright != NULL)
        turn(decoded, &turns[orientation], width, height, upright);
    free(decoded->pixels);
    decoded->pixels = upright;
    if (upright == NULL)
        return shw_fail_memory(source->log, source->name);
    decoded->width = width;
    decoded->height = height;
    return SHW_OK;
}
