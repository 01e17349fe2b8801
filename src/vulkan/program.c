/* Descriptor sets, framebuffers and recording of programs. */
#include <stdlib.h>

#include "vulkan/pipeline.h"

/* Pool sizes by descriptor type for exactly `count` sets. */
static uint32_t pool_sizes(const struct shw_program *program, uint32_t count, VkDescriptorPoolSize sizes[3])
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < program->binding_count; i++) {
        uint32_t s = 0;
        while (s < used && sizes[s].type != program->bindings[i].type)
            s++;
        if (s == used)
            sizes[used++] = (VkDescriptorPoolSize){program->bindings[i].type, 0};
        sizes[s].descriptorCount += count;
    }
    return used;
}

enum shw_result shw_sets_create(struct shw_device *device, const struct shw_program *program, uint32_t count,
                                struct shw_sets *sets)
{
    VkDescriptorPoolSize sizes[3];
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = count,
                                       .poolSizeCount = pool_sizes(program, count, sizes),
                                       .pPoolSizes = sizes};
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &program->set_layout};
    enum shw_result result = SHW_OK;

    *sets = (struct shw_sets){.handles = calloc(count, sizeof *sets->handles)};
    if (sets->handles == NULL)
        return shw_fail_memory(&device->log, "descriptor sets");
    VK_TRY(device, CreateDescriptorPool(device->handle, &info, device->allocator, &sets->pool));
    allocate.descriptorPool = sets->pool;
    for (uint32_t i = 0; i < count; i++)
        VK_TRY(device, AllocateDescriptorSets(device->handle, &allocate, &sets->handles[i]));
    return SHW_OK;

fail:
    shw_sets_destroy(device, sets);
    return result;
}

void shw_sets_destroy(struct shw_device *device, struct shw_sets *sets)
{
    if (sets->pool != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorPool(device->handle, sets->pool, device->allocator);
    free(sets->handles);
    *sets = (struct shw_sets){0};
}

void shw_set_write(struct shw_device *device, const struct shw_program *program, VkDescriptorSet set,
                   const struct shw_resource *resources)
{
    for (uint32_t i = 0; i < program->binding_count; i++) {
        const struct shw_resource *resource = &resources[i];
        const VkDescriptorImageInfo image = {.imageView = resource->view,
                                             .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        const VkDescriptorBufferInfo buffer = {resource->buffer, resource->offset,
                                               resource->size > 0 ? resource->size : VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = program->bindings[i].binding,
                                            .descriptorCount = 1,
                                            .descriptorType = program->bindings[i].type,
                                            .pImageInfo = &image,
                                            .pBufferInfo = &buffer};
        device->vk.UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
    }
}

enum shw_result shw_framebuffer_create(struct shw_device *device, const struct shw_program *program,
                                       const VkImageView *views, uint32_t width, uint32_t height,
                                       VkFramebuffer *framebuffer)
{
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .renderPass = program->render_pass,
                                    .attachmentCount = program->attachment_count,
                                    .pAttachments = views,
                                    .width = width,
                                    .height = height,
                                    .layers = 1};

    *framebuffer = VK_NULL_HANDLE;
    VK_PROPAGATE(device, CreateFramebuffer(device->handle, &info, device->allocator, framebuffer));
    return SHW_OK;
}

void shw_program_bind_at(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                         VkDescriptorSet set, const uint32_t *offsets, uint32_t count, const void *push)
{
    device->vk.CmdBindPipeline(commands, program->bind_point, program->pipeline);
    if (set != VK_NULL_HANDLE)
        device->vk.CmdBindDescriptorSets(commands, program->bind_point, program->layout, 0, 1, &set, count, offsets);
    if (program->push_bytes > 0)
        device->vk.CmdPushConstants(commands, program->layout, program->stages, 0, program->push_bytes, push);
}

void shw_program_bind(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                      VkDescriptorSet set, const void *push)
{
    shw_program_bind_at(device, commands, program, set, NULL, 0, push);
}

void shw_program_draw_rows(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                           VkDescriptorSet set, const void *push, VkFramebuffer framebuffer, VkExtent2D extent,
                           uint32_t first, uint32_t rows)
{
    VkClearValue clears[SHW_ATTACHMENTS_MAX] = {0};
    VkRect2D area = {{0, (int32_t)first}, {extent.width, rows}};
    VkViewport viewport = {.width = (float)extent.width, .height = (float)extent.height, .maxDepth = 1.0f};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = program->render_pass,
                                   .framebuffer = framebuffer,
                                   .renderArea = area,
                                   .clearValueCount = program->attachment_count,
                                   .pClearValues = clears};

    device->vk.CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    device->vk.CmdSetViewport(commands, 0, 1, &viewport);
    device->vk.CmdSetScissor(commands, 0, 1, &area);
    shw_program_bind(device, commands, program, set, push);
    device->vk.CmdDraw(commands, 3, 1, 0, 0);
    device->vk.CmdEndRenderPass(commands);
}

void shw_program_draw(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                      VkDescriptorSet set, const void *push, VkFramebuffer framebuffer, uint32_t width, uint32_t height)
{
    shw_program_draw_rows(device, commands, program, set, push, framebuffer, (VkExtent2D){width, height}, 0, height);
}

void shw_program_dispatch(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                          VkDescriptorSet set, const void *push, uint32_t x, uint32_t y, uint32_t z)
{
    shw_program_bind(device, commands, program, set, push);
    device->vk.CmdDispatch(commands, x, y, z);
}
