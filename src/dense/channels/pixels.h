/* Pixels of the caller's images: as codes, as depth, as the planes that filters read, and as a device's source image.
 */
#ifndef SHW_DENSE_CHANNELS_PIXELS_H
#define SHW_DENSE_CHANNELS_PIXELS_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/image.h>
#include <shadewood/input.h>

#include "dense/stage/tiles.h"
#include "shared/depth_code.h"
#include "shared/types.h"

/* Whether pixels are the codes themselves, red before blue, so that they can be read without this. */
bool shw_pixel_is_plain(enum shw_pixel_format format);

/* Red, green and blue of a pixel that is not plain and no depth of more than 16 bits: 8 bits, or 16 if
 * shw_pixel_is_wide(). */
void shw_pixel_codes(enum shw_pixel_format format, const void *pixel, uint32_t codes[3]);

/* How shw_depth_code() scales stored depth to millimetres; `depth` has been checked (dense/input/inputs.c). */
shw_uint4 shw_depth_scale(const struct shw_depth *depth);

/* Of a pixel of a grey image; its place in a range if that is the scale. `scale.x` is not SHW_SCALE_STORED. */
uint32_t shw_pixel_depth(enum shw_pixel_format format, const void *pixel, shw_uint4 scale);

/* Base planes: the image as R, G, B and luma Y in fixed point, with 4 fraction bits over an 8-bit sample:
 * 0..SHW_BASE_MAX. Filters read them, in this order; the first step of every technique makes them from the image. */
enum shw_base_plane { SHW_BASE_R, SHW_BASE_G, SHW_BASE_B, SHW_BASE_Y, SHW_BASE_COUNT };

#define SHW_BASE_MAX 4080

/* Converts row `y` of the image to rows of its width. */
void shw_base_row(const struct shw_image *image, uint32_t y, int16_t *const base[SHW_BASE_COUNT]);

/* The values of row `y` of a grey image, modulo 2^16: as `scale` makes them (shw_depth_scale()). */
void shw_plane_row(const struct shw_image *image, shw_uint4 scale, uint32_t y, int16_t *values);

/* The same as samples of 16 bits, modulo 2^16: samples of 8 bits times 257. */
void shw_sample_row(const struct shw_image *image, shw_uint4 scale, uint32_t y, int16_t *values);

/* Base values of these. */
void shw_grey_row(const struct shw_image *image, shw_uint4 scale, uint32_t y, int16_t *values);

/* Repeats the first and the last of `width` values `radius` times before the row and after it. */
void shw_base_clamp(int16_t *row, uint32_t width, uint32_t radius);

/* The format of a device's source image: R8G8B8A8_UNORM, or R16G16B16A16_UINT for 16-bit samples. */
VkFormat shw_source_format(bool wide);

/* That of inputs with numbers (shw_source_is_plane()), of one component. */
VkFormat shw_source_plane_format(bool wide);

/* Whether the input of that name (NULL: SHW_COLOUR) has numbers, which kinds read as they are stored, not colours: a
 * plane, depth or height. */
bool shw_source_is_plane(const char *input);

/* Writes the pixels of `region` of the image to `rgba`, rows tightly packed; grey becomes R = G = B, and alpha is
 * unused. */
void shw_source_pixels_expand(const struct shw_image *image, const struct shw_region *region, void *rgba);

/* The same of an input, depth in millimetres and planes with a range as samples. `wide`: 8-bit samples become 16 bits,
 * 257 times themselves; alpha then is what was stored, for kinds that read it so (struct shw_channel_source).
 * `mirrored`: reads the image mirrored left to right. */
void shw_source_input_expand(const struct shw_image *image, const struct shw_depth *depth,
                             const struct shw_region *region, bool mirrored, bool wide, void *rgba);

/* The same of a plane, whose samples are written alone, with the bits that they have (shw_plane_is_wide()). */
void shw_source_plane_copy(const struct shw_image *image, const struct shw_depth *depth,
                           const struct shw_region *region, void *samples);

#endif
