/* The techniques of the stage `integrate`: from channel planes to integral images. */
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

/* `inputs` and `outputs`, one planes object a slot, are borrowed: channels R16_SINT of the largest region and R32_UINT
 * of one more in width and height, of the image form or of the buffer form. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED,
 * LIMIT. */
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
 * (image, in that layout) or shw_use_compute_read (buffer). The output's previous contents are dropped, and may still
 * be read by earlier commands; afterwards it is in use shw_use_attachment (image) or shw_use_compute_write (buffer). */
void shw_integral_fragment_record(const struct shw_integral_fragment *fragment, struct shw_recording *recording,
                                  uint32_t slot, uint32_t width, uint32_t height);
void shw_integral_compute_record(const struct shw_integral_compute *compute, struct shw_recording *recording,
                                 uint32_t slot, uint32_t width, uint32_t height);

/* Slots first..first+count-1 side by side: for many small images quicker than one after the other. Inputs need not be
 * ready: what compute shaders have written before is waited for. Outputs are in use shw_use_compute_write; their
 * `stride`, `height` and `first` may be changed from one recording to the next as long as the images fit. */
void shw_integral_compute_record_many(const struct shw_integral_compute *compute, struct shw_device *device,
                                      VkCommandBuffer commands, uint32_t first, uint32_t count,
                                      const struct shw_region *regions);

/* Bytes of device memory for the sums, for every input. */
VkDeviceSize shw_integral_compute_sums(uint32_t width, uint32_t height, uint32_t planes);

#endif
