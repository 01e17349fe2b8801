#include "detect/detect_worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/machine.h"
#include "gpu/watch.h"

#define TURN 32u /* angles of a full turn */

enum state { IDLE, WORKING, DONE };

struct view_detect_worker {
    struct shw_log log;
    uint32_t index; /* of the device */
    bool is_cpu;    /* it is */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum state state; /* under the mutex; in WORKING the rest is the thread's, otherwise the main thread's */
    bool ends;        /* under the mutex, as the next */
    bool cancelled;   /* what is in progress */
    struct shw_detector *running; /* under the mutex: that may be interrupted, or NULL */

    struct view_found_windows found;
    bool scans;
    enum shw_result result;

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

/* From now on, ending or cancelling interrupts the detector; false: one of them has happened already. */
static bool may_be_interrupted(struct view_detect_worker *worker, struct shw_detector *detector)
{
    bool goes_on;

    pthread_mutex_lock(&worker->mutex);
    goes_on = !worker->ends && !worker->cancelled;
    worker->running = detector;
    pthread_mutex_unlock(&worker->mutex);
    return goes_on;
}

static enum shw_result scan(struct view_detect_worker *worker)
{
    enum shw_result result;

    SHW_PROPAGATE(need_detector(worker));
    result = may_be_interrupted(worker, worker->detector)
                 ? view_found_windows_scan(worker->detector, &worker->log, &worker->found)
                 : SHW_ERROR_CANCELLED;
    if (!may_be_interrupted(worker, NULL)) /* such a detector runs no more */
        shw_detector_destroy(&worker->detector);
    return result;
}

static void work(struct view_detect_worker *worker)
{
    worker->result = worker->scans ? scan(worker) : view_found_windows_group(&worker->log, &worker->found);
}

static void *run(void *user)
{
    struct view_detect_worker *worker = user;

    shw_low_priority(SHW_PRIORITY_SHOWN);
    pthread_mutex_lock(&worker->mutex);
    while (!worker->ends) {
        if (worker->state != WORKING) {
            pthread_cond_wait(&worker->changed, &worker->mutex);
            continue;
        }
        pthread_mutex_unlock(&worker->mutex);
        work(worker);
        pthread_mutex_lock(&worker->mutex);
        worker->state = DONE;
        pthread_cond_broadcast(&worker->changed);
    }
    pthread_mutex_unlock(&worker->mutex);
    shw_detector_destroy(&worker->detector);
    view_shared_cascade_release(&worker->cascade);
    shw_device_destroy(&worker->device);
    return NULL;
}

enum shw_result view_detect_worker_create(uint32_t device, bool is_cpu, const struct shw_log *log,
                                          struct view_detect_worker **worker)
{
    struct view_detect_worker *made = calloc(1, sizeof *made);

    if (made == NULL)
        return shw_fail_memory(log, "detection");
    made->log = *log;
    made->index = device;
    made->is_cpu = is_cpu;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    if (pthread_create(&made->thread, NULL, run, made) == 0) {
        *worker = made;
        return SHW_OK;
    }
    pthread_cond_destroy(&made->changed);
    pthread_mutex_destroy(&made->mutex);
    free(made);
    return shw_fail_memory(log, "a thread for detection");
}

void view_detect_worker_destroy(struct view_detect_worker **worker)
{
    struct view_detect_worker *old = *worker;

    if (old == NULL)
        return;
    pthread_mutex_lock(&old->mutex);
    old->ends = true;
    shw_detector_interrupt(old->running);
    pthread_cond_broadcast(&old->changed);
    pthread_mutex_unlock(&old->mutex);
    view_join(old->thread);
    view_found_windows_free(&old->found);
    pthread_cond_destroy(&old->changed);
    pthread_mutex_destroy(&old->mutex);
    free(old);
    *worker = NULL;
}

void view_detect_worker_begin(struct view_detect_worker *worker, const struct view_found_windows *job, bool scans)
{
    pthread_mutex_lock(&worker->mutex);
    worker->found = *job;
    worker->scans = scans;
    worker->cancelled = false;
    worker->state = WORKING;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
}

void view_detect_worker_cancel(struct view_detect_worker *worker)
{
    if (worker == NULL)
        return;
    pthread_mutex_lock(&worker->mutex);
    worker->cancelled = true;
    shw_detector_interrupt(worker->running);
    pthread_mutex_unlock(&worker->mutex);
}

bool view_detect_worker_done(struct view_detect_worker *worker, bool waits)
{
    bool done;

    pthread_mutex_lock(&worker->mutex);
    while (waits && worker->state == WORKING)
        pthread_cond_wait(&worker->changed, &worker->mutex);
    done = worker->state == DONE;
    pthread_mutex_unlock(&worker->mutex);
    return done;
}

enum shw_result view_detect_worker_take(struct view_detect_worker *worker, struct view_found_windows *found)
{
    pthread_mutex_lock(&worker->mutex);
    *found = worker->found;
    worker->found = (struct view_found_windows){0};
    worker->state = IDLE;
    pthread_mutex_unlock(&worker->mutex);
    if (worker->result != SHW_OK)
        view_found_windows_free(found);
    return worker->result;
}
