/* Recording in pieces: long work is spread over several command buffers. Recording is a sequence of work of which only
 * the range [first, end) is written into the command buffer. Every function counts its work and records the part that
 * lies in the range, so that calling the same functions with consecutive ranges records everything once. */
#ifndef SHW_VULKAN_RECORDING_H
#define SHW_VULKAN_RECORDING_H

#include <shadewood/stage.h>

#include "vulkan/barrier.h"
#include "vulkan/pipeline.h"

struct shw_recording {
    const struct shw_device *device;
    VkCommandBuffer commands;
    struct shw_stage_stretch stretch;
};

/* Everything. */
struct shw_recording shw_recording_whole(const struct shw_device *device, VkCommandBuffer commands);

/* Work that cannot be divided. True: record it now. `work` is above 0. */
bool shw_recording_step(struct shw_recording *recording, uint64_t work);

/* Barriers, as in vulkan/barrier.h. */
void shw_recording_image_barrier(struct shw_recording *recording, VkImage image, struct shw_use before,
                                 struct shw_use after);
void shw_recording_buffer_barrier(struct shw_recording *recording, VkBuffer buffer, struct shw_use before,
                                  struct shw_use after);
void shw_recording_memory_barrier(struct shw_recording *recording, struct shw_use before, struct shw_use after);

/* As shw_program_draw(); divided between rows of pixels, each of which is `work`. */
void shw_recording_draw(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                        const void *push, VkFramebuffer framebuffer, uint32_t width, uint32_t height, uint64_t work);

/* As shw_program_dispatch(), of a program created with `in_pieces`; divided between rows of work groups, each of which
 * is `work`. */
void shw_recording_dispatch(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                            const void *push, uint32_t x, uint32_t y, uint32_t z, uint64_t work);

#endif
