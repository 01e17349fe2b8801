/* What commands print and write: errors, progress, JSON; files and folders. */
#ifndef SHW_CLI_REPORT_H
#define SHW_CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>

#include <shadewood/log.h>

#include "base/clock.h"
#include "base/options.h"
#include "files/io/output_files.h"

struct cli_report {
    bool quiet, verbose, json;
    bool failed; /* an error was shown; later errors of the same failure are suppressed */

    const char *data;       /* the project or the data set, which errors in it then name; or NULL */
    bool data_has_settings; /* training parameters come from it, too */
    const char *input;      /* what is being worked on, which all errors and warnings then name; or NULL */
};

/* The options that every command shares. */
#define CLI_REPORT_OPTIONS(report)                                                                                     \
    SHW_OPTION_FLAG("json", 0, &(report).json, "print the result as one JSON document"),                               \
        SHW_OPTION_FLAG("quiet", 'q', &(report).quiet, "suppress progress and warnings"),                              \
        SHW_OPTION_FLAG("verbose", 'v', &(report).verbose, "print more")

#define CLI_DEVICE_OPTION(number)                                                                                      \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "device", 0, "N", &(number), 0, 255,                                           \
                      "the Vulkan device, as 'shadewood devices' numbers them (0)")

/* Messages go to standard error, one line each: the first error of a failure always; warnings unless quiet; the rest if
 * verbose. `report` must not move. */
struct shw_log cli_log(struct cli_report *report);

/* Reports an error of the program itself. Returns SHW_EXIT_FAILURE. */
int cli_fail(struct cli_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a line that is neither error nor warning on standard error, unless quiet. */
void cli_say(const struct cli_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shows progress: on a terminal one line that changes, elsewhere occasional lines. `fraction` from 0 to 1; `text`: the
 * rate. The time left is estimated from the fractions, and shown once that means something (base/clock.h). */
void cli_progress(const struct cli_report *report, double fraction, const char *text);

/* The same with a better estimate of the time left. Returns whether it means something. */
bool cli_progress_left(const struct cli_report *report, double fraction, double left, const char *text);

/* Ends the changing line, and the piece of work. */
void cli_progress_end(void);

/* Prints a JSON document on standard output and releases it; NULL is one for which memory was exhausted. Returns the
 * exit code, after a message unless standard output is at fault, which is reported at the end of the program. */
int cli_print_json(struct cli_report *report, json_t *document);

/* Makes SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) end the program with SHW_EXIT_INTERRUPTED,
 * and writing beyond the limit of a file's size fail as writing to a full disk does, instead of ending the program. */
void cli_catch_signals(void);

/* While held, the first of these signals is only remembered; the second ends the program as before. SIGPIPE is ignored
 * meanwhile. */
void cli_hold_signals(bool hold);
bool cli_interrupted(void);

#define CLI_OVERWRITE_OPTION(files)                                                                                    \
    SHW_OPTION_FLAG("overwrite", 0, &(files).overwrite,                                                                \
                    "replace existing files even if they were not written by this\ncommand, or were changed since")

/* Adds an input; for functions that list files. `files`: a struct shw_output_files. */
void cli_add_input(void *files, const char *path);

/* Whether a path, or NULL, is "-", by which some commands mean standard output. */
bool cli_is_standard_output(const char *path);

/* Refuses to print JSON where the output goes, too. Returns SHW_CONTINUE or the exit code. */
int cli_check_standard_output(const struct shw_command *command, const struct cli_report *report, const char *output);

/* Checks what the command reads and writes. Returns SHW_CONTINUE or the exit code: usage if an output is an input or
 * another output. */
int cli_check_outputs(struct cli_report *report, struct shw_output_files *files);

/* Creates the folder and its parents if they are missing. Returns SHW_CONTINUE, or SHW_EXIT_FAILURE after a message. */
int cli_make_folder(struct cli_report *report, const char *path);

#endif
