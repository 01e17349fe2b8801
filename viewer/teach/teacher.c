#include "teach/teacher.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/log.h"
#include "project/training_set.h"

struct view_teacher {
    struct view_teacher_params params;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Of all that follows, under the lock: */
    bool quit, stopped;
    bool cancelled;                  /* what is on the way is given up */
    struct shw_training_set *wanted; /* not begun yet */
    uint64_t wanted_revision;
    bool wanted_painting, painting; /* what is wanted, and what is on the way, was taken in the middle of a stroke */
    double wanted_time;
    struct view_teacher_times times, current_times; /* of what is on the way, of the current forest */
    enum view_teacher_state state;
    double fraction;
    struct shw_trainer *trainer; /* that view_teacher_record() may use */
    bool in_flight, finished;
    enum shw_result recorded_result;
    struct view_shared_forest *current, *previous;
    uint64_t number;
    struct shw_out_of_bag *accuracy;
    uint32_t accuracy_count;
    /* Of the frame loop alone: */
    uint64_t revision;
    /* Of the thread alone: */
    struct shw_trainer *kept;      /* of the forest before, to be renewed for the next */
    struct shw_training_set *held; /* that it was made for; NULL: the one of the lesson that is going on */
};

/* One teaching: the strokes of a moment. */
struct lesson {
    struct view_teacher *teacher;
    struct shw_training_set *set;
    uint64_t revision;
};

/* Whether to give up; the small forest is finished even if there are newer strokes, unless a stroke has ended that it has only the
 * beginning of. Under the lock. */
static bool is_over(const struct view_teacher *teacher)
{
    bool ended = teacher->painting && !teacher->wanted_painting;

    return teacher->quit || teacher->cancelled || (teacher->wanted != NULL && (ended || teacher->state != VIEW_TEACHER_SMALL));
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool go_on(void *user)
{
    struct view_teacher *teacher = user;
    bool over;

    pthread_mutex_lock(&teacher->lock);
    while (teacher->stopped && !is_over(teacher))
        pthread_cond_wait(&teacher->changed, &teacher->lock);
    over = is_over(teacher);
    pthread_mutex_unlock(&teacher->lock);
    return !over;
}

static void take_fraction(struct view_teacher *teacher, const struct shw_trainer *trainer)
{
    struct shw_train_progress progress;

    shw_trainer_get_progress(trainer, &progress);
    teacher->fraction = progress.fraction;
}

static enum shw_result step_to_the_end(struct view_teacher *teacher, struct shw_trainer *trainer)
{
    enum shw_result result = SHW_OK;
    bool finished = false;

    while (result == SHW_OK && !finished) {
        if (!go_on(teacher))
            return SHW_ERROR_CANCELLED;
        result = shw_trainer_step(trainer, &finished);
        pthread_mutex_lock(&teacher->lock);
        take_fraction(teacher, trainer);
        pthread_mutex_unlock(&teacher->lock);
    }
    return result;
}

/* Leaves the trainer to the frame loop until it is finished or not wanted any more. */
static enum shw_result lend_to_the_frames(struct view_teacher *teacher, struct shw_trainer *trainer)
{
    enum shw_result result;

    pthread_mutex_lock(&teacher->lock);
    teacher->trainer = trainer;
    teacher->finished = false;
    teacher->recorded_result = SHW_OK;
    pthread_cond_broadcast(&teacher->changed);
    while (teacher->in_flight || (!teacher->finished && teacher->recorded_result == SHW_OK && !is_over(teacher)))
        pthread_cond_wait(&teacher->changed, &teacher->lock);
    teacher->trainer = NULL;
    result = teacher->recorded_result;
    if (result == SHW_OK && !teacher->finished)
        result = SHW_ERROR_CANCELLED;
    pthread_mutex_unlock(&teacher->lock);
    return result;
}

/* Small enough to be there soon, whatever the full forest is like. */
static void make_small(struct shw_trainer_params *params)
{
    params->tree_count = params->tree_count > 0 && params->tree_count < 2 ? params->tree_count : 2;
    params->depth = params->depth > 0 && params->depth < 7 ? params->depth : 7;
    params->candidates = params->candidates > 0 && params->candidates < 50 ? params->candidates : 50;
}

/* Makes the kept trainer one for the lesson. */
static enum shw_result take_trainer(const struct lesson *lesson, const struct shw_trainer_params *params)
{
    struct view_teacher *teacher = lesson->teacher;
    enum shw_result result = teacher->kept != NULL ? shw_trainer_renew(teacher->kept, params, &lesson->set->dataset)
                                                   : shw_trainer_create(params, &lesson->set->dataset, &teacher->kept);

    if (teacher->held != lesson->set)
        shw_training_set_destroy(&teacher->held);
    teacher->held = teacher->kept != NULL ? lesson->set : NULL;
    return result;
}

static enum shw_result grow(const struct lesson *lesson, bool full, struct shw_forest **forest)
{
    struct view_teacher *teacher = lesson->teacher;
    struct shw_trainer_params params = shw_training_set_params(lesson->set);
    enum shw_result result;

    params.device = teacher->params.device;
    params.work_max = teacher->params.work_max;
    params.memory = teacher->params.memory;
    params.threads = teacher->params.threads;
    params.log = teacher->params.log;
    if (params.device == NULL)
        params.technique = SHW_TECHNIQUE_CPU;
    else if (teacher->params.recorded)
        params.technique = SHW_TECHNIQUE_COMPUTE;
    if (!full)
        make_small(&params);
    SHW_TRY(take_trainer(lesson, &params));
    SHW_TRY(shw_trainer_prepare(teacher->kept));
    teacher->times.prepared = now();
    SHW_TRY(teacher->params.recorded ? lend_to_the_frames(teacher, teacher->kept) : step_to_the_end(teacher, teacher->kept));
    SHW_TRY(shw_trainer_get_forest(teacher->kept, forest));
    teacher->times.grown = now();
    return SHW_OK;

fail:
    if (result != SHW_ERROR_CANCELLED) {
        shw_trainer_destroy(&teacher->kept);
        teacher->held = NULL;
    }
    return result;
}

/* Shows a forest, which is the teacher's from now on. */
static enum shw_result publish(const struct lesson *lesson, bool full, struct shw_forest *forest)
{
    struct view_teacher *teacher = lesson->teacher;
    struct view_shared_forest *shared = view_shared_forest_create(forest, full, lesson->revision);

    if (shared == NULL) {
        shw_forest_destroy(&forest);
        return shw_fail_memory(&teacher->params.log, "forest");
    }
    pthread_mutex_lock(&teacher->lock);
    if (teacher->cancelled) {
        pthread_mutex_unlock(&teacher->lock);
        view_shared_forest_release(&shared);
        return SHW_ERROR_CANCELLED;
    }
    if (teacher->current != NULL && teacher->current->full) {
        view_shared_forest_release(&teacher->previous);
        teacher->previous = teacher->current;
        teacher->current = NULL;
    }
    view_shared_forest_release(&teacher->current);
    teacher->current = shared;
    teacher->current_times = teacher->times;
    teacher->number++;
    pthread_cond_broadcast(&teacher->changed);
    pthread_mutex_unlock(&teacher->lock);
    return SHW_OK;
}

static bool enter(struct view_teacher *teacher, enum view_teacher_state state)
{
    bool over;

    pthread_mutex_lock(&teacher->lock);
    teacher->state = state;
    teacher->fraction = 0;
    over = is_over(teacher);
    pthread_mutex_unlock(&teacher->lock);
    return !over;
}

static enum shw_result judge(const struct lesson *lesson)
{
    struct view_teacher *teacher = lesson->teacher;
    uint32_t count = lesson->set->class_count;
    struct shw_out_of_bag *classes = calloc(count + 1u, sizeof *classes);
    enum shw_result result = classes != NULL ? SHW_OK : shw_fail_memory(&teacher->params.log, "accuracy");

    if (result == SHW_OK)
        result = shw_out_of_bag_measure(lesson->set, teacher->params.threads, go_on, teacher, classes);
    pthread_mutex_lock(&teacher->lock);
    if (result == SHW_OK && !teacher->cancelled) {
        free(teacher->accuracy);
        teacher->accuracy = classes;
        teacher->accuracy_count = count;
        classes = NULL;
    }
    pthread_mutex_unlock(&teacher->lock);
    free(classes);
    return result;
}

static enum shw_result teach(const struct lesson *lesson)
{
    for (int full = 0; full < 2; full++) {
        struct shw_forest *forest = NULL;
        enum shw_result result;

        if (!enter(lesson->teacher, full ? VIEW_TEACHER_FULL : VIEW_TEACHER_SMALL))
            return SHW_ERROR_CANCELLED;
        result = grow(lesson, full, &forest);
        if (result == SHW_OK)
            result = publish(lesson, full, forest);
        if (result != SHW_OK)
            return result;
    }
    if (!lesson->teacher->params.out_of_bag)
        return SHW_OK;
    return enter(lesson->teacher, VIEW_TEACHER_JUDGING) ? judge(lesson) : SHW_ERROR_CANCELLED;
}

/* The window comes first where both want the processor; threads that are made here inherit it. */
static void step_back(void)
{
    setpriority(PRIO_PROCESS, 0, 5); /* of this thread alone, on Linux */
}

static void *work(void *user)
{
    struct view_teacher *teacher = user;

    if (teacher->params.device == NULL)
        step_back();
    pthread_mutex_lock(&teacher->lock);
    while (!teacher->quit) {
        struct lesson lesson = {teacher, teacher->wanted, teacher->wanted_revision};
        enum shw_result result;

        if (lesson.set == NULL || teacher->stopped) {
            pthread_cond_wait(&teacher->changed, &teacher->lock);
            continue;
        }
        teacher->wanted = NULL;
        teacher->painting = teacher->wanted_painting;
        teacher->times = (struct view_teacher_times){.wanted = teacher->wanted_time, .begun = now()};
        teacher->cancelled = false;
        teacher->state = VIEW_TEACHER_SMALL;
        teacher->accuracy_count = 0;
        pthread_mutex_unlock(&teacher->lock);
        result = teach(&lesson);
        if (teacher->held != lesson.set)
            shw_training_set_destroy(&lesson.set);
        pthread_mutex_lock(&teacher->lock);
        if (result == SHW_OK)
            teacher->state = VIEW_TEACHER_DONE;
        else if (result == SHW_ERROR_CANCELLED)
            teacher->state = VIEW_TEACHER_IDLE;
        else
            teacher->state = VIEW_TEACHER_FAILED;
    }
    pthread_mutex_unlock(&teacher->lock);
    shw_trainer_destroy(&teacher->kept);
    shw_training_set_destroy(&teacher->held);
    return NULL;
}

enum shw_result view_teacher_create(const struct view_teacher_params *params, struct view_teacher **teacher)
{
    struct view_teacher *made;
    pthread_condattr_t monotonic;
    bool broken;

    if (params->recorded && params->device == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "training in frames needs a device");
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return shw_fail_memory(&params->log, "teacher");
    made->params = *params;
    if (pthread_mutex_init(&made->lock, NULL) != 0)
        goto fail;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    broken = pthread_cond_init(&made->changed, &monotonic) != 0;
    pthread_condattr_destroy(&monotonic);
    if (broken)
        goto fail_lock;
    if (pthread_create(&made->thread, NULL, work, made) != 0)
        goto fail_changed;
    *teacher = made;
    return SHW_OK;

fail_changed:
    pthread_cond_destroy(&made->changed);
fail_lock:
    pthread_mutex_destroy(&made->lock);
fail:
    free(made);
    return shw_fail_memory(&params->log, "teacher");
}

void view_teacher_destroy(struct view_teacher **teacher)
{
    struct view_teacher *gone = teacher != NULL ? *teacher : NULL;

    if (gone == NULL)
        return;
    *teacher = NULL;
    pthread_mutex_lock(&gone->lock);
    gone->quit = true;
    gone->in_flight = false;
    pthread_cond_broadcast(&gone->changed);
    pthread_mutex_unlock(&gone->lock);
    pthread_join(gone->thread, NULL);
    pthread_cond_destroy(&gone->changed);
    pthread_mutex_destroy(&gone->lock);
    shw_training_set_destroy(&gone->wanted);
    view_shared_forest_release(&gone->current);
    view_shared_forest_release(&gone->previous);
    free(gone->accuracy);
    free(gone);
}

/* Whether the project's strokes can be taken along now: a copy made while a small forest is on the way would only be replaced, unless a stroke
 * has ended meanwhile. */
static bool is_due(struct view_teacher *teacher, const struct shw_project *project)
{
    bool busy;

    if (teacher->revision == shw_project_get_revision(project))
        return false;
    pthread_mutex_lock(&teacher->lock);
    busy =
        teacher->state == VIEW_TEACHER_SMALL && !teacher->cancelled && (!teacher->painting || shw_project_is_painting(project));
    pthread_mutex_unlock(&teacher->lock);
    return !busy;
}

enum shw_result view_teacher_update(struct view_teacher *teacher, struct shw_project *project)
{
    struct shw_training_set *set = NULL, *replaced;
    enum shw_result result;

    if (!is_due(teacher, project))
        return SHW_OK;
    /* that nothing is painted is no error here */
    result = shw_training_set_make(project, NULL, &set);
    if (result == SHW_ERROR_MEMORY)
        return shw_fail_memory(&teacher->params.log, "strokes");
    if (set != NULL)
        set->log = teacher->params.log;
    teacher->revision = shw_project_get_revision(project);
    pthread_mutex_lock(&teacher->lock);
    replaced = teacher->wanted;
    teacher->wanted = set;
    teacher->wanted_revision = teacher->revision;
    teacher->wanted_painting = shw_project_is_painting(project);
    teacher->wanted_time = now();
    if (set == NULL) {
        teacher->cancelled = true;
        teacher->accuracy_count = 0;
        if (teacher->state >= VIEW_TEACHER_DONE)
            teacher->state = VIEW_TEACHER_IDLE;
    }
    pthread_cond_broadcast(&teacher->changed);
    pthread_mutex_unlock(&teacher->lock);
    shw_training_set_destroy(&replaced);
    return SHW_OK;
}

static bool has_slice(const struct view_teacher *teacher)
{
    return teacher->trainer != NULL && !teacher->in_flight && !teacher->finished && teacher->recorded_result == SHW_OK &&
           !is_over(teacher);
}

bool view_teacher_wait(struct view_teacher *teacher, uint64_t number, double seconds)
{
    double end = now() + seconds;
    struct timespec until = {(time_t)end, (long)((end - floor(end)) * 1e9)};
    bool ready;

    pthread_mutex_lock(&teacher->lock);
    while (!(ready = has_slice(teacher)) && teacher->params.recorded && !teacher->stopped && teacher->number == number &&
           (teacher->wanted != NULL || teacher->state == VIEW_TEACHER_SMALL || teacher->state == VIEW_TEACHER_FULL))
        if (pthread_cond_timedwait(&teacher->changed, &teacher->lock, &until) != 0)
            break;
    ready = ready && !teacher->stopped;
    pthread_mutex_unlock(&teacher->lock);
    return ready;
}

void view_teacher_record(struct view_teacher *teacher, VkCommandBuffer commands, bool *recorded)
{
    *recorded = false;
    pthread_mutex_lock(&teacher->lock);
    if (!teacher->stopped && has_slice(teacher)) {
        teacher->recorded_result = shw_trainer_record(teacher->trainer, commands);
        *recorded = teacher->in_flight = teacher->recorded_result == SHW_OK;
        pthread_cond_broadcast(&teacher->changed);
    }
    pthread_mutex_unlock(&teacher->lock);
}

void view_teacher_complete(struct view_teacher *teacher)
{
    pthread_mutex_lock(&teacher->lock);
    if (teacher->in_flight) {
        teacher->recorded_result = shw_trainer_complete(teacher->trainer, &teacher->finished);
        teacher->in_flight = false;
        take_fraction(teacher, teacher->trainer);
        pthread_cond_broadcast(&teacher->changed);
    }
    pthread_mutex_unlock(&teacher->lock);
}

void view_teacher_stop(struct view_teacher *teacher, bool stopped)
{
    pthread_mutex_lock(&teacher->lock);
    teacher->stopped = stopped;
    pthread_cond_broadcast(&teacher->changed);
    pthread_mutex_unlock(&teacher->lock);
}

bool view_teacher_restore(struct view_teacher *teacher)
{
    struct shw_training_set *given_up;
    struct view_shared_forest *forest;
    bool possible;

    pthread_mutex_lock(&teacher->lock);
    possible = teacher->previous != NULL;
    given_up = possible ? teacher->wanted : NULL;
    if (possible) {
        forest = teacher->current;
        teacher->current = teacher->previous;
        teacher->previous = forest;
        teacher->number++;
        teacher->wanted = NULL;
        teacher->cancelled = true;
        teacher->accuracy_count = 0;
        pthread_cond_broadcast(&teacher->changed);
    }
    pthread_mutex_unlock(&teacher->lock);
    shw_training_set_destroy(&given_up);
    return possible;
}

void view_teacher_get_status(struct view_teacher *teacher, struct view_teacher_status *status)
{
    pthread_mutex_lock(&teacher->lock);
    *status = (struct view_teacher_status){.state = teacher->wanted != NULL ? VIEW_TEACHER_SMALL : teacher->state,
                                           .stopped = teacher->stopped,
                                           .fraction = teacher->fraction,
                                           .number = teacher->number,
                                           .can_restore = teacher->previous != NULL,
                                           .times = teacher->current_times};
    pthread_mutex_unlock(&teacher->lock);
}

struct view_shared_forest *view_teacher_share_forest(struct view_teacher *teacher)
{
    struct view_shared_forest *forest;

    pthread_mutex_lock(&teacher->lock);
    forest = view_shared_forest_share(teacher->current);
    pthread_mutex_unlock(&teacher->lock);
    return forest;
}

uint32_t view_teacher_get_accuracy(struct view_teacher *teacher, struct shw_out_of_bag *classes, uint32_t capacity)
{
    uint32_t count;

    pthread_mutex_lock(&teacher->lock);
    count = teacher->accuracy_count;
    for (uint32_t c = 0; c < count && c < capacity; c++)
        classes[c] = teacher->accuracy[c];
    pthread_mutex_unlock(&teacher->lock);
    return count;
}
