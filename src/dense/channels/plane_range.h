/* Ranges of planes as text, "0..10000": the same on all machines and in all locales. */
#ifndef SHW_DENSE_CHANNELS_PLANE_RANGE_H
#define SHW_DENSE_CHANNELS_PLANE_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include <shadewood/channels.h>
#include <shadewood/input.h>

#include "shared/types.h"

#define SHW_RANGE_TEXT_SIZE 64

/* Reads "LOW..HIGH", decimal numbers with at most 15 digits. False if it is none, or if low is not below high. */
bool shw_plane_range_read(const char *text, size_t length, struct shw_plane_range *range);

/* The shortest text that is read as the same range. */
void shw_plane_range_write(const struct shw_plane_range *range, char text[SHW_RANGE_TEXT_SIZE]);

/* Whether there is one. */
static inline bool shw_plane_range_is_stated(const struct shw_plane_range *range)
{
    return range->low < range->high;
}

/* Whether 32 bits tell the ends of a range apart, both of which are finite. */
bool shw_plane_range_is_valid(float low, float high);

/* How shw_range_code() makes samples of the numbers of a valid range. */
shw_uint4 shw_plane_range_scale(float low, float high);

#endif
