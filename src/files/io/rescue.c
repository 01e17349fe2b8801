#define _GNU_SOURCE /* asprintf() */
#include "files/io/rescue.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "files/io/image_paths.h"

#define NAME_BYTES 255u /* where the system does not tell */

/* The folder of a path, with the slash; "./" if it has none. NULL if memory is exhausted. */
static char *folder_of(const char *path)
{
    size_t length = (size_t)(shw_path_last(path) - path);

    return length > 0 ? strndup(path, length) : strdup("./");
}

/* The bytes of the stem that leave room for the rest, without a part of a character. */
static size_t cut(const char *stem, size_t length, size_t room)
{
    if (length <= room)
        return length;
    while (room > 0 && ((unsigned char)stem[room] & 0xc0u) == 0x80u)
        room--;
    return room;
}

char *shw_name_beside(const char *path, unsigned number)
{
    const char *name = shw_path_last(path), *ending = strrchr(name, '.');
    char *folder = folder_of(path), suffix[16] = "", *beside = NULL;
    long limit = folder != NULL ? pathconf(folder, _PC_NAME_MAX) : -1;
    size_t most = limit > 0 ? (size_t)limit : NAME_BYTES, rest, stem;

    if (number > 1)
        snprintf(suffix, sizeof suffix, "-%u", number);
    if (ending == NULL || ending == name || strlen(ending) + strlen(suffix) >= most)
        ending = name + strlen(name);
    rest = strlen(suffix) + strlen(ending);
    stem = cut(name, (size_t)(ending - name), most > rest ? most - rest : 0);
    if (folder != NULL &&
        asprintf(&beside, "%.*s%.*s%s%s", (int)(name - path), path, (int)stem, name, suffix, ending) < 0)
        beside = NULL;
    free(folder);
    return beside;
}

char *shw_name_unused(const char *path)
{
    char *name = shw_name_beside(path, 1);
    struct stat status;

    for (unsigned number = 2; name != NULL && lstat(name, &status) == 0; number++) {
        free(name);
        name = shw_name_beside(path, number);
    }
    return name;
}

enum shw_result shw_write_beside(const char *path, unsigned number, const void *bytes, size_t size, char **place)
{
    enum shw_result result = SHW_OK;
    bool taken = true;

    for (*place = NULL; result == SHW_OK && taken; number++) {
        struct shw_atomic_file file;

        free(*place);
        *place = shw_name_beside(path, number);
        result = *place != NULL ? shw_atomic_file_open(&file, *place, NULL) : SHW_ERROR_MEMORY;
        if (result != SHW_OK)
            break;
        fwrite(bytes, 1, size, file.stream); /* commit reports its errors */
        result = shw_atomic_file_commit_new(&file, NULL, &taken);
    }
    if (result != SHW_OK) {
        free(*place);
        *place = NULL;
    }
    return result;
}

enum shw_result shw_write_elsewhere(const char *path, const char *refuge, const void *bytes, size_t size, char **place)
{
    char *beside_refuge = refuge != NULL ? folder_of(refuge) : NULL;
    const char *const folders[] = {beside_refuge, ".", getenv("TMPDIR"), "/tmp"};
    enum shw_result result = SHW_ERROR_IO;

    *place = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && result != SHW_OK; i++) {
        const char *folder = folders[i];
        char *moved;

        if (folder == NULL || folder[0] == '\0')
            continue;
        if (asprintf(&moved, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", shw_path_last(path)) < 0) {
            result = SHW_ERROR_MEMORY;
            continue;
        }
        result = shw_write_beside(moved, 1, bytes, size, place);
        free(moved);
    }
    free(beside_refuge);
    return result;
}
