/* Commands: barriers, recording in pieces, and submission. */
#ifndef SHW_VULKAN_COMMANDS_H
#define SHW_VULKAN_COMMANDS_H

#include <shadewood/stage.h>

#include "vulkan/device.h"
#include "vulkan/program.h"

/* Barriers for all layers of an image, for a part of one, or for a whole buffer. */

/* The use of a resource on one side of a barrier. `layout` is for images. Stages are 0, and stages and accesses beyond
 * 32 bits, only where shw_sides_check() allows them. */
struct shw_use {
    VkImageLayout layout;
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 access;
};

/* The uses that the stages have for their own resources. */
extern const struct shw_use shw_use_nothing; /* contents are discarded; earlier commands that use them are waited for */
extern const struct shw_use shw_use_discarded; /* contents are discarded; render passes that use them are waited for */
extern const struct shw_use shw_use_discarded_by_copy; /* contents are discarded; copies that use them are waited for */
extern const struct shw_use shw_use_anything;          /* read and written by any command */
extern const struct shw_use shw_use_copy_source;       /* read by a copy */
extern const struct shw_use shw_use_copy_target;       /* written by a copy, a fill or a clear */
extern const struct shw_use shw_use_attachment;        /* written as a colour attachment */
extern const struct shw_use shw_use_blended;           /* read and written as a colour attachment with blending */
extern const struct shw_use shw_use_render_pass;       /* read by fragment shaders, or a colour attachment */
extern const struct shw_use shw_use_fragment_sampled;  /* read by fragment shaders as a sampled image */
extern const struct shw_use shw_use_vertex_sampled;    /* read by vertex shaders as a sampled image */
extern const struct shw_use shw_use_compute_sampled;   /* read by compute shaders as a sampled image */
extern const struct shw_use shw_use_compute_read;      /* a buffer read by compute shaders */
extern const struct shw_use shw_use_compute_write;     /* a buffer read and written by compute shaders */
extern const struct shw_use shw_use_storage_image;     /* written by compute shaders */
extern const struct shw_use shw_use_host_read;         /* a mapped buffer read after the submission */

/* The caller's use of its image before and after ours. */
struct shw_use shw_use_before(const struct shw_image_use *part);
struct shw_use shw_use_after(const struct shw_image_use *part);

/* Whether barriers from `before` and to `after` can be recorded: the stages are those of the queue family; without
 * synchronization2 they are not 0, and all flags have 32 bits. `name` is that of the resource, for the message. Errors:
 * ARGUMENT. */
enum shw_result shw_sides_check(const struct shw_device *device, struct shw_use before, struct shw_use after,
                                const char *name, const struct shw_log *log);

/* The layers of the part, with the defaults of struct shw_image_use. */
VkImageSubresourceLayers shw_part_layers(const struct shw_image_use *part);

/* Whether they have a subresource of an image in common. */
bool shw_parts_overlap(const struct shw_image_use *a, const struct shw_image_use *b);

void shw_image_barrier(const struct shw_device *device, VkCommandBuffer commands, VkImage image, struct shw_use before,
                       struct shw_use after);
/* For the part of the caller's image, between its use there and ours. */
void shw_part_barrier(const struct shw_device *device, VkCommandBuffer commands, const struct shw_image_use *part,
                      struct shw_use before, struct shw_use after);
void shw_buffer_barrier(const struct shw_device *device, VkCommandBuffer commands, VkBuffer buffer,
                        struct shw_use before, struct shw_use after);

/* The same with everything that a barrier has, recorded by the call of Vulkan 1.0 where its flags fit. */
void shw_record_image_barrier(const struct shw_device *device, VkCommandBuffer commands,
                              const VkImageMemoryBarrier2 *barrier);
void shw_record_buffer_barrier(const struct shw_device *device, VkCommandBuffer commands,
                               const VkBufferMemoryBarrier2 *barrier);

/* A global memory barrier, between two steps that use many buffers in the same way. */
void shw_memory_barrier(const struct shw_device *device, VkCommandBuffer commands, struct shw_use before,
                        struct shw_use after);

/* Recording in pieces, so that long work can be spread over several command buffers. Work is numbered as it is
 * recorded, and only the range [first, end) is written into the command buffer: calling the same functions with
 * consecutive ranges records everything once. */

struct shw_recording {
    const struct shw_device *device;
    VkCommandBuffer commands;
    struct shw_stage_stretch stretch;
};

/* Records everything. */
struct shw_recording shw_recording_whole(const struct shw_device *device, VkCommandBuffer commands);

/* Work that cannot be divided; `work` is above 0. True: the caller must record it now. */
bool shw_recording_step(struct shw_recording *recording, uint64_t work);

/* Barriers, as in vulkan/commands.h. */
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

/* The same in an area of the framebuffer. */
void shw_recording_draw_area(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                             const void *push, VkFramebuffer framebuffer, VkRect2D area, uint64_t work);

/* As shw_program_dispatch(), divided into rows of work groups; `work` is that of a row. The program must have been
 * created with `in_pieces`. */
void shw_recording_dispatch(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                            const void *push, uint32_t x, uint32_t y, uint32_t z, uint64_t work);

/* Submission to devices that the library created. */

/* Begins the device's command buffer, which belongs to the caller, with the queue, until shw_submit_wait() or
 * shw_submit_abandon(). Errors: ARGUMENT for an imported device, MEMORY, DEVICE_MEMORY. */
enum shw_result shw_submit_begin(struct shw_device *device, VkCommandBuffer *commands);

/* Ends the command buffer, submits it and waits for it. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_submit_wait(struct shw_device *device, VkCommandBuffer commands);

/* The same; while the device is busy, calls meanwhile(user) until that returns false: a little work for the host, which
 * must not submit anything to the device. */
enum shw_result shw_submit_wait_meanwhile(struct shw_device *device, VkCommandBuffer commands,
                                          bool (*meanwhile)(void *user), void *user);

/* Waits for a fence of something that was submitted. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_submit_wait_fence(struct shw_device *device, VkFence fence);

/* Drops what was recorded. */
void shw_submit_abandon(struct shw_device *device, VkCommandBuffer commands);

#endif
