#include "files/video/video_name.h"

#include <stddef.h>

#include "files/io/image_name.h"

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
