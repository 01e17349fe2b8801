/* The stage `integrate` on a device: from channel planes to integral images, by fragment passes or by compute. */
#ifndef SHW_INTEGRATE_INTEGRATE_STAGE_H
#define SHW_INTEGRATE_INTEGRATE_STAGE_H

#include <shadewood/label.h>

#include "channels/channels.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

struct shw_integrate_stage;

/* `inputs` and `outputs`, one planes object a slot, are borrowed: channels R16_SINT of the largest region and R32_UINT
 * of one more in width and height. FRAGMENT reads and makes image forms, COMPUTE buffer forms. Errors: MEMORY,
 * DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_integrate_stage_create(struct shw_device *device, enum shw_technique technique,
                                           const struct shw_planes *inputs, const struct shw_planes *outputs,
                                           uint32_t slots, struct shw_integrate_stage **stage);

/* Accepts a pointer to NULL. */
void shw_integrate_stage_destroy(struct shw_device *device, struct shw_integrate_stage **stage);

/* Records the stage for the first `width` by `height` pixels. The input must be ready for shw_use_fragment_sampled
 * (image, in that layout) or shw_use_compute_read (buffer). The output's previous contents are dropped, and may still
 * be read by earlier commands; afterwards it is in use shw_use_attachment (image) or shw_use_compute_write (buffer). */
void shw_integrate_stage_record(struct shw_integrate_stage *stage, struct shw_recording *recording, uint32_t slot,
                                uint32_t width, uint32_t height);

/* By the technique COMPUTE, slots first..first+count-1 side by side: for many small images quicker than one after the
 * other. Inputs need not be ready: what compute shaders have written before is waited for. Outputs are in use
 * shw_use_compute_write; their `stride`, `height` and `first` may be changed from one recording to the next as long as
 * the images fit. */
void shw_integrate_stage_record_many(struct shw_integrate_stage *stage, VkCommandBuffer commands, uint32_t first,
                                     uint32_t count, const struct shw_region *regions);

#endif
