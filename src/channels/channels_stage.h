/* The stage `channels` on a device: from a source image to channel planes, by fragment passes or by compute. */
#ifndef SHW_CHANNELS_CHANNELS_STAGE_H
#define SHW_CHANNELS_CHANNELS_STAGE_H

#include <shadewood/channels.h>
#include <shadewood/label.h>

#include "channels/channels.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

struct shw_channels_stage;

/* Makes the image form, by fragment passes, or the buffer form, by compute, of `outputs`, one planes object a slot
 * (format R16_SINT; width and height are the largest region), which are borrowed. Everything that recording needs is
 * made here. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_channels_stage_create(struct shw_device *device, const struct shw_channel_list *list,
                                          enum shw_planes_form form, const struct shw_planes *outputs, uint32_t slots,
                                          struct shw_channels_stage **stage);

/* Bytes of the buffers and images that it makes. */
uint64_t shw_channels_stage_get_memory(const struct shw_channel_list *list, enum shw_planes_form form, uint32_t width,
                                       uint32_t height, uint32_t slots);

/* Accepts a pointer to NULL. */
void shw_channels_stage_destroy(struct shw_device *device, struct shw_channels_stage **stage);

/* Whether a source view of this format is understood. */
bool shw_channels_source_format(VkFormat format);

/* Of these formats: whether its samples are integers of 16 bits. */
bool shw_channels_source_is_uint(VkFormat format);

/* A 2D view (SHADER_READ_ONLY_OPTIMAL, ready for shw_use_fragment_sampled or shw_use_compute_sampled), and the region's
 * first pixel in it. */
struct shw_channel_source {
    VkImageView view;
    VkFormat format;
    uint32_t x, y;
};

/* Records the stage for one region. `sources` are in the order of the list's inputs, of one size and depth of bits; in
 * the place of what is not there (VK_NULL_HANDLE), the colour is taken. The output's previous contents are dropped, and
 * may still be read by earlier commands; afterwards it is in use shw_use_attachment (image) or shw_use_compute_write
 * (buffer). */
void shw_channels_stage_record(struct shw_channels_stage *stage, struct shw_recording *recording, uint32_t slot,
                               const struct shw_channel_source *sources, const struct shw_region *region);

/* By compute: slots 0..count-1 side by side, which is quicker for many small images than one after the other, each from
 * the beginning of its source, in which the list's inputs lie one below the other; and as often as wanted in one
 * submission. Sources are bound before, while no recording of the slot is pending; `formats` are theirs, of all inputs.
 * Outputs are in use shw_use_compute_write. */
void shw_channels_stage_bind(struct shw_channels_stage *stage, uint32_t slot, const VkImageView *views);
void shw_channels_stage_record_many(struct shw_channels_stage *stage, VkCommandBuffer commands, uint32_t count,
                                    const VkFormat *formats, const struct shw_region *regions);

#endif
