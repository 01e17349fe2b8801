/* The techniques of the stage `integrate`, which makes integral images from channel planes. */
#ifndef SHW_INTEGRATE_INTEGRAL_TECHNIQUES_H
#define SHW_INTEGRATE_INTEGRAL_TECHNIQUES_H

#include <shadewood/stage.h>

#include "channels/channels.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

extern const struct shw_stage_technique shw_integral_cpu_technique, shw_integral_fragment_technique,
    shw_integral_compute_technique;

struct shw_integral_fragment;
struct shw_integral_compute;

/* `inputs` and `outputs`, one planes object per slot, are borrowed: R16_SINT channels of the largest region, and
 * R32_UINT with one more in width and height, all in image form (fragment) or all in buffer form (compute). Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_integral_fragment_create(struct shw_device *device, const struct shw_planes *inputs,
                                             const struct shw_planes *outputs, uint32_t slots,
                                             struct shw_integral_fragment **fragment);
enum shw_result shw_integral_compute_create(struct shw_device *device, const struct shw_planes *inputs,
                                            const struct shw_planes *outputs, uint32_t slots,
                                            struct shw_integral_compute **compute);

/* Accept a pointer to NULL. */
void shw_integral_fragment_destroy(struct shw_device *device, struct shw_integral_fragment **fragment);
void shw_integral_compute_destroy(struct shw_device *device, struct shw_integral_compute **compute);

/* Record the stage for the first `width` by `height` pixels. The input must be ready for shw_use_fragment_sampled
 * (image, in that layout) or shw_use_compute_read (buffer). Previous contents of the output are discarded; earlier
 * commands may still be reading them. Afterwards the output is in use shw_use_attachment (image) or
 * shw_use_compute_write (buffer). */
void shw_integral_fragment_record(const struct shw_integral_fragment *fragment, struct shw_recording *recording,
                                  uint32_t slot, uint32_t width, uint32_t height);
void shw_integral_compute_record(const struct shw_integral_compute *compute, struct shw_recording *recording,
                                 uint32_t slot, uint32_t width, uint32_t height);

/* Records slots first..first+count-1 side by side, which is faster for many small images than one after the other.
 * Waits for earlier writes of compute shaders, so inputs need not be ready. Outputs are in use shw_use_compute_write;
 * their `stride`, `height` and `first` may change between recordings as long as the images fit. */
void shw_integral_compute_record_many(const struct shw_integral_compute *compute, struct shw_device *device,
                                      VkCommandBuffer commands, uint32_t first, uint32_t count,
                                      const struct shw_region *regions);

/* Bytes of device memory for the sums of one input. */
VkDeviceSize shw_integral_compute_sums(uint32_t width, uint32_t height, uint32_t planes);

#endif
