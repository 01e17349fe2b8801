#include "files/io/image_paths.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define PAGE_DIGITS 6

bool shw_name_ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);

    return length > ending_length && strcasecmp(name + length - ending_length, ending) == 0;
}

const struct shw_image_ending shw_image_endings[] = {{".png", true},   {".bmp", true}, {".tif", true}, {".tiff", true},
                                                     {".webp", true},  {".pgm", true}, {".ppm", true}, {".jpg", false},
                                                     {".jpeg", false}, {NULL, false}};

bool shw_is_image_name(const char *name)
{
    for (const struct shw_image_ending *ending = shw_image_endings; ending->text != NULL; ending++)
        if (shw_name_ends_with(name, ending->text))
            return true;
    return false;
}

bool shw_video_can_be_written(const char *name)
{
    return shw_name_ends_with(name, ".mkv") || shw_name_ends_with(name, ".mp4") || shw_name_ends_with(name, ".mov") ||
           shw_name_ends_with(name, ".avi");
}

bool shw_is_video_name(const char *name)
{
    static const char *const others[] = {".webm", ".m4v", ".mpg", ".mpeg", ".ts",  ".mts",
                                         ".m2ts", ".wmv", ".flv", ".ogv",  ".3gp", ".y4m"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (shw_name_ends_with(name, others[i]))
            return true;
    return shw_video_can_be_written(name);
}

size_t shw_image_page_of(const char *path, uint32_t *page)
{
    const char *mark = strrchr(path, '#');
    size_t digits = mark != NULL ? strspn(mark + 1, "0123456789") : 0;

    *page = 0;
    if (mark == NULL || mark == path || mark[-1] == '/' || digits == 0 || digits > PAGE_DIGITS || mark[1] == '0' ||
        mark[1 + digits] != '\0')
        return strlen(path);
    *page = (uint32_t)strtoul(mark + 1, NULL, 10);
    return (size_t)(mark - path);
}

char *shw_image_file_of(const char *path, uint32_t *page)
{
    size_t length = shw_image_page_of(path, page);

    if (*page == 0 || access(path, F_OK) != 0)
        return strndup(path, length);
    *page = 0;
    return strdup(path);
}

bool shw_image_has_file(const char *path)
{
    uint32_t page;
    char *file = shw_image_file_of(path, &page);
    struct stat status;
    bool has = file != NULL && stat(file, &status) == 0 && S_ISREG(status.st_mode);

    free(file);
    return has;
}

char *shw_image_page_path(const char *file, uint32_t page)
{
    size_t size = strlen(file) + PAGE_DIGITS + 4;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s#%u", file, page);
    return path;
}

const char *shw_image_base_name(const char *path, char name[SHW_BASE_NAME_SIZE])
{
    const char *slash = strrchr(path, '/'), *first = slash != NULL ? slash + 1 : path, *dot;
    uint32_t page;
    size_t length = shw_image_page_of(path, &page) - (size_t)(first - path);

    snprintf(name, SHW_BASE_NAME_SIZE, "%.*s", (int)length, first);
    dot = strrchr(name, '.');
    length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    name[length] = '\0';
    if (page > 0)
        snprintf(name + length, SHW_BASE_NAME_SIZE - length, "_page%u", page);
    return name;
}

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

bool shw_path_is_absolute(const char *path)
{
#ifdef _WIN32
    if (((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) && path[1] == ':')
        return true;
#endif
    return path[0] == '/';
}

char *shw_path_of_user(const char *variable, const char *usual, const char *rest)
{
    const char *folder = getenv(variable), *home = getenv("HOME");
    char *path, *below;

    if (folder != NULL && shw_path_is_absolute(folder))
        return shw_path_join(folder, "/", rest);
    if (home == NULL || !shw_path_is_absolute(home))
        return NULL;
    below = shw_path_join(home, "/", usual);
    path = below != NULL ? shw_path_join(below, "/", rest) : NULL;
    free(below);
    return path;
}

char *shw_path_in(const char *folder, const char *name)
{
    size_t length = shw_path_is_absolute(name) ? 0 : strlen(folder);

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
