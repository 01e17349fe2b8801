/* The autosave of projects: a folder with a JSON document, the images of painted pictures that are not files, and a
 * lock with the path of the project that is open. Works on a struct view_project. */
#ifndef VIEW_TEACH_AUTOSAVE_PROJECT_H
#define VIEW_TEACH_AUTOSAVE_PROJECT_H

#include "autosave/autosave.h"
#include "teach/project_file.h"

extern const struct view_autosave_kind view_project_autosave;

/* Reads the project of an item, as one that is not saved; strokes on pictures that are not files keep their pictures.
 * Errors: IO, FORMAT, MEMORY. */
enum shw_result view_project_left_read(const struct view_left *item, const struct shw_log *log,
                                       struct view_project *project);

/* Whether another program that runs has opened that project's file. Accepts NULL. */
bool view_project_is_open_elsewhere(const struct view_autosave *autosave, const char *path);

#endif
