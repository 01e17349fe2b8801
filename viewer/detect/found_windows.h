/* What a cascade has found in a picture. */
#ifndef VIEW_DETECT_FOUND_WINDOWS_H
#define VIEW_DETECT_FOUND_WINDOWS_H

#include <shadewood/detect.h>

#include "detect/shared_cascade.h"
#include "source/picture.h"

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

/* Finds windows with a detector for the cascade and the scan, and groups them. Errors: those of shw_detector_run() and
 * shw_detections_group(), MEMORY; `found` is freed then. Any thread. */
enum shw_result view_found_windows_scan(struct shw_detector *detector, const struct shw_log *log,
                                        struct view_found_windows *found);

/* Groups the windows anew. Errors: ARGUMENT, MEMORY. Any thread. */
enum shw_result view_found_windows_group(const struct shw_log *log, struct view_found_windows *found);

/* A copy, without groups. False if memory is exhausted; there is nothing to be freed then. */
bool view_found_windows_copy(const struct view_found_windows *found, struct view_found_windows *copy);

/* Accepts zero-initialised and freed ones. Any thread. */
void view_found_windows_free(struct view_found_windows *found);

#endif
