/* Kinds that are compiled from a header, on a device: one pass from the source image to the planes of an entry. */
#ifndef SHW_DENSE_CHANNELS_CODE_STEP_H
#define SHW_DENSE_CHANNELS_CODE_STEP_H

#include "dense/channels/channel_maker.h"
#include "vulkan/target.h"

/* The largest radius that the header of a kind may have. */
#define SHW_CHANNEL_CODE_RADIUS_MAX 8

extern const struct shw_channel_device_maker shw_channel_code_device;

struct shw_code_step {
    struct shw_channel_entry entry;
    const struct shw_planes *targets; /* one per slot, borrowed */
    uint32_t slots;
    enum shw_planes_form form;
    struct shw_program programs[SHW_CHANNEL_VIEWS]; /* those that the kind needs */
    struct shw_buffer table;
    struct shw_sets sets;              /* one per slot */
    struct shw_target *render_targets; /* one per slot; NULL: buffers are written */
};

/* Writes the planes of the entry, whose kind has code, to plane entry->first of the targets and those after it. On
 * failure *step may be partly made and must be destroyed; its table belongs to the arena, which must be made before
 * shw_code_step_create(). */
enum shw_result shw_code_step_add(struct shw_arena *arena, const struct shw_channel_entry *entry,
                                  const struct shw_planes *targets, uint32_t slots, enum shw_planes_form form,
                                  struct shw_code_step *step);
enum shw_result shw_code_step_create(struct shw_device *device, struct shw_code_step *step);

/* Accepts a zero step. The step is zero afterwards. */
void shw_code_step_destroy(struct shw_device *device, struct shw_code_step *step);

/* No recording of the slot may be pending. */
void shw_code_step_bind(const struct shw_code_step *step, struct shw_device *device, uint32_t slot,
                        const VkImageView *views);

/* Without barriers. */
void shw_code_step_record(const struct shw_code_step *step, struct shw_recording *recording, uint32_t slot,
                          const struct shw_channel_source *sources, const struct shw_region *region);

#endif
