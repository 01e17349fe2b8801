/* The training worker: grows forests from a project's strokes while painting goes on.
 *
 * A small forest comes first, soon after a stroke, then the project's full one. Strokes painted meanwhile make it begin
 * anew, but not before the small forest is there, so that there is an answer even while the brush never rests; only a
 * small forest of a stroke that was still being painted gives way when that stroke ends. The same strokes give the same
 * forests.
 *
 * All functions are for one thread, that of the frame loop. Reading pictures and what else may take long is done on a
 * thread of the training worker's own. */
#ifndef VIEW_TEACH_TRAIN_WORKER_H
#define VIEW_TEACH_TRAIN_WORKER_H

#include "label/shared_forest.h"
#include "project/out_of_bag.h"
#include "project/project.h"
#include "teach/train_state.h"

struct view_train_worker;

/* Errors: ARGUMENT (recorded without a device), MEMORY. */
enum shw_result view_train_worker_create(const struct view_train_worker_params *params,
                                         struct view_train_worker **worker);

/* Ends *worker's life and sets it to NULL; NULL and a pointer to NULL are accepted. Recorded commands must have
 * finished. */
void view_train_worker_destroy(struct view_train_worker **worker);

/* To be called every frame: looks whether the project has changed and, if so, takes its strokes along. Cheap where
 * nothing has changed. Errors: MEMORY. */
enum shw_result view_train_worker_update(struct view_train_worker *worker, struct shw_project *project);

/* Training in the caller's frame, where `recorded` is set. record: records a slice outside a render pass if there is
 * one to compute, and sets *recorded. complete: to be called when it has finished on the device, before the next
 * slice is recorded; both as often in a frame as there is time for it: a forest needs a slice or two for each level of
 * each of its trees. Errors of training become the state VIEW_TRAIN_FAILED. */
void view_train_worker_record(struct view_train_worker *worker, VkCommandBuffer commands, bool *recorded);
void view_train_worker_complete(struct view_train_worker *worker);

/* Waits, no longer than so many seconds, until there is a slice to record; returns whether there is. Returns at once
 * where none can come: nothing is being trained, or the worker trains by itself, or another forest is there than that
 * of `number` (struct view_train_status). */
bool view_train_worker_wait(struct view_train_worker *worker, uint64_t number, double seconds);

/* Stops between two rounds, and goes on from there. Strokes painted meanwhile are taken along. */
void view_train_worker_stop(struct view_train_worker *worker, bool stopped);

/* Brings the full forest before the current one back, and the current one with the next call. Training in progress is
 * given up until the project changes again. False: there is none. */
bool view_train_worker_restore(struct view_train_worker *worker);

void view_train_worker_get_status(struct view_train_worker *worker, struct view_train_status *status);

/* A share of the newest forest, to be released; NULL if there is none. */
struct view_shared_forest *view_train_worker_share_forest(struct view_train_worker *worker);

/* Accuracy of the last full forest by class number: up to `capacity` classes. Returns how many there are, 0 while it is
 * not measured. */
uint32_t view_train_worker_get_accuracy(struct view_train_worker *worker, struct shw_out_of_bag *classes,
                                        uint32_t capacity);

#endif
