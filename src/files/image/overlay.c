#include "files/image/overlay.h"

#include <stdlib.h>

#include "base/image.h"

/* One sample of a pixel, as 8 bits. */
static uint32_t sample(const struct shw_image *image, const char *pixel, uint32_t component)
{
    bool grey = image->format == SHW_PIXEL_GREY8 || image->format == SHW_PIXEL_GREY16;
    uint32_t index = grey ? 0 : component;

    if (shw_pixel_is_wide(image->format))
        return ((const uint16_t *)(const void *)pixel)[index] >> 8;
    return ((const uint8_t *)pixel)[index];
}

uint8_t *shw_overlay_image(const struct shw_image *image, const uint16_t *labels, const struct shw_class *classes,
                           uint32_t opacity)
{
    size_t size = shw_pixel_size(image->format), stride = image->stride > 0 ? image->stride : size * image->width;
    uint8_t *overlay = malloc((size_t)image->width * image->height * 3);

    for (uint32_t y = 0; overlay != NULL && y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            size_t i = (size_t)y * image->width + x;
            const char *pixel = (const char *)image->pixels + y * stride + x * size;
            uint32_t covered = labels != NULL && labels[i] != SHW_LABEL_VOID ? opacity : 0;
            for (uint32_t c = 0; c < 3; c++)
                overlay[3 * i + c] = (uint8_t)(((100 - covered) * sample(image, pixel, c) +
                                                covered * (covered > 0 ? classes[labels[i]].colour[c] : 0u) + 50) /
                                               100);
        }
    return overlay;
}
