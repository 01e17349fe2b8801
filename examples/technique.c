/* A technique of one's own for the stage evaluate, as a shared object: one compute shader, an invocation of which walks
 * all trees for two neighbouring pixels. It uses the headers of Shadewood and of Vulkan, and is linked with neither.
 *
 *     shadewood bench pipeline --plugin ./libexample_technique.so
 *
 * shows it beside Shadewood's own, and whether its results are the same. */
#include <stdlib.h>
#include <string.h>

#include <shadewood/stage.h>

#include "technique_spirv.h" /* static const uint32_t technique_spirv[] */

#define TREES_MAX 64u /* as in the shader */
#define BINDINGS  5u

#define FUNCTIONS(X)                                                                                                   \
    X(AllocateDescriptorSets)                                                                                          \
    X(CmdBindDescriptorSets)                                                                                           \
    X(CmdBindPipeline)                                                                                                 \
    X(CmdDispatch)                                                                                                     \
    X(CmdPushConstants)                                                                                                \
    X(CreateComputePipelines)                                                                                          \
    X(CreateDescriptorPool)                                                                                            \
    X(CreateDescriptorSetLayout)                                                                                       \
    X(CreatePipelineLayout)                                                                                            \
    X(CreateShaderModule)                                                                                              \
    X(DestroyDescriptorPool)                                                                                           \
    X(DestroyDescriptorSetLayout)                                                                                      \
    X(DestroyPipeline)                                                                                                 \
    X(DestroyPipelineLayout)                                                                                           \
    X(DestroyShaderModule)                                                                                             \
    X(UpdateDescriptorSets)

struct technique {
    VkDevice device;
    const VkAllocationCallbacks *allocator;
#define MEMBER(name) PFN_vk##name name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* one a slot */
    const struct shw_custom_slot *slot;
    uint32_t trees, classes, outputs;
};

/* As in the shader. */
struct push {
    int32_t image_x0, image_y0, image_x1, image_y1, tile_x, tile_y;
    uint32_t tile_width, tile_height, trees, classes, outputs;
    uint32_t integral_stride, integral_pitch, leaf_stride, leaf_pitch;
    uint32_t distribution_stride, distribution_pitch, argmax_stride;
};

static enum shw_result fail(const struct shw_log *log, enum shw_result result, enum shw_log_item item, const char *text)
{
    if (log->function != NULL)
        log->function(log->user, SHW_LOG_ERROR, item, text);
    return result;
}

static int load_functions(struct technique *technique, PFN_vkGetDeviceProcAddr get)
{
#define LOAD(name)                                                                                                     \
    technique->name = (PFN_vk##name)get(technique->device, "vk" #name);                                                \
    if (technique->name == NULL)                                                                                       \
        return 0;
    FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}

static VkResult create_pipeline(struct technique *technique, const struct shw_custom_create *params)
{
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct push)};
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .setLayoutCount = 1,
                                              .pSetLayouts = &technique->set_layout,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &range};
    VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = sizeof technique_spirv,
                                            .pCode = technique_spirv};
    VkBool32 mean = strcmp(params->forest.info->feature->name, "mean-difference") == 0;
    VkSpecializationMapEntry entry = {0, 0, sizeof mean};
    VkSpecializationInfo constants = {1, &entry, sizeof mean, &mean};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main",
                                                  .pSpecializationInfo = &constants}};
    VkResult result;

    for (uint32_t b = 0; b < BINDINGS; b++)
        bindings[b] =
            (VkDescriptorSetLayoutBinding){b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    result = technique->CreateDescriptorSetLayout(technique->device, &set_info, technique->allocator,
                                                  &technique->set_layout);
    if (result == VK_SUCCESS)
        result =
            technique->CreatePipelineLayout(technique->device, &layout_info, technique->allocator, &technique->layout);
    if (result == VK_SUCCESS)
        result =
            technique->CreateShaderModule(technique->device, &module_info, technique->allocator, &technique->module);
    info.layout = technique->layout;
    info.stage.module = technique->module;
    if (result == VK_SUCCESS)
        result = technique->CreateComputePipelines(technique->device, params->pipeline_cache, 1, &info,
                                                   technique->allocator, &technique->pipeline);
    return result;
}

/* What nobody has asked for is not touched by the shader, but a descriptor needs some buffer. */
static VkDescriptorBufferInfo buffer_info(const struct shw_custom_planes *planes,
                                          const struct shw_custom_planes *otherwise)
{
    if (planes->buffer == VK_NULL_HANDLE)
        planes = otherwise;
    return (VkDescriptorBufferInfo){planes->buffer, planes->offset, planes->size};
}

static VkResult create_sets(struct technique *technique, const struct shw_custom_create *params)
{
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BINDINGS * params->slots};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = params->slots,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VkResult result = technique->CreateDescriptorPool(technique->device, &info, technique->allocator, &technique->pool);

    for (uint32_t s = 0; s < params->slots && result == VK_SUCCESS; s++) {
        const struct shw_custom_slot *slot = &params->slot[s];
        VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                .descriptorPool = technique->pool,
                                                .descriptorSetCount = 1,
                                                .pSetLayouts = &technique->set_layout};
        const VkDescriptorBufferInfo buffers[BINDINGS] = {{params->forest.buffer, 0, params->forest.size},
                                                          buffer_info(&slot->integrals, NULL),
                                                          buffer_info(&slot->leaves, &slot->integrals),
                                                          buffer_info(&slot->distribution, &slot->integrals),
                                                          buffer_info(&slot->argmax, &slot->integrals)};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .descriptorCount = BINDINGS,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = buffers};
        result = technique->AllocateDescriptorSets(technique->device, &allocate, &technique->sets[s]);
        write.dstSet = technique->sets[s];
        if (result == VK_SUCCESS)
            technique->UpdateDescriptorSets(technique->device, 1, &write, 0, NULL);
    }
    return result;
}

static void destroy(void *instance)
{
    struct technique *technique = instance;

    technique->DestroyDescriptorPool(technique->device, technique->pool, technique->allocator);
    technique->DestroyPipeline(technique->device, technique->pipeline, technique->allocator);
    technique->DestroyShaderModule(technique->device, technique->module, technique->allocator);
    technique->DestroyPipelineLayout(technique->device, technique->layout, technique->allocator);
    technique->DestroyDescriptorSetLayout(technique->device, technique->set_layout, technique->allocator);
    free(technique->sets);
    free(technique);
}

static enum shw_result create(void *user, const struct shw_custom_create *params, void **instance)
{
    struct technique *technique = calloc(1, sizeof *technique);
    VkDescriptorSet *sets = calloc(params->slots, sizeof *sets);

    (void)user;
    if (technique == NULL || sets == NULL) {
        free(technique);
        free(sets);
        return fail(&params->log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                    "not enough memory for the technique row-wise");
    }
    technique->device = params->device;
    technique->allocator = params->allocator;
    technique->sets = sets;
    technique->slot = params->slot;
    technique->outputs = params->outputs;
    technique->trees = params->outputs == SHW_OUTPUT_TREE_LEAF ? 1 : params->forest.info->tree_count;
    technique->classes = params->forest.info->class_count;
    if (technique->trees > TREES_MAX || !load_functions(technique, params->get_device_proc_addr)) {
        const char *text = technique->trees > TREES_MAX ? "the technique row-wise takes 64 trees at most"
                                                        : "the technique row-wise misses a function of Vulkan 1.0";
        free(sets);
        free(technique);
        return fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, text);
    }
    if (create_pipeline(technique, params) != VK_SUCCESS || create_sets(technique, params) != VK_SUCCESS) {
        destroy(technique);
        return fail(&params->log, SHW_ERROR_DEVICE_MEMORY, SHW_LOG_VULKAN_CALL,
                    "the pipeline of the technique row-wise cannot be made");
    }
    *instance = technique;
    return SHW_OK;
}

/* Before, the integral images are ready for compute shaders; after, the labeller waits for what compute shaders have
 * written. */
static void record(void *instance, VkCommandBuffer commands, uint32_t slot, const struct shw_custom_frame *frame)
{
    const struct technique *technique = instance;
    const struct shw_custom_slot *planes = &technique->slot[slot];
    struct push push = {.image_x0 = -(int32_t)frame->x,
                        .image_y0 = -(int32_t)frame->y,
                        .image_x1 = (int32_t)frame->full_width - (int32_t)frame->x,
                        .image_y1 = (int32_t)frame->full_height - (int32_t)frame->y,
                        .tile_x = (int32_t)frame->tile_x,
                        .tile_y = (int32_t)frame->tile_y,
                        .tile_width = frame->tile_width,
                        .tile_height = frame->tile_height,
                        .trees = technique->trees,
                        .classes = technique->classes,
                        .outputs = technique->outputs,
                        .integral_stride = planes->integrals.stride,
                        .integral_pitch = planes->integrals.pitch,
                        .leaf_stride = planes->leaves.stride,
                        .leaf_pitch = planes->leaves.pitch,
                        .distribution_stride = planes->distribution.stride,
                        .distribution_pitch = planes->distribution.pitch,
                        .argmax_stride = planes->argmax.stride};

    technique->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, technique->pipeline);
    technique->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, technique->layout, 0, 1,
                                     &technique->sets[slot], 0, NULL);
    technique->CmdPushConstants(commands, technique->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    technique->CmdDispatch(commands, (frame->tile_width + 127) / 128, frame->tile_height, 1);
}

static const struct shw_custom_technique row_wise = {.version = SHW_CUSTOM_TECHNIQUE_VERSION,
                                                     .name = "row-wise",
                                                     .stage = SHW_STAGE_EVALUATE,
                                                     .create = create,
                                                     .record = record,
                                                     .destroy = destroy};

SHW_API const struct shw_custom_technique *const *shadewood_techniques(uint32_t *count);

const struct shw_custom_technique *const *shadewood_techniques(uint32_t *count)
{
    static const struct shw_custom_technique *const techniques[] = {&row_wise};

    *count = 1;
    return techniques;
}
