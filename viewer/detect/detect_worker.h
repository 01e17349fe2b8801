/* Detection on a thread of its own, a picture at a time. For the main thread. */
#ifndef VIEW_DETECT_DETECT_WORKER_H
#define VIEW_DETECT_DETECT_WORKER_H

#include "detect/found_windows.h"

struct view_detect_worker;

/* `device`: index of that on which techniques other than `cpu` run, which is created when it is needed; `is_cpu`: AUTO
 * does not take it. `log` is used on the thread, too. Errors: MEMORY. */
enum shw_result view_detect_worker_create(uint32_t device, bool is_cpu, const struct shw_log *log,
                                          struct view_detect_worker **worker);
/* Gives up the picture in progress. Sets *worker to NULL; accepts NULL in it. */
void view_detect_worker_destroy(struct view_detect_worker **worker);

/* Begins to detect, and takes over `job`: with picture, cascade and settings set; `scans` unless its windows are those
 * of the settings' scan already, which are only grouped anew. Nothing may be in progress, and the last result must have
 * been taken. Errors: MEMORY (no thread). */
enum shw_result view_detect_worker_begin(struct view_detect_worker *worker, const struct view_found_windows *job,
                                         bool scans);

/* Gives up what is in progress: it is done soon, with CANCELLED unless it was about to be done. Accepts NULL. */
void view_detect_worker_cancel(struct view_detect_worker *worker);

/* Whether what was begun is done; `waits`: until it is. */
bool view_detect_worker_done(struct view_detect_worker *worker, bool waits);

/* Takes what is done; empty after an error, which was logged. Errors: those of detectors, CANCELLED. */
enum shw_result view_detect_worker_take(struct view_detect_worker *worker, struct view_found_windows *found);

#endif
