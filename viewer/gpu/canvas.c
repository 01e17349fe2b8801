#include "gpu/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
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

uint8_t *view_offscreen_copy(const struct view_offscreen *offscreen)
{
    const VkExtent2D extent = offscreen->image.extent;
    const size_t pixels = (size_t)extent.width * extent.height;
    const uint8_t *texels = offscreen->back.mapped;
    uint8_t *opaque = malloc(pixels * 3);

    for (size_t i = 0; opaque != NULL && i < pixels; i++)
        memcpy(opaque + 3 * i, texels + 4 * i, 3);
    return opaque;
}

enum shw_result view_offscreen_save(const struct view_gpu *gpu, const struct view_offscreen *offscreen,
                                    const char *path)
{
    const VkExtent2D extent = offscreen->image.extent;
    uint8_t *opaque = view_offscreen_copy(offscreen);
    const struct shw_image image = {
        .pixels = opaque, .width = extent.width, .height = extent.height, .format = SHW_PIXEL_RGB8};
    enum shw_result result;

    if (opaque == NULL)
        return shw_fail_memory(&gpu->log, "a screenshot");
    result = shw_png_write_marked(path, shw_file_screenshot.name, &image, &gpu->log);
    free(opaque);
    return result;
}

static VkSurfaceFormatKHR choose_format(const struct view_gpu *gpu, VkSurfaceKHR surface)
{
    VkSurfaceFormatKHR formats[64];
    uint32_t count = 64;

    formats[0] = (VkSurfaceFormatKHR){VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR};
    if (vkGetPhysicalDeviceSurfaceFormatsKHR(gpu->physical, surface, &count, formats) < VK_SUCCESS)
        return formats[0];
    for (uint32_t f = 0; f < count; f++)
        if (formats[f].format == VK_FORMAT_B8G8R8A8_UNORM || formats[f].format == VK_FORMAT_R8G8B8A8_UNORM)
            return formats[f];
    return formats[0];
}

static VkPresentModeKHR choose_mode(const struct view_gpu *gpu, VkSurfaceKHR surface, bool vsync)
{
    VkPresentModeKHR modes[16];
    uint32_t count = 16;

    if (vsync || vkGetPhysicalDeviceSurfacePresentModesKHR(gpu->physical, surface, &count, modes) < VK_SUCCESS)
        return VK_PRESENT_MODE_FIFO_KHR;
    for (uint32_t m = 0; m < count; m++)
        if (modes[m] == VK_PRESENT_MODE_MAILBOX_KHR || modes[m] == VK_PRESENT_MODE_IMMEDIATE_KHR)
            return modes[m];
    return VK_PRESENT_MODE_FIFO_KHR;
}

static void destroy_semaphores(const struct view_gpu *gpu, struct view_swapchain *swapchain)
{
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        vkDestroySemaphore(gpu->device, swapchain->acquired[s], NULL);
    for (uint32_t i = 0; i < VIEW_SWAPCHAIN_IMAGES_MAX; i++)
        vkDestroySemaphore(gpu->device, swapchain->drawn[i], NULL);
}

static enum shw_result create_semaphores(const struct view_gpu *gpu, struct view_swapchain *swapchain)
{
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};

    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        VIEW_PROPAGATE(gpu, vkCreateSemaphore, gpu->device, &info, NULL, &swapchain->acquired[s]);
    for (uint32_t i = 0; i < swapchain->count; i++)
        VIEW_PROPAGATE(gpu, vkCreateSemaphore, gpu->device, &info, NULL, &swapchain->drawn[i]);
    return SHW_OK;
}

void view_swapchain_destroy(const struct view_gpu *gpu, struct view_swapchain *swapchain)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    view_device_wait(gpu);
    destroy_semaphores(gpu, swapchain);
    vkDestroySwapchainKHR(gpu->device, swapchain->handle, NULL);
    memset(swapchain, 0, sizeof *swapchain);
}

enum shw_result view_swapchain_create(const struct view_gpu *gpu, VkSurfaceKHR surface, VkExtent2D wanted, bool vsync,
                                      struct view_swapchain *swapchain)
{
    VkSurfaceFormatKHR format = choose_format(gpu, surface);
    VkSurfaceCapabilitiesKHR can;
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .surface = surface,
                                     .imageFormat = format.format,
                                     .imageColorSpace = format.colorSpace,
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                     .presentMode = choose_mode(gpu, surface, vsync),
                                     .clipped = VK_TRUE};
    struct view_swapchain made = {.vsync = vsync};
    enum shw_result result;

    VIEW_TRY(gpu, vkGetPhysicalDeviceSurfaceCapabilitiesKHR, gpu->physical, surface, &can);
    if ((can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0)
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s cannot copy into a window",
                        gpu->properties.deviceName);
    info.imageExtent = can.currentExtent;
    if (can.currentExtent.width == UINT32_MAX) {
        info.imageExtent.width =
            (uint32_t)shw_clamp_i64(wanted.width, can.minImageExtent.width, can.maxImageExtent.width);
        info.imageExtent.height =
            (uint32_t)shw_clamp_i64(wanted.height, can.minImageExtent.height, can.maxImageExtent.height);
    }
    view_swapchain_destroy(gpu, swapchain);
    if (info.imageExtent.width == 0 || info.imageExtent.height == 0)
        return SHW_OK;
    info.minImageCount =
        (uint32_t)shw_clamp_i64(3, can.minImageCount, can.maxImageCount > 0 ? can.maxImageCount : UINT32_MAX);
    info.preTransform = can.currentTransform;
    info.compositeAlpha = (can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0
                              ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    VIEW_TRY(gpu, vkCreateSwapchainKHR, gpu->device, &info, NULL, &made.handle);
    VIEW_TRY(gpu, vkGetSwapchainImagesKHR, gpu->device, made.handle, &made.count, NULL);
    if (made.count > VIEW_SWAPCHAIN_IMAGES_MAX) {
        result = shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s needs %u images for a window",
                          gpu->properties.deviceName, made.count);
        goto fail;
    }
    VIEW_TRY(gpu, vkGetSwapchainImagesKHR, gpu->device, made.handle, &made.count, made.images);
    made.extent = info.imageExtent;
    SHW_TRY(create_semaphores(gpu, &made));
    *swapchain = made;
    return SHW_OK;

fail:
    view_swapchain_destroy(gpu, &made);
    return result;
}

static enum view_swapchain_state state_of(const struct view_gpu *gpu, VkResult result, const char *call)
{
    switch (result) {
    case VK_SUCCESS: return VIEW_SWAPCHAIN_GOOD;
    case VK_SUBOPTIMAL_KHR:
    case VK_ERROR_OUT_OF_DATE_KHR: return VIEW_SWAPCHAIN_OLD;
    case VK_ERROR_SURFACE_LOST_KHR: return VIEW_SWAPCHAIN_LOST;
    default: view_gpu_check(gpu, result, call); return VIEW_SWAPCHAIN_FAILED;
    }
}

enum view_swapchain_state view_swapchain_acquire(const struct view_gpu *gpu, struct view_swapchain *swapchain,
                                                 uint32_t slot)
{
    VkResult result = vkAcquireNextImageKHR(gpu->device, swapchain->handle, UINT64_MAX, swapchain->acquired[slot],
                                            VK_NULL_HANDLE, &swapchain->current);

    /* the image was acquired, and its semaphore must be waited for; presenting reports the state again */
    return result == VK_SUBOPTIMAL_KHR ? VIEW_SWAPCHAIN_GOOD : state_of(gpu, result, "vkAcquireNextImageKHR");
}

void view_swapchain_record(const struct view_swapchain *swapchain, const struct view_image *canvas,
                           VkCommandBuffer commands)
{
    /* the semaphore of the image is waited for at the transfer stage */
    const struct view_use taken = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TRANSFER_BIT, 0};
    const struct view_use presented = {VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0};
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    struct view_image image = {.handle = swapchain->images[swapchain->current], .layers = 1};
    VkImageBlit blit = {.srcSubresource = layers,
                        .srcOffsets = {{0}, {(int32_t)canvas->extent.width, (int32_t)canvas->extent.height, 1}},
                        .dstSubresource = layers,
                        .dstOffsets = {{0}, {(int32_t)swapchain->extent.width, (int32_t)swapchain->extent.height, 1}}};

    view_image_barrier(commands, &image, taken, view_use_copied_to);
    vkCmdBlitImage(commands, canvas->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image.handle,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_NEAREST);
    view_image_barrier(commands, &image, view_use_copied_to, presented);
}

enum view_swapchain_state view_swapchain_present(const struct view_gpu *gpu, struct view_swapchain *swapchain)
{
    VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &swapchain->drawn[swapchain->current],
                             .swapchainCount = 1,
                             .pSwapchains = &swapchain->handle,
                             .pImageIndices = &swapchain->current};

    return state_of(gpu, vkQueuePresentKHR(gpu->queue, &info), "vkQueuePresentKHR");
}
