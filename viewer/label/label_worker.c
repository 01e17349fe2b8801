#include "label/label_worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/machine.h"
#include "gpu/times.h"
#include "gpu/watch.h"

enum state { IDLE, WORKING, DONE };

struct view_label_worker {
    struct shw_log log;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum state state;               /* under the mutex; in IDLE and DONE the main thread owns the rest, in WORKING the
                                       worker */
    bool ends, stops;               /* under the mutex: the worker, or only this job */
    bool prepares;                  /* under the mutex: a device is to be created, when there is nothing else to do */
    uint32_t prepared;              /* under the mutex: its index */
    uint32_t ready;                 /* under the mutex: parts that are complete */
    struct shw_labeller *labelling; /* under the mutex: the labeller that is running and may be interrupted, or NULL */
    bool runs;

    struct view_label_job job;
    struct shw_input inputs[SHW_INPUTS_MAX]; /* the job's */
    struct shw_part *parts;
    size_t *offsets; /* [part]: of its results */
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
    uint64_t labeller_memory;
};

static void drop_labeller(struct view_label_worker *worker)
{
    shw_labeller_destroy(&worker->labeller);
    view_shared_forest_release(&worker->labeller_forest);
}

static enum shw_result need_device(struct view_label_worker *worker, uint32_t index, const struct shw_log *log)
{
    const struct shw_device_create_params params = {.index = index, .log = *log};

    return worker->device == NULL ? shw_device_create(&params, &worker->device) : SHW_OK;
}

static enum shw_result create_labeller(struct view_label_worker *worker)
{
    const struct view_label_job *job = &worker->job;
    struct shw_labeller_params params = {.forest = job->forest->forest,
                                         .outputs =
                                             SHW_OUTPUT_ARGMAX | (job->planes > 0 ? SHW_OUTPUT_DISTRIBUTION : 0u),
                                         .channels = job->techniques[SHW_STAGE_CHANNELS],
                                         .integrate = job->techniques[SHW_STAGE_INTEGRATE],
                                         .evaluate = job->techniques[SHW_STAGE_EVALUATE],
                                         .memory = job->memory,
                                         .calibration = job->on_device ? job->calibration : NULL,
                                         .log = worker->log};

    drop_labeller(worker);
    if (job->on_device)
        SHW_PROPAGATE(need_device(worker, job->device, &worker->log));
    params.device = job->on_device ? worker->device : NULL;
    SHW_PROPAGATE(shw_labeller_create(&params, &worker->labeller));
    memcpy(worker->labeller_techniques, job->techniques, sizeof job->techniques);
    worker->labeller_planes = job->planes;
    worker->labeller_memory = job->memory;
    return SHW_OK;
}

static enum shw_result need_labeller(struct view_label_worker *worker)
{
    const struct view_label_job *job = &worker->job;
    struct view_shared_forest *forest = job->forest;
    enum shw_result result = SHW_OK;

    if (worker->labeller == NULL || memcmp(worker->labeller_techniques, job->techniques, sizeof job->techniques) != 0 ||
        (worker->labeller_planes > 0) != (job->planes > 0) || worker->labeller_memory != job->memory ||
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

/* From now on, ending the worker or the job interrupts the labeller; false: one of them has ended already. */
static bool may_be_interrupted(struct view_label_worker *worker, struct shw_labeller *labeller)
{
    bool ends;

    pthread_mutex_lock(&worker->mutex);
    ends = worker->ends || worker->stops;
    worker->labelling = labeller;
    pthread_mutex_unlock(&worker->mutex);
    return !ends;
}

static void release_pixels(const struct view_label_job *job)
{
    if (job->release != NULL)
        job->release(job->held);
}

static size_t pixels_of(const struct shw_part *part)
{
    return (size_t)part->width * part->height;
}

static enum shw_result label_parts(struct view_label_worker *worker)
{
    for (uint32_t p = 0; p < worker->job.part_count; p++) {
        const struct shw_part *part = &worker->parts[p];
        uint16_t *results = worker->results + worker->offsets[p];
        struct shw_labelling out = {.argmax = results,
                                    .distribution = worker->job.planes > 0 ? results + pixels_of(part) : NULL};
        SHW_PROPAGATE(shw_labeller_run_part(worker->labeller, &worker->job.inputs, part, &out));
        pthread_mutex_lock(&worker->mutex);
        worker->ready = p + 1;
        pthread_mutex_unlock(&worker->mutex);
    }
    return SHW_OK;
}

static void work(struct view_label_worker *worker)
{
    double began = view_clock();
    bool interrupted;

    worker->result = need_labeller(worker);
    interrupted = !may_be_interrupted(worker, worker->labeller);
    if (worker->result == SHW_OK)
        worker->result = interrupted ? SHW_ERROR_CANCELLED : label_parts(worker);
    interrupted = !may_be_interrupted(worker, NULL);
    if (!interrupted && worker->result == SHW_OK && worker->job.then != NULL)
        worker->job.then(worker->job.user, worker->results);
    if (interrupted) /* such a labeller runs no more */
        drop_labeller(worker);
    release_pixels(&worker->job);
    worker->milliseconds = (view_clock() - began) * 1e3;
}

/* Gives up silently: a job tries again. */
static void prepare(struct view_label_worker *worker, uint32_t index)
{
    const struct shw_log silent = {0};

    need_device(worker, index, &silent);
}

static void *run(void *user)
{
    struct view_label_worker *worker = user;

    shw_low_priority(SHW_PRIORITY_SHOWN);
    pthread_mutex_lock(&worker->mutex);
    while (!worker->ends) {
        if (worker->state != WORKING && worker->prepares) {
            uint32_t index = worker->prepared;
            worker->prepares = false;
            pthread_mutex_unlock(&worker->mutex);
            prepare(worker, index);
            pthread_mutex_lock(&worker->mutex);
            continue;
        }
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
    if (worker->state == WORKING) /* a job that has not begun */
        release_pixels(&worker->job);
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
        view_join(worker->thread);
    }
    view_shared_forest_release(&worker->job.forest);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->mutex);
    free(worker->parts);
    free(worker->offsets);
    free(worker->results);
    free(worker->before);
    free(worker);
    *handle = NULL;
}

void view_label_worker_prepare(struct view_label_worker *worker, uint32_t device)
{
    pthread_mutex_lock(&worker->mutex);
    worker->prepares = true;
    worker->prepared = device;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
}

/* Copies the parts, and makes room for their results. */
static enum shw_result take_parts(struct view_label_worker *worker, const struct view_label_job *job)
{
    const struct shw_image *image = &job->inputs.inputs[0].image;
    const struct shw_part whole = {.width = image->width, .height = image->height, .step = 1};
    const struct shw_part *parts = job->parts != NULL ? job->parts : &whole;
    uint32_t count = job->parts != NULL ? job->part_count : 1;
    size_t size = 0;

    free(worker->parts);
    free(worker->offsets);
    free(worker->before);
    worker->before = worker->results;
    worker->parts = malloc(count * sizeof *worker->parts);
    worker->offsets = malloc(count * sizeof *worker->offsets);
    for (uint32_t p = 0; worker->parts != NULL && worker->offsets != NULL && p < count; p++) {
        worker->parts[p] = parts[p];
        worker->offsets[p] = size;
        size += (1 + (size_t)job->planes) * pixels_of(&parts[p]);
    }
    worker->results = malloc(size * sizeof *worker->results);
    if (worker->parts == NULL || worker->offsets == NULL || worker->results == NULL)
        return shw_fail_memory(&worker->log, "labels");
    worker->job.part_count = count;
    return SHW_OK;
}

enum shw_result view_label_worker_begin(struct view_label_worker *worker, const struct view_label_job *job)
{
    enum shw_result result;

    view_shared_forest_release(&worker->job.forest);
    worker->job = *job;
    worker->job.forest = view_shared_forest_share(job->forest);
    result = take_parts(worker, job);
    if (result != SHW_OK) {
        release_pixels(job);
        return result;
    }
    memcpy(worker->inputs, job->inputs.inputs, job->inputs.count * sizeof *worker->inputs);
    worker->job.inputs.inputs = worker->inputs;
    pthread_mutex_lock(&worker->mutex);
    worker->state = WORKING;
    worker->ready = 0;
    worker->stops = false;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    return SHW_OK;
}

void view_label_worker_stop(struct view_label_worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    if (worker->state == WORKING) {
        worker->stops = true;
        if (worker->labelling != NULL)
            shw_labeller_interrupt(worker->labelling);
    }
    pthread_mutex_unlock(&worker->mutex);
}

uint32_t view_label_worker_ready(struct view_label_worker *worker)
{
    uint32_t ready;

    pthread_mutex_lock(&worker->mutex);
    ready = worker->ready;
    pthread_mutex_unlock(&worker->mutex);
    return ready;
}

const uint16_t *view_label_worker_part(const struct view_label_worker *worker, uint32_t part)
{
    return worker->results + worker->offsets[part];
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
