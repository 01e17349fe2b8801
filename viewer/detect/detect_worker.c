#include "detect/detect_worker.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/import.h>

#include "base/log.h"
#include "job/job.h"
#include "job/times.h"

enum shw_result view_shared_cascade_load(const char *path, const struct shw_log *log,
                                         struct view_shared_cascade **cascade)
{
    struct view_shared_cascade *made = calloc(1, sizeof *made);
    enum shw_result result;

    if (made == NULL || (made->path = strdup(path)) == NULL) {
        free(made);
        return shw_fail_memory(log, path);
    }
    atomic_init(&made->shares, 1);
    result = shw_cascade_open(path, log, &made->cascade);
    if (result == SHW_OK)
        *cascade = made;
    else
        view_shared_cascade_release(&made);
    return result;
}

enum shw_result view_shared_cascade_make(struct shw_cascade *cascade, const struct shw_log *log,
                                         struct view_shared_cascade **shared)
{
    struct view_shared_cascade *made = calloc(1, sizeof *made);

    if (made == NULL || (made->path = strdup("")) == NULL) {
        free(made);
        shw_cascade_destroy(&cascade);
        return shw_fail_memory(log, "a cascade");
    }
    atomic_init(&made->shares, 1);
    made->cascade = cascade;
    *shared = made;
    return SHW_OK;
}

enum shw_result view_shared_cascade_name(struct view_shared_cascade *shared, const char *path,
                                         const struct shw_log *log)
{
    char *copy = strdup(path);

    if (copy == NULL)
        return shw_fail_memory(log, path);
    free(shared->path);
    shared->path = copy;
    return SHW_OK;
}

struct view_shared_cascade *view_shared_cascade_share(struct view_shared_cascade *cascade)
{
    atomic_fetch_add(&cascade->shares, 1);
    return cascade;
}

void view_shared_cascade_release(struct view_shared_cascade **cascade)
{
    struct view_shared_cascade *old = *cascade;

    *cascade = NULL;
    if (old == NULL || atomic_fetch_sub(&old->shares, 1) > 1)
        return;
    shw_cascade_destroy(&old->cascade);
    free(old->path);
    free(old);
}

bool view_detect_same_scan(const struct view_detect_settings *a, const struct view_detect_settings *b)
{
    const struct shw_scan *one = &a->scan, *other = &b->scan;

    return one->min_size == other->min_size && one->max_size == other->max_size &&
           one->levels_per_octave == other->levels_per_octave && one->scale_factor == other->scale_factor &&
           one->stride == other->stride && one->step == other->step && a->angles == b->angles &&
           a->technique == b->technique;
}

bool view_detect_same_groups(const struct view_detect_settings *a, const struct view_detect_settings *b)
{
    const struct shw_group_params *one = &a->group, *other = &b->group;

    return one->method == other->method && one->min_neighbours == other->min_neighbours &&
           one->epsilon == other->epsilon && one->overlap == other->overlap && one->min_score == other->min_score &&
           one->has_min_score == other->has_min_score;
}

static bool copy_detections(const struct shw_detections *from, struct shw_detections *to)
{
    *to = (struct shw_detections){.count = from->count, .items = malloc((from->count + (size_t)1) * sizeof *to->items)};
    if (to->items == NULL)
        return false;
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    return true;
}

void view_found_windows_free(struct view_found_windows *found)
{
    view_picture_free(found->picture);
    view_shared_cascade_release(&found->cascade);
    free(found->windows.items);
    free(found->groups.items);
    *found = (struct view_found_windows){0};
}

/* Groups the windows anew. Errors: ARGUMENT, MEMORY. Any thread. */
static enum shw_result view_found_windows_group(const struct shw_log *log, struct view_found_windows *found)
{
    free(found->groups.items);
    found->groups = (struct shw_detections){0};
    if (!copy_detections(&found->windows, &found->groups))
        return shw_fail_memory(log, "detections");
    return shw_detections_group(&found->groups, shw_cascade_get_info(found->cascade->cascade)->kind,
                                &found->settings.group, log);
}

/* Finds windows with a detector for the cascade and the scan, and groups them. Errors: those of shw_detector_run() and
 * shw_detections_group(), MEMORY; `found` is freed then. Any thread. */
static enum shw_result view_found_windows_scan(struct shw_detector *detector, const struct shw_log *log,
                                               struct view_found_windows *found)
{
    const struct shw_image *image = &found->picture->image;
    const double begun = view_clock();

    SHW_PROPAGATE(shw_detector_run(detector, image, &found->windows));
    found->milliseconds = 1e3 * (view_clock() - begun);
    found->technique = shw_detector_get_technique(detector);
    found->window_count = shw_detector_count_windows(detector, image->width, image->height);
    return view_found_windows_group(log, found);
}

bool view_found_windows_copy(const struct view_found_windows *found, struct view_found_windows *copy)
{
    struct shw_detections windows;

    if (!copy_detections(&found->windows, &windows))
        return false;
    *copy = *found;
    copy->windows = windows;
    copy->groups = (struct shw_detections){0};
    view_picture_share(copy->picture);
    view_shared_cascade_share(copy->cascade);
    return true;
}

#define TURN 32u /* angles of a full turn */

struct view_detect_worker {
    struct shw_log log;
    uint32_t index; /* of the device */
    bool is_cpu;    /* it is */
    struct view_job job;

    /* the thread's while it works, otherwise the main thread's: */
    struct view_found_windows found;
    bool scans;

    /* used by the thread alone */
    struct shw_device *device; /* NULL until needed */
    struct shw_detector *detector;
    struct view_shared_cascade *cascade;  /* of the detector, with the next */
    struct view_detect_settings settings; /* without grouping */
};

static enum shw_result need_device(struct view_detect_worker *worker)
{
    const struct shw_device_create_params params = {.index = worker->index, .log = worker->log};

    return worker->device == NULL ? shw_device_create(&params, &worker->device) : SHW_OK;
}

static enum shw_result need_detector(struct view_detect_worker *worker)
{
    const struct view_detect_settings *settings = &worker->found.settings;
    const bool on_host =
        settings->technique == SHW_TECHNIQUE_CPU || (settings->technique == SHW_TECHNIQUE_AUTO && worker->is_cpu);
    uint32_t angles[TURN];
    struct shw_detector_params params = {.cascade = worker->found.cascade->cascade,
                                         .technique = settings->technique,
                                         .scan = settings->scan,
                                         .threads = shw_spare_processors(),
                                         .log = worker->log};

    if (worker->detector != NULL && worker->cascade == worker->found.cascade &&
        view_detect_same_scan(&worker->settings, settings))
        return SHW_OK;
    if (!on_host)
        SHW_PROPAGATE(need_device(worker));
    params.device = on_host ? NULL : worker->device;
    shw_detector_destroy(&worker->detector);
    view_shared_cascade_release(&worker->cascade);
    for (uint32_t a = 0; a < settings->angles && a < TURN; a++)
        angles[a] = a * TURN / settings->angles;
    if (settings->angles > 1) {
        params.scan.angles = angles;
        params.scan.angle_count = settings->angles;
    }
    worker->cascade = view_shared_cascade_share(worker->found.cascade);
    worker->settings = *settings;
    return shw_detector_create(&params, &worker->detector);
}

static void interrupt(void *detector)
{
    shw_detector_interrupt(detector);
}

static enum shw_result scan(struct view_detect_worker *worker)
{
    enum shw_result result;

    SHW_PROPAGATE(need_detector(worker));
    result = view_job_may_interrupt(&worker->job, interrupt, worker->detector)
                 ? view_found_windows_scan(worker->detector, &worker->log, &worker->found)
                 : SHW_ERROR_CANCELLED;
    if (!view_job_may_interrupt(&worker->job, NULL, NULL)) /* one that was interrupted runs no more */
        shw_detector_destroy(&worker->detector);
    return result;
}

static enum shw_result work(void *user)
{
    struct view_detect_worker *worker = user;

    if (view_job_is_stopped(&worker->job))
        return SHW_ERROR_CANCELLED;
    return worker->scans ? scan(worker) : view_found_windows_group(&worker->log, &worker->found);
}

enum shw_result view_detect_worker_create(uint32_t device, bool is_cpu, const struct shw_log *log,
                                          struct view_detect_worker **worker)
{
    static const struct view_job_kind kind = {"detection", SHW_PRIORITY_SHOWN, work, NULL};
    struct view_detect_worker *made = calloc(1, sizeof *made);

    if (made == NULL)
        return shw_fail_memory(log, "detection");
    made->log = *log;
    made->index = device;
    made->is_cpu = is_cpu;
    view_job_init(&made->job, &kind, made);
    *worker = made;
    return SHW_OK;
}

void view_detect_worker_destroy(struct view_detect_worker **worker)
{
    struct view_detect_worker *old = *worker;

    if (old == NULL)
        return;
    view_job_free(&old->job);
    shw_detector_destroy(&old->detector);
    view_shared_cascade_release(&old->cascade);
    shw_device_destroy(&old->device);
    view_found_windows_free(&old->found);
    free(old);
    *worker = NULL;
}

enum shw_result view_detect_worker_begin(struct view_detect_worker *worker, const struct view_found_windows *job,
                                         bool scans)
{
    enum shw_result result;

    worker->found = *job;
    worker->scans = scans;
    result = view_job_begin(&worker->job, &worker->log);
    if (result != SHW_OK)
        view_found_windows_free(&worker->found);
    return result;
}

void view_detect_worker_cancel(struct view_detect_worker *worker)
{
    if (worker != NULL)
        view_job_stop(&worker->job);
}

bool view_detect_worker_done(struct view_detect_worker *worker, bool waits)
{
    if (waits)
        view_job_wait(&worker->job);
    return view_job_is_done(&worker->job);
}

enum shw_result view_detect_worker_take(struct view_detect_worker *worker, struct view_found_windows *found)
{
    enum shw_result result = view_job_take(&worker->job);

    *found = worker->found;
    worker->found = (struct view_found_windows){0};
    if (result != SHW_OK)
        view_found_windows_free(found);
    return result;
}
