/* Converts host pixels to the formats of a device's source image: RGBA, 8 or 16 bits. */
#ifndef SHW_DENSE_CHANNELS_SOURCE_PIXELS_H
#define SHW_DENSE_CHANNELS_SOURCE_PIXELS_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/input.h>

#include "dense/channels/channels.h"

/* R8G8B8A8_UNORM, or R16G16B16A16_UINT for 16-bit samples. */
VkFormat shw_source_format(bool wide);

/* Whether the input of that name (NULL: SHW_COLOUR) has numbers, which kinds read as they are stored, not colours. */
bool shw_source_is_plane(const char *input);

/* Writes the pixels of `region` of the image to `rgba`, rows tightly packed; grey becomes R = G = B, alpha is unused.
 */
void shw_source_pixels_expand(const struct shw_image *image, const struct shw_region *region, void *rgba);

/* The same of the input of that name, depth in millimetres. `wide`: 8-bit samples become 16 bits that give the same
 * channels. `mirrored`: reads the image mirrored left to right. */
void shw_source_input_expand(const struct shw_input *input, const char *name, const struct shw_region *region,
                             bool mirrored, bool wide, void *rgba);

#endif
