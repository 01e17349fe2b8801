#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/detecting.h"
#include "files/image/image_file.h"
#include "files/io/file_bytes.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"
#include "files/video/video_name.h"

#define LIST_BYTES (UINT64_C(1) << 26)

/* A pipe is not opened to find out: it can be opened once. */
static bool is_image(const char *path)
{
    return shw_image_has_file(path) && shw_image_file_is_image(path);
}

/* What is called like a video, and is no image. */
static bool is_video(const char *path)
{
    return shw_is_video_name(path) && !is_image(path);
}

static bool is_list(const char *path)
{
    return shw_name_ends_with(path, ".txt") && !is_image(path);
}

static int add_video(struct cli_detecting *detecting, const char *path, struct cli_image_list *videos)
{
    char name[SHW_BASE_NAME_SIZE];
    struct cli_image video = {strdup(path), strdup(shw_image_base_name(path, name))};

    if (video.path != NULL && video.place != NULL &&
        SHW_RESERVE(videos->list, videos->capacity, videos->count + (size_t)1)) {
        videos->list[videos->count++] = video;
        return SHW_CONTINUE;
    }
    free(video.path);
    free(video.place);
    return cli_fail(&detecting->report, "not enough memory for the names of videos");
}

/* Adds what a line of a list names, relative to the folder of the list. */
static int add_line(struct cli_detecting *detecting, const char *list, unsigned number, const char *name,
                    struct shw_image_paths *images, struct cli_image_list *videos)
{
    char *folder = strndup(list, (size_t)(shw_path_last(list) - list));
    char *path = folder != NULL ? shw_path_in(folder, name) : NULL;
    int code = path != NULL ? SHW_CONTINUE : cli_fail(&detecting->report, "not enough memory for the names of images");

    if (code == SHW_CONTINUE && !shw_image_has_file(path))
        code = cli_fail(&detecting->report, "%s, line %u: there is no file %s", list, number, path);
    else if (code == SHW_CONTINUE && is_video(path))
        code = add_video(detecting, path, videos);
    else if (code == SHW_CONTINUE && !shw_image_paths_add(images, "", path))
        code = cli_fail(&detecting->report, "not enough memory for the names of images");
    free(folder);
    free(path);
    return code;
}

/* A list has a path per line; empty lines and those that begin with # are skipped. */
static int add_list(struct cli_detecting *detecting, const char *list, struct shw_image_paths *images,
                    struct cli_image_list *videos)
{
    static const char space[] = " \t\r\f\v";
    const struct shw_log log = cli_log(&detecting->report);
    struct shw_file_bytes file;
    char *text, *rest;
    int code = SHW_CONTINUE;

    if (shw_file_bytes_read(list, LIST_BYTES, &log, &file) != SHW_OK)
        return SHW_EXIT_FAILURE;
    text = strndup((const char *)file.bytes, file.size);
    shw_file_bytes_free(&file);
    if (text == NULL)
        return cli_fail(&detecting->report, "not enough memory for %s", list);
    rest = text;
    for (unsigned number = 1; rest != NULL && code == SHW_CONTINUE; number++) {
        char *line = strsep(&rest, "\n");
        size_t length;

        line += strspn(line, space);
        for (length = strlen(line); length > 0 && strchr(space, line[length - 1]) != NULL; length--)
            line[length - 1] = '\0';
        if (line[0] != '\0' && line[0] != '#')
            code = add_line(detecting, list, number, line, images, videos);
    }
    free(text);
    return code;
}

int cli_detect_list(const struct shw_command *command, struct cli_detecting *detecting, char **arguments, int count,
                    struct cli_image_list *images, struct cli_image_list *videos)
{
    struct shw_image_paths paths = {0};
    int code = SHW_CONTINUE;

    for (int i = 0; i < count && code == SHW_CONTINUE; i++)
        if (is_list(arguments[i]))
            code = add_list(detecting, arguments[i], &paths, videos);
        else if (is_video(arguments[i]))
            code = add_video(detecting, arguments[i], videos);
        else if (!shw_image_paths_add(&paths, "", arguments[i]))
            code = cli_fail(&detecting->report, "not enough memory for the names of images");
    if (code == SHW_CONTINUE && paths.count > 0)
        code =
            cli_list_images(command, &detecting->report, paths.paths, (int)paths.count, detecting->page, false, images);
    if (code == SHW_CONTINUE && count > 0 && images->count + videos->count == 0)
        code = shw_usage_error(command, "there are no images in %s", arguments[0]);
    shw_image_paths_free(&paths);
    return code;
}
