/* The log of a training run: JSON objects, one per line, each flushed before the next begins. */
#ifndef SHW_CLI_TRAIN_LOG_H
#define SHW_CLI_TRAIN_LOG_H

#include <stdio.h>

#include <shadewood/train.h>

#include "cli/report.h"

struct cli_train_log {
    FILE *stream; /* NULL: no log; all functions below do nothing */
    const char *path;
    int error;          /* errno of the first line that could not be written, or 0 */
    uint64_t responses; /* when the last round ended */
};

/* Opens the log; a NULL path means none. `append` keeps the existing lines, except a truncated last one. Returns
 * SHW_CONTINUE or the exit code after one message. */
int cli_train_log_open(struct cli_train_log *log, struct cli_report *report, const char *path, bool append);

/* Closes the log. If anything could not be written, reports it and turns a *code of success into one of failure. */
void cli_train_log_close(struct cli_train_log *log, struct cli_report *report, int *code);

/* Writes a line that begins with the event's name; takes ownership of `object`. */
void cli_train_log_write(struct cli_train_log *log, const char *event, json_t *object);

/* The lines. start: `parameters` holds what the training record omits. round: without the time left unless that is
 * `known`. */
void cli_train_log_start(struct cli_train_log *log, const struct shw_trainer *trainer, const struct shw_device *device,
                         bool resumed, json_t *parameters);
void cli_train_log_round(struct cli_train_log *log, const struct shw_train_progress *progress, bool known);

#endif
