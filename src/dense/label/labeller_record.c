#include "dense/label/labeller.h"

#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/posterior.h"
#include "dense/label/levels.h"
#include "vulkan/commands.h"
#include "vulkan/formats.h"

/* Checks what a recording is given, before anything is written into the command buffer. */

#define GRAPHICS_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |                                        \
     VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT | VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT |        \
     VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |                                   \
     VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |                          \
     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT)

static enum shw_result check_format(const struct shw_labeller *labeller, uint32_t number, VkFormat format)
{
    const struct shw_target_storing *storing = shw_target_storing_of(number, format);
    const char *name = shw_target_get(number)->name;

    if (storing == NULL)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s cannot have %s: %s", name,
                        shw_vk_format_text(format).text, shw_target_formats_text(number).text);
    if (shw_target_is_result(number, storing))
        return SHW_OK;
    if (!shw_target_is_made(&labeller->params.formats, number, format))
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s has %s, but the labeller was not created with that in `formats`", name,
                        shw_vk_format_text(format).text);
    return shw_target_check_forest(number, format, labeller->params.forest, &labeller->params.log);
}

static enum shw_result check_target(const struct shw_labeller *labeller, uint32_t number,
                                    const struct shw_image_use *use, const struct shw_image_use *source)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_target_traits *target = shw_target_get(number);
    const uint32_t layers = shw_target_layers(number, labeller->pipeline.info);
    VkImageSubresourceLayers part = shw_part_layers(use);

    if ((labeller->params.outputs & target->output) == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is given, but the labeller was not created for that output", target->name);
    SHW_PROPAGATE(check_format(labeller, number, use->format));
    if (part.layerCount != layers || use->extent.width != source->extent.width ||
        use->extent.height != source->extent.height)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s must have %u layers and be as large as the source", target->name, layers);
    if (part.aspectMask != VK_IMAGE_ASPECT_COLOR_BIT)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: a target has VK_IMAGE_ASPECT_COLOR_BIT only",
                        target->name);
    return shw_use_check(use, target->name, log);
}

static enum shw_result check_overlay(const struct shw_labeller *labeller, const struct shw_overlay_target *overlay)
{
    const struct shw_log *log = &labeller->params.log;
    uint32_t most = overlay->opacity;

    if (overlay->use.image == VK_NULL_HANDLE)
        return SHW_OK;
    for (uint32_t c = 0; overlay->paints != NULL && c < labeller->pipeline.info->class_count; c++)
        most = shw_max_u32(most, overlay->paints[c].opacity);
    if (most > 100)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "overlay: an opacity is at most 100 percent");
    if (overlay->by_probability && (labeller->params.outputs & SHW_OUTPUT_DISTRIBUTION) == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "overlay: opacity by probability needs SHW_OUTPUT_DISTRIBUTION");
    return SHW_OK;
}

static bool overlap(const struct shw_image_use *a, const struct shw_image_use *b)
{
    VkImageSubresourceLayers one = shw_part_layers(a), other = shw_part_layers(b);

    return a->image == b->image && a->mip == b->mip && (one.aspectMask & other.aspectMask) != 0 &&
           one.baseArrayLayer < (uint64_t)other.baseArrayLayer + other.layerCount &&
           other.baseArrayLayer < (uint64_t)one.baseArrayLayer + one.layerCount;
}

/* A barrier in a command buffer has only stages that its queue family has. */
static enum shw_result check_stages(const struct shw_labeller *labeller, const char *name,
                                    const struct shw_image_use *use)
{
    const struct shw_device *device = labeller->params.device;

    if (device->has_graphics || ((use->before.stages | use->after.stages) & GRAPHICS_STAGES) == 0)
        return SHW_OK;
    return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s: the stages before and after include graphics stages, which queue family %u lacks", name,
                    device->queue_family);
}

/* A part that is used twice would have two layouts at a time. */
static enum shw_result check_uses(const struct shw_labeller *labeller, const struct shw_chosen_inputs *inputs,
                                  const struct shw_label_targets *targets)
{
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    const struct shw_image_use *uses[SHW_INPUTS_MAX + SHW_TARGETS];
    const char *names[SHW_INPUTS_MAX + SHW_TARGETS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->input_count; i++)
        if (inputs->of[i] != NULL) {
            names[count] = list->inputs[i];
            uses[count++] = &inputs->of[i]->use;
        }
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_use(targets, t)->image != VK_NULL_HANDLE) {
            names[count] = shw_target_get(t)->name;
            uses[count++] = shw_target_use(targets, t);
        }
    for (uint32_t i = 0; i < count; i++)
        SHW_PROPAGATE(check_stages(labeller, names[i], uses[i]));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (uses[i]->image != VK_NULL_HANDLE && overlap(uses[i], uses[j]))
                return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                "%s and %s are the same subresource of one image", names[i], names[j]);
    return SHW_OK;
}

static bool level_fits(const struct shw_labeller *labeller, VkExtent2D image)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    const VkExtent2D recorded = pipeline->params.recorded;
    struct shw_tiling tiling;

    if (image.width == 0 || image.height == 0)
        return false;
    if (image.width <= pipeline->width && image.height <= pipeline->height)
        return true;
    return image.width <= recorded.width && image.height <= recorded.height &&
           shw_labeller_tile(labeller, image, &tiling);
}

static bool fits(const struct shw_labeller *labeller, VkExtent2D image)
{
    return labeller == NULL || (level_fits(labeller, image) && fits(labeller->below, image));
}

/* All levels. */
static bool can_record(const struct shw_labeller *labeller)
{
    return labeller == NULL ||
           (shw_labeller_on_device(labeller) && labeller->pipeline.slots > 0 && can_record(labeller->below));
}

/* Checks the arguments of a recording, except handles that only its commands use, and sorts its inputs. Errors:
 * ARGUMENT. */
static enum shw_result check_recording(const struct shw_labeller *labeller, uint32_t slot,
                                       const struct shw_inputs *inputs, const struct shw_label_targets *given,
                                       struct shw_chosen_inputs *chosen)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    const struct shw_image_use *source;

    if (!can_record(labeller))
        return shw_fail(
            log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
            "recording needs a labeller created with a size, with slots, and with all stages on the device");
    if (slot >= pipeline->slots)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no slot %u", slot);
    SHW_PROPAGATE(shw_inputs_choose_uses(inputs, pipeline->info->channel_list, log, chosen));
    source = &chosen->of[0]->use;
    if (!fits(labeller, source->extent))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a source of %u x %u does not fit a labeller of %u x %u", source->extent.width,
                        source->extent.height, shw_max_u32(pipeline->width, pipeline->params.recorded.width),
                        shw_max_u32(pipeline->height, pipeline->params.recorded.height));
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_use(given, t)->image != VK_NULL_HANDLE)
            SHW_PROPAGATE(check_target(labeller, t, shw_target_use(given, t), source));
    SHW_PROPAGATE(check_overlay(labeller, &given->overlay));
    return check_uses(labeller, chosen, given);
}

/* Checks these handles. Errors: ARGUMENT. */
static enum shw_result check_handles(const struct shw_labeller *labeller, VkCommandBuffer commands,
                                     const struct shw_chosen_inputs *chosen)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;

    for (uint32_t i = 0; i < list->input_count; i++) {
        const struct shw_image_use *use = chosen->of[i] != NULL ? &chosen->of[i]->use : NULL;
        if (use != NULL && (use->image == VK_NULL_HANDLE || use->view == VK_NULL_HANDLE))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the input %s: `%s` is VK_NULL_HANDLE",
                            list->inputs[i], use->image == VK_NULL_HANDLE ? "image" : "view");
    }
    if (commands == VK_NULL_HANDLE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "`commands` is VK_NULL_HANDLE");
    return SHW_OK;
}

/* Errors: ARGUMENT if there is none. */
static enum shw_result check_targets(const struct shw_labeller *labeller, const struct shw_label_targets *given)
{
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_use(given, t)->image != VK_NULL_HANDLE)
            return SHW_OK;
    return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "no target is given: one of tree_leaf, forest_leaves, distribution, argmax, probabilities and "
                    "overlay needs an image");
}

/* Records labelling into the caller's command buffers: all at once, or in pieces. */

/* A labelling: the levels are recorded from the lowest one on. */
struct labelling {
    const struct shw_labeller *labeller; /* of the uppermost level */
    uint32_t slot;
    const struct shw_chosen_inputs *inputs; /* of all levels */
    const struct shw_label_targets *targets;
    bool in_pieces;
    uint64_t *work;      /* [SHW_STAGE_COUNT]: the steps of each stage */
    enum shw_stage next; /* in which what is not recorded begins */
};

/* A level of it: an image in one tile or more. */
struct recorded {
    struct labelling *labelling;
    struct shw_tiling tiling;
    struct shw_stage_source sources[SHW_INPUTS_MAX]; /* after filling */
};

static uint32_t count_tiles(const struct recorded *recorded)
{
    return recorded->tiling.columns * recorded->tiling.rows;
}

/* Copies the tile, converted if need be, into the caller's image, with the barriers around it before the first tile and
   after the last. */
static void record_target(const struct shw_labeller *labeller, struct shw_recording *recording,
                          const struct recorded *recorded, uint32_t number, uint32_t target)
{
    const struct shw_device *device = labeller->params.device;
    const struct labelling *labelling = recorded->labelling;
    const struct shw_image_use *use = shw_target_use(labelling->targets, target);
    const struct shw_tile tile = shw_tiling_get(&recorded->tiling, number);
    const uint64_t work = (uint64_t)tile.width * tile.height * shw_part_layers(use).layerCount;

    if (use->image == VK_NULL_HANDLE)
        return;
    if (shw_pipeline_converts(&labeller->pipeline, target, use->format))
        shw_pipeline_convert(&labeller->pipeline, recording, labelling->slot, &tile,
                             (struct shw_target_job){.target = target,
                                                     .storing = shw_target_storing_of(target, use->format),
                                                     .overlay = &labelling->targets->overlay,
                                                     .source = &recorded->sources[0],
                                                     .source_x = tile.region.x + tile.x,
                                                     .source_y = tile.region.y + tile.y,
                                                     .is_first = number == 0});
    if (!shw_recording_step(recording, work))
        return;
    if (number == 0)
        shw_part_barrier(device, recording->commands, use, shw_use_before(use), shw_use_copy_target);
    shw_pipeline_copy_out(&labeller->pipeline, recording->commands, labelling->slot, target, use, &tile);
    if (number + 1 == count_tiles(recorded))
        shw_part_barrier(device, recording->commands, use, shw_use_copy_target, shw_use_after(use));
}

/* How all levels read the inputs. */
static struct shw_use source_use(const struct shw_labeller *labeller)
{
    return labeller->below != NULL ? source_use(labeller->below) : shw_pipeline_source_use(&labeller->pipeline);
}

/* Barriers around the stages that read inputs: the first ones, and for overlays of the colour image the last one. The
   current frame that stands in for a missing one already has its barriers. */
static void record_use(const struct labelling *labelling, struct shw_recording *recording, uint32_t input, bool after)
{
    const struct shw_use sampled = source_use(labelling->labeller);
    const struct shw_input *given = labelling->inputs->of[input];
    const struct shw_image_use *use = given != NULL ? &given->use : NULL;

    if (use != NULL && after)
        shw_recording_part_barrier(recording, use, sampled, shw_use_after(use));
    else if (use != NULL)
        shw_recording_part_barrier(recording, use, shw_use_before(use), sampled);
}

static bool has_overlay(const struct labelling *labelling)
{
    return labelling->targets->overlay.use.image != VK_NULL_HANDLE;
}

static void record_uses(const struct labelling *labelling, struct shw_recording *recording, bool after)
{
    const struct shw_channel_list *list = labelling->labeller->pipeline.info->channel_list;

    for (uint32_t i = after && has_overlay(labelling) ? 1 : 0; i < list->input_count; i++)
        record_use(labelling, recording, i, after);
}

static void record_first_stage(struct shw_labeller *labeller, struct shw_recording *recording,
                               struct recorded *recorded, const struct shw_stage_frame *frame)
{
    const struct labelling *labelling = recorded->labelling;
    const VkExtent2D image = {frame->full_width, frame->full_height};
    bool is_tiled = count_tiles(recorded) > 1;

    if (frame->number == 0 && labeller->below == NULL)
        record_uses(labelling, recording, false);
    if (frame->number == 0 && is_tiled)
        shw_pipeline_record_fill(&labeller->pipeline, recording, labelling->slot, image, recorded->sources);
    for (uint32_t i = 0; i < frame->source_count; i++) {
        recorded->sources[i].x = frame->x;
        recorded->sources[i].y = frame->y;
    }
    shw_pipeline_record(&labeller->pipeline, recording, labelling->slot, 0, frame);
    if (frame->number + 1 == count_tiles(recorded) && labeller == labelling->labeller)
        record_uses(labelling, recording, true);
}

/* What the next level reads, or the targets. */
static void record_results(struct shw_labeller *labeller, struct shw_recording *recording,
                           const struct recorded *recorded, uint32_t number)
{
    const struct shw_tile tile = shw_tiling_get(&recorded->tiling, number);

    if (labeller != recorded->labelling->labeller) {
        shw_pipeline_record_posteriors(&labeller->pipeline, recording, recorded->labelling->slot, &tile, number,
                                       count_tiles(recorded));
        return;
    }
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        record_target(labeller, recording, recorded, number, t);
    if (number + 1 == count_tiles(recorded) && has_overlay(recorded->labelling))
        record_use(recorded->labelling, recording, 0, true);
}

/* A piece does not extend beyond the stage it begins in. */
static void record_tile(struct shw_labeller *labeller, struct shw_recording *recording, struct recorded *recorded,
                        uint32_t number)
{
    struct labelling *labelling = recorded->labelling;
    struct shw_pipeline *pipeline = &labeller->pipeline;
    struct shw_stage_stretch *stretch = &recording->stretch;
    const struct shw_tile tile = shw_tiling_get(&recorded->tiling, number);
    struct shw_stage_frame frame = shw_stage_frame_of(&tile);

    frame.source_count = pipeline->info->channel_list->input_count;
    frame.sources = recorded->sources;
    frame.number = number;
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        uint64_t begin = stretch->at;
        bool recorded_all = stretch->next == UINT64_MAX;
        if (s == 0)
            record_first_stage(labeller, recording, recorded, &frame);
        else
            shw_pipeline_record(pipeline, recording, labelling->slot, s, &frame);
        if (s + 1 < pipeline->stage_count)
            shw_pipeline_transition(pipeline, recording, labelling->slot, s, &frame);
        else
            record_results(labeller, recording, recorded, number);
        labelling->work[pipeline->stages[s].stage] += stretch->at - begin;
        if (recorded_all && stretch->next != UINT64_MAX)
            labelling->next = pipeline->stages[s].stage;
        if (labelling->in_pieces && stretch->first < stretch->at && stretch->end > stretch->at)
            stretch->end = stretch->at;
    }
}

static struct shw_stage_source source_of(const struct shw_labeller *labeller, uint32_t slot,
                                         const struct shw_chosen_inputs *inputs, uint32_t number)
{
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    const char *name = list->inputs[number];
    const struct shw_input *input = inputs->of[inputs->of[number] != NULL ? number : 0];

    if (shw_posterior_is_name(name))
        return shw_pipeline_posterior(&labeller->below->pipeline, slot, name);
    return (struct shw_stage_source){.name = name,
                                     .view = input->use.view,
                                     .format = input->use.format,
                                     .depth = shw_input_scaling(list, number, input)};
}

static void record_level(struct shw_labeller *labeller, struct shw_recording *recording, struct labelling *labelling,
                         const struct shw_chosen_inputs *inputs)
{
    struct recorded recorded = {.labelling = labelling};

    if (labeller->below != NULL) {
        const struct shw_chosen_inputs below = shw_levels_inputs(labeller, inputs);
        record_level(labeller->below, recording, labelling, &below);
    }
    shw_labeller_tile(labeller, inputs->of[0]->use.extent, &recorded.tiling); /* which was checked */
    for (uint32_t i = 0; i < labeller->pipeline.info->channel_list->input_count; i++)
        recorded.sources[i] = source_of(labeller, labelling->slot, inputs, i);
    for (uint32_t t = 0; t < count_tiles(&recorded); t++)
        record_tile(labeller, recording, &recorded, t);
}

/* Sets `work` to the steps of each stage; returns the stage in which what is not recorded begins. */
static enum shw_stage record_stages(struct shw_labeller *labeller, struct shw_recording *recording, bool in_pieces,
                                    uint32_t slot, const struct shw_chosen_inputs *inputs,
                                    const struct shw_label_targets *targets, uint64_t work[SHW_STAGE_COUNT])
{
    struct labelling labelling = {labeller, slot, inputs, targets, in_pieces, work, SHW_STAGE_EVALUATE};

    memset(work, 0, SHW_STAGE_COUNT * sizeof *work);
    record_level(labeller, recording, &labelling, inputs);
    return labelling.next;
}

static struct shw_begun *begun_in(const struct shw_labeller *labeller, uint32_t slot)
{
    return &labeller->begun[slot % labeller->pipeline.scratch_sets];
}

static VkExtent2D extent_of(const struct shw_chosen_inputs *inputs)
{
    return inputs->of[0]->use.extent;
}

static uint64_t note_beginning(struct shw_labeller *labeller, uint32_t slot, const struct shw_chosen_inputs *inputs)
{
    *begun_in(labeller, slot) = (struct shw_begun){++labeller->labellings, slot, extent_of(inputs)};
    return labeller->labellings;
}

/* Without targets results stay in the slot's planes. */
static enum shw_result record_whole(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                    const struct shw_inputs *inputs, const struct shw_label_targets *targets)
{
    const struct shw_label_targets nowhere = {0}, *to = targets != NULL ? targets : &nowhere;
    struct shw_chosen_inputs chosen;
    struct shw_recording recording = shw_recording_whole(labeller->params.device, commands);
    uint64_t each[SHW_STAGE_COUNT];

    SHW_PROPAGATE(check_recording(labeller, slot, inputs, to, &chosen));
    SHW_PROPAGATE(check_handles(labeller, commands, &chosen));
    if (targets != NULL)
        SHW_PROPAGATE(check_targets(labeller, targets));
    note_beginning(labeller, slot, &chosen);
    record_stages(labeller, &recording, false, slot, &chosen, to, each);
    return SHW_OK;
}

enum shw_result shw_labeller_record_planes(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                           const struct shw_inputs *inputs)
{
    return record_whole(labeller, commands, slot, inputs, NULL);
}

enum shw_result shw_labeller_record(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                    const struct shw_inputs *inputs, const struct shw_label_targets *targets)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, targets);

    return record_whole(labeller, commands, slot, inputs, targets);
}

void shw_labeller_discard_recordings(struct shw_labeller *labeller)
{
    if (labeller == NULL)
        return;

    shw_labeller_discard_recordings(labeller->below);
    shw_pipeline_forget(&labeller->pipeline);
    labeller->discarded = labeller->labellings;
}

static enum shw_result check_progress(const struct shw_labeller *labeller, uint32_t slot,
                                      const struct shw_chosen_inputs *inputs,
                                      const struct shw_labelling_progress *progress)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_begun *begun = begun_in(labeller, slot);
    VkExtent2D extent = extent_of(inputs);

    if (progress->finished)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "this labelling is finished: begin another from zero");
    if (progress->work > 0 && progress->forest != labeller->pipeline.number)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the forest has changed between the pieces of a labelling: begin again from zero");
    if (progress->work > 0 && progress->labelling <= labeller->discarded)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "recordings were discarded between the pieces of this labelling: begin again from zero");
    if (progress->work > 0 && progress->labelling != begun->labelling)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "another labelling was begun in the same memory between the pieces of this one: begin again "
                        "from zero, or create the labeller with scratch_per_slot");
    if (progress->work > 0 && slot != begun->slot)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "this labelling was begun in slot %u, not %u: go on there, or begin again from zero",
                        begun->slot, slot);
    if (progress->work > 0 && (extent.width != begun->extent.width || extent.height != begun->extent.height))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "this labelling was begun with %u x %u pixels, and there are %u x %u: begin again from zero",
                        begun->extent.width, begun->extent.height, extent.width, extent.height);
    return SHW_OK;
}

enum shw_result shw_labeller_record_piece(struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                                          const struct shw_inputs *inputs, const struct shw_label_targets *targets,
                                          uint64_t work, struct shw_labelling_progress *progress)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, targets);
    SHW_REFUSE_NULL(&labeller->params.log, progress);

    struct shw_chosen_inputs chosen;
    struct shw_recording recording = shw_recording_whole(labeller->params.device, commands);
    struct shw_stage_stretch *stretch = &recording.stretch;
    uint64_t each[SHW_STAGE_COUNT];

    SHW_PROPAGATE(check_recording(labeller, slot, inputs, targets, &chosen));
    SHW_PROPAGATE(check_progress(labeller, slot, &chosen, progress));
    SHW_PROPAGATE(check_handles(labeller, commands, &chosen));
    SHW_PROPAGATE(check_targets(labeller, targets));
    if (progress->work == 0)
        progress->labelling = note_beginning(labeller, slot, &chosen);
    stretch->first = progress->work;
    if (work > 0 && work < UINT64_MAX - stretch->first)
        stretch->end = stretch->first + work;
    progress->stage = record_stages(labeller, &recording, true, slot, &chosen, targets, each);
    progress->forest = labeller->pipeline.number;
    progress->finished = stretch->next == UINT64_MAX;
    progress->work = progress->finished ? stretch->at : stretch->next;
    return SHW_OK;
}

enum shw_result shw_labeller_get_work(struct shw_labeller *labeller, uint32_t slot, const struct shw_inputs *inputs,
                                      const struct shw_label_targets *targets, uint64_t work[SHW_STAGE_COUNT])
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, targets);
    SHW_REFUSE_NULL(&labeller->params.log, work);

    struct shw_chosen_inputs chosen;
    struct shw_recording nothing = shw_recording_whole(labeller->params.device, VK_NULL_HANDLE);

    nothing.stretch.first = UINT64_MAX;
    SHW_PROPAGATE(check_recording(labeller, slot, inputs, targets, &chosen));
    record_stages(labeller, &nothing, false, slot, &chosen, targets, work);
    return SHW_OK;
}
