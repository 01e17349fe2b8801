/* The integrate stage on the CPU. */
#ifndef SHW_DENSE_INTEGRATE_INTEGRAL_H
#define SHW_DENSE_INTEGRATE_INTEGRAL_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/stage.h>

#include "base/thread_pool.h"
#include "dense/channels/channels.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

/* Values per integral image of a channel: it has a column and a row more than the channel. */
static inline size_t shw_integral_size(uint32_t width, uint32_t height)
{
    return ((size_t)width + 1) * ((size_t)height + 1);
}

/* Makes `count` integral images of (width + 1) x (height + 1) values from `count` planes of width x height, all tightly
 * packed: value (x, y) is the sum over all pixels left of x and above y, modulo 2^32; row 0 and column 0 are zero.
 * `pool` may be NULL. */
void shw_integrate_cpu(const int16_t *planes, uint32_t width, uint32_t height, uint32_t count, uint32_t *integrals,
                       struct shw_thread_pool *pool);

/* The techniques of the stage `integrate`, which makes integral images from channel planes. Those on the device are
 * passes (dense/stage/passes.h). They may also be created outside a pipeline; `params` then needs only owner and slots.
 * Inputs are R16_SINT channels of the largest region, outputs R32_UINT with one more in width and height. */

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
