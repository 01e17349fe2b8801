#include "files/io/image_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_DIGITS 6

bool shw_name_ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);

    return length > ending_length && strcasecmp(name + length - ending_length, ending) == 0;
}

bool shw_is_image_name(const char *name)
{
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".ppm", ".pgm"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (shw_name_ends_with(name, endings[i]))
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
