/* Frames whose colours, depth and labels are image files. */
#ifndef SHW_FILES_CONVERT_FRAME_FILES_H
#define SHW_FILES_CONVERT_FRAME_FILES_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "files/convert/source.h"
#include "files/dataset/examples.h"
#include "files/io/image_paths.h"

/* The files of a frame. */
struct shw_frame_paths {
    char *name, *colours, *depth;
    char *labels; /* NULL: none, which is void everywhere where others have labels */
};

struct shw_frame_files {
    const struct shw_source_params *params;
    uint32_t units;
    struct shw_frame_paths *list;
    uint32_t count, capacity, labelled; /* with a label file */
    struct shw_label_names names;
};

/* Where a frame's name, which is that of its colour image without the extension, begins and how long it is. False if
 * it has none that can be a file's: it is empty, hidden, longer than 200 bytes or has control characters. */
bool shw_frame_name_of(const char *path, const char **name, size_t *length);

/* Adds a frame; takes ownership of the texts, also on failure; any of the first three that is NULL is a failure.
 * Errors: MEMORY. */
enum shw_result shw_frame_files_add(struct shw_frame_files *files, const struct shw_frame_paths *paths);

/* The frames of a folder, which `find` adds, sorted by name in natural order; `units` is the usual number. Warns if
 * some frames have no label image and others have one. Errors: MEMORY; FORMAT if there is no frame, two have one name,
 * or a label folder is stated that has no label image of any; what `find` returns. To be closed with
 * shw_frame_files_close(). */
enum shw_result shw_frame_files_open(const struct shw_source_params *params, uint32_t units,
                                     enum shw_result (*find)(struct shw_frame_files *files),
                                     struct shw_frame_files **opened);

/* The label image of a frame in a folder, NAME.png; NULL if there is none, or memory is exhausted. */
char *shw_frame_label_path(const char *folder, const char *name);

/* The other functions of a kind of source whose `source` is a struct shw_frame_files from malloc(). */
uint32_t shw_frame_files_count(const void *source);
bool shw_frame_files_have_labels(const void *source);
const struct shw_label_names *shw_frame_files_names(const void *source);
const char *shw_frame_files_name(const void *source, uint32_t index);
void shw_frame_files_visit(const void *source, uint32_t index, void (*visit)(void *user, const char *path), void *user);
enum shw_result shw_frame_files_read_source(void *source, uint32_t index, bool labels_only, struct shw_frame *frame);
void shw_frame_files_close(void *source);

/* These functions, for a struct shw_source_kind. */
#define SHW_FRAME_FILES_FUNCTIONS                                                                                      \
    .count = shw_frame_files_count, .has_labels = shw_frame_files_have_labels, .names = shw_frame_files_names,         \
    .frame_name = shw_frame_files_name, .visit_files = shw_frame_files_visit, .read = shw_frame_files_read_source,     \
    .close = shw_frame_files_close

/* Folders of sources. */

/* Whether a folder has that folder, or that regular file. */
static inline bool shw_folder_has_folder(const char *folder, const char *name)
{
    char *path = shw_path_in(folder, name);
    struct stat status;
    bool has = path != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode);

    free(path);
    return has;
}

static inline bool shw_folder_has_file(const char *folder, const char *name)
{
    char *path = shw_path_in(folder, name);
    bool has = path != NULL && shw_is_file(path);

    free(path);
    return has;
}

/* The paths of the files in a folder whose names are accepted. Errors: IO, MEMORY. */
static inline enum shw_result shw_folder_list(const char *folder, bool (*accepts)(const char *name),
                                              const struct shw_log *log, struct shw_image_paths *paths)
{
    errno = 0;
    if (!shw_image_paths_list(paths, folder, accepts))
        return shw_fail_memory(log, folder);
    return errno == 0 ? SHW_OK
                      : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open the folder %s: %s", folder,
                                 strerror(errno));
}

#endif
