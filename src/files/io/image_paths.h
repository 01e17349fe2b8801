/* Names and paths of image files and videos, and lists of them. The format of a file is recognised by its contents
 * only. */
#ifndef SHW_FILES_IO_IMAGE_PATHS_H
#define SHW_FILES_IO_IMAGE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a name ends so, ignoring case, with something before it. */
bool shw_name_ends_with(const char *name, const char *ending);

/* The endings of image files' names; the text of the last is NULL. */
struct shw_image_ending {
    const char *text;
    bool holds_labels; /* the format keeps every value, so that an image can have labels */
};
extern const struct shw_image_ending shw_image_endings[];

/* Whether a name has the extension of a supported image format. */
bool shw_is_image_name(const char *name);

/* Whether a name has one of the usual endings of videos. */
bool shw_is_video_name(const char *name);

/* Whether a name has the ending of a container that can be written: .mkv, .mp4, .mov or .avi. */
bool shw_video_can_be_written(const char *name);

/* The path of an image may name a page of its file: "scans/stack.tif#3" is page 3 of scans/stack.tif, counted from 1.
 * Returns the length of the file's path; *page becomes 0 if none is named. Looks at the text alone. */
size_t shw_image_page_of(const char *path, uint32_t *page);

/* The path of the image's file, to be freed with free(), and its page; 0 if none is named. A file that has all of the
 * path as its name is no page of another. NULL if memory is exhausted. */
char *shw_image_file_of(const char *path, uint32_t *page);

/* Whether the image's file is a regular file. */
bool shw_image_has_file(const char *path);

/* The path of a page, to be freed with free(). NULL if memory is exhausted. */
char *shw_image_page_path(const char *file, uint32_t page);

/* The name of an image for the files that are made from it: that of its file without folders and extension, with
 * "_page3" if it names a page. Written to `name`, cut off at the end, and returned. */
#define SHW_BASE_NAME_SIZE 1024u
const char *shw_image_base_name(const char *path, char name[SHW_BASE_NAME_SIZE]);

/* Creates the folders of a file that are missing, for the user alone. Failures show when the file is created. */
void shw_make_private_folders(const char *file);

/* Three texts as one, to be freed with free(); NULL if memory is exhausted. */
char *shw_path_join(const char *first, const char *second, const char *third);

/* The name in its folder: what comes after the last slash. */
const char *shw_path_last(const char *path);

/* Whether it begins at a root: with a slash or, on Windows, with a drive. */
bool shw_path_is_absolute(const char *path);

/* A path in one of the user's folders, to be freed with free(): that of a variable of XDG, such as XDG_CACHE_HOME, or,
 * if it has no absolute path, `usual`, such as ".cache", in HOME. NULL if there is neither, or memory is exhausted. */
char *shw_path_of_user(const char *variable, const char *usual, const char *rest);

/* The name in the folder, with a slash between them; the name alone if the folder is "" or the name is absolute. As
 * above. */
char *shw_path_in(const char *folder, const char *name);

/* Identifies the file of an image, or its page, whatever name it was given: its path without links,
 * with "#3" for page 3. To be freed with free(); NULL if there is no such file or memory is exhausted. */
char *shw_image_real_path(const char *path);

struct shw_image_paths {
    char **paths;
    uint32_t count;
};

/* Appends shw_path_in(). False if memory is exhausted. */
bool shw_image_paths_add(struct shw_image_paths *paths, const char *folder, const char *name);

/* Appends the image files of a folder, those of names that `accepts`, in natural order (base/text.h); none,
 * and errno is set, if it cannot be read. False if memory is exhausted. */
bool shw_image_paths_list(struct shw_image_paths *paths, const char *folder, bool (*accepts)(const char *name));

/* Sorts them bytewise, as what is learnt from them needs: it may not depend on what is natural. */
void shw_image_paths_sort_bytewise(struct shw_image_paths *paths);

/* Accepts zero-initialised and freed ones. */
void shw_image_paths_free(struct shw_image_paths *paths);

#endif
