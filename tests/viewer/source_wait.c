#include "source_wait.h"

#include <stdatomic.h>
#include <time.h>

#include "testing/testing.h"

#define PATIENCE 400.0 /* seconds; a busy machine needs some */

static atomic_uint counts[SHW_LOG_DEBUG + 1][SHW_LOG_ITEM_COUNT];

static void count_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user;
    assert_non_null(text);
    atomic_fetch_add(&counts[level][item], 1);
}

struct shw_log source_log(void)
{
    for (unsigned level = 0; level <= SHW_LOG_DEBUG; level++)
        for (unsigned item = 0; item < SHW_LOG_ITEM_COUNT; item++)
            atomic_store(&counts[level][item], 0);
    return (struct shw_log){count_message, NULL, SHW_LOG_DEBUG};
}

unsigned source_log_count(enum shw_log_level level, enum shw_log_item item)
{
    return atomic_load(&counts[level][item]);
}

unsigned source_log_errors(void)
{
    unsigned sum = 0;

    for (unsigned item = 0; item < SHW_LOG_ITEM_COUNT; item++)
        sum += source_log_count(SHW_LOG_ERROR, item);
    return sum;
}

double source_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void source_sleep(double seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

struct view_source *source_open(const char *spec)
{
    struct view_source *source = NULL;

    assert_int_equal(view_source_open(&(struct view_source_params){.spec = spec, .log = source_log()}, &source),
                     SHW_OK);
    return source;
}

struct view_picture *source_wait(struct view_source *source, double now)
{
    for (double begun = source_clock(); source_clock() - begun < PATIENCE; source_sleep(0.0005)) {
        struct view_source_info info;
        struct view_picture *picture;

        view_source_info(source, &info); /* before the poll, so that nothing comes between them */
        picture = view_source_poll(source, now);
        if (picture != NULL || info.state == VIEW_SOURCE_FAILED || (!info.pending && info.state == VIEW_SOURCE_READY))
            return picture;
    }
    fail_msg("nothing came of the source");
    return NULL;
}

struct view_picture *source_wait_due(struct view_source *source, double now)
{
    for (double begun = source_clock(); source_clock() - begun < PATIENCE; source_sleep(0.0005)) {
        struct view_picture *picture = view_source_poll(source, now);

        if (picture != NULL)
            return picture;
    }
    fail_msg("no picture is due at %.3f s", now);
    return NULL;
}

bool source_wait_open(struct view_source *source)
{
    struct view_source_info info = {0};

    for (double begun = source_clock(); source_clock() - begun < PATIENCE; source_sleep(0.0005)) {
        view_source_info(source, &info);
        if (info.state != VIEW_SOURCE_OPENING)
            return info.state == VIEW_SOURCE_READY;
    }
    fail_msg("the source does not open");
    return false;
}
