/* The demo: a project of rendered rooms, some strokes of which are painted already. It is made once, in the background,
 * in a folder of its own; what is there stays as it is. For the main thread. */
#ifndef VIEW_SHELL_DEMO_H
#define VIEW_SHELL_DEMO_H

#include <stdbool.h>

#include "job/job.h"

struct view_demo {
    struct view_job job;
    struct shw_log log;
    bool started; /* there is a job */
    bool awaited; /* it works, and scripts wait for it */
    char *folder; /* with a trailing slash */
};

/* Begins to make it, unless it is being made. Errors: IO (no folder for it), MEMORY. */
enum shw_result view_demo_begin(struct view_demo *demo, const struct shw_log *log);

/* Once it is made, *project is the path of its file, to be freed; otherwise NULL. Errors: those of making it. */
enum shw_result view_demo_poll(struct view_demo *demo, char **project);

/* Stops the work. Accepts zero-initialised ones. */
void view_demo_free(struct view_demo *demo);

#endif
