/* The stage `channels` on a device, by fragment passes or by compute: makes channel planes from source images. */
#ifndef SHW_DENSE_CHANNELS_CHANNELS_STAGE_H
#define SHW_DENSE_CHANNELS_CHANNELS_STAGE_H

#include <shadewood/channels.h>
#include <shadewood/label.h>
#include <shadewood/stage.h>

#include "dense/channels/channels.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

struct shw_channels_stage;

/* What the stage writes: the image form by fragment passes, or the buffer form by compute. */
struct shw_channel_outputs {
    enum shw_planes_form form;
    const struct shw_planes *planes; /* one per slot, R16_SINT, of the size of the largest region; borrowed */
    uint32_t slots, sets;            /* `sets` of scratch planes, which the slots share in turn */
};

/* Creates everything that recording needs, with memory of its own, and with scratch planes for each slot. Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_channels_stage_create(struct shw_device *device, const struct shw_channel_list *list,
                                          enum shw_planes_form form, const struct shw_planes *outputs, uint32_t slots,
                                          struct shw_channels_stage **stage);

/* Accepts a pointer to NULL. */
void shw_channels_stage_destroy(struct shw_device *device, struct shw_channels_stage **stage);

/* A 2D view in SHADER_READ_ONLY_OPTIMAL, ready for shw_use_fragment_sampled (image form) or shw_use_compute_sampled
 * (buffer form), and the region's first pixel in it. */
struct shw_channel_source {
    VkImageView view;
    VkFormat format;
    uint32_t x, y;
    struct shw_depth depth;
    bool has_stored; /* alpha is what was stored (shw_source_input_expand()) */
};

/* Records the stage for one region. `sources` are in the order of the list's inputs, of one size, each of a
 * format that shw_source_format_find() finds; for VK_NULL_HANDLE the colour image is read instead. Previous contents of
 * the output are discarded; earlier commands may still be reading them. Afterwards the output is in use
 * shw_use_attachment (image) or shw_use_compute_write (buffer).
 */
void shw_channels_stage_record(struct shw_channels_stage *stage, struct shw_recording *recording, uint32_t slot,
                               const struct shw_channel_source *sources, const struct shw_region *region);

/* For the buffer form: records slots 0..count-1 side by side, which is faster for many small images than one after the
 * other. A slot reads from the first pixel of its sources, which are of shw_source_input_expand(). May be
 * recorded several times in one submission. Sources must be bound before, while no recording of the slot is pending;
 * `formats` are those of all inputs. Outputs are in use shw_use_compute_write. */
void shw_channels_stage_bind(struct shw_channels_stage *stage, uint32_t slot, const VkImageView *views);
void shw_channels_stage_record_many(struct shw_channels_stage *stage, VkCommandBuffer commands, uint32_t count,
                                    const VkFormat *formats, const struct shw_region *regions);

/* The techniques of the stage `channels`. */

extern const struct shw_stage_technique shw_channels_cpu_technique, shw_channels_fragment_technique,
    shw_channels_compute_technique;

#endif
