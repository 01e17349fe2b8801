/* What arguments of actions are made of. */
#ifndef VIEW_ACTION_PARSE_H
#define VIEW_ACTION_PARSE_H

#include "shell/app.h"

/* Tells that `argument` is not `what`, and returns ARGUMENT. */
enum shw_result view_action_refuse(struct view_app *app, const char *what, const char *argument);

/* A whole number from low to high. */
bool view_parse_number(const char *text, long low, long high, long *number);

/* Two whole numbers with blanks between. */
bool view_parse_pair(const char *text, long low, long high, long *first, long *second);

/* A number, 0 or more; others are refused. */
enum shw_result view_parse_positive(struct view_app *app, const char *argument, double *number);

/* on, off or toggle; others are refused. */
enum shw_result view_parse_switch(struct view_app *app, const char *argument, bool *state);

/* The number of a class, by its name or its number; with a # before it, a number is never a name. */
bool view_parse_class(const struct view_app *app, const char *text, uint32_t *number);

#endif
