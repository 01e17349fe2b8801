/* Detection in the background, a picture at a time: the cascade, what it has found, and the worker. */
#ifndef VIEW_DETECT_DETECT_WORKER_H
#define VIEW_DETECT_DETECT_WORKER_H

#include <stdatomic.h>

#include <shadewood/cascade.h>
#include <shadewood/detect.h>

#include "source/picture.h"

struct view_shared_cascade {
    struct shw_cascade *cascade;
    char *path; /* of its file; "": it has none */
    atomic_uint shares;
};

/* Reads a file of any format that `shadewood detect` reads. Errors: those of shw_cascade_open(), MEMORY. */
enum shw_result view_shared_cascade_load(const char *path, const struct shw_log *log,
                                         struct view_shared_cascade **cascade);

/* Takes over a cascade without a file, whose path is "". Errors: MEMORY; it is destroyed then. */
enum shw_result view_shared_cascade_make(struct shw_cascade *cascade, const struct shw_log *log,
                                         struct view_shared_cascade **shared);
/* Gives it a file. Errors: MEMORY. */
enum shw_result view_shared_cascade_name(struct view_shared_cascade *shared, const char *path,
                                         const struct shw_log *log);

/* Adds a share. */
struct view_shared_cascade *view_shared_cascade_share(struct view_shared_cascade *cascade);

/* Releases a share and sets *cascade to NULL; accepts a pointer to NULL. The last release destroys the cascade. */
void view_shared_cascade_release(struct view_shared_cascade **cascade);

/* What a cascade has found in a picture. */

/* How windows become detections. */
struct view_detect_settings {
    struct shw_scan scan; /* without angles */
    uint32_t angles;      /* to try, equally spaced over a full turn; 0 or 1: upright alone */
    enum shw_technique technique;
    struct shw_group_params group;
};

/* Whether both find the same windows, and whether both group them alike. */
bool view_detect_same_scan(const struct view_detect_settings *a, const struct view_detect_settings *b);
bool view_detect_same_groups(const struct view_detect_settings *a, const struct view_detect_settings *b);

struct view_found_windows {
    struct view_picture *picture; /* shared, like the next */
    struct view_shared_cascade *cascade;
    struct view_detect_settings settings;
    struct shw_detections windows, groups;
    uint64_t window_count;        /* that were tested */
    double milliseconds;          /* of the scan */
    enum shw_technique technique; /* with AUTO resolved */
};

/* A copy, without groups. False if memory is exhausted; there is nothing to be freed then. */
bool view_found_windows_copy(const struct view_found_windows *found, struct view_found_windows *copy);

/* Accepts zero-initialised and freed ones. Any thread. */
void view_found_windows_free(struct view_found_windows *found);

/* Detection on a thread of its own, a picture at a time. For the main thread. */
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
