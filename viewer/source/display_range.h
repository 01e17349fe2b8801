/* Which 16-bit samples are shown as black and as white: cameras and microscopes rarely use all 65536 values. */
#ifndef VIEW_SOURCE_DISPLAY_RANGE_H
#define VIEW_SOURCE_DISPLAY_RANGE_H

#include <stdint.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Samples up to `low` are black, those from `high` on are white. low < high. */
struct view_display_range {
    uint16_t low, high;
};

/* The full range: samples are shown as stored. */
#define VIEW_DISPLAY_RANGE_WHOLE ((struct view_display_range){0, 65535})

/* A range that excludes at most the fraction `cut` (0..0.5) of the samples at either end; alpha is ignored; 8-bit
 * images have the full range. If all samples are equal, the range has two values and begins or ends with theirs. Any
 * thread. Errors: MEMORY, not logged; the range is then the full one. */
enum shw_result view_display_range_find(const struct shw_image *image, double cut, struct view_display_range *range);

#ifdef __cplusplus
}
#endif

#endif
