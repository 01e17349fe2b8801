/* What pictures are called in a project: files by their paths from the folder of its file, as docs/project-format.md
 * says. A file has many paths, through links and with dots; a picture is known under each of them and keeps the name
 * that it has. */
#ifndef VIEW_TEACH_PICTURE_NAMES_H
#define VIEW_TEACH_PICTURE_NAMES_H

#include "source/file_place.h"
#include "source/picture.h"
#include "teach/project_file.h"

/* The place of a picture of the project (source/file_place.h), to be freed with free(); NULL if out of memory. */
char *view_project_picture_place(const struct view_project *project, uint32_t picture, struct view_real_folder *folder);

/* The picture of the project that has this name in a source; UINT32_MAX if there is none, or out of memory. */
uint32_t view_project_seek(const struct view_project *project, const char *given);

/* The name that a source's picture has, or would have, in the project; NULL if out of memory. To be freed with free().
 */
char *view_project_picture_name(const struct view_project *project, const char *given);

/* The same for a picture whose pixels are known: of pictures that are no files, several may be called alike, such as
 * the first frames of two sessions with a camera. Then those after the first get a number. Reads the file that the
 * project keeps of such a picture. */
char *view_project_shown_name(const struct view_project *project, const struct view_picture *shown);

/* Makes the names different that pictures will have: `names` or, where that is NULL, the current ones. Of those that
 * would be the same, which are paths of one file, all but one get other paths of it. Errors: MEMORY. */
enum shw_result view_names_separate(const struct shw_project *project, char **names, const struct shw_log *log);

#endif
