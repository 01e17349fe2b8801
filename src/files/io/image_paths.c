#include "files/io/image_paths.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "files/io/image_name.h"

char *shw_path_join(const char *first, const char *second, const char *third)
{
    size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
    char *whole = malloc(size);

    if (whole != NULL)
        snprintf(whole, size, "%s%s%s", first, second, third);
    return whole;
}

const char *shw_path_last(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

char *shw_path_in(const char *folder, const char *name)
{
    size_t length = name[0] == '/' ? 0 : strlen(folder);

    return shw_path_join(length > 0 ? folder : "", length > 0 && folder[length - 1] != '/' ? "/" : "", name);
}

char *shw_image_real_path(const char *path)
{
    uint32_t page;
    char *file = shw_image_file_of(path, &page), *real = file != NULL ? realpath(file, NULL) : NULL, *whole = real;

    if (real != NULL && page > 1) {
        whole = shw_image_page_path(real, page);
        free(real);
    }
    free(file);
    return whole;
}

void shw_make_private_folders(const char *file)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s", file);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
}

bool shw_image_paths_add(struct shw_image_paths *paths, const char *folder, const char *name)
{
    char **grown = realloc(paths->paths, (paths->count + (size_t)1) * sizeof *grown);

    if (grown == NULL)
        return false;
    paths->paths = grown;
    grown[paths->count] = shw_path_in(folder, name);
    return grown[paths->count] != NULL ? ++paths->count, true : false;
}

bool shw_image_paths_list(struct shw_image_paths *paths, const char *folder, bool (*accepts)(const char *name))
{
    uint32_t first = paths->count;
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool fine = true;

    if (entries == NULL)
        return true;
    while (fine && paths->count < UINT32_MAX && (entry = readdir(entries)) != NULL)
        if (accepts(entry->d_name))
            fine = shw_image_paths_add(paths, folder, entry->d_name);
    closedir(entries);
    if (paths->count > first)
        qsort(paths->paths + first, paths->count - first, sizeof *paths->paths, shw_natural_compare_texts);
    errno = 0;
    return fine;
}

static int compare_bytewise(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void shw_image_paths_sort_bytewise(struct shw_image_paths *paths)
{
    if (paths->count > 0)
        qsort(paths->paths, paths->count, sizeof *paths->paths, compare_bytewise);
}

void shw_image_paths_free(struct shw_image_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        free(paths->paths[i]);
    free(paths->paths);
    *paths = (struct shw_image_paths){0};
}
