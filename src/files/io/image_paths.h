/* Paths of files, and lists of those of images. */
#ifndef SHW_FILES_IO_IMAGE_PATHS_H
#define SHW_FILES_IO_IMAGE_PATHS_H

#include <stdbool.h>
#include <stdint.h>

/* Creates the folders of a file that are missing, for the user alone. Failures show when the file is created. */
void shw_make_private_folders(const char *file);

/* Three texts as one, to be freed with free(); NULL if memory is exhausted. */
char *shw_path_join(const char *first, const char *second, const char *third);

/* The name in its folder: what comes after the last slash. */
const char *shw_path_last(const char *path);

/* The name in the folder, with a slash between them; the name alone if the folder is "" or the name begins with a
 * slash. As above. */
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
