/* The first step of the channels stage on a device: from the source image to base planes, or to all channels of rgb and
 * lab. */
#ifndef SHW_CHANNELS_SOURCE_STEP_H
#define SHW_CHANNELS_SOURCE_STEP_H

#include <shadewood/label.h>

#include "channels/channels.h"
#include "vulkan/barrier.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"
#include "vulkan/target.h"

struct shw_source_step {
    bool is_fragment;
    const struct shw_planes *targets; /* one a slot, borrowed */
    uint32_t slots;
    struct shw_program programs[2]; /* views of normalised and of integer formats */
    struct shw_buffer table;        /* of Lab */
    VkDescriptorPool pool;
    VkDescriptorSet *sets;             /* one a slot */
    struct shw_target *render_targets; /* one a slot */
};

/* The set decides what is made: the channels of SHW_CHANNELS_RGB and SHW_CHANNELS_LAB, otherwise base planes. On
 * failure *step may be partly made and is to be destroyed. */
enum shw_result shw_source_step_create(struct shw_device *device, enum shw_channel_set set,
                                       enum shw_technique technique, const struct shw_planes *targets, uint32_t slots,
                                       struct shw_source_step *step);

/* Accepts a zero step, and leaves one. */
void shw_source_step_destroy(struct shw_device *device, struct shw_source_step *step);

/* Leaves the slot's target in use shw_use_attachment (image) or shw_use_compute_write (buffer). */
void shw_source_step_record(const struct shw_source_step *step, struct shw_device *device,
                            struct shw_recording *recording, uint32_t slot, VkImageView source, VkFormat source_format,
                            uint32_t source_x, uint32_t source_y, const struct shw_region *region);

/* Two parts of it: the slot's descriptor set is written, while no recording of the slot is pending; and it is recorded,
 * without a barrier. */
void shw_source_step_bind(const struct shw_source_step *step, struct shw_device *device, uint32_t slot,
                          VkImageView source);
void shw_source_step_record_bare(const struct shw_source_step *step, struct shw_recording *recording, uint32_t slot,
                                 VkFormat source_format, uint32_t source_x, uint32_t source_y,
                                 const struct shw_region *region);

#endif
