/* Simple filling of depth on a device, before the stage `channels`: by fragment passes or by compute, with the same
 * bits as shw_fill_simple(). */
#ifndef SHW_DENSE_CHANNELS_FILL_PASSES_H
#define SHW_DENSE_CHANNELS_FILL_PASSES_H

#include <shadewood/channels.h>
#include <shadewood/stage.h>

#include "vulkan/planes.h"
#include "vulkan/recording.h"

struct shw_fill_passes;

struct shw_fill_size {
    uint32_t width, height; /* of the largest image */
    uint32_t slots, sets;   /* `sets` of planes, which the slots share in turn */
};

/* Adds planes to an arena, for a list that reads SHW_DEPTH; and creates everything that recording needs, once the arena
 * is made. `form` is IMAGE (fragment passes) or BUFFER (compute). Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT;
 * after a failure of shw_fill_passes_create() the passes are to be destroyed. */
enum shw_result shw_fill_passes_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                    enum shw_planes_form form, struct shw_fill_size size,
                                    struct shw_fill_passes **passes);
enum shw_result shw_fill_passes_create(struct shw_fill_passes *passes);

/* Accepts a pointer to NULL. */
void shw_fill_passes_destroy(struct shw_fill_passes **passes);

/* Records filling of a whole image, and replaces the source SHW_DEPTH by the result. Sources are in the order of the
 * list's inputs, and ready for shw_use_fragment_sampled or shw_use_compute_sampled, and so is the result. */
void shw_fill_passes_record(struct shw_fill_passes *passes, struct shw_recording *recording, uint32_t slot,
                            uint32_t width, uint32_t height, struct shw_stage_source *sources);

#endif
