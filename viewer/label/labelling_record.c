/* Labels in frames: computed at once, computed in pieces, or uploaded from the worker. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "gpu/frames.h"
#include "label/labelling.h"

#define FRAME_PIECES 6u
#define FIRST_PIECES 24u /* pieces per stage until its time is known */

static enum view_time kind_of(enum shw_stage stage)
{
    return VIEW_TIME_CHANNELS + (uint32_t)stage;
}

static enum shw_result record_at_once(struct view_labelling *labelling, struct view_frames *frames,
                                      VkCommandBuffer commands, uint32_t slot)
{
    const struct shw_inputs inputs = {labelling->given.count, labelling->given.inputs};
    struct shw_label_targets targets = view_labels_targets(&labelling->front);
    struct shw_labelling_progress progress = {0};
    uint32_t turn = (uint32_t)(labelling->count++ % VIEW_SLOTS);

    labelling->way = VIEW_LABEL_NOTHING;
    frames->begins[slot] = frames->ends[slot] = true;
    while (!progress.finished) {
        enum shw_stage stage = progress.stage;
        uint64_t before = progress.work;
        SHW_PROPAGATE(shw_labeller_record_piece(labelling->labeller, commands, turn, &inputs, &targets, 0, &progress));
        view_frames_stamp(frames, commands, slot, kind_of(stage), progress.work - before);
    }
    labelling->front.filled = labelling->changed = true;
    view_times_add(&frames->times, VIEW_TIME_LABELS, (view_clock() - labelling->began) * 1e3);
    return SHW_OK;
}

/* The work that there is time for; the first pieces of a stage are small. */
static uint64_t next_work(const struct view_frames *frames, const uint64_t work[SHW_STAGE_COUNT], enum shw_stage stage,
                          double left)
{
    double rate = frames->rates[stage], units;

    if (isinf(left))
        return 0;
    if (rate <= 0.0)
        return work[stage] / FIRST_PIECES + 1;
    units = left / rate;
    return units < 1.0 ? 1 : (uint64_t)units;
}

/* Makes the recorded work end before the next begins, so that it can be timed: some devices delay timestamps until they
 * must wait for something. */
static void separate(VkCommandBuffer commands)
{
    const VkMemoryBarrier nothing = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

    vkCmdPipelineBarrier(commands, all, all, 0, 1, &nothing, 0, NULL, 0, NULL);
}

static enum shw_result record_pieces(struct view_labelling *labelling, struct view_frames *frames,
                                     VkCommandBuffer commands, uint32_t slot)
{
    const struct shw_inputs inputs = {labelling->given.count, labelling->given.inputs};
    struct shw_label_targets targets = view_labels_targets(&labelling->back);
    struct shw_labelling_progress *progress = &labelling->progress;
    uint64_t work[SHW_STAGE_COUNT];
    double left = labelling->budget > 0.0 ? labelling->budget : (double)INFINITY;
    uint32_t turn;

    if (progress->work == 0) {
        labelling->count++;
        frames->begins[slot] = true;
    }
    turn = (uint32_t)((labelling->count - 1) % VIEW_SLOTS);
    SHW_PROPAGATE(shw_labeller_get_work(labelling->labeller, turn, &inputs, &targets, work));
    separate(commands);
    for (uint32_t piece = 0; piece < FRAME_PIECES && left > 0.0 && !progress->finished; piece++) {
        enum shw_stage stage = progress->stage;
        uint64_t before = progress->work;
        SHW_PROPAGATE(shw_labeller_record_piece(labelling->labeller, commands, turn, &inputs, &targets,
                                                next_work(frames, work, stage, left), progress));
        view_frames_stamp(frames, commands, slot, kind_of(stage), progress->work - before);
        separate(commands);
        if (!isinf(left))
            left -= frames->rates[stage] > 0.0 ? frames->rates[stage] * (double)(progress->work - before) : left;
    }
    frames->ends[slot] = progress->finished;
    labelling->back.filled = progress->finished;
    return SHW_OK;
}

static void record_results(struct view_labelling *labelling, VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &labelling->staging[slot];

    memcpy(staging->mapped, labelling->results, view_labels_size(&labelling->front));
    view_labels_copy(&labelling->front, commands, staging->handle);
    labelling->results = NULL;
}

enum shw_result view_labelling_record(struct view_labelling *labelling, struct view_frames *frames,
                                      struct view_display_range range, VkCommandBuffer commands, uint32_t slot)
{
    bool uploaded = false;

    if (labelling->parted.on) {
        SHW_PROPAGATE(view_parts_record(labelling, commands, slot, &uploaded));
        if (uploaded)
            view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
        return SHW_OK;
    }
    if (labelling->upload) {
        view_shown_upload(&labelling->behind, labelling->picture, range, commands, slot);
        labelling->upload = false;
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    }
    if (labelling->results != NULL) {
        record_results(labelling, commands, slot);
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    }
    if (labelling->given.upload && labelling->way != VIEW_LABEL_NOTHING && labelling->way != VIEW_LABEL_BESIDE) {
        view_input_images_upload(&labelling->given, commands, slot);
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    }
    if (labelling->way == VIEW_LABEL_AT_ONCE)
        SHW_PROPAGATE(record_at_once(labelling, frames, commands, slot));
    else if (labelling->way == VIEW_LABEL_IN_PIECES)
        SHW_PROPAGATE(record_pieces(labelling, frames, commands, slot));
    return SHW_OK;
}
