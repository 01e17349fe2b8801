#include "vulkan/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Descriptor sets, framebuffers and recording of programs. */

/* Pool sizes by descriptor type for exactly `count` sets. */
static uint32_t pool_sizes(const struct shw_program *program, uint32_t count, VkDescriptorPoolSize sizes[3])
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < program->binding_count; i++) {
        uint32_t s = 0;
        while (s < used && sizes[s].type != program->bindings[i].type)
            s++;
        if (s == used)
            sizes[used++] = (VkDescriptorPoolSize){program->bindings[i].type, 0};
        sizes[s].descriptorCount += count;
    }
    return used;
}

enum shw_result shw_sets_create(struct shw_device *device, const struct shw_program *program, uint32_t count,
                                struct shw_sets *sets)
{
    VkDescriptorPoolSize sizes[3];
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = count,
                                       .poolSizeCount = pool_sizes(program, count, sizes),
                                       .pPoolSizes = sizes};
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &program->set_layout};
    enum shw_result result = SHW_OK;

    *sets = (struct shw_sets){.handles = calloc(count, sizeof *sets->handles)};
    if (sets->handles == NULL)
        return shw_fail_memory(&device->log, "descriptor sets");
    VK_TRY(device, CreateDescriptorPool(device->handle, &info, device->allocator, &sets->pool));
    allocate.descriptorPool = sets->pool;
    for (uint32_t i = 0; i < count; i++)
        VK_TRY(device, AllocateDescriptorSets(device->handle, &allocate, &sets->handles[i]));
    return SHW_OK;

fail:
    shw_sets_destroy(device, sets);
    return result;
}

void shw_sets_destroy(struct shw_device *device, struct shw_sets *sets)
{
    if (sets->pool != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorPool(device->handle, sets->pool, device->allocator);
    free(sets->handles);
    *sets = (struct shw_sets){0};
}

void shw_set_write(struct shw_device *device, const struct shw_program *program, VkDescriptorSet set,
                   const struct shw_resource *resources)
{
    VkDescriptorImageInfo images[SHW_BINDINGS_MAX];
    VkDescriptorBufferInfo buffers[SHW_BINDINGS_MAX];
    VkWriteDescriptorSet writes[SHW_BINDINGS_MAX];

    for (uint32_t i = 0; i < program->binding_count; i++) {
        const struct shw_resource *resource = &resources[i];
        const bool is_storage = program->bindings[i].type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

        images[i] = (VkDescriptorImageInfo){.imageView = resource->view,
                                            .imageLayout = is_storage ? VK_IMAGE_LAYOUT_GENERAL
                                                                      : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        buffers[i] = (VkDescriptorBufferInfo){resource->buffer, resource->offset,
                                              resource->size > 0 ? resource->size : VK_WHOLE_SIZE};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = program->bindings[i].binding,
                                           .descriptorCount = 1,
                                           .descriptorType = program->bindings[i].type,
                                           .pImageInfo = &images[i],
                                           .pBufferInfo = &buffers[i]};
    }
    if (program->binding_count > 0)
        device->vk.UpdateDescriptorSets(device->handle, program->binding_count, writes, 0, NULL);
}

enum shw_result shw_framebuffer_create(struct shw_device *device, const struct shw_program *program,
                                       const VkImageView *views, uint32_t width, uint32_t height,
                                       VkFramebuffer *framebuffer)
{
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .renderPass = program->render_pass,
                                    .attachmentCount = program->attachment_count,
                                    .pAttachments = views,
                                    .width = width,
                                    .height = height,
                                    .layers = 1};

    *framebuffer = VK_NULL_HANDLE;
    VK_PROPAGATE(device, CreateFramebuffer(device->handle, &info, device->allocator, framebuffer));
    return SHW_OK;
}

void shw_program_bind_at(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                         VkDescriptorSet set, const uint32_t *offsets, uint32_t count, const void *push)
{
    device->vk.CmdBindPipeline(commands, program->bind_point, program->pipeline);
    if (set != VK_NULL_HANDLE)
        device->vk.CmdBindDescriptorSets(commands, program->bind_point, program->layout, 0, 1, &set, count, offsets);
    if (program->push_bytes > 0)
        device->vk.CmdPushConstants(commands, program->layout, program->stages, 0, program->push_bytes, push);
}

void shw_program_bind(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                      VkDescriptorSet set, const void *push)
{
    shw_program_bind_at(device, commands, program, set, NULL, 0, push);
}

void shw_program_draw_rows(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                           VkDescriptorSet set, const void *push, VkFramebuffer framebuffer, VkRect2D area,
                           uint32_t first, uint32_t rows)
{
    VkClearValue clears[SHW_ATTACHMENTS_MAX] = {0};
    VkRect2D drawn = {{area.offset.x, area.offset.y + (int32_t)first}, {area.extent.width, rows}};
    VkViewport viewport = {.x = (float)area.offset.x,
                           .y = (float)area.offset.y,
                           .width = (float)area.extent.width,
                           .height = (float)area.extent.height,
                           .maxDepth = 1.0f};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = program->render_pass,
                                   .framebuffer = framebuffer,
                                   .renderArea = drawn,
                                   .clearValueCount = program->attachment_count,
                                   .pClearValues = clears};

    device->vk.CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    device->vk.CmdSetViewport(commands, 0, 1, &viewport);
    device->vk.CmdSetScissor(commands, 0, 1, &drawn);
    shw_program_bind(device, commands, program, set, push);
    device->vk.CmdDraw(commands, 3, 1, 0, 0);
    device->vk.CmdEndRenderPass(commands);
}

void shw_program_draw(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                      VkDescriptorSet set, const void *push, VkFramebuffer framebuffer, uint32_t width, uint32_t height)
{
    shw_program_draw_rows(device, commands, program, set, push, framebuffer, (VkRect2D){.extent = {width, height}}, 0,
                          height);
}

void shw_program_dispatch(const struct shw_device *device, VkCommandBuffer commands, const struct shw_program *program,
                          VkDescriptorSet set, const void *push, uint32_t x, uint32_t y, uint32_t z)
{
    shw_program_bind(device, commands, program, set, push);
    device->vk.CmdDispatch(commands, x, y, z);
}

#define UNUSED_MAX  256u /* unused programs to keep */
#define DATA_MAX    128u /* bytes of specialisation constants */
#define ENTRIES_MAX 32u

/* Shaders are identified by what they are, not by where, since types that are no longer used may take theirs away. */
struct shader_key {
    uint64_t low, high, size;
};

/* Everything that determines a program; zeroed first because padding is compared, too. */
struct key {
    struct shader_key compute, vertex, fragment;
    struct shw_binding bindings[SHW_BINDINGS_MAX];
    VkFormat attachments[SHW_ATTACHMENTS_MAX];
    VkSpecializationMapEntry entries[ENTRIES_MAX];
    uint8_t data[DATA_MAX];
    size_t data_size;
    uint32_t binding_count, attachment_count, entry_count, push_bytes;
    VkAttachmentLoadOp load;
    VkPrimitiveTopology topology;
    uint32_t additive, in_pieces;
};

struct shw_program_entry {
    struct shw_program_entry *next;
    struct shw_program program;
    struct key key;
    uint32_t users;
};

static struct shader_key shader_key(struct shw_shader shader)
{
    const XXH128_hash_t hash =
        shader.words != NULL ? XXH3_128bits(shader.words, shader.size) : (XXH128_hash_t){.low64 = 0};

    return (struct shader_key){hash.low64, hash.high64, shader.words != NULL ? shader.size : 0};
}

static bool make_key(const struct shw_program_params *params, struct key *key)
{
    const VkSpecializationInfo *constants = params->specialization;

    memset(key, 0, sizeof *key);
    key->compute = shader_key(params->compute);
    key->vertex = shader_key(params->vertex);
    key->fragment = shader_key(params->fragment);
    key->binding_count = params->binding_count;
    key->attachment_count = params->attachment_count;
    key->push_bytes = params->push_bytes;
    key->load = params->load;
    key->topology = params->topology;
    key->additive = params->additive;
    key->in_pieces = params->in_pieces;
    if (params->binding_count > 0)
        memcpy(key->bindings, params->bindings, params->binding_count * sizeof *key->bindings);
    if (params->attachment_count > 0)
        memcpy(key->attachments, params->attachments, params->attachment_count * sizeof *key->attachments);
    if (constants == NULL)
        return true;
    if (constants->mapEntryCount > ENTRIES_MAX || constants->dataSize > DATA_MAX)
        return false;
    key->entry_count = constants->mapEntryCount;
    key->data_size = constants->dataSize;
    for (uint32_t i = 0; i < constants->mapEntryCount; i++) {
        key->entries[i].constantID = constants->pMapEntries[i].constantID;
        key->entries[i].offset = constants->pMapEntries[i].offset;
        key->entries[i].size = constants->pMapEntries[i].size;
    }
    memcpy(key->data, constants->pData, constants->dataSize);
    return true;
}

void shw_program_cache_create(struct shw_program_cache *cache)
{
    pthread_mutex_init(&cache->mutex, NULL);
    cache->first = NULL;
    cache->count = 0;
}

static void destroy_entry(struct shw_device *device, struct shw_program_entry *entry)
{
    entry->program.entry = NULL;
    shw_program_destroy(device, &entry->program);
    free(entry);
}

void shw_program_cache_destroy(struct shw_device *device)
{
    struct shw_program_cache *cache = &device->programs;

    while (cache->first != NULL) {
        struct shw_program_entry *entry = cache->first;
        cache->first = entry->next;
        destroy_entry(device, entry);
    }
    pthread_mutex_destroy(&cache->mutex);
}

/* Finds a program with the same parameters and adds a user. False if there is none. */
static bool cache_take(struct shw_device *device, const struct shw_program_params *params, struct shw_program *program)
{
    struct shw_program_cache *cache = &device->programs;
    struct shw_program_entry *found = NULL;
    struct key key;

    if (!make_key(params, &key))
        return false;
    pthread_mutex_lock(&cache->mutex);
    for (struct shw_program_entry **link = &cache->first; *link != NULL && found == NULL; link = &(*link)->next)
        if (memcmp(&(*link)->key, &key, sizeof key) == 0) {
            found = *link;
            *link = found->next;
            found->next = cache->first;
            cache->first = found;
            found->users++;
            *program = found->program;
            break;
        }
    pthread_mutex_unlock(&cache->mutex);
    return found != NULL;
}

/* Adds a new program with one user. It remains the caller's if memory is exhausted or its parameters are too many for a
 * key. */
static void cache_put(struct shw_device *device, const struct shw_program_params *params, struct shw_program *program)
{
    struct shw_program_cache *cache = &device->programs;
    struct shw_program_entry *entry = calloc(1, sizeof *entry);

    if (entry == NULL || !make_key(params, &entry->key)) {
        free(entry);
        return;
    }
    program->entry = entry;
    entry->program = *program;
    entry->users = 1;
    pthread_mutex_lock(&cache->mutex);
    entry->next = cache->first;
    cache->first = entry;
    cache->count++;
    pthread_mutex_unlock(&cache->mutex);
}

/* Evicts the least recently used program without users if there are too many. */
static struct shw_program_entry *take_oldest_unused(struct shw_program_cache *cache)
{
    struct shw_program_entry **oldest = NULL, *entry;
    uint32_t unused = 0;

    for (struct shw_program_entry **link = &cache->first; *link != NULL; link = &(*link)->next)
        if ((*link)->users == 0) {
            unused++;
            oldest = link;
        }
    if (unused <= UNUSED_MAX)
        return NULL;
    entry = *oldest;
    *oldest = entry->next;
    cache->count--;
    return entry;
}

/* Removes a user; programs without users are kept up to a limit. */
static void cache_release(struct shw_device *device, struct shw_program *program)
{
    struct shw_program_cache *cache = &device->programs;
    struct shw_program_entry *unused;

    pthread_mutex_lock(&cache->mutex);
    program->entry->users--;
    unused = take_oldest_unused(cache);
    pthread_mutex_unlock(&cache->mutex);
    if (unused != NULL)
        destroy_entry(device, unused);
}

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

    if (cache_take(device, params, program))
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
    cache_put(device, params, program);

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
        cache_release(device, program);
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
