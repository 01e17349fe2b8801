/* A custom technique for the stage evaluate, as a shared object: a compute shader in which each invocation walks all
 * trees for two adjacent pixels. It uses the headers of Shadewood and of Vulkan, but is linked with neither.
 *
 *     shadewood bench pipeline --plugin out/libexample_technique.so
 *
 * (docs/bench.md shows how to build that) times it along with the built-in techniques and compares its results. */
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
    X(CmdPipelineBarrier)                                                                                              \
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
    VkDescriptorSet *sets; /* one per slot */
    const struct shw_stage_slot *slot;
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

static bool knows(const struct shw_feature_type *feature)
{
    return strcmp(feature->name, "sum-difference") == 0 || strcmp(feature->name, "mean-difference") == 0;
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

static VkResult create_pipeline(struct technique *technique, const struct shw_stage_create *params)
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

/* The shader does not use bindings for outputs that were not requested, but every descriptor needs a buffer. */
static VkDescriptorBufferInfo buffer_info(const struct shw_stage_planes *planes,
                                          const struct shw_stage_planes *otherwise)
{
    if (planes->buffer == VK_NULL_HANDLE)
        planes = otherwise;
    return (VkDescriptorBufferInfo){planes->buffer, planes->offset, planes->size};
}

static VkResult create_sets(struct technique *technique, const struct shw_stage_create *params)
{
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BINDINGS * params->slots};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = params->slots,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VkResult result = technique->CreateDescriptorPool(technique->device, &info, technique->allocator, &technique->pool);

    for (uint32_t s = 0; s < params->slots && result == VK_SUCCESS; s++) {
        const struct shw_stage_planes *integrals = shw_stage_find(&params->slot[s], SHW_INTEGRALS);
        VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                .descriptorPool = technique->pool,
                                                .descriptorSetCount = 1,
                                                .pSetLayouts = &technique->set_layout};
        const VkDescriptorBufferInfo buffers[BINDINGS] = {
            {params->forest.buffer, 0, params->forest.size},
            buffer_info(integrals, NULL),
            buffer_info(shw_stage_find(&params->slot[s], SHW_LEAVES), integrals),
            buffer_info(shw_stage_find(&params->slot[s], SHW_DISTRIBUTION), integrals),
            buffer_info(shw_stage_find(&params->slot[s], SHW_ARGMAX), integrals)};
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

static enum shw_result create(void *user, const struct shw_stage_create *params, void **instance)
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
    if (technique->trees > TREES_MAX || !knows(params->forest.info->feature) ||
        !load_functions(technique, params->get_device_proc_addr)) {
        const char *text = technique->trees > TREES_MAX ? "the technique row-wise takes 64 trees at most"
                           : !knows(params->forest.info->feature)
                               ? "the technique row-wise knows differences of sums and of means alone"
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

static uint64_t get_memory(void *user, const struct shw_stage_create *params)
{
    (void)user;
    (void)params;
    return 0; /* it needs no memory except the planes */
}

static void barrier(const struct technique *technique, VkCommandBuffer commands, VkPipelineStageFlags before,
                    VkAccessFlags written, VkPipelineStageFlags after, VkAccessFlags access)
{
    VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, written, access};

    technique->CmdPipelineBarrier(commands, before, after, 0, 1, &memory, 0, NULL, 0, NULL);
}

/* A single step: integral images are ready for compute shaders; earlier commands may still be reading the results. */
static void record(void *instance, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                   struct shw_stage_stretch *stretch)
{
    const struct technique *technique = instance;
    const struct shw_stage_slot *planes = &technique->slot[slot];
    const struct shw_stage_planes *integrals = shw_stage_find(planes, SHW_INTEGRALS),
                                  *leaves = shw_stage_find(planes, SHW_LEAVES),
                                  *distribution = shw_stage_find(planes, SHW_DISTRIBUTION);
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
                        .integral_stride = integrals->stride,
                        .integral_pitch = integrals->pitch,
                        .leaf_stride = leaves->stride,
                        .leaf_pitch = leaves->pitch,
                        .distribution_stride = distribution->stride,
                        .distribution_pitch = distribution->pitch,
                        .argmax_stride = shw_stage_find(planes, SHW_ARGMAX)->stride};

    if (!shw_stage_step(stretch, (uint64_t)technique->trees * frame->tile_width * frame->tile_height))
        return;
    barrier(technique, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_WRITE_BIT);
    technique->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, technique->pipeline);
    technique->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, technique->layout, 0, 1,
                                     &technique->sets[slot], 0, NULL);
    technique->CmdPushConstants(commands, technique->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    technique->CmdDispatch(commands, (frame->tile_width + 127) / 128, frame->tile_height, 1);
    barrier(technique, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
}

static const struct shw_stage_technique row_wise = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                    .name = "row-wise",
                                                    .stage = SHW_STAGE_EVALUATE,
                                                    .form = SHW_PLANES_BUFFER,
                                                    .get_memory = get_memory,
                                                    .create = create,
                                                    .record = record,
                                                    .destroy = destroy,
                                                    .wants_forest = true};

SHW_API const struct shw_stage_technique *const *shadewood_techniques(uint32_t *count);

const struct shw_stage_technique *const *shadewood_techniques(uint32_t *count)
{
    static const struct shw_stage_technique *const techniques[] = {&row_wise};

    *count = 1;
    return techniques;
}
