/* Converts host pixels to the formats of a device's source image: RGBA, 8 or 16 bits. */
#ifndef SHW_CHANNELS_SOURCE_PIXELS_H
#define SHW_CHANNELS_SOURCE_PIXELS_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include "channels/channels.h"

/* R8G8B8A8_UNORM, or R16G16B16A16_UINT for 16-bit samples. */
VkFormat shw_source_format(bool wide);

/* Whether the input of that name (NULL: SHW_COLOUR) has numbers, which kinds read as they are stored, not colours. */
bool shw_source_is_plane(const char *input);

/* By what 8-bit samples of that input are multiplied if `wide`: 257 gives the same channels of colours. 0: they stay.
 */
uint32_t shw_source_widening(const char *input, bool wide);

/* Writes the pixels of `region` of the image to `rgba`, rows tightly packed; grey becomes R = G = B, alpha is unused.
 * `mirrored`: reads the image mirrored left to right. `widening`: if not 0, 8-bit samples times this are written as 16
 * bits. */
void shw_source_pixels_expand(const struct shw_image *image, const struct shw_region *region, bool mirrored,
                              uint32_t widening, void *rgba);

#endif
