/* The channels stage on the CPU. */
#ifndef SHW_CHANNELS_CHANNELS_H
#define SHW_CHANNELS_CHANNELS_H

#include <shadewood/channels.h>
#include <shadewood/image.h>
#include <shadewood/log.h>

#include "base/thread_pool.h"
#include "channels/channel.h"
#include "shared/rectangle.h"

/* The piece of an image that is processed at once. Coordinates in pixels. Only the channels x and y depend on where it
 * lies: borders are clamped to the piece. */
struct shw_region {
    uint32_t width, height;           /* of the piece */
    uint32_t x, y;                    /* its first pixel in the whole image */
    uint32_t full_width, full_height; /* the whole image */
};

/* What channels are made from, in the order of the list's inputs, all of one size. In the place of what is not there
 * (NULL), the colour is taken. */
struct shw_channel_images {
    const struct shw_image *of[SHW_INPUTS_MAX];
};

/* Makes the channels of `images`: planes[(channel * height + y) * width + x]. `region` says which piece of a whole
 * they are; NULL: they are the whole.
 * `pool` may be NULL. Errors: ARGUMENT, MEMORY (both without a message). */
enum shw_result shw_channels_cpu(const struct shw_channel_list *list, const struct shw_channel_images *images,
                                 const struct shw_region *region, int16_t *planes, struct shw_thread_pool *pool);

/* Channels of a part of an image. */
struct shw_channel_part {
    const struct shw_channel_list *list;
    uint32_t first, count;            /* channels */
    struct shw_channel_images images; /* the whole */
    struct shw_rect rect;
};

/* The channels that are made at once with `channel`, so that who wants them all asks for them together. */
void shw_channels_together(const struct shw_channel_list *list, uint32_t channel, uint32_t *first, uint32_t *count);

/* Makes its values, channel by channel and row by row. `pool` may be NULL. Errors: MEMORY (without a message). */
enum shw_result shw_channel_part_cpu(const struct shw_channel_part *part, int16_t *values,
                                     struct shw_thread_pool *pool);

#endif
