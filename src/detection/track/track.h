/* Objects followed through the pictures of a video: which detection of a picture is which object of the pictures
 * before. An object keeps its identity where its next detection overlaps the place to which its motion has led; it may
 * be missed for some pictures. For one thread at a time. */
#ifndef SHW_DETECTION_TRACK_TRACK_H
#define SHW_DETECTION_TRACK_TRACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <shadewood/detect.h>
#include <shadewood/log.h>

#define SHW_NO_TRACK UINT32_MAX

struct shw_tracker_params {
    double overlap;    /* with the expected place, above which a detection continues a track; 0: 0.3 */
    uint32_t patience; /* pictures in a row in which an object may be missed; 0: 10 */
    double gap;        /* seconds between pictures after which no track goes on; 0: 1 */
};

/* Where an object was seen. */
struct shw_track_point {
    uint64_t picture; /* from 0, of those that the tracker has seen */
    double seconds;   /* of the video */
    int32_t x, y;
    uint32_t width, height;
    int32_t score;
};

struct shw_track {
    struct shw_track_point *points; /* by rising picture */
    uint32_t kind;
    uint32_t count, capacity;
    uint32_t missed;            /* pictures since the last point */
    bool ended;                 /* nothing continues it any more */
    double x, y, width, height; /* centre and size, smoothed */
    double across, down;        /* the centre's motion per second */
};

/* Zero-initialise it, or with params alone. */
struct shw_tracker {
    struct shw_tracker_params params;
    struct shw_track *tracks; /* in the order in which they began; their identity is their index */
    uint32_t count, capacity;
    uint64_t pictures; /* seen */
    double seconds;    /* of the last one */
};

/* Takes the detections of the next picture, which is later than the last one (others are left alone, and all
 * `identities` become those of tracks with a point at that time and that rectangle). A track goes on with detections
 * of its kind alone; `kinds` NULL: all are 0. identities[i] becomes the track of detection i. Errors: MEMORY. */
enum shw_result shw_tracker_step(struct shw_tracker *tracker, double seconds, const struct shw_detection *found,
                                 const uint32_t *kinds, uint32_t count, const struct shw_log *log,
                                 uint32_t *identities);

/* Whether a track has a point at that time with that rectangle. */
bool shw_track_is_at(const struct shw_track *track, double seconds, const struct shw_detection *found);

/* Takes that point from the track, which was no object there; a track without points ends. */
void shw_track_remove(struct shw_track *track, double seconds, const struct shw_detection *found);

/* The way of a track's centre, from point to point, in pixels. */
double shw_track_length(const struct shw_track *track);

/* What detections of a kind are. */
struct shw_track_kind {
    const char *name;
    uint32_t fraction_bits; /* of their scores */
};

/* The tracks with at least `least` points as CSV: a line for each point,
 * `track,picture,seconds,x,y,width,height,score`, and `,label` where there are several kinds. Tracks are numbered
 * from 1. */
void shw_tracker_print(FILE *stream, const struct shw_tracker *tracker, uint32_t least,
                       const struct shw_track_kind *kinds, uint32_t kind_count);

/* Forgets all tracks; the params stay. Accepts zero-initialised ones. */
void shw_tracker_clear(struct shw_tracker *tracker);

#endif
