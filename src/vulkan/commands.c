#include "vulkan/commands.h"

#include <sched.h>

#include "base/clock.h"
#include "vulkan/formats.h"

const struct shw_use shw_use_nothing = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0};
const struct shw_use shw_use_anything = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                         VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
const struct shw_use shw_use_discarded = {
    VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    0};
const struct shw_use shw_use_discarded_by_copy = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TRANSFER_BIT, 0};
const struct shw_use shw_use_copy_source = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_ACCESS_TRANSFER_READ_BIT};
const struct shw_use shw_use_copy_target = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_ACCESS_TRANSFER_WRITE_BIT};
const struct shw_use shw_use_attachment = {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                           VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                           VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
const struct shw_use shw_use_blended = {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                        VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
const struct shw_use shw_use_render_pass = {
    VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
const struct shw_use shw_use_fragment_sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                 VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_vertex_sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                               VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_compute_sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_compute_read = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                             VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_compute_write = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                              VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
const struct shw_use shw_use_storage_image = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                              VK_ACCESS_SHADER_WRITE_BIT};
const struct shw_use shw_use_host_read = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_HOST_BIT,
                                          VK_ACCESS_HOST_READ_BIT};

struct shw_use shw_use_before(const struct shw_image_use *part)
{
    return (struct shw_use){part->before.layout, part->before.stages, part->before.access};
}

struct shw_use shw_use_after(const struct shw_image_use *part)
{
    return (struct shw_use){part->after.layout, part->after.stages, part->after.access};
}

VkImageSubresourceLayers shw_part_layers(const struct shw_image_use *part)
{
    const struct shw_source_format *format = shw_source_format_find(part->format);
    VkImageAspectFlags usual = format != NULL ? format->aspect : (VkImageAspectFlags)VK_IMAGE_ASPECT_COLOR_BIT;

    return (VkImageSubresourceLayers){.aspectMask = part->aspect != 0 ? part->aspect : usual,
                                      .mipLevel = part->mip,
                                      .baseArrayLayer = part->first_layer,
                                      .layerCount = part->layers > 0 ? part->layers : 1};
}

bool shw_parts_overlap(const struct shw_image_use *a, const struct shw_image_use *b)
{
    VkImageSubresourceLayers one = shw_part_layers(a), other = shw_part_layers(b);

    return a->image == b->image && a->mip == b->mip && (one.aspectMask & other.aspectMask) != 0 &&
           one.baseArrayLayer < (uint64_t)other.baseArrayLayer + other.layerCount &&
           other.baseArrayLayer < (uint64_t)one.baseArrayLayer + one.layerCount;
}

#define GRAPHICS_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT |                            \
     VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT |                          \
     VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT |                         \
     VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT |                    \
     VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |                              \
     VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |                       \
     VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT)

enum shw_result shw_sides_check(const struct shw_device *device, struct shw_use before, struct shw_use after,
                                const char *name, const struct shw_log *log)
{
    if (!device->has_graphics && ((before.stages | after.stages) & GRAPHICS_STAGES) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the stages before and after include graphics stages, which queue family %u lacks", name,
                        device->queue_family);
    if (device->enabled.synchronization2)
        return SHW_OK;
    if (before.stages == 0 || after.stages == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the stages that use it before and after must be given "
                        "(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT: none)",
                        name);
    if ((before.stages | after.stages | before.access | after.access) > UINT32_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_REQUIREMENT,
                        "%s: stages and accesses of more than 32 bits need the feature synchronization2, which the "
                        "device was imported without",
                        name);
    return SHW_OK;
}

/* Whether only vkCmdPipelineBarrier2() can express it. */
static bool is_wide(VkPipelineStageFlags2 before, VkPipelineStageFlags2 after, VkAccessFlags2 accesses)
{
    return (before | after | accesses) > UINT32_MAX || before == 0 || after == 0;
}

void shw_record_image_barrier(const struct shw_device *device, VkCommandBuffer commands,
                              const VkImageMemoryBarrier2 *barrier)
{
    const VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = barrier};
    const VkImageMemoryBarrier narrow = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .srcAccessMask = (VkAccessFlags)barrier->srcAccessMask,
                                         .dstAccessMask = (VkAccessFlags)barrier->dstAccessMask,
                                         .oldLayout = barrier->oldLayout,
                                         .newLayout = barrier->newLayout,
                                         .srcQueueFamilyIndex = barrier->srcQueueFamilyIndex,
                                         .dstQueueFamilyIndex = barrier->dstQueueFamilyIndex,
                                         .image = barrier->image,
                                         .subresourceRange = barrier->subresourceRange};

    if (is_wide(barrier->srcStageMask, barrier->dstStageMask, barrier->srcAccessMask | barrier->dstAccessMask))
        device->vk.CmdPipelineBarrier2(commands, &dependency);
    else
        device->vk.CmdPipelineBarrier(commands, (VkPipelineStageFlags)barrier->srcStageMask,
                                      (VkPipelineStageFlags)barrier->dstStageMask, 0, 0, NULL, 0, NULL, 1, &narrow);
}

void shw_record_buffer_barrier(const struct shw_device *device, VkCommandBuffer commands,
                               const VkBufferMemoryBarrier2 *barrier)
{
    const VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .bufferMemoryBarrierCount = 1, .pBufferMemoryBarriers = barrier};
    const VkBufferMemoryBarrier narrow = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                          .srcAccessMask = (VkAccessFlags)barrier->srcAccessMask,
                                          .dstAccessMask = (VkAccessFlags)barrier->dstAccessMask,
                                          .srcQueueFamilyIndex = barrier->srcQueueFamilyIndex,
                                          .dstQueueFamilyIndex = barrier->dstQueueFamilyIndex,
                                          .buffer = barrier->buffer,
                                          .offset = barrier->offset,
                                          .size = barrier->size};

    if (is_wide(barrier->srcStageMask, barrier->dstStageMask, barrier->srcAccessMask | barrier->dstAccessMask))
        device->vk.CmdPipelineBarrier2(commands, &dependency);
    else
        device->vk.CmdPipelineBarrier(commands, (VkPipelineStageFlags)barrier->srcStageMask,
                                      (VkPipelineStageFlags)barrier->dstStageMask, 0, 0, NULL, 1, &narrow, 0, NULL);
}

static void record_barrier(const struct shw_device *device, VkCommandBuffer commands, VkImage image,
                           VkImageSubresourceRange range, struct shw_use before, struct shw_use after)
{
    const VkImageMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                           .srcStageMask = before.stages,
                                           .srcAccessMask = before.access,
                                           .dstStageMask = after.stages,
                                           .dstAccessMask = after.access,
                                           .oldLayout = before.layout,
                                           .newLayout = after.layout,
                                           .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                           .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                           .image = image,
                                           .subresourceRange = range};

    shw_record_image_barrier(device, commands, &barrier);
}

void shw_image_barrier(const struct shw_device *device, VkCommandBuffer commands, VkImage image, struct shw_use before,
                       struct shw_use after)
{
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS};

    record_barrier(device, commands, image, all, before, after);
}

void shw_part_barrier(const struct shw_device *device, VkCommandBuffer commands, const struct shw_image_use *part,
                      struct shw_use before, struct shw_use after)
{
    const struct shw_source_reading *reading = shw_source_reading_of(part->format);
    VkImageAspectFlags stencil = reading != NULL && reading->has_stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
    VkImageSubresourceLayers layers = shw_part_layers(part);
    const VkImageSubresourceRange range = {layers.aspectMask | stencil, layers.mipLevel, 1, layers.baseArrayLayer,
                                           layers.layerCount};

    record_barrier(device, commands, part->image, range, before, after);
}

void shw_buffer_barrier(const struct shw_device *device, VkCommandBuffer commands, VkBuffer buffer,
                        struct shw_use before, struct shw_use after)
{
    const VkBufferMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                            .srcStageMask = before.stages,
                                            .srcAccessMask = before.access,
                                            .dstStageMask = after.stages,
                                            .dstAccessMask = after.access,
                                            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                            .buffer = buffer,
                                            .size = VK_WHOLE_SIZE};

    shw_record_buffer_barrier(device, commands, &barrier);
}

void shw_memory_barrier(const struct shw_device *device, VkCommandBuffer commands, struct shw_use before,
                        struct shw_use after)
{
    const VkMemoryBarrier2 wide = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                   .srcStageMask = before.stages,
                                   .srcAccessMask = before.access,
                                   .dstStageMask = after.stages,
                                   .dstAccessMask = after.access};
    const VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &wide};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = (VkAccessFlags)before.access,
                                     .dstAccessMask = (VkAccessFlags)after.access};

    if (is_wide(before.stages, after.stages, before.access | after.access))
        device->vk.CmdPipelineBarrier2(commands, &dependency);
    else
        device->vk.CmdPipelineBarrier(commands, (VkPipelineStageFlags)before.stages, (VkPipelineStageFlags)after.stages,
                                      0, 1, &barrier, 0, NULL, 0, NULL);
}

struct shw_recording shw_recording_whole(const struct shw_device *device, VkCommandBuffer commands)
{
    return (struct shw_recording){device, commands, {.end = UINT64_MAX, .next = UINT64_MAX}};
}

/* How many of `count` equal parts begin before `place`. */
static uint64_t parts_before(const struct shw_stage_stretch *stretch, uint64_t place, uint64_t count, uint64_t work)
{
    uint64_t parts;

    if (place <= stretch->at)
        return 0;
    parts = (place - stretch->at - 1) / work + 1;
    return parts < count ? parts : count;
}

/* Counts `count` parts of equal work; parts *first..*end-1 must be recorded. False if there are none. */
static bool take(struct shw_stage_stretch *stretch, uint64_t count, uint64_t work, uint64_t *first, uint64_t *end)
{
    *first = parts_before(stretch, stretch->first, count, work);
    *end = parts_before(stretch, stretch->end, count, work);
    if (*end < count && stretch->next == UINT64_MAX)
        stretch->next = stretch->at + *end * work;
    stretch->at += count * work;
    return *first < *end;
}

bool shw_recording_step(struct shw_recording *recording, uint64_t work)
{
    return shw_stage_step(&recording->stretch, work);
}

void shw_recording_image_barrier(struct shw_recording *recording, VkImage image, struct shw_use before,
                                 struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_image_barrier(recording->device, recording->commands, image, before, after);
}

void shw_recording_part_barrier(struct shw_recording *recording, const struct shw_image_use *part,
                                struct shw_use before, struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_part_barrier(recording->device, recording->commands, part, before, after);
}

void shw_recording_buffer_barrier(struct shw_recording *recording, VkBuffer buffer, struct shw_use before,
                                  struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_buffer_barrier(recording->device, recording->commands, buffer, before, after);
}

void shw_recording_memory_barrier(struct shw_recording *recording, struct shw_use before, struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_memory_barrier(recording->device, recording->commands, before, after);
}

void shw_recording_draw_area(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                             const void *push, VkFramebuffer framebuffer, VkRect2D area, uint64_t work)
{
    uint64_t first, end;

    if (take(&recording->stretch, area.extent.height, work, &first, &end))
        shw_program_draw_rows(recording->device, recording->commands, program, set, push, framebuffer, area,
                              (uint32_t)first, (uint32_t)(end - first));
}

void shw_recording_draw(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                        const void *push, VkFramebuffer framebuffer, uint32_t width, uint32_t height, uint64_t work)
{
    shw_recording_draw_area(recording, program, set, push, framebuffer, (VkRect2D){.extent = {width, height}}, work);
}

/* Dispatches some rows of one layer, or whole layers. */
static void dispatch(const struct shw_recording *recording, uint32_t x, uint32_t row, uint32_t rows, uint32_t layer,
                     uint32_t layers)
{
    if (row == 0 && layer == 0)
        recording->device->vk.CmdDispatch(recording->commands, x, rows, layers);
    else
        recording->device->vk.CmdDispatchBase(recording->commands, 0, row, layer, x, rows, layers);
}

void shw_recording_dispatch(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                            const void *push, uint32_t x, uint32_t y, uint32_t z, uint64_t work)
{
    uint64_t first, end;

    if (!take(&recording->stretch, (uint64_t)y * z, work, &first, &end))
        return;
    shw_program_bind(recording->device, recording->commands, program, set, push);
    while (first < end) {
        uint32_t layer = (uint32_t)(first / y), row = (uint32_t)(first % y), layers = (uint32_t)((end - first) / y),
                 rows = y;
        if (row > 0 || layers == 0) {
            layers = 1;
            rows = end - first < y - row ? (uint32_t)(end - first) : y - row;
        }
        dispatch(recording, x, row, rows, layer, layers);
        first += (uint64_t)rows * layers;
    }
}

#define SPIN_SECONDS 0.01

enum shw_result shw_submit_begin(struct shw_device *device, VkCommandBuffer *commands)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    struct shw_device_own *own = device->own;
    enum shw_result result = SHW_OK;

    if (own == NULL)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "work for an imported device is only recorded; its owner submits it");
    pthread_mutex_lock(&own->mutex);
    *commands = VK_NULL_HANDLE;
    if (own->commands == VK_NULL_HANDLE) {
        const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = own->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
        VK_TRY(device, AllocateCommandBuffers(device->handle, &info, &own->commands));
    } else {
        VK_TRY(device, ResetCommandPool(device->handle, own->pool, 0));
    }
    VK_TRY(device, BeginCommandBuffer(own->commands, &begin));
    *commands = own->commands;
    return SHW_OK;

fail:
    pthread_mutex_unlock(&own->mutex);
    return result;
}

/* Waking up may take longer than a short submission, so it polls for a while first, unless the device is the CPU
 * itself. */
enum shw_result shw_submit_wait_fence(struct shw_device *device, VkFence fence)
{
    double end = shw_clock() + SPIN_SECONDS;

    while (device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU && shw_clock() < end) {
        VkResult status = device->vk.GetFenceStatus(device->handle, fence);
        if (status != VK_NOT_READY)
            return status == VK_SUCCESS ? SHW_OK : shw_vk_fail(device, status, "vkGetFenceStatus");
        sched_yield();
    }
    VK_PROPAGATE(device, WaitForFences(device->handle, 1, &fence, VK_TRUE, UINT64_MAX));
    return SHW_OK;
}

enum shw_result shw_submit_wait(struct shw_device *device, VkCommandBuffer commands)
{
    return shw_submit_wait_meanwhile(device, commands, NULL, NULL);
}

enum shw_result shw_submit_wait_meanwhile(struct shw_device *device, VkCommandBuffer commands,
                                          bool (*meanwhile)(void *user), void *user)
{
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    struct shw_device_own *own = device->own;
    enum shw_result result = SHW_OK;

    VK_TRY(device, EndCommandBuffer(commands));
    if (own->fence == VK_NULL_HANDLE)
        VK_TRY(device, CreateFence(device->handle, &info, device->allocator, &own->fence));
    VK_TRY(device, QueueSubmit(own->queue, 1, &submit, own->fence));
    while (meanwhile != NULL && device->vk.GetFenceStatus(device->handle, own->fence) == VK_NOT_READY &&
           meanwhile(user))
        continue;
    SHW_TRY(shw_submit_wait_fence(device, own->fence));
    VK_TRY(device, ResetFences(device->handle, 1, &own->fence));

fail:
    pthread_mutex_unlock(&own->mutex);
    return result;
}

void shw_submit_abandon(struct shw_device *device, VkCommandBuffer commands)
{
    (void)commands; /* the next submission resets it */
    pthread_mutex_unlock(&device->own->mutex);
}
