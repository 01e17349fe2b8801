#include "label/overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "gpu/frames.h"
#include "gpu/gpu.h"
#include "label/overlay_kinds.h"

#define ROW(MODE, name, panel, button, tip, labels, plane, needs, begins, ends, key)                                   \
    [VIEW_MODE_##MODE] = {name, button, tip, VIEW_##panel, VIEW_##labels, VIEW_##plane, VIEW_##needs, begins, ends},

const struct view_overlay_kind view_overlay_kinds[VIEW_MODE_COUNT] = {VIEW_OVERLAY_KINDS(ROW)};

#define ONE(...) +1
_Static_assert(0 VIEW_OVERLAY_KINDS(ONE) == VIEW_MODE_COUNT, "every mode of the shader has a row, and one alone");

uint32_t view_overlay_find(const char *name)
{
    uint32_t mode = 0;

    while (mode < VIEW_MODE_COUNT && strcmp(view_overlay_kinds[mode].name, name) != 0)
        mode++;
    return mode;
}

bool view_overlay_shows_labels(uint32_t mode)
{
    return view_overlay_kinds[mode].labels == VIEW_OWN_LABELS;
}

bool view_overlay_wants_planes(uint32_t mode)
{
    return (view_overlay_kinds[mode].needs & VIEW_NEEDS_PROBABILITIES) != 0;
}

#define BINDINGS 11u
#define SETS     (VIEW_SLOTS * VIEW_LAYERS)
#define STAGES   (VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT)

extern const uint32_t shw_spirv_view_overlay_vert[], shw_spirv_view_compose_comp[], shw_spirv_view_canvas_frag[];
extern const size_t shw_spirv_view_overlay_vert_size, shw_spirv_view_compose_comp_size, shw_spirv_view_canvas_frag_size;

struct view_overlay {
    VkSampler sampler;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline compose, draw;
    VkDescriptorPool pool;
    VkDescriptorSet sets[VIEW_SLOTS][VIEW_LAYERS];
    struct view_buffer tables[VIEW_SLOTS];
    struct view_image blank, blank_array, blank_colour; /* one texel, for missing images */
    bool blank_ready;                                   /* in their layouts */
    struct composed {
        struct view_image image;       /* at least of the layer's size */
        bool ready;                    /* in its layout */
        bool stale;                    /* out of date */
        struct view_overlay_push push; /* that it was composed by */
    } composed[VIEW_LAYERS];
    struct view_overlay_push push; /* of the frame being recorded */
    VkExtent2D canvas;
    VkRect2D seen;   /* the part of the canvas that shows the picture */
    uint32_t *words; /* by class */
    uint32_t classes, planes;
};

static VkDescriptorType type_of(uint32_t binding)
{
    return binding == VIEW_BINDING_TABLES   ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
           : binding == VIEW_BINDING_TARGET ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                            : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

static enum shw_result create_layouts(const struct view_gpu *gpu, struct view_overlay *overlay)
{
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                   .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                   .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                   .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
    VkPushConstantRange range = {STAGES, 0, sizeof(struct view_overlay_push)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &overlay->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, (BINDINGS - 2) * SETS},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SETS},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, SETS}};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = SETS,
                                       .poolSizeCount = 3,
                                       .pPoolSizes = sizes};
    VkDescriptorSetLayout layouts[SETS];
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = SETS, .pSetLayouts = layouts};

    VIEW_PROPAGATE(gpu, vkCreateSampler, gpu->device, &sampler, NULL, &overlay->sampler);
    for (uint32_t b = 0; b < BINDINGS; b++) {
        bindings[b] = (VkDescriptorSetLayoutBinding){b, type_of(b), 1, STAGES, NULL};
    }
    VIEW_PROPAGATE(gpu, vkCreateDescriptorSetLayout, gpu->device, &set, NULL, &overlay->set_layout);
    VIEW_PROPAGATE(gpu, vkCreatePipelineLayout, gpu->device, &layout, NULL, &overlay->layout);
    VIEW_PROPAGATE(gpu, vkCreateDescriptorPool, gpu->device, &pool, NULL, &overlay->pool);
    for (uint32_t s = 0; s < SETS; s++)
        layouts[s] = overlay->set_layout;
    allocate.descriptorPool = overlay->pool;
    VIEW_PROPAGATE(gpu, vkAllocateDescriptorSets, gpu->device, &allocate, overlay->sets[0]);
    return SHW_OK;
}

/* The composed image while it is written. */
static const struct view_use use_target = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                           VK_ACCESS_SHADER_WRITE_BIT};

static enum shw_result create_draw(const struct view_gpu *gpu, VkRenderPass pass, struct view_overlay *overlay)
{
    VkPipelineShaderStageCreateInfo stages[2] = {{.module = VK_NULL_HANDLE}, {.module = VK_NULL_HANDLE}};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    VkPipelineRasterizationStateCreateInfo rasterization = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1.0f};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = 1,
                                                 .pAttachments = &attachment};
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount = 2,
                                                .pDynamicStates = states};
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

    SHW_TRY(view_shader_create(gpu, VK_SHADER_STAGE_VERTEX_BIT, shw_spirv_view_overlay_vert,
                               shw_spirv_view_overlay_vert_size, &stages[0]));
    SHW_TRY(view_shader_create(gpu, VK_SHADER_STAGE_FRAGMENT_BIT, shw_spirv_view_canvas_frag,
                               shw_spirv_view_canvas_frag_size, &stages[1]));
    VIEW_TRY(gpu, vkCreateGraphicsPipelines, gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &overlay->draw);

fail:
    for (int s = 0; s < 2; s++)
        vkDestroyShaderModule(gpu->device, stages[s].module, NULL);
    return result;
}

enum shw_result view_overlay_create(const struct view_gpu *gpu, VkRenderPass pass, struct view_overlay **overlay)
{
    struct view_overlay *made = calloc(1, sizeof *made);
    const VkExtent2D texel = {1, 1};
    enum shw_result result;

    if (made == NULL)
        return shw_fail_memory(&gpu->log, "the overlay");
    SHW_TRY(create_layouts(gpu, made));
    SHW_TRY(view_compute_create(gpu, shw_spirv_view_compose_comp, shw_spirv_view_compose_comp_size, made->layout,
                                &made->compose));
    SHW_TRY(create_draw(gpu, pass, made));
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, texel, 0, VK_IMAGE_USAGE_SAMPLED_BIT, &made->blank));
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, texel, 1, VK_IMAGE_USAGE_SAMPLED_BIT, &made->blank_array));
    SHW_TRY(
        view_image_create(gpu, VK_FORMAT_R8G8B8A8_UNORM, texel, 0, VK_IMAGE_USAGE_SAMPLED_BIT, &made->blank_colour));
    SHW_TRY(view_overlay_set_classes(gpu, made, 0, 0));
    *overlay = made;
    return SHW_OK;

fail:
    view_overlay_destroy(gpu, &made);
    return result;
}

enum shw_result view_overlay_fit(const struct view_gpu *gpu, struct view_overlay *overlay, uint32_t layer,
                                 VkExtent2D extent)
{
    struct composed *composed = &overlay->composed[layer];

    if (view_image_holds(&composed->image, extent, false))
        return SHW_OK;
    view_image_retire(gpu, &composed->image);
    composed->ready = false;
    composed->stale = true;
    return view_image_create(gpu, VK_FORMAT_R8G8B8A8_UNORM, extent, 0,
                             VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, &composed->image);
}

void view_overlay_destroy(const struct view_gpu *gpu, struct view_overlay **overlay)
{
    struct view_overlay *old = *overlay;

    if (old == NULL)
        return;
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &old->tables[s]);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        view_image_destroy(gpu, &old->composed[l].image);
    view_image_destroy(gpu, &old->blank);
    view_image_destroy(gpu, &old->blank_array);
    view_image_destroy(gpu, &old->blank_colour);
    vkDestroyDescriptorPool(gpu->device, old->pool, NULL);
    vkDestroyPipeline(gpu->device, old->compose, NULL);
    vkDestroyPipeline(gpu->device, old->draw, NULL);
    vkDestroyPipelineLayout(gpu->device, old->layout, NULL);
    vkDestroyDescriptorSetLayout(gpu->device, old->set_layout, NULL);
    vkDestroySampler(gpu->device, old->sampler, NULL);
    free(old->words);
    free(old);
    *overlay = NULL;
}

/* -p log p for p = entry / 4095, scaled so that a uniform distribution over `planes` classes gives 2^20. */
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

    if (words == NULL)
        return shw_fail_memory(&gpu->log, "the colours of classes");
    overlay->words = words;
    overlay->classes = overlay->planes = 0;
    for (uint32_t s = 0; s < VIEW_SLOTS; s++) {
        view_buffer_retire(gpu, &overlay->tables[s]);
        SHW_PROPAGATE(view_buffer_create(gpu, (VIEW_ENTROPY_ENTRIES + (VkDeviceSize)classes + 1) * sizeof *words,
                                         VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false, &overlay->tables[s]));
        fill_entropy(planes, overlay->tables[s].mapped);
    }
    memset(words, 0, (classes + 1) * sizeof *words);
    overlay->classes = classes;
    overlay->planes = planes;
    return SHW_OK;
}

void view_overlay_set_class(struct view_overlay *overlay, uint32_t number, const uint8_t colour[3], bool visible)
{
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        overlay->composed[l].stale = true;
    overlay->words[number] =
        colour[0] | (uint32_t)colour[1] << 8 | (uint32_t)colour[2] << 16 | (visible ? 0 : VIEW_CLASS_HIDDEN);
}

/* Descriptors must refer to images in their layouts, read or not. */
static void ready_images(struct view_overlay *overlay, VkCommandBuffer commands)
{
    const struct view_image *blanks[] = {&overlay->blank, &overlay->blank_array, &overlay->blank_colour};

    for (uint32_t b = 0; !overlay->blank_ready && b < 3; b++)
        view_image_barrier(commands, blanks[b], view_use_nothing, view_use_shown);
    overlay->blank_ready = true;
    for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
        struct composed *composed = &overlay->composed[l];
        if (!composed->ready && composed->image.handle != VK_NULL_HANDLE)
            view_image_barrier(commands, &composed->image, view_use_nothing, view_use_shown);
        composed->ready = composed->image.handle != VK_NULL_HANDLE;
    }
}

static const struct view_image *either(const struct view_image *image, const struct view_image *blank)
{
    return image != NULL && image->handle != VK_NULL_HANDLE ? image : blank;
}

/* The set that composes a layer; that of the overview also draws, and so has what is drawn of the detail. */
static void write_set(const struct view_gpu *gpu, const struct view_overlay *overlay, uint32_t slot, uint32_t layer,
                      const struct view_overlay_frame *frame)
{
    const struct view_overlay_images *images = &frame->layers[layer].images;
    const struct view_overlay_kind *kind = &view_overlay_kinds[frame->settings.mode];
    const struct view_image *blank = &overlay->blank;
    const struct view_image *read[BINDINGS] = {
        [VIEW_BINDING_SHOWN] = images->shown,
        [VIEW_BINDING_LABELS] = either(kind->labels == VIEW_TRUE_LABELS ? images->truth : images->argmax, blank),
        [VIEW_BINDING_DISTRIBUTION] = either(images->distribution, &overlay->blank_array),
        [VIEW_BINDING_TRUTH] = either(images->truth, blank),
        [VIEW_BINDING_COMPOSED] = &overlay->composed[layer].image,
        [VIEW_BINDING_PLANE] = either(images->plane, blank),
        [VIEW_BINDING_PAINTED] = either(images->painted, blank),
        [VIEW_BINDING_FINE_SHOWN] = either(frame->layers[VIEW_DETAIL].images.shown, &overlay->blank_colour),
        [VIEW_BINDING_FINE] = either(&overlay->composed[VIEW_DETAIL].image, &overlay->blank_colour)};
    VkDescriptorImageInfo infos[BINDINGS];
    VkDescriptorImageInfo target = {.imageView = overlay->composed[layer].image.view, .imageLayout = use_target.layout};
    VkDescriptorBufferInfo tables = {overlay->tables[slot].handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[BINDINGS];

    for (uint32_t b = 0; b < BINDINGS; b++) {
        writes[b] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = overlay->sets[slot][layer],
                                           .dstBinding = b,
                                           .descriptorCount = 1,
                                           .descriptorType = type_of(b)};
        if (b == VIEW_BINDING_TABLES) {
            writes[b].pBufferInfo = &tables;
        } else if (b == VIEW_BINDING_TARGET) {
            writes[b].pImageInfo = &target;
        } else {
            infos[b] =
                (VkDescriptorImageInfo){overlay->sampler, read[b]->view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
            writes[b].pImageInfo = &infos[b];
        }
    }
    vkUpdateDescriptorSets(gpu->device, BINDINGS, writes, 0, NULL);
}

/* The mode, or the picture alone if the mode lacks an image. */
static uint32_t possible_mode(const struct view_overlay *overlay, const struct view_overlay_images *images,
                              const struct view_overlay_settings *settings)
{
    const struct view_overlay_kind *kind = &view_overlay_kinds[settings->mode];

    if ((kind->labels == VIEW_OWN_LABELS && images->argmax == NULL) ||
        ((kind->needs & VIEW_NEEDS_TRUTH) != 0 && images->truth == NULL) ||
        ((kind->needs & VIEW_NEEDS_PROBABILITIES) != 0 && images->distribution == NULL) ||
        (kind->plane != VIEW_NO_PLANE && images->plane == NULL) ||
        ((kind->needs & VIEW_NEEDS_CLASS) != 0 && settings->chosen >= overlay->planes))
        return VIEW_MODE_NONE;
    return settings->mode;
}

static void bind(const struct view_overlay *overlay, VkPipelineBindPoint point, VkPipeline pipeline,
                 VkCommandBuffer commands, VkDescriptorSet set, const struct view_overlay_push *push)
{
    vkCmdBindPipeline(commands, point, pipeline);
    vkCmdBindDescriptorSets(commands, point, overlay->layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, overlay->layout, STAGES, 0, sizeof *push, push);
}

/* The part of the canvas to draw: the background has been cleared already. */
static VkRect2D seen_part(const struct view_overlay_frame *frame, const struct view_overlay_push *push)
{
    const VkRect2D *area = &frame->area;
    int64_t left = area->offset.x, top = area->offset.y, right = left + area->extent.width,
            bottom = top + area->extent.height;
    int64_t width = (int64_t)push->width * push->zoom, height = (int64_t)push->height * push->zoom;
    VkRect2D part;

    if (push->wipe != 0) /* the wipe's line extends from edge to edge */
        return *area;
    left = shw_clamp_i64(push->offset_x / VIEW_ZOOM_ONE - 1, left, right);
    top = shw_clamp_i64(push->offset_y / VIEW_ZOOM_ONE - 1, top, bottom);
    part.offset = (VkOffset2D){(int32_t)left, (int32_t)top};
    part.extent.width = (uint32_t)(shw_clamp_i64((push->offset_x + width) / VIEW_ZOOM_ONE + 1, left, right) - left);
    part.extent.height = (uint32_t)(shw_clamp_i64((push->offset_y + height) / VIEW_ZOOM_ONE + 1, top, bottom) - top);
    return part;
}

/* Compares everything that a composed image depends on, except images and classes. */
static bool same_composition(const struct view_overlay_push *a, const struct view_overlay_push *b)
{
    return a->mode == b->mode && a->chosen == b->chosen && a->opacity == b->opacity && a->contours == b->contours &&
           a->strokes == b->strokes && a->width == b->width && a->height == b->height;
}

/* The mode in which the canvas is drawn: a layer that lacks an image for it is composed of the picture alone. */
static uint32_t drawn_mode(const struct view_overlay *overlay, const struct view_overlay_frame *frame)
{
    uint32_t mode = VIEW_MODE_NONE;

    for (uint32_t l = 0; l < VIEW_LAYERS && mode == VIEW_MODE_NONE; l++)
        if (frame->layers[l].images.shown != NULL)
            mode = possible_mode(overlay, &frame->layers[l].images, &frame->settings);
    return mode;
}

static struct view_overlay_push push_of(const struct view_overlay *overlay, const struct view_overlay_frame *frame)
{
    const struct view_overlay_settings *settings = &frame->settings;
    const struct view_overlay_layer *fine = &frame->layers[VIEW_DETAIL];
    bool has_detail = fine->images.shown != NULL;

    return (struct view_overlay_push){
        .offset_x = frame->place.offset_x,
        .offset_y = frame->place.offset_y,
        .zoom = frame->place.zoom,
        .width = frame->picture.width,
        .height = frame->picture.height,
        .mode = drawn_mode(overlay, frame),
        .planes = overlay->planes,
        .classes = overlay->classes,
        .chosen = settings->chosen,
        .opacity = (settings->opacity * 255 + 50) / 100,
        .contours = settings->contours,
        .wipe = frame->wipe_column,
        .strokes = frame->layers[VIEW_OVERVIEW].images.painted != NULL ? (settings->strokes * 255 + 50) / 100 : 0,
        .step = frame->layers[VIEW_OVERVIEW].part.step,
        .fine_x = fine->part.x,
        .fine_y = fine->part.y,
        .fine_step = has_detail ? fine->part.step : 1,
        .fine_width = has_detail ? fine->part.width : 0,
        .fine_height = has_detail ? fine->part.height : 0};
}

/* Composes a layer if something has changed; returns whether it has. */
static bool compose_layer(struct view_overlay *overlay, VkCommandBuffer commands, uint32_t slot, uint32_t layer,
                          const struct view_overlay_frame *frame)
{
    const struct view_overlay_layer *given = &frame->layers[layer];
    struct composed *composed = &overlay->composed[layer];
    struct view_overlay_push push = overlay->push;

    push.width = given->part.width;
    push.height = given->part.height;
    push.mode = possible_mode(overlay, &given->images, &frame->settings);
    push.contours = push.contours != 0 && view_overlay_kinds[push.mode].labels != VIEW_NO_LABELS;
    push.strokes = given->images.painted != NULL ? push.strokes : 0;
    composed->stale = composed->stale || given->changed || !same_composition(&push, &composed->push);
    if ((overlay->push.mode == VIEW_MODE_NONE && overlay->push.strokes == 0) || !composed->stale)
        return false;
    bind(overlay, VK_PIPELINE_BIND_POINT_COMPUTE, overlay->compose, commands, overlay->sets[slot][layer], &push);
    view_image_barrier(commands, &composed->image, view_use_shown, use_target);
    vkCmdDispatch(commands, (push.width + VIEW_COMPOSE_COLUMNS - 1) / VIEW_COMPOSE_COLUMNS,
                  (push.height + VIEW_COMPOSE_ROWS - 1) / VIEW_COMPOSE_ROWS, 1);
    view_image_barrier(commands, &composed->image, use_target, view_use_shown);
    composed->push = push;
    composed->stale = false;
    return true;
}

bool view_overlay_compose(const struct view_gpu *gpu, struct view_overlay *overlay, VkCommandBuffer commands,
                          uint32_t slot, const struct view_overlay_frame *frame)
{
    bool composed = false;

    overlay->canvas = frame->canvas;
    overlay->push = push_of(overlay, frame);
    overlay->seen = seen_part(frame, &overlay->push);
    memcpy((uint32_t *)overlay->tables[slot].mapped + VIEW_ENTROPY_ENTRIES, overlay->words,
           overlay->classes * sizeof *overlay->words);
    ready_images(overlay, commands);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        if (frame->layers[l].images.shown != NULL) {
            write_set(gpu, overlay, slot, l, frame);
            composed = compose_layer(overlay, commands, slot, l, frame) || composed;
        }
    return composed;
}

void view_overlay_draw(const struct view_overlay *overlay, VkCommandBuffer commands, uint32_t slot)
{
    VkViewport viewport = {0, 0, (float)overlay->canvas.width, (float)overlay->canvas.height, 0, 1};

    bind(overlay, VK_PIPELINE_BIND_POINT_GRAPHICS, overlay->draw, commands, overlay->sets[slot][VIEW_OVERVIEW],
         &overlay->push);
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &overlay->seen);
    vkCmdDraw(commands, 3, 1, 0, 0);
}
