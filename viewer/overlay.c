#include "overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define SLOTS_MAX 4u
#define BINDINGS  5u

extern const uint32_t shw_spirv_view_overlay_vert[], shw_spirv_view_overlay_frag[];
extern const size_t shw_spirv_view_overlay_vert_size, shw_spirv_view_overlay_frag_size;

const char *const view_mode_names[VIEW_MODE_COUNT] = {"none", "argmax", "heat", "blend", "entropy", "truth", "errors"};

struct view_overlay {
    VkSampler sampler;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    uint32_t slots;
    VkDescriptorSet sets[SLOTS_MAX];
    struct view_buffer tables[SLOTS_MAX];
    struct view_image blank, blank_array; /* one texel, for what is missing */
    bool blank_ready;
    uint32_t *words; /* of the classes */
    uint32_t classes, planes;
};

static enum shw_result create_layouts(const struct view_gpu *gpu, struct view_overlay *overlay)
{
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                   .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                   .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                   .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
    VkPushConstantRange range = {VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(struct view_overlay_push)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &overlay->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VIEW_BINDING_TABLES * overlay->slots},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, overlay->slots}};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = overlay->slots,
                                       .poolSizeCount = 2,
                                       .pPoolSizes = sizes};
    VkDescriptorSetLayout layouts[SLOTS_MAX];
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = overlay->slots, .pSetLayouts = layouts};
    enum shw_result result;

    VIEW_TRY(gpu, vkCreateSampler, gpu->device, &sampler, NULL, &overlay->sampler);
    for (uint32_t b = 0; b < BINDINGS; b++) {
        VkDescriptorType type = b == VIEW_BINDING_TABLES ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : sizes[0].type;
        bindings[b] = (VkDescriptorSetLayoutBinding){b, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    }
    VIEW_TRY(gpu, vkCreateDescriptorSetLayout, gpu->device, &set, NULL, &overlay->set_layout);
    VIEW_TRY(gpu, vkCreatePipelineLayout, gpu->device, &layout, NULL, &overlay->layout);
    VIEW_TRY(gpu, vkCreateDescriptorPool, gpu->device, &pool, NULL, &overlay->pool);
    for (uint32_t s = 0; s < overlay->slots; s++)
        layouts[s] = overlay->set_layout;
    allocate.descriptorPool = overlay->pool;
    VIEW_TRY(gpu, vkAllocateDescriptorSets, gpu->device, &allocate, overlay->sets);

fail:
    return result;
}

static enum shw_result create_pipeline(const struct view_gpu *gpu, VkRenderPass pass, struct view_overlay *overlay)
{
    VkShaderModuleCreateInfo modules[2] = {{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = shw_spirv_view_overlay_vert_size,
                                            .pCode = shw_spirv_view_overlay_vert},
                                           {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = shw_spirv_view_overlay_frag_size,
                                            .pCode = shw_spirv_view_overlay_frag}};
    VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_VERTEX_BIT, .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_FRAGMENT_BIT, .pName = "main"}};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    VkPipelineRasterizationStateCreateInfo rasterization = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                                                            .lineWidth = 1.0f};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &attachment};
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = 2, .pDynamicStates = states};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewport,
                                         .pRasterizationState = &rasterization,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blend,
                                         .pDynamicState = &dynamic,
                                         .layout = overlay->layout,
                                         .renderPass = pass};
    enum shw_result result;

    for (int s = 0; s < 2; s++)
        VIEW_TRY(gpu, vkCreateShaderModule, gpu->device, &modules[s], NULL, &stages[s].module);
    VIEW_TRY(gpu, vkCreateGraphicsPipelines, gpu->device, gpu->cache, 1, &info, NULL, &overlay->pipeline);

fail:
    for (int s = 0; s < 2; s++)
        vkDestroyShaderModule(gpu->device, stages[s].module, NULL);
    return result;
}

enum shw_result view_overlay_create(const struct view_gpu *gpu, VkRenderPass pass, uint32_t slots, struct view_overlay **overlay)
{
    struct view_overlay *made = calloc(1, sizeof *made);
    const VkExtent2D texel = {1, 1};
    enum shw_result result;

    if (made == NULL)
        return shw_fail_memory(&gpu->log, "the overlay");
    made->slots = slots < SLOTS_MAX ? slots : SLOTS_MAX;
    SHW_TRY(create_layouts(gpu, made));
    SHW_TRY(create_pipeline(gpu, pass, made));
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, texel, 0, VK_IMAGE_USAGE_SAMPLED_BIT, &made->blank));
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, texel, 1, VK_IMAGE_USAGE_SAMPLED_BIT, &made->blank_array));
    SHW_TRY(view_overlay_set_classes(gpu, made, 0, 0));
    *overlay = made;
    return SHW_OK;

fail:
    view_overlay_destroy(gpu, &made);
    return result;
}

void view_overlay_destroy(const struct view_gpu *gpu, struct view_overlay **overlay)
{
    struct view_overlay *old = *overlay;

    if (old == NULL)
        return;
    for (uint32_t s = 0; s < old->slots; s++)
        view_buffer_destroy(gpu, &old->tables[s]);
    view_image_destroy(gpu, &old->blank);
    view_image_destroy(gpu, &old->blank_array);
    vkDestroyDescriptorPool(gpu->device, old->pool, NULL);
    vkDestroyPipeline(gpu->device, old->pipeline, NULL);
    vkDestroyPipelineLayout(gpu->device, old->layout, NULL);
    vkDestroyDescriptorSetLayout(gpu->device, old->set_layout, NULL);
    vkDestroySampler(gpu->device, old->sampler, NULL);
    free(old->words);
    free(old);
    *overlay = NULL;
}

/* -p log p for p = entry / 4095, where all `planes` classes alike give 2^20. */
static void fill_entropy(uint32_t planes, uint32_t *shares)
{
    for (uint32_t i = 0; i < VIEW_ENTROPY_ENTRIES; i++) {
        double p = i / (VIEW_ENTROPY_ENTRIES - 1.0);
        shares[i] = i == 0 || planes < 2 ? 0 : (uint32_t)lround(-p * log(p) / log(planes) * (1 << 20));
    }
}

enum shw_result view_overlay_set_classes(const struct view_gpu *gpu, struct view_overlay *overlay, uint32_t classes,
                                         uint32_t planes)
{
    uint32_t *words = realloc(overlay->words, (classes + 1) * sizeof *words);
    enum shw_result result = SHW_OK;

    if (words == NULL)
        return shw_fail_memory(&gpu->log, "the colours of classes");
    overlay->words = words;
    overlay->classes = overlay->planes = 0;
    for (uint32_t s = 0; s < overlay->slots; s++) {
        view_buffer_destroy(gpu, &overlay->tables[s]);
        SHW_TRY(view_buffer_create(gpu, (VIEW_ENTROPY_ENTRIES + (VkDeviceSize)classes + 1) * sizeof *words,
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false, &overlay->tables[s]));
        fill_entropy(planes, overlay->tables[s].mapped);
    }
    memset(words, 0, (classes + 1) * sizeof *words);
    overlay->classes = classes;
    overlay->planes = planes;

fail:
    return result;
}

void view_overlay_set_class(struct view_overlay *overlay, uint32_t number, const uint8_t colour[3], bool visible)
{
    overlay->words[number] = colour[0] | (uint32_t)colour[1] << 8 | (uint32_t)colour[2] << 16 | (visible ? 0 : VIEW_CLASS_HIDDEN);
}

void view_overlay_prepare(struct view_overlay *overlay, VkCommandBuffer commands)
{
    if (overlay->blank_ready)
        return;
    view_image_barrier(commands, &overlay->blank, view_use_nothing, view_use_shown);
    view_image_barrier(commands, &overlay->blank_array, view_use_nothing, view_use_shown);
    overlay->blank_ready = true;
}

static void write_set(const struct view_gpu *gpu, const struct view_overlay *overlay, uint32_t slot,
                      const struct view_overlay_images *images)
{
    const struct view_image *read[VIEW_BINDING_TABLES] = {
        [VIEW_BINDING_SHOWN] = images->shown,
        [VIEW_BINDING_ARGMAX] = images->argmax != NULL ? images->argmax : &overlay->blank,
        [VIEW_BINDING_DISTRIBUTION] = images->distribution != NULL ? images->distribution : &overlay->blank_array,
        [VIEW_BINDING_TRUTH] = images->truth != NULL ? images->truth : &overlay->blank};
    VkDescriptorImageInfo infos[VIEW_BINDING_TABLES];
    VkDescriptorBufferInfo tables = {overlay->tables[slot].handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[BINDINGS];

    for (uint32_t b = 0; b < BINDINGS; b++) {
        writes[b] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = overlay->sets[slot],
                                           .dstBinding = b,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
        if (b == VIEW_BINDING_TABLES) {
            writes[b].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            writes[b].pBufferInfo = &tables;
        } else {
            infos[b] = (VkDescriptorImageInfo){overlay->sampler, read[b]->view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
            writes[b].pImageInfo = &infos[b];
        }
    }
    vkUpdateDescriptorSets(gpu->device, BINDINGS, writes, 0, NULL);
}

/* The mode, or the picture alone if something that it reads is missing. */
static uint32_t possible_mode(const struct view_overlay *overlay, const struct view_overlay_images *images,
                              const struct view_overlay_settings *settings)
{
    bool needs_labels = settings->mode != VIEW_MODE_TRUTH;
    bool needs_truth = settings->mode == VIEW_MODE_TRUTH || settings->mode == VIEW_MODE_ERRORS;
    bool needs_planes =
        settings->mode == VIEW_MODE_HEAT || settings->mode == VIEW_MODE_BLEND || settings->mode == VIEW_MODE_ENTROPY;

    if ((needs_labels && images->argmax == NULL) || (needs_truth && images->truth == NULL) ||
        (needs_planes && images->distribution == NULL) ||
        (settings->mode == VIEW_MODE_HEAT && settings->chosen >= overlay->planes))
        return VIEW_MODE_NONE;
    return settings->mode;
}

void view_overlay_record(const struct view_gpu *gpu, struct view_overlay *overlay, VkCommandBuffer commands, uint32_t slot,
                         VkExtent2D canvas, const struct view_overlay_images *images,
                         const struct view_overlay_settings *settings, struct view_place place)
{
    VkViewport viewport = {0, 0, (float)canvas.width, (float)canvas.height, 0, 1};
    VkRect2D scissor = {{0, 0}, canvas};
    struct view_overlay_push push = {.offset_x = place.offset_x,
                                     .offset_y = place.offset_y,
                                     .zoom = place.zoom,
                                     .width = images->shown->extent.width,
                                     .height = images->shown->extent.height,
                                     .mode = possible_mode(overlay, images, settings),
                                     .planes = overlay->planes,
                                     .classes = overlay->classes,
                                     .chosen = settings->chosen,
                                     .opacity = (settings->opacity * 255 + 50) / 100,
                                     .contours = settings->contours,
                                     .wipe = canvas.width * settings->wipe / 100};

    memcpy((uint32_t *)overlay->tables[slot].mapped + VIEW_ENTROPY_ENTRIES, overlay->words,
           overlay->classes * sizeof *overlay->words);
    write_set(gpu, overlay, slot, images);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, overlay->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, overlay->layout, 0, 1, &overlay->sets[slot], 0, NULL);
    vkCmdPushConstants(commands, overlay->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push, &push);
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    vkCmdDraw(commands, 3, 1, 0, 0);
}
