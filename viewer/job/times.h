/* Times: the latest values of each kind, and their percentiles; how long the window's thread does not look at events,
 * and the calls that make it wait. */
#ifndef VIEW_JOB_TIMES_H
#define VIEW_JOB_TIMES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define VIEW_TIMES_KEPT 256u

enum view_time {
    /* from timestamps, of frames that include this work; the stages of a labelling over several frames are added up */
    VIEW_TIME_UPLOAD,
    VIEW_TIME_CHANNELS,
    VIEW_TIME_INTEGRATE,
    VIEW_TIME_EVALUATE,
    VIEW_TIME_COMPOSE,
    VIEW_TIME_DRAW,
    VIEW_TIME_PRESENT,
    VIEW_TIME_DEVICE, /* a whole frame */
    /* from the host's clock */
    VIEW_TIME_TRAIN,  /* training before a frame, including waiting for the device */
    VIEW_TIME_WORKER, /* a labelling in the background */
    VIEW_TIME_LABELS, /* from the first frame that computes labels to the one that shows them */
    VIEW_TIME_FRAME,  /* from one frame to the next while frames are continuous */
    VIEW_TIME_CAMERA, /* from the capture of a picture to the end of the frame with its overlay (label/scene.h)
                       */
    VIEW_TIME_COUNT
};

/* "upload", "channels", ... */
extern const char *const view_time_names[VIEW_TIME_COUNT];

/* Milliseconds of one kind. */
struct view_ring {
    float values[VIEW_TIMES_KEPT];
    uint64_t count; /* so far; the latest is at (count - 1) % VIEW_TIMES_KEPT */
};

struct view_times {
    struct view_ring rings[VIEW_TIME_COUNT];
};

/* Seconds of CLOCK_MONOTONIC. Any thread. */
double view_clock(void);

void view_times_clear(struct view_times *times);
void view_times_add(struct view_times *times, enum view_time kind, double milliseconds);

/* The number of values kept. */
uint32_t view_ring_kept(const struct view_ring *ring);

/* The smallest value that `percent` of the kept values do not exceed (nearest rank): 0 the smallest, 100 the largest. 0
 * if there are none. */
double view_ring_percentile(const struct view_ring *ring, uint32_t percent);

/* The latest value; 0 if there is none. */
double view_ring_last(const struct view_ring *ring);

#define VIEW_WATCH_LATE 0.05 /* seconds */

/* What a thread waits for. */
enum view_block {
    VIEW_BLOCK_SLOT,    /* the frame before the last one: drawing takes longer than everything else */
    VIEW_BLOCK_PRESENT, /* the display */
    VIEW_BLOCK_FRAMES,  /* all frames */
    VIEW_BLOCK_DEVICE,  /* everything on the device */
    VIEW_BLOCK_SLICE,   /* a slice of training on the device */
    VIEW_BLOCK_JOIN,    /* the end of a thread */
    VIEW_BLOCK_COUNT
};

/* "slot", "present", ... */
extern const char *const view_block_names[VIEW_BLOCK_COUNT];

struct view_watch {
    bool waiting;          /* for events: none has come yet */
    double looked;         /* when events were looked at last, in seconds of view_clock(); 0: not yet */
    double longest;        /* time between two looks, without the waits for slot and display */
    uint64_t late;         /* how often that was longer than VIEW_WATCH_LATE */
    double longest_in_all; /* with these waits */
    double apart;          /* in these waits since the last look */
    uint64_t blocks[VIEW_BLOCK_COUNT];
};

/* From now on, this thread is the one that is watched; one at a time, NULL: none. */
void view_watch_begin(struct view_watch *watch);

/* Around waiting for events: `waits` before, `looks` when the first event comes, and after waiting, since none may have
 * come. What the event leads to counts, also if it is done before waiting returns. */
void view_watch_waits(struct view_watch *watch);
void view_watch_looks(struct view_watch *watch);

/* Forgets everything but what is counted in this moment. */
void view_watch_clear(struct view_watch *watch);

/* Around a call that may wait, on any thread: counted if it is the watched one. */
double view_block_begin(void);
void view_block_end(enum view_block kind, double began);

/* pthread_join(), counted. */
void view_join(pthread_t thread);

#endif
