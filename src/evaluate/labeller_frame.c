#include <stdlib.h>

#include "evaluate/labeller.h"
#include "vulkan/recording.h"

#define CUSTOM_WORK 64u /* of a pixel */

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

    frame->channels = calloc(frame->slots, sizeof *frame->channels);
    frame->integrals = calloc(frame->slots, sizeof *frame->integrals);
    if (frame->channels == NULL || frame->integrals == NULL)
        return shw_fail_memory(&labeller->params.log, "a frame");
    for (uint32_t s = 0; s < frame->slots; s++) {
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R16_SINT, frame->width, frame->height, count,
                                        forms_between(labeller->channels, labeller->integrate), "channels",
                                        &frame->channels[s]));
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R32_UINT, frame->width + 1, frame->height + 1, count,
                                        forms_between(labeller->integrate, labeller->evaluate), "integral images",
                                        &frame->integrals[s]));
    }
    return SHW_OK;
}

/* Whether the stage is done on the device by a caller's technique. */
static bool is_custom(const struct shw_labeller *labeller, enum shw_stage stage)
{
    return labeller->params.custom[stage] != NULL && labeller->params.custom[stage]->run == NULL;
}

static enum shw_result create_custom(struct shw_labeller *labeller, enum shw_stage stage)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_custom_stage_params params = {.device = labeller->params.device,
                                             .technique = labeller->params.custom[stage],
                                             .forest = labeller->params.forest,
                                             .channels = frame->channels,
                                             .integrals = frame->integrals,
                                             .outputs = labeller->params.outputs,
                                             .slots = frame->slots,
                                             .width = frame->width,
                                             .height = frame->height};

    if (stage == SHW_STAGE_EVALUATE) {
        SHW_PROPAGATE(shw_evaluate_custom_create(params.device, params.forest, params.outputs, params.slots,
                                                 params.width, params.height, &frame->evaluate_stage));
        params.evaluate = &frame->evaluate_stage;
    }
    return shw_custom_stage_create(&params, &frame->custom[stage]);
}

enum shw_result shw_labeller_frame_create(struct shw_labeller *labeller, uint32_t width, uint32_t height,
                                          uint32_t slots)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_device *device = labeller->params.device;
    enum shw_result result;

    *frame = (struct shw_labeller_frame){.width = width, .height = height, .slots = slots};
    SHW_TRY(create_planes(labeller));
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        if (is_custom(labeller, (enum shw_stage)s))
            SHW_TRY(create_custom(labeller, (enum shw_stage)s));
    if (labeller->channels != SHW_TECHNIQUE_CPU && !is_custom(labeller, SHW_STAGE_CHANNELS))
        SHW_TRY(shw_channels_stage_create(device, labeller->set, labeller->channels, frame->channels, slots,
                                          &frame->channels_stage));
    if (labeller->integrate != SHW_TECHNIQUE_CPU && !is_custom(labeller, SHW_STAGE_INTEGRATE))
        SHW_TRY(shw_integrate_stage_create(device, labeller->integrate, frame->channels, frame->integrals, slots,
                                           &frame->integrate_stage));
    if (labeller->evaluate != SHW_TECHNIQUE_CPU && !is_custom(labeller, SHW_STAGE_EVALUATE))
        SHW_TRY(shw_evaluate_stage_create(device, labeller->params.forest, labeller->evaluate, labeller->params.outputs,
                                          &labeller->params.room, frame->integrals, slots, width, height,
                                          &frame->evaluate_stage));
    return SHW_OK;

fail:
    shw_labeller_frame_destroy(labeller);
    return result;
}

void shw_labeller_frame_destroy(struct shw_labeller *labeller)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_device *device = labeller->params.device;

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        shw_custom_stage_destroy(&frame->custom[s]);
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

static void barrier(struct shw_recording *recording, const struct shw_planes *planes, enum shw_planes_form form,
                    struct shw_use before, struct shw_use after)
{
    if (form == SHW_PLANES_IMAGE)
        shw_recording_image_barrier(recording, planes->image.handle, before, after);
    else
        shw_recording_buffer_barrier(recording, planes->buffer.handle, before, after);
}

static void copy(struct shw_recording *recording, const struct shw_planes *planes, enum shw_planes_form wanted,
                 uint32_t width, uint32_t height)
{
    if (!shw_recording_step(recording, 1 + (uint64_t)planes->count * width * height))
        return;
    if (wanted == SHW_PLANES_IMAGE)
        shw_planes_copy_to_image(recording->device, recording->commands, planes, width, height);
    else
        shw_planes_copy_to_buffer(recording->device, recording->commands, planes, width, height);
}

void shw_labeller_hand_over(struct shw_recording *recording, const struct shw_planes *planes, enum shw_technique from,
                            enum shw_technique to, uint32_t width, uint32_t height)
{
    enum shw_planes_form made = shw_labeller_form(from), wanted = shw_labeller_form(to);

    if (made == wanted) {
        barrier(recording, planes, made, use_after(from), use_before(to));
        return;
    }
    barrier(recording, planes, made, use_after(from), shw_use_copy_source);
    barrier(recording, planes, wanted, shw_use_nothing, shw_use_copy_target);
    copy(recording, planes, wanted, width, height);
    barrier(recording, planes, wanted, shw_use_copy_target, use_before(to));
}

/* What a caller's technique is taken to do: it is not divided. */
static uint64_t custom_work(const struct shw_tile *tile)
{
    return (uint64_t)CUSTOM_WORK * tile->region.width * tile->region.height;
}

void shw_labeller_record_channels(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                                  VkImageView source, VkFormat format, const struct shw_tile *tile)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_custom_frame custom = shw_custom_frame_of(tile);

    if (!is_custom(labeller, SHW_STAGE_CHANNELS)) {
        shw_channels_stage_record(frame->channels_stage, recording, slot,
                                  (const struct shw_channel_source[SHW_INPUT_ROLES]){{source, format, 0, 0}},
                                  &tile->region);
        return;
    }
    custom.source = source;
    custom.source_format = format;
    if (shw_recording_step(recording, custom_work(tile)))
        shw_custom_stage_record(&frame->custom[SHW_STAGE_CHANNELS], recording->commands, slot, &custom);
}

void shw_labeller_record_integrate(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                                   const struct shw_tile *tile)
{
    struct shw_labeller_frame *frame = &labeller->frame;
    struct shw_custom_frame custom = shw_custom_frame_of(tile);

    if (!is_custom(labeller, SHW_STAGE_INTEGRATE))
        shw_integrate_stage_record(frame->integrate_stage, recording, slot, tile->region.width, tile->region.height);
    else if (shw_recording_step(recording, custom_work(tile)))
        shw_custom_stage_record(&frame->custom[SHW_STAGE_INTEGRATE], recording->commands, slot, &custom);
}

void shw_labeller_record_evaluate(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                                  const struct shw_tile *tile)
{
    struct shw_labeller_frame *frame = &labeller->frame;

    if (!is_custom(labeller, SHW_STAGE_EVALUATE))
        shw_evaluate_stage_record(&frame->evaluate_stage, recording, slot, tile);
    else if (shw_recording_step(recording, custom_work(tile)))
        shw_evaluate_custom_record(&frame->evaluate_stage, &frame->custom[SHW_STAGE_EVALUATE], recording->commands,
                                   slot, tile);
}
