#include "job/times.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const view_time_names[VIEW_TIME_COUNT] = {"upload", "channels", "integrate", "evaluate", "compose",
                                                      "draw",   "present",  "device",    "train",    "worker",
                                                      "labels", "frame",    "camera"};

double view_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void view_times_clear(struct view_times *times)
{
    memset(times, 0, sizeof *times);
}

void view_times_add(struct view_times *times, enum view_time kind, double milliseconds)
{
    struct view_ring *ring = &times->rings[kind];

    ring->values[ring->count++ % VIEW_TIMES_KEPT] = (float)milliseconds;
}

uint32_t view_ring_kept(const struct view_ring *ring)
{
    return ring->count < VIEW_TIMES_KEPT ? (uint32_t)ring->count : VIEW_TIMES_KEPT;
}

static int compare(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return (left > right) - (left < right);
}

double view_ring_percentile(const struct view_ring *ring, uint32_t percent)
{
    float sorted[VIEW_TIMES_KEPT];
    uint32_t kept = view_ring_kept(ring), rank = (percent * kept + 99) / 100;

    if (kept == 0)
        return 0.0;
    memcpy(sorted, ring->values, kept * sizeof *sorted);
    qsort(sorted, kept, sizeof *sorted, compare);
    return sorted[rank > 0 ? rank - 1 : 0];
}

double view_ring_last(const struct view_ring *ring)
{
    return ring->count > 0 ? ring->values[(ring->count - 1) % VIEW_TIMES_KEPT] : 0.0;
}

const char *const view_block_names[VIEW_BLOCK_COUNT] = {"slot", "present", "frames", "device", "slice", "join"};

static _Thread_local struct view_watch *watched;

void view_watch_begin(struct view_watch *watch)
{
    watched = watch;
}

void view_watch_waits(struct view_watch *watch)
{
    double all = view_clock() - watch->looked, own = all - watch->apart;

    watch->waiting = true;
    if (watch->looked <= 0.0)
        return;
    watch->longest = own > watch->longest ? own : watch->longest;
    watch->longest_in_all = all > watch->longest_in_all ? all : watch->longest_in_all;
    watch->late += own > VIEW_WATCH_LATE;
}

void view_watch_looks(struct view_watch *watch)
{
    if (!watch->waiting)
        return;
    watch->waiting = false;
    watch->looked = view_clock();
    watch->apart = 0.0;
}

void view_watch_clear(struct view_watch *watch)
{
    *watch = (struct view_watch){.waiting = watch->waiting, .looked = watch->looked, .apart = watch->apart};
}

double view_block_begin(void)
{
    return view_clock();
}

void view_block_end(enum view_block kind, double began)
{
    if (watched == NULL)
        return;
    watched->blocks[kind]++;
    if (kind == VIEW_BLOCK_SLOT || kind == VIEW_BLOCK_PRESENT)
        watched->apart += view_clock() - began;
}

void view_join(pthread_t thread)
{
    double began = view_block_begin();

    pthread_join(thread, NULL);
    view_block_end(VIEW_BLOCK_JOIN, began);
}
