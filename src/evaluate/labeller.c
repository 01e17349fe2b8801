#include "evaluate/labeller.h"

#include <stdlib.h>

#include "base/log.h"
#include "vulkan/barrier.h"

#define ALL_OUTPUTS (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)

bool shw_labeller_uses_device(const struct shw_labeller *labeller)
{
    return labeller->channels != SHW_TECHNIQUE_CPU || labeller->integrate != SHW_TECHNIQUE_CPU ||
           labeller->evaluate != SHW_TECHNIQUE_CPU;
}

static bool uses_cpu(const struct shw_labeller *labeller)
{
    return labeller->channels == SHW_TECHNIQUE_CPU || labeller->integrate == SHW_TECHNIQUE_CPU ||
           labeller->evaluate == SHW_TECHNIQUE_CPU;
}

static enum shw_result check_custom(const struct shw_labeller_params *params, enum shw_stage stage, bool asked)
{
    const struct shw_custom_technique *custom = params->custom[stage];
    const struct shw_log *log = &params->log;
    enum shw_result result;

    if ((custom != NULL) != asked)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the technique custom, and one in `custom`, must be given together", shw_stage_name(stage));
    if (custom == NULL)
        return SHW_OK;
    SHW_TRY(shw_custom_technique_check(custom, log));
    if (custom->stage != stage)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s is not for the stage %s", custom->name,
                        shw_stage_name(stage));
    if (params->device == NULL && custom->run == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s needs a device", custom->name);

fail:
    return result;
}

static enum shw_result check_params(const struct shw_labeller_params *params)
{
    const struct shw_log *log = &params->log;
    const enum shw_technique techniques[] = {params->channels, params->integrate, params->evaluate};

    if (params->forest == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a labeller needs a forest");
    if (params->outputs == 0 || (params->outputs & ~(uint32_t)ALL_OUTPUTS) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "outputs must be one or more of enum shw_output");
    for (int i = 0; i < 3; i++) {
        if (shw_technique_name(techniques[i]) == NULL)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no technique %d", (int)techniques[i]);
        if (techniques[i] == SHW_TECHNIQUE_BLEND)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "the technique blend is for training only: label with fragment, compute or cpu");
        enum shw_result result = check_custom(params, (enum shw_stage)i, techniques[i] == SHW_TECHNIQUE_CUSTOM);
        if (result != SHW_OK)
            return result;
        if (params->device == NULL && techniques[i] > SHW_TECHNIQUE_CPU && techniques[i] != SHW_TECHNIQUE_CUSTOM)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s needs a device",
                            shw_technique_name(techniques[i]));
    }
    if (params->width > SHW_IMAGE_SIZE_MAX || params->height > SHW_IMAGE_SIZE_MAX ||
        (params->width == 0) != (params->height == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "width and height must both be zero or at most %u",
                        SHW_IMAGE_SIZE_MAX);
    return shw_labeller_check_calibration(params);
}

static const char *technique_name(const struct shw_labeller *labeller, enum shw_stage stage)
{
    enum shw_technique techniques[SHW_STAGE_COUNT];

    shw_labeller_get_techniques(labeller, techniques);
    return labeller->params.custom[stage] != NULL ? labeller->params.custom[stage]->name : shw_technique_name(techniques[stage]);
}

static void take_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    labeller->params.forest = forest;
    labeller->info = shw_forest_get_info(forest);
    labeller->margin = shw_forest_get_reach(forest) + labeller->set->radius;
}

enum shw_result shw_labeller_create(const struct shw_labeller_params *params, struct shw_labeller **out)
{
    enum shw_result result = check_params(params);
    enum shw_technique techniques[SHW_STAGE_COUNT];
    struct shw_labeller *labeller;

    if (result != SHW_OK)
        return result;
    labeller = calloc(1, sizeof *labeller);
    if (labeller == NULL)
        return shw_fail_memory(&params->log, "a labeller");
    labeller->params = *params;
    if (labeller->params.slots == 0)
        labeller->params.slots = 1;
    labeller->set = shw_channel_set_get(shw_forest_get_info(params->forest)->channels);
    take_forest(labeller, params->forest);
    shw_labeller_decide(params, techniques);
    labeller->channels = techniques[SHW_STAGE_CHANNELS];
    labeller->integrate = techniques[SHW_STAGE_INTEGRATE];
    labeller->evaluate = techniques[SHW_STAGE_EVALUATE];
    labeller->params.calibration = NULL; /* it was lent for this */
    shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "channels by %s, integrate by %s, evaluate by %s",
                    technique_name(labeller, SHW_STAGE_CHANNELS), technique_name(labeller, SHW_STAGE_INTEGRATE),
                    technique_name(labeller, SHW_STAGE_EVALUATE));
    if (uses_cpu(labeller) && shw_thread_pool_create(params->threads, &labeller->pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "threads");
        goto fail;
    }
    /* An imported device only records, so everything is made now; shw_labeller_run() makes what an image needs. */
    if (!uses_cpu(labeller) && params->width > 0)
        SHW_TRY(shw_labeller_frame_create(labeller, params->width, params->height, labeller->params.slots));
    *out = labeller;
    return SHW_OK;

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

void shw_labeller_destroy(struct shw_labeller **handle)
{
    struct shw_labeller *labeller = handle != NULL ? *handle : NULL;

    if (labeller == NULL)
        return;
    shw_labeller_frame_destroy(labeller);
    shw_labeller_transfer_destroy(labeller);
    shw_thread_pool_destroy(&labeller->pool);
    free(labeller);
    *handle = NULL;
}

bool shw_labeller_has_room(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        if (labeller->params.custom[s] != NULL)
            return false;
    return labeller->frame.channels == NULL || labeller->evaluate == SHW_TECHNIQUE_CPU ||
           shw_evaluate_stage_has_room(&labeller->frame.evaluate_stage, forest);
}

enum shw_result shw_labeller_set_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_labeller_frame *frame = &labeller->frame;
    enum shw_result result;

    if (shw_channel_set_get(info->channels) != labeller->set || info->feature != labeller->info->feature)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a forest of another channel set or feature type needs a labeller of its own");
    if (shw_labeller_has_room(labeller, forest)) {
        if (frame->channels != NULL && labeller->evaluate != SHW_TECHNIQUE_CPU)
            SHW_TRY(shw_evaluate_stage_set_forest(&frame->evaluate_stage, forest));
        take_forest(labeller, forest);
        return SHW_OK;
    }
    take_forest(labeller, forest);
    if (frame->channels != NULL) {
        uint32_t width = frame->width, height = frame->height, slots = frame->slots;
        shw_labeller_frame_destroy(labeller);
        SHW_TRY(shw_labeller_frame_create(labeller, width, height, slots));
    }
    return SHW_OK;

fail:
    return result;
}

void shw_labeller_get_techniques(const struct shw_labeller *labeller, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    techniques[SHW_STAGE_CHANNELS] = labeller->channels;
    techniques[SHW_STAGE_INTEGRATE] = labeller->integrate;
    techniques[SHW_STAGE_EVALUATE] = labeller->evaluate;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        if (labeller->params.custom[s] != NULL)
            techniques[s] = SHW_TECHNIQUE_CUSTOM;
}

static enum shw_result check_use(const struct shw_labeller *labeller, const struct shw_image_use *use, const char *name)
{
    if (use->before.stages == 0 || use->after.stages == 0)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the stages that use it before and after must be given (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT: none)",
                        name);
    if (use->after.layout == VK_IMAGE_LAYOUT_UNDEFINED || use->after.layout == VK_IMAGE_LAYOUT_PREINITIALIZED)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: no image can be brought into VkImageLayout %d", name, (int)use->after.layout);
    return SHW_OK;
}

static enum shw_result check_target(const struct shw_labeller *labeller, const struct shw_image_use *target, VkFormat format,
                                    uint32_t layers, const struct shw_image_use *source, const char *name)
{
    uint32_t given = target->layers > 0 ? target->layers : 1;

    if (target->image == VK_NULL_HANDLE)
        return SHW_OK;
    if (target->format != format || given != layers || target->extent.width != source->extent.width ||
        target->extent.height != source->extent.height)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s must be of VkFormat %d with %u layers and as large as the source", name, (int)format, layers);
    return check_use(labeller, target, name);
}

static enum shw_result check_recording(const struct shw_labeller *labeller, uint32_t slot, const struct shw_image_use *source,
                                       const struct shw_label_targets *targets)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_labeller_frame *frame = &labeller->frame;
    uint32_t outputs = labeller->params.outputs, trees = labeller->info->tree_count, classes = labeller->info->class_count;
    enum shw_result result;

    if (uses_cpu(labeller) || frame->channels == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "recording needs a labeller made with a size, with slots, and with all stages on the device");
    if (slot >= labeller->params.slots)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no slot %u", slot);
    if (!shw_channels_source_format(source->format))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "sources of VkFormat %d are not understood",
                        (int)source->format);
    if (source->extent.width == 0 || source->extent.height == 0 || source->extent.width > frame->width ||
        source->extent.height > frame->height)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a source of %u x %u does not fit a labeller of %u x %u",
                        source->extent.width, source->extent.height, frame->width, frame->height);
    SHW_TRY(check_use(labeller, source, "source"));
    if (source->before.layout == VK_IMAGE_LAYOUT_UNDEFINED)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a source in VK_IMAGE_LAYOUT_UNDEFINED has no contents");
    if ((targets->tree_leaf.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_TREE_LEAF) == 0) ||
        (targets->forest_leaves.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_FOREST_LEAVES) == 0) ||
        (targets->distribution.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_DISTRIBUTION) == 0) ||
        (targets->argmax.image != VK_NULL_HANDLE && (outputs & SHW_OUTPUT_ARGMAX) == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a target is given that the labeller was not made for");
    SHW_TRY(check_target(labeller, &targets->tree_leaf, VK_FORMAT_R32_UINT, 1, source, "tree_leaf"));
    SHW_TRY(check_target(labeller, &targets->forest_leaves, VK_FORMAT_R32_UINT, trees, source, "forest_leaves"));
    SHW_TRY(check_target(labeller, &targets->distribution, VK_FORMAT_R16_UINT, classes, source, "distribution"));
    SHW_TRY(check_target(labeller, &targets->argmax, VK_FORMAT_R16_UINT, 1, source, "argmax"));

fail:
    return result;
}

/* Copies the first `layers` planes into the caller's image. */
static void record_target(const struct shw_labeller *labeller, VkCommandBuffer commands, const struct shw_planes *planes,
                          const struct shw_image_use *target, uint32_t layers)
{
    const struct shw_device *device = labeller->params.device;
    VkExtent3D extent = {target->extent.width, target->extent.height, 1};
    VkImageSubresourceLayers subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers};
    struct shw_use before = {target->before.layout, target->before.stages, target->before.access};
    struct shw_use after = {target->after.layout, target->after.stages, target->after.access};
    VkImageCopy images = {.srcSubresource = subresource, .dstSubresource = subresource, .extent = extent};
    VkBufferImageCopy buffer = {.bufferRowLength = planes->stride,
                                .bufferImageHeight = planes->height,
                                .imageSubresource = subresource,
                                .imageExtent = extent};

    if (target->image == VK_NULL_HANDLE)
        return;
    shw_image_barrier(device, commands, target->image, before, shw_use_copy_target);
    if (labeller->evaluate == SHW_TECHNIQUE_FRAGMENT)
        device->vk.CmdCopyImage(commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target->image,
                                VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &images);
    else
        device->vk.CmdCopyBufferToImage(commands, planes->buffer.handle, target->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                        &buffer);
    shw_image_barrier(device, commands, target->image, shw_use_copy_target, after);
}

enum shw_result shw_labeller_record(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                    const struct shw_image_use *source, const struct shw_label_targets *targets)
{
    const struct shw_device *device = labeller->params.device;
    struct shw_labeller_frame *frame = &labeller->frame;
    enum shw_result result = check_recording(labeller, slot, source, targets);
    uint32_t width = source->extent.width, height = source->extent.height;
    struct shw_tile tile = {.region = {width, height, 0, 0, width, height}, .width = width, .height = height};
    struct shw_use before = {source->before.layout, source->before.stages, source->before.access};
    struct shw_use after = {source->after.layout, source->after.stages, source->after.access};
    struct shw_use sampled = labeller->channels == SHW_TECHNIQUE_FRAGMENT ? shw_use_fragment_sampled : shw_use_compute_sampled;
    const struct shw_evaluate_slot *planes;

    if (result != SHW_OK)
        return result;
    shw_image_barrier(device, commands, source->image, before, sampled);
    shw_labeller_record_channels(labeller, commands, slot, source->view, source->format, &tile);
    shw_image_barrier(device, commands, source->image, sampled, after);
    shw_labeller_hand_over(device, commands, &frame->channels[slot], labeller->channels, labeller->integrate, width, height);
    shw_labeller_record_integrate(labeller, commands, slot, &tile);
    shw_labeller_hand_over(device, commands, &frame->integrals[slot], labeller->integrate, labeller->evaluate, width + 1,
                           height + 1);
    shw_labeller_record_evaluate(labeller, commands, slot, &tile);
    planes = &frame->evaluate_stage.slot[slot];
    record_target(labeller, commands, &planes->leaves, &targets->tree_leaf, 1);
    record_target(labeller, commands, &planes->leaves, &targets->forest_leaves, labeller->info->tree_count);
    record_target(labeller, commands, &planes->distribution, &targets->distribution, labeller->info->class_count);
    record_target(labeller, commands, &planes->argmax, &targets->argmax, 1);
    return SHW_OK;
}
