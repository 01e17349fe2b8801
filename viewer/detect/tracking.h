/* Objects followed through a video: the detections of the pictures that are shown become tracks, with a table and a
 * file.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_DETECT_TRACKING_H
#define VIEW_DETECT_TRACKING_H

#include "detect/detecting.h"
#include "detection/track/track.h"

struct view_tracking {
    struct view_scene *scene; /* borrowed, like the next */
    struct view_detecting *detecting;
    bool on;
    uint32_t least; /* pictures in which a track of the table was seen */
    struct shw_tracker tracker;
    uint32_t *identities; /* [place of a detection] of the shown picture */
    uint32_t identity_count;
    const struct view_picture *picture; /* of these; only compared, like the next two */
    uint64_t results, set;              /* the detections' then */
    struct {
        char label[VIEW_LABEL_SIZE];
        uint32_t fraction_bits;
    } cascades[VIEW_DETECTORS]; /* whose detections tracks are of, which may be closed now */
    uint32_t cascade_count;
    char *source;    /* what tracks are of */
    uint32_t chosen; /* a track; SHW_NO_TRACK: none */
    char said[1024]; /* for the shell to read and reset */
};

void view_tracking_init(struct view_scene *scene, struct view_detecting *detecting, struct view_tracking *tracking);
/* Accepts zero-initialised ones. */
void view_tracking_destroy(struct view_tracking *tracking);

/* Takes what was found in the shown picture, if that is new. Errors: MEMORY. */
enum shw_result view_tracking_poll(struct view_tracking *tracking);

/* The track of a detection of the shown picture; SHW_NO_TRACK: it has none. */
uint32_t view_tracking_of(const struct view_tracking *tracking, const struct view_detection *detection);

/* The colour of a track. */
void view_tracking_colour(const struct view_tracking *tracking, uint32_t track, uint8_t colour[3]);

/* The number of the i-th track of the table; SHW_NO_TRACK: there are fewer. */
uint32_t view_tracking_row(const struct view_tracking *tracking, uint32_t row);
uint32_t view_tracking_rows(const struct view_tracking *tracking);

/* Actions, on a struct view_tracking. */
extern const struct view_action_group view_track_group;

#endif
