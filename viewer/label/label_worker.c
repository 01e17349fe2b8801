#include "label/label_worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "gpu/times.h"
#include "project/pixels.h"

enum state { IDLE, WORKING, DONE };

struct view_label_worker {
    struct shw_log log;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum state state;               /* under the mutex; in IDLE and DONE the main thread owns the rest, in WORKING the
                                       worker */
    bool ends;                      /* under the mutex */
    struct shw_labeller *labelling; /* under the mutex: the labeller that is running and may be interrupted, or NULL */
    bool runs;

    struct view_label_job job;
    struct shw_pixels *pixels; /* the job's */
    uint16_t *results;
    uint16_t *before; /* results of the previous job, which the main thread may still read */
    enum shw_result result;
    double milliseconds;

    /* used by the worker alone */
    struct shw_device *device;
    struct shw_labeller *labeller;
    struct view_shared_forest *labeller_forest;
    enum shw_technique labeller_techniques[SHW_STAGE_COUNT];
    uint32_t labeller_planes;
};

static void drop_labeller(struct view_label_worker *worker)
{
    shw_labeller_destroy(&worker->labeller);
    view_shared_forest_release(&worker->labeller_forest);
}

static bool uses_device(const struct view_label_job *job)
{
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        if (shw_technique_needs_device(job->techniques[s]))
            return true;
    return false;
}

/* Leaves one processor for frames. */
static uint32_t thread_count(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 2 ? (uint32_t)processors - 1 : 1;
}

static enum shw_result create_labeller(struct view_label_worker *worker)
{
    const struct view_label_job *job = &worker->job;
    struct shw_device_create_params device = {.index = job->device, .log = worker->log};
    struct shw_labeller_params params = {.forest = job->forest->forest,
                                         .outputs =
                                             SHW_OUTPUT_ARGMAX | (job->planes > 0 ? SHW_OUTPUT_DISTRIBUTION : 0u),
                                         .channels = job->techniques[SHW_STAGE_CHANNELS],
                                         .integrate = job->techniques[SHW_STAGE_INTEGRATE],
                                         .evaluate = job->techniques[SHW_STAGE_EVALUATE],
                                         .threads = thread_count(),
                                         .log = worker->log};

    drop_labeller(worker);
    if (uses_device(job) && worker->device == NULL)
        SHW_PROPAGATE(shw_device_create(&device, &worker->device));
    params.device = uses_device(job) ? worker->device : NULL;
    SHW_PROPAGATE(shw_labeller_create(&params, &worker->labeller));
    memcpy(worker->labeller_techniques, job->techniques, sizeof job->techniques);
    worker->labeller_planes = job->planes;
    return SHW_OK;
}

static enum shw_result need_labeller(struct view_label_worker *worker)
{
    const struct view_label_job *job = &worker->job;
    struct view_shared_forest *forest = job->forest;
    enum shw_result result = SHW_OK;

    if (worker->labeller == NULL || memcmp(worker->labeller_techniques, job->techniques, sizeof job->techniques) != 0 ||
        (worker->labeller_planes > 0) != (job->planes > 0) ||
        !view_shared_forest_is_alike(worker->labeller_forest, forest))
        SHW_TRY(create_labeller(worker));
    else if (worker->labeller_forest != forest)
        SHW_TRY(shw_labeller_set_forest(worker->labeller, forest->forest));
    if (worker->labeller_forest != forest) {
        view_shared_forest_release(&worker->labeller_forest);
        worker->labeller_forest = view_shared_forest_share(forest);
    }
    return SHW_OK;

fail:
    drop_labeller(worker);
    return result;
}

/* From now on, destroying the worker interrupts the labeller; false: it is being destroyed already. */
static bool may_be_interrupted(struct view_label_worker *worker, struct shw_labeller *labeller)
{
    bool ends;

    pthread_mutex_lock(&worker->mutex);
    ends = worker->ends;
    worker->labelling = labeller;
    pthread_mutex_unlock(&worker->mutex);
    return !ends;
}

static size_t pixels_of(const struct shw_image *image)
{
    return (size_t)image->width * image->height;
}

static void work(struct view_label_worker *worker)
{
    size_t pixels = pixels_of(&worker->job.inputs.inputs[0].image);
    uint16_t *results = worker->results;
    struct shw_labelling out = {.argmax = results, .distribution = worker->job.planes > 0 ? results + pixels : NULL};
    double began = view_clock();

    worker->result = need_labeller(worker);
    if (worker->result == SHW_OK && may_be_interrupted(worker, worker->labeller))
        worker->result = shw_labeller_run(worker->labeller, &worker->job.inputs, &out);
    if (may_be_interrupted(worker, NULL) && worker->result == SHW_OK && worker->job.then != NULL)
        worker->job.then(worker->job.user, results);
    worker->milliseconds = (view_clock() - began) * 1e3;
}

static void *run(void *user)
{
    struct view_label_worker *worker = user;

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
    drop_labeller(worker);
    shw_device_destroy(&worker->device);
    return NULL;
}

enum shw_result view_label_worker_create(const struct shw_log *log, struct view_label_worker **worker)
{
    struct view_label_worker *made = calloc(1, sizeof *made);

    if (made == NULL)
        return shw_fail_memory(log, "a worker");
    made->log = *log;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->runs = pthread_create(&made->thread, NULL, run, made) == 0;
    if (!made->runs) {
        view_label_worker_destroy(&made);
        return shw_fail_memory(log, "a worker thread");
    }
    *worker = made;
    return SHW_OK;
}

void view_label_worker_destroy(struct view_label_worker **handle)
{
    struct view_label_worker *worker = *handle;

    if (worker == NULL)
        return;
    if (worker->runs) {
        pthread_mutex_lock(&worker->mutex);
        worker->ends = true;
        if (worker->labelling != NULL)
            shw_labeller_interrupt(worker->labelling);
        pthread_cond_broadcast(&worker->changed);
        pthread_mutex_unlock(&worker->mutex);
        pthread_join(worker->thread, NULL);
    }
    view_shared_forest_release(&worker->job.forest);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->mutex);
    shw_pixels_release(&worker->pixels);
    free(worker->results);
    free(worker->before);
    free(worker);
    *handle = NULL;
}

enum shw_result view_label_worker_begin(struct view_label_worker *worker, const struct view_label_job *job)
{
    size_t plane = pixels_of(&job->inputs.inputs[0].image) * sizeof *worker->results;

    free(worker->before);
    worker->before = worker->results;
    worker->results = malloc((1 + job->planes) * plane);
    shw_pixels_release(&worker->pixels);
    worker->pixels = shw_pixels_copy(&job->inputs);
    if (worker->pixels == NULL || worker->results == NULL)
        return shw_fail_memory(&worker->log, "labels");
    view_shared_forest_release(&worker->job.forest);
    worker->job = *job;
    worker->job.forest = view_shared_forest_share(job->forest);
    shw_pixels_get(worker->pixels, &worker->log, &worker->job.inputs);
    pthread_mutex_lock(&worker->mutex);
    worker->state = WORKING;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    return SHW_OK;
}

static enum state state_of(struct view_label_worker *worker)
{
    enum state state;

    pthread_mutex_lock(&worker->mutex);
    state = worker->state;
    pthread_mutex_unlock(&worker->mutex);
    return state;
}

bool view_label_worker_done(struct view_label_worker *worker)
{
    return state_of(worker) == DONE;
}

void view_label_worker_wait(struct view_label_worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    while (worker->state == WORKING)
        pthread_cond_wait(&worker->changed, &worker->mutex);
    pthread_mutex_unlock(&worker->mutex);
}

enum shw_result view_label_worker_take(struct view_label_worker *worker, const uint16_t **results, double *milliseconds)
{
    pthread_mutex_lock(&worker->mutex);
    worker->state = IDLE;
    pthread_mutex_unlock(&worker->mutex);
    *results = worker->results;
    *milliseconds = worker->milliseconds;
    return worker->result;
}
