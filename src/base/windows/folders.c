/* The entries of folders, and of the folders in them. */
#include "base/windows/wide.h"

#include <dirent.h>
#include <fts.h>

struct shw_windows_folder {
    HANDLE handle;
    bool has_entry; /* `data` is one that was not read yet */
    WIN32_FIND_DATAW data;
    struct shw_windows_entry entry;
};

shw_windows_folder *shw_windows_opendir(const char *path)
{
    size_t size = strlen(path) + 3;
    char *pattern = malloc(size);
    wchar_t *wide;
    shw_windows_folder *folder = calloc(1, sizeof *folder);
    struct shw_windows_stat status;

    if (shw_windows_stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        errno = errno == ENOENT ? ENOENT : ENOTDIR;
        goto fail;
    }
    if (pattern == NULL || folder == NULL)
        goto fail;
    snprintf(pattern, size, "%s/*", path);
    wide = shw_windows_wide_path(pattern);
    if (wide == NULL)
        goto fail;
    folder->handle = FindFirstFileW(wide, &folder->data);
    free(wide);
    if (folder->handle == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_NOT_FOUND) {
        shw_windows_fail();
        goto fail;
    }
    folder->has_entry = folder->handle != INVALID_HANDLE_VALUE;
    free(pattern);
    return folder;

fail:
    free(pattern);
    free(folder);
    return NULL;
}

struct shw_windows_entry *shw_windows_readdir(shw_windows_folder *folder)
{
    if (!folder->has_entry)
        return NULL;
    WideCharToMultiByte(CP_UTF8, 0, folder->data.cFileName, -1, folder->entry.d_name, sizeof folder->entry.d_name, NULL,
                        NULL);
    folder->has_entry = FindNextFileW(folder->handle, &folder->data);
    return &folder->entry;
}

int shw_windows_closedir(shw_windows_folder *folder)
{
    if (folder->handle != INVALID_HANDLE_VALUE)
        FindClose(folder->handle);
    free(folder);
    return 0;
}

int shw_windows_scandir(const char *path, struct shw_windows_entry ***entries,
                        int (*accepts)(const struct shw_windows_entry *entry),
                        int (*compare)(const struct shw_windows_entry **a, const struct shw_windows_entry **b))
{
    shw_windows_folder *folder = shw_windows_opendir(path);
    struct shw_windows_entry **list = NULL;
    const struct shw_windows_entry *entry;
    int count = 0;

    if (folder == NULL)
        return -1;
    while ((entry = shw_windows_readdir(folder)) != NULL) {
        struct shw_windows_entry **grown, *copy;

        if (accepts != NULL && !accepts(entry))
            continue;
        grown = realloc(list, ((size_t)count + 1) * sizeof *grown);
        list = grown != NULL ? grown : list;
        copy = grown != NULL ? malloc(sizeof *copy) : NULL;
        if (copy == NULL)
            goto fail;
        *copy = *entry;
        list[count++] = copy;
    }
    shw_windows_closedir(folder);
    if (count > 0 && compare != NULL)
        qsort(list, (size_t)count, sizeof *list, (int (*)(const void *, const void *))(void (*)(void))compare);
    *entries = list;
    return count;

fail:
    while (count > 0)
        free(list[--count]);
    free(list);
    shw_windows_closedir(folder);
    errno = ENOMEM;
    return -1;
}

/* Walks. */

#define DEPTH_MAX 64

struct level {
    shw_windows_folder *folder;
    size_t length; /* of its path */
};

struct shw_windows_walk {
    struct level levels[DEPTH_MAX];
    int depth;      /* levels that are open */
    bool has_begun; /* the root was returned */
    bool enters;    /* the entry that was returned last is a folder to go into */
    char *path;     /* of the current entry */
    size_t capacity;
    shw_windows_walk_entry entry;
};

static bool set_path(shw_windows_walk *walk, size_t length, const char *name)
{
    const size_t size = length + strlen(name) + 2;

    if (size > walk->capacity) {
        char *grown = realloc(walk->path, 2 * size);

        if (grown == NULL)
            return false;
        walk->path = grown;
        walk->capacity = 2 * size;
    }
    snprintf(walk->path + length, walk->capacity - length, "%s", name);
    return true;
}

/* What the entry of that path is. */
static shw_windows_walk_entry *look(shw_windows_walk *walk, size_t name, int depth)
{
    struct shw_windows_stat status;
    const bool is_there = shw_windows_stat(walk->path, &status) == 0;

    walk->entry = (shw_windows_walk_entry){.fts_level = depth, .fts_path = walk->path, .fts_name = walk->path + name};
    walk->entry.fts_errno = is_there ? 0 : errno;
    walk->entry.fts_info = !is_there ? FTS_NS : S_ISDIR(status.st_mode) ? FTS_D : S_ISREG(status.st_mode) ? FTS_F : 3;
    walk->enters = walk->entry.fts_info == FTS_D;
    return &walk->entry;
}

shw_windows_walk *shw_windows_fts_open(char *const *paths, int options, int (*compare)(void))
{
    shw_windows_walk *walk = calloc(1, sizeof *walk);

    (void)options, (void)compare;
    if (walk != NULL && set_path(walk, 0, paths[0]))
        return walk;
    free(walk);
    return NULL;
}

static void enter(shw_windows_walk *walk)
{
    const size_t length = strlen(walk->path);

    walk->enters = false;
    if (walk->depth == DEPTH_MAX)
        return;
    walk->levels[walk->depth] = (struct level){shw_windows_opendir(walk->path), length};
    walk->depth += walk->levels[walk->depth].folder != NULL;
}

shw_windows_walk_entry *shw_windows_fts_read(shw_windows_walk *walk)
{
    if (!walk->has_begun) {
        const char *slash = strrchr(walk->path, '/');

        walk->has_begun = true;
        return look(walk, slash != NULL && slash[1] != '\0' ? (size_t)(slash + 1 - walk->path) : 0, 0);
    }
    if (walk->enters)
        enter(walk);
    while (walk->depth > 0) {
        const struct level *level = &walk->levels[walk->depth - 1];
        const struct shw_windows_entry *entry = shw_windows_readdir(level->folder);
        const bool has_slash = level->length > 0 && walk->path[level->length - 1] == '/';

        if (entry == NULL) {
            shw_windows_closedir(level->folder);
            walk->depth--;
        } else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            if (!set_path(walk, level->length, "/") || !set_path(walk, level->length + !has_slash, entry->d_name))
                return NULL;
            return look(walk, level->length + !has_slash, walk->depth);
        }
    }
    return NULL;
}

int shw_windows_fts_set(shw_windows_walk *walk, shw_windows_walk_entry *entry, int what)
{
    (void)entry;
    if (what == FTS_SKIP)
        walk->enters = false;
    return 0;
}

int shw_windows_fts_close(shw_windows_walk *walk)
{
    while (walk->depth > 0)
        shw_windows_closedir(walk->levels[--walk->depth].folder);
    free(walk->path);
    free(walk);
    return 0;
}
