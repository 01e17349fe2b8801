/* What the program tells: errors, progress, JSON. */
#ifndef SHW_CLI_REPORT_H
#define SHW_CLI_REPORT_H

#include <stdbool.h>

#include <jansson.h>

#include <shadewood/log.h>

#include "base/clock.h"
#include "cli/options.h"

struct cli_report {
    bool quiet, verbose, json;
    bool failed; /* an error was shown; later ones of the same failure are not */
};

/* The options that every command shares. */
#define CLI_REPORT_OPTIONS(report)                                                                                     \
    {.name = "json", .help = "print the result as one JSON document", .kind = CLI_FLAG, .value = &(report).json},      \
        {.name = "quiet",                                                                                              \
         .letter = 'q',                                                                                                \
         .help = "no progress, no warnings",                                                                           \
         .kind = CLI_FLAG,                                                                                             \
         .value = &(report).quiet},                                                                                    \
    {                                                                                                                  \
        .name = "verbose", .letter = 'v', .help = "tell more", .kind = CLI_FLAG, .value = &(report).verbose            \
    }

/* Messages go to standard error, a line each: errors always, but one a failure; warnings unless quiet; the rest if
 * verbose. `report` must stay where it is. */
struct shw_log cli_log(struct cli_report *report);

/* The exit code for a result. */
int cli_exit_code(enum shw_result result);

/* An error of the program's own. Returns CLI_FAILURE. */
int cli_fail(struct cli_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tells something that is neither error nor warning, a line on standard error, unless quiet. */
void cli_say(const struct cli_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shows how far the work is: on a terminal a line that changes, else a line now and then. `fraction` from 0 to 1;
 * `seconds` since the start; `text` tells the rate. Time left is worked out. */
void cli_progress(const struct cli_report *report, double fraction, double seconds, const char *text);

/* The same where the time left is known better than by the fraction. */
void cli_progress_left(const struct cli_report *report, double fraction, double left, const char *text);

/* Ends the changing line. */
void cli_progress_end(void);

/* Prints a JSON document on standard output and releases it. Returns the exit code. */
int cli_print_json(json_t *document);

/* Makes SIGINT and SIGTERM remove half-written files and end the program with CLI_INTERRUPTED. */
void cli_catch_signals(void);

/* From now on, or no longer, the first of these signals is only remembered; the second ends the program as before. */
void cli_hold_signals(bool hold);
bool cli_interrupted(void);

#endif
