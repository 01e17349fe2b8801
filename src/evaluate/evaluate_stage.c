#include "evaluate/evaluate_stage.h"

#include <stdlib.h>
#include <string.h>

#include "evaluate/walk_nodes.h"
#include "shared/evaluate_push.h"
#include "vulkan/barrier.h"

static uint32_t log2_of(uint32_t power)
{
    uint32_t shift = 0;

    while (power >> shift > 1)
        shift++;
    return shift;
}

/* A buffer for compute shaders, and what it is copied from. */
static enum shw_result create_table(struct shw_device *device, VkDeviceSize size, const char *name, struct shw_buffer *upload,
                                    struct shw_buffer *buffer)
{
    enum shw_result result;

    if (size > device->properties.limits.maxStorageBufferRange) {
        result = shw_fail(&device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                          "the forest needs a storage buffer of %llu bytes; the device has at most %u: use another technique",
                          (unsigned long long)size, device->properties.limits.maxStorageBufferRange);
        goto fail;
    }
    SHW_TRY(shw_buffer_create(device, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, name, upload));
    SHW_TRY(shw_buffer_create(device, size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                              SHW_MEMORY_DEVICE, name, buffer));

fail:
    return result;
}

static enum shw_result create_forest(struct shw_evaluate_stage *stage, const struct shw_forest_texture *texture,
                                     enum shw_feature_type feature)
{
    struct shw_device *device = stage->device;
    VkDeviceSize size = (VkDeviceSize)texture->width * texture->height * texture->layers * 16;
    const struct shw_planes *integrals = &stage->integrals[0];
    struct shw_walk_nodes nodes;
    enum shw_result result;

    if (stage->technique == SHW_TECHNIQUE_FRAGMENT) {
        SHW_TRY(shw_buffer_create(device, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "forest upload",
                                  &stage->forest_upload));
        SHW_TRY(shw_vulkan_image_create(device, VK_FORMAT_R32G32B32A32_UINT, texture->width, texture->height, texture->layers,
                                        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "forest",
                                        &stage->forest_image));
    } else {
        nodes = shw_walk_nodes_measure(texture->texels, stage->trees);
        stage->reach = nodes.reach;
        SHW_TRY(create_table(device, size, "forest", &stage->forest_upload, &stage->forest_buffer));
        SHW_TRY(create_table(device, 16 * nodes.texels, "forest nodes", &stage->nodes_upload, &stage->nodes_buffer));
        shw_walk_nodes_write(texture->texels, stage->trees, feature, integrals->stride, integrals->stride * integrals->height,
                             stage->nodes_upload.mapped);
    }
    memcpy(stage->forest_upload.mapped, texture->texels, size);

fail:
    return result;
}

static enum shw_result create_slots(struct shw_evaluate_stage *stage, uint32_t width, uint32_t height)
{
    uint32_t form = stage->technique == SHW_TECHNIQUE_COMPUTE ? SHW_PLANES_BUFFER : SHW_PLANES_IMAGE;
    uint32_t classes = (stage->classes + SHW_EVALUATE_GROUP - 1) / SHW_EVALUATE_GROUP * SHW_EVALUATE_GROUP;
    uint32_t leaf_planes = stage->technique == SHW_TECHNIQUE_FRAGMENT || stage->keeps_leaves ? stage->trees : 1;
    enum shw_result result = SHW_OK;

    stage->slot = calloc(stage->slots, sizeof *stage->slot);
    if (stage->slot == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    for (uint32_t s = 0; s < stage->slots; s++) {
        struct shw_evaluate_slot *slot = &stage->slot[s];
        SHW_TRY(shw_planes_create(stage->device, VK_FORMAT_R32_UINT, width, height, leaf_planes, form, "leaves", &slot->leaves));
        if ((stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
            SHW_TRY(shw_planes_create(stage->device, VK_FORMAT_R16_UINT, width, height, classes, form, "distribution",
                                      &slot->distribution));
        if ((stage->outputs & SHW_OUTPUT_ARGMAX) != 0)
            SHW_TRY(shw_planes_create(stage->device, VK_FORMAT_R16_UINT, width, height, 1, form, "argmax", &slot->argmax));
    }

fail:
    return result;
}

enum shw_result shw_evaluate_stage_create(struct shw_device *device, const struct shw_forest *forest,
                                          enum shw_technique technique, uint32_t outputs, const struct shw_planes *integrals,
                                          uint32_t slots, uint32_t width, uint32_t height, struct shw_evaluate_stage *stage)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    enum shw_result result;

    *stage = (struct shw_evaluate_stage){.device = device,
                                         .technique = technique,
                                         .outputs = outputs,
                                         .slots = slots,
                                         .trees = outputs == SHW_OUTPUT_TREE_LEAF ? 1 : info->tree_count,
                                         .classes = info->class_count,
                                         .texture_shift = log2_of(texture.width),
                                         .integrals = integrals};
    if (technique == SHW_TECHNIQUE_COMPUTE)
        shw_evaluate_compute_plan(stage);
    SHW_TRY(create_forest(stage, &texture, info->feature));
    SHW_TRY(create_slots(stage, width, height));
    SHW_TRY(technique == SHW_TECHNIQUE_COMPUTE ? shw_evaluate_compute_create(stage, info->feature)
                                               : shw_evaluate_fragment_create(stage, info->feature));
    return SHW_OK;

fail:
    shw_evaluate_stage_destroy(stage);
    return result;
}

void shw_evaluate_stage_destroy(struct shw_evaluate_stage *stage)
{
    struct shw_device *device = stage->device;

    if (device == NULL)
        return;
    for (uint32_t i = 0; stage->framebuffers != NULL && i < stage->framebuffers_per_slot * stage->slots; i++)
        if (stage->framebuffers[i] != VK_NULL_HANDLE)
            device->vk.DestroyFramebuffer(device->handle, stage->framebuffers[i], device->allocator);
    for (uint32_t i = 0; stage->views != NULL && i < stage->view_count; i++)
        if (stage->views[i] != VK_NULL_HANDLE)
            device->vk.DestroyImageView(device->handle, stage->views[i], device->allocator);
    for (int i = 0; i < 4; i++) {
        if (stage->pools[i] != VK_NULL_HANDLE)
            device->vk.DestroyDescriptorPool(device->handle, stage->pools[i], device->allocator);
        free(stage->sets[i]);
    }
    shw_program_destroy(device, &stage->leaves[0]);
    shw_program_destroy(device, &stage->leaves[1]);
    shw_program_destroy(device, &stage->distribution);
    shw_program_destroy(device, &stage->argmax);
    for (uint32_t s = 0; stage->slot != NULL && s < stage->slots; s++) {
        shw_planes_destroy(device, &stage->slot[s].leaves);
        shw_planes_destroy(device, &stage->slot[s].distribution);
        shw_planes_destroy(device, &stage->slot[s].argmax);
    }
    shw_buffer_destroy(device, &stage->nodes_upload);
    shw_buffer_destroy(device, &stage->nodes_buffer);
    shw_buffer_destroy(device, &stage->forest_upload);
    shw_buffer_destroy(device, &stage->forest_buffer);
    shw_vulkan_image_destroy(device, &stage->forest_image);
    free(stage->framebuffers);
    free(stage->views);
    free(stage->slot);
    *stage = (struct shw_evaluate_stage){0};
}

/* The forest travels with the first recording, since creation must not submit. */
static void record_upload(struct shw_evaluate_stage *stage, VkCommandBuffer commands)
{
    const struct shw_device *device = stage->device;
    const struct shw_vulkan_image *image = &stage->forest_image;
    VkBufferImageCopy texels = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                .imageExtent = {image->width, image->height, 1}};
    VkBufferCopy words = {.size = stage->forest_upload.size}, nodes = {.size = stage->nodes_upload.size};

    if (stage->uploaded)
        return;
    if (stage->technique == SHW_TECHNIQUE_COMPUTE) {
        device->vk.CmdCopyBuffer(commands, stage->forest_upload.handle, stage->forest_buffer.handle, 1, &words);
        device->vk.CmdCopyBuffer(commands, stage->nodes_upload.handle, stage->nodes_buffer.handle, 1, &nodes);
        shw_buffer_barrier(device, commands, stage->forest_buffer.handle, shw_use_copy_target, shw_use_compute_read);
        shw_buffer_barrier(device, commands, stage->nodes_buffer.handle, shw_use_copy_target, shw_use_compute_read);
    } else {
        shw_image_barrier(device, commands, image->handle, shw_use_nothing, shw_use_copy_target);
        device->vk.CmdCopyBufferToImage(commands, stage->forest_upload.handle, image->handle,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &texels);
        shw_image_barrier(device, commands, image->handle, shw_use_copy_target, shw_use_fragment_sampled);
    }
    stage->uploaded = true;
}

void shw_evaluate_stage_record(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot,
                               const struct shw_tile *tile)
{
    record_upload(stage, commands);
    if (stage->technique == SHW_TECHNIQUE_COMPUTE)
        shw_evaluate_compute_record(stage, commands, slot, tile);
    else
        shw_evaluate_fragment_record(stage, commands, slot, tile);
}
