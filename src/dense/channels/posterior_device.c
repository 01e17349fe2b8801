#include "dense/channels/posterior_device.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "shared/posterior.h"

SHW_SHADER_DECLARE(posterior_images_comp);
SHW_SHADER_DECLARE(posterior_images_1_frag);
SHW_SHADER_DECLARE(posterior_images_2_frag);
SHW_SHADER_DECLARE(posterior_images_3_frag);
SHW_SHADER_DECLARE(posterior_images_4_frag);

#define BINDINGS 2u
#define WORK     4u /* per pixel of an image, in units of a filter tap */

/* Fragments: a draw of some of the images. */
struct drawing {
    uint32_t first, images;
    struct shw_program program;
    struct shw_sets sets;       /* one per slot */
    struct shw_target *targets; /* one per set */
};

struct shw_posterior_passes {
    struct shw_device *device;
    struct shw_posterior_params params;
    struct shw_vulkan_image *images; /* one per set, a layer per input */
    VkImageView *views;              /* of each layer of each set */
    struct shw_program program;      /* compute */
    struct shw_sets sets;            /* one per slot */
    uint32_t drawing_count;
    struct drawing *drawings;
};

static bool is_fragment(const struct shw_posterior_passes *passes)
{
    return passes->params.form == SHW_PLANES_IMAGE;
}

static enum shw_result add_images(struct shw_arena *arena, struct shw_posterior_passes *passes)
{
    const struct shw_posterior_params *params = &passes->params;
    const VkImageUsageFlags written =
        is_fragment(passes) ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_STORAGE_BIT;
    struct shw_span span = shw_span_always; /* the level above reads them */

    for (span.set = 0; span.set < params->sets; span.set++)
        SHW_PROPAGATE(shw_arena_add_image(arena, span, SHW_POSTERIOR_FORMAT, params->width, params->height,
                                          params->inputs, written | VK_IMAGE_USAGE_SAMPLED_BIT,
                                          "what the level below says", &passes->images[span.set]));
    return SHW_OK;
}

enum shw_result shw_posterior_passes_add(struct shw_arena *arena, const struct shw_posterior_params *params,
                                         struct shw_posterior_passes **out)
{
    struct shw_posterior_passes *passes = calloc(1, sizeof *passes);
    enum shw_result result;

    if (passes == NULL)
        return shw_fail_memory(&arena->device->log, "what the level below says");
    passes->device = arena->device;
    passes->params = *params;
    passes->images = calloc(params->sets, sizeof *passes->images);
    passes->views = calloc((size_t)params->sets * params->inputs, sizeof *passes->views);
    passes->drawings = calloc(params->inputs, sizeof *passes->drawings);
    if (passes->images == NULL || passes->views == NULL || passes->drawings == NULL)
        result = shw_fail_memory(&arena->device->log, "what the level below says");
    else
        result = add_images(arena, passes);
    if (result == SHW_OK)
        *out = passes;
    else
        shw_posterior_passes_destroy(&passes);
    return result;
}

static enum shw_result create_compute(struct shw_posterior_passes *passes)
{
    static const struct shw_binding bindings[BINDINGS] = {
        {SHW_POSTERIOR_DISTRIBUTION, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
        {SHW_POSTERIOR_IMAGES, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}};
    const struct shw_program_params params = {.name = "what the level below says",
                                              .compute = SHW_SHADER(posterior_images_comp),
                                              .bindings = bindings,
                                              .binding_count = BINDINGS,
                                              .push_bytes = sizeof(struct shw_posterior_push),
                                              .in_pieces = true};

    SHW_PROPAGATE(shw_program_create(passes->device, &params, &passes->program));
    SHW_PROPAGATE(shw_sets_create(passes->device, &passes->program, passes->params.slots, &passes->sets));
    for (uint32_t slot = 0; slot < passes->params.slots; slot++) {
        const struct shw_resource resources[BINDINGS] = {{.buffer = passes->params.distribution[slot].buffer.handle},
                                                         {.view = passes->images[slot % passes->params.sets].view}};
        shw_set_write(passes->device, &passes->program, passes->sets.handles[slot], resources);
    }
    return SHW_OK;
}

static enum shw_result create_drawing(struct shw_posterior_passes *passes, struct drawing *drawing)
{
    static const struct shw_binding binding = {SHW_POSTERIOR_DISTRIBUTION, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    static const VkFormat formats[SHW_POSTERIOR_ATTACHMENTS] = {SHW_POSTERIOR_FORMAT, SHW_POSTERIOR_FORMAT,
                                                                SHW_POSTERIOR_FORMAT, SHW_POSTERIOR_FORMAT};
    const struct shw_shader shaders[] = {SHW_SHADER(posterior_images_1_frag), SHW_SHADER(posterior_images_2_frag),
                                         SHW_SHADER(posterior_images_3_frag), SHW_SHADER(posterior_images_4_frag)};
    const uint32_t first = drawing->first, layers[] = {first, first + 1, first + 2, first + 3};
    const struct shw_program_params params = {.name = "what the level below says",
                                              .fragment = shaders[drawing->images - 1],
                                              .bindings = &binding,
                                              .binding_count = 1,
                                              .push_bytes = sizeof(struct shw_posterior_push),
                                              .attachments = formats,
                                              .attachment_count = drawing->images,
                                              .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};

    SHW_PROPAGATE(shw_program_create(passes->device, &params, &drawing->program));
    SHW_PROPAGATE(shw_sets_create(passes->device, &drawing->program, passes->params.slots, &drawing->sets));
    for (uint32_t slot = 0; slot < passes->params.slots; slot++)
        shw_set_write(passes->device, &drawing->program, drawing->sets.handles[slot],
                      &(struct shw_resource){.view = passes->params.distribution[slot].image.view});
    drawing->targets = calloc(passes->params.sets, sizeof *drawing->targets);
    if (drawing->targets == NULL)
        return shw_fail_memory(&passes->device->log, "what the level below says");
    for (uint32_t set = 0; set < passes->params.sets; set++)
        SHW_PROPAGATE(
            shw_target_create(passes->device, &drawing->program, &passes->images[set], layers, &drawing->targets[set]));
    return SHW_OK;
}

enum shw_result shw_posterior_passes_create(struct shw_posterior_passes *passes)
{
    const struct shw_posterior_params *params = &passes->params;

    for (uint32_t i = 0; i < params->sets * params->inputs; i++)
        SHW_PROPAGATE(shw_image_view_create(passes->device, passes->images[i / params->inputs].handle,
                                            SHW_POSTERIOR_FORMAT, i % params->inputs, 1, false, &passes->views[i]));
    if (!is_fragment(passes))
        return create_compute(passes);
    for (uint32_t first = 0; first < params->inputs; first += SHW_POSTERIOR_ATTACHMENTS) {
        struct drawing *drawing = &passes->drawings[passes->drawing_count++];
        *drawing =
            (struct drawing){.first = first, .images = shw_min_u32(params->inputs - first, SHW_POSTERIOR_ATTACHMENTS)};
        SHW_PROPAGATE(create_drawing(passes, drawing));
    }
    return SHW_OK;
}

void shw_posterior_passes_destroy(struct shw_posterior_passes **handle)
{
    struct shw_posterior_passes *passes = *handle;

    if (passes == NULL)
        return;
    for (uint32_t d = 0; d < passes->drawing_count; d++) {
        struct drawing *drawing = &passes->drawings[d];
        shw_targets_destroy(passes->device, passes->params.sets, &drawing->targets);
        shw_sets_destroy(passes->device, &drawing->sets);
        shw_program_destroy(passes->device, &drawing->program);
    }
    shw_sets_destroy(passes->device, &passes->sets);
    shw_program_destroy(passes->device, &passes->program);
    for (uint32_t i = 0; passes->views != NULL && i < passes->params.sets * passes->params.inputs; i++)
        if (passes->views[i] != VK_NULL_HANDLE)
            passes->device->vk.DestroyImageView(passes->device->handle, passes->views[i], passes->device->allocator);
    free(passes->views);
    free(passes->images);
    free(passes->drawings);
    free(passes);
    *handle = NULL;
}

static void draw(const struct shw_posterior_passes *passes, struct shw_recording *recording, uint32_t slot,
                 struct shw_posterior_push push)
{
    const VkRect2D area = {{push.x, push.y}, {(uint32_t)push.width, (uint32_t)push.height}};

    for (uint32_t d = 0; d < passes->drawing_count; d++) {
        const struct drawing *drawing = &passes->drawings[d];
        push.first = drawing->first;
        shw_recording_draw_area(recording, &drawing->program, drawing->sets.handles[slot], &push,
                                drawing->targets[slot % passes->params.sets].framebuffer, area,
                                (uint64_t)WORK * drawing->images * area.extent.width);
    }
}

void shw_posterior_passes_record(struct shw_posterior_passes *passes, struct shw_recording *recording, uint32_t slot,
                                 const struct shw_posterior_tile *tile, uint32_t classes, struct shw_use reader)
{
    const struct shw_posterior_params *params = &passes->params;
    const struct shw_planes *distribution = &params->distribution[slot];
    const VkImage image = passes->images[slot % params->sets].handle;
    const struct shw_use written = is_fragment(passes) ? shw_use_attachment : shw_use_storage_image;
    const struct shw_use before = {VK_IMAGE_LAYOUT_UNDEFINED, reader.stages | written.stages, 0};
    const struct shw_posterior_push push = {.x = (int32_t)tile->x,
                                            .y = (int32_t)tile->y,
                                            .width = (int32_t)tile->width,
                                            .height = (int32_t)tile->height,
                                            .class_count = classes,
                                            .row = distribution->stride / 2,
                                            .plane = distribution->stride / 2 * distribution->height};

    if (is_fragment(passes))
        shw_recording_image_barrier(recording, distribution->image.handle, shw_use_copy_source,
                                    shw_use_fragment_sampled);
    if (tile->number == 0)
        shw_recording_image_barrier(recording, image, before, written);
    if (is_fragment(passes))
        draw(passes, recording, slot, push);
    else
        shw_recording_dispatch(recording, &passes->program, passes->sets.handles[slot], &push, (tile->width + 63) / 64,
                               (tile->height + 3) / 4, params->inputs, (uint64_t)4 * WORK * tile->width);
    if (tile->number + 1 == tile->count)
        shw_recording_image_barrier(recording, image, written, reader);
}

VkImageView shw_posterior_passes_view(const struct shw_posterior_passes *passes, uint32_t slot, uint32_t input)
{
    return passes->views[slot % passes->params.sets * passes->params.inputs + input];
}
