/* Windows by render passes: an image of scores has a pixel for each, and what is not rejected is collected. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/cascade/cascade.h"
#include "detection/detect/device.h"
#include "detection/detect/plan.h"

#define PASS_TILES 32768u /* that a dispatch collects at most */

SHW_SHADER_DECLARE(detect_scores_pixels_frag);
SHW_SHADER_DECLARE(detect_scores_scaled_frag);
SHW_SHADER_DECLARE(detect_collect_comp);

struct fragment {
    struct shw_vulkan_image trees, values, scores;
    struct shw_buffer texels; /* of the cascade texture: every recording copies them */
    struct shw_program draw, collect;
    VkImageView target;
    VkFramebuffer framebuffer;
    struct shw_sets draw_sets, collect_sets; /* one for each slot */
    VkBufferImageCopy *copies;               /* one for each level */
};

static enum shw_result add(struct shw_detect_device *device, void *state)
{
    struct fragment *fragment = state;
    const struct shw_cascade_texture texture = shw_cascade_get_texture(device->params.cascade);
    const VkImageUsageFlags copied = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkImageUsageFlags drawn = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    struct shw_arena *arena = &device->arena;

    fragment->copies = calloc(shw_max_u32(device->levels_most, 1), sizeof *fragment->copies);
    if (fragment->copies == NULL)
        return shw_fail_memory(&device->params.log, "a detector");
    SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, (VkDeviceSize)16 * texture.width * texture.height,
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_TABLE, "cascade texture",
                                       &fragment->texels));
    SHW_PROPAGATE(shw_arena_add_image(arena, shw_span_always, VK_FORMAT_R32G32B32A32_UINT, texture.width,
                                      texture.height, 1, copied, "cascade texture", &fragment->trees));
    SHW_PROPAGATE(
        shw_arena_add_image(arena, shw_span_always, device->has_pyramid ? VK_FORMAT_R16_UINT : VK_FORMAT_R8_UINT,
                            shw_max_u32(device->most.mipmap.width, 1), shw_max_u32(device->most.mipmap.height, 1), 1,
                            copied, "levels", &fragment->values));
    return shw_arena_add_image(arena, shw_span_always, VK_FORMAT_R32_UINT, shw_max_u32(device->most.atlas.width, 1),
                               shw_max_u32(device->most.atlas.height, 1), 1, drawn, "scores", &fragment->scores);
}

static enum shw_result create_draw(struct shw_detect_device *device, struct fragment *fragment)
{
    static const struct shw_binding bindings[SHW_DETECT_SCORES_BINDINGS] = {
        {SHW_DETECT_SCORES_CASCADE, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
        {SHW_DETECT_SCORES_VALUES, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
        {SHW_DETECT_SCORES_TABLES, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    static const VkSpecializationMapEntry entry = {0, 0, 4};
    const uint32_t restarts = device->info->restarts;
    const VkSpecializationInfo constants = {1, &entry, sizeof restarts, &restarts};
    const struct shw_program_params params = {.name = "scores",
                                              .fragment = device->has_pyramid ? SHW_SHADER(detect_scores_pixels_frag)
                                                                              : SHW_SHADER(detect_scores_scaled_frag),
                                              .bindings = bindings,
                                              .binding_count = SHW_DETECT_SCORES_BINDINGS,
                                              .push_bytes = sizeof(struct shw_detect_scores_push),
                                              .specialization = &constants,
                                              .attachment_count = 1,
                                              .attachments = &fragment->scores.format,
                                              .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};

    SHW_PROPAGATE(shw_program_create(device->device, &params, &fragment->draw));
    SHW_PROPAGATE(shw_image_view_create(device->device, fragment->scores.handle, fragment->scores.format, 0, 1, false,
                                        &fragment->target));
    return shw_framebuffer_create(device->device, &fragment->draw, &fragment->target, fragment->scores.width,
                                  fragment->scores.height, &fragment->framebuffer);
}

static enum shw_result create_sets(struct shw_detect_device *device, struct fragment *fragment)
{
    struct shw_resource resources[SHW_DETECT_SCORES_BINDINGS] = {
        [SHW_DETECT_SCORES_CASCADE] = {.view = fragment->trees.view},
        [SHW_DETECT_SCORES_VALUES] = {.view = fragment->values.view}};

    SHW_PROPAGATE(shw_sets_create(device->device, &fragment->draw, device->params.slots, &fragment->draw_sets));
    SHW_PROPAGATE(shw_sets_create(device->device, &fragment->collect, device->params.slots, &fragment->collect_sets));
    for (uint32_t s = 0; s < device->params.slots; s++) {
        resources[SHW_DETECT_SCORES_TABLES].buffer = device->slots[s].tables.handle;
        shw_set_write(device->device, &fragment->draw, fragment->draw_sets.handles[s], resources);
    }
    return SHW_OK;
}

static enum shw_result create(struct shw_detect_device *device, void *state)
{
    struct fragment *fragment = state;
    const struct shw_cascade_texture texture = shw_cascade_get_texture(device->params.cascade);

    memcpy(fragment->texels.mapped, texture.texels, (size_t)16 * texture.width * texture.height);
    SHW_PROPAGATE(create_draw(device, fragment));
    SHW_PROPAGATE(shw_detect_device_program(device, "collect", SHW_SHADER(detect_collect_comp), NULL,
                                            sizeof(struct shw_detect_walk_push), &fragment->collect));
    return create_sets(device, fragment);
}

static void release(struct shw_detect_device *device, void *state)
{
    struct fragment *fragment = state;
    struct shw_device *vulkan = device->device;

    shw_sets_destroy(vulkan, &fragment->draw_sets);
    shw_sets_destroy(vulkan, &fragment->collect_sets);
    if (fragment->framebuffer != VK_NULL_HANDLE)
        vulkan->vk.DestroyFramebuffer(vulkan->handle, fragment->framebuffer, vulkan->allocator);
    if (fragment->target != VK_NULL_HANDLE)
        vulkan->vk.DestroyImageView(vulkan->handle, fragment->target, vulkan->allocator);
    shw_program_destroy(vulkan, &fragment->draw);
    shw_program_destroy(vulkan, &fragment->collect);
    free(fragment->copies);
    *fragment = (struct fragment){0};
}

static struct shw_use free_to(VkPipelineStageFlags2 stages)
{
    return (struct shw_use){VK_IMAGE_LAYOUT_UNDEFINED, stages, 0};
}

/* In every recording, since another may never be executed. */
static void copy_trees(const struct shw_detect_device *device, const struct fragment *fragment,
                       VkCommandBuffer commands)
{
    const struct shw_device *vulkan = device->device;
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {fragment->trees.width, fragment->trees.height, 1}};

    shw_image_barrier(vulkan, commands, fragment->trees.handle, free_to(VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT),
                      shw_use_copy_target);
    vulkan->vk.CmdCopyBufferToImage(commands, fragment->texels.handle, fragment->trees.handle,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    shw_image_barrier(vulkan, commands, fragment->trees.handle, shw_use_copy_target, shw_use_fragment_sampled);
}

/* SCALED has the grey image in the place of levels. */
static uint32_t list_copies(const struct shw_detect_device *device, const struct fragment *fragment, uint32_t slot)
{
    const struct shw_detect_level_entry *entries = device->slots[slot].entries;
    uint32_t count = device->has_pyramid ? device->plan.level_count : 1;

    for (uint32_t l = 0; l < count; l++) {
        const struct shw_detect_level *level = &device->plan.levels[l];
        fragment->copies[l] =
            (VkBufferImageCopy){.bufferOffset = (VkDeviceSize)entries[l].first * (device->has_pyramid ? 2 : 1),
                                .bufferRowLength = entries[l].stride,
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageOffset = {(int32_t)entries[l].mipmap_x, (int32_t)entries[l].mipmap_y, 0},
                                .imageExtent = {level->width, level->height, 1}};
    }
    return count;
}

static void copy_values(const struct shw_detect_device *device, const struct fragment *fragment,
                        VkCommandBuffer commands, uint32_t slot)
{
    const struct shw_device *vulkan = device->device;

    shw_memory_barrier(vulkan, commands, shw_use_compute_write, shw_use_copy_source);
    shw_image_barrier(vulkan, commands, fragment->values.handle, free_to(VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT),
                      shw_use_copy_target);
    vulkan->vk.CmdCopyBufferToImage(commands, device->values.handle, fragment->values.handle,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, list_copies(device, fragment, slot),
                                    fragment->copies);
    shw_image_barrier(vulkan, commands, fragment->values.handle, shw_use_copy_target, shw_use_fragment_sampled);
}

static struct shw_detect_scores_push push_of(const struct shw_detect_device *device, const struct fragment *fragment,
                                             uint32_t slot, uint32_t l, uint32_t angle)
{
    const struct shw_detect_level *level = &device->plan.levels[l];
    const struct shw_detect_level_entry *entry = &device->slots[slot].entries[l];

    return (struct shw_detect_scores_push){
        .x = entry->atlas_x,
        .y = entry->atlas_y,
        .level_x = (int32_t)entry->mipmap_x,
        .level_y = (int32_t)entry->mipmap_y,
        .first_column = entry->first_column,
        .first_row = entry->first_row,
        .cascade_shift = shw_highest_bit(fragment->trees.width),
        .stages = device->info->stage_count,
        .trees_at = SHW_CASCADE_STAGES_AT + device->info->stage_count,
        .size = device->has_pyramid ? device->info->window_width : level->size,
        .angle = angle,
        .cosine = shw_detect_cosine(angle),
        .sine = shw_detect_sine(angle),
    };
}

/* The windows of each level at an angle, in one pass. */
static void draw(const struct shw_detect_device *device, const struct fragment *fragment, VkCommandBuffer commands,
                 uint32_t slot, uint32_t angle)
{
    const struct shw_vk *vk = &device->device->vk;
    const VkExtent2D extent = {fragment->scores.width, fragment->scores.height};
    const VkViewport viewport = {.width = (float)extent.width, .height = (float)extent.height, .maxDepth = 1.0f};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = fragment->draw.render_pass,
                                         .framebuffer = fragment->framebuffer,
                                         .renderArea = {{0, 0}, extent}};

    vk->CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vk->CmdSetViewport(commands, 0, 1, &viewport);
    for (uint32_t l = 0; l < device->plan.level_count; l++) {
        const struct shw_detect_level *level = &device->plan.levels[l];
        const struct shw_detect_range columns = shw_detect_level_columns(level, angle);
        const struct shw_detect_range rows = shw_detect_level_rows(level, angle);
        const struct shw_detect_scores_push push = push_of(device, fragment, slot, l, angle);
        const VkRect2D part = {{(int32_t)(push.x + columns.first), (int32_t)(push.y + rows.first)},
                               {columns.count, rows.count}};
        if (columns.count == 0 || rows.count == 0)
            continue;
        vk->CmdSetScissor(commands, 0, 1, &part);
        shw_program_bind(device->device, commands, &fragment->draw, fragment->draw_sets.handles[slot], &push);
        vk->CmdDraw(commands, 3, 1, 0, 0);
    }
    vk->CmdEndRenderPass(commands);
}

static void collect(const struct shw_detect_device *device, const struct fragment *fragment, VkCommandBuffer commands,
                    uint32_t slot, uint32_t first, uint32_t count)
{
    struct shw_detect_walk_push push = shw_detect_device_push(device, slot);

    for (uint32_t part; count > 0; count -= part, first += part) {
        part = shw_min_u32(count, PASS_TILES);
        push.first_tile = first;
        shw_detect_device_barrier(device, commands, false);
        shw_program_dispatch(device->device, commands, &fragment->collect, fragment->collect_sets.handles[slot], &push,
                             part, 1, 1);
    }
}

static void record(struct shw_detect_device *device, void *state, VkCommandBuffer commands, uint32_t slot)
{
    const struct fragment *fragment = state;
    const struct shw_scan *scan = &device->params.scan;
    const VkPipelineStageFlags users =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    uint32_t first = 0;

    if (device->has_pyramid) {
        shw_detect_device_barrier(device, commands, false);
        shw_detect_device_levels(device, commands, slot, 0, device->plan.level_count);
    }
    copy_trees(device, fragment, commands);
    copy_values(device, fragment, commands, slot);
    shw_detect_device_bind(device, slot, fragment->scores.view, fragment->collect_sets.handles[slot]);
    for (uint32_t a = 0; a < scan->angle_count; a++) {
        uint32_t tiles = 0;
        for (uint32_t l = 0; l < device->plan.level_count; l++)
            tiles += shw_device_tables_tiles(&device->plan.levels[l], scan->angles[a]);
        shw_image_barrier(device->device, commands, fragment->scores.handle, free_to(users), shw_use_attachment);
        draw(device, fragment, commands, slot, scan->angles[a]);
        shw_image_barrier(device->device, commands, fragment->scores.handle, shw_use_attachment,
                          shw_use_compute_sampled);
        collect(device, fragment, commands, slot, first, tiles);
        first += tiles;
    }
}

static const struct shw_detect_walker walker = {
    .add = add, .create = create, .release = release, .record = record, .size = sizeof(struct fragment)};

static enum shw_result check(const struct shw_detector_params *params, const struct shw_log *log)
{
    if (!params->device->has_graphics)
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "the technique fragment needs a queue family with graphics, which family %u lacks: use compute",
                        params->device->queue_family);
    SHW_PROPAGATE(shw_detect_device_check(params, log));
    if (shw_detect_kind_get(shw_cascade_get_info(params->cascade)->kind)->devices != SHW_DETECT_COMPUTE_AND_FRAGMENT)
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "the technique fragment does not evaluate cascades of the kind %s: use compute or cpu",
                        shw_cascade_kind_name(shw_cascade_get_info(params->cascade)->kind));
    return SHW_OK;
}

static enum shw_result create_detector(const struct shw_detector_params *params, void **state)
{
    return shw_detect_device_create(params, &walker, state);
}

const struct shw_detect_technique shw_detect_fragment = {.id = SHW_TECHNIQUE_FRAGMENT,
                                                         .check = check,
                                                         .create = create_detector,
                                                         .destroy = shw_detect_device_destroy,
                                                         .run = shw_detect_device_run,
                                                         .record = shw_detect_device_record};
