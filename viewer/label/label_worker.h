/* Labelling on a separate thread, for techniques that include `cpu`, while frames continue.
 *
 * For the main thread; only one labelling at a time. */
#ifndef VIEW_LABEL_LABEL_WORKER_H
#define VIEW_LABEL_LABEL_WORKER_H

#include <stdbool.h>

#include <shadewood/label.h>

#include "label/shared_forest.h"

struct view_label_worker;

struct view_label_job {
    struct view_shared_forest *forest;                 /* the worker takes a share */
    struct shw_inputs inputs;                          /* copied, except names; colour first */
    enum shw_technique techniques[SHW_STAGE_COUNT];    /* resolved: no `auto` */
    uint32_t device;                                   /* index of the device for techniques other than `cpu` */
    uint32_t planes;                                   /* number of classes to compute probabilities for: all or none */
    void (*then)(void *user, const uint16_t *results); /* called on the worker's thread with the results; or NULL */
    void *user;
};

/* `log` is used on the worker's thread. Errors: MEMORY. */
enum shw_result view_label_worker_create(const struct shw_log *log, struct view_label_worker **worker);
/* Interrupts the labelling in progress. Accepts NULL. */
void view_label_worker_destroy(struct view_label_worker **worker);

/* Begins a labelling; none may be in progress, and the results of the last one must have been taken. Errors: MEMORY. */
enum shw_result view_label_worker_begin(struct view_label_worker *worker, const struct view_label_job *job);

/* Whether results are available. */
bool view_label_worker_done(struct view_label_worker *worker);
void view_label_worker_wait(struct view_label_worker *worker);

/* Takes the results: 16-bit values, the most likely classes and then one plane per class. They stay valid until the
 * second labelling after this one begins. *milliseconds: the time taken. Returns the result of the labelling: the
 * errors of shw_labeller_create() and shw_labeller_run(), which have been logged. */
enum shw_result view_label_worker_take(struct view_label_worker *worker, const uint16_t **results,
                                       double *milliseconds);

#endif
