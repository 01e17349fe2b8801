/* Back ends of boosting on a device: `compute` and `blend`. */
#include "base/integers.h"
#include "base/log.h"
#include "dense/grow/backend.h"
#include "detection/boost/device.h"
#include "vulkan/commands.h"

/* The back end `compute`: histograms by atomic additions, in shared memory first. */

#define CHUNK_WORDS 4096u /* of a plane per work group */
#define GROUPS      2048u /* enough to fill a large device */

static uint32_t compute_cells_max(const struct shw_boost_device *boosting)
{
    return (uint32_t)(boosting->work.size / sizeof(uint32_t));
}

static uint32_t compute_rows_max(const struct shw_boost_device *boosting, uint32_t row_cells)
{
    return (boosting->shared_words - SHW_BOOST_CANDIDATE_WORDS) / row_cells;
}

static void clear_compute(struct shw_boost_device *boosting, uint32_t cells)
{
    boosting->device->vk.CmdFillBuffer(boosting->commands, boosting->work.handle, 0, cells * sizeof(uint32_t), 0);
    shw_boost_wait(boosting);
}

/* As many candidates per work group as fit in shared memory, and chunks that are not too long for there to be enough
 * work groups. */
static void add_compute(struct shw_boost_device *boosting, uint32_t slice, struct shw_boost_push push)
{
    uint32_t words = (push.count + 1) / 2, size = push.row_count * push.bins * SHW_BOOST_CLASSES, groups;

    push.together = shw_min_u32(boosting->shared_words / (size + SHW_BOOST_CANDIDATE_WORDS), push.candidate_count);
    groups = (push.candidate_count + push.together - 1) / push.together;
    push.chunk = (uint32_t)shw_align_up((uint64_t)words * groups / GROUPS, boosting->invocations);
    push.chunk = shw_max_u32(shw_min_u32(push.chunk, CHUNK_WORDS), boosting->invocations);
    shw_program_dispatch(boosting->device, boosting->commands, &boosting->programs[SHW_BOOST_COUNT_PASS],
                         boosting->sets.handles[slice], &push, groups, (words + push.chunk - 1) / push.chunk, 1);
    shw_boost_wait(boosting);
}

static void read_compute(struct shw_boost_device *boosting, uint32_t cells)
{
    const VkBufferCopy all = {.size = cells * sizeof(uint32_t)};

    boosting->device->vk.CmdCopyBuffer(boosting->commands, boosting->work.handle, boosting->readback.handle, 1, &all);
}

static const struct shw_boost_counter compute_counter = {.cells_max = compute_cells_max,
                                                         .rows_max = compute_rows_max,
                                                         .clear = clear_compute,
                                                         .add = add_compute,
                                                         .read = read_compute};

static enum shw_result create_compute(struct shw_boost *boost, void **state)
{
    return shw_boost_device_create(boost, &compute_counter, state);
}

const struct shw_boost_backend shw_boost_backend_compute = {
    .technique = SHW_TECHNIQUE_COMPUTE,
    .create = create_compute,
    SHW_BOOST_DEVICE_FUNCTIONS,
};

/* The back end `blend` (Sharp 2008, 4.4): histograms by additive blending of one point per sample and candidate. */

SHW_SHADER_DECLARE(boost_scatter_vert);
SHW_SHADER_DECLARE(boost_weight_frag);

#define FORMAT   VK_FORMAT_R32_SFLOAT
#define SIDE_MAX 4096u /* that every device has */

static enum shw_result create_program(struct shw_boost_device *boosting)
{
    const VkFormat format = FORMAT;
    struct shw_binding bindings[SHW_BOOST_TABLES + 1];
    struct shw_program_params params = {.name = "boost scatter",
                                        .vertex = SHW_SHADER(boost_scatter_vert),
                                        .fragment = SHW_SHADER(boost_weight_frag),
                                        .bindings = bindings,
                                        .binding_count = SHW_BOOST_TABLES + 1,
                                        .push_bytes = sizeof(struct shw_boost_push),
                                        .attachment_count = 1,
                                        .attachments = &format,
                                        .load = VK_ATTACHMENT_LOAD_OP_LOAD,
                                        .additive = true,
                                        .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST};

    for (uint32_t i = 0; i <= SHW_BOOST_TABLES; i++)
        bindings[i] = (struct shw_binding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    return shw_program_create(boosting->device, &params, &boosting->scatter);
}

static enum shw_result create_counter(struct shw_boost_device *boosting)
{
    const VkImageUsageFlags usage =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const uint32_t layer = 0;
    uint32_t side = 1;

    while (side < SIDE_MAX && (VkDeviceSize)side * side * 4 * sizeof(float) <= boosting->readback.size) {
        side *= 2;
        boosting->width_shift++;
    }
    SHW_PROPAGATE(create_program(boosting));
    SHW_PROPAGATE(
        shw_vulkan_image_create(boosting->device, FORMAT, side, side, 1, usage, "sums of boosting", &boosting->sums));
    return shw_target_create(boosting->device, &boosting->scatter, &boosting->sums, &layer, &boosting->target);
}

static enum shw_result bind(struct shw_boost_device *boosting)
{
    shw_sets_destroy(boosting->device, &boosting->scatter_sets);
    SHW_PROPAGATE(
        shw_sets_create(boosting->device, &boosting->scatter, boosting->slice_count, &boosting->scatter_sets));
    for (uint32_t s = 0; s < boosting->slice_count; s++) {
        const struct shw_resource resources[] = {
            {.buffer = shw_boost_slice_buffer(boosting, &boosting->slices[s])},
            {.buffer = boosting->samples.handle},
            {.buffer = boosting->tables.handle},
        };
        shw_set_write(boosting->device, &boosting->scatter, boosting->scatter_sets.handles[s], resources);
    }
    return SHW_OK;
}

static void destroy_counter(struct shw_boost_device *boosting)
{
    shw_sets_destroy(boosting->device, &boosting->scatter_sets);
    shw_target_destroy(boosting->device, &boosting->target);
    shw_vulkan_image_destroy(boosting->device, &boosting->sums);
    shw_program_destroy(boosting->device, &boosting->scatter);
}

static uint32_t blend_cells_max(const struct shw_boost_device *boosting)
{
    return 1u << 2 * boosting->width_shift;
}

static uint32_t blend_rows_max(const struct shw_boost_device *boosting, uint32_t row_cells)
{
    return blend_cells_max(boosting) / row_cells;
}

static void clear_blend(struct shw_boost_device *boosting, uint32_t cells)
{
    const VkClearColorValue zero = {{0}};
    const VkImageSubresourceRange all = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .levelCount = 1, .layerCount = 1};
    const struct shw_device *device = boosting->device;

    (void)cells;
    shw_image_barrier(device, boosting->commands, boosting->sums.handle, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdClearColorImage(boosting->commands, boosting->sums.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                  &zero, 1, &all);
    shw_image_barrier(device, boosting->commands, boosting->sums.handle, shw_use_copy_target, shw_use_blended);
}

static void add_blend(struct shw_boost_device *boosting, uint32_t slice, struct shw_boost_push push)
{
    const struct shw_device *device = boosting->device;
    uint32_t side = boosting->sums.width;
    VkRect2D area = {.extent = {side, side}};
    VkViewport viewport = {.width = (float)side, .height = (float)side, .maxDepth = 1.0f};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = boosting->scatter.render_pass,
                                   .framebuffer = boosting->target.framebuffer,
                                   .renderArea = area};

    shw_image_barrier(device, boosting->commands, boosting->sums.handle, shw_use_blended, shw_use_blended);
    device->vk.CmdBeginRenderPass(boosting->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    device->vk.CmdSetViewport(boosting->commands, 0, 1, &viewport);
    device->vk.CmdSetScissor(boosting->commands, 0, 1, &area);
    shw_program_bind(device, boosting->commands, &boosting->scatter, boosting->scatter_sets.handles[slice], &push);
    device->vk.CmdDraw(boosting->commands, push.count, push.candidate_count, 0, 0);
    device->vk.CmdEndRenderPass(boosting->commands);
}

static void read_blend(struct shw_boost_device *boosting, uint32_t cells)
{
    const struct shw_device *device = boosting->device;
    uint32_t side = boosting->sums.width;
    const VkBufferImageCopy rows = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {side, (cells + side - 1) / side, 1}};

    shw_image_barrier(device, boosting->commands, boosting->sums.handle, shw_use_blended, shw_use_copy_source);
    device->vk.CmdCopyImageToBuffer(boosting->commands, boosting->sums.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    boosting->readback.handle, 1, &rows);
}

static const struct shw_boost_counter blend_counter = {.is_float = true,
                                                       .create = create_counter,
                                                       .bind = bind,
                                                       .destroy = destroy_counter,
                                                       .cells_max = blend_cells_max,
                                                       .rows_max = blend_rows_max,
                                                       .clear = clear_blend,
                                                       .add = add_blend,
                                                       .read = read_blend};

static const char *find_missing(const struct shw_device_description *device)
{
    return shw_train_backend_blend.find_missing(device);
}

static enum shw_result create_blend(struct shw_boost *boost, void **state)
{
    return shw_boost_device_create(boost, &blend_counter, state);
}

const struct shw_boost_backend shw_boost_backend_blend = {
    .technique = SHW_TECHNIQUE_BLEND,
    .find_missing = find_missing,
    .create = create_blend,
    SHW_BOOST_DEVICE_FUNCTIONS,
};
