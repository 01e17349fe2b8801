#include "source/file_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "source/picture.h"

void view_real_folder_free(struct view_real_folder *folder)
{
    free(folder->given);
    free(folder->real);
    *folder = (struct view_real_folder){0};
}

char *view_real_place(const char *path, struct view_real_folder *folder)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;

    if (folder->given == NULL || strlen(folder->given) != length || strncmp(folder->given, path, length) != 0) {
        view_real_folder_free(folder);
        folder->given = strndup(path, length);
        folder->real = folder->given != NULL ? realpath(length > 0 ? folder->given : ".", NULL) : NULL;
    }
    return folder->real != NULL ? shw_path_in(folder->real, path + length) : strdup(path);
}

char *view_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    char *whole = real != NULL ? shw_path_join(real, strcmp(real, "/") == 0 ? "" : "/", "") : NULL;

    free(folder);
    free(real);
    return whole;
}

char *view_name_from(const char *folder, const char *file)
{
    struct view_real_folder real = {0};
    char *place = view_real_place(file, &real), *name;
    size_t length = strlen(folder);

    view_real_folder_free(&real);
    if (place == NULL || length == 0 || strncmp(place, folder, length) != 0)
        return place;
    name = strdup(place + length);
    free(place);
    return name;
}

char *view_frame_name(const char *file, const char *picture, uint32_t number)
{
    const char *base = shw_path_last(file), *last = shw_path_last(picture);
    char stem[NAME_MAX + 1], ending[24];
    size_t length = strlen(base) - (shw_name_ends_with(base, ".json") ? 5 : shw_name_ends_with(base, ".csv") ? 4 : 0);

    snprintf(stem, sizeof stem, "%.*s-frames/", (int)length, base);
    snprintf(ending, sizeof ending, number > 1 ? "-%u.png" : ".png", number);
    return shw_path_join(stem, last, ending);
}

char *view_frame_input_name(const char *frame, const char *input)
{
    const char *last = shw_path_last(frame);
    char *folder = strndup(frame, (size_t)(last - frame)), *inside = NULL, *name = NULL;

    if (folder != NULL)
        inside = shw_path_join(folder, input, "/");
    if (inside != NULL)
        name = shw_path_join(inside, last, "");
    free(folder);
    free(inside);
    return name;
}

bool view_frame_may_be(const char *path, const struct shw_image *image)
{
    const struct shw_log silent = {0};
    struct shw_image_file file = {0};
    bool same;

    if (access(path, F_OK) != 0)
        return true;
    same = shw_png_is_marked(path, SHW_MARK_FRAME) && shw_image_file_read(path, NULL, &silent, &file) == SHW_OK &&
           view_has_same_pixels(&file.image, image);
    shw_image_file_free(&file);
    return same;
}

enum shw_result view_make_folder_of(const char *file, const struct shw_log *log)
{
    char *folder = strndup(file, (size_t)(shw_path_last(file) - file));
    enum shw_result result;

    if (folder == NULL)
        return shw_fail_memory(log, file);
    if (folder[0] != '\0')
        folder[strlen(folder) - 1] = '\0';
    result = view_make_folder(folder, log);
    free(folder);
    return result;
}

struct view_file_stamp view_file_stamp_of(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return (struct view_file_stamp){0};
    return (struct view_file_stamp){.device = status.st_dev,
                                    .number = status.st_ino,
                                    .size = status.st_size,
                                    .seconds = status.st_mtim.tv_sec,
                                    .nanoseconds = status.st_mtim.tv_nsec};
}

static bool same_stamp(const struct view_file_stamp *a, const struct view_file_stamp *b)
{
    return a->device == b->device && a->number == b->number && a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

bool view_file_has_changed(const char *path, const struct view_file_stamp *before)
{
    const struct view_file_stamp now = view_file_stamp_of(path);

    return now.number != 0 && !same_stamp(&now, before);
}

bool view_is_same_file(const char *path, const char *other)
{
    char *real = realpath(path, NULL), *real_other = realpath(other, NULL);
    bool same = real != NULL && real_other != NULL && strcmp(real, real_other) == 0;

    free(real);
    free(real_other);
    return same;
}

enum shw_result view_make_folder(const char *path, const struct shw_log *log)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? SHW_OK
                                                     : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                                                                "cannot make the folder %s: %s", path, strerror(errno));
}
