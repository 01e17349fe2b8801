#include "label/label_worker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/forest/forest.h"
#include "files/code/forest_code.h"
#include "job/job.h"
#include "job/times.h"

/* A forest with its reference count. */
struct counted {
    struct view_shared_forest shown; /* first, so that a pointer to it can be converted */
    struct view_shared_forest *of;   /* that owns the forest; NULL: this one */
    atomic_uint shares;
};

struct view_shared_forest *view_shared_forest_create(struct shw_forest *forest, bool full, uint64_t revision)
{
    struct counted *counted = malloc(sizeof *counted);

    if (counted == NULL)
        return NULL;
    counted->shown = (struct view_shared_forest){.forest = forest, .full = full, .revision = revision};
    counted->of = NULL;
    atomic_init(&counted->shares, 1);
    return &counted->shown;
}

struct view_shared_forest *view_shared_forest_smooth(struct view_shared_forest *forest, struct shw_smoothing smoothing)
{
    struct view_shared_forest *owner = ((struct counted *)forest)->of;
    struct view_shared_forest *made = view_shared_forest_create(forest->forest, forest->full, forest->revision);

    if (made == NULL)
        return NULL;
    made->path = forest->path != NULL ? strdup(forest->path) : NULL;
    made->smoothing = smoothing;
    made->for_kinect = forest->for_kinect;
    ((struct counted *)made)->of = view_shared_forest_share(owner != NULL ? owner : forest);
    if (forest->path != NULL && made->path == NULL)
        view_shared_forest_release(&made);
    return made;
}

struct shw_smoothing view_shared_forest_smoothing(const struct view_shared_forest *forest)
{
    struct shw_smoothing smoothing = shw_forest_smoothing(shw_forest_get_info(forest->forest), &forest->smoothing);

    if (smoothing.radius == 0)
        smoothing.radius = SHW_SMOOTHING_NONE;
    return smoothing;
}

struct view_shared_forest *view_shared_forest_share(struct view_shared_forest *forest)
{
    if (forest != NULL)
        atomic_fetch_add(&((struct counted *)forest)->shares, 1);
    return forest;
}

void view_shared_forest_release(struct view_shared_forest **forest)
{
    struct counted *counted = (struct counted *)*forest;

    *forest = NULL;
    if (counted == NULL || atomic_fetch_sub(&counted->shares, 1) > 1)
        return;
    if (counted->of != NULL)
        view_shared_forest_release(&counted->of);
    else
        shw_code_destroy_forest(&counted->shown.forest);
    free(counted->shown.path);
    free(counted);
}

static bool smooths_alike(struct shw_smoothing a, struct shw_smoothing b)
{
    return a.radius == b.radius && a.epsilon == b.epsilon;
}

/* But for the smoothing of the uppermost level. */
static bool is_alike(const struct shw_forest_info *a, const struct shw_forest_info *b)
{
    const struct shw_forest *below = a->below, *other = b->below;

    return shw_channel_lists_equal(a->channel_list, b->channel_list) && a->feature == b->feature &&
           a->fill == b->fill && (below == NULL) == (other == NULL) &&
           (below == NULL ||
            (smooths_alike(shw_forest_get_info(below)->smoothing, shw_forest_get_info(other)->smoothing) &&
             is_alike(shw_forest_get_info(below), shw_forest_get_info(other))));
}

bool view_shared_forest_is_alike(const struct view_shared_forest *one, const struct view_shared_forest *other)
{
    return is_alike(shw_forest_get_info(one->forest), shw_forest_get_info(other->forest)) &&
           smooths_alike(view_shared_forest_smoothing(one), view_shared_forest_smoothing(other));
}

struct view_label_worker {
    struct shw_log log;
    struct view_job job;
    uint32_t prepared; /* under the job's lock: index of the device to be created */
    uint32_t ready;    /* under the job's lock: parts that are complete */

    /* the thread's while it works, otherwise the main thread's: */
    struct view_label_job wanted;
    struct shw_input inputs[SHW_INPUTS_MAX]; /* of what is wanted */
    struct shw_part *parts;
    size_t *offsets; /* [part]: of its results */
    uint16_t *results;
    uint16_t *before; /* results of the previous job, which the main thread may still read */
    double milliseconds;

    /* used by the thread alone */
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
    const struct view_label_job *job = &worker->wanted;
    struct shw_labeller_params params = {.forest = job->forest->forest,
                                         .outputs =
                                             SHW_OUTPUT_ARGMAX | (job->planes > 0 ? SHW_OUTPUT_DISTRIBUTION : 0u),
                                         .channels = job->techniques[SHW_STAGE_CHANNELS],
                                         .integrate = job->techniques[SHW_STAGE_INTEGRATE],
                                         .evaluate = job->techniques[SHW_STAGE_EVALUATE],
                                         .smoothing = view_shared_forest_smoothing(job->forest),
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
    const struct view_label_job *job = &worker->wanted;
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

static void interrupt(void *labeller)
{
    shw_labeller_interrupt(labeller);
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
    for (uint32_t p = 0; p < worker->wanted.part_count; p++) {
        const struct shw_part *part = &worker->parts[p];
        uint16_t *results = worker->results + worker->offsets[p];
        struct shw_labelling out = {.argmax = results,
                                    .distribution = worker->wanted.planes > 0 ? results + pixels_of(part) : NULL};
        SHW_PROPAGATE(shw_labeller_run_part(worker->labeller, &worker->wanted.inputs, part, &out));
        view_job_lock(&worker->job);
        worker->ready = p + 1;
        view_job_unlock(&worker->job);
    }
    return SHW_OK;
}

static enum shw_result work(void *user)
{
    struct view_label_worker *worker = user;
    double began = view_clock();
    enum shw_result result = view_job_is_stopped(&worker->job) ? SHW_ERROR_CANCELLED : need_labeller(worker);

    if (result == SHW_OK)
        result = view_job_may_interrupt(&worker->job, interrupt, worker->labeller) ? label_parts(worker)
                                                                                   : SHW_ERROR_CANCELLED;
    if (!view_job_may_interrupt(&worker->job, NULL, NULL))
        drop_labeller(worker); /* one that was interrupted runs no more */
    else if (result == SHW_OK && worker->wanted.then != NULL)
        worker->wanted.then(worker->wanted.user, worker->results);
    release_pixels(&worker->wanted);
    worker->milliseconds = (view_clock() - began) * 1e3;
    return result;
}

/* Gives up silently: a job tries again. */
static void prepare(void *user)
{
    struct view_label_worker *worker = user;
    const struct shw_log silent = {0};
    uint32_t index;

    view_job_lock(&worker->job);
    index = worker->prepared;
    view_job_unlock(&worker->job);
    need_device(worker, index, &silent);
}

enum shw_result view_label_worker_create(const struct shw_log *log, struct view_label_worker **worker)
{
    static const struct view_job_kind kind = {"labelling", SHW_PRIORITY_SHOWN, work, prepare};
    struct view_label_worker *made = calloc(1, sizeof *made);

    if (made == NULL)
        return shw_fail_memory(log, "labelling");
    made->log = *log;
    view_job_init(&made->job, &kind, made);
    *worker = made;
    return SHW_OK;
}

void view_label_worker_destroy(struct view_label_worker **handle)
{
    struct view_label_worker *worker = *handle;

    if (worker == NULL)
        return;
    view_job_free(&worker->job);
    drop_labeller(worker);
    shw_device_destroy(&worker->device);
    view_shared_forest_release(&worker->wanted.forest);
    free(worker->parts);
    free(worker->offsets);
    free(worker->results);
    free(worker->before);
    free(worker);
    *handle = NULL;
}

void view_label_worker_prepare(struct view_label_worker *worker, uint32_t device)
{
    const struct shw_log silent = {0};

    view_job_lock(&worker->job);
    worker->prepared = device;
    view_job_unlock(&worker->job);
    view_job_prepare(&worker->job, &silent);
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
    worker->wanted.part_count = count;
    return SHW_OK;
}

enum shw_result view_label_worker_begin(struct view_label_worker *worker, const struct view_label_job *job)
{
    enum shw_result result;

    view_shared_forest_release(&worker->wanted.forest);
    worker->wanted = *job;
    worker->wanted.forest = view_shared_forest_share(job->forest);
    memcpy(worker->inputs, job->inputs.inputs, job->inputs.count * sizeof *worker->inputs);
    worker->wanted.inputs.inputs = worker->inputs;
    worker->ready = 0;
    result = take_parts(worker, job);
    if (result == SHW_OK)
        result = view_job_begin(&worker->job, &worker->log);
    if (result != SHW_OK)
        release_pixels(job);
    return result;
}

void view_label_worker_stop(struct view_label_worker *worker)
{
    view_job_stop(&worker->job);
}

uint32_t view_label_worker_ready(struct view_label_worker *worker)
{
    uint32_t ready;

    view_job_lock(&worker->job);
    ready = worker->ready;
    view_job_unlock(&worker->job);
    return ready;
}

const uint16_t *view_label_worker_part(const struct view_label_worker *worker, uint32_t part)
{
    return worker->results + worker->offsets[part];
}

bool view_label_worker_done(struct view_label_worker *worker)
{
    return view_job_is_done(&worker->job);
}

void view_label_worker_wait(struct view_label_worker *worker)
{
    view_job_wait(&worker->job);
}

enum shw_result view_label_worker_take(struct view_label_worker *worker, const uint16_t **results, double *milliseconds)
{
    *results = worker->results;
    *milliseconds = worker->milliseconds;
    return view_job_take(&worker->job);
}
