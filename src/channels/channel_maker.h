/* Makers of channels: a kind has one, and kinds that share work share theirs, which sees all their entries of a list
 * together. Nobody else asks which kind an entry is of. */
#ifndef SHW_CHANNELS_CHANNEL_MAKER_H
#define SHW_CHANNELS_CHANNEL_MAKER_H

#include <shadewood/channel_kind.h>

#include "channels/channels_stage.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

/* What the technique `cpu` is to do. */
struct shw_channels_job {
    const struct shw_channel_list *list;
    const struct shw_image *images[SHW_INPUTS_MAX]; /* all of the list's inputs */
    struct shw_region region;
    uint32_t first, count; /* channels that are wanted; plane 0 is the first */
    int16_t *planes;
};

/* Makers record in phases; between two of them, everything that was written may be read. Channels are written in the
 * last one. */
#define SHW_CHANNEL_PHASES 3

/* Makes the channels of a maker's entries on a device. */
struct shw_channel_device_maker {
    int first_phase;
    /* `outputs`: one planes object a slot, borrowed, as is `list`'s kinds. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED.
     */
    enum shw_result (*create)(struct shw_device *device, const struct shw_channel_list *list,
                              const struct shw_planes *outputs, uint32_t slots, void **instance);
    void (*destroy)(struct shw_device *device, void *instance);
    /* Bytes of the buffers and images that create() makes. */
    uint64_t (*get_memory)(const struct shw_channel_list *list, uint32_t width, uint32_t height, uint32_t slots);
    /* While no recording of the slot is pending. */
    void (*bind)(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views);
    /* The barriers that a phase begins with, but for the outputs' in the last one; NULL: there are none. */
    void (*prepare)(void *instance, struct shw_recording *recording, uint32_t slot, int phase);
    /* The phase, without a barrier. */
    void (*record)(void *instance, struct shw_recording *recording, uint32_t slot, int phase,
                   const struct shw_channel_source *sources, const struct shw_region *region);
};

struct shw_channel_maker {
    bool is_together; /* makes all channels of an entry or none */
    /* Errors: MEMORY (without a message). */
    enum shw_result (*cpu)(const struct shw_channels_job *job, struct shw_thread_pool *pool);
    const struct shw_channel_device_maker *fragment, *compute;
};

/* Of kinds with code. */
extern const struct shw_channel_maker shw_channel_code_maker;
/* Of kinds whose `user` is a struct shw_filter. */
extern const struct shw_channel_maker shw_filter_bank_maker;

const struct shw_channel_maker *shw_channel_maker_of(const struct shw_channel_kind *kind);

/* The makers of those channels of a list, each once; returns how many. */
uint32_t shw_channel_makers(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                            const struct shw_channel_maker *makers[SHW_CHANNELS_MAX]);

/* Pixels farther away than this have no influence on its channels. */
uint32_t shw_channel_entry_radius(const struct shw_channel_entry *entry);

/* The entry that makes a channel. */
const struct shw_channel_entry *shw_channel_entry_of(const struct shw_channel_list *list, uint32_t channel);

#endif
