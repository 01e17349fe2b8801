/* A project and its file: opening, saving, and what its pictures are called. For the main thread. */
#ifndef VIEW_TEACH_PROJECT_FILE_H
#define VIEW_TEACH_PROJECT_FILE_H

#include <shadewood/log.h>

#include "project/project.h"

struct view_project {
    struct shw_project *data; /* NULL: none is open */
    char *path;               /* of its file; NULL: it has none yet */
    char *folder;             /* that names of pictures count from, with a slash at its end; NULL without a file */
    uint64_t saved;           /* revision that the file has */
    uint64_t warned;          /* revision that was reported as not saved */
};

/* Logs and returns ARGUMENT if no project is open. */
enum shw_result view_project_need(const struct view_project *project, const struct shw_log *log);

/* Accepts zero-initialised and closed ones. */
void view_project_close(struct view_project *project);

/* Whether a file's name is that of a project: it ends with .json. */
bool view_is_project(const char *path);

/* Reads a project file. Errors: those of shw_project_read(), MEMORY; then nothing is open. */
enum shw_result view_project_read(const char *path, const struct shw_log *log, struct view_project *project);

/* Whether any of its pictures is a file that is there. */
bool view_project_has_files(const struct view_project *project);

/* Writes the file; NULL: the one that the project has. Pictures that are no files, frames of videos, are written beside
 * it, into a folder of the file's name with -frames behind it. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_project_write(struct view_project *project, const char *path, const struct shw_log *log);

/* The name that a picture of a source has in the project, or would have; NULL where memory is short. To be freed with
 * free(). */
char *view_project_picture_name(const struct view_project *project, const char *given);

/* What an image file is called in the project; NULL where memory is short, or there is no such file. To be freed with
 * free(). */
char *view_project_file_name(const struct view_project *project, const char *path);

/* Makes a folder unless it is there. Errors: IO. */
enum shw_result view_make_folder(const char *path, const struct shw_log *log);

#endif
