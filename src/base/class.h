/* Classes: the names that forest files can store, and the default colours. */
#ifndef SHW_BASE_CLASS_H
#define SHW_BASE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

/* Names of classes as forest files can store them. */

#define SHW_CLASS_NAME_MAX 255u /* bytes */

/* Why it is not 1 to SHW_CLASS_NAME_MAX bytes of UTF-8 without control characters (base/text.h), as "is empty";
 * NULL if it is. A name of NULL is empty. */
const char *shw_class_name_fault(const char *name);

/* Whether it has no fault. */
bool shw_class_name_is_valid(const char *name);

/* The default colours of classes. */

/* The first eight are the palette of Okabe and Ito (https://jfly.uni-koeln.de/color/, 2008), which people with any kind
 * of colour blindness can distinguish, with grey instead of black. The next 16 have been chosen together, so that any
 * two of the first 24 are far apart, also from black and white: at least 20.8 by CIEDE2000. Colours 24 to 63 are each
 * as far as possible from all before it: at least 13.0. After those, the bits of number + 1 are distributed over red,
 * green and blue, from the most significant bit. All 16-bit numbers have different colours, none of them black; the
 * bits never produce one of the first 64. */
void shw_class_colour(uint32_t number, uint8_t colour[3]);

/* Whether `then` was the default colour, before there were 64 of them, of a class whose default colour is `now`. */
bool shw_class_colour_was(const uint8_t then[3], const uint8_t now[3]);

#endif
