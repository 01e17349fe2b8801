#include "shell/frame.h"

#include "base/log.h"

/* Clears the columns left and right of the free area, where panels have no background of their own. */
static void clear_columns(const struct view_frame *frame, VkCommandBuffer commands)
{
    const float grey = VIEW_UI_BACKGROUND / 255.0f;
    const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                     .clearValue.color.float32 = {grey, grey, grey, 1.0f}};
    const struct view_area *area = &frame->scene->area;
    const uint32_t left = (uint32_t)area->x, right = left + area->width;
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

/* A layer of the picture and what lies over it. */
static struct view_overlay_layer picture_layer(const struct view_frame *frame, uint32_t layer)
{
    const struct view_scene *scene = frame->scene;
    const struct view_shown *shown = layer == VIEW_OVERVIEW ? &scene->shown : view_detail_shown(&scene->detail);
    struct view_overlay_layer drawn = {.part = view_scene_part(scene, layer)};
    struct view_overlay_images *images = &drawn.images;

    if (shown == NULL)
        return drawn;
    images->shown = &shown->shown;
    images->truth = shown->truth.handle != VK_NULL_HANDLE ? &shown->truth : NULL;
    view_labelling_images(&scene->labelling, layer, &images->argmax, &images->distribution);
    if (images->distribution != NULL && images->distribution->layers < scene->planes)
        images->distribution = NULL;
    if (frame->planes[layer]->filled)
        images->plane = &frame->planes[layer]->image;
    if (frame->painted != NULL && frame->painted[layer].filled && !frame->strokes_later)
        images->painted = &frame->painted[layer].image;
    return drawn;
}

/* What is drawn. */
static struct view_overlay_frame overlay_frame(const struct view_frame *frame)
{
    const struct view_scene *scene = frame->scene;
    const struct view_area *area = &scene->area;
    struct view_overlay_frame overlay = {.canvas = frame->canvas->image.extent,
                                         .settings = scene->settings,
                                         .place = scene->place,
                                         .area = {{area->x, area->y}, {area->width, area->height}},
                                         .wipe_column = view_scene_wipe_column(scene)};

    if (frame->instead != NULL) {
        overlay.layers[VIEW_OVERVIEW].part = frame->instead->part;
        overlay.layers[VIEW_OVERVIEW].images.shown = &frame->instead->shown;
        overlay.picture = frame->instead->shown.extent;
        overlay.settings.mode = VIEW_MODE_NONE;
        overlay.wipe_column = 0;
        return overlay;
    }
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        overlay.layers[l] = picture_layer(frame, l);
    if (view_overlay_kinds[scene->settings.mode].plane != VIEW_NO_PLANE &&
        overlay.layers[VIEW_DETAIL].images.plane == NULL)
        overlay.layers[VIEW_DETAIL] = (struct view_overlay_layer){.part.step = 1}; /* nothing finer is there */
    if (scene->picture != NULL)
        overlay.picture = (VkExtent2D){scene->picture->image.width, scene->picture->image.height};
    return overlay;
}

/* Returns whether strokes have changed. */
static bool upload_strokes(const struct view_frame *frame, VkCommandBuffer commands, uint32_t slot)
{
    bool changed = false;

    for (uint32_t l = 0; frame->painted != NULL && !frame->strokes_later && l < VIEW_LAYERS; l++)
        changed = view_painted_upload(&frame->painted[l], frame->strokes, commands, slot) || changed;
    return changed;
}

static void draw(const struct view_gpu *gpu, struct view_frames *frames, const struct view_frame *frame,
                 VkCommandBuffer commands, uint32_t slot, bool uploaded)
{
    struct view_scene *scene = frame->scene;
    const struct view_shown *shown = frame->instead != NULL ? frame->instead : &scene->shown;
    const bool labelled = scene->labelling.changed;
    const bool changed = upload_strokes(frame, commands, slot) || uploaded || labelled || scene->detail.changed;
    struct view_overlay_frame overlay = overlay_frame(frame);

    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        overlay.layers[l].changed = changed;
    scene->labelling.changed = scene->detail.changed = false;
    view_class_shares_record(gpu, &scene->shares, commands, slot,
                             frame->count ? overlay.layers[VIEW_OVERVIEW].images.argmax : NULL, labelled);
    if (shown->filled && view_overlay_compose(gpu, scene->overlay, commands, slot, &overlay))
        view_frames_stamp(frames, commands, slot, VIEW_TIME_COMPOSE, 0);
    view_offscreen_begin(frame->canvas, commands);
    if (shown->filled)
        view_overlay_draw(scene->overlay, commands, slot);
    if (frame->borders != NULL)
        view_borders_draw(commands, frame->canvas->image.extent, &scene->place, frame->borders);
    view_marks_draw(commands, frame->canvas->image.extent, &scene->place, frame->marks, frame->mark_count);
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
    struct view_scene *scene = frame->scene;
    bool uploaded;

    view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    uploaded = view_scene_upload(scene, commands, slot);
    if (frame->texture != NULL)
        view_shown_upload(frame->instead, frame->texture, scene->range, commands, slot);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        uploaded = view_plane_upload(frame->planes[l], commands, slot) || uploaded;
    if (uploaded)
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    if (scene->shown.filled)
        SHW_PROPAGATE(view_labelling_record(&scene->labelling, frames, scene->range, commands, slot));
    view_label_reading_record(&scene->reading, &scene->labelling.front, commands, frames->count);
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
