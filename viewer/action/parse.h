/* Arguments of actions. */
#ifndef VIEW_ACTION_PARSE_H
#define VIEW_ACTION_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Logs that `argument` is not a `what`, and returns ARGUMENT. */
enum shw_result view_action_refuse(const struct shw_log *log, const char *what, const char *argument);

/* An integer from low to high. */
bool view_parse_number(const char *text, long low, long high, long *number);

/* Two integers separated by blanks. */
bool view_parse_pair(const char *text, long low, long high, long *first, long *second);

/* A number of at least 0; logs an error otherwise. */
enum shw_result view_parse_positive(const struct shw_log *log, const char *argument, double *number);

/* on, off or toggle; logs an error otherwise. */
enum shw_result view_parse_switch(const struct shw_log *log, const char *argument, bool *state);

#endif
