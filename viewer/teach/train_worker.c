#include "teach/train_worker.h"

#include <stdlib.h>

#include "base/log.h"
#include "job/times.h"
#include "teach/training_run.h"

enum shw_result view_train_worker_create(const struct view_train_worker_params *params,
                                         struct view_train_worker **worker)
{
    static const struct view_job_kind trains = {"training", (enum shw_priority)0, view_training_work, NULL};
    static const struct view_job_kind judges = {"measuring accuracy", SHW_PRIORITY_BACKGROUND, view_training_judge,
                                                NULL};
    struct view_train_worker *made;
    enum shw_result result;

    if (params->recorded && params->device == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "training in frames needs a device");
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return shw_fail_memory(&params->log, "training");
    made->params = *params;
    view_job_init(&made->job, &trains, made);
    view_job_init(&made->judge, &judges, made);
    result = view_job_begin(&made->job, &params->log);
    if (result == SHW_OK && params->judges)
        result = view_job_begin(&made->judge, &params->log);
    if (result == SHW_OK)
        *worker = made;
    else
        view_train_worker_destroy(&made);
    return result;
}

void view_train_worker_destroy(struct view_train_worker **worker)
{
    struct view_train_worker *gone = worker != NULL ? *worker : NULL;

    if (gone == NULL)
        return;
    *worker = NULL;
    view_job_lock(&gone->job);
    gone->quit = true;
    gone->in_flight = false;
    view_training_stir(gone);
    view_job_unlock(&gone->job);
    view_job_free(&gone->judge);
    view_job_free(&gone->job);
    shw_training_set_destroy(&gone->wanted);
    shw_training_tiles_release(&gone->to_judge);
    view_shared_forest_release(&gone->current);
    view_shared_forest_release(&gone->previous);
    shw_held_out_free(&gone->accuracy);
    free(gone);
}

/* Whether to copy the project's strokes now: a copy made while a small forest is being trained would only be replaced,
 * unless a stroke has ended meanwhile. */
static bool is_due(struct view_train_worker *worker, const struct shw_project *project)
{
    bool busy;

    if (worker->revision == shw_project_get_revision(project))
        return false;
    view_job_lock(&worker->job);
    busy = worker->state == VIEW_TRAIN_SMALL && !worker->cancelled &&
           (!worker->painting || shw_project_is_painting(project));
    view_job_unlock(&worker->job);
    return !busy;
}

enum shw_result view_train_worker_update(struct view_train_worker *worker, struct shw_project *project)
{
    struct shw_training_set *set = NULL, *replaced;
    enum shw_result result;

    if (!is_due(worker, project))
        return SHW_OK;
    /* an unpainted project is no error here */
    result = shw_training_set_make(project, NULL, &set);
    if (result == SHW_ERROR_MEMORY)
        return shw_fail_memory(&worker->params.log, "strokes");
    if (set != NULL)
        set->log = worker->params.log;
    worker->revision = shw_project_get_revision(project);
    view_job_lock(&worker->job);
    replaced = worker->wanted;
    worker->wanted = set;
    worker->wanted_revision = worker->revision;
    worker->wanted_painting = shw_project_is_painting(project);
    worker->wanted_time = view_clock();
    if (set == NULL) {
        worker->cancelled = true;
        view_training_drop_accuracy(worker);
        if (worker->state >= VIEW_TRAIN_DONE)
            worker->state = VIEW_TRAIN_IDLE;
    }
    view_training_stir(worker);
    view_job_unlock(&worker->job);
    shw_training_set_destroy(&replaced);
    return SHW_OK;
}

static bool has_slice(const struct view_train_worker *worker)
{
    return worker->trainer != NULL && !worker->in_flight && !worker->finished && worker->recorded_result == SHW_OK &&
           !view_training_is_over(worker);
}

bool view_train_worker_wait(struct view_train_worker *worker, uint64_t number, double seconds)
{
    double end = view_clock() + seconds;
    bool ready;

    view_job_lock(&worker->job);
    while (!(ready = has_slice(worker)) && worker->params.recorded && !worker->stopped && worker->number == number &&
           (worker->wanted != NULL || worker->state == VIEW_TRAIN_SMALL || worker->state == VIEW_TRAIN_FULL))
        if (!view_job_sleep_until(&worker->job, end))
            break;
    ready = ready && !worker->stopped;
    view_job_unlock(&worker->job);
    return ready;
}

void view_train_worker_record(struct view_train_worker *worker, VkCommandBuffer commands, bool *recorded)
{
    *recorded = false;
    view_job_lock(&worker->job);
    if (!worker->stopped && has_slice(worker)) {
        worker->recorded_result = shw_trainer_record(worker->trainer, commands);
        *recorded = worker->in_flight = worker->recorded_result == SHW_OK;
        view_training_stir(worker);
    }
    view_job_unlock(&worker->job);
}

void view_train_worker_complete(struct view_train_worker *worker)
{
    view_job_lock(&worker->job);
    if (worker->in_flight) {
        worker->recorded_result = shw_trainer_complete(worker->trainer, &worker->finished);
        worker->in_flight = false;
        view_training_take_fraction(worker, worker->trainer);
        view_training_stir(worker);
    }
    view_job_unlock(&worker->job);
}

void view_train_worker_stop(struct view_train_worker *worker, bool stopped)
{
    view_job_lock(&worker->job);
    worker->stopped = stopped;
    view_training_stir(worker);
    view_job_unlock(&worker->job);
}

bool view_train_worker_restore(struct view_train_worker *worker)
{
    struct shw_training_set *given_up;
    struct view_shared_forest *forest;
    bool possible;

    view_job_lock(&worker->job);
    possible = worker->previous != NULL;
    given_up = possible ? worker->wanted : NULL;
    if (possible) {
        forest = worker->current;
        worker->current = worker->previous;
        worker->previous = forest;
        worker->number++;
        worker->wanted = NULL;
        worker->cancelled = true;
        view_training_drop_accuracy(worker);
        view_training_stir(worker);
    }
    view_job_unlock(&worker->job);
    shw_training_set_destroy(&given_up);
    return possible;
}

void view_train_worker_get_status(struct view_train_worker *worker, struct view_train_status *status)
{
    view_job_lock(&worker->job);
    *status = (struct view_train_status){.state = worker->wanted != NULL ? VIEW_TRAIN_SMALL : worker->state,
                                         .stopped = worker->stopped,
                                         .fraction = worker->fraction,
                                         .number = worker->number,
                                         .can_restore = worker->previous != NULL,
                                         .times = worker->current_times,
                                         .measurements = worker->measurements};
    view_job_unlock(&worker->job);
}

struct view_shared_forest *view_train_worker_share_forest(struct view_train_worker *worker)
{
    struct view_shared_forest *forest;

    view_job_lock(&worker->job);
    forest = view_shared_forest_share(worker->current);
    view_job_unlock(&worker->job);
    return forest;
}

bool view_train_worker_get_accuracy(struct view_train_worker *worker, struct shw_held_out *accuracy, uint64_t *revision)
{
    bool measured;

    *accuracy = (struct shw_held_out){0};
    view_job_lock(&worker->job);
    measured = worker->measured && shw_held_out_copy(&worker->accuracy, accuracy);
    *revision = worker->judged;
    view_job_unlock(&worker->job);
    return measured;
}
