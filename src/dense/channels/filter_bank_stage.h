/* The filter bank on a device: from the source image to base planes, filtered rows and channels. */
#ifndef SHW_DENSE_CHANNELS_FILTER_BANK_STAGE_H
#define SHW_DENSE_CHANNELS_FILTER_BANK_STAGE_H

#include "dense/channels/code_step.h"
#include "dense/channels/filter_bank.h"

extern const struct shw_channel_device_maker shw_filter_bank_fragment, shw_filter_bank_compute;

/* The phases. */
enum { SHW_FILTER_BASE, SHW_FILTER_ROWS, SHW_FILTER_COLUMNS };

/* Index of a kernel's first weight in the buffer of weights. */
uint32_t shw_filter_weights_offset(enum shw_kernel kernel);

/* Shared by both techniques, whose instances begin with it. */
struct shw_filter_bank_planes {
    struct shw_filter_bank bank;
    uint32_t slots, sets;
    const struct shw_planes *outputs;       /* one per slot, like the others; borrowed */
    struct shw_planes *base, *intermediate; /* the image as base planes; the rows filtered */
    struct shw_code_step source;            /* makes base planes */
    struct shw_buffer weights;
};

/* On failure *planes may be partly made and must be destroyed. The arena must be made before
 * shw_filter_bank_planes_create(). Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_filter_bank_planes_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                           const struct shw_channel_outputs *outputs,
                                           struct shw_filter_bank_planes *planes);
enum shw_result shw_filter_bank_planes_create(struct shw_device *device, struct shw_filter_bank_planes *planes);

/* struct shw_channel_device_maker, bind(). */
void shw_filter_bank_planes_bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views);

/* Accepts zero planes. */
void shw_filter_bank_planes_destroy(struct shw_device *device, struct shw_filter_bank_planes *planes);

#endif
