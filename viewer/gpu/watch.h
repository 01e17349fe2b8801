/* How long the window's thread does not look at events, and the calls that make it wait. */
#ifndef VIEW_GPU_WATCH_H
#define VIEW_GPU_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

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
