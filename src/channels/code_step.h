/* Kinds that are compiled from a header, on a device: one pass from the source image to the planes of an entry. */
#ifndef SHW_CHANNELS_CODE_STEP_H
#define SHW_CHANNELS_CODE_STEP_H

#include "channels/channel_maker.h"
#include "vulkan/target.h"

/* The largest radius that the header of a kind may have. */
#define SHW_CHANNEL_CODE_RADIUS_MAX 8

extern const struct shw_channel_device_maker shw_channel_code_fragment, shw_channel_code_compute;

struct shw_code_step {
    const struct shw_planes *targets; /* one per slot, borrowed */
    uint32_t first_plane, slots, parameter;
    struct shw_program programs[2]; /* for views of normalised and of integer formats */
    struct shw_buffer table;
    uint32_t inputs[SHW_INPUT_ROLES];  /* by role: index among the list's inputs */
    struct shw_sets sets;              /* one per slot */
    struct shw_target *render_targets; /* one per slot; NULL: buffers are written */
};

/* Writes the planes of `code` to plane `first_plane` of the targets and those after it, in image form if `is_fragment`,
 * otherwise in buffer form. On failure *step may be partly made and must be destroyed. */
struct shw_code_step_params {
    const struct shw_channel_code *code;
    const uint32_t *(*get_table)(uint32_t *count);
    uint32_t parameter;
    bool is_fragment;
    const struct shw_planes *targets;
    uint32_t first_plane, slots;
    uint32_t input; /* index among the list's inputs of the one read besides the colour image */
};
enum shw_result shw_code_step_create(struct shw_device *device, const struct shw_code_step_params *params,
                                     struct shw_code_step *step);

/* Accepts a zero step. The step is zero afterwards. */
void shw_code_step_destroy(struct shw_device *device, struct shw_code_step *step);

/* No recording of the slot may be pending. */
void shw_code_step_bind(const struct shw_code_step *step, struct shw_device *device, uint32_t slot,
                        const VkImageView *views);

/* Without barriers. */
void shw_code_step_record(const struct shw_code_step *step, struct shw_recording *recording, uint32_t slot,
                          const struct shw_channel_source *sources, const struct shw_region *region);

#endif
