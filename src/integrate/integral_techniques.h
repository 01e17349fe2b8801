/* The techniques of the stage `integrate`: from channel planes to integral images. Those on the device are passes
 * (pipeline/passes.h), which may be created for other planes than a pipeline's; `params` then needs only owner and
 * slots. Channels are R16_SINT, of the largest region; integral images R32_UINT and of one more in width and height. */
#ifndef SHW_INTEGRATE_INTEGRAL_TECHNIQUES_H
#define SHW_INTEGRATE_INTEGRAL_TECHNIQUES_H

#include <shadewood/stage.h>

#include "channels/channels.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

extern const struct shw_stage_technique shw_integral_cpu_technique, shw_integral_fragment_technique,
    shw_integral_compute_technique;

/* Slots first..first+count-1 of what passes of `compute` have created, side by side: for many small images quicker than
 * one after the other. Inputs need not be ready: what compute shaders have written before is waited for. Outputs are in
 * use shw_use_compute_write; their `stride`, `height` and `first` may be changed from one recording to the next as long
 * as the images fit. */
void shw_integral_compute_record_many(const void *compute, struct shw_device *device, VkCommandBuffer commands,
                                      uint32_t first, uint32_t count, const struct shw_region *regions);

/* Bytes of device memory for the sums, for every input. */
VkDeviceSize shw_integral_compute_sums(uint32_t width, uint32_t height, uint32_t planes);

#endif
