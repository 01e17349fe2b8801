#include "teach/train_worker.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "gpu/times.h"
#include "gpu/watch.h"
#include "teach/training_run.h"

enum shw_result view_train_worker_create(const struct view_train_worker_params *params,
                                         struct view_train_worker **worker)
{
    struct view_train_worker *made;
    pthread_condattr_t monotonic;
    bool broken;

    if (params->recorded && params->device == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "training in frames needs a device");
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return shw_fail_memory(&params->log, "training");
    made->params = *params;
    if (pthread_mutex_init(&made->lock, NULL) != 0)
        goto fail;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    broken = pthread_cond_init(&made->changed, &monotonic) != 0;
    pthread_condattr_destroy(&monotonic);
    if (broken)
        goto fail_lock;
    if (pthread_create(&made->thread, NULL, view_training_work, made) != 0)
        goto fail_changed;
    if (made->params.judges && pthread_create(&made->judge, NULL, view_training_judge, made) != 0) {
        made->params.judges = false;
        view_train_worker_destroy(&made);
        return shw_fail_memory(&params->log, "training");
    }
    *worker = made;
    return SHW_OK;

fail_changed:
    pthread_cond_destroy(&made->changed);
fail_lock:
    pthread_mutex_destroy(&made->lock);
fail:
    free(made);
    return shw_fail_memory(&params->log, "training");
}

void view_train_worker_destroy(struct view_train_worker **worker)
{
    struct view_train_worker *gone = worker != NULL ? *worker : NULL;

    if (gone == NULL)
        return;
    *worker = NULL;
    pthread_mutex_lock(&gone->lock);
    gone->quit = true;
    gone->in_flight = false;
    view_training_stir(gone);
    pthread_mutex_unlock(&gone->lock);
    view_join(gone->thread);
    if (gone->params.judges)
        view_join(gone->judge);
    pthread_cond_destroy(&gone->changed);
    pthread_mutex_destroy(&gone->lock);
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
    pthread_mutex_lock(&worker->lock);
    busy = worker->state == VIEW_TRAIN_SMALL && !worker->cancelled &&
           (!worker->painting || shw_project_is_painting(project));
    pthread_mutex_unlock(&worker->lock);
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
    pthread_mutex_lock(&worker->lock);
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
    pthread_mutex_unlock(&worker->lock);
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
    struct timespec until = {(time_t)end, (long)((end - floor(end)) * 1e9)};
    bool ready;

    pthread_mutex_lock(&worker->lock);
    while (!(ready = has_slice(worker)) && worker->params.recorded && !worker->stopped && worker->number == number &&
           (worker->wanted != NULL || worker->state == VIEW_TRAIN_SMALL || worker->state == VIEW_TRAIN_FULL))
        if (pthread_cond_timedwait(&worker->changed, &worker->lock, &until) != 0)
            break;
    ready = ready && !worker->stopped;
    pthread_mutex_unlock(&worker->lock);
    return ready;
}

void view_train_worker_record(struct view_train_worker *worker, VkCommandBuffer commands, bool *recorded)
{
    *recorded = false;
    pthread_mutex_lock(&worker->lock);
    if (!worker->stopped && has_slice(worker)) {
        worker->recorded_result = shw_trainer_record(worker->trainer, commands);
        *recorded = worker->in_flight = worker->recorded_result == SHW_OK;
        view_training_stir(worker);
    }
    pthread_mutex_unlock(&worker->lock);
}

void view_train_worker_complete(struct view_train_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    if (worker->in_flight) {
        worker->recorded_result = shw_trainer_complete(worker->trainer, &worker->finished);
        worker->in_flight = false;
        view_training_take_fraction(worker, worker->trainer);
        view_training_stir(worker);
    }
    pthread_mutex_unlock(&worker->lock);
}

void view_train_worker_stop(struct view_train_worker *worker, bool stopped)
{
    pthread_mutex_lock(&worker->lock);
    worker->stopped = stopped;
    view_training_stir(worker);
    pthread_mutex_unlock(&worker->lock);
}

bool view_train_worker_restore(struct view_train_worker *worker)
{
    struct shw_training_set *given_up;
    struct view_shared_forest *forest;
    bool possible;

    pthread_mutex_lock(&worker->lock);
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
    pthread_mutex_unlock(&worker->lock);
    shw_training_set_destroy(&given_up);
    return possible;
}

void view_train_worker_get_status(struct view_train_worker *worker, struct view_train_status *status)
{
    pthread_mutex_lock(&worker->lock);
    *status = (struct view_train_status){.state = worker->wanted != NULL ? VIEW_TRAIN_SMALL : worker->state,
                                         .stopped = worker->stopped,
                                         .fraction = worker->fraction,
                                         .number = worker->number,
                                         .can_restore = worker->previous != NULL,
                                         .times = worker->current_times,
                                         .measurements = worker->measurements};
    pthread_mutex_unlock(&worker->lock);
}

struct view_shared_forest *view_train_worker_share_forest(struct view_train_worker *worker)
{
    struct view_shared_forest *forest;

    pthread_mutex_lock(&worker->lock);
    forest = view_shared_forest_share(worker->current);
    pthread_mutex_unlock(&worker->lock);
    return forest;
}

bool view_train_worker_get_accuracy(struct view_train_worker *worker, struct shw_held_out *accuracy, uint64_t *revision)
{
    bool measured;

    *accuracy = (struct shw_held_out){0};
    pthread_mutex_lock(&worker->lock);
    measured = worker->measured && shw_held_out_copy(&worker->accuracy, accuracy);
    *revision = worker->judged;
    pthread_mutex_unlock(&worker->lock);
    return measured;
}
