/* Pixels of the caller's images as codes. */
#ifndef SHW_DENSE_CHANNELS_PIXEL_CODES_H
#define SHW_DENSE_CHANNELS_PIXEL_CODES_H

#include <stdbool.h>

#include <shadewood/image.h>

/* Whether pixels are the codes themselves, red before blue, so that they can be read without this. */
bool shw_pixel_is_plain(enum shw_pixel_format format);

/* Red, green and blue of a pixel that is not plain and no depth of more than 16 bits: 8 bits, or 16 if
 * shw_pixel_is_wide(). */
void shw_pixel_codes(enum shw_pixel_format format, const void *pixel, uint32_t codes[3]);

#endif
