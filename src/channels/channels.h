/* The channels stage on the CPU. */
#ifndef SHW_CHANNELS_CHANNELS_H
#define SHW_CHANNELS_CHANNELS_H

#include <shadewood/channels.h>
#include <shadewood/image.h>
#include <shadewood/log.h>

#include "base/thread_pool.h"
#include "shared/rectangle.h"

/* The piece of an image that is processed at once. Coordinates in pixels. Only the channels x and y depend on where it
 * lies: borders are clamped to the piece. */
struct shw_region {
    uint32_t width, height;           /* of the piece */
    uint32_t x, y;                    /* its first pixel in the whole image */
    uint32_t full_width, full_height; /* the whole image */
};

/* Makes the channels of `image`: planes[(channel * height + y) * width + x]. `region` says which piece of a whole the
 * image is; NULL: it is the whole.
 * `pool` may be NULL. Errors: ARGUMENT, MEMORY (both without a message). */
enum shw_result shw_channels_cpu(enum shw_channel_set set, const struct shw_image *image,
                                 const struct shw_region *region, int16_t *planes, struct shw_thread_pool *pool);

/* One channel of a part of an image; of the sets RGB and LAB, which make theirs together, several if they are
 * wanted. */
struct shw_channel_part {
    enum shw_channel_set set;      /* not SHW_CHANNELS_DEFAULT */
    uint32_t channel, count;       /* the first; how many */
    const struct shw_image *image; /* the whole */
    struct shw_rect rect;
    const uint32_t *lab_table; /* SHW_LAB_TABLE_COUNT entries of shw_lab_fill_table(), for who asks often; or NULL */
};

/* Makes its values, channel by channel and row by row. `pool` may be NULL. Errors: MEMORY (without a message). */
enum shw_result shw_channel_cpu(const struct shw_channel_part *part, int16_t *values, struct shw_thread_pool *pool);

#endif
