/* Rings of times and their percentiles, against a plain list. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job/times.h"

static int ascending(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return (left > right) - (left < right);
}

/* The smallest value that at least that part of them does not exceed, by counting. */
static double plain_percentile(const float *values, uint32_t count, uint32_t percent)
{
    float sorted[VIEW_TIMES_KEPT];

    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    for (uint32_t i = 0; i < count; i++)
        if ((i + 1) * 100 >= percent * count)
            return sorted[i];
    return 0.0;
}

TESTING_CASE(the_last_values_are_kept)
{
    static const uint32_t counts[] = {1,   2, 19, 20, 100, VIEW_TIMES_KEPT - 1, VIEW_TIMES_KEPT, VIEW_TIMES_KEPT + 1,
                                      1000};
    static const uint32_t percents[] = {0, 5, 50, 95, 99, 100};
    struct testing_random random = {1};
    static struct view_times times;
    float all[1000];

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const struct view_ring *ring = &times.rings[VIEW_TIME_DRAW];
        uint32_t kept = counts[c] < VIEW_TIMES_KEPT ? counts[c] : VIEW_TIMES_KEPT;
        view_times_clear(&times);
        assert_int_equal(view_ring_kept(ring), 0);
        for (uint32_t i = 0; i < counts[c]; i++) {
            all[i] = (float)testing_random_below(&random, 50) / 4.0f;
            view_times_add(&times, VIEW_TIME_DRAW, (double)all[i]);
        }
        assert_int_equal(view_ring_kept(ring), kept);
        assert_true(ring->count == counts[c]);
        assert_true(view_ring_last(ring) == (double)all[counts[c] - 1]);
        for (size_t p = 0; p < sizeof percents / sizeof *percents; p++)
            assert_true(view_ring_percentile(ring, percents[p]) ==
                        plain_percentile(all + counts[c] - kept, kept, percents[p]));
    }
}

TESTING_CASE(kinds_are_apart_and_have_names)
{
    static struct view_times times;

    for (uint32_t kind = 0; kind < VIEW_TIME_COUNT; kind++)
        view_times_add(&times, kind, kind + 0.5);
    for (uint32_t kind = 0; kind < VIEW_TIME_COUNT; kind++) {
        assert_true(view_ring_percentile(&times.rings[kind], 50) == kind + 0.5);
        for (uint32_t other = 0; other < kind; other++)
            assert_string_not_equal(view_time_names[kind], view_time_names[other]);
    }
    view_times_clear(&times);
    assert_true(view_ring_percentile(&times.rings[0], 50) == 0.0);
    assert_true(view_ring_last(&times.rings[0]) == 0.0);
}

/* What an event leads to counts from the first event on, not from the end of waiting for events. */
TESTING_CASE(work_of_events_is_watched)
{
    const struct timespec work = {.tv_nsec = 60000000};
    struct view_watch watch = {0};

    view_watch_waits(&watch);
    view_watch_looks(&watch); /* the first event, which takes long */
    nanosleep(&work, NULL);
    view_watch_looks(&watch); /* the next one */
    view_watch_looks(&watch); /* waiting returns */
    view_watch_waits(&watch);
    assert_true(watch.longest >= 0.06 && watch.late == 1);
}
