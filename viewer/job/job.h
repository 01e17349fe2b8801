/* Background jobs: work on a thread of its own, one piece after another, which can be stopped and whose result the main
 * thread takes. The thread is started with the first piece and joined with the job.
 *
 * The work and the main thread share the lock: whatever both read and write, such as progress, is under it. */
#ifndef VIEW_JOB_JOB_H
#define VIEW_JOB_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <shadewood/log.h>

#include "base/machine.h"

struct view_job_kind {
    const char *name;           /* "the export": for messages */
    enum shw_priority priority; /* 0: that of the main thread */
    /* A piece of work, on the thread. Failures have been logged. It also runs if it was stopped before it began. */
    enum shw_result (*work)(void *user);
    void (*prepare)(void *user); /* what view_job_prepare() asks for; or NULL */
};

struct view_job {
    const struct view_job_kind *kind; /* NULL: not initialised */
    void *user;
    pthread_t thread;
    bool runs;              /* there is a thread to be joined */
    atomic_bool stop;       /* for the work: this piece shall end soon; readers take its address */
    pthread_mutex_t lock;   /* of all below, and of what the user shares */
    pthread_cond_t changed; /* on the monotonic clock */
    enum { VIEW_JOB_IDLE, VIEW_JOB_WORKING, VIEW_JOB_DONE } state;
    bool ends, prepares;
    enum shw_result result;
    void (*interrupt)(void *subject); /* what view_job_stop() calls; NULL: nothing can be interrupted */
    void *subject;
};

/* For the main thread: */

/* `kind` and `user` must stay. */
void view_job_init(struct view_job *job, const struct view_job_kind *kind, void *user);
/* Stops the piece in progress, and joins the thread. Accepts zero-initialised ones and freed ones. */
void view_job_free(struct view_job *job);

/* Begins a piece; none may be in progress, and the result of the last one must have been taken. Errors: MEMORY (no
 * thread), logged. */
enum shw_result view_job_begin(struct view_job *job, const struct shw_log *log);

/* Lets the thread prepare while there is nothing else to do. Errors: MEMORY. */
enum shw_result view_job_prepare(struct view_job *job, const struct shw_log *log);

/* Makes the piece in progress end soon, and interrupts what can be interrupted. */
void view_job_stop(struct view_job *job);

/* Whether a piece is in progress, and whether one is done whose result has not been taken. */
bool view_job_is_done(struct view_job *job);
/* Waits until no piece is in progress. Accepts zero-initialised jobs. */
void view_job_wait(struct view_job *job);

/* Takes the result of the piece that is done. */
enum shw_result view_job_take(struct view_job *job);

/* For the work: */

static inline bool view_job_is_stopped(const struct view_job *job)
{
    return atomic_load(&job->stop);
}

/* From now on, stopping calls interrupt(subject); NULL: no more. False: the piece has been stopped already. */
bool view_job_may_interrupt(struct view_job *job, void (*interrupt)(void *subject), void *subject);

/* For both: */

void view_job_lock(struct view_job *job);
void view_job_unlock(struct view_job *job);
/* Waits under the lock for view_job_wake(), which is called under it, too. Stopping wakes. */
void view_job_sleep(struct view_job *job);
void view_job_wake(struct view_job *job);
/* Not longer than until `end`, in seconds of view_clock(); false: it is later. */
bool view_job_sleep_until(struct view_job *job, double end);

#endif
