/* The channels stage on the CPU. */
#ifndef SHW_DENSE_CHANNELS_CHANNELS_H
#define SHW_DENSE_CHANNELS_CHANNELS_H

#include <shadewood/channel_kind.h>
#include <shadewood/channels.h>
#include <shadewood/input.h>
#include <shadewood/log.h>

#include "base/thread_pool.h"
#include "dense/channels/channel.h"
#include "dense/stage/tiles.h"
#include "shared/rectangle.h"

/* What channels are made from, in the order of the list's inputs, all of the same size. NULL: the colour image is read
 * instead. */
struct shw_channel_images {
    const struct shw_image *of[SHW_INPUTS_MAX];
    struct shw_depth depth[SHW_INPUTS_MAX];
};

/* Makes the channels of `images`: planes[(channel * height + y) * width + x]. `region` is the part of a whole image
 * that they are; NULL: they are whole. `pool` may be NULL. Errors: ARGUMENT, MEMORY (both without a message). */
enum shw_result shw_channels_cpu(const struct shw_channel_list *list, const struct shw_channel_images *images,
                                 const struct shw_region *region, int16_t *planes, struct shw_thread_pool *pool);

/* Channels of a part of an image. */
struct shw_channel_part {
    const struct shw_channel_list *list;
    uint32_t first, count;            /* channels */
    struct shw_channel_images images; /* whole */
    struct shw_rect rect;
    enum shw_fill fill; /* of missing depth */
};

/* The channels that are made together with `channel`; it costs nothing extra to make them all at once. */
void shw_channels_together(const struct shw_channel_list *list, uint32_t channel, uint32_t *first, uint32_t *count);

/* The number of planes that are made for the list besides its channels, since channels are derived from them. */
uint32_t shw_channels_filtered(const struct shw_channel_list *list);

/* Makes the values, channel by channel and row by row. `pool` may be NULL. Errors: MEMORY (without a message). */
enum shw_result shw_channel_part_cpu(const struct shw_channel_part *part, int16_t *values,
                                     struct shw_thread_pool *pool);

/* All channel kinds: the library's and custom ones. */

#define SHW_CHANNEL_WHY_SIZE 384

/* The library's kinds, then those of `kinds`, which may be NULL; NULL for indices past the last. Any thread. */
const struct shw_channel_kind *shw_channel_kind_get(const struct shw_channel_kinds *kinds, uint32_t index);

/* False if a kind is incomplete or two have the same name; `why` gives the reason. */
bool shw_channel_kinds_check(const struct shw_channel_kinds *kinds, char why[SHW_CHANNEL_WHY_SIZE]);

/* As shw_channel_list_parse(). If it returns false, `why` gives the reason but does not mention channels. */
bool shw_channel_list_read(const char *text, const struct shw_channel_kinds *kinds, struct shw_channel_list *list,
                           char why[SHW_CHANNEL_WHY_SIZE]);

/* The length of the first entry of a list as text: to the comma that ends it, which is none between two planes. */
size_t shw_channel_entry_length(const char *text, const struct shw_channel_kinds *kinds);

/* Makes capital letters of ASCII small ones: planes are named without regard to them. */
void shw_plane_name_lower(char *name);

/* Whether planes (docs/planes.md) may have that name: it is no other input's. False for NULL. */
bool shw_plane_name_is_valid(const char *name);

/* Whether an entry names the input as a plane ("gauss:2@nir"), and so reads samples of 16 bits. */
bool shw_channel_list_names(const struct shw_channel_list *list, uint32_t input);

/* Whether both have the same entries of the same kinds. */
bool shw_channel_lists_equal(const struct shw_channel_list *a, const struct shw_channel_list *b);

#endif
