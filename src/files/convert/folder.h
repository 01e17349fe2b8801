/* Folders of sources. */
#ifndef SHW_FILES_CONVERT_FOLDER_H
#define SHW_FILES_CONVERT_FOLDER_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/io/image_paths.h"

/* Whether a folder has that folder, or that regular file. */
static inline bool shw_folder_has_folder(const char *folder, const char *name)
{
    char *path = shw_path_in(folder, name);
    struct stat status;
    bool has = path != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode);

    free(path);
    return has;
}

static inline bool shw_folder_has_file(const char *folder, const char *name)
{
    char *path = shw_path_in(folder, name);
    bool has = path != NULL && shw_is_file(path);

    free(path);
    return has;
}

/* The paths of the files in a folder whose names are accepted. Errors: IO, MEMORY. */
static inline enum shw_result shw_folder_list(const char *folder, bool (*accepts)(const char *name),
                                              const struct shw_log *log, struct shw_image_paths *paths)
{
    errno = 0;
    if (!shw_image_paths_list(paths, folder, accepts))
        return shw_fail_memory(log, folder);
    return errno == 0 ? SHW_OK
                      : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open the folder %s: %s", folder,
                                 strerror(errno));
}

#endif
