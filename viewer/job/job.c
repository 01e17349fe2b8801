#include "job/job.h"

#include <math.h>
#include <time.h>

#include "base/log.h"
#include "job/times.h"

void view_job_init(struct view_job *job, const struct view_job_kind *kind, void *user)
{
    pthread_condattr_t monotonic;

    *job = (struct view_job){.kind = kind, .user = user};
    atomic_init(&job->stop, false);
    pthread_mutex_init(&job->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&job->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* Under the lock, which is released meanwhile. */
static void work(struct view_job *job)
{
    enum shw_result result;

    pthread_mutex_unlock(&job->lock);
    result = job->kind->work(job->user);
    pthread_mutex_lock(&job->lock);
    job->result = result;
    job->state = VIEW_JOB_DONE;
    pthread_cond_broadcast(&job->changed);
}

static void prepare(struct view_job *job)
{
    job->prepares = false;
    pthread_mutex_unlock(&job->lock);
    job->kind->prepare(job->user);
    pthread_mutex_lock(&job->lock);
}

static void *run(void *user)
{
    struct view_job *job = user;

    if (job->kind->priority != 0)
        shw_low_priority(job->kind->priority);
    pthread_mutex_lock(&job->lock);
    while (!job->ends || job->state == VIEW_JOB_WORKING)
        if (job->state == VIEW_JOB_WORKING)
            work(job);
        else if (job->prepares)
            prepare(job);
        else
            pthread_cond_wait(&job->changed, &job->lock);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

void view_job_free(struct view_job *job)
{
    if (job->kind == NULL)
        return;
    view_job_stop(job);
    if (job->runs) {
        pthread_mutex_lock(&job->lock);
        job->ends = true;
        pthread_cond_broadcast(&job->changed);
        pthread_mutex_unlock(&job->lock);
        view_join(job->thread);
    }
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->lock);
    job->kind = NULL;
    job->runs = false;
}

static enum shw_result need_thread(struct view_job *job, const struct shw_log *log)
{
    if (!job->runs)
        job->runs = pthread_create(&job->thread, NULL, run, job) == 0;
    return job->runs ? SHW_OK
                     : shw_fail(log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY, "cannot start a thread for %s",
                                job->kind->name);
}

enum shw_result view_job_begin(struct view_job *job, const struct shw_log *log)
{
    SHW_PROPAGATE(need_thread(job, log));
    pthread_mutex_lock(&job->lock);
    atomic_store(&job->stop, false);
    job->state = VIEW_JOB_WORKING;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
    return SHW_OK;
}

enum shw_result view_job_prepare(struct view_job *job, const struct shw_log *log)
{
    SHW_PROPAGATE(need_thread(job, log));
    pthread_mutex_lock(&job->lock);
    job->prepares = true;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
    return SHW_OK;
}

void view_job_stop(struct view_job *job)
{
    pthread_mutex_lock(&job->lock);
    atomic_store(&job->stop, true);
    if (job->interrupt != NULL)
        job->interrupt(job->subject);
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
}

bool view_job_is_done(struct view_job *job)
{
    bool done;

    pthread_mutex_lock(&job->lock);
    done = job->state == VIEW_JOB_DONE;
    pthread_mutex_unlock(&job->lock);
    return done;
}

void view_job_wait(struct view_job *job)
{
    if (job->kind == NULL)
        return;
    pthread_mutex_lock(&job->lock);
    while (job->state == VIEW_JOB_WORKING)
        pthread_cond_wait(&job->changed, &job->lock);
    pthread_mutex_unlock(&job->lock);
}

enum shw_result view_job_take(struct view_job *job)
{
    enum shw_result result;

    pthread_mutex_lock(&job->lock);
    job->state = VIEW_JOB_IDLE;
    result = job->result;
    pthread_mutex_unlock(&job->lock);
    return result;
}

bool view_job_may_interrupt(struct view_job *job, void (*interrupt)(void *subject), void *subject)
{
    bool goes_on;

    pthread_mutex_lock(&job->lock);
    job->interrupt = interrupt;
    job->subject = subject;
    goes_on = !atomic_load(&job->stop);
    pthread_mutex_unlock(&job->lock);
    return goes_on;
}

void view_job_lock(struct view_job *job)
{
    pthread_mutex_lock(&job->lock);
}

void view_job_unlock(struct view_job *job)
{
    pthread_mutex_unlock(&job->lock);
}

void view_job_sleep(struct view_job *job)
{
    pthread_cond_wait(&job->changed, &job->lock);
}

bool view_job_sleep_until(struct view_job *job, double end)
{
    const struct timespec until = {(time_t)end, (long)((end - floor(end)) * 1e9)};

    return pthread_cond_timedwait(&job->changed, &job->lock, &until) == 0;
}

void view_job_wake(struct view_job *job)
{
    pthread_cond_broadcast(&job->changed);
}
