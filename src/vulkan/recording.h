/* Recording in pieces, so that long work can be spread over several command buffers. Work is numbered as it is
 * recorded, and only the range [first, end) is written into the command buffer: calling the same functions with
 * consecutive ranges records everything once. */
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

/* Records everything. */
struct shw_recording shw_recording_whole(const struct shw_device *device, VkCommandBuffer commands);

/* Work that cannot be divided; `work` is above 0. True: the caller must record it now. */
bool shw_recording_step(struct shw_recording *recording, uint64_t work);

/* Barriers, as in vulkan/barrier.h. */
void shw_recording_image_barrier(struct shw_recording *recording, VkImage image, struct shw_use before,
                                 struct shw_use after);
void shw_recording_part_barrier(struct shw_recording *recording, const struct shw_image_use *part,
                                struct shw_use before, struct shw_use after);
void shw_recording_buffer_barrier(struct shw_recording *recording, VkBuffer buffer, struct shw_use before,
                                  struct shw_use after);
void shw_recording_memory_barrier(struct shw_recording *recording, struct shw_use before, struct shw_use after);

/* As shw_program_draw(), divided into rows of pixels; `work` is that of a row. */
void shw_recording_draw(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                        const void *push, VkFramebuffer framebuffer, uint32_t width, uint32_t height, uint64_t work);

/* As shw_program_dispatch(), divided into rows of work groups; `work` is that of a row. The program must have been
 * created with `in_pieces`. */
void shw_recording_dispatch(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                            const void *push, uint32_t x, uint32_t y, uint32_t z, uint64_t work);

#endif
