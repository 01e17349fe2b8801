/* Copies of unsaved work, from which it can be recovered after the program was killed.
 *
 * Each running program that has unsaved work keeps a folder of its own, with a copy of the project and of the pictures
 * that are not files; a lock on it tells others that the program still runs. Copies are written by a thread of their
 * own; everything else is for the main thread. */
#ifndef VIEW_TEACH_RECOVERY_H
#define VIEW_TEACH_RECOVERY_H

#include <time.h>

#include "teach/project_file.h"

#define VIEW_RECOVERY_SECONDS 2.0 /* from a change until its copy is begun */

/* The folder of all copies: shadewood/recovery in $XDG_STATE_HOME or ~/.local/state. NULL: there is none, or memory is
 * exhausted. To be freed with free(). */
char *view_recovery_usual_folder(void);

struct view_recovery;

/* `folder`: of all copies, created when it is needed; copied. Errors: MEMORY. */
enum shw_result view_recovery_create(const char *folder, const struct shw_log *log, struct view_recovery **recovery);
/* Waits until the copy in progress is written, and leaves the copy if there is one. Sets *recovery to NULL; accepts
 * NULL in it. */
void view_recovery_destroy(struct view_recovery **recovery);

/* Begins a copy of unsaved work if one is due, and removes the copy of a project that is saved or closed. A copy that
 * cannot be written is told once, until one can be written again. `now`: seconds. */
void view_recovery_update(struct view_recovery *recovery, const struct view_project *project, double now);
/* Writes a copy now if the last one is older than the work, and waits for it. */
void view_recovery_rescue(struct view_recovery *recovery, const struct view_project *project);

/* Work that a program which no longer runs left behind. Nobody else sees it until it is freed. */
struct view_recovered {
    char *folder; /* of the copy */
    int lock;     /* a descriptor */
    char *path;   /* of the project's file; NULL: it had none */
    time_t written;
    uint32_t stroke_count, picture_count, class_count;
};
struct view_recovered_list {
    struct view_recovered *items; /* the most recent first */
    uint32_t count;
};

/* Finds all that can be read; what cannot is told, and left. Errors: MEMORY. */
enum shw_result view_recovery_find(const char *folder, const struct shw_log *log, struct view_recovered_list *list);
void view_recovered_free(struct view_recovered_list *list);

/* Reads the project of an item, as one that is not saved; strokes on pictures that are not files keep their pictures.
 * Errors: IO, FORMAT, MEMORY. */
enum shw_result view_recovered_read(const struct view_recovered *item, const struct shw_log *log,
                                    struct view_project *project);
/* Removes the copy of an item, and the item from the list. */
void view_recovered_delete(struct view_recovered_list *list, uint32_t item);

/* Whether another program that runs has opened that project's file. */
bool view_recovery_is_elsewhere(const struct view_recovery *recovery, const char *path);

#endif
