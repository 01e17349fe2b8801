#include "image/image_name.h"

#include <string.h>
#include <strings.h>

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

const char *shw_image_base_name(const char *path, size_t *length)
{
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    const char *dot = strrchr(name, '.');

    *length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}
