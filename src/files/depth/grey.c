#include "files/depth/grey.h"

#include <stdlib.h>

#include "base/image.h"
#include "base/log.h"

static double sample(const uint8_t *row, bool wide, size_t index)
{
    return wide ? ((const uint16_t *)(const void *)row)[index] : row[index];
}

enum shw_result shw_make_grey(const struct shw_image *image, const char *name, const struct shw_log *log, double **grey)
{
    bool wide = shw_pixel_is_wide(image->format);
    size_t pixel = shw_pixel_size(image->format), stride = image->stride != 0 ? image->stride : image->width * pixel;
    size_t samples = pixel / (wide ? 2 : 1), green = samples >= 3 ? 1 : 0, blue = samples >= 3 ? 2 : 0;
    double scale = 1.0 / (wide ? 65535 : 255);

    if (!shw_pixel_is_grey(image->format) && image->format != SHW_PIXEL_RGB8 && image->format != SHW_PIXEL_RGBA8 &&
        image->format != SHW_PIXEL_RGB16 && image->format != SHW_PIXEL_RGBA16)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: grey cannot be made of this pixel format",
                        name);
    *grey = malloc((size_t)image->width * image->height * sizeof **grey);
    if (*grey == NULL)
        return shw_fail_memory(log, name);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = (const uint8_t *)image->pixels + y * stride;

        for (uint32_t x = 0; x < image->width; x++) {
            size_t first = x * samples;

            (*grey)[(size_t)y * image->width + x] =
                scale * (0.299 * sample(row, wide, first) + 0.587 * sample(row, wide, first + green) +
                         0.114 * sample(row, wide, first + blue));
        }
    }
    return SHW_OK;
}
