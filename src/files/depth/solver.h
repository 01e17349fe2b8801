/* Solving sparse linear systems. */
#ifndef SHW_FILES_DEPTH_SOLVER_H
#define SHW_FILES_DEPTH_SOLVER_H

#include <stdbool.h>

#include "files/depth/colorization_system.h"

/* Whether this build has a solver. */
bool shw_has_solver(void);

/* Replaces the right side by the solution. The system has one, and a diagonal that dominates each row. `name` is for
 * messages. Any thread. Errors: UNSUPPORTED (no solver), MEMORY. */
enum shw_result shw_solve(struct shw_colorization_system *system, const char *name, const struct shw_log *log);

#endif
