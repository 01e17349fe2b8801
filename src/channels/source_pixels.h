/* Pixels of the host as a device's source image has them: RGBA, 8 or 16 bits. */
#ifndef SHW_CHANNELS_SOURCE_PIXELS_H
#define SHW_CHANNELS_SOURCE_PIXELS_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "channels/channels.h"

/* R8G8B8A8_UNORM, or R16G16B16A16_UINT where samples have 16 bits. */
VkFormat shw_source_format(bool wide);
VkFormat shw_source_pixel_format(enum shw_pixel_format format);

/* Writes the region's pixels, of its width and height and at its place in `image`, to `rgba`, rows tightly packed; grey
 * as R = G = B, alpha is not read by anybody. `mirrored`: of the image with left and right exchanged. `wide`: to 16
 * bits, though samples may have 8. */
void shw_source_pixels_expand(const struct shw_image *image, const struct shw_region *region, bool mirrored, bool wide,
                              void *rgba);

#endif
