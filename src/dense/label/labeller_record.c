#include "dense/label/labeller.h"

#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/posterior.h"
#include "dense/label/levels.h"
#include "dense/label/record_targets.h"
#include "vulkan/commands.h"
#include "vulkan/formats.h"

/* Checks what a recording is given, before anything is written into the command buffer. */

/* What the level below says of what a part depends on. */
static struct shw_part part_below(const struct shw_labeller *labeller, VkExtent2D image, const struct shw_part *part)
{
    const struct shw_pixel_range x =
        shw_within_reach(part->x, shw_part_span(part->width, part->step), labeller->margin, image.width);
    const struct shw_pixel_range y =
        shw_within_reach(part->y, shw_part_span(part->height, part->step), labeller->margin, image.height);

    return (struct shw_part){x.begin, y.begin, x.end - x.begin, y.end - y.begin, 1};
}

/* Whether an image is not larger than the largest one. */
static bool fits(const struct shw_labeller *labeller, VkExtent2D image)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    const VkExtent2D recorded = pipeline->params.recorded;

    return image.width > 0 && image.height > 0 &&
           ((image.width <= pipeline->width && image.height <= pipeline->height) ||
            (image.width <= recorded.width && image.height <= recorded.height));
}

/* Whether there are tiles for a part on every level. */
static bool has_tiles(const struct shw_labeller *labeller, VkExtent2D image, const struct shw_part *part)
{
    struct shw_tiling tiling;
    struct shw_part below;

    if (labeller == NULL)
        return true;
    below = part_below(labeller, image, part);
    return fits(labeller, image) && shw_labeller_tile(labeller, image, part, &tiling) &&
           has_tiles(labeller->below, image, &below);
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
    struct shw_part whole, part;
    VkExtent2D image;

    if (!can_record(labeller))
        return shw_fail(
            log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
            "recording needs a labeller created with a size, with slots, and with all stages on the device");
    if (slot >= pipeline->slots)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no slot %u", slot);
    SHW_PROPAGATE(shw_inputs_choose_uses(labeller->params.device, inputs, pipeline->info->channel_list, log, chosen));
    image = chosen->of[0]->use.extent;
    whole = shw_part_whole(image.width, image.height);
    if (!fits(labeller, image) || !has_tiles(labeller, image, &whole))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a source of %u x %u does not fit a labeller of %u x %u", image.width, image.height,
                        shw_max_u32(pipeline->width, pipeline->params.recorded.width),
                        shw_max_u32(pipeline->height, pipeline->params.recorded.height));
    SHW_PROPAGATE(shw_targets_check(labeller, chosen, given));
    part = shw_targets_part(given, image);
    if (!has_tiles(labeller, image, &part))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the tiles in which the labeller records are too small for this part: record all of the image, "
                        "or a part with a smaller step, or at the image's border");
    return SHW_OK;
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
    if (shw_targets_have_any(given))
        return SHW_OK;
    return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "no target is given: one of tree_leaf, forest_leaves, distribution, argmax, probabilities and "
                    "overlay needs an image or a buffer");
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
    uint32_t x, y;                                   /* where its results begin in what they are written to */
    struct shw_stage_source sources[SHW_INPUTS_MAX]; /* after filling */
};

static uint32_t count_tiles(const struct recorded *recorded)
{
    return recorded->tiling.columns * recorded->tiling.rows;
}

/* Converts the tile for a target of that format, if need be. */
static void convert(const struct shw_labeller *labeller, struct shw_recording *recording,
                    const struct recorded *recorded, const struct shw_tile *tile, uint32_t target, VkFormat format,
                    bool is_first)
{
    const struct labelling *labelling = recorded->labelling;

    if (shw_pipeline_converts(&labeller->pipeline, target, format))
        shw_pipeline_convert(&labeller->pipeline, recording, labelling->slot, tile,
                             (struct shw_target_job){.target = target,
                                                     .storing = shw_target_storing_of(target, format),
                                                     .overlay = &labelling->targets->overlay,
                                                     .source = &recorded->sources[0],
                                                     .is_first = is_first});
}

static uint64_t copy_work(const struct shw_labeller *labeller, const struct shw_tile *tile, uint32_t target)
{
    return (uint64_t)shw_tile_columns(tile) * shw_tile_rows(tile) * shw_target_layers(target, labeller->pipeline.info);
}

/* Copies the tile into the caller's image, with the barriers around it before the first tile and after the last. */
static void record_image(const struct shw_labeller *labeller, struct shw_recording *recording,
                         const struct recorded *recorded, uint32_t number, uint32_t target)
{
    const struct shw_device *device = labeller->params.device;
    const struct labelling *labelling = recorded->labelling;
    const struct shw_image_use *use = shw_target_use(labelling->targets, target);
    const struct shw_tile tile = shw_tiling_get(&recorded->tiling, number);

    if (use->image == VK_NULL_HANDLE)
        return;
    convert(labeller, recording, recorded, &tile, target, use->format, number == 0);
    if (!shw_recording_step(recording, copy_work(labeller, &tile, target)))
        return;
    if (number == 0)
        shw_part_barrier(device, recording->commands, use, shw_use_before(use), shw_use_copy_target);
    shw_pipeline_copy_out(&labeller->pipeline, recording->commands, labelling->slot, target, use, &tile, recorded->x,
                          recorded->y);
    if (number + 1 == count_tiles(recorded))
        shw_part_barrier(device, recording->commands, use, shw_use_copy_target, shw_use_after(use));
}

/* The same for the caller's buffer. */
static void record_buffer(const struct shw_labeller *labeller, struct shw_recording *recording,
                          const struct recorded *recorded, uint32_t number, uint32_t target)
{
    const struct shw_device *device = labeller->params.device;
    const struct labelling *labelling = recorded->labelling;
    const struct shw_buffer_use use = shw_targets_buffer(labelling->targets, target, &recorded->tiling.part);
    const struct shw_tile tile = shw_tiling_get(&recorded->tiling, number);
    const struct shw_image_use *image = shw_target_use(labelling->targets, target);
    const bool has_image = image->image != VK_NULL_HANDLE;

    if (use.buffer == VK_NULL_HANDLE)
        return;
    if (!has_image || image->format != use.format) /* else it has just been converted */
        convert(labeller, recording, recorded, &tile, target, use.format, number == 0 && !has_image);
    if (!shw_recording_step(recording, copy_work(labeller, &tile, target)))
        return;
    if (number == 0)
        shw_buffer_barrier(device, recording->commands, use.buffer, shw_buffer_use_before(&use), shw_use_copy_target);
    shw_pipeline_copy_buffer(&labeller->pipeline, recording->commands, labelling->slot, target, &use,
                             shw_target_layers(target, labeller->pipeline.info), &tile);
    if (number + 1 == count_tiles(recorded))
        shw_buffer_barrier(device, recording->commands, use.buffer, shw_use_copy_target, shw_buffer_use_after(&use));
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

static void record_uses(const struct labelling *labelling, struct shw_recording *recording, bool after)
{
    const struct shw_channel_list *list = labelling->labeller->pipeline.info->channel_list;

    for (uint32_t i = after && shw_targets_have_overlay(labelling->targets) ? 1 : 0; i < list->input_count; i++)
        record_use(labelling, recording, i, after);
}

static void record_first_stage(struct shw_labeller *labeller, struct shw_recording *recording,
                               struct recorded *recorded, const struct shw_stage_frame *frame)
{
    const struct labelling *labelling = recorded->labelling;
    const VkExtent2D image = {frame->full_width, frame->full_height};
    bool is_whole = frame->width == image.width && frame->height == image.height;

    if (frame->number == 0 && labeller->below == NULL)
        record_uses(labelling, recording, false);
    if (frame->number == 0 && !is_whole)
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
    struct shw_tile tile = shw_tiling_get(&recorded->tiling, number);

    if (labeller != recorded->labelling->labeller) {
        tile.results.x += recorded->x;
        tile.results.y += recorded->y;
        shw_pipeline_record_posteriors(&labeller->pipeline, recording, recorded->labelling->slot, &tile, number,
                                       count_tiles(recorded));
        return;
    }
    for (uint32_t t = 0; t < SHW_TARGETS; t++) {
        record_image(labeller, recording, recorded, number, t);
        record_buffer(labeller, recording, recorded, number, t);
    }
    if (number + 1 == count_tiles(recorded) && shw_targets_have_overlay(recorded->labelling->targets))
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
    frame.step = tile.results.step;
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
                         const struct shw_chosen_inputs *inputs, const struct shw_part *part)
{
    const VkExtent2D image = labelling->inputs->of[0]->use.extent;
    const bool is_upper = labeller == labelling->labeller;
    struct recorded recorded = {.labelling = labelling,
                                .x = is_upper ? labelling->targets->x : part->x,
                                .y = is_upper ? labelling->targets->y : part->y};

    if (labeller->below != NULL) {
        const struct shw_chosen_inputs below = shw_levels_inputs(labeller, inputs);
        const struct shw_part of = part_below(labeller, image, part);
        record_level(labeller->below, recording, labelling, &below, &of);
    }
    shw_labeller_tile(labeller, image, part, &recorded.tiling); /* which was checked */
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
    const struct shw_part part = shw_targets_part(targets, inputs->of[0]->use.extent);

    memset(work, 0, SHW_STAGE_COUNT * sizeof *work);
    record_level(labeller, recording, &labelling, inputs, &part);
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

static uint64_t note_beginning(struct shw_labeller *labeller, uint32_t slot, const struct shw_chosen_inputs *inputs,
                               const struct shw_label_targets *targets)
{
    *begun_in(labeller, slot) = (struct shw_begun){++labeller->labellings, slot, extent_of(inputs),
                                                   shw_targets_part(targets, extent_of(inputs))};
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
    note_beginning(labeller, slot, &chosen, to);
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
                                      const struct shw_chosen_inputs *inputs, const struct shw_label_targets *targets,
                                      const struct shw_labelling_progress *progress)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_begun *begun = begun_in(labeller, slot);
    VkExtent2D extent = extent_of(inputs);
    const struct shw_part part = shw_targets_part(targets, extent);

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
    if (progress->work > 0 && memcmp(&part, &begun->part, sizeof part) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "this labelling was begun of another part of the image: begin again from zero");
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
    SHW_PROPAGATE(check_progress(labeller, slot, &chosen, targets, progress));
    SHW_PROPAGATE(check_handles(labeller, commands, &chosen));
    SHW_PROPAGATE(check_targets(labeller, targets));
    if (progress->work == 0)
        progress->labelling = note_beginning(labeller, slot, &chosen, targets);
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
