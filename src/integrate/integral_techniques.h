/* The techniques of the integrate stage on a device. */
#ifndef SHW_INTEGRATE_INTEGRAL_TECHNIQUES_H
#define SHW_INTEGRATE_INTEGRAL_TECHNIQUES_H

#include "vulkan/memory.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

struct shw_integral_fragment;
struct shw_integral_compute;

/* As shw_integrate_stage_create(), _destroy() and _record(). */
enum shw_result shw_integral_fragment_create(struct shw_device *device, const struct shw_planes *inputs,
                                             const struct shw_planes *outputs, uint32_t slots,
                                             struct shw_integral_fragment **fragment);
enum shw_result shw_integral_compute_create(struct shw_device *device, const struct shw_planes *inputs,
                                            const struct shw_planes *outputs, uint32_t slots,
                                            struct shw_integral_compute **compute);

void shw_integral_fragment_destroy(struct shw_device *device, struct shw_integral_fragment **fragment);
void shw_integral_compute_destroy(struct shw_device *device, struct shw_integral_compute **compute);

void shw_integral_fragment_record(const struct shw_integral_fragment *fragment, struct shw_recording *recording,
                                  uint32_t slot, uint32_t width, uint32_t height);
void shw_integral_compute_record(const struct shw_integral_compute *compute, struct shw_recording *recording,
                                 uint32_t slot, uint32_t width, uint32_t height);

/* The two halves of it without barriers, for several slots at a time: tiles read the sums. */
void shw_integral_compute_record_sums(const struct shw_integral_compute *compute, struct shw_recording *recording,
                                      uint32_t slot, uint32_t width, uint32_t height);
void shw_integral_compute_record_tiles(const struct shw_integral_compute *compute, struct shw_recording *recording,
                                       uint32_t slot, uint32_t width, uint32_t height);

/* Bytes of device memory for the sums, for every input. */
VkDeviceSize shw_integral_compute_sums(uint32_t width, uint32_t height, uint32_t planes);

#endif
