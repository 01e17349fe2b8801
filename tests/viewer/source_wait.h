/* Sources in tests: a log that threads may share, and waiting for what comes. */
#ifndef VIEW_TESTING_SOURCE_WAIT_H
#define VIEW_TESTING_SOURCE_WAIT_H

#include "source/source.h"

/* Counts of all messages since the last call of this. */
struct shw_log source_log(void);
unsigned source_log_count(enum shw_log_level level, enum shw_log_item item);
unsigned source_log_errors(void);

/* Opens what must open. */
struct view_source *source_open(const char *spec);

/* The next picture, or NULL when nothing more is pending: the source failed, or is at its end. Fails the test only
 * after minutes. `now` stands still. */
struct view_picture *source_wait(struct view_source *source, double now);

/* Waits until the source is no longer OPENING, without polling. Whether it is READY. */
bool source_wait_open(struct view_source *source);

/* The next picture of a source that plays, when it comes. Fails the test as above. */
struct view_picture *source_wait_due(struct view_source *source, double now);

void source_sleep(double seconds);
double source_clock(void);

#endif
