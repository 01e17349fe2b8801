#include "label/labelling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/pixels.h"
#include "dense/input/inputs.h"
#include "files/project/project.h"
#include "gpu/frames.h"
#include "gpu/gpu.h"
#include "label/labels.h"

static void view_input_images_destroy(const struct view_gpu *gpu, struct view_input_images *images)
{
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        view_image_destroy(gpu, &images->images[i]);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &images->staging[s]);
    *images = (struct view_input_images){.count = 0};
}

/* Makes images and buffers anew. */
static enum shw_result create(const struct view_gpu *gpu, VkExtent2D extent, struct view_input_images *images)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

    for (uint32_t i = images->first; i < images->count; i++) {
        view_image_destroy(gpu, &images->images[i]);
        SHW_PROPAGATE(
            view_image_create(gpu, shw_source_format(images->wides[i]), extent, 0, usage, &images->images[i]));
    }
    for (uint32_t s = 0; s < VIEW_SLOTS; s++) {
        view_buffer_destroy(gpu, &images->staging[s]);
        SHW_PROPAGATE(view_buffer_create(gpu, images->count * images->size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false,
                                         &images->staging[s]));
    }
    return SHW_OK;
}

/* Takes the inputs of a picture that a forest with these channels reads; `shown` are the picture's images. The host's
 * pixels are borrowed until the upload. Errors: ARGUMENT (inputs that do not fit the forest), UNSUPPORTED, MEMORY,
 * DEVICE_MEMORY. */
static enum shw_result view_input_images_fit(const struct view_gpu *gpu, struct view_frames *frames,
                                             const struct view_picture *picture, const struct shw_channel_list *list,
                                             const struct view_shown *shown, struct view_input_images *images)
{
    const struct shw_inputs given = view_picture_inputs(picture, list, images->inputs);
    const VkExtent2D extent = {picture->image.width, picture->image.height};
    struct shw_chosen_inputs chosen;
    bool fits = true, wide;

    SHW_PROPAGATE(shw_inputs_choose(&given, list, &gpu->log, &chosen));
    wide = shw_inputs_are_wide(list, &chosen);
    for (uint32_t i = 0; i < list->input_count; i++)
        if (chosen.of[i] != NULL) {
            images->scalings[chosen.of[i] - images->inputs] = shw_input_scaling(list, i, chosen.of[i]);
            images->wides[chosen.of[i] - images->inputs] =
                shw_source_is_plane(list->inputs[i]) ? shw_plane_is_wide(list, i, chosen.of[i]) : wide;
        }
    images->size = (VkDeviceSize)extent.width * extent.height * (wide ? 8 : 4);
    images->count = given.count;
    images->inputs[0].use = view_labels_source(view_shown_source(shown));
    images->first = images->inputs[0].use.format == shw_source_format(wide) ? 1 : 0;
    images->upload = images->first < images->count;
    for (uint32_t i = images->first; i < images->count; i++)
        fits = fits && images->images[i].format == shw_source_format(images->wides[i]) &&
               images->images[i].extent.width == extent.width && images->images[i].extent.height == extent.height &&
               images->staging[0].size >= given.count * images->size;
    if (!fits) {
        SHW_PROPAGATE(view_frames_wait(gpu, frames));
        SHW_PROPAGATE(create(gpu, extent, images));
    }
    for (uint32_t i = images->first; i < images->count; i++)
        images->inputs[i].use = view_labels_source(&images->images[i]);
    return SHW_OK;
}

/* Copies them to the device; the slot's last frame must be over. */
static void view_input_images_upload(struct view_input_images *images, VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &images->staging[slot];

    for (uint32_t i = images->first; i < images->count; i++) {
        struct shw_input *input = &images->inputs[i];
        const struct shw_region whole = {.width = input->image.width, .height = input->image.height};
        shw_source_input_expand(&input->image, &images->scalings[i], &whole, false, images->wides[i],
                                (char *)staging->mapped + i * images->size);
        if (images->scalings[i].kind == SHW_DEPTH_RANGE) /* the device has samples */
            input->depth = (struct shw_depth){SHW_DEPTH_RANGE, .near_plane = 0, .far_plane = 65535};
        view_image_copy(commands, &images->images[i], staging->handle, i * images->size);
    }
    images->upload = false;
}

/* Labels in frames: computed at once, computed in pieces, or uploaded from the worker. */

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

    labelling->variant = VIEW_LABEL_NOTHING;
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
                                      const struct view_display *display, VkCommandBuffer commands, uint32_t slot)
{
    bool uploaded = false;

    if (labelling->parted.on) {
        SHW_PROPAGATE(view_parts_record(labelling, commands, slot, &uploaded));
        if (uploaded)
            view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
        return SHW_OK;
    }
    if (labelling->upload) {
        view_shown_upload(&labelling->behind, labelling->picture, display, commands, slot);
        labelling->upload = false;
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    }
    if (labelling->results != NULL) {
        record_results(labelling, commands, slot);
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    }
    if (labelling->given.upload && labelling->variant != VIEW_LABEL_NOTHING && labelling->variant != VIEW_LABEL_ASYNC) {
        view_input_images_upload(&labelling->given, commands, slot);
        view_frames_stamp(frames, commands, slot, VIEW_TIME_UPLOAD, 0);
    }
    if (labelling->variant == VIEW_LABEL_AT_ONCE)
        SHW_PROPAGATE(record_at_once(labelling, frames, commands, slot));
    else if (labelling->variant == VIEW_LABEL_IN_PIECES)
        SHW_PROPAGATE(record_pieces(labelling, frames, commands, slot));
    return SHW_OK;
}

#define ROOM_TREES  SHW_PROJECT_TREES
#define ROOM_NODES  16384u
#define ROOM_PIXELS (1u << 20) /* up to this size, room for more trees and nodes than the forest has is allocated */

void view_labelling_init(const struct view_labelling_params *params, struct view_labelling *labelling)
{
    *labelling = (struct view_labelling){.params = *params, .budget = params->budget};
}

void view_labelling_destroy(struct view_labelling *labelling)
{
    const struct view_gpu *gpu = labelling->params.gpu;

    if (gpu == NULL)
        return;
    view_label_worker_destroy(&labelling->worker);
    shw_labeller_destroy(&labelling->labeller);
    view_shared_forest_release(&labelling->by);
    view_labels_destroy(gpu, &labelling->front);
    view_labels_destroy(gpu, &labelling->back);
    view_shown_destroy(gpu, &labelling->behind);
    view_input_images_destroy(gpu, &labelling->given);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &labelling->staging[s]);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        view_part_labels_destroy(gpu, &labelling->parted.layers[l]);
    free(labelling->parted.cells);
    view_picture_free(labelling->coming);
    view_picture_free(labelling->picture);
    memset(labelling, 0, sizeof *labelling);
}

/* Resolves the requested techniques, and returns whether any is of the host: then those that `auto` leaves open are,
 * too, as on devices that are CPUs if all are left open. The labeller resolves the remaining `auto` by the device's
 * calibration, if there is one. */
static bool decide(const struct view_labelling *labelling, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    bool async = false, on_device = false;

    memcpy(techniques, labelling->techniques, sizeof labelling->techniques);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        async = async || shw_technique_is_host(techniques[s]);
        on_device = on_device || shw_technique_needs_device(techniques[s]);
    }
    async = async || (!on_device && labelling->params.gpu->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        if (async && !shw_technique_needs_device(techniques[s]))
            techniques[s] = SHW_TECHNIQUE_CPU;
    return async;
}

bool view_labelling_is_async(const struct view_labelling *labelling)
{
    enum shw_technique techniques[SHW_STAGE_COUNT];

    return decide(labelling, techniques);
}

void view_labelling_choose(const struct view_labelling *labelling, struct view_label_job *job)
{
    job->on_device = !decide(labelling, job->techniques);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        job->on_device = job->on_device || shw_technique_needs_device(job->techniques[s]);
    job->device = labelling->params.device;
    job->calibration = labelling->params.calibration;
}

void view_labelling_techniques(const struct view_labelling *labelling, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    if (labelling->labeller != NULL && !labelling->new_techniques && !view_labelling_is_async(labelling))
        shw_labeller_get_techniques(labelling->labeller, techniques);
    else
        decide(labelling, techniques);
}

/* Whether labelling takes too long for one frame. Until times are known, CPUs are assumed to be slow and GPUs fast. */
static bool takes_long(const struct view_labelling *labelling)
{
    const struct view_frames *frames = labelling->params.frames;
    const struct view_ring *rings = frames->times.rings;
    double sum = 0.0;

    if (labelling->budget <= 0.0)
        return false;
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        if (frames->rates[s] <= 0.0 || rings[VIEW_TIME_CHANNELS + s].count == 0)
            return labelling->params.gpu->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        sum += view_ring_last(&rings[VIEW_TIME_CHANNELS + s]);
    }
    return sum > labelling->budget;
}

static bool is_alike(const struct view_picture *one, const struct view_picture *other)
{
    return one->image.width == other->image.width && one->image.height == other->image.height &&
           one->image.format == other->image.format && (one->labels != NULL) == (other->labels != NULL);
}

bool view_labelling_defers(const struct view_labelling *labelling, const struct view_labelled *of,
                           const struct view_picture *picture)
{
    if (of->forest == NULL || labelling->budget <= 0.0 || of->picture == NULL || !view_overlay_shows_labels(of->mode))
        return false;
    return (labelling->front.filled || labelling->parted.layers[VIEW_OVERVIEW].known ||
            labelling->variant != VIEW_LABEL_NOTHING) &&
           is_alike(of->picture, picture) &&
           (labelling->parted.on || view_labelling_is_async(labelling) || takes_long(labelling));
}

void view_labelling_defer(struct view_labelling *labelling, struct view_picture *picture)
{
    view_picture_free(labelling->coming);
    labelling->coming = picture;
}

void view_labelling_give_up(struct view_labelling *labelling)
{
    view_picture_free(labelling->coming);
    view_picture_free(labelling->picture);
    labelling->coming = labelling->picture = NULL;
    labelling->upload = false;
    if (labelling->variant == VIEW_LABEL_PARTS)
        view_label_worker_stop(labelling->worker);
    if (labelling->variant == VIEW_LABEL_ASYNC || labelling->variant == VIEW_LABEL_PARTS)
        labelling->given_up = true;
    else
        labelling->variant = VIEW_LABEL_NOTHING;
}

void view_labelling_clear(struct view_labelling *labelling)
{
    view_labelling_give_up(labelling);
    labelling->front.filled = false;
    labelling->results = NULL;
    labelling->changed = true;
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        view_part_labels_forget(&labelling->parted.layers[l]);
}

static void swap_labels(struct view_labelling *labelling)
{
    struct view_labels front = labelling->front;

    labelling->front = labelling->back;
    labelling->back = front;
}

/* Shows finished labels from the next frame on. */
static void show(struct view_labelling *labelling, const struct view_labelled *of, struct view_label_news *news)
{
    struct view_shown shown = *of->shown;

    swap_labels(labelling);
    labelling->variant = VIEW_LABEL_NOTHING;
    labelling->changed = news->changed = true;
    view_times_add(&labelling->params.frames->times, VIEW_TIME_LABELS, (view_clock() - labelling->began) * 1e3);
    if (labelling->picture == NULL)
        return;
    *of->shown = labelling->behind;
    labelling->behind = shown;
    news->labelled = labelling->picture;
    news->upload = labelling->upload; /* the worker did not need the picture on the device */
    labelling->picture = NULL;
    labelling->upload = false;
}

static enum shw_result take_results(struct view_labelling *labelling, const struct view_labelled *of,
                                    struct view_label_news *news)
{
    double milliseconds;
    enum shw_result result;

    result = view_label_worker_take(labelling->worker, &labelling->results, &milliseconds);
    if (labelling->given_up || result != SHW_OK) {
        labelling->results = NULL;
        labelling->given_up = false;
        labelling->variant = VIEW_LABEL_NOTHING;
        if (result != SHW_OK)
            view_labelling_clear(labelling);
        return result;
    }
    view_times_add(&labelling->params.frames->times, VIEW_TIME_WORKER, milliseconds);
    show(labelling, of, news);
    return SHW_OK;
}

static enum shw_result fit_labels(const struct view_labelling_params *params, const struct view_labelled *of,
                                  struct view_labels *labels)
{
    VkExtent2D extent = of->shown->shown.extent;
    uint32_t classes = shw_forest_get_info(of->forest->forest)->class_count;

    if (view_labels_fits(params->gpu, extent, classes, labels))
        return SHW_OK;
    SHW_PROPAGATE(view_labels_fit(params->gpu, extent, classes, labels));
    if (classes > params->gpu->properties.limits.maxImageArrayLayers)
        shw_log_message(&params->log, SHW_LOG_WARNING, SHW_LOG_REQUIREMENT,
                        "%u classes are more than this device has image layers: class probabilities are not shown",
                        classes);
    return SHW_OK;
}

static void drop_labeller(struct view_labelling *labelling)
{
    shw_labeller_destroy(&labelling->labeller);
    view_shared_forest_release(&labelling->by);
    memset(labelling->params.frames->rates, 0, sizeof labelling->params.frames->rates);
}

static enum shw_result create_labeller(struct view_labelling *labelling, const struct view_labelled *of)
{
    const struct shw_forest_info *info = shw_forest_get_info(of->forest->forest);
    VkExtent2D extent = of->shown->shown.extent;
    bool planes = info->class_count <= labelling->params.gpu->properties.limits.maxImageArrayLayers;
    struct shw_labeller_params params = {.forest = of->forest->forest,
                                         .device = labelling->params.gpu->shadewood,
                                         .outputs = SHW_OUTPUT_ARGMAX | (planes ? SHW_OUTPUT_DISTRIBUTION : 0u),
                                         .width = extent.width,
                                         .height = extent.height,
                                         .slots = VIEW_SLOTS,
                                         .room = {info->tree_count, info->class_count, 1},
                                         .smoothing = view_shared_forest_smoothing(of->forest),
                                         .calibration = labelling->params.calibration,
                                         .log = labelling->params.log};
    enum shw_technique techniques[SHW_STAGE_COUNT];

    decide(labelling, techniques);
    params.channels = techniques[SHW_STAGE_CHANNELS];
    params.integrate = techniques[SHW_STAGE_INTEGRATE];
    params.evaluate = techniques[SHW_STAGE_EVALUATE];
    if ((uint64_t)extent.width * extent.height <= ROOM_PIXELS && params.room.trees < ROOM_TREES) {
        params.room.trees = ROOM_TREES;
        params.room.nodes = ROOM_NODES;
    }
    SHW_PROPAGATE(view_frames_wait(labelling->params.gpu, labelling->params.frames));
    drop_labeller(labelling);
    SHW_PROPAGATE(shw_labeller_create(&params, &labelling->labeller));
    labelling->extent = extent;
    labelling->new_techniques = false;
    return SHW_OK;
}

/* Creates the labeller for frames with the wanted forest, or switches an existing one to it without waiting if it has
 * room. */
static enum shw_result need_labeller(struct view_labelling *labelling, const struct view_labelled *of)
{
    VkExtent2D extent = of->shown->shown.extent;

    if (labelling->labeller == NULL || labelling->new_techniques || labelling->extent.width != extent.width ||
        labelling->extent.height != extent.height || !view_shared_forest_is_alike(labelling->by, of->forest) ||
        (labelling->by != of->forest && !shw_labeller_has_room(labelling->labeller, of->forest->forest)))
        SHW_PROPAGATE(create_labeller(labelling, of));
    else if (labelling->by != of->forest)
        SHW_PROPAGATE(shw_labeller_set_forest(labelling->labeller, of->forest->forest));
    if (labelling->by != of->forest) {
        view_shared_forest_release(&labelling->by);
        labelling->by = view_shared_forest_share(of->forest);
    }
    return SHW_OK;
}

enum shw_result view_labelling_need_worker(struct view_labelling *labelling)
{
    return labelling->worker == NULL ? view_label_worker_create(&labelling->params.log, &labelling->worker) : SHW_OK;
}

/* What is to be labelled. */
static const struct view_picture *picture_of(const struct view_labelling *labelling, const struct view_labelled *of)
{
    return labelling->picture != NULL ? labelling->picture : of->picture;
}

static const struct shw_channel_list *list_of(const struct view_labelled *of)
{
    return shw_forest_get_info(of->forest->forest)->channel_list;
}

static void release_picture(void *picture)
{
    view_picture_free(picture);
}

void view_labelling_give(const struct view_picture *picture, struct view_label_job *job)
{
    job->held = view_picture_share((struct view_picture *)(uintptr_t)picture); /* which changes only its count */
    job->release = release_picture;
}

static enum shw_result begin_beside(struct view_labelling *labelling, const struct view_labelled *of)
{
    const struct view_gpu *gpu = labelling->params.gpu;
    const struct view_picture *picture = picture_of(labelling, of);
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct view_label_job job = {.forest = of->forest, .inputs = view_picture_inputs(picture, list_of(of), inputs)};

    view_labelling_choose(labelling, &job);
    SHW_PROPAGATE(view_labelling_need_worker(labelling));
    SHW_PROPAGATE(fit_labels(&labelling->params, of, &labelling->back));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        if (labelling->staging[s].size < view_labels_size(&labelling->back)) {
            view_buffer_retire(gpu, &labelling->staging[s]);
            SHW_PROPAGATE(view_buffer_create(gpu, view_labels_size(&labelling->back), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                             false, &labelling->staging[s]));
        }
    job.planes = labelling->back.distribution.layers;
    view_labelling_give(picture, &job);
    SHW_PROPAGATE(view_label_worker_begin(labelling->worker, &job));
    labelling->variant = VIEW_LABEL_ASYNC;
    return SHW_OK;
}

static enum shw_result begin_in_frames(struct view_labelling *labelling, const struct view_labelled *of)
{
    bool in_pieces = labelling->picture != NULL || takes_long(labelling);
    struct view_labels *labels = in_pieces ? &labelling->back : &labelling->front;

    SHW_PROPAGATE(view_input_images_fit(labelling->params.gpu, labelling->params.frames, picture_of(labelling, of),
                                        list_of(of), labelling->picture != NULL ? &labelling->behind : of->shown,
                                        &labelling->given));
    SHW_PROPAGATE(need_labeller(labelling, of));
    SHW_PROPAGATE(fit_labels(&labelling->params, of, labels));
    labels->has_planes = labels->distribution.handle != VK_NULL_HANDLE && view_overlay_wants_planes(of->mode);
    memset(&labelling->progress, 0, sizeof labelling->progress);
    labelling->variant = in_pieces ? VIEW_LABEL_IN_PIECES : VIEW_LABEL_AT_ONCE;
    return SHW_OK;
}

static enum shw_result begin(struct view_labelling *labelling, const struct view_labelled *of)
{
    bool renewed;
    enum shw_result result = SHW_OK;

    labelling->wanted = false;
    labelling->began = view_clock();
    labelling->picture = labelling->coming;
    labelling->coming = NULL;
    if (labelling->picture != NULL) {
        SHW_TRY(view_shown_fit_whole(labelling->params.gpu, labelling->picture, &labelling->behind, &renewed));
        labelling->upload = true;
    }
    SHW_TRY(view_labelling_is_async(labelling) ? begin_beside(labelling, of) : begin_in_frames(labelling, of));
    return SHW_OK;

fail:
    view_labelling_clear(labelling);
    return result;
}

/* Without a forest there are no labels to wait for: shows the latest picture. */
static void give_up_waiting(struct view_labelling *labelling, struct view_label_news *news)
{
    struct view_picture **latest = labelling->coming != NULL ? &labelling->coming : &labelling->picture;

    if (labelling->variant == VIEW_LABEL_NOTHING && *latest == NULL && !view_labelling_has_labels(labelling))
        return;
    news->unlabelled = *latest;
    *latest = NULL;
    view_labelling_clear(labelling);
}

bool view_labelling_has_labels(const struct view_labelling *labelling)
{
    return labelling->parted.on
               ? labelling->parted.layers[VIEW_OVERVIEW].known || labelling->parted.layers[VIEW_DETAIL].known
               : labelling->front.filled;
}

/* Takes the worker's results; waits for them if every frame must be complete. */
static enum shw_result look_async(struct view_labelling *labelling, const struct view_labelled *of,
                                  struct view_label_news *news)
{
    if (labelling->budget <= 0.0)
        view_label_worker_wait(labelling->worker);
    return view_label_worker_done(labelling->worker) ? take_results(labelling, of, news) : SHW_OK;
}

/* Probabilities are wanted that were not when labelling began. */
static bool lacks_planes(const struct view_labels *front, uint32_t mode)
{
    return front->filled && !front->has_planes && front->distribution.handle != VK_NULL_HANDLE &&
           view_overlay_wants_planes(mode);
}

enum shw_result view_labelling_collect(struct view_labelling *labelling, const struct view_labelled *of,
                                       struct view_label_news *news)
{
    *news = (struct view_label_news){0};
    if (of->forest == NULL)
        give_up_waiting(labelling, news);
    if (labelling->variant == VIEW_LABEL_IN_PIECES && labelling->progress.finished)
        show(labelling, of, news);
    if (labelling->variant == VIEW_LABEL_PARTS)
        return view_parts_collect(labelling, of, news);
    return labelling->variant == VIEW_LABEL_ASYNC ? look_async(labelling, of, news) : SHW_OK;
}

enum shw_result view_labelling_begin(struct view_labelling *labelling, const struct view_labelled *of)
{
    labelling->parted.on = of->picture != NULL && view_parts_are_large(of);
    if (labelling->parted.on)
        return view_parts_begin(labelling, of);
    if (labelling->variant == VIEW_LABEL_NOTHING && of->picture != NULL && of->forest != NULL &&
        (labelling->wanted || labelling->coming != NULL || lacks_planes(&labelling->front, of->mode)))
        return begin(labelling, of);
    return SHW_OK;
}

bool view_labelling_needs_frames(const struct view_labelling *labelling)
{
    const struct view_parted *parted = &labelling->parted;

    switch (labelling->variant) {
    case VIEW_LABEL_NOTHING: return labelling->coming != NULL || (parted->on && !view_parts_are_uploaded(labelling));
    case VIEW_LABEL_AT_ONCE: return false;
    case VIEW_LABEL_IN_PIECES: return true;
    case VIEW_LABEL_ASYNC: return view_label_worker_done(labelling->worker);
    case VIEW_LABEL_PARTS: break;
    }
    return view_label_worker_done(labelling->worker) || !view_parts_are_uploaded(labelling) ||
           (!labelling->given_up && labelling->picture == NULL &&
            view_label_worker_ready(labelling->worker) > parted->taken);
}

bool view_labelling_is_busy(const struct view_labelling *labelling)
{
    return labelling->variant == VIEW_LABEL_ASYNC || labelling->variant == VIEW_LABEL_PARTS;
}

bool view_labelling_is_idle(const struct view_labelling *labelling)
{
    if (labelling->parted.on)
        return !labelling->wanted && labelling->coming == NULL && labelling->picture == NULL &&
               view_parts_are_seen(labelling) && view_parts_are_uploaded(labelling);
    return !labelling->wanted && labelling->variant == VIEW_LABEL_NOTHING && labelling->coming == NULL;
}

bool view_labelling_is_complete(const struct view_labelling *labelling)
{
    return view_labelling_is_idle(labelling) &&
           (!labelling->parted.on || view_part_labels_are_exact(&labelling->parted.layers[VIEW_OVERVIEW]));
}

bool view_labelling_is_preview(const struct view_labelling *labelling)
{
    return labelling->parted.on && view_labelling_has_labels(labelling) && !view_parts_are_seen(labelling);
}

bool view_labelling_is_late(const struct view_labelling *labelling)
{
    return labelling->parted.on && labelling->variant != VIEW_LABEL_NOTHING &&
           (!view_parts_are_seen(labelling) || labelling->picture != NULL);
}

void view_labelling_images(const struct view_labelling *labelling, uint32_t layer, const struct view_image **argmax,
                           const struct view_image **distribution)
{
    const struct view_part_labels *part = &labelling->parted.layers[layer];
    const struct view_labels *front = &labelling->front;

    *argmax = *distribution = NULL;
    if (labelling->parted.on && part->known && part->begun) {
        *argmax = &part->images[0];
        *distribution = part->classes > 0 ? &part->images[1] : NULL;
    } else if (!labelling->parted.on && layer == VIEW_OVERVIEW && front->filled) {
        *argmax = &front->argmax;
        *distribution = front->has_planes ? &front->distribution : NULL;
    }
}
