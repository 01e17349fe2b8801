#include "shell/frame.h"

#include "base/log.h"

/* To the left and the right of the free area: panels have no background of their own there. */
static void clear_columns(const struct view_frame *frame, VkCommandBuffer commands)
{
    const float grey = VIEW_UI_BACKGROUND / 255.0f;
    const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                     .clearValue.color.float32 = {grey, grey, grey, 1.0f}};
    const uint32_t left = (uint32_t)frame->area.offset.x, right = left + frame->area.extent.width;
    const VkExtent2D canvas = frame->canvas->image.extent;
    VkClearRect columns[2];
    uint32_t count = 0;

    if (left > 0)
        columns[count++] = (VkClearRect){{{0, 0}, {left, canvas.height}}, 0, 1};
    if (right < canvas.width)
        columns[count++] = (VkClearRect){{{(int32_t)right, 0}, {canvas.width - right, canvas.height}}, 0, 1};
    if (count > 0)
        vkCmdClearAttachments(commands, 1, &clear, count, columns);
}

static void draw(const struct view_gpu *gpu, struct view_frames *frames, const struct view_frame *frame,
                 VkCommandBuffer commands, uint32_t slot, bool uploaded)
{
    const struct view_labels *labels = &frame->labelling->front;
    const struct view_shown *shown = frame->instead != NULL ? frame->instead : frame->shown;
    struct view_overlay_frame overlay = {
        .canvas = frame->canvas->image.extent,
        .images = {.shown = &shown->shown,
                   .argmax = labels->filled ? &labels->argmax : NULL,
                   .distribution = labels->filled && labels->has_planes && labels->distribution.layers >= frame->planes
                                       ? &labels->distribution
                                       : NULL,
                   .truth = shown->truth.handle != VK_NULL_HANDLE ? &shown->truth : NULL,
                   .plane = frame->plane->filled ? &frame->plane->image : NULL,
                   .painted = frame->painted != NULL && frame->painted->image.handle != VK_NULL_HANDLE
                                  ? &frame->painted->image
                                  : NULL},
        .settings = frame->settings,
        .place = frame->place,
        .area = frame->area,
        .wipe_column = frame->wipe_column,
        .changed = uploaded || frame->labelling->changed};
    const bool labelled = frame->labelling->changed;

    frame->labelling->changed = false;
    if (frame->painted != NULL && view_painted_upload(frame->painted, frame->strokes, commands, slot))
        overlay.changed = true;
    view_class_shares_record(gpu, frame->shares, commands, slot, frame->count ? overlay.images.argmax : NULL, labelled);
    if (shown->filled && view_overlay_compose(gpu, frame->overlay, commands, slot, &overlay))
        view_frames_stamp(frames, commands, slot, VIEW_TIME_COMPOSE, 0);
    view_offscreen_begin(frame->canvas, commands);
    if (shown->filled)
        view_overlay_draw(frame->overlay, commands, slot);
    view_marks_draw(commands, frame->canvas->image.extent, &frame->place, frame->marks, frame->mark_count);
    if (frame->ui != NULL) {
        clear_columns(frame, commands);
        view_ui_draw(frame->ui, commands);
    }
    view_offscreen_end(commands);
    view_frames_stamp(frames, commands, slot, VIEW_TIME_DRAW, 0);
}

static enum shw_result record(const struct view_gpu *gpu, struct view_frames *frames, const struct view_frame *frame,
                              VkCommandBuffer commands, uint32_t slot)
{
    bool uploaded = frame->picture != NULL;

    view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    if (uploaded)
        view_shown_upload(frame->shown, frame->picture, frame->range, commands, slot);
    if (frame->texture != NULL)
        view_shown_upload(frame->instead, frame->texture, frame->range, commands, slot);
    uploaded = view_plane_upload(frame->plane, commands, slot) || uploaded;
    if (uploaded)
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    if (frame->shown->filled)
        SHW_PROPAGATE(view_labelling_record(frame->labelling, frames, frame->shown, frame->range, commands, slot));
    draw(gpu, frames, frame, commands, slot, uploaded);
    if (frame->read)
        view_offscreen_read(frame->canvas, commands);
    if (frame->present != NULL) {
        frame->present(frame->user, commands);
        view_frames_stamp(frames, commands, slot, VIEW_TIME_PRESENT, 0);
    }
    return SHW_OK;
}

enum shw_result view_frame_render(const struct view_gpu *gpu, struct view_frames *frames,
                                  const struct view_frame *frame)
{
    uint32_t slot;
    VkCommandBuffer commands;

    SHW_PROPAGATE(view_frames_begin(gpu, frames, &slot, &commands));
    SHW_PROPAGATE(record(gpu, frames, frame, commands, slot));
    return view_frames_submit(gpu, frames, slot, frame->wait, frame->signal);
}
