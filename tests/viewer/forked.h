#ifndef SHW_TESTS_VIEWER_FORKED_H
#define SHW_TESTS_VIEWER_FORKED_H

#include <stdbool.h>

/* Whether forked_viewer_run() runs anything: where lavapipe is the driver, in a test without sanitizers and without
 * threads, and if nothing is to be loaded before the viewer. */
bool forked_viewer_is_possible(void);

/* Runs a command line of the viewer, VARIABLE=VALUE... PROGRAM ARGUMENT..., quoted as for a shell, in a fork of this
 * process, with empty input and its output in files. *status is as of waitpid(). False if it was not run. */
bool forked_viewer_run(const char *command, const char *printed, const char *errors, int *status);

#endif
