#include "image/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* The orientations 1 to 8 as EXIF numbers them: whether the upright picture's x runs along the stored y, and whether
 * the stored x and y run backwards. */
static const struct {
    bool transposed, x_backwards, y_backwards;
} turns[9] = {
    [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true}, [5] = {true, false, false},
    [6] = {true, false, true},  [7] = {true, true, true},  [8] = {true, true, false},
};

enum shw_result shw_decoded_turn_upright(const struct shw_source *source, struct shw_decoded *decoded)
{
    unsigned orientation = decoded->orientation;
    size_t pixel = shw_pixel_size(decoded->format);
    size_t stored_width = decoded->width, stored_height = decoded->height;
    uint32_t width = decoded->width, height = decoded->height;
    uint8_t *upright;

    decoded->orientation = 1;
    if (orientation < 2 || orientation > 8)
        return SHW_OK;
    if (turns[orientation].transposed) {
        width = decoded->height;
        height = decoded->width;
    }
    upright = malloc((size_t)width * height * pixel);
    if (upright == NULL) {
        free(decoded->pixels);
        decoded->pixels = NULL;
        return shw_fail_memory(source->log, source->name);
    }
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            size_t from_x = turns[orientation].transposed ? y : x;
            size_t from_y = turns[orientation].transposed ? x : y;

            if (turns[orientation].x_backwards)
                from_x = stored_width - 1 - from_x;
            if (turns[orientation].y_backwards)
                from_y = stored_height - 1 - from_y;
            memcpy(upright + (y * width + x) * pixel, decoded->pixels + (from_y * stored_width + from_x) * pixel,
                   pixel);
        }
    }
    free(decoded->pixels);
    decoded->pixels = upright;
    decoded->width = width;
    decoded->height = height;
    return SHW_OK;
}
