#include <stdlib.h>

#include "evaluate/labeller.h"
#include "vulkan/barrier.h"

enum shw_planes_form shw_labeller_form(enum shw_technique technique)
{
    return technique == SHW_TECHNIQUE_FRAGMENT ? SHW_PLANES_IMAGE : SHW_PLANES_BUFFER;
}

/* The forms of the planes between two stages: none where both are on the CPU. */
static uint32_t forms_between(enum shw_technique from, enum shw_technique to)
{
    if (from == SHW_TECHNIQUE_CPU && to == SHW_TECHNIQUE_CPU)
        return 0;
    return (uint32_t)shw_labeller_form(from) | (uint32_t)shw_labeller_form(to);
}

static enum shw_result create_planes(struct shw_labeller *labeller)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_device *device = labeller->params.device;
    uint32_t count = labeller->set->channel_count;
    enum shw_result result = SHW_OK;

    frame->channels = calloc(frame->slots, sizeof *frame->channels);
    frame->integrals = calloc(frame->slots, sizeof *frame->integrals);
    if (frame->channels == NULL || frame->integrals == NULL)
        return shw_fail_memory(&labeller->params.log, "a frame");
    for (uint32_t s = 0; s < frame->slots; s++) {
        SHW_TRY(shw_planes_create(device, VK_FORMAT_R16_SINT, frame->width, frame->height, count,
                                  forms_between(labeller->channels, labeller->integrate), "channels", &frame->channels[s]));
        SHW_TRY(shw_planes_create(device, VK_FORMAT_R32_UINT, frame->width + 1, frame->height + 1, count,
                                  forms_between(labeller->integrate, labeller->evaluate), "integral images",
                                  &frame->integrals[s]));
    }

fail:
    return result;
}

enum shw_result shw_labeller_frame_create(struct shw_labeller *labeller, uint32_t width, uint32_t height, uint32_t slots)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_device *device = labeller->params.device;
    enum shw_result result;

    *frame = (struct shw_labeller_frame){.width = width, .height = height, .slots = slots};
    SHW_TRY(create_planes(labeller));
    if (labeller->channels != SHW_TECHNIQUE_CPU)
        SHW_TRY(shw_channels_stage_create(device, labeller->info->channels, labeller->channels, frame->channels, slots,
                                          &frame->channels_stage));
    if (labeller->integrate != SHW_TECHNIQUE_CPU)
        SHW_TRY(shw_integrate_stage_create(device, labeller->integrate, frame->channels, frame->integrals, slots,
                                           &frame->integrate_stage));
    if (labeller->evaluate != SHW_TECHNIQUE_CPU)
        SHW_TRY(shw_evaluate_stage_create(device, labeller->params.forest, labeller->evaluate, labeller->params.outputs,
                                          frame->integrals, slots, width, height, &frame->evaluate_stage));
    return SHW_OK;

fail:
    shw_labeller_frame_destroy(labeller);
    return result;
}

void shw_labeller_frame_destroy(struct shw_labeller *labeller)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_device *device = labeller->params.device;

    shw_evaluate_stage_destroy(&frame->evaluate_stage);
    shw_integrate_stage_destroy(device, &frame->integrate_stage);
    shw_channels_stage_destroy(device, &frame->channels_stage);
    for (uint32_t s = 0; s < frame->slots; s++) {
        if (frame->channels != NULL)
            shw_planes_destroy(device, &frame->channels[s]);
        if (frame->integrals != NULL)
            shw_planes_destroy(device, &frame->integrals[s]);
    }
    free(frame->channels);
    free(frame->integrals);
    *frame = (struct shw_labeller_frame){0};
}

static struct shw_use use_after(enum shw_technique technique)
{
    switch (technique) {
    case SHW_TECHNIQUE_FRAGMENT: return shw_use_attachment;
    case SHW_TECHNIQUE_COMPUTE: return shw_use_compute_write;
    default: return shw_use_copy_target;
    }
}

static struct shw_use use_before(enum shw_technique technique)
{
    switch (technique) {
    case SHW_TECHNIQUE_FRAGMENT: return shw_use_fragment_sampled;
    case SHW_TECHNIQUE_COMPUTE: return shw_use_compute_read;
    default: return shw_use_copy_source;
    }
}

static void barrier(const struct shw_device *device, VkCommandBuffer commands, const struct shw_planes *planes,
                    enum shw_planes_form form, struct shw_use before, struct shw_use after)
{
    if (form == SHW_PLANES_IMAGE)
        shw_image_barrier(device, commands, planes->image.handle, before, after);
    else
        shw_buffer_barrier(device, commands, planes->buffer.handle, before, after);
}

void shw_labeller_hand_over(const struct shw_device *device, VkCommandBuffer commands, const struct shw_planes *planes,
                            enum shw_technique from, enum shw_technique to, uint32_t width, uint32_t height)
{
    enum shw_planes_form made = shw_labeller_form(from), wanted = shw_labeller_form(to);

    if (made == wanted) {
        barrier(device, commands, planes, made, use_after(from), use_before(to));
        return;
    }
    barrier(device, commands, planes, made, use_after(from), shw_use_copy_source);
    barrier(device, commands, planes, wanted, shw_use_nothing, shw_use_copy_target);
    if (wanted == SHW_PLANES_IMAGE)
        shw_planes_copy_to_image(device, commands, planes, width, height);
    else
        shw_planes_copy_to_buffer(device, commands, planes, width, height);
    barrier(device, commands, planes, wanted, shw_use_copy_target, use_before(to));
}
