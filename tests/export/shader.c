/* Forests as shaders: shaders of the test's own, which include them, give the labels and probabilities of the technique
 * cpu. Everything between is Vulkan of an engine (tests/embed/engine.h) that does what the description of the passes
 * says. */
#include "testing/testing.h"

#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/file_bytes.h"
#include "embed/engine.h"
#include "export/compile.h"
#include "files/code/code.h"
#include "files/shader/forest_shader.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

enum { FIXED = 6, INPUTS_MAX = 12, BINDINGS = FIXED + INPUTS_MAX, OUT = 5, OWN_SET = 2 };

/* What a shader that is not ours does with a forest: label and three probabilities of a pixel, group by group. */
static const char own_text[] = "#version 450\n"
                               "#extension GL_GOOGLE_include_directive : require\n"
                               "#define P_SET 1\n"
                               "#include \"P.glsl\"\n"
                               "layout(push_constant) uniform Own { uint group; };\n"
                               "uint share(uint leaves[P_TREES], uint number)\n"
                               "{ return number < P_CLASSES ? p_probability(leaves, number) : 0u; }\n"
                               "uvec4 own(ivec2 at)\n"
                               "{\n"
                               "    uint leaves[P_TREES];\n"
                               "    p_leaves(at, leaves);\n"
                               "    return uvec4(uint(p_label(at)), share(leaves, 3u * group),\n"
                               "                 share(leaves, 3u * group + 1u), share(leaves, 3u * group + 2u));\n"
                               "}\n"
                               "#ifdef OWN_COMPUTE\n"
                               "layout(local_size_x = 4, local_size_y = 16) in;\n"
                               "layout(set = 0, binding = 5, rgba32ui) uniform writeonly uimage2DArray target;\n"
                               "void main()\n"
                               "{\n"
                               "    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
                               "    if (all(lessThan(at, P_SIZE)))\n"
                               "        imageStore(target, ivec3(at, group), own(at));\n"
                               "}\n"
                               "#else\n"
                               "layout(location = 0) out uvec4 target;\n"
                               "void main() { target = own(ivec2(gl_FragCoord.xy)); }\n"
                               "#endif\n";
static const char vertex_text[] = "#version 450\n"
                                  "void main()\n"
                                  "{ gl_Position = vec4(4 * (gl_VertexIndex & 1) - 1, 2 * (gl_VertexIndex & 2) - 1, "
                                  "0, 1); }\n";

struct plane {
    char name[40];
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view, layer_views[256];
    VkFormat format;
    uint32_t width, height, layers, bytes;
};

struct rig {
    struct engine engine;
    json_t *document;
    struct plane planes[INPUTS_MAX + 12];
    uint32_t plane_count, width, height;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout; /* of passes and of our own shader, whose set is the first */
    VkDescriptorPool pool;
    VkShaderModule vertex;
    char folder[256], name[64];
    bool is_compute;
};

/* --- Shaders --- */

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static VkShaderModule compile(struct rig *rig, const char *file, const char *options)
{
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkShaderModule module;
    char path[512];
    struct shw_file_bytes bytes;

    snprintf(path, sizeof path, "%s/%s", rig->folder, file);
    compile_file(path, options, &bytes);
    info.pCode = (const uint32_t *)(void *)bytes.bytes;
    info.codeSize = bytes.size;
    assert_int_equal(rig->engine.vk.CreateShaderModule(rig->engine.handle, &info, NULL, &module), VK_SUCCESS);
    shw_file_bytes_free(&bytes);
    return module;
}

/* "p" in place of the name in a text, "P" in capitals. */
static void write_own(const struct rig *rig, const char *file)
{
    char text[8192], path[512], *to = text;

    for (const char *at = own_text; *at != '\0'; at++) {
        const bool begins = at == own_text || (at[-1] != '_' && !isalnum((unsigned char)at[-1]));
        if (begins && (*at == 'p' || *at == 'P') && (at[1] == '_' || at[1] == '.')) {
            for (const char *letter = rig->name; *letter != '\0'; letter++)
                *to++ = (char)(*at == 'P' && at[1] == '_' && *letter >= 'a' && *letter <= 'z' ? *letter - 32 : *letter);
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    snprintf(path, sizeof path, "%s/%s", rig->folder, file);
    write_text(path, text);
}

/* --- Images --- */

static void transfer(struct rig *rig, const struct plane *plane, void *bytes, bool back)
{
    const struct shw_vk *vk = &rig->engine.vk;
    const VkDeviceSize size = (VkDeviceSize)plane->width * plane->height * plane->layers * plane->bytes;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = back ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = plane->image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, plane->layers}};
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, plane->layers},
                                      .imageExtent = {plane->width, plane->height, 1}};
    VkPhysicalDeviceMemoryProperties properties;
    VkMemoryRequirements needs;
    struct engine_frame frame;
    VkDeviceMemory memory;
    VkBuffer buffer;
    void *mapped;

    assert_int_equal(vk->CreateBuffer(rig->engine.handle, &info, NULL, &buffer), VK_SUCCESS);
    vk->GetBufferMemoryRequirements(rig->engine.handle, buffer, &needs);
    vk->GetPhysicalDeviceMemoryProperties(rig->engine.physical, &properties);
    allocate.allocationSize = needs.size;
    while ((needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0 ||
           (~properties.memoryTypes[allocate.memoryTypeIndex].propertyFlags &
            (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) != 0)
        allocate.memoryTypeIndex++;
    assert_int_equal(vk->AllocateMemory(rig->engine.handle, &allocate, NULL, &memory), VK_SUCCESS);
    assert_int_equal(vk->BindBufferMemory(rig->engine.handle, buffer, memory, 0), VK_SUCCESS);
    assert_int_equal(vk->MapMemory(rig->engine.handle, memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
    if (!back && bytes != NULL)
        memcpy(mapped, bytes, size);
    else
        memset(mapped, 0x5a, size); /* of images that passes write */
    engine_begin(&rig->engine, &frame);
    vk->CmdPipelineBarrier(frame.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                           NULL, 0, NULL, 1, &barrier);
    if (back)
        vk->CmdCopyImageToBuffer(frame.commands, plane->image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &region);
    else
        vk->CmdCopyBufferToImage(frame.commands, buffer, plane->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    vk->CmdPipelineBarrier(frame.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                           &to_host, 0, NULL, 0, NULL);
    engine_submit(&rig->engine, &frame);
    engine_wait(&rig->engine, &frame);
    if (back)
        memcpy(bytes, mapped, size);
    vk->DestroyBuffer(rig->engine.handle, buffer, NULL);
    vk->FreeMemory(rig->engine.handle, memory, NULL);
}

static VkImageView create_view(struct rig *rig, const struct plane *plane, bool is_array, uint32_t first,
                               uint32_t count)
{
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = plane->image,
                                        .viewType = is_array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                        .format = plane->format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, first, count}};
    VkImageView view;

    assert_int_equal(rig->engine.vk.CreateImageView(rig->engine.handle, &info, NULL, &view), VK_SUCCESS);
    return view;
}

static VkFormat format_of(const char *name, uint32_t *bytes)
{
    static const struct {
        const char *name;
        VkFormat format;
        uint32_t bytes;
    } formats[] = {{"VK_FORMAT_R8G8B8A8_UNORM", VK_FORMAT_R8G8B8A8_UNORM, 4},
                   {"VK_FORMAT_R16_UINT", VK_FORMAT_R16_UINT, 2},
                   {"VK_FORMAT_R16_SINT", VK_FORMAT_R16_SINT, 2},
                   {"VK_FORMAT_R32_UINT", VK_FORMAT_R32_UINT, 4},
                   {"VK_FORMAT_R32_SFLOAT", VK_FORMAT_R32_SFLOAT, 4},
                   {"VK_FORMAT_R32G32B32A32_UINT", VK_FORMAT_R32G32B32A32_UINT, 16}};
    size_t f = 0;

    while (strcmp(formats[f].name, name) != 0) {
        f++;
        assert_true(f < sizeof formats / sizeof *formats);
    }
    *bytes = formats[f].bytes;
    return formats[f].format;
}

/* `writable`: passes write it, layer by layer. */
static void add_plane(struct rig *rig, const char *name, const char *format, uint32_t width, uint32_t height,
                      uint32_t layers, bool is_array, bool writable, void *bytes)
{
    const struct shw_vk *vk = &rig->engine.vk;
    struct plane *plane = &rig->planes[rig->plane_count++];
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .extent = {width, height, 1},
                              .mipLevels = 1,
                              .arrayLayers = layers,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                       VK_IMAGE_USAGE_SAMPLED_BIT};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;

    assert_true(rig->plane_count <= sizeof rig->planes / sizeof *rig->planes && layers <= 256);
    *plane = (struct plane){.width = width, .height = height, .layers = layers};
    snprintf(plane->name, sizeof plane->name, "%s", name);
    plane->format = info.format = format_of(format, &plane->bytes);
    if (writable)
        info.usage |= rig->is_compute ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    assert_int_equal(vk->CreateImage(rig->engine.handle, &info, NULL, &plane->image), VK_SUCCESS);
    vk->GetImageMemoryRequirements(rig->engine.handle, plane->image, &needs);
    allocate.allocationSize = needs.size;
    while ((needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0)
        allocate.memoryTypeIndex++;
    assert_int_equal(vk->AllocateMemory(rig->engine.handle, &allocate, NULL, &plane->memory), VK_SUCCESS);
    assert_int_equal(vk->BindImageMemory(rig->engine.handle, plane->image, plane->memory, 0), VK_SUCCESS);
    plane->view = create_view(rig, plane, is_array, 0, layers);
    for (uint32_t layer = 0; writable && !rig->is_compute && layer < layers; layer++)
        plane->layer_views[layer] = create_view(rig, plane, false, layer, 1);
    transfer(rig, plane, bytes, false);
}

static struct plane *find_plane(struct rig *rig, const char *name)
{
    for (uint32_t p = 0; p < rig->plane_count; p++)
        if (strcmp(rig->planes[p].name, name) == 0)
            return &rig->planes[p];
    fail_msg("no image %s", name);
    return NULL;
}

static int number(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);

    assert_true(json_is_integer(member) || json_is_boolean(member));
    return json_is_boolean(member) ? json_is_true(member) : (int)json_integer_value(member);
}

static const char *text(const json_t *object, const char *name)
{
    const char *found = json_string_value(json_object_get(object, name));

    assert_non_null(found);
    return found;
}

static void add_table(struct rig *rig, const char *name)
{
    const json_t *table = json_object_get(rig->document, name);
    struct shw_file_bytes bytes;
    char path[512];

    if (table == NULL)
        return;
    snprintf(path, sizeof path, "%s/%s", rig->folder, text(table, "raw"));
    assert_int_equal(shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, NULL, &bytes), SHW_OK);
    assert_int_equal(bytes.size, 16 * number(table, "width") * number(table, "height") * number(table, "layers"));
    add_plane(rig, name, text(table, "format"), (uint32_t)number(table, "width"), (uint32_t)number(table, "height"),
              (uint32_t)number(table, "layers"), number(table, "layers") > 1, false, bytes.bytes);
    shw_file_bytes_free(&bytes);
}

/* What the format of an input in the description holds, of the test's image. */
static void add_input(struct rig *rig, const json_t *input, const struct shw_inputs *inputs)
{
    const char *name = text(input, "name"), *format = text(input, "format");
    const struct shw_image *image = NULL;
    uint32_t bytes;
    size_t stride;
    char *texels;

    for (uint32_t i = 0; i < inputs->count; i++)
        if (strcmp(name, inputs->inputs[i].name != NULL ? inputs->inputs[i].name : SHW_COLOUR) == 0)
            image = &inputs->inputs[i].image;
    assert_non_null(image);
    stride = image->stride != 0 ? image->stride : image->width * (image->format == SHW_PIXEL_GREY16 ? 2u : 4u);
    format_of(format, &bytes);
    texels = malloc((size_t)image->width * image->height * bytes);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            const char *row = (const char *)image->pixels + y * stride;
            char *texel = texels + (size_t)(y * image->width + x) * bytes;
            if (image->format == SHW_PIXEL_RGB8) {
                memcpy(texel, row + 3 * (size_t)x, 3);
                texel[3] = 77;
            } else if (image->format == SHW_PIXEL_GREY8) {
                const uint16_t wide = (uint16_t)(257 * (uint8_t)row[x]);
                const float real = (uint8_t)row[x];
                memcpy(texel, bytes == 2 ? (const void *)&wide : (const void *)&real, bytes);
            } else if (image->format == SHW_PIXEL_GREY16 && bytes == 4) {
                uint16_t wide;
                memcpy(&wide, row + 2 * (size_t)x, 2);
                *(float *)(void *)texel = wide;
            } else {
                memcpy(texel, row + (size_t)x * bytes, bytes);
            }
        }
    add_plane(rig, name, format, image->width, image->height, 1, false, false, texels);
    free(texels);
}

/* --- Passes --- */

static VkRenderPass create_render_pass(struct rig *rig, VkFormat format, uint32_t count)
{
    VkAttachmentDescription attachments[4];
    VkAttachmentReference references[4];
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = count,
                                          .pColorAttachments = references};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = count,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    VkRenderPass pass;

    for (uint32_t a = 0; a < count; a++) {
        attachments[a] = (VkAttachmentDescription){.format = format,
                                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                                   .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                   .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                   .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
        references[a] = (VkAttachmentReference){a, VK_IMAGE_LAYOUT_GENERAL};
    }
    assert_int_equal(rig->engine.vk.CreateRenderPass(rig->engine.handle, &info, NULL, &pass), VK_SUCCESS);
    return pass;
}

static VkPipeline create_pipeline(struct rig *rig, VkShaderModule module, VkRenderPass pass, uint32_t outputs)
{
    const VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = rig->is_compute ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = module,
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = rig->vertex,
         .pName = "main"}};
    const VkComputePipelineCreateInfo compute = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .stage = stages[0], .layout = rig->layout};
    const VkPipelineVertexInputStateCreateInfo vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {.sType =
                                                              VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                          .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState write[4] = {
        {.colorWriteMask = 15}, {.colorWriteMask = 15}, {.colorWriteMask = 15}, {.colorWriteMask = 15}};
    const VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .attachmentCount = outputs,
                                                       .pAttachments = write};
    static const VkDynamicState dynamic[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    const VkPipelineDynamicStateCreateInfo states = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                     .dynamicStateCount = 2,
                                                     .pDynamicStates = dynamic};
    const VkGraphicsPipelineCreateInfo graphics = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                   .stageCount = 2,
                                                   .pStages = stages,
                                                   .pVertexInputState = &vertices,
                                                   .pInputAssemblyState = &assembly,
                                                   .pViewportState = &viewport,
                                                   .pRasterizationState = &raster,
                                                   .pMultisampleState = &samples,
                                                   .pColorBlendState = &blend,
                                                   .pDynamicState = &states,
                                                   .layout = rig->layout,
                                                   .renderPass = pass};
    VkPipeline pipeline;

    if (rig->is_compute)
        assert_int_equal(
            rig->engine.vk.CreateComputePipelines(rig->engine.handle, VK_NULL_HANDLE, 1, &compute, NULL, &pipeline),
            VK_SUCCESS);
    else
        assert_int_equal(
            rig->engine.vk.CreateGraphicsPipelines(rig->engine.handle, VK_NULL_HANDLE, 1, &graphics, NULL, &pipeline),
            VK_SUCCESS);
    return pipeline;
}

/* A set with what a pass reads and, of computing, writes. */
static VkDescriptorSet make_set(struct rig *rig, const json_t *reads, const struct plane *source,
                                const struct plane *out)
{
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = rig->pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &rig->set_layout};
    VkDescriptorImageInfo images[BINDINGS + 1];
    VkWriteDescriptorSet writes[BINDINGS + 1];
    VkDescriptorSet set;
    uint32_t count = 0;

    assert_int_equal(rig->engine.vk.AllocateDescriptorSets(rig->engine.handle, &allocate, &set), VK_SUCCESS);
    for (size_t r = 0; r < json_array_size(reads) + (out != NULL); r++) {
        const json_t *read = json_array_get(reads, r);
        const struct plane *plane = read == NULL ? out : source != NULL ? source : find_plane(rig, text(read, "image"));
        images[count] = (VkDescriptorImageInfo){.imageView = plane->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
        writes[count] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                               .dstSet = set,
                                               .dstBinding = read != NULL ? (uint32_t)number(read, "binding") : OUT,
                                               .descriptorCount = 1,
                                               .descriptorType = read != NULL ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                                                              : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                               .pImageInfo = &images[count]};
        count++;
    }
    rig->engine.vk.UpdateDescriptorSets(rig->engine.handle, count, writes, 0, NULL);
    return set;
}

struct draw {
    VkPipeline pipeline;
    VkRenderPass pass;
    VkDescriptorSet sets[OWN_SET];
    const struct plane *out;
    uint32_t outputs, first_layer;
    int32_t push[3];
};

static void draw(struct rig *rig, const struct draw *draw)
{
    const struct shw_vk *vk = &rig->engine.vk;
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = draw->pass,
                                          .attachmentCount = draw->outputs,
                                          .pAttachments = draw->out->layer_views + draw->first_layer,
                                          .width = draw->out->width,
                                          .height = draw->out->height,
                                          .layers = 1};
    const VkViewport viewport = {0, 0, (float)draw->out->width, (float)draw->out->height, 0, 1};
    const VkRect2D scissor = {{0, 0}, {draw->out->width, draw->out->height}};
    VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = draw->pass, .renderArea = scissor};
    struct engine_frame frame;
    VkFramebuffer framebuffer;

    assert_int_equal(vk->CreateFramebuffer(rig->engine.handle, &info, NULL, &framebuffer), VK_SUCCESS);
    begin.framebuffer = framebuffer;
    engine_begin(&rig->engine, &frame);
    vk->CmdBeginRenderPass(frame.commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vk->CmdBindPipeline(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw->pipeline);
    vk->CmdBindDescriptorSets(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, rig->layout, 0, OWN_SET, draw->sets, 0,
                              NULL);
    vk->CmdPushConstants(frame.commands, rig->layout, VK_SHADER_STAGE_ALL, 0, sizeof draw->push, draw->push);
    vk->CmdSetViewport(frame.commands, 0, 1, &viewport);
    vk->CmdSetScissor(frame.commands, 0, 1, &scissor);
    vk->CmdDraw(frame.commands, 3, 1, 0, 0);
    vk->CmdEndRenderPass(frame.commands);
    engine_submit(&rig->engine, &frame);
    engine_wait(&rig->engine, &frame);
    vk->DestroyFramebuffer(rig->engine.handle, framebuffer, NULL);
}

static void dispatch(struct rig *rig, const struct draw *draw, uint32_t x, uint32_t y, uint32_t z)
{
    const struct shw_vk *vk = &rig->engine.vk;
    struct engine_frame frame;

    engine_begin(&rig->engine, &frame);
    vk->CmdBindPipeline(frame.commands, VK_PIPELINE_BIND_POINT_COMPUTE, draw->pipeline);
    vk->CmdBindDescriptorSets(frame.commands, VK_PIPELINE_BIND_POINT_COMPUTE, rig->layout, 0, OWN_SET, draw->sets, 0,
                              NULL);
    vk->CmdPushConstants(frame.commands, rig->layout, VK_SHADER_STAGE_ALL, 0, sizeof draw->push, draw->push);
    vk->CmdDispatch(frame.commands, x, y, z);
    engine_submit(&rig->engine, &frame);
    engine_wait(&rig->engine, &frame);
}

/* The groups of a pass of drawing, with the step of sums. */
static void draw_groups(struct rig *rig, struct draw *what, uint32_t groups, int step_x, int step_y)
{
    for (uint32_t group = 0; group < groups; group++) {
        what->first_layer = what->outputs == 4 ? 4 * group : 0;
        what->push[0] = (int32_t)group;
        what->push[1] = step_x;
        what->push[2] = step_y;
        draw(rig, what);
    }
}

/* The rest of the sums, from one image to the other and back; the image "sums" then has the result. */
static void draw_more_sums(struct rig *rig, const json_t *reads, struct draw *what, uint32_t groups)
{
    struct plane *sums = find_plane(rig, "sums"), *scratch = find_plane(rig, "scratch"), swapped;
    int step = 4;

    for (bool down = false; !down || step < (int)rig->height; step *= 4) {
        if (!down && step >= (int)rig->width) {
            down = true;
            step = 1;
            if (step >= (int)rig->height)
                break;
        }
        what->sets[0] = make_set(rig, reads, sums, NULL);
        what->sets[1] = what->sets[0];
        what->out = scratch;
        draw_groups(rig, what, groups, down ? 0 : step, down ? step : 0);
        swapped = *sums;
        *sums = *scratch;
        *scratch = swapped;
        strcpy(sums->name, "sums");
        strcpy(scratch->name, "scratch");
    }
}

static void run_pass(struct rig *rig, const json_t *pass)
{
    const int which = number(pass, "pass");
    const uint32_t groups = (uint32_t)number(pass, "groups");
    const json_t *reads = json_object_get(pass, "reads");
    struct draw what = {.out = find_plane(rig, text(pass, "writes")), .outputs = which == 7 ? 1 : 4};
    char file[128], options[128];
    VkShaderModule module;

    snprintf(file, sizeof file, "%s.%s", rig->name, rig->is_compute ? "comp" : "frag");
    for (char *at = strcpy(options + 64, rig->name); *at != '\0'; at++)
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 32 : *at);
    snprintf(options, 64, "-D%.40s_PASS=%d", options + 64, which);
    module = compile(rig, file, options);
    if (!rig->is_compute)
        what.pass = create_render_pass(rig, what.out->format, what.outputs);
    what.pipeline = create_pipeline(rig, module, what.pass, what.outputs);
    what.sets[0] = what.sets[1] = make_set(rig, reads, NULL, rig->is_compute ? what.out : NULL);
    if (rig->is_compute && (which == 5 || which == 6))
        dispatch(rig, &what, which == 5 ? what.out->height : what.out->width, what.out->layers, 1);
    else if (rig->is_compute)
        dispatch(rig, &what, (rig->width + 7) / 8, (rig->height + 7) / 8, groups);
    else if (which == 6)
        draw_more_sums(rig, reads, &what, groups);
    else
        draw_groups(rig, &what, groups, 1, 0);
    rig->engine.vk.DestroyPipeline(rig->engine.handle, what.pipeline, NULL);
    rig->engine.vk.DestroyRenderPass(rig->engine.handle, what.pass, NULL);
    rig->engine.vk.DestroyShaderModule(rig->engine.handle, module, NULL);
}

/* Our own shader: labels and probabilities, four numbers in a texel. */
static void run_own(struct rig *rig, const json_t *label_pass, uint32_t groups, const char *options)
{
    struct draw what = {.out = find_plane(rig, "own"), .outputs = 1};
    const char *file = rig->is_compute ? "own.comp" : "own.frag";
    VkShaderModule module;

    write_own(rig, file);
    module = compile(rig, file, options);
    if (!rig->is_compute)
        what.pass = create_render_pass(rig, what.out->format, 1);
    what.pipeline = create_pipeline(rig, module, what.pass, 1);
    what.sets[0] = make_set(rig, NULL, NULL, rig->is_compute ? what.out : NULL);
    what.sets[1] = make_set(rig, json_object_get(label_pass, "reads"), NULL, NULL);
    for (uint32_t group = 0; group < groups; group++) {
        what.push[0] = (int32_t)group;
        what.first_layer = group;
        if (rig->is_compute)
            dispatch(rig, &what, (rig->width + 3) / 4, (rig->height + 15) / 16, 1);
        else
            draw(rig, &what);
    }
    rig->engine.vk.DestroyPipeline(rig->engine.handle, what.pipeline, NULL);
    rig->engine.vk.DestroyRenderPass(rig->engine.handle, what.pass, NULL);
    rig->engine.vk.DestroyShaderModule(rig->engine.handle, module, NULL);
}

/* --- The rig --- */

static void create_layouts(struct rig *rig)
{
    const struct shw_vk *vk = &rig->engine.vk;
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    VkDescriptorSetLayout layouts[OWN_SET];
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
    const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 12};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = OWN_SET,
                                         .pSetLayouts = layouts,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &push};
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 64 * BINDINGS},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 64}};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 64, .poolSizeCount = 2, .pPoolSizes = sizes};

    for (uint32_t b = 0; b < BINDINGS; b++)
        bindings[b] = (VkDescriptorSetLayoutBinding){.binding = b,
                                                     .descriptorType = b == OUT ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                                                                : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_ALL};
    assert_int_equal(vk->CreateDescriptorSetLayout(rig->engine.handle, &set, NULL, &rig->set_layout), VK_SUCCESS);
    layouts[0] = layouts[1] = rig->set_layout;
    assert_int_equal(vk->CreatePipelineLayout(rig->engine.handle, &layout, NULL, &rig->layout), VK_SUCCESS);
    assert_int_equal(vk->CreateDescriptorPool(rig->engine.handle, &pool, NULL, &rig->pool), VK_SUCCESS);
}

static void add_planes(struct rig *rig, const struct shw_inputs *inputs, uint32_t own_layers)
{
    const json_t *entry;
    size_t i;

    add_table(rig, "table");
    add_table(rig, "lab");
    json_array_foreach(json_object_get(rig->document, "inputs"), i, entry) add_input(rig, entry, inputs);
    json_array_foreach(json_object_get(rig->document, "images"), i, entry)
    {
        const char *name = text(entry, "name");
        const uint32_t larger = (uint32_t)number(entry, "larger");
        for (int copy = 0; copy < (strcmp(name, "sums") == 0 && !rig->is_compute ? 2 : 1); copy++)
            add_plane(rig, copy > 0 ? "scratch" : name, text(entry, "format"), rig->width + larger,
                      rig->height + larger, (uint32_t)number(entry, "layers"), strcmp(name, "labels") != 0, true, NULL);
    }
    add_plane(rig, "own", "VK_FORMAT_R32G32B32A32_UINT", rig->width, rig->height, own_layers, true, true, NULL);
}

static void open_rig(struct rig *rig, const struct shw_inputs *inputs, uint32_t classes)
{
    static const VkPhysicalDeviceFeatures features = {.shaderStorageImageExtendedFormats = VK_TRUE};
    char path[512];

    engine_open_with(&rig->engine, &features);
    snprintf(path, sizeof path, "%s/%s.json", rig->folder, rig->name);
    rig->document = json_load_file(path, 0, NULL);
    assert_non_null(rig->document);
    create_layouts(rig);
    snprintf(path, sizeof path, "%s/triangle.vert", rig->folder);
    write_text(path, vertex_text);
    rig->vertex = compile(rig, "triangle.vert", "");
    add_planes(rig, inputs, (classes + 2) / 3);
}

static void close_rig(struct rig *rig)
{
    const struct shw_vk *vk = &rig->engine.vk;

    for (uint32_t p = 0; p < rig->plane_count; p++) {
        for (uint32_t l = 0; l < 256; l++)
            vk->DestroyImageView(rig->engine.handle, rig->planes[p].layer_views[l], NULL);
        vk->DestroyImageView(rig->engine.handle, rig->planes[p].view, NULL);
        vk->DestroyImage(rig->engine.handle, rig->planes[p].image, NULL);
        vk->FreeMemory(rig->engine.handle, rig->planes[p].memory, NULL);
    }
    vk->DestroyShaderModule(rig->engine.handle, rig->vertex, NULL);
    vk->DestroyDescriptorPool(rig->engine.handle, rig->pool, NULL);
    vk->DestroyPipelineLayout(rig->engine.handle, rig->layout, NULL);
    vk->DestroyDescriptorSetLayout(rig->engine.handle, rig->set_layout, NULL);
    json_decref(rig->document);
    engine_close(&rig->engine);
}

/* --- Comparison --- */

static void check_own(struct rig *rig, const struct testing_labelling *expected, const char *what)
{
    const size_t pixels = (size_t)rig->width * rig->height;
    const uint32_t groups = (expected->classes + 2) / 3;
    uint32_t(*own)[4] = malloc(pixels * groups * sizeof *own);

    transfer(rig, find_plane(rig, "own"), own, true);
    for (size_t p = 0; p < pixels; p++) {
        const uint16_t label = expected->out.argmax[p];
        if (own[p][0] != (label == 0xffff ? UINT32_MAX : label))
            fail_msg("%s: pixel %zu: label %d, not %u", what, p, (int)own[p][0], label);
        for (uint32_t c = 0; c < expected->classes; c++)
            if (own[(size_t)(c / 3) * pixels + p][1 + c % 3] != expected->out.distribution[c * pixels + p])
                fail_msg("%s: pixel %zu, class %u: %u, not %u", what, p, c,
                         own[(size_t)(c / 3) * pixels + p][1 + c % 3], expected->out.distribution[c * pixels + p]);
    }
    free(own);
}

static void check_label_image(struct rig *rig, const struct testing_labelling *expected, const char *what)
{
    const size_t pixels = (size_t)rig->width * rig->height;
    uint16_t *labels = malloc(2 * pixels);

    transfer(rig, find_plane(rig, "labels"), labels, true);
    for (size_t p = 0; p < pixels; p++)
        if (labels[p] != expected->out.argmax[p])
            fail_msg("%s: pixel %zu: label %u, not %u", what, p, labels[p], expected->out.argmax[p]);
    free(labels);
}

/* All passes, and our own shader; `direct`: it makes the channels itself. */
static void run(struct rig *rig, const struct shw_inputs *inputs, const struct testing_labelling *expected, bool direct)
{
    const json_t *passes, *pass = NULL;
    const char *what = rig->is_compute ? "compute" : "fragment";
    char options[160], macro[64] = "";

    open_rig(rig, inputs, expected->classes);
    passes = json_object_get(rig->document, "passes");
    for (size_t i = 0; i < json_array_size(passes); i++) {
        pass = json_array_get(passes, i);
        if (!direct || number(pass, "pass") == 7)
            run_pass(rig, pass);
    }
    for (size_t i = 0; i <= strlen(rig->name); i++)
        macro[i] = (char)(rig->name[i] >= 'a' && rig->name[i] <= 'z' ? rig->name[i] - 32 : rig->name[i]);
    snprintf(options, sizeof options, "%s", rig->is_compute ? "-DOWN_COMPUTE" : "");
    if (number(rig->document, "direct") && !direct)
        snprintf(options, sizeof options, "%s -D%s_DIRECT=0", rig->is_compute ? "-DOWN_COMPUTE" : "", macro);
    run_own(rig, pass, (expected->classes + 2) / 3, options);
    check_own(rig, expected, what);
    check_label_image(rig, expected, what);
    close_rig(rig);
}

static enum shw_result may_write(void *user, const char *path)
{
    unsigned *asked = user;

    (void)path;
    (*asked)++;
    return SHW_OK;
}

static void export_forest(const struct shw_forest *forest, const char *path, struct rig *rig)
{
    char *files[SHW_SHADER_FILES] = {NULL};
    unsigned made = 0, asked = 0;
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_forest_shader shader;

    if (shw_forest_shader_make(forest, path, &log, &shader) != SHW_OK)
        fail_msg("%s", memory.last);
    snprintf(rig->folder, sizeof rig->folder, "%s", testing_path(""));
    snprintf(rig->name, sizeof rig->name, "%s", shader.name);
    for (int f = 0; f < SHW_SHADER_FILES; f++)
        if (shader.files[f].bytes != NULL) {
            files[f] = shw_forest_shader_path(&shader, (enum shw_shader_file)f, rig->folder);
            made++;
        }
    assert_int_equal(shw_forest_shader_write(&shader, files, may_write, &asked, &log), SHW_OK);
    assert_int_equal(asked, made);
    for (int f = 0; f < SHW_SHADER_FILES; f++) {
        const struct shw_file_kind *kind = shw_forest_shader_kind((enum shw_shader_file)f);

        if (files[f] != NULL && kind->is_ours != NULL)
            assert_true(kind->is_ours(files[f], kind->name));
        free(files[f]);
    }
    if (getenv("SHW_SHOW") != NULL)
        printf("# %s: %u lines\n", path, shader.lines);
    assert_true(shader.lines < 1500);
    shw_forest_shader_free(&shader);
}

/* Images for every input that a forest may read. */
struct pictures {
    uint32_t count;
    struct shw_input inputs[8];
};

static void make_pictures(uint64_t seed, uint32_t width, uint32_t height, struct pictures *pictures)
{
    struct testing_random random = {seed};

    *pictures = (struct pictures){
        .count = 8,
        .inputs = {{.image = testing_image(&random, width, height, SHW_PIXEL_RGB8, 0)},
                   {.name = SHW_PREVIOUS, .image = testing_image(&random, width, height, SHW_PIXEL_RGB8, 0)},
                   {.name = SHW_DEPTH, .image = testing_depth(&random, width, height)},
                   {.name = SHW_HEIGHT, .image = testing_depth(&random, width, height)},
                   {.name = "pa", .image = testing_image(&random, width, height, SHW_PIXEL_GREY8, 0)},
                   {.name = "pb", .image = testing_image(&random, width, height, SHW_PIXEL_GREY16, 0)},
                   {.name = "pc-2", .image = testing_image(&random, width, height, SHW_PIXEL_GREY16, 0)},
                   {.name = TESTING_FLOAT_PLANE, .image = testing_floats(&random, width, height)}}};
}

static void free_pictures(struct pictures *pictures)
{
    for (uint32_t i = 0; i < pictures->count; i++)
        free((void *)(uintptr_t)pictures->inputs[i].image.pixels);
}

static struct testing_labelling label(const struct shw_forest *forest, const struct shw_inputs *inputs)
{
    const struct shw_labeller_params params = {.forest = forest,
                                               .outputs = TESTING_ALL_OUTPUTS,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU};
    struct testing_labelling got =
        testing_labelling(forest, inputs->inputs[0].image.width, inputs->inputs[0].image.height);
    struct shw_labeller *labeller;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, inputs, &got.out), SHW_OK);
    shw_labeller_destroy(&labeller);
    return got;
}

/* The inputs that a forest reads, of these pictures. */
static struct shw_inputs choose(const struct shw_forest *forest, const struct pictures *pictures,
                                struct shw_input chosen[8])
{
    struct shw_inputs inputs = {0, chosen};
    const char *name;

    for (uint32_t i = 0; (name = shw_forest_get_input(forest, i)) != NULL; i++)
        for (uint32_t p = 0; p < pictures->count; p++)
            if (strcmp(name, pictures->inputs[p].name != NULL ? pictures->inputs[p].name : SHW_COLOUR) == 0)
                chosen[inputs.count++] = pictures->inputs[p];
    return inputs;
}

static void check_forest(const struct shw_forest *forest, const char *path, uint64_t seed, uint32_t width,
                         uint32_t height)
{
    struct pictures pictures;
    struct shw_input chosen[8];
    struct shw_inputs inputs;
    struct testing_labelling expected;
    struct rig *rig = calloc(1, sizeof *rig);

    make_pictures(seed, width, height, &pictures);
    inputs = choose(forest, &pictures, chosen);
    expected = label(forest, &inputs);
    for (int way = 0; way < 4; way++) {
        if (seed > 10 && (seed + (uint64_t)way) % 2 == 1 && !testing_is_slow()) /* by turns */
            continue;
        *rig = (struct rig){.width = width, .height = height, .is_compute = way % 2 == 0};
        export_forest(forest, path, rig);
        if (way >= 2) {
            char file[512];
            json_t *document;
            snprintf(file, sizeof file, "%s/%s.json", rig->folder, rig->name);
            document = json_load_file(file, 0, NULL);
            const bool is_direct = json_is_true(json_object_get(document, "direct"));
            json_decref(document);
            if (!is_direct)
                break;
        }
        run(rig, &inputs, &expected, way >= 2);
    }
    testing_labelling_free(&expected);
    free_pictures(&pictures);
    free(rig);
}

static void check_random(struct random_forest_params params, uint32_t width, uint32_t height)
{
    struct shw_forest *forest = random_forest(&params);

    check_forest(forest, "some/Rooms-2.ktx2", params.seed, width, height);
    shw_forest_destroy(&forest);
}

/* --- Cases --- */

#define FEATURE(name) shw_feature_type_by_name(name)

TESTING_CASE(differences_of_rectangles)
{
    check_random((struct random_forest_params){.seed = 1, .classes = 20, .trees = 3, .depth = 6, .split_percent = 70},
                 37, 23);
    check_random((struct random_forest_params){.seed = 2,
                                               .feature = FEATURE("sum-difference"),
                                               .channels = "wide",
                                               .classes = 9,
                                               .trees = 5,
                                               .depth = 5,
                                               .single_percent = 50,
                                               .shares_leaves = true,
                                               .extreme = true},
                 16, 65);
}

TESTING_CASE(smallest_images_and_trees)
{
    check_random((struct random_forest_params){.seed = 3, .classes = 2, .trees = 1, .depth = 3, .offset_max = 32000}, 1,
                 1);
    check_random((struct random_forest_params){.seed = 4, .classes = 8, .trees = 2}, 70, 1);
    check_random((struct random_forest_params){.seed = 5, .classes = 17, .trees = 40, .depth = 2}, 5, 9);
}

TESTING_CASE(votes_and_ferns)
{
    check_random((struct random_forest_params){.seed = 6,
                                               .classes = 12,
                                               .trees = 4,
                                               .depth = 4,
                                               .split_percent = 60,
                                               .shares_leaves = true,
                                               .combine = SHW_COMBINE_VOTE},
                 30, 21);
    check_random(
        (struct random_forest_params){
            .seed = 7, .classes = 5, .trees = 3, .depth = 4, .split_percent = 100, .ferns = true},
        30, 21);
}

TESTING_CASE(pixels)
{
    static const char *const channels[] = {"rgb", "lab,position", "gauss:1,hessian:2", "deviation:3,rgb,lab-linear",
                                           "dt,dt-gradient,rgb"};

    for (uint32_t i = 0; i < sizeof channels / sizeof *channels; i++)
        check_random((struct random_forest_params){.seed = 20 + i,
                                                   .feature = FEATURE("pixel-difference"),
                                                   .channels = channels[i],
                                                   .classes = 6,
                                                   .trees = 2,
                                                   .depth = 6,
                                                   .split_percent = 80},
                     29, 31);
}

TESTING_CASE(features_that_divide_by_depth)
{
    static const char *const types[][2] = {{"depth-mean-difference", "depth,gauss:1,height"},
                                           {"depth-mean-difference", "constant-depth:900,lab"},
                                           {"curfil-difference", "depth,lab-linear"},
                                           {"depth-pixel-difference", "depth"},
                                           {"kinect-difference", "depth"}};

    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
        check_random((struct random_forest_params){.seed = 40 + i,
                                                   .feature = FEATURE(types[i][0]),
                                                   .channels = types[i][1],
                                                   .classes = 7,
                                                   .trees = 3,
                                                   .depth = 6,
                                                   .split_percent = 80,
                                                   .single_percent = 30},
                     41, 27);
}

TESTING_CASE(planes)
{
    check_random((struct random_forest_params){.seed = 60,
                                               .channels =
                                                   "gauss:2@pa,ndiff:pa,pb,plane:pf,dx:1@pf,range:pf=-0.25..1.5,"
                                                   "deviation:2@pb,hessian:1@pa,plane:pc-2,range:pc-2=100..9000,rgb",
                                               .classes = 6,
                                               .trees = 3,
                                               .depth = 6,
                                               .split_percent = 80},
                 33, 26);
    check_random((struct random_forest_params){.seed = 61,
                                               .feature = FEATURE("pixel-difference"),
                                               .channels = "ndiff:pa,pc-2,plane:pb",
                                               .classes = 3,
                                               .trees = 2,
                                               .depth = 5,
                                               .split_percent = 80},
                 33, 26);
}

/* Each of the library's kinds, with parameters by turns. */
TESTING_CASE(channel_kinds)
{
    struct testing_kind kinds[TESTING_KINDS_MAX];
    const uint32_t count = testing_channel_kinds(kinds);
    uint32_t done = 0;

    for (uint32_t i = 0; i < count;) {
        char channels[1024] = "";
        uint32_t total = 0;
        for (; i < count && total < 40; i++) {
            if (kinds[i].kind->channel_count + total > 60)
                break;
            if (!testing_is_slow() && i % 3 != 0 && i + 1 < count && kinds[i + 1].kind == kinds[i].kind)
                continue;
            snprintf(channels + strlen(channels), sizeof channels - strlen(channels), "%s%s", total > 0 ? "," : "",
                     kinds[i].text);
            total += kinds[i].kind->channel_count;
        }
        if (strstr(channels, TESTING_FLOAT_PLANE) != NULL)
            strcat(channels, ",range:" TESTING_FLOAT_PLANE "=-0.5..1.5");
        check_random(
            (struct random_forest_params){
                .seed = 80 + i, .channels = channels, .classes = 4, .trees = 3, .depth = 7, .split_percent = 90},
            26, 22);
        done++;
    }
    assert_true(done > 1);
}

static struct shw_code_made make_text(const char *name)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_code_made made = {NULL, NULL};
    char path[512];

    snprintf(path, sizeof path, EXAMPLES "%s.glsl", name);
    if (shw_code_make_file(path, &log, &made) != SHW_OK)
        fail_msg("%s", memory.last);
    return made;
}

/* --- Files --- */

static bool is_file(const char *path, const char *text)
{
    struct shw_file_bytes file;
    bool same;

    if (shw_file_bytes_read(path, 1 << 24, NULL, &file) != SHW_OK)
        return false;
    same = file.size == strlen(text) && memcmp(file.bytes, text, file.size) == 0;
    shw_file_bytes_free(&file);
    return same;
}

static void put_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static enum shw_result refuse_raw(void *user, const char *path)
{
    (void)user;
    return strstr(path, ".rgba32ui") != NULL ? SHW_ERROR_IO : SHW_OK;
}

/* A file that does not fit, or that may not be replaced any more: all that was there stays, and nothing is beside it.
 */
TESTING_CASE(all_files_or_none)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = random_forest(
        &(struct random_forest_params){.seed = 7, .channels = "rgb", .trees = 3, .depth = 6, .classes = 3});
    char folder[512], path[600], *files[SHW_SHADER_FILES] = {NULL};
    struct shw_forest_shader shader;
    struct rlimit before;
    size_t largest = 0;
    unsigned asked = 0;

    snprintf(folder, sizeof folder, "%s", testing_path("whole"));
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/whole.ktx2", folder);
    assert_int_equal(shw_forest_shader_make(forest, path, &log, &shader), SHW_OK);
    for (int f = 0; f < SHW_SHADER_FILES; f++)
        if (shader.files[f].bytes != NULL) {
            files[f] = shw_forest_shader_path(&shader, (enum shw_shader_file)f, folder);
            largest = shader.files[f].size > largest ? shader.files[f].size : largest;
        }
    put_text(files[SHW_SHADER_SOURCE], "mine");
    assert_false(shw_forest_shader_is_known(&shader, SHW_SHADER_SOURCE, folder));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){largest - 1, before.rlim_max}), 0);
    assert_int_equal(shw_forest_shader_write(&shader, files, may_write, &asked, &log), SHW_ERROR_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(asked, 0);
    assert_int_equal(memory.errors, 1);
    for (int turn = 0; turn < 2; turn++) {
        DIR *opened = opendir(folder);
        struct dirent *entry;

        assert_non_null(opened);
        while ((entry = readdir(opened)) != NULL)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                assert_string_equal(entry->d_name, "whole.glsl");
        closedir(opened);
        assert_true(is_file(files[SHW_SHADER_SOURCE], "mine"));
        if (turn == 0)
            assert_int_equal(shw_forest_shader_write(&shader, files, refuse_raw, NULL, &log), SHW_ERROR_IO);
    }
    signal(SIGXFSZ, SIG_DFL);

    /* The table without a mark is known by its bytes, and by those of the other table */
    assert_int_equal(shw_forest_shader_write(&shader, files, may_write, &asked, &log), SHW_OK);
    assert_true(shw_forest_shader_is_known(&shader, SHW_SHADER_RAW_TABLE, folder));
    ((uint8_t *)shader.files[SHW_SHADER_RAW_TABLE].bytes)[0] ^= 1; /* another forest */
    assert_true(shw_forest_shader_is_known(&shader, SHW_SHADER_RAW_TABLE, folder));
    put_text(files[SHW_SHADER_RAW_TABLE], "mine");
    assert_false(shw_forest_shader_is_known(&shader, SHW_SHADER_RAW_TABLE, folder));
    assert_int_equal(remove(files[SHW_SHADER_RAW_TABLE]), 0);
    assert_false(shw_forest_shader_is_known(&shader, SHW_SHADER_RAW_TABLE, folder));
    for (int f = 0; f < SHW_SHADER_FILES; f++)
        free(files[f]);
    shw_forest_shader_free(&shader);
    shw_forest_destroy(&forest);
}

/* A plane that built-in kinds read, and a kind of one's own as it is stored. */
TESTING_CASE(planes_of_two_readings)
{
    static const char text[] = "//!CHANNEL stored\n//!INPUT pb\n//!REACH 1\n//!OUTPUT stored\n//!MAXIMUM 20000\n"
                               "int stored() { return plane(1, -1) / 4 - plane(-1, 0) / 8; }\n";
    struct shw_code_made made;

    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    assert_int_equal(shw_code_make("stored.glsl", text, sizeof text - 1, SHW_CODE_RUN, NULL, &made), SHW_OK);
    check_random((struct random_forest_params){.seed = 62,
                                               .channels = "plane:pb,gauss:1@pb,stored",
                                               .kinds = {{made.kind}},
                                               .classes = 4,
                                               .trees = 2,
                                               .depth = 5,
                                               .split_percent = 90},
                 21, 34);
}

/* Texts, of which a compiler is needed for what is expected. */
TESTING_CASE(texts)
{
    static const char *const features[] = {"ring", "sparse-sum"};

    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    for (uint32_t i = 0; i < 2; i++)
        check_random((struct random_forest_params){.seed = 100 + i,
                                                   .feature = make_text(features[i]).feature,
                                                   .channels = "edge:2,edge:3,rgb",
                                                   .kinds = {{make_text("edge").kind}},
                                                   .classes = 4,
                                                   .trees = 2,
                                                   .depth = 4,
                                                   .split_percent = 90},
                     24, 31);
}

static void expect_refusal(struct random_forest_params params, const char *words)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = random_forest(&params);
    struct shw_forest_shader shader;

    assert_int_equal(shw_forest_shader_make(forest, "a.ktx2", &log, &shader), SHW_ERROR_UNSUPPORTED);
    if (strstr(memory.last, words) == NULL)
        fail_msg("%s", memory.last);
    shw_forest_shader_free(&shader);
    shw_forest_destroy(&forest);
}

TESTING_CASE(what_is_missing_is_told)
{
    expect_refusal((struct random_forest_params){.levels = 2, .depth = 1}, "2 levels");
    expect_refusal((struct random_forest_params){.smoothing = {.radius = 3}, .depth = 1}, "--smooth 0");
}

TESTING_CASE(names_of_files_become_names_of_shaders)
{
    static const char *const names[][2] = {{"a/b/Body parts (2).ktx2", "body_parts_2"},
                                           {"7.ktx2", "forest_7"},
                                           {"/x/--.ktx2", "forest"},
                                           {"\xc3\xa4.ktx2", "forest"},
                                           {"gl_x.ktx2", "xl_x"}};
    struct shw_forest *forest = random_forest(&(struct random_forest_params){.depth = 1});

    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct shw_forest_shader shader;
        assert_int_equal(shw_forest_shader_make(forest, names[i][0], NULL, &shader), SHW_OK);
        assert_string_equal(shader.name, names[i][1]);
        shw_forest_shader_free(&shader);
    }
    shw_forest_destroy(&forest);
}
