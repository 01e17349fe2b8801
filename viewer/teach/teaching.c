#include "teach/teaching.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shell/app.h"

#define FRAME_SECONDS    0.008 /* of a frame, for training */
#define PAUSE_SECONDS    0.002 /* that the trainer may take between two slices without the frame going on */
#define PROGRESS_SECONDS 0.1   /* between two frames that show how far learning is */
#define STROKES          70u   /* opacity, percent */

const char *const view_hand_names[VIEW_HAND_COUNT] = {"pan", "brush", "eraser"};
const char *const view_trainer_names[VIEW_TRAINER_COUNT] = {"auto", "device", "cpu"};

enum shw_result view_teaching_create(struct view_app *app)
{
    struct view_teaching *teaching = calloc(1, sizeof *teaching);
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = app->gpu.pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

    if (teaching == NULL)
        return shw_fail_memory(&app->log, "teaching");
    app->teaching = teaching;
    teaching->radius = 4;
    teaching->picture = UINT32_MAX;
    VIEW_PROPAGATE(&app->gpu, vkAllocateCommandBuffers, app->gpu.device, &allocate, &teaching->commands);
    VIEW_PROPAGATE(&app->gpu, vkCreateFence, app->gpu.device, &fence, NULL, &teaching->fence);
    return SHW_OK;
}

static void free_classes(struct view_teaching *teaching)
{
    for (uint32_t c = 0; c < teaching->class_count; c++)
        free((char *)(uintptr_t)teaching->classes[c].name);
    free(teaching->classes);
    teaching->classes = NULL;
    teaching->class_count = 0;
}

static void close_project(struct view_teaching *teaching)
{
    view_train_worker_destroy(&teaching->worker);
    shw_project_destroy(&teaching->project);
    free_classes(teaching);
    free(teaching->counts);
    teaching->counts = NULL;
    free(teaching->path);
    free(teaching->folder);
    teaching->path = teaching->folder = NULL;
    teaching->picture = UINT32_MAX;
    teaching->marked = teaching->warned = teaching->renumbered = 0;
    memset(&teaching->fields, 0, sizeof teaching->fields);
    teaching->wait = VIEW_WAIT_NONE;
    teaching->times = (struct view_stroke_times){0};
}

void view_teaching_destroy(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;

    if (teaching == NULL)
        return;
    close_project(teaching);
    view_search_destroy(&teaching->search);
    view_painted_destroy(&app->gpu, &teaching->painted);
    vkDestroyFence(app->gpu.device, teaching->fence, NULL);
    if (teaching->commands != VK_NULL_HANDLE)
        vkFreeCommandBuffers(app->gpu.device, app->gpu.pool, 1, &teaching->commands);
    free(teaching);
    app->teaching = NULL;
}

/* Responses of a slice, so that it takes no more than a few milliseconds, or on a CPU as few as are worth a
 * submission. */
static uint64_t slice_work(const struct view_app *app)
{
    switch (app->gpu.properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return (uint64_t)1 << 20;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return (uint64_t)1 << 24;
    default: return (uint64_t)1 << 26;
    }
}

/* Whether the frames train, in slices. */
static bool is_recorded(const struct view_app *app, enum view_trainer trainer)
{
    return trainer == VIEW_TRAINER_DEVICE ||
           (trainer == VIEW_TRAINER_AUTO && app->gpu.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU);
}

static enum shw_result make_worker(struct view_app *app, enum view_trainer trainer, struct view_train_worker **worker)
{
    bool on_cpu = !is_recorded(app, trainer);
    struct view_train_worker_params params = {.device = on_cpu ? NULL : app->gpu.shadewood,
                                              .recorded = !on_cpu,
                                              .out_of_bag = true,
                                              .work_max = on_cpu ? 0 : slice_work(app),
                                              .log = app->log};

    return view_train_worker_create(&params, worker);
}

/* Ends the one before. */
static void take_worker(struct view_teaching *teaching, struct view_train_worker *worker)
{
    view_train_worker_destroy(&teaching->worker);
    teaching->worker = worker;
    teaching->number = 0;
}

enum shw_result view_teaching_set_trainer(struct view_app *app, enum view_trainer trainer)
{
    struct view_train_worker *worker;

    if (app->teaching->project != NULL) {
        SHW_PROPAGATE(make_worker(app, trainer, &worker));
        take_worker(app->teaching, worker);
    }
    app->teaching->trainer = trainer;
    return SHW_OK;
}

enum shw_result view_teaching_use(struct view_app *app, struct shw_project *project)
{
    struct view_teaching *teaching = app->teaching;
    struct view_train_worker *worker;
    enum shw_result result = make_worker(app, teaching->trainer, &worker);

    if (result != SHW_OK) { /* the project before stays */
        shw_project_destroy(&project);
        return result;
    }
    close_project(teaching);
    teaching->project = project;
    teaching->saved = shw_project_get_revision(project);
    take_worker(teaching, worker);
    SHW_TRY(view_app_set_forest(app, NULL));
    SHW_TRY(view_teaching_classes_changed(app));
    view_teaching_take_in_hand(app, VIEW_HAND_BRUSH);
    SHW_TRY(view_teaching_show(app));

fail:
    return result;
}

enum shw_result view_teaching_new(struct view_app *app)
{
    struct shw_project *project;

    SHW_PROPAGATE(shw_project_create(&app->log, &project));
    SHW_PROPAGATE(view_teaching_use(app, project));
    app->teaching->fields.more = VIEW_MORE_CLASSES; /* it wants classes before anything else */
    return SHW_OK;
}

bool view_teaching_may_close(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    bool painted = false;

    if (teaching->project == NULL || shw_project_get_revision(teaching->project) == teaching->saved ||
        shw_project_get_revision(teaching->project) == teaching->warned)
        return true;
    for (uint32_t p = 0; p < shw_project_get_picture_count(teaching->project); p++)
        painted = painted || shw_project_get_picture(teaching->project, p).stroke_count > 0;
    if (!painted)
        return true;
    teaching->warned = shw_project_get_revision(teaching->project);
    shw_log_message(&app->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                    "the project is not saved; the same once more closes it all the same");
    app->redraw = true;
    return false;
}

enum shw_result view_teaching_need_project(struct view_app *app)
{
    return app->teaching->project != NULL ? SHW_OK
                                          : shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                                     "no project is open: `project new` begins one");
}

/* Whether numbers mean other classes than before. */
static bool is_renumbered(const struct view_teaching *teaching)
{
    uint32_t count = shw_project_get_class_count(teaching->project);
    bool renumbered = count < teaching->class_count;

    for (uint32_t c = 0; count > teaching->class_count && c < teaching->class_count; c++)
        renumbered |= strcmp(shw_project_get_class(teaching->project, c)->name, teaching->classes[c].name) != 0;
    return renumbered;
}

enum shw_result view_teaching_classes_changed(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    uint32_t count = shw_project_get_class_count(teaching->project);
    bool renumbered = is_renumbered(teaching);

    free_classes(teaching);
    teaching->classes = calloc(count + 1u, sizeof *teaching->classes);
    if (teaching->classes == NULL)
        return shw_fail_memory(&app->log, "the classes");
    for (; teaching->class_count < count; teaching->class_count++) {
        const struct shw_project_class *class = shw_project_get_class(teaching->project, teaching->class_count);
        struct shw_class *shown = &teaching->classes[teaching->class_count];
        memcpy(shown->colour, class->colour, sizeof shown->colour);
        shown->name = strdup(class->name);
        if (shown->name == NULL)
            return shw_fail_memory(&app->log, "the classes");
    }
    if (renumbered)
        teaching->renumbered = shw_project_get_revision(teaching->project);
    if (app->settings.chosen >= count)
        app->settings.chosen = count > 0 ? count - 1 : 0;
    return renumbered ? view_app_set_forest(app, NULL) : view_app_update_classes(app);
}

const uint16_t *view_teaching_labels(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    const uint16_t *labels = NULL;

    if (teaching->project == NULL || teaching->picture == UINT32_MAX ||
        shw_project_get_labels(teaching->project, teaching->picture, &labels, NULL) != SHW_OK)
        return NULL;
    return labels;
}

/* Records, submits and awaits a slice; *recorded: there was one. */
static enum shw_result run_slice(struct view_app *app, bool *recorded)
{
    struct view_teaching *teaching = app->teaching;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &teaching->commands};
    double start = view_clock();

    VIEW_PROPAGATE(&app->gpu, vkBeginCommandBuffer, teaching->commands, &begin);
    view_train_worker_record(teaching->worker, teaching->commands, recorded);
    VIEW_PROPAGATE(&app->gpu, vkEndCommandBuffer, teaching->commands);
    if (!*recorded)
        return SHW_OK;
    VIEW_PROPAGATE(&app->gpu, vkQueueSubmit, app->gpu.queue, 1, &submit, teaching->fence);
    VIEW_PROPAGATE(&app->gpu, vkWaitForFences, app->gpu.device, 1, &teaching->fence, VK_TRUE, UINT64_MAX);
    VIEW_PROPAGATE(&app->gpu, vkResetFences, app->gpu.device, 1, &teaching->fence);
    view_train_worker_complete(teaching->worker);
    if (teaching->times.training.begun == 0) {
        teaching->times.slices++;
        teaching->times.slice_seconds += view_clock() - start;
    }
    return SHW_OK;
}

static enum shw_result run_slices(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    double begun = view_clock(), end = begun + FRAME_SECONDS;
    bool recorded = true, any = false;

    while (recorded && view_clock() < end &&
           view_train_worker_wait(teaching->worker, teaching->number, PAUSE_SECONDS)) {
        view_teaching_notice(app, FRAME_SECONDS); /* the slice would only wait behind that frame */
        SHW_PROPAGATE(run_slice(app, &recorded));
        any = any || recorded;
    }
    if (any)
        view_times_add(&app->frames.times, VIEW_TIME_TRAIN, (view_clock() - begun) * 1e3);
    return SHW_OK;
}

static enum shw_result take_forest(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;
    struct view_train_status status;
    struct view_shared_forest *forest;

    view_train_worker_get_status(teaching->worker, &status);
    if (status.number == teaching->number)
        return SHW_OK;
    forest = view_train_worker_share_forest(teaching->worker);
    teaching->number = status.number;
    if (forest->revision < teaching->renumbered) { /* a class was deleted meanwhile */
        view_shared_forest_release(&forest);
        return SHW_OK;
    }
    if (teaching->times.training.begun == 0 && forest->revision >= teaching->times.revision)
        teaching->times.training = status.times;
    app->redraw = true;
    return view_app_set_forest(app, forest);
}

enum shw_result view_teaching_frame(struct view_app *app)
{
    struct view_teaching *teaching = app->teaching;

    if (teaching->project == NULL)
        return SHW_OK;
    teaching->drawn = view_clock();
    view_teaching_notice(app, 0.0);
    SHW_PROPAGATE(view_train_worker_update(teaching->worker, teaching->project));
    SHW_PROPAGATE(run_slices(app));
    SHW_PROPAGATE(take_forest(app));
    if (teaching->marked != shw_project_get_revision(teaching->project))
        view_painted_mark_all(&teaching->painted);
    teaching->marked = shw_project_get_revision(teaching->project);
    app->settings.strokes = teaching->hide_strokes ? 0 : STROKES;
    return SHW_OK;
}

void view_teaching_shown(struct view_app *app)
{
    struct view_stroke_times *times = &app->teaching->times;

    if (times->frames == 0 && times->training.begun > 0 && view_labelling_is_current(app))
        times->frames = app->frames.count;
}

static bool is_about_to_be_shown(const struct view_teaching *teaching)
{
    return teaching->times.frames > 0 && teaching->times.shown == 0;
}

void view_teaching_notice(struct view_app *app, double seconds)
{
    struct view_stroke_times *times = &app->teaching->times;

    if (!is_about_to_be_shown(app->teaching) ||
        !view_frames_is_over(&app->gpu, &app->frames, times->frames - 1, seconds))
        return;
    times->shown = view_clock();
    app->redraw = true;
}

enum shw_result view_teaching_poll(struct view_app *app)
{
    view_teaching_notice(app, 0.0);
    return view_search_poll(app);
}

static bool is_learning(const struct view_train_status *status)
{
    return !status->stopped && (status->state == VIEW_TRAIN_SMALL || status->state == VIEW_TRAIN_FULL);
}

bool view_teaching_is_busy(const struct view_app *app)
{
    const struct view_teaching *teaching = app->teaching;
    struct view_train_status status;

    if (teaching->project == NULL)
        return false;
    view_train_worker_get_status(teaching->worker, &status);
    return status.number != teaching->number || teaching->marked != shw_project_get_revision(teaching->project) ||
           (is_learning(&status) &&
            (is_recorded(app, teaching->trainer) || view_clock() - teaching->drawn > PROGRESS_SECONDS));
}

double view_teaching_patience(const struct view_app *app)
{
    const struct view_teaching *teaching = app->teaching;
    struct view_train_status status = {0};

    if (is_about_to_be_shown(teaching))
        return 0.001;
    if (teaching->project != NULL)
        view_train_worker_get_status(teaching->worker, &status);
    return view_search_is_under_way(&teaching->search) || is_learning(&status) ? 0.02 : 0.1;
}

enum shw_result view_teaching_waits(struct view_app *app, bool *waits)
{
    struct view_teaching *teaching = app->teaching;
    struct view_train_status status;
    bool shown;

    *waits = view_search_is_under_way(&teaching->search);
    if (teaching->wait == VIEW_WAIT_NONE)
        return SHW_OK;
    view_train_worker_get_status(teaching->worker, &status);
    shown = app->forest != NULL && app->forest->revision == shw_project_get_revision(teaching->project) &&
            status.number == teaching->number && view_labelling_is_current(app) &&
            (teaching->wait == VIEW_WAIT_SMALL || app->forest->full);
    if (shown && (teaching->wait != VIEW_WAIT_JUDGED || status.state == VIEW_TRAIN_DONE)) {
        teaching->wait = VIEW_WAIT_NONE;
        return SHW_OK;
    }
    *waits = true;
    if (status.stopped || status.state == VIEW_TRAIN_FAILED ||
        (status.state == VIEW_TRAIN_IDLE && teaching->marked == shw_project_get_revision(teaching->project))) {
        teaching->wait = VIEW_WAIT_NONE;
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no forest to wait for: %s",
                        status.stopped                      ? "teaching is stopped"
                        : status.state == VIEW_TRAIN_FAILED ? "training has failed"
                                                            : "nothing is on the way");
    }
    return SHW_OK;
}
