#include "vulkan/pipeline.h"

SHW_SHADER_DECLARE(triangle_vert);

static enum shw_result create_module(struct shw_device *device, struct shw_shader shader, VkShaderModule *module)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = shader.size, .pCode = shader.words};

    VK_PROPAGATE(device, CreateShaderModule(device->handle, &info, device->allocator, module));
    return SHW_OK;
}

static enum shw_result create_layouts(struct shw_device *device, const struct shw_program_params *params,
                                      struct shw_program *program)
{
    VkDescriptorSetLayoutBinding bindings[SHW_BINDINGS_MAX];
    VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = params->binding_count,
                                           .pBindings = bindings};
    VkPushConstantRange range = {.stageFlags = program->stages, .size = params->push_bytes};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pushConstantRangeCount = params->push_bytes > 0,
                                         .pPushConstantRanges = &range};

    for (uint32_t i = 0; i < params->binding_count; i++) {
        program->bindings[i] = params->bindings[i];
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = program->bindings[i].binding,
                                                     .descriptorType = program->bindings[i].type,
                                                     .descriptorCount = 1,
                                                     .stageFlags = program->stages};
    }
    VK_PROPAGATE(device, CreateDescriptorSetLayout(device->handle, &set, device->allocator, &program->set_layout));
    layout.pSetLayouts = &program->set_layout;
    VK_PROPAGATE(device, CreatePipelineLayout(device->handle, &layout, device->allocator, &program->layout));
    return SHW_OK;
}

static enum shw_result create_render_pass(struct shw_device *device, const struct shw_program_params *params,
                                          struct shw_program *program)
{
    VkAttachmentDescription attachments[SHW_ATTACHMENTS_MAX];
    VkAttachmentReference references[SHW_ATTACHMENTS_MAX];
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .colorAttachmentCount = params->attachment_count,
                                    .pColorAttachments = references};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = params->attachment_count,
                                   .pAttachments = attachments,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass};

    for (uint32_t i = 0; i < params->attachment_count; i++) {
        attachments[i] = (VkAttachmentDescription){.format = params->attachments[i],
                                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                                   .loadOp = params->load,
                                                   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                   .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                   .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                   .initialLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                   .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        references[i] = (VkAttachmentReference){i, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    }
    VK_PROPAGATE(device, CreateRenderPass(device->handle, &info, device->allocator, &program->render_pass));
    return SHW_OK;
}

static enum shw_result create_graphics(struct shw_device *device, const struct shw_program_params *params,
                                       const VkPipelineShaderStageCreateInfo stages[2], struct shw_program *program)
{
    static const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineColorBlendAttachmentState blends[SHW_ATTACHMENTS_MAX];
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = params->vertex.words != NULL ? params->topology : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    VkPipelineRasterizationStateCreateInfo raster = {.sType =
                                                         VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                                                     .polygonMode = VK_POLYGON_MODE_FILL,
                                                     .cullMode = VK_CULL_MODE_NONE,
                                                     .lineWidth = 1.0f};
    VkPipelineMultisampleStateCreateInfo multisample = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = params->attachment_count,
                                                 .pAttachments = blends};
    VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount = 2,
                                                .pDynamicStates = dynamic_states};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewport,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &multisample,
                                         .pColorBlendState = &blend,
                                         .pDynamicState = &dynamic,
                                         .layout = program->layout,
                                         .renderPass = program->render_pass};

    for (uint32_t i = 0; i < params->attachment_count; i++)
        blends[i] = (VkPipelineColorBlendAttachmentState){.blendEnable = params->additive,
                                                          .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .colorBlendOp = VK_BLEND_OP_ADD,
                                                          .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                          .alphaBlendOp = VK_BLEND_OP_ADD,
                                                          .colorWriteMask =
                                                              VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                                              VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
    VK_PROPAGATE(device, CreateGraphicsPipelines(device->handle, device->pipeline_cache, 1, &info, device->allocator,
                                                 &program->pipeline));
    return SHW_OK;
}

static enum shw_result create_compute(struct shw_device *device, VkPipelineShaderStageCreateInfo stage, bool in_pieces,
                                      struct shw_program *program)
{
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = in_pieces ? VK_PIPELINE_CREATE_DISPATCH_BASE : 0,
                                        .stage = stage,
                                        .layout = program->layout};

    VK_PROPAGATE(device, CreateComputePipelines(device->handle, device->pipeline_cache, 1, &info, device->allocator,
                                                &program->pipeline));
    return SHW_OK;
}

static VkPipelineShaderStageCreateInfo stage_info(const struct shw_program_params *params, VkShaderStageFlagBits stage,
                                                  VkShaderModule module)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stage,
                                             .module = module,
                                             .pName = "main",
                                             .pSpecializationInfo = params->specialization};
}

enum shw_result shw_program_create(struct shw_device *device, const struct shw_program_params *params,
                                   struct shw_program *program)
{
    bool is_compute = params->compute.words != NULL;
    VkShaderModule modules[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    VkPipelineShaderStageCreateInfo stages[2];
    enum shw_result result;

    if (shw_program_cache_take(device, params, program))
        return SHW_OK;
    *program = (struct shw_program){
        .bind_point = is_compute ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS,
        .stages = is_compute ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
        .binding_count = params->binding_count,
        .push_bytes = params->push_bytes,
        .attachment_count = params->attachment_count};
    SHW_TRY(create_layouts(device, params, program));
    if (is_compute) {
        SHW_TRY(create_module(device, params->compute, &modules[0]));
        SHW_TRY(create_compute(device, stage_info(params, VK_SHADER_STAGE_COMPUTE_BIT, modules[0]), params->in_pieces,
                               program));
    } else {
        struct shw_shader vertex = params->vertex.words != NULL ? params->vertex : SHW_SHADER(triangle_vert);
        SHW_TRY(create_render_pass(device, params, program));
        SHW_TRY(create_module(device, vertex, &modules[0]));
        SHW_TRY(create_module(device, params->fragment, &modules[1]));
        stages[0] = stage_info(params, VK_SHADER_STAGE_VERTEX_BIT, modules[0]);
        stages[1] = stage_info(params, VK_SHADER_STAGE_FRAGMENT_BIT, modules[1]);
        SHW_TRY(create_graphics(device, params, stages, program));
    }
    shw_vk_name(device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)program->pipeline, "shw %s", params->name);
    shw_program_cache_put(device, params, program);

fail:
    for (int i = 0; i < 2; i++)
        if (modules[i] != VK_NULL_HANDLE)
            device->vk.DestroyShaderModule(device->handle, modules[i], device->allocator);
    if (result != SHW_OK)
        shw_program_destroy(device, program);
    return result;
}

void shw_program_destroy(struct shw_device *device, struct shw_program *program)
{
    if (program->entry != NULL) {
        shw_program_cache_release(device, program);
        *program = (struct shw_program){0};
        return;
    }
    if (program->pipeline != VK_NULL_HANDLE)
        device->vk.DestroyPipeline(device->handle, program->pipeline, device->allocator);
    if (program->render_pass != VK_NULL_HANDLE)
        device->vk.DestroyRenderPass(device->handle, program->render_pass, device->allocator);
    if (program->layout != VK_NULL_HANDLE)
        device->vk.DestroyPipelineLayout(device->handle, program->layout, device->allocator);
    if (program->set_layout != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorSetLayout(device->handle, program->set_layout, device->allocator);
    *program = (struct shw_program){0};
}

void shw_program_dispatch_indirect(const struct shw_device *device, VkCommandBuffer commands,
                                   const struct shw_program *program, VkDescriptorSet set, const void *push,
                                   VkBuffer arguments, VkDeviceSize offset)
{
    shw_program_bind(device, commands, program, set, push);
    device->vk.CmdDispatchIndirect(commands, arguments, offset);
}
