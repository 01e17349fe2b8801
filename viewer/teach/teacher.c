#include "teach/lesson.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"

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
    if (pthread_create(&made->thread, NULL, view_teacher_work, made) != 0)
        goto fail_changed;
    if (made->params.out_of_bag && pthread_create(&made->judge, NULL, view_teacher_judge, made) != 0) {
        made->params.out_of_bag = false;
        view_teacher_destroy(&made);
        return shw_fail_memory(&params->log, "teacher");
    }
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
    view_lesson_stir(gone);
    pthread_mutex_unlock(&gone->lock);
    pthread_join(gone->thread, NULL);
    if (gone->params.out_of_bag)
        pthread_join(gone->judge, NULL);
    pthread_cond_destroy(&gone->changed);
    pthread_mutex_destroy(&gone->lock);
    shw_training_set_destroy(&gone->wanted);
    shw_training_set_destroy(&gone->to_judge);
    view_shared_forest_release(&gone->current);
    view_shared_forest_release(&gone->previous);
    free(gone->accuracy);
    free(gone);
}

/* Whether the project's strokes can be taken along now: a copy made while a small forest is on the way would only be
 * replaced, unless a stroke has ended meanwhile. */
static bool is_due(struct view_teacher *teacher, const struct shw_project *project)
{
    bool busy;

    if (teacher->revision == shw_project_get_revision(project))
        return false;
    pthread_mutex_lock(&teacher->lock);
    busy = teacher->state == VIEW_TEACHER_SMALL && !teacher->cancelled &&
           (!teacher->painting || shw_project_is_painting(project));
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
    teacher->wanted_time = view_lesson_clock();
    if (set == NULL) {
        teacher->cancelled = true;
        teacher->accuracy_count = 0;
        if (teacher->state >= VIEW_TEACHER_DONE)
            teacher->state = VIEW_TEACHER_IDLE;
    }
    view_lesson_stir(teacher);
    pthread_mutex_unlock(&teacher->lock);
    shw_training_set_destroy(&replaced);
    return SHW_OK;
}

static bool has_slice(const struct view_teacher *teacher)
{
    return teacher->trainer != NULL && !teacher->in_flight && !teacher->finished &&
           teacher->recorded_result == SHW_OK && !view_lesson_is_over(teacher);
}

bool view_teacher_wait(struct view_teacher *teacher, uint64_t number, double seconds)
{
    double end = view_lesson_clock() + seconds;
    struct timespec until = {(time_t)end, (long)((end - floor(end)) * 1e9)};
    bool ready;

    pthread_mutex_lock(&teacher->lock);
    while (!(ready = has_slice(teacher)) && teacher->params.recorded && !teacher->stopped &&
           teacher->number == number &&
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
        view_lesson_stir(teacher);
    }
    pthread_mutex_unlock(&teacher->lock);
}

void view_teacher_complete(struct view_teacher *teacher)
{
    pthread_mutex_lock(&teacher->lock);
    if (teacher->in_flight) {
        teacher->recorded_result = shw_trainer_complete(teacher->trainer, &teacher->finished);
        teacher->in_flight = false;
        view_lesson_take_fraction(teacher, teacher->trainer);
        view_lesson_stir(teacher);
    }
    pthread_mutex_unlock(&teacher->lock);
}

void view_teacher_stop(struct view_teacher *teacher, bool stopped)
{
    pthread_mutex_lock(&teacher->lock);
    teacher->stopped = stopped;
    view_lesson_stir(teacher);
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
        view_lesson_stir(teacher);
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
