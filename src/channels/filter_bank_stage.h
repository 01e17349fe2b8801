/* The filter bank on a device: from base planes to channels. */
#ifndef SHW_CHANNELS_FILTER_BANK_STAGE_H
#define SHW_CHANNELS_FILTER_BANK_STAGE_H

#include "channels/channels.h"
#include "channels/filter_bank.h"
#include "vulkan/memory.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

/* The weights of all kernels as 32-bit integers, kernel after kernel, each padded to a multiple of four. Errors:
 * MEMORY, DEVICE_MEMORY. */
enum shw_result shw_filter_weights_create(struct shw_device *device, struct shw_buffer *weights);

/* Where a kernel begins in it. */
uint32_t shw_filter_weights_offset(enum shw_kernel kernel);

/* Three planes objects a slot, borrowed: base planes (filled when recording begins, and in use shw_use_attachment or
 * shw_use_compute_write), room for the bank's row filters, and the channels. */
struct shw_filter_bank_planes {
    const struct shw_planes *base, *intermediate, *outputs;
    uint32_t slots;
};

struct shw_filter_bank_fragment;
struct shw_filter_bank_compute;

/* Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. */
enum shw_result shw_filter_bank_fragment_create(struct shw_device *device, const struct shw_filter_bank *bank,
                                                const struct shw_filter_bank_planes *planes,
                                                struct shw_filter_bank_fragment **fragment);
enum shw_result shw_filter_bank_compute_create(struct shw_device *device, const struct shw_filter_bank *bank,
                                               const struct shw_filter_bank_planes *planes,
                                               struct shw_filter_bank_compute **compute);

/* Accept a pointer to NULL. */
void shw_filter_bank_fragment_destroy(struct shw_device *device, struct shw_filter_bank_fragment **fragment);
void shw_filter_bank_compute_destroy(struct shw_device *device, struct shw_filter_bank_compute **compute);

/* Leave the slot's outputs in use shw_use_attachment and shw_use_compute_write. */
void shw_filter_bank_fragment_record(const struct shw_filter_bank_fragment *fragment, struct shw_recording *recording,
                                     uint32_t slot, const struct shw_region *region);
void shw_filter_bank_compute_record(const struct shw_filter_bank_compute *compute, struct shw_recording *recording,
                                    uint32_t slot, const struct shw_region *region);

/* The two halves of it without barriers, for several slots at a time: columns read what rows have written. */
void shw_filter_bank_compute_rows(const struct shw_filter_bank_compute *compute, struct shw_recording *recording,
                                  uint32_t slot, const struct shw_region *region);
void shw_filter_bank_compute_columns(const struct shw_filter_bank_compute *compute, struct shw_recording *recording,
                                     uint32_t slot, const struct shw_region *region);

#endif
