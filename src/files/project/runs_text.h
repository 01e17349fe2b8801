/* Areas as texts in project files: about four characters per run of pixels. See docs/project-format.md. */
#ifndef SHW_FILES_PROJECT_RUNS_TEXT_H
#define SHW_FILES_PROJECT_RUNS_TEXT_H

#include "files/project/stroke.h"

/* Whether an area is stored so: it has many runs, which are in order and do not overlap, as those of imported labels
 * and filled regions. */
bool shw_runs_are_text(const struct shw_stroke *area);

/* The text, to be freed with free(); NULL if memory is exhausted. */
char *shw_runs_write(const struct shw_stroke *area);

/* Appends the runs of a text. Returns what is wrong with it, or NULL; *memory: memory is exhausted. */
const char *shw_runs_read(const char *text, struct shw_stroke *area, bool *memory);

#endif
