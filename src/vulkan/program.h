/* Programs: a pipeline with its layouts, and the descriptor sets for it. */
#ifndef SHW_VULKAN_PROGRAM_H
#define SHW_VULKAN_PROGRAM_H

#include "vulkan/device.h"
#include "vulkan/shader.h"

#define SHW_BINDINGS_MAX    16u
#define SHW_ATTACHMENTS_MAX 8u

/* One binding of descriptor set 0, visible to every stage of the program. Sampled images are of type SAMPLED_IMAGE:
 * shaders use texelFetch through `texture2D`/`utexture2DArray` with GL_EXT_samplerless_texture_functions. */
struct shw_binding {
    uint32_t binding;
    VkDescriptorType type; /* SAMPLED_IMAGE, STORAGE_IMAGE, STORAGE_BUFFER, STORAGE_BUFFER_DYNAMIC or UNIFORM_BUFFER */
};

struct shw_program_params {
    const char *name;
    struct shw_shader compute;          /* either a compute shader */
    struct shw_shader vertex, fragment; /* or these; a zero `vertex`: a triangle that covers the whole target */
    const struct shw_binding *bindings;
    uint32_t binding_count;
    uint32_t push_bytes; /* of push constants, visible to every stage of the program */
    const VkSpecializationInfo *specialization;
    bool in_pieces; /* compute: dispatches may start at any work group */
    /* Graphics programs: */
    uint32_t attachment_count;
    const VkFormat *attachments;  /* attachment_count formats */
    VkAttachmentLoadOp load;      /* DONT_CARE, CLEAR (to zero) or LOAD */
    bool additive;                /* blend by addition */
    VkPrimitiveTopology topology; /* with a custom vertex shader: POINT_LIST or TRIANGLE_LIST */
};

struct shw_program {
    struct shw_program_entry *entry; /* in the device's cache, or NULL */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkPipelineBindPoint bind_point;
    VkShaderStageFlags stages;
    VkRenderPass render_pass; /* graphics: attachments are in layout COLOR_ATTACHMENT_OPTIMAL before and after */
    struct shw_binding bindings[SHW_BINDINGS_MAX];
    uint32_t binding_count, push_bytes, attachment_count;
};

/* Compiles the program with the device's pipeline cache, or reuses one of the device's programs: shader words must stay
 * at their address for the lifetime of the device. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. On failure *program is
 * zero. */
enum shw_result shw_program_create(struct shw_device *device, const struct shw_program_params *params,
                                   struct shw_program *program);

/* Accepts a zero program. The program is zero afterwards. */
void shw_program_destroy(struct shw_device *device, struct shw_program *program);

/* The device's cache of programs. Destroying it destroys all programs; none may be in use. */
void shw_program_cache_create(struct shw_program_cache *cache);
void shw_program_cache_destroy(struct shw_device *device);

/* The resource of one binding in a descriptor set: `view` (in SHADER_READ_ONLY_OPTIMAL, of a storage image in
 * GENERAL) or `buffer`. */
struct shw_resource {
    VkImageView view;
    VkBuffer buffer;
    VkDeviceSize offset, size; /* range of the buffer; size 0: to its end */
};

/* Descriptor sets and their pool. */
struct shw_sets {
    VkDescriptorPool pool;
    VkDescriptorSet *handles; /* NULL if there are none */
};

/* `count` sets for `program` and for others with the same bindings. Errors: MEMORY, DEVICE_MEMORY. On failure *sets is
 * zero. */
enum shw_result shw_sets_create(struct shw_device *device, const struct shw_program *program, uint32_t count,
                                struct shw_sets *sets);

/* Accepts zero sets. They are zero afterwards. */
void shw_sets_destroy(struct shw_device *device, struct shw_sets *sets);

/* Fills one set; `resources` are in the order of the program's bindings. The set must not be in use. */
void shw_set_write(struct shw_device *device, const struct shw_program *program, VkDescriptorSet set,
                   const struct shw_resource *resources);

/* A framebuffer of `count` views of `width` by `height`. Errors: MEMORY, DEVICE_MEMORY. To be destroyed with
 * vkDestroyFramebuffer. */
enum shw_result shw_framebuffer_create(struct shw_device *device, const struct shw_program *program,
                                       const VkImageView *views, uint32_t width, uint32_t height,
                                       VkFramebuffer *framebuffer);

/* Records: binds pipeline, set and push constants (program->push_bytes of them). */
void shw_program_bind(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                      VkDescriptorSet set, const void *push);

/* The same with an offset for each dynamic binding, of which there are `count`. */
void shw_program_bind_at(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                         VkDescriptorSet set, const uint32_t *offsets, uint32_t count, const void *push);

/* Records a whole render pass that draws the triangle over all of the framebuffer, width by height. */
void shw_program_draw(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                      VkDescriptorSet set, const void *push, VkFramebuffer framebuffer, uint32_t width,
                      uint32_t height);

/* The same for some rows of an area; the framebuffer keeps its other contents, unless the program clears it. */
void shw_program_draw_rows(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                           VkDescriptorSet set, const void *push, VkFramebuffer framebuffer, VkRect2D area,
                           uint32_t first, uint32_t rows);

/* Records a dispatch of x by y by z work groups. */
void shw_program_dispatch(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                          VkDescriptorSet set, const void *push, uint32_t x, uint32_t y, uint32_t z);

/* The same of as many work groups as the three words at `offset` in a buffer say when it is executed. */
void shw_program_dispatch_indirect(const struct shw_device *device, VkCommandBuffer commands,
                                   const struct shw_program *program, VkDescriptorSet set, const void *push,
                                   VkBuffer arguments, VkDeviceSize offset);

#endif
