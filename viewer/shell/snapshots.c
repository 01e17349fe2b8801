#include "shell/snapshots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/machine.h"
#include "files/image/image_write.h"
#include "files/objects/scale_bar.h"

/* Clears what is around the free area, where panels have no background of their own. */
static void clear_around(const struct view_frame *frame, VkCommandBuffer commands)
{
    const float grey = VIEW_UI_BACKGROUND / 255.0f;
    const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                     .clearValue.color.float32 = {grey, grey, grey, 1.0f}};
    const struct view_area *area = &frame->scene->area;
    const VkExtent2D canvas = frame->canvas->image.extent;
    const uint32_t left = (uint32_t)area->x, right = left + area->width, top = (uint32_t)area->y,
                   bottom = top + area->height;
    const VkRect2D around[] = {{{0, 0}, {canvas.width, top}},
                               {{0, (int32_t)bottom}, {canvas.width, canvas.height - bottom}},
                               {{0, area->y}, {left, area->height}},
                               {{(int32_t)right, area->y}, {canvas.width - right, area->height}}};
    VkClearRect rectangles[4];
    uint32_t count = 0;

    for (uint32_t i = 0; i < 4; i++)
        if (around[i].extent.width > 0 && around[i].extent.height > 0)
            rectangles[count++] = (VkClearRect){around[i], 0, 1};
    if (count > 0)
        vkCmdClearAttachments(commands, 1, &clear, count, rectangles);
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

/* The columns left of the wipe's line, with the labels before smoothing; `drawn` keeps the others. */
static struct view_overlay_frame split_frame(const struct view_scene *scene, struct view_overlay_frame *drawn)
{
    struct view_overlay_frame left = *drawn;
    const uint32_t width = drawn->wipe_column - (uint32_t)drawn->area.offset.x;

    left.area.extent.width = width;
    left.wipe_column = 0;
    drawn->area.offset.x += (int32_t)width;
    drawn->area.extent.width -= width;
    for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
        struct view_overlay_images *images = &left.layers[l].images;

        if (images->shown == NULL)
            continue;
        view_labelling_images(&scene->comparison.labelling, l, &images->argmax, &images->distribution);
        if (images->distribution != NULL && images->distribution->layers < scene->planes)
            images->distribution = NULL;
    }
    return left;
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
    const bool labelled = scene->labelling.changed, splits = view_scene_compares(scene) && frame->instead == NULL;
    const bool changed = upload_strokes(frame, commands, slot) || uploaded || labelled || scene->detail.changed;
    struct view_overlay_frame overlay = overlay_frame(frame), left = {.wipe_column = 0};

    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        overlay.layers[l].changed = changed;
    scene->labelling.changed = scene->detail.changed = false;
    if (splits) {
        left = split_frame(scene, &overlay);
        for (uint32_t l = 0; l < VIEW_LAYERS; l++)
            left.layers[l].changed = true;
    }
    view_class_shares_record(gpu, &scene->shares, commands, slot,
                             frame->count ? overlay.layers[VIEW_OVERVIEW].images.argmax : NULL, labelled);
    if (shown->filled && view_overlay_compose(gpu, scene->overlay, commands, slot, &overlay))
        view_frames_stamp(frames, commands, slot, VIEW_TIME_COMPOSE, 0);
    if (shown->filled && splits)
        view_overlay_compose(gpu, scene->comparison.overlay, commands, slot, &left);
    view_offscreen_begin(frame->canvas, commands);
    if (shown->filled)
        view_overlay_draw(scene->overlay, commands, slot);
    if (shown->filled && splits)
        view_overlay_draw(scene->comparison.overlay, commands, slot);
    if (frame->borders != NULL)
        view_borders_draw(commands, frame->canvas->image.extent, &scene->place, frame->borders);
    view_marks_draw(commands, frame->canvas->image.extent, &scene->place, frame->marks, frame->mark_count);
    if (frame->ui != NULL) {
        clear_around(frame, commands);
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
        view_shown_upload(frame->instead, frame->texture, &scene->display, commands, slot);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        uploaded = view_plane_upload(frame->planes[l], commands, slot) || uploaded;
    if (uploaded)
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    if (scene->shown.filled)
        SHW_PROPAGATE(view_labelling_record(&scene->labelling, frames, &scene->display, commands, slot));
    if (scene->shown.filled && scene->comparison.works)
        SHW_PROPAGATE(view_labelling_record(&scene->comparison.labelling, frames, &scene->display, commands, slot));
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

#define TILE 4096u

/* Where one is composed. */
struct studio {
    struct view_gpu gpu;
    struct view_frames frames;
    struct view_offscreen canvas;
    struct view_player player; /* without a source */
    struct view_scene scene;
    struct view_channels channels;
    struct view_painted painted[VIEW_LAYERS];
};

static void free_snapshot(struct view_snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    for (uint32_t c = 0; snapshot->classes != NULL && c < snapshot->class_count; c++)
        free((void *)(uintptr_t)snapshot->classes[c].name);
    free(snapshot->classes);
    free(snapshot->hidden);
    shw_picture_labels_release(&snapshot->strokes);
    view_shared_forest_release(&snapshot->forest);
    view_picture_free(snapshot->picture);
    shw_output_files_free(&snapshot->files);
    free(snapshot->path);
    free(snapshot);
}

static bool copy_classes(const struct view_scene *scene, struct view_snapshot *snapshot)
{
    const struct view_classes classes = view_scene_classes(scene);

    snapshot->hidden_count = scene->class_count;
    snapshot->hidden = calloc(scene->class_count + (size_t)1, sizeof *snapshot->hidden);
    if (snapshot->hidden == NULL)
        return false;
    if (scene->hidden != NULL)
        memcpy(snapshot->hidden, scene->hidden, scene->class_count * sizeof *scene->hidden);
    if (classes.list == NULL)
        return true;
    snapshot->classes = calloc(classes.count + (size_t)1, sizeof *snapshot->classes);
    for (uint32_t c = 0; snapshot->classes != NULL && c < classes.count; c++) {
        struct shw_class *class = &snapshot->classes[snapshot->class_count++];
        *class = classes.list[c];
        class->name = strdup(classes.list[c].name);
        if (class->name == NULL)
            return false;
    }
    return snapshot->classes != NULL;
}

struct view_snapshot *view_snapshot_make(const struct view_scene *scene, const struct view_channels *channels,
                                         struct shw_picture_labels *strokes, char *path,
                                         const struct shw_output_files *files)
{
    struct view_snapshot *made = calloc(1, sizeof *made);

    if (made == NULL) {
        struct shw_output_files given = *files;
        free(path);
        shw_output_files_free(&given);
        shw_fail_memory(&scene->log, "a snapshot");
        return NULL;
    }
    *made = (struct view_snapshot){.path = path,
                                   .files = *files,
                                   .picture = view_picture_share(scene->picture),
                                   .forest = scene->forest != NULL ? view_shared_forest_share(scene->forest) : NULL,
                                   .strokes = strokes != NULL ? shw_picture_labels_share(strokes) : NULL,
                                   .settings = scene->settings,
                                   .display = scene->display,
                                   .colour_blind = scene->colour_blind,
                                   .channel = channels->chosen,
                                   .levels = channels->levels,
                                   .low = channels->low,
                                   .high = channels->high};
    made->settings.wipe = 0;
    memcpy(made->techniques, scene->labelling.techniques, sizeof made->techniques);
    if (!copy_classes(scene, made)) {
        shw_fail_memory(&scene->log, "a snapshot");
        free_snapshot(made);
        return NULL;
    }
    return made;
}

/* The first error is the reason; on any thread. */
static void note(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct view_snapshot *snapshot = user;

    (void)item;
    view_job_lock(snapshot->job);
    if (level == SHW_LOG_ERROR && snapshot->trouble[0] == '\0')
        snprintf(snapshot->trouble, sizeof snapshot->trouble, "%s", text);
    view_job_unlock(snapshot->job);
}

static enum shw_result open_studio(const struct view_snapshots *snapshots, const struct view_snapshot *snapshot,
                                   const struct shw_log *log, struct studio *studio)
{
    struct view_gpu_params params = snapshots->gpu;
    const struct shw_image *image = &snapshot->picture->image;
    struct view_labelling_params labelling = {.gpu = &studio->gpu,
                                              .frames = &studio->frames,
                                              .device = params.index,
                                              .calibration = snapshots->calibration,
                                              .memory = snapshots->memory,
                                              .log = *log};
    uint32_t most = snapshots->tile > 0 ? snapshots->tile : TILE;
    VkExtent2D tile;

    params.log = *log;
    SHW_PROPAGATE(view_gpu_create(&params, &studio->gpu));
    most = shw_min_u32(most, studio->gpu.properties.limits.maxImageDimension2D);
    tile = (VkExtent2D){shw_min_u32(image->width, most), shw_min_u32(image->height, most)};
    SHW_PROPAGATE(view_offscreen_create(&studio->gpu, tile, &studio->canvas));
    SHW_PROPAGATE(view_frames_create(&studio->gpu, &studio->frames));
    return view_scene_create(&labelling, &studio->player, studio->canvas.pass, &studio->scene);
}

static unsigned close_studio(struct studio *studio)
{
    if (studio->gpu.device == VK_NULL_HANDLE)
        return 0;
    view_frames_destroy(&studio->gpu, &studio->frames);
    view_channels_destroy(&studio->gpu, &studio->channels);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        view_painted_destroy(&studio->gpu, &studio->painted[l]);
    view_scene_destroy(&studio->scene);
    view_player_free(&studio->player);
    view_offscreen_destroy(&studio->gpu, &studio->canvas);
    return view_gpu_destroy(&studio->gpu);
}

/* Shows what was shown. */
static enum shw_result arrange(const struct view_snapshot *snapshot, struct studio *studio)
{
    struct view_scene *scene = &studio->scene;

    scene->settings = snapshot->settings;
    scene->display = snapshot->display;
    scene->colour_blind = snapshot->colour_blind;
    scene->project = (struct view_classes){snapshot->classes, snapshot->class_count};
    scene->area = (struct view_area){0, 0, studio->canvas.image.extent.width, studio->canvas.image.extent.height};
    memcpy(scene->labelling.techniques, snapshot->techniques, sizeof snapshot->techniques);
    studio->channels.chosen = snapshot->channel;
    studio->channels.levels = snapshot->levels;
    studio->channels.low = snapshot->low;
    studio->channels.high = snapshot->high;
    if (snapshot->forest != NULL)
        SHW_PROPAGATE(view_scene_set_forest(scene, view_shared_forest_share(snapshot->forest)));
    SHW_PROPAGATE(view_scene_show(scene, view_picture_share(snapshot->picture)));
    for (uint32_t c = 0; c < scene->class_count && c < snapshot->hidden_count; c++)
        scene->hidden[c] = snapshot->hidden[c];
    view_scene_colour_classes(scene);
    return SHW_OK;
}

static enum shw_result fit_strokes(struct studio *studio)
{
    for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
        const struct shw_part part = view_scene_part(&studio->scene, l);
        struct view_painted *painted = &studio->painted[l];
        if (part.width > 0 && !view_part_equals(&painted->part, &part))
            SHW_PROPAGATE(view_painted_fit(&studio->gpu, &part, l == VIEW_DETAIL, painted));
    }
    return SHW_OK;
}

static enum shw_result compose_frame(const struct view_snapshot *snapshot, struct studio *studio)
{
    struct view_frame frame = {.scene = &studio->scene, .canvas = &studio->canvas, .read = true};

    SHW_PROPAGATE(view_scene_update(&studio->scene));
    view_channels_update(&studio->channels, &studio->scene);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        frame.planes[l] = &studio->channels.planes[l];
    if (snapshot->strokes != NULL) {
        SHW_PROPAGATE(fit_strokes(studio));
        frame.painted = studio->painted;
        frame.strokes = snapshot->strokes;
    }
    return view_frame_render(&studio->gpu, &studio->frames, &frame);
}

/* The part of the picture from (x, y) on, as much as is on the canvas, into its place in `rgb`. */
static enum shw_result compose_tile(const struct view_snapshot *snapshot, struct studio *studio, uint32_t x, uint32_t y,
                                    uint8_t *rgb)
{
    const VkExtent2D tile = studio->canvas.image.extent;
    const struct shw_image *image = &snapshot->picture->image;
    const uint32_t width = shw_min_u32(tile.width, image->width - x);
    const uint32_t height = shw_min_u32(tile.height, image->height - y);

    studio->scene.place = (struct view_place){-(int32_t)x * VIEW_ZOOM_ONE, -(int32_t)y * VIEW_ZOOM_ONE, VIEW_ZOOM_ONE};
    do
        SHW_PROPAGATE(compose_frame(snapshot, studio));
    while (!view_scene_is_current(&studio->scene) || studio->channels.pending);
    SHW_PROPAGATE(view_frames_wait(&studio->gpu, &studio->frames));
    for (uint32_t j = 0; j < height; j++) {
        const uint8_t *from = (const uint8_t *)studio->canvas.back.mapped + (size_t)4 * j * tile.width;
        uint8_t *to = rgb + 3 * ((size_t)(y + j) * image->width + x);
        for (uint32_t i = 0; i < width; i++)
            memcpy(to + 3 * i, from + 4 * i, 3);
    }
    return SHW_OK;
}

static enum shw_result compose(const struct view_snapshot *snapshot, struct studio *studio, uint8_t *rgb)
{
    const VkExtent2D tile = studio->canvas.image.extent;
    const struct shw_image *image = &snapshot->picture->image;

    SHW_PROPAGATE(arrange(snapshot, studio));
    for (uint32_t y = 0; y < image->height; y += tile.height)
        for (uint32_t x = 0; x < image->width; x += tile.width)
            SHW_PROPAGATE(compose_tile(snapshot, studio, x, y, rgb));
    return SHW_OK;
}

static enum shw_result make_file(struct view_snapshots *snapshots, struct view_snapshot *snapshot)
{
    const struct shw_log log = {note, snapshot, SHW_LOG_ERROR};
    const struct shw_image *image = &snapshot->picture->image;
    struct shw_image written = {.width = image->width, .height = image->height, .format = SHW_PIXEL_RGB8};
    struct studio *studio = calloc(1, sizeof *studio);
    uint8_t *rgb = malloc((size_t)image->width * image->height * 3);
    enum shw_result result = SHW_OK;
    unsigned messages;

    if (studio == NULL || rgb == NULL)
        result = shw_fail_memory(&log, "a snapshot");
    if (result == SHW_OK)
        result = open_studio(snapshots, snapshot, &log, studio);
    if (result == SHW_OK)
        result = compose(snapshot, studio, rgb);
    if (result == SHW_OK)
        shw_draw_scale_bar(&(struct shw_canvas){rgb, image->width, image->height}, snapshot->scale_side);
    messages = studio != NULL ? close_studio(studio) : 0;
    written.pixels = rgb;
    snapshot->files.log = log;
    if (result == SHW_OK)
        result = shw_output_files_look_again(&snapshot->files, snapshot->path);
    if (result == SHW_OK)
        result = shw_png_write_marked(snapshot->path, shw_file_screenshot.name, &written, &log);
    free(rgb);
    free(studio);
    view_job_lock(&snapshots->job);
    snapshots->messages += messages;
    view_job_unlock(&snapshots->job);
    return result;
}

/* The next one to be composed; NULL: there is none, and the work ends. Under the lock. */
static struct view_snapshot *next(struct view_snapshots *snapshots)
{
    struct view_snapshot *found = snapshots->first;

    while (found != NULL && found->done)
        found = found->next;
    snapshots->ended = found == NULL;
    return found;
}

static enum shw_result work(void *user)
{
    struct view_snapshots *snapshots = user;
    struct view_snapshot *snapshot;

    view_job_lock(&snapshots->job);
    while ((snapshot = next(snapshots)) != NULL) {
        enum shw_result result;

        view_job_unlock(&snapshots->job);
        result = make_file(snapshots, snapshot);
        view_job_lock(&snapshots->job);
        snapshot->result = result;
        snapshot->done = true;
    }
    view_job_unlock(&snapshots->job);
    return SHW_OK;
}

void view_snapshots_init(const struct view_gpu_params *params, const struct shw_calibration *calibration,
                         uint64_t memory, struct view_snapshots *snapshots)
{
    static const struct view_job_kind kind = {"the snapshot", SHW_PRIORITY_BACKGROUND, work, NULL};

    *snapshots = (struct view_snapshots){.gpu = {.index = params->index, .validation = params->validation},
                                         .calibration = calibration,
                                         .memory = memory,
                                         .log = params->log,
                                         .ended = true};
    view_job_init(&snapshots->job, &kind, snapshots);
}

void view_snapshots_wait(struct view_snapshots *snapshots)
{
    view_job_wait(&snapshots->job);
}

unsigned view_snapshots_end(struct view_snapshots *snapshots)
{
    char said[1024] = "";

    view_snapshots_wait(snapshots);
    while (snapshots->first != NULL) {
        if (view_snapshots_poll(snapshots, said, sizeof said) == SHW_OK)
            printf("%s\n", said);
    }
    view_job_free(&snapshots->job);
    return snapshots->messages;
}

enum shw_result view_snapshots_begin(struct view_snapshots *snapshots, struct view_snapshot *snapshot)
{
    struct view_snapshot **last = &snapshots->first;
    bool begins;
    enum shw_result result;

    snapshot->job = &snapshots->job;
    view_job_lock(&snapshots->job);
    while (*last != NULL)
        last = &(*last)->next;
    *last = snapshot;
    begins = snapshots->ended;
    snapshots->ended = false;
    view_job_unlock(&snapshots->job);
    if (!begins)
        return SHW_OK;
    view_job_wait(&snapshots->job); /* for what has ended */
    result = view_job_begin(&snapshots->job, &snapshots->log);
    if (result != SHW_OK) {
        *last = NULL;
        snapshots->ended = true;
        free_snapshot(snapshot);
    }
    return result;
}

bool view_snapshots_are_busy(const struct view_snapshots *snapshots)
{
    return snapshots->first != NULL;
}

bool view_snapshots_have(const struct view_snapshots *snapshots, const char *path)
{
    bool has = false;

    for (const struct view_snapshot *s = snapshots->first; s != NULL && !has; s = s->next)
        has = strcmp(s->path, path) == 0;
    return has;
}

enum shw_result view_snapshots_poll(struct view_snapshots *snapshots, char *said, size_t size)
{
    struct view_snapshot *snapshot = NULL;
    enum shw_result result;

    view_job_lock(&snapshots->job);
    if (snapshots->first != NULL && snapshots->first->done) {
        snapshot = snapshots->first;
        snapshots->first = snapshot->next;
    }
    view_job_unlock(&snapshots->job);
    if (snapshot == NULL)
        return SHW_OK;
    result = snapshot->result;
    if (result == SHW_OK)
        snprintf(said, size, "wrote %s", snapshot->path);
    else
        shw_fail(&snapshots->log, result, SHW_LOG_FILE_WRITE, "%s",
                 snapshot->trouble[0] != '\0' ? snapshot->trouble : "the snapshot cannot be written");
    free_snapshot(snapshot);
    return result;
}
