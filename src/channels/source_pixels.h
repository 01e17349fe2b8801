/* Converts host pixels to the formats of a device's source image: RGBA, 8 or 16 bits. */
#ifndef SHW_CHANNELS_SOURCE_PIXELS_H
#define SHW_CHANNELS_SOURCE_PIXELS_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "channels/channels.h"

/* R8G8B8A8_UNORM, or R16G16B16A16_UINT for 16-bit samples. */
VkFormat shw_source_format(bool wide);
VkFormat shw_source_pixel_format(enum shw_pixel_format format);

/* Writes the pixels of `region` of the image to `rgba`, rows tightly packed; grey becomes R = G = B, alpha is unused.
 * `mirrored`: reads the image mirrored left to right. `wide`: writes 16 bits even if samples have 8. */
void shw_source_pixels_expand(const struct shw_image *image, const struct shw_region *region, bool mirrored, bool wide,
                              void *rgba);

#endif
