/* Where files are, what they are called from another one's folder, and whether they have changed. */
#ifndef VIEW_SOURCE_FILE_PLACE_H
#define VIEW_SOURCE_FILE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* The folder of the last path that was asked for: most are in the same one. Zero-initialised at first. */
struct view_real_folder {
    char *given, *real;
};
void view_real_folder_free(struct view_real_folder *folder);

/* The path of a file with its folder's links and dots resolved, which need not exist. To be freed with free(); NULL if
 * out of memory. */
char *view_real_place(const char *path, struct view_real_folder *folder);

/* The folder of a file, which need not exist, without links and with a trailing slash. NULL if out of memory, or if
 * there is no such folder. */
char *view_folder_of(const char *path);

/* The name of a file from a folder without links and with a trailing slash: relative if it is below. NULL if out of
 * memory. */
char *view_name_from(const char *folder, const char *file);

/* The name under which a picture without a file is stored with a project or annotations, from the folder of `file`:
 * STEM-frames/NAME.png, with a number for further pictures of that name. NULL if out of memory. */
char *view_frame_name(const char *file, const char *picture, uint32_t number);

/* The same of another input of the picture that is stored as `frame`: STEM-frames/INPUT/NAME.png, where no picture is.
 */
char *view_frame_input_name(const char *frame, const char *input);

/* Whether a picture that is not a file may be stored there: nothing is there, or the same was stored before. */
bool view_frame_may_be(const char *path, const struct shw_image *image);

/* Creates the folder of a file, unless it exists, in one that does. Errors: IO, MEMORY. */
enum shw_result view_make_folder_of(const char *file, const struct shw_log *log);

/* Whether both paths are those of one file that exists. */
bool view_is_same_file(const char *path, const char *other);

/* A file as it was when it was read or written; each writing makes a new one. */
struct view_file_stamp {
    uint64_t device, number;
    int64_t size, seconds, nanoseconds; /* of the last change */
};

/* All zero if there is no such file. */
struct view_file_stamp view_file_stamp_of(const char *path);

/* Whether the file is there and is another one, or has been changed. */
bool view_file_has_changed(const char *path, const struct view_file_stamp *before);

/* Creates a folder unless it exists. Errors: IO. */
enum shw_result view_make_folder(const char *path, const struct shw_log *log);

#endif
