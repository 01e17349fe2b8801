#include "teach/train_worker.h"

#include <stdlib.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "base/machine.h"
#include "dense/forest/forest.h"
#include "files/code/forest_code.h"
#include "files/project/held_out.h"
#include "files/project/project_texts.h"
#include "files/project/teacher.h"
#include "files/serve/remote.h"
#include "job/job.h"
#include "job/times.h"
#include "label/label_worker.h"

enum { SIDE = 16 };

/* A forest whose trees are single leaves: pipelines depend only on the number of trees and on smoothing. */
static enum shw_result make_forest(uint32_t trees, struct shw_forest **forest)
{
    static const struct shw_node leaf = {0};
    static const uint16_t certain = UINT16_MAX;
    struct shw_forest_params params = {.info = {.class_count = 1, .tree_count = trees}};
    struct shw_tree *list = calloc(trees, sizeof *list);
    enum shw_result result;

    if (list == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t t = 0; t < trees; t++)
        list[t] = (struct shw_tree){.nodes = &leaf, .node_count = 1, .distributions = &certain};
    params.trees = list;
    result = shw_forest_create(&params, forest);
    free(list);
    return result;
}

void view_label_pipelines_make(struct shw_device *device, uint32_t trees)
{
    struct shw_labeller_params params = {.device = device,
                                         .outputs = SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION,
                                         .width = SIDE,
                                         .height = SIDE,
                                         .slots = 1};
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forest = NULL;

    if (make_forest(trees, &forest) != SHW_OK)
        return;
    params.forest = forest;
    for (uint32_t smooths = 0; smooths < 2; smooths++) {
        params.smoothing.radius = smooths ? SHW_PROJECT_SMOOTH : SHW_SMOOTHING_NONE;
        shw_labeller_create(&params, &labeller);
        shw_labeller_destroy(&labeller);
    }
    shw_forest_destroy(&forest);
}

struct view_train_worker {
    struct view_train_worker_params params;
    struct view_job job, judge;
    /* Everything that follows is under the lock of `job`: */
    bool quit, stopped;
    bool cancelled;                  /* training in progress is abandoned */
    struct shw_training_set *wanted; /* not begun yet */
    uint64_t wanted_revision;
    bool wanted_painting, painting; /* the wanted strokes, and those being trained on, include an unfinished stroke */
    double wanted_time;
    struct view_train_times times, current_times; /* of the training in progress, of the current forest */
    enum view_train_state state;
    double fraction;
    double from, to;             /* of the forest's progress, for `trainer` */
    uint64_t runs;               /* begun so far */
    struct shw_trainer *trainer; /* that view_train_worker_record() may use */
    bool away;                   /* the forest is being trained elsewhere */
    bool lost;                   /* that has ended with the connection, which has been reported */
    bool in_flight, finished;
    enum shw_result recorded_result;
    struct view_shared_forest *current, *previous;
    uint32_t smooth; /* the project's radius, which both forests have */
    uint64_t number;
    struct shw_taught to_judge;   /* trained, but not measured yet */
    uint64_t judged;              /* revision of the last that were handed over */
    struct shw_held_out accuracy; /* if `measured` */
    bool measured;
    uint64_t measurements; /* so far: counts changes of both */
    bool lacks_class;      /* struct view_train_status */
    /* Used by the frame loop alone: */
    uint64_t revision;
    struct shw_teacher here; /* constant */
};

/* One training, on a snapshot of the strokes. */
struct view_training_run {
    struct view_train_worker *worker;
    struct shw_training_set *set;
    struct shw_taught taught; /* the full forest */
    uint64_t revision;
};

/* Forgets the accuracy of an earlier forest. Under the lock. */
static void view_training_drop_accuracy(struct view_train_worker *worker);

#define SMALL_TREES   2u  /* of most projects' small forests */
#define QUIET_SECONDS 0.2 /* without a stroke, until accuracy is measured */

/* Whether to abandon training; the small forest is completed even if there are newer strokes, unless a stroke has ended
 * of which it has only the beginning. Under the lock. */
static bool view_training_is_over(const struct view_train_worker *worker)
{
    bool ended = worker->painting && !worker->wanted_painting;

    return worker->quit || worker->cancelled ||
           (worker->wanted != NULL && (ended || worker->state != VIEW_TRAIN_SMALL));
}

static bool go_on(void *user)
{
    struct view_train_worker *worker = user;
    bool over;

    view_job_lock(&worker->job);
    while (worker->stopped && !view_training_is_over(worker))
        view_job_sleep(&worker->job);
    over = view_training_is_over(worker);
    view_job_unlock(&worker->job);
    return !over;
}

static void take_progress(void *user, double fraction)
{
    struct view_train_worker *worker = user;

    view_job_lock(&worker->job);
    worker->fraction = fraction;
    view_job_unlock(&worker->job);
}

static void note_prepared(void *user)
{
    struct view_train_worker *worker = user;

    worker->times.prepared = view_clock();
}

/* Wakes the threads after a change, and interrupts what is abandoned. Under the lock. */
static void view_training_stir(struct view_train_worker *worker)
{
    if (view_training_is_over(worker)) {
        shw_teacher_interrupt(&worker->here);
        if (worker->params.remote != NULL)
            shw_remote_interrupt(worker->params.remote);
    }
    view_job_wake(&worker->job);
}

/* Lends the trainer to the frame loop until it is finished or no longer wanted. */
static enum shw_result lend_to_the_frames(void *user, struct shw_trainer *trainer, double from, double to)
{
    struct view_train_worker *worker = user;
    enum shw_result result;

    view_job_lock(&worker->job);
    worker->trainer = trainer;
    worker->from = from;
    worker->to = to;
    worker->finished = false;
    worker->recorded_result = SHW_OK;
    view_job_wake(&worker->job);
    while (worker->in_flight ||
           (!worker->finished && worker->recorded_result == SHW_OK && !view_training_is_over(worker)))
        view_job_sleep(&worker->job);
    worker->trainer = NULL;
    result = worker->recorded_result;
    if (result == SHW_OK && !worker->finished)
        result = SHW_ERROR_CANCELLED;
    view_job_unlock(&worker->job);
    return result;
}

static bool enter(struct view_train_worker *worker, enum view_train_state state)
{
    bool over;

    view_job_lock(&worker->job);
    worker->state = state;
    worker->fraction = 0;
    over = view_training_is_over(worker);
    view_job_unlock(&worker->job);
    return !over;
}

/* Whether there is another machine that trains. */
static bool is_away(struct view_train_worker *worker)
{
    return worker->params.remote != NULL && !worker->lost;
}

static void set_away(struct view_train_worker *worker, bool away)
{
    view_job_lock(&worker->job);
    worker->away = away;
    view_job_wake(&worker->job);
    view_job_unlock(&worker->job);
}

/* The connection has ended, which nothing is lost by: training goes on here. */
static void come_back(struct view_train_worker *worker)
{
    worker->lost = true;
    shw_log_message(&worker->params.log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                    "training goes on here; no stroke is lost, and connecting again makes the trainer go on");
}

static enum shw_result grow_away(struct view_training_run *run, enum shw_lesson lesson, struct shw_forest **forest)
{
    struct view_train_worker *worker = run->worker;
    const struct shw_teacher_watch watch = {go_on, take_progress, note_prepared, NULL, worker};
    const struct shw_teacher teacher = shw_remote_teacher(worker->params.remote);
    enum shw_result result;

    set_away(worker, true);
    result = shw_teacher_grow(&teacher, run->set, lesson, &watch, forest, &run->taught);
    set_away(worker, false);
    return result;
}

static enum shw_result grow(struct view_training_run *run, bool full, struct shw_forest **forest)
{
    struct view_train_worker *worker = run->worker;
    const struct shw_teacher_watch watch = {go_on, take_progress, note_prepared,
                                            worker->params.recorded ? lend_to_the_frames : NULL, worker};
    const enum shw_lesson lesson = full ? SHW_LESSON_FULL : SHW_LESSON_SMALL;
    enum shw_result result;

    shw_taught_release(&run->taught);
    if (is_away(worker)) {
        result = grow_away(run, lesson, forest);
        worker->times.grown = view_clock();
        if (result == SHW_OK || result == SHW_ERROR_CANCELLED || shw_remote_is_connected(worker->params.remote))
            return result;
        come_back(worker);
        if (!enter(worker, full ? VIEW_TRAIN_FULL : VIEW_TRAIN_SMALL))
            return SHW_ERROR_CANCELLED;
    }
    result = shw_teacher_grow(&worker->here, run->set, lesson, &watch, forest, &run->taught);
    worker->times.grown = view_clock();
    return result;
}

/* Gives a forest the project's smoothing, which changes no tree. Without memory, it keeps its own. Under the lock. */
static void view_training_smooth(const struct view_train_worker *worker, struct view_shared_forest **shared)
{
    const struct shw_forest_info *info = *shared != NULL ? shw_forest_get_info((*shared)->forest) : NULL;
    const uint32_t radius = worker->smooth != SHW_SMOOTHING_NONE ? worker->smooth : 0;
    struct view_shared_forest *made;
    struct shw_forest *forest = NULL;

    if (info == NULL || info->smoothing.radius == radius || info->levels > 1 ||
        shw_forest_with_smoothing((*shared)->forest, (struct shw_smoothing){worker->smooth, info->smoothing.epsilon},
                                  &worker->params.log, &forest) != SHW_OK)
        return;
    shw_code_hold_forest(forest);
    made = view_shared_forest_create(forest, (*shared)->full, (*shared)->revision);
    if (made == NULL) {
        shw_code_destroy_forest(&forest);
        return;
    }
    view_shared_forest_release(shared);
    *shared = made;
}

/* Publishes a forest and takes ownership. */
static enum shw_result publish(const struct view_training_run *run, bool full, struct shw_forest *forest)
{
    struct view_train_worker *worker = run->worker;
    struct view_shared_forest *shared;

    shw_code_hold_forest(forest);
    shared = view_shared_forest_create(forest, full, run->revision);
    if (shared == NULL) {
        shw_code_destroy_forest(&forest);
        return shw_fail_memory(&worker->params.log, "forest");
    }
    view_job_lock(&worker->job);
    if (worker->cancelled) {
        view_job_unlock(&worker->job);
        view_shared_forest_release(&shared);
        return SHW_ERROR_CANCELLED;
    }
    if (worker->current != NULL && worker->current->full) {
        view_shared_forest_release(&worker->previous);
        worker->previous = worker->current;
        worker->current = NULL;
    }
    view_shared_forest_release(&worker->current);
    worker->current = shared;
    view_training_smooth(worker, &worker->current); /* the project's may have changed meanwhile */
    worker->current_times = worker->times;
    worker->number++;
    view_job_wake(&worker->job);
    view_job_unlock(&worker->job);
    return SHW_OK;
}

static enum shw_result teach(struct view_training_run *run)
{
    for (int full = 0; full < 2; full++) {
        struct shw_forest *forest = NULL;

        if (!enter(run->worker, full ? VIEW_TRAIN_FULL : VIEW_TRAIN_SMALL))
            return SHW_ERROR_CANCELLED;
        SHW_PROPAGATE(grow(run, full, &forest));
        SHW_PROPAGATE(publish(run, full, forest));
    }
    return SHW_OK;
}

/* Both forests are complete. Under the lock. */
static void hand_to_judge(struct view_training_run *run)
{
    struct view_train_worker *worker = run->worker;

    worker->state = worker->params.judges ? VIEW_TRAIN_JUDGING : VIEW_TRAIN_DONE;
    if (!worker->params.judges)
        return;
    shw_taught_release(&worker->to_judge);
    worker->to_judge = run->taught;
    run->taught = (struct shw_taught){NULL, NULL};
    worker->judged = run->revision;
    view_job_wake(&worker->job);
}

/* Creating pipelines takes long, and there is time until the first stroke. */
static void make_pipelines(struct view_train_worker *worker)
{
    shw_local_teacher_warm_up(&worker->here);
    view_label_pipelines_make(worker->params.device, SMALL_TREES);
    view_label_pipelines_make(worker->params.device, SHW_PROJECT_TREES);
}

/* What the jobs do until the worker is destroyed. */
static enum shw_result view_training_work(void *user)
{
    struct view_train_worker *worker = user;

    if (worker->params.device == NULL)
        shw_low_priority(SHW_PRIORITY_SHOWN);
    else if (worker->params.recorded)
        make_pipelines(worker);
    view_job_lock(&worker->job);
    while (!worker->quit) {
        struct view_training_run run = {.worker = worker, .set = worker->wanted, .revision = worker->wanted_revision};
        enum shw_result result;

        if (run.set == NULL || worker->stopped) {
            view_job_sleep(&worker->job);
            continue;
        }
        worker->wanted = NULL;
        worker->painting = worker->wanted_painting;
        worker->times = (struct view_train_times){.wanted = worker->wanted_time, .begun = view_clock()};
        worker->cancelled = false;
        worker->state = VIEW_TRAIN_SMALL;
        view_training_drop_accuracy(worker);
        worker->runs++;
        view_job_unlock(&worker->job);
        result = teach(&run);
        view_job_lock(&worker->job);
        if (result == SHW_OK)
            hand_to_judge(&run);
        else if (result == SHW_ERROR_CANCELLED)
            worker->state = VIEW_TRAIN_IDLE;
        else
            worker->state = VIEW_TRAIN_FAILED;
        shw_taught_release(&run.taught);
        shw_training_set_destroy(&run.set);
    }
    view_job_unlock(&worker->job);
    return SHW_OK;
}

static void view_training_drop_accuracy(struct view_train_worker *worker)
{
    shw_held_out_free(&worker->accuracy);
    worker->measured = false;
    worker->measurements++;
}

/* A measurement of accuracy. */
struct trial {
    struct view_train_worker *worker;
    uint64_t run; /* number of the run */
};

static bool is_past(const struct trial *trial)
{
    const struct view_train_worker *worker = trial->worker;

    return worker->quit || worker->cancelled || worker->wanted != NULL || worker->runs != trial->run;
}

static bool goes_on(void *user)
{
    const struct trial *trial = user;
    struct view_train_worker *worker = trial->worker;
    bool over;

    view_job_lock(&worker->job);
    while (!(over = is_past(trial)) && worker->stopped)
        view_job_sleep(&worker->job);
    view_job_unlock(&worker->job);
    return !over;
}

/* Waits until nobody seems to be painting: measuring takes all processors, from which the next stroke would have to win
 * them back. Under the lock; false: there is another stroke. */
static bool await_quiet(const struct trial *trial)
{
    struct view_train_worker *worker = trial->worker;
    double end = view_clock() + QUIET_SECONDS;

    while (!is_past(trial) && view_job_sleep_until(&worker->job, end))
        continue;
    return !is_past(trial);
}

/* Where the forest was trained or, if the connection has ended, here. */
static enum shw_result measure(struct trial *trial, const struct shw_taught *taught, struct shw_held_out *held_out)
{
    const struct view_train_worker *worker = trial->worker;
    const struct shw_teacher_watch watch = {.go_on = goes_on, .user = trial};
    const struct shw_teacher away = shw_remote_teacher(worker->params.remote);
    enum shw_result result;

    if (taught->tiles == NULL && shw_remote_is_connected(worker->params.remote)) {
        result = shw_teacher_measure(&away, taught, &watch, held_out);
        if (result == SHW_OK || result == SHW_ERROR_CANCELLED || shw_remote_is_connected(worker->params.remote))
            return result;
    }
    return shw_teacher_measure(&worker->here, taught, &watch, held_out);
}

/* Called under the lock, which is released during the measurement. */
static void judge(struct view_train_worker *worker)
{
    struct trial trial = {worker, worker->runs};
    struct shw_taught taught = worker->to_judge;
    struct shw_held_out held_out = {0};
    enum shw_result result = SHW_ERROR_CANCELLED;

    worker->to_judge = (struct shw_taught){NULL, NULL};
    if (await_quiet(&trial)) {
        view_job_unlock(&worker->job);
        result = measure(&trial, &taught, &held_out);
        view_job_lock(&worker->job);
    }
    if (trial.run == worker->runs && worker->state == VIEW_TRAIN_JUDGING) {
        if (result == SHW_OK && worker->cancelled)
            result = SHW_ERROR_CANCELLED;
        worker->state = result == SHW_OK                ? VIEW_TRAIN_DONE
                        : result == SHW_ERROR_CANCELLED ? VIEW_TRAIN_IDLE
                                                        : VIEW_TRAIN_FAILED;
        if (result == SHW_OK) {
            view_training_drop_accuracy(worker);
            worker->accuracy = held_out;
            worker->measured = true;
            held_out = (struct shw_held_out){0};
        }
    }
    shw_held_out_free(&held_out);
    shw_taught_release(&taught);
}

static enum shw_result view_training_judge(void *user)
{
    struct view_train_worker *worker = user;

    view_job_lock(&worker->job);
    while (!worker->quit)
        if (worker->to_judge.set != NULL)
            judge(worker);
        else
            view_job_sleep(&worker->job);
    view_job_unlock(&worker->job);
    return SHW_OK;
}

static enum shw_result make_teacher(const struct view_train_worker_params *params, struct shw_teacher *teacher)
{
    const struct shw_local_teacher_params local = {.device = params->device,
                                                   .technique =
                                                       params->recorded ? SHW_TECHNIQUE_COMPUTE : SHW_TECHNIQUE_AUTO,
                                                   .work_max = params->work_max,
                                                   .memory = params->memory,
                                                   .judge_memory = params->judge_memory,
                                                   .threads = params->threads,
                                                   .log = params->log};

    return shw_local_teacher_create(&local, teacher);
}

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
    result = make_teacher(params, &made->here);
    if (result != SHW_OK) {
        free(made);
        return result;
    }
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
    shw_taught_release(&gone->to_judge);
    shw_teacher_destroy(&gone->here);
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

    if (worker->revision == shw_project_get_taught(project))
        return false;
    view_job_lock(&worker->job);
    busy = worker->state == VIEW_TRAIN_SMALL && !worker->cancelled &&
           (!worker->painting || shw_project_is_painting(project));
    view_job_unlock(&worker->job);
    return !busy;
}

/* Whether there are strokes to train on, visible or not. */
static bool is_painted(const struct shw_project *project)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++) {
        struct shw_project_picture picture = shw_project_get_picture(project, p);

        if (picture.stroke_count > 0 && !picture.kept)
            return true;
    }
    return false;
}

/* Forests that are there get the project's smoothing, if that has changed, without being trained again. */
static void follow_smoothing(struct view_train_worker *worker, const struct shw_project *project)
{
    const struct shw_project_training training = shw_project_get_training(project);
    const uint32_t smooth = training.smooth > 0 ? training.smooth : SHW_PROJECT_SMOOTH;

    view_job_lock(&worker->job);
    if (worker->smooth != smooth) {
        worker->smooth = smooth;
        view_training_smooth(worker, &worker->current);
        view_training_smooth(worker, &worker->previous);
        worker->number += worker->current != NULL;
    }
    view_job_unlock(&worker->job);
}

enum shw_result view_train_worker_update(struct view_train_worker *worker, struct shw_project *project)
{
    struct shw_training_set *set = NULL, *replaced;
    enum shw_result result;

    follow_smoothing(worker, project);
    if (!is_due(worker, project))
        return SHW_OK;
    /* a project without strokes of two classes is not an error here */
    result = shw_training_set_make(project, NULL, &set);
    if (result == SHW_ERROR_MEMORY)
        return shw_fail_memory(&worker->params.log, "strokes");
    if (set != NULL)
        set->log = worker->params.log;
    worker->revision = shw_project_get_taught(project);
    view_job_lock(&worker->job);
    replaced = worker->wanted;
    worker->wanted = set;
    worker->lacks_class = set == NULL && is_painted(project) && !shw_project_is_held_back(project);
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
    while (!(ready = has_slice(worker)) && worker->params.recorded && !worker->away && !worker->stopped &&
           worker->number == number &&
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
    struct shw_train_progress progress;

    view_job_lock(&worker->job);
    if (worker->in_flight) {
        worker->recorded_result = shw_trainer_complete(worker->trainer, &worker->finished);
        worker->in_flight = false;
        shw_trainer_get_progress(worker->trainer, &progress);
        worker->fraction = worker->from + (worker->to - worker->from) * progress.fraction;
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
        if (worker->state == VIEW_TRAIN_JUDGING) /* what is still measured is not of this forest */
            worker->state = VIEW_TRAIN_IDLE;
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
                                         .lacks_class = worker->lacks_class,
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
