#include "label/classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/palette.h"
#include "gpu/frames.h"
#include "viewer/class_shares.h"

#define COLOURS 24u

/* By scripts/class-colours.py. */
static const uint8_t safe[COLOURS][3] = {
    {170, 85, 238},  {153, 170, 17}, {0, 136, 119},   {85, 68, 0},    {85, 34, 170},   {119, 238, 170},
    {221, 136, 170}, {119, 119, 17}, {204, 153, 255}, {187, 238, 0},  {136, 0, 68},    {255, 17, 119},
    {255, 187, 238}, {170, 68, 85},  {136, 0, 238},   {153, 85, 153}, {153, 187, 119}, {153, 136, 204},
    {119, 34, 102},  {153, 136, 68}, {34, 102, 51},   {187, 204, 85}, {204, 102, 153}, {51, 187, 187}};

void view_shown_colour(bool colour_blind, const uint8_t stored[3], uint8_t shown[3])
{
    uint8_t usual[3];

    memcpy(shown, stored, 3);
    for (uint32_t number = 0; colour_blind && number < COLOURS; number++) {
        shw_palette_default_colour(number, usual);
        if (memcmp(usual, stored, 3) == 0) {
            memcpy(shown, safe[number], 3);
            return;
        }
    }
}

extern const uint32_t shw_spirv_view_class_shares[];
extern const size_t shw_spirv_view_class_shares_size;

static enum shw_result create_layouts(const struct view_gpu *gpu, struct view_class_shares *shares)
{
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &shares->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VIEW_SLOTS},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VIEW_SLOTS}};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = VIEW_SLOTS,
                                       .poolSizeCount = 2,
                                       .pPoolSizes = sizes};
    VkDescriptorSetLayout layouts[VIEW_SLOTS];
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorSetCount = VIEW_SLOTS,
                                            .pSetLayouts = layouts};

    VIEW_PROPAGATE(gpu, vkCreateSampler, gpu->device, &sampler, NULL, &shares->sampler);
    VIEW_PROPAGATE(gpu, vkCreateDescriptorSetLayout, gpu->device, &set, NULL, &shares->set_layout);
    VIEW_PROPAGATE(gpu, vkCreatePipelineLayout, gpu->device, &layout, NULL, &shares->layout);
    VIEW_PROPAGATE(gpu, vkCreateDescriptorPool, gpu->device, &pool, NULL, &shares->pool);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        layouts[s] = shares->set_layout;
    allocate.descriptorPool = shares->pool;
    VIEW_PROPAGATE(gpu, vkAllocateDescriptorSets, gpu->device, &allocate, shares->sets);
    return SHW_OK;
}

static enum shw_result make_room(const struct view_gpu *gpu, uint32_t classes, struct view_class_shares *shares)
{
    free(shares->shares);
    shares->shares = calloc(classes, sizeof *shares->shares);
    if (shares->shares == NULL)
        return shw_fail_memory(&gpu->log, "the shares of classes");
    for (uint32_t s = 0; s < VIEW_SLOTS; s++) {
        view_buffer_retire(gpu, &shares->counts[s]);
        SHW_PROPAGATE(view_buffer_create(gpu, classes * sizeof(uint32_t),
                                         VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true,
                                         &shares->counts[s]));
        shares->recorded[s] = 0;
    }
    shares->known = shares->number = 0;
    shares->stale = true;
    shares->classes = classes;
    return SHW_OK;
}

enum shw_result view_class_shares_create(const struct view_gpu *gpu, uint32_t classes, struct view_class_shares *shares)
{
    enum shw_result result;

    if (shares->pipeline == VK_NULL_HANDLE) {
        SHW_TRY(create_layouts(gpu, shares));
        SHW_TRY(view_compute_create(gpu, shw_spirv_view_class_shares, shw_spirv_view_class_shares_size, shares->layout,
                                    &shares->pipeline));
    }
    SHW_TRY(make_room(gpu, classes, shares));
    return SHW_OK;

fail:
    view_class_shares_destroy(gpu, shares);
    return result;
}

void view_class_shares_destroy(const struct view_gpu *gpu, struct view_class_shares *shares)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &shares->counts[s]);
    vkDestroyPipeline(gpu->device, shares->pipeline, NULL);
    vkDestroyPipelineLayout(gpu->device, shares->layout, NULL);
    vkDestroyDescriptorPool(gpu->device, shares->pool, NULL);
    vkDestroyDescriptorSetLayout(gpu->device, shares->set_layout, NULL);
    vkDestroySampler(gpu->device, shares->sampler, NULL);
    free(shares->shares);
    memset(shares, 0, sizeof *shares);
}

static void take_counts(struct view_class_shares *shares, uint32_t slot)
{
    const uint32_t *counts = shares->counts[slot].mapped;
    uint64_t total = 0;

    for (uint32_t c = 0; c < shares->classes; c++)
        total += counts[c];
    for (uint32_t c = 0; c < shares->classes; c++)
        shares->shares[c] = total > 0 ? (float)((double)counts[c] / (double)total) : 0.0f;
    shares->known = shares->recorded[slot];
}

static void bind(const struct view_gpu *gpu, const struct view_class_shares *shares, uint32_t slot,
                 const struct view_image *argmax)
{
    VkDescriptorImageInfo image = {shares->sampler, argmax->view, view_use_shown.layout};
    VkDescriptorBufferInfo buffer = {shares->counts[slot].handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[2] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = shares->sets[slot],
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                       .pImageInfo = &image},
                                      {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = shares->sets[slot],
                                       .dstBinding = 1,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .pBufferInfo = &buffer}};

    vkUpdateDescriptorSets(gpu->device, 2, writes, 0, NULL);
}

static void barrier(VkCommandBuffer commands, VkPipelineStageFlags before, VkAccessFlags written,
                    VkPipelineStageFlags after, VkAccessFlags access)
{
    VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = access};

    vkCmdPipelineBarrier(commands, before, after, 0, 1, &memory, 0, NULL, 0, NULL);
}

void view_class_shares_record(const struct view_gpu *gpu, struct view_class_shares *shares, VkCommandBuffer commands,
                              uint32_t slot, const struct view_image *argmax, bool changed)
{
    shares->stale = shares->stale || changed;
    if (shares->pipeline == VK_NULL_HANDLE)
        return;
    if (shares->recorded[slot] > shares->known)
        take_counts(shares, slot);
    shares->recorded[slot] = 0;
    if (argmax == NULL || !shares->stale)
        return;
    shares->stale = false;
    bind(gpu, shares, slot, argmax);
    vkCmdFillBuffer(commands, shares->counts[slot].handle, 0, VK_WHOLE_SIZE, 0);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT | view_use_shown.stages, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shares->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shares->layout, 0, 1, &shares->sets[slot], 0,
                            NULL);
    vkCmdPushConstants(commands, shares->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t), &shares->classes);
    vkCmdDispatch(commands, (argmax->extent.width + VIEW_SHARES_WIDTH - 1) / VIEW_SHARES_WIDTH,
                  (argmax->extent.height + VIEW_SHARES_RUN - 1) / VIEW_SHARES_RUN, 1);
    barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT | view_use_shown.stages, VK_ACCESS_HOST_READ_BIT);
    shares->recorded[slot] = ++shares->number;
}

bool view_class_shares_pending(const struct view_class_shares *shares)
{
    return shares->known < shares->number || shares->stale;
}
