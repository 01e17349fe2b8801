/* Teachers: who trains forests on sets of strokes, one after another. One trains in this process; another may be
 * somewhere else (files/serve/remote.h). All give the same forest for the same set. */
#ifndef SHW_FILES_PROJECT_TEACHER_H
#define SHW_FILES_PROJECT_TEACHER_H

#include "files/project/held_out.h"
#include "files/project/training_tiles.h"

/* The forests of a set: one that is ready soon, and the project's. How the small one is trained depends on the
 * technique. */
enum shw_lesson { SHW_LESSON_SMALL, SHW_LESSON_FULL };

/* How a training is followed. Each may be NULL; all are called on the thread of the training. */
struct shw_teacher_watch {
    bool (*go_on)(void *user); /* asked every few milliseconds, and after shw_teacher_interrupt(); false: CANCELLED */
    void (*progress)(void *user, double fraction); /* of the forest, from 0 to 1 */
    void (*prepared)(void *user);                  /* the first round is about to begin */
    /* Runs a trainer that is prepared to its end, instead of its steps: for teachers of this process. */
    enum shw_result (*run)(void *user, struct shw_trainer *trainer, double from, double to);
    void *user;
};

/* What a forest was trained on. */
struct shw_taught {
    struct shw_training_set *set;     /* a share */
    struct shw_training_tiles *tiles; /* the same; NULL: they are not in this process */
};

/* Accepts zero-initialised and released ones. */
void shw_taught_release(struct shw_taught *taught);

/* What a kind of teachers does: the functions below. */
struct shw_teacher_kind {
    enum shw_result (*grow)(void *self, struct shw_training_set *set, enum shw_lesson lesson,
                            const struct shw_teacher_watch *watch, struct shw_forest **forest,
                            struct shw_taught *taught);
    enum shw_result (*measure)(void *self, const struct shw_taught *taught, const struct shw_teacher_watch *watch,
                               struct shw_held_out *held_out);
    void (*interrupt)(void *self);
    void (*destroy)(void *self);
};

struct shw_teacher {
    const struct shw_teacher_kind *kind; /* NULL: none */
    void *self;
};

/* Trains a forest. `taught` (or NULL) becomes what it was trained on, to be released. One thread at a time. Errors:
 * CANCELLED, those of training and of reading pictures, those of the kind. */
enum shw_result shw_teacher_grow(const struct shw_teacher *teacher, struct shw_training_set *set,
                                 enum shw_lesson lesson, const struct shw_teacher_watch *watch,
                                 struct shw_forest **forest, struct shw_taught *taught);

/* Measures the accuracy of a full forest (held_out.h) from what it was trained on. Another thread may train meanwhile.
 * Errors: the same. */
enum shw_result shw_teacher_measure(const struct shw_teacher *teacher, const struct shw_taught *taught,
                                    const struct shw_teacher_watch *watch, struct shw_held_out *held_out);

/* Makes trainings ask soon whether to go on. Any thread. */
void shw_teacher_interrupt(const struct shw_teacher *teacher);

/* No call may be in progress. Accepts zero-initialised and destroyed ones. */
void shw_teacher_destroy(struct shw_teacher *teacher);

struct shw_local_teacher_params {
    struct shw_device *device;    /* borrowed; NULL: `cpu` */
    enum shw_technique technique; /* with a device */
    uint64_t work_max, memory;    /* as in struct shw_trainer_params */
    uint64_t judge_memory;        /* the same for measuring accuracy, which `cpu` does */
    uint32_t threads;             /* on the host; 0: one per processor */
    struct shw_log log;
};

/* One that trains in this process, and keeps its trainer and pictures from one forest to the next. Errors: MEMORY. */
enum shw_result shw_local_teacher_create(const struct shw_local_teacher_params *params, struct shw_teacher *teacher);

/* Creates the pipelines of its device before there is anything to train on, on the thread of the trainings. Failures
 * are left to the first training. */
void shw_local_teacher_warm_up(const struct shw_teacher *teacher);

#endif
