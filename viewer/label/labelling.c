#include "label/labelling.h"

#include <string.h>

#include "base/log.h"
#include "shell/app.h"

#define ROOM_TREES  8u
#define ROOM_NODES  16384u
#define ROOM_PIXELS (1u << 20) /* up to here there is room for more trees and nodes than the forest has */

void view_labelling_destroy(const struct view_gpu *gpu, struct view_labelling *labelling)
{
    view_label_worker_destroy(&labelling->worker);
    shw_labeller_destroy(&labelling->labeller);
    view_shared_forest_release(&labelling->by);
    view_labels_destroy(gpu, &labelling->front);
    view_labels_destroy(gpu, &labelling->back);
    view_shown_destroy(gpu, &labelling->behind);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &labelling->staging[s]);
    view_picture_free(labelling->coming);
    view_picture_free(labelling->picture);
    memset(labelling, 0, sizeof *labelling);
}

void view_labelling_decide(const struct view_app *app, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    bool is_cpu = app->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU, any_cpu = false, all_auto = true;

    memcpy(techniques, app->labelling.techniques, sizeof app->labelling.techniques);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        any_cpu = any_cpu || techniques[s] == SHW_TECHNIQUE_CPU;
        all_auto = all_auto && techniques[s] == SHW_TECHNIQUE_AUTO;
    }
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        if (techniques[s] == SHW_TECHNIQUE_AUTO && (any_cpu || (all_auto && is_cpu)))
            techniques[s] = SHW_TECHNIQUE_CPU;
}

bool view_labelling_is_beside(const struct view_app *app)
{
    enum shw_technique techniques[SHW_STAGE_COUNT];

    view_labelling_decide(app, techniques);
    return techniques[0] == SHW_TECHNIQUE_CPU || techniques[1] == SHW_TECHNIQUE_CPU ||
           techniques[2] == SHW_TECHNIQUE_CPU;
}

void view_labelling_techniques(const struct view_app *app, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    const struct view_labelling *labelling = &app->labelling;

    if (labelling->labeller != NULL && !labelling->new_techniques && !view_labelling_is_beside(app))
        shw_labeller_get_techniques(labelling->labeller, techniques);
    else
        view_labelling_decide(app, techniques);
}

/* Whether a frame has no time for all of it. Until times are known, processors are expected to be slow, and GPUs
 * quick. */
static bool takes_long(const struct view_app *app)
{
    const struct view_frames *frames = &app->frames;
    const struct view_ring *rings = frames->times.rings;
    double sum = 0.0;

    if (app->labelling.budget <= 0.0)
        return false;
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++) {
        if (frames->rates[s] <= 0.0 || rings[VIEW_TIME_CHANNELS + s].count == 0)
            return app->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        sum += view_ring_last(&rings[VIEW_TIME_CHANNELS + s]);
    }
    return sum > app->labelling.budget;
}

/* Whether labels are looked at. */
static bool are_seen(const struct view_overlay_settings *settings)
{
    switch (settings->mode) {
    case VIEW_MODE_ARGMAX:
    case VIEW_MODE_HEAT:
    case VIEW_MODE_BLEND:
    case VIEW_MODE_ENTROPY:
    case VIEW_MODE_ERRORS: return true;
    default: return false;
    }
}

static bool is_alike(const struct view_picture *one, const struct view_picture *other)
{
    return one->image.width == other->image.width && one->image.height == other->image.height &&
           one->image.format == other->image.format && (one->labels != NULL) == (other->labels != NULL) &&
           (one->depth_mm != NULL) == (other->depth_mm != NULL);
}

bool view_labelling_defers(const struct view_app *app, const struct view_picture *picture)
{
    const struct view_labelling *labelling = &app->labelling;

    if (app->forest == NULL || labelling->budget <= 0.0 || app->picture == NULL || !are_seen(&app->settings))
        return false;
    return (labelling->front.filled || labelling->way != VIEW_LABEL_NOTHING) && is_alike(app->picture, picture) &&
           (view_labelling_is_beside(app) || takes_long(app));
}

void view_labelling_defer(struct view_app *app, struct view_picture *picture)
{
    view_picture_free(app->labelling.coming);
    app->labelling.coming = picture;
}

void view_labelling_give_up(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;

    view_picture_free(labelling->coming);
    view_picture_free(labelling->picture);
    labelling->coming = labelling->picture = NULL;
    labelling->upload = false;
    if (labelling->way == VIEW_LABEL_BESIDE)
        labelling->given_up = true;
    else
        labelling->way = VIEW_LABEL_NOTHING;
}

void view_labelling_clear(struct view_app *app)
{
    view_labelling_give_up(app);
    app->labelling.front.filled = false;
    app->labelling.results = NULL;
    app->labelling.changed = true;
}

static void swap_labels(struct view_labelling *labelling)
{
    struct view_labels front = labelling->front;

    labelling->front = labelling->back;
    labelling->back = front;
}

/* What has come to be is shown from the next frame on. */
static enum shw_result show(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    struct view_picture *picture = labelling->picture;
    struct view_shown shown = app->shown;
    enum shw_result result = SHW_OK;

    swap_labels(labelling);
    labelling->way = VIEW_LABEL_NOTHING;
    labelling->changed = app->redraw = true;
    labelling->picture = NULL;
    view_times_add(&app->frames.times, VIEW_TIME_LABELS, (view_clock() - labelling->began) * 1e3);
    if (picture != NULL) {
        app->shown = labelling->behind;
        labelling->behind = shown;
        if (labelling->upload) /* the worker needed no picture on the device */
            app->upload = true;
        labelling->upload = false;
        result = view_app_take(app, picture);
    }
    return result;
}

static enum shw_result take_results(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    double milliseconds;
    enum shw_result result;

    result = view_label_worker_take(labelling->worker, &labelling->results, &milliseconds);
    if (labelling->given_up || result != SHW_OK) {
        labelling->results = NULL;
        labelling->given_up = false;
        labelling->way = VIEW_LABEL_NOTHING;
        if (result != SHW_OK)
            view_labelling_clear(app);
        return result;
    }
    view_times_add(&app->frames.times, VIEW_TIME_WORKER, milliseconds);
    return show(app);
}

static enum shw_result fit_labels(struct view_app *app, struct view_labels *labels)
{
    VkExtent2D extent = app->shown.shown.extent;
    uint32_t classes = shw_forest_get_info(app->forest->forest)->class_count;

    if (view_labels_fits(&app->gpu, extent, classes, labels))
        return SHW_OK;
    if (labels->argmax.handle != VK_NULL_HANDLE)
        SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    SHW_PROPAGATE(view_labels_fit(&app->gpu, extent, classes, labels));
    if (classes > app->gpu.properties.limits.maxImageArrayLayers)
        shw_log_message(&app->log, SHW_LOG_WARNING, SHW_LOG_REQUIREMENT,
                        "%u classes are more than this device has planes for: their probabilities are not shown",
                        classes);
    return SHW_OK;
}

static void drop_labeller(struct view_app *app)
{
    shw_labeller_destroy(&app->labelling.labeller);
    view_shared_forest_release(&app->labelling.by);
    memset(app->frames.rates, 0, sizeof app->frames.rates);
}

static enum shw_result create_labeller(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    const struct shw_forest_info *info = shw_forest_get_info(app->forest->forest);
    VkExtent2D extent = app->shown.shown.extent;
    bool planes = info->class_count <= app->gpu.properties.limits.maxImageArrayLayers;
    struct shw_labeller_params params = {.forest = app->forest->forest,
                                         .device = app->gpu.shadewood,
                                         .outputs = SHW_OUTPUT_ARGMAX | (planes ? SHW_OUTPUT_DISTRIBUTION : 0u),
                                         .width = extent.width,
                                         .height = extent.height,
                                         .slots = VIEW_SLOTS,
                                         .room = {info->tree_count, info->class_count, 1},
                                         .calibration = app->calibrated ? &app->calibration.calibration : NULL,
                                         .log = app->log};
    enum shw_technique techniques[SHW_STAGE_COUNT];

    view_labelling_decide(app, techniques);
    params.channels = techniques[SHW_STAGE_CHANNELS];
    params.integrate = techniques[SHW_STAGE_INTEGRATE];
    params.evaluate = techniques[SHW_STAGE_EVALUATE];
    if ((uint64_t)extent.width * extent.height <= ROOM_PIXELS && params.room.trees < ROOM_TREES) {
        params.room.trees = ROOM_TREES;
        params.room.nodes = ROOM_NODES;
    }
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    drop_labeller(app);
    SHW_PROPAGATE(shw_labeller_create(&params, &labelling->labeller));
    labelling->extent = extent;
    labelling->new_techniques = false;
    return SHW_OK;
}

/* The labeller for frames, with the forest that is wanted. A forest that it has room for is taken without waiting. */
static enum shw_result need_labeller(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    VkExtent2D extent = app->shown.shown.extent;

    if (labelling->labeller == NULL || labelling->new_techniques || labelling->extent.width != extent.width ||
        labelling->extent.height != extent.height || !view_shared_forest_is_alike(labelling->by, app->forest) ||
        (labelling->by != app->forest && !shw_labeller_has_room(labelling->labeller, app->forest->forest)))
        SHW_PROPAGATE(create_labeller(app));
    else if (labelling->by != app->forest)
        SHW_PROPAGATE(shw_labeller_set_forest(labelling->labeller, app->forest->forest));
    if (labelling->by != app->forest) {
        view_shared_forest_release(&labelling->by);
        labelling->by = view_shared_forest_share(app->forest);
    }
    return SHW_OK;
}

static enum shw_result begin_beside(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    const struct view_picture *picture = labelling->picture != NULL ? labelling->picture : app->picture;
    struct view_label_job job = {.forest = app->forest, .image = picture->image, .device = app->device};

    view_labelling_decide(app, job.techniques);
    if (labelling->worker == NULL)
        SHW_PROPAGATE(view_label_worker_create(&app->log, &labelling->worker));
    SHW_PROPAGATE(fit_labels(app, &labelling->back));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        if (labelling->staging[s].size < view_labels_size(&labelling->back)) {
            SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
            view_buffer_destroy(&app->gpu, &labelling->staging[s]);
            SHW_PROPAGATE(view_buffer_create(&app->gpu, view_labels_size(&labelling->back),
                                             VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &labelling->staging[s]));
        }
    job.planes = labelling->back.distribution.layers;
    SHW_PROPAGATE(view_label_worker_begin(labelling->worker, &job));
    labelling->way = VIEW_LABEL_BESIDE;
    return SHW_OK;
}

static enum shw_result begin_in_frames(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    bool in_pieces = labelling->picture != NULL || takes_long(app);
    struct view_labels *labels = in_pieces ? &labelling->back : &labelling->front;

    SHW_PROPAGATE(need_labeller(app));
    SHW_PROPAGATE(fit_labels(app, labels));
    labels->has_planes = labels->distribution.handle != VK_NULL_HANDLE && view_overlay_wants_planes(app->settings.mode);
    memset(&labelling->progress, 0, sizeof labelling->progress);
    labelling->way = in_pieces ? VIEW_LABEL_IN_PIECES : VIEW_LABEL_AT_ONCE;
    return SHW_OK;
}

static enum shw_result begin(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    bool renewed;
    enum shw_result result = SHW_OK;

    app->relabel = false;
    labelling->began = view_clock();
    labelling->picture = labelling->coming;
    labelling->coming = NULL;
    if (labelling->picture != NULL) {
        SHW_TRY(view_shown_fit(&app->gpu, labelling->picture, &labelling->behind, &renewed));
        labelling->upload = true;
    }
    SHW_TRY(view_labelling_is_beside(app) ? begin_beside(app) : begin_in_frames(app));
    return SHW_OK;

fail:
    view_labelling_clear(app);
    return result;
}

/* Without a forest there are no labels to wait for: the latest picture is shown. */
static enum shw_result show_without_labels(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;
    struct view_picture **latest = labelling->coming != NULL ? &labelling->coming : &labelling->picture,
                        *picture = *latest;

    if (labelling->way == VIEW_LABEL_NOTHING && picture == NULL && !labelling->front.filled)
        return SHW_OK;
    *latest = NULL;
    view_labelling_clear(app);
    return picture != NULL ? view_app_show(app, picture) : SHW_OK;
}

/* Takes what the worker has; frames that are to be complete wait for it. */
static enum shw_result look_beside(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;

    if (labelling->budget <= 0.0)
        view_label_worker_wait(labelling->worker);
    return view_label_worker_done(labelling->worker) ? take_results(app) : SHW_OK;
}

/* Probabilities are wanted now that were not when labelling began. */
static bool lacks_planes(const struct view_app *app)
{
    const struct view_labels *front = &app->labelling.front;

    return front->filled && !front->has_planes && front->distribution.handle != VK_NULL_HANDLE &&
           view_overlay_wants_planes(app->settings.mode);
}

enum shw_result view_labelling_update(struct view_app *app)
{
    struct view_labelling *labelling = &app->labelling;

    if (app->forest == NULL)
        SHW_PROPAGATE(show_without_labels(app));
    if (labelling->way == VIEW_LABEL_IN_PIECES && labelling->progress.finished)
        SHW_PROPAGATE(show(app));
    if (labelling->way == VIEW_LABEL_BESIDE)
        SHW_PROPAGATE(look_beside(app));
    if (labelling->way == VIEW_LABEL_NOTHING && app->picture != NULL && app->forest != NULL &&
        (app->relabel || labelling->coming != NULL || lacks_planes(app)))
        SHW_PROPAGATE(begin(app));
    if (labelling->way == VIEW_LABEL_BESIDE && labelling->budget <= 0.0)
        SHW_PROPAGATE(look_beside(app));
    return SHW_OK;
}

bool view_labelling_needs_frames(const struct view_app *app)
{
    return app->labelling.way == VIEW_LABEL_IN_PIECES ||
           (app->labelling.way == VIEW_LABEL_BESIDE && view_label_worker_done(app->labelling.worker)) ||
           (app->labelling.way == VIEW_LABEL_NOTHING && app->labelling.coming != NULL);
}

bool view_labelling_is_busy(const struct view_app *app)
{
    return app->labelling.way == VIEW_LABEL_BESIDE;
}

bool view_labelling_is_current(const struct view_app *app)
{
    if (app->forest == NULL || app->picture == NULL)
        return true;
    return !app->relabel && app->labelling.way == VIEW_LABEL_NOTHING && app->labelling.coming == NULL;
}
