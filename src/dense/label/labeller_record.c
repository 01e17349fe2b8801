/* Records labelling into the caller's command buffers: all at once, or in pieces. */
#include <string.h>

#include "base/log.h"
#include "dense/label/labeller.h"
#include "vulkan/barrier.h"

/* What is recorded: an image in one tile or more. */
struct recorded {
    uint32_t slot;
    const struct shw_chosen_inputs *inputs;
    const struct shw_label_targets *targets;
    struct shw_tiling tiling;
    struct shw_stage_source sources[SHW_INPUTS_MAX]; /* after filling */
};

static uint32_t count_tiles(const struct recorded *recorded)
{
    return recorded->tiling.columns * recorded->tiling.rows;
}

/* Copies the tile in the first `layers` planes of that name, as many as the target has, into the caller's image, with
   the barriers around it before the first tile and after the last. */
static void record_target(const struct shw_labeller *labeller, struct shw_recording *recording,
                          const struct recorded *recorded, uint32_t number, const char *name,
                          const struct shw_image_use *target, uint32_t layers)
{
    const struct shw_device *device = labeller->params.device;
    const struct shw_tile tile = shw_tiling_get(&recorded->tiling, number);
    VkCommandBuffer commands = recording->commands;
    uint64_t work = (uint64_t)tile.width * tile.height * layers;

    if (target->image == VK_NULL_HANDLE || !shw_recording_step(recording, work))
        return;
    if (number == 0)
        shw_part_barrier(device, commands, target, shw_use_before(target), shw_use_copy_target);
    shw_pipeline_copy_out(&labeller->pipeline, commands, recorded->slot, name, target, &tile);
    if (number + 1 == count_tiles(recorded))
        shw_part_barrier(device, commands, target, shw_use_copy_target, shw_use_after(target));
}

static void record_targets(const struct shw_labeller *labeller, struct shw_recording *recording,
                           const struct recorded *recorded, uint32_t tile)
{
    const struct shw_forest_info *info = labeller->pipeline.info;
    const struct shw_label_targets *targets = recorded->targets;

    record_target(labeller, recording, recorded, tile, SHW_LEAVES, &targets->tree_leaf, 1);
    record_target(labeller, recording, recorded, tile, SHW_LEAVES, &targets->forest_leaves, info->tree_count);
    record_target(labeller, recording, recorded, tile, SHW_DISTRIBUTION, &targets->distribution, info->class_count);
    record_target(labeller, recording, recorded, tile, SHW_ARGMAX, &targets->argmax, 1);
}

/* Barriers around the first stage, the only one that reads inputs. The current frame that stands in for a missing one
   already has its barriers. */
static void record_uses(const struct shw_labeller *labeller, struct shw_recording *recording,
                        const struct shw_chosen_inputs *inputs, bool after)
{
    struct shw_use sampled = shw_pipeline_source_use(&labeller->pipeline);

    for (uint32_t i = 0; i < labeller->pipeline.info->channel_list->input_count; i++) {
        const struct shw_image_use *use = inputs->of[i] != NULL ? &inputs->of[i]->use : NULL;
        if (use != NULL && after)
            shw_recording_part_barrier(recording, use, sampled, shw_use_after(use));
        else if (use != NULL)
            shw_recording_part_barrier(recording, use, shw_use_before(use), sampled);
    }
}

static void record_first_stage(struct shw_labeller *labeller, struct shw_recording *recording,
                               struct recorded *recorded, const struct shw_stage_frame *frame)
{
    const VkExtent2D image = {frame->full_width, frame->full_height};
    bool is_tiled = count_tiles(recorded) > 1;

    if (frame->number == 0)
        record_uses(labeller, recording, recorded->inputs, false);
    if (frame->number == 0 && is_tiled)
        shw_pipeline_record_fill(&labeller->pipeline, recording, recorded->slot, image, recorded->sources);
    for (uint32_t i = 0; i < frame->source_count; i++) {
        recorded->sources[i].x = frame->x;
        recorded->sources[i].y = frame->y;
    }
    shw_pipeline_record(&labeller->pipeline, recording, recorded->slot, 0, frame);
    if (frame->number + 1 == count_tiles(recorded))
        record_uses(labeller, recording, recorded->inputs, true);
}

/* Adds to `work` the steps of each stage, and sets *next to the stage in which what is not recorded begins. A piece
   does not extend beyond the stage it begins in. */
static void record_tile(struct shw_labeller *labeller, struct shw_recording *recording, bool in_pieces,
                        struct recorded *recorded, uint32_t number, uint64_t work[SHW_STAGE_COUNT],
                        enum shw_stage *next)
{
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
            shw_pipeline_record(pipeline, recording, recorded->slot, s, &frame);
        if (s + 1 < pipeline->stage_count)
            shw_pipeline_transition(pipeline, recording, recorded->slot, s, &frame);
        else
            record_targets(labeller, recording, recorded, number);
        work[pipeline->stages[s].stage] += stretch->at - begin;
        if (recorded_all && stretch->next != UINT64_MAX)
            *next = pipeline->stages[s].stage;
        if (in_pieces && stretch->first < stretch->at && stretch->end > stretch->at)
            stretch->end = stretch->at;
    }
}

static enum shw_stage record_stages(struct shw_labeller *labeller, struct shw_recording *recording, bool in_pieces,
                                    uint32_t slot, const struct shw_chosen_inputs *inputs,
                                    const struct shw_label_targets *targets, uint64_t work[SHW_STAGE_COUNT])
{
    const struct shw_image_use *colour = &inputs->of[0]->use;
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    struct recorded recorded = {.slot = slot, .inputs = inputs, .targets = targets};
    enum shw_stage next = SHW_STAGE_EVALUATE;

    shw_labeller_tile(labeller, colour->extent, &recorded.tiling); /* which was checked */
    for (uint32_t i = 0; i < list->input_count; i++) {
        const struct shw_image_use *use = inputs->of[i] != NULL ? &inputs->of[i]->use : colour;
        recorded.sources[i] = (struct shw_stage_source){.name = list->inputs[i],
                                                        .view = use->view,
                                                        .format = use->format,
                                                        .depth = inputs->of[inputs->of[i] != NULL ? i : 0]->depth};
    }
    memset(work, 0, SHW_STAGE_COUNT * sizeof *work);
    for (uint32_t t = 0; t < count_tiles(&recorded); t++)
        record_tile(labeller, recording, in_pieces, &recorded, t, work, &next);
    return next;
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

    SHW_PROPAGATE(shw_labeller_check_recording(labeller, slot, inputs, to, &chosen));
    SHW_PROPAGATE(shw_labeller_check_handles(labeller, commands, &chosen));
    if (targets != NULL)
        SHW_PROPAGATE(shw_labeller_check_targets(labeller, targets));
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

    SHW_PROPAGATE(shw_labeller_check_recording(labeller, slot, inputs, targets, &chosen));
    SHW_PROPAGATE(check_progress(labeller, slot, &chosen, progress));
    SHW_PROPAGATE(shw_labeller_check_handles(labeller, commands, &chosen));
    SHW_PROPAGATE(shw_labeller_check_targets(labeller, targets));
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
    SHW_PROPAGATE(shw_labeller_check_recording(labeller, slot, inputs, targets, &chosen));
    record_stages(labeller, &nothing, false, slot, &chosen, targets, work);
    return SHW_OK;
}
