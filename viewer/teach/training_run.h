/* Internals of a training worker; private to this folder. */
#ifndef VIEW_TEACH_TRAINING_RUN_H
#define VIEW_TEACH_TRAINING_RUN_H

#include "files/project/held_out.h"
#include "job/job.h"
#include "label/shared_forest.h"
#include "teach/train_state.h"

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
    uint64_t runs;                /* begun so far */
    struct shw_trainer *trainer;  /* that view_train_worker_record() may use */
    struct shw_trainer *stepping; /* that the thread is running, to be interrupted */
    bool in_flight, finished;
    enum shw_result recorded_result;
    struct view_shared_forest *current, *previous;
    uint64_t number;
    struct shw_training_tiles *to_judge; /* trained, but not measured yet */
    uint64_t judged;                     /* revision of the last that were handed over */
    struct shw_held_out accuracy;        /* if `measured` */
    bool measured;
    uint64_t measurements; /* so far: counts changes of both */
    /* Used by the frame loop alone: */
    uint64_t revision;
    /* Used by the thread alone: */
    struct shw_trainer *kept;        /* the previous forest's, to be renewed for the next */
    struct view_training_data *held; /* what it is trained on */
};

/* The tiles that a trainer reads. */
struct view_training_data {
    struct shw_training_tiles *tiles;
    struct shw_training_choice all;
};

/* One training, on a snapshot of the strokes. */
struct view_training_run {
    struct view_train_worker *worker;
    struct shw_training_set *set;
    struct view_training_data *data;
    uint64_t revision;
};

/* What the jobs do until the worker is destroyed. */
enum shw_result view_training_work(void *worker);
enum shw_result view_training_judge(void *worker);

/* Whether the training in progress is abandoned. Under the lock. */
bool view_training_is_over(const struct view_train_worker *worker);

/* Wakes the threads after a change, and interrupts what is abandoned. Under the lock. */
void view_training_stir(struct view_train_worker *worker);

/* Forgets the accuracy of an earlier forest. Under the lock. */
void view_training_drop_accuracy(struct view_train_worker *worker);

/* Copies the trainer's progress. Under the lock. */
void view_training_take_fraction(struct view_train_worker *worker, const struct shw_trainer *trainer);

#endif
