#include "files/io/folders.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/io/image_paths.h"

static uint64_t remove_entry(const char *path)
{
    struct stat status;

    if (lstat(path, &status) != 0)
        return 0;
    if (S_ISDIR(status.st_mode))
        return shw_folder_remove(path);
    unlink(path);
    return S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

uint64_t shw_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    uint64_t bytes = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char *inner = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0
                          ? shw_path_in(path, entry->d_name)
                          : NULL;

        if (inner != NULL)
            bytes += remove_entry(inner);
        free(inner);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
    return bytes;
}
