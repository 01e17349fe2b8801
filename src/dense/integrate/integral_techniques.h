/* The techniques of the stage `integrate`, which makes integral images from channel planes. Those on the device are
 * passes (dense/stage/passes.h). They may also be created outside a pipeline; `params` then needs only owner and slots.
 * Inputs are R16_SINT channels of the largest region, outputs R32_UINT with one more in width and height. */
#ifndef SHW_DENSE_INTEGRATE_INTEGRAL_TECHNIQUES_H
#define SHW_DENSE_INTEGRATE_INTEGRAL_TECHNIQUES_H

#include <shadewood/stage.h>

#include "dense/channels/channels.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

extern const struct shw_stage_technique shw_integral_cpu_technique, shw_integral_fragment_technique,
    shw_integral_compute_technique;

/* Records slots first..first+count-1 of an instance that the passes of `compute` have created, side by side, which is
 * faster for many small images than one after the other. Waits for earlier writes of compute shaders, so inputs need
 * not be ready. Outputs are in use shw_use_compute_write; their `stride`, `height` and `first` may change between
 * recordings as long as the images fit. */
void shw_integral_compute_record_many(const void *compute, struct shw_device *device, VkCommandBuffer commands,
                                      uint32_t first, uint32_t count, const struct shw_region *regions);

/* Bytes of device memory for the sums of one input. */
VkDeviceSize shw_integral_compute_sums(uint32_t width, uint32_t height, uint32_t planes);

#endif
