/* Luma and chroma: what all conversions have in common. */
#ifndef SHW_DENSE_INPUT_YCBCR_H
#define SHW_DENSE_INPUT_YCBCR_H

#include <shadewood/ycbcr.h>

#include "shared/ycbcr.h"

/* Whether the encoding is one. Errors: ARGUMENT. */
enum shw_result shw_ycbcr_check(const struct shw_ycbcr *encoding, const struct shw_log *log);

/* How a frame of this size, with chroma of that one, is converted. Errors: ARGUMENT for sizes that do not fit. */
enum shw_result shw_ycbcr_plan(const struct shw_ycbcr *encoding, VkExtent2D luma, VkExtent2D chroma,
                               const struct shw_log *log, struct shw_ycbcr_push *push);

/* Whether samples have 16 bits in memory. */
bool shw_ycbcr_is_wide(const struct shw_ycbcr *encoding);

#endif
