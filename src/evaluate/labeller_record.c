/* Recording a labelling into the caller's command buffers: at once, or in pieces. */
#include "base/log.h"
#include "evaluate/labeller.h"
#include "vulkan/recording.h"

static enum shw_result check_use(const struct shw_labeller *labeller, const struct shw_image_use *use, const char *name)
{
    if (use->before.stages == 0 || use->after.stages == 0)
        return shw_fail(
            &labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
            "%s: the stages that use it before and after must be given (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT: none)",
            name);
    if (use->after.layout == VK_IMAGE_LAYOUT_UNDEFINED || use->after.layout == VK_IMAGE_LAYOUT_PREINITIALIZED)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: no image can be brought into VkImageLayout %d", name, (int)use->after.layout);
    return SHW_OK;
}

static enum shw_result check_target(const struct shw_labeller *labeller, const struct shw_image_use *target,
                                    VkFormat format, uint32_t layers, const struct shw_image_use *source,
                                    const char *name)
{
    uint32_t given = target->layers > 0 ? target->layers : 1;

    if (target->image == VK_NULL_HANDLE)
        return SHW_OK;
    if (target->format != format || given != layers || target->extent.width != source->extent.width ||
        target->extent.height != source->extent.height)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s must be of VkFormat %d with %u layers and as large as the source", name, (int)format,
                        layers);
    return check_use(labeller, target, name);
}

static enum shw_result check_recording(const struct shw_labeller *labeller, uint32_t slot,
                                       const struct shw_image_use *source, const struct shw_label_targets *targets)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_labeller_frame *frame = &labeller->frame;
    uint32_t outputs = labeller->params.outputs, trees = labeller->info->tree_count,
             classes = labeller->info->class_count;

    if (shw_labeller_uses_cpu(labeller) || frame->channels == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "recording needs a labeller made with a size, with slots, and with all stages on the device");
    if (slot >= frame->slots)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no slot %u", slot);
    if (!shw_channels_source_format(source->format))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "sources of VkFormat %d are not understood",
                        (int)source->format);
    if (source->extent.width == 0 || source->extent.height == 0 || source->extent.width > frame->width ||
        source->extent.height > frame->height)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a source of %u x %u does not fit a labeller of %u x %u", source->extent.width,
                        source->extent.height, frame->width, frame->height);
    SHW_PROPAGATE(check_use(labeller, source, "source"));
    if (source->before.layout == VK_IMAGE_LAYOUT_UNDEFINED)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a source in VK_IMAGE_LAYOUT_UNDEFINED has no contents");
    if ((targets->tree_leaf.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_TREE_LEAF) == 0) ||
        (targets->forest_leaves.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_FOREST_LEAVES) == 0) ||
        (targets->distribution.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_DISTRIBUTION) == 0) ||
        (targets->argmax.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_ARGMAX) == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a target is given that the labeller was not made for");
    SHW_PROPAGATE(check_target(labeller, &targets->tree_leaf, VK_FORMAT_R32_UINT, 1, source, "tree_leaf"));
    SHW_PROPAGATE(check_target(labeller, &targets->forest_leaves, VK_FORMAT_R32_UINT, trees, source, "forest_leaves"));
    SHW_PROPAGATE(check_target(labeller, &targets->distribution, VK_FORMAT_R16_UINT, classes, source, "distribution"));
    return check_target(labeller, &targets->argmax, VK_FORMAT_R16_UINT, 1, source, "argmax");
}

/* Copies the first `layers` planes into the caller's image. */
static void record_target(const struct shw_labeller *labeller, struct shw_recording *recording,
                          const struct shw_planes *planes, const struct shw_image_use *target, uint32_t layers)
{
    const struct shw_device *device = labeller->params.device;
    VkCommandBuffer commands = recording->commands;
    VkExtent3D extent = {target->extent.width, target->extent.height, 1};
    VkImageSubresourceLayers subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers};
    struct shw_use before = {target->before.layout, target->before.stages, target->before.access};
    struct shw_use after = {target->after.layout, target->after.stages, target->after.access};
    VkImageCopy images = {.srcSubresource = subresource, .dstSubresource = subresource, .extent = extent};
    VkBufferImageCopy buffer = {.bufferRowLength = planes->stride,
                                .bufferImageHeight = planes->height,
                                .imageSubresource = subresource,
                                .imageExtent = extent};

    if (target->image == VK_NULL_HANDLE ||
        !shw_recording_step(recording, (uint64_t)extent.width * extent.height * layers))
        return;
    shw_image_barrier(device, commands, target->image, before, shw_use_copy_target);
    if (labeller->evaluate == SHW_TECHNIQUE_FRAGMENT)
        device->vk.CmdCopyImage(commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target->image,
                                VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &images);
    else
        device->vk.CmdCopyBufferToImage(commands, planes->buffer.handle, target->image,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &buffer);
    shw_image_barrier(device, commands, target->image, shw_use_copy_target, after);
}

static void record_channels(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                            const struct shw_image_use *source, const struct shw_tile *tile)
{
    struct shw_use before = {source->before.layout, source->before.stages, source->before.access};
    struct shw_use after = {source->after.layout, source->after.stages, source->after.access};
    struct shw_use sampled =
        labeller->channels == SHW_TECHNIQUE_FRAGMENT ? shw_use_fragment_sampled : shw_use_compute_sampled;

    shw_recording_image_barrier(recording, source->image, before, sampled);
    shw_labeller_record_channels(labeller, recording, slot, source->view, source->format, tile);
    shw_recording_image_barrier(recording, source->image, sampled, after);
    shw_labeller_hand_over(recording, &labeller->frame.channels[slot], labeller->channels, labeller->integrate,
                           tile->width, tile->height);
}

static void record_integrate(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                             const struct shw_tile *tile)
{
    shw_labeller_record_integrate(labeller, recording, slot, tile);
    shw_labeller_hand_over(recording, &labeller->frame.integrals[slot], labeller->integrate, labeller->evaluate,
                           tile->width + 1, tile->height + 1);
}

static void record_evaluate(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                            const struct shw_label_targets *targets, const struct shw_tile *tile)
{
    const struct shw_evaluate_slot *planes = &labeller->frame.evaluate_stage.slot[slot];

    shw_labeller_record_evaluate(labeller, recording, slot, tile);
    record_target(labeller, recording, &planes->leaves, &targets->tree_leaf, 1);
    record_target(labeller, recording, &planes->leaves, &targets->forest_leaves, labeller->info->tree_count);
    record_target(labeller, recording, &planes->distribution, &targets->distribution, labeller->info->class_count);
    record_target(labeller, recording, &planes->argmax, &targets->argmax, 1);
}

/* Where each stage's work ends. A piece ends with its stage. */
static void record_stages(struct shw_labeller *labeller, struct shw_recording *recording, bool in_pieces, uint32_t slot,
                          const struct shw_image_use *source, const struct shw_label_targets *targets,
                          uint64_t ends[SHW_STAGE_COUNT])
{
    uint32_t width = source->extent.width, height = source->extent.height;
    const struct shw_tile tile = {.region = {width, height, 0, 0, width, height}, .width = width, .height = height};

    for (int stage = 0; stage < (int)SHW_STAGE_COUNT; stage++) {
        switch (stage) {
        case SHW_STAGE_CHANNELS: record_channels(labeller, recording, slot, source, &tile); break;
        case SHW_STAGE_INTEGRATE: record_integrate(labeller, recording, slot, &tile); break;
        default: record_evaluate(labeller, recording, slot, targets, &tile); break;
        }
        ends[stage] = recording->at;
        if (in_pieces && recording->first < recording->at && recording->end > recording->at)
            recording->end = recording->at;
    }
}

enum shw_result shw_labeller_record(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                    const struct shw_image_use *source, const struct shw_label_targets *targets)
{
    struct shw_recording recording = shw_recording_whole(labeller->params.device, commands);
    uint64_t ends[SHW_STAGE_COUNT];

    SHW_PROPAGATE(check_recording(labeller, slot, source, targets));
    record_stages(labeller, &recording, false, slot, source, targets, ends);
    return SHW_OK;
}

static enum shw_result check_progress(const struct shw_labeller *labeller,
                                      const struct shw_labelling_progress *progress)
{
    const struct shw_log *log = &labeller->params.log;

    if (progress->finished)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "this labelling is finished: begin another from zero");
    if (progress->work > 0 && progress->forest != labeller->forest_number)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the forest has changed between the pieces of a labelling: begin again from zero");
    return SHW_OK;
}

enum shw_result shw_labeller_record_piece(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                          const struct shw_image_use *source, const struct shw_label_targets *targets,
                                          uint64_t work, struct shw_labelling_progress *progress)
{
    struct shw_recording recording = shw_recording_whole(labeller->params.device, commands);
    uint64_t ends[SHW_STAGE_COUNT];
    int stage = SHW_STAGE_CHANNELS;

    SHW_PROPAGATE(check_recording(labeller, slot, source, targets));
    SHW_PROPAGATE(check_progress(labeller, progress));
    recording.first = progress->work;
    if (work > 0 && work < UINT64_MAX - recording.first)
        recording.end = recording.first + work;
    record_stages(labeller, &recording, true, slot, source, targets, ends);
    progress->forest = labeller->forest_number;
    progress->finished = recording.next == UINT64_MAX;
    progress->work = progress->finished ? recording.at : recording.next;
    while (stage < SHW_STAGE_EVALUATE && ends[stage] <= progress->work)
        stage++;
    progress->stage = (enum shw_stage)stage;
    return SHW_OK;
}

enum shw_result shw_labeller_get_work(struct shw_labeller *labeller, uint32_t slot, const struct shw_image_use *source,
                                      const struct shw_label_targets *targets, uint64_t work[SHW_STAGE_COUNT])
{
    struct shw_recording nothing = {
        .device = labeller->params.device, .first = UINT64_MAX, .end = UINT64_MAX, .next = UINT64_MAX};

    SHW_PROPAGATE(check_recording(labeller, slot, source, targets));
    record_stages(labeller, &nothing, false, slot, source, targets, work);
    for (int stage = SHW_STAGE_EVALUATE; stage > SHW_STAGE_CHANNELS; stage--)
        work[stage] -= work[stage - 1];
    return SHW_OK;
}
