/* The pictures that a project is shown with. */
#ifndef VIEW_SOURCE_PROJECT_PATHS_H
#define VIEW_SOURCE_PROJECT_PATHS_H

#include <shadewood/log.h>

#include "files/io/image_paths.h"

/* Lists the image files of all folders that have pictures of the project, folder by folder, and its pictures whose
 * names do not look like images, in natural order; files without their pages. *shown becomes the path of the picture
 * that was shown when the project was saved, otherwise of its first picture that exists; to be freed. `accepts`: names
 * of image files. Errors, logged: those of shw_project_read(), IO (none of its pictures exists), MEMORY. */
enum shw_result view_project_paths_find(const char *project, bool (*accepts)(const char *name),
                                        const struct shw_log *log, struct shw_image_paths *paths, char **shown);

#endif
