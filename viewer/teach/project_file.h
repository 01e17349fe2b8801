/* A project and its file: opening, saving, and what its pictures are called. For the main thread, except for copies. */
#ifndef VIEW_TEACH_PROJECT_FILE_H
#define VIEW_TEACH_PROJECT_FILE_H

#include <shadewood/log.h>

#include "files/io/output_files.h"
#include "files/project/project.h"
#include "source/file_place.h"
#include "source/picture.h"

struct view_project {
    struct shw_project *data; /* NULL: none is open */
    char *path;               /* NULL: no file yet */
    char *shown;              /* path of the picture that is shown, for the file; NULL: none */
    char *folder;             /* that names of pictures are relative to, with a trailing slash; NULL without a file */
    uint64_t saved;           /* revision in the file */
    struct view_file_stamp stamp;
};

/* Logs and returns ARGUMENT if no project is open. */
enum shw_result view_project_need(const struct view_project *project, const struct shw_log *log);

/* Accepts zero-initialised and closed ones. */
void view_project_close(struct view_project *project);

/* A copy for another thread, which closes it: see shw_project_snapshot(). Errors: MEMORY. */
enum shw_result view_project_copy(const struct view_project *project, const struct shw_log *log,
                                  struct view_project *copy);

/* Whether a name is that of a project file: it ends with .json. */
bool view_is_project(const char *path);

/* Reads a project file. Errors: those of shw_project_read(), MEMORY; no project is open then. */
enum shw_result view_project_read(const char *path, const struct shw_log *log, struct view_project *project);

/* Whether closing the project would lose anything. */
bool view_project_is_unsaved(const struct view_project *project);

/* Whether the file of any of its pictures exists. */
bool view_project_has_files(const struct view_project *project);

/* Adds the files of its pictures to what is read, and with `itself` the project's own file. */
void view_project_list_files(const struct view_project *project, bool itself, struct shw_output_files *files);

/* Whether somebody else has changed the project's file since it was read or written here. */
bool view_project_is_changed_elsewhere(const struct view_project *project);

/* Whether that is the project's file. */
bool view_project_is_own_file(const struct view_project *project, const char *path);

/* Whether saving there would replace the file of something else, or one that another program has changed. */
bool view_project_replaces(const struct view_project *project, const char *path);

/* Writes the file; `path` NULL: the current one. Pictures without a file, such as video frames, are written to a folder
 * beside it, named like the file with -frames; there, only such pictures are replaced. `files` has what is read; the
 * project's file is added and checked. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_project_write(struct view_project *project, const char *path, struct shw_output_files *files,
                                   const struct shw_log *log);

/* What pictures are called in a project: files by their paths from the folder of its file, as docs/project-format.md
 * says. A file has many paths, through links and with dots; a picture is known under each of them and keeps the name
 * that it has. */

/* The place of a picture of the project (source/file_place.h), to be freed with free(); NULL if out of memory. */
char *view_project_picture_place(const struct view_project *project, uint32_t picture, struct view_real_folder *folder);

/* The picture of the project that has this name in a source; UINT32_MAX if there is none, or out of memory. */
uint32_t view_project_seek(const struct view_project *project, const char *given);

/* The name that a source's picture has, or would have, in the project; NULL if out of memory. To be freed with free().
 */
char *view_project_picture_name(const struct view_project *project, const char *given);

/* The same for a picture whose pixels are known: several pictures without files may have the same name, such as
 * the first frames of two sessions with a camera. Then those after the first get a number. Reads the file that the
 * project keeps of such a picture. */
char *view_project_shown_name(const struct view_project *project, const struct view_picture *shown);

#endif
