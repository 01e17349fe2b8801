/* Times: the latest values of each kind, and their percentiles. */
#ifndef VIEW_GPU_TIMES_H
#define VIEW_GPU_TIMES_H

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
    VIEW_TIME_CAMERA, /* from the capture of a picture to the end of the frame with its overlay (label/camera_delay.h)
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

#endif
