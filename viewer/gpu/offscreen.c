#include "gpu/offscreen.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/file_kind.h"
#include "viewer/overlay_push.h"

static enum shw_result create_pass(const struct view_gpu *gpu, struct view_offscreen *offscreen)
{
    VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                          .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                          .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                          .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                          .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &reference};
    /* the previous frame's copies come before, this frame's after */
    VkSubpassDependency dependencies[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &attachment,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass,
                                   .dependencyCount = 2,
                                   .pDependencies = dependencies};

    return view_gpu_check(gpu, vkCreateRenderPass(gpu->device, &info, NULL, &offscreen->pass), "vkCreateRenderPass");
}

static void destroy_image(const struct view_gpu *gpu, struct view_offscreen *offscreen)
{
    vkDestroyFramebuffer(gpu->device, offscreen->framebuffer, NULL);
    offscreen->framebuffer = VK_NULL_HANDLE;
    view_image_destroy(gpu, &offscreen->image);
    view_buffer_destroy(gpu, &offscreen->back);
}

enum shw_result view_offscreen_resize(const struct view_gpu *gpu, VkExtent2D extent, struct view_offscreen *offscreen)
{
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .renderPass = offscreen->pass,
                                    .attachmentCount = 1,
                                    .pAttachments = &offscreen->image.view,
                                    .width = extent.width,
                                    .height = extent.height,
                                    .layers = 1};
    enum shw_result result;

    destroy_image(gpu, offscreen);
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R8G8B8A8_UNORM, extent, 0,
                              VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                              &offscreen->image));
    SHW_TRY(view_buffer_create(gpu, (VkDeviceSize)extent.width * extent.height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               true, &offscreen->back));
    VIEW_TRY(gpu, vkCreateFramebuffer, gpu->device, &info, NULL, &offscreen->framebuffer);
    return SHW_OK;

fail:
    destroy_image(gpu, offscreen);
    return result;
}

enum shw_result view_offscreen_create(const struct view_gpu *gpu, VkExtent2D extent, struct view_offscreen *offscreen)
{
    enum shw_result result;

    memset(offscreen, 0, sizeof *offscreen);
    SHW_TRY(create_pass(gpu, offscreen));
    SHW_TRY(view_offscreen_resize(gpu, extent, offscreen));
    return SHW_OK;

fail:
    view_offscreen_destroy(gpu, offscreen);
    return result;
}

void view_offscreen_destroy(const struct view_gpu *gpu, struct view_offscreen *offscreen)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    destroy_image(gpu, offscreen);
    vkDestroyRenderPass(gpu->device, offscreen->pass, NULL);
    memset(offscreen, 0, sizeof *offscreen);
}

void view_offscreen_begin(const struct view_offscreen *offscreen, VkCommandBuffer commands)
{
    const float grey = VIEW_BACKGROUND / 255.0f;
    VkClearValue clear = {.color = {.float32 = {grey, grey, grey, 1.0f}}};
    VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = offscreen->pass,
                                  .framebuffer = offscreen->framebuffer,
                                  .renderArea = {{0, 0}, offscreen->image.extent},
                                  .clearValueCount = 1,
                                  .pClearValues = &clear};

    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
}

void view_offscreen_end(VkCommandBuffer commands)
{
    vkCmdEndRenderPass(commands);
}

void view_offscreen_read(const struct view_offscreen *offscreen, VkCommandBuffer commands)
{
    VkExtent2D extent = offscreen->image.extent;
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {extent.width, extent.height, 1}};
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    vkCmdCopyImageToBuffer(commands, offscreen->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           offscreen->back.handle, 1, &copy);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL,
                         0, NULL);
}

enum shw_result view_offscreen_save(const struct view_gpu *gpu, const struct view_offscreen *offscreen,
                                    const char *path)
{
    VkExtent2D extent = offscreen->image.extent;
    size_t pixels = (size_t)extent.width * extent.height;
    const uint8_t *texels = offscreen->back.mapped;
    uint8_t *opaque = malloc(pixels * 3);
    struct shw_image image = {
        .pixels = opaque, .width = extent.width, .height = extent.height, .format = SHW_PIXEL_RGB8};
    enum shw_result result;

    if (opaque == NULL)
        return shw_fail_memory(&gpu->log, "a screenshot");
    for (size_t i = 0; i < pixels; i++)
        memcpy(opaque + 3 * i, texels + 4 * i, 3);
    result = shw_png_write_marked(path, shw_file_screenshot.name, &image, &gpu->log);
    free(opaque);
    return result;
}
