#ifndef SHW_TESTS_VIEWER_FORKED_H
#define SHW_TESTS_VIEWER_FORKED_H

#include <stdbool.h>

/* Runs a command line of the viewer, VARIABLE=VALUE... PROGRAM ARGUMENT..., quoted as for a shell, in a fork of this
 * process, with empty input and its output in files. *status is as of waitpid(). False if it was not run, since that is
 * not possible here, or not with this driver: it then needs a process of its own. */
bool forked_viewer_run(const char *command, const char *printed, const char *errors, int *status);

#endif
