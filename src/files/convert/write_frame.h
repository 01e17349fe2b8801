/* The files that a frame becomes, in CURFIL's layout: NAME_colors.png, NAME_depth.png and, with labels,
 * NAME_ground_truth.png. Each has a text that says what it was made from, so that a frame whose files are all there is
 * known.
 */
#ifndef SHW_FILES_CONVERT_WRITE_FRAME_H
#define SHW_FILES_CONVERT_WRITE_FRAME_H

#include "base/file_bytes.h"
#include "files/convert/classes.h"
#include "files/io/output_files.h"

enum shw_converted_file { SHW_CONVERTED_COLOURS, SHW_CONVERTED_DEPTH, SHW_CONVERTED_LABELS, SHW_CONVERTED_FILES };

/* A conversion of a source into a folder. Borrowed. */
struct shw_conversion {
    const char *folder;
    const char *prefix;      /* of the names of frames */
    const char *source_name; /* that of its file or folder */
    const struct shw_source_kind *kind;
    void *source;
    const struct shw_source_params *params;
    struct shw_frame_part part;
    const struct shw_converted_classes *classes; /* NULL: without labels */
    struct shw_output_files *files;              /* that were checked */
};

/* How many of the files of enum shw_converted_file there are for each frame. */
uint32_t shw_conversion_file_count(const struct shw_conversion *conversion);

/* The path of a file of a frame, in `path`. */
void shw_conversion_path(const struct shw_conversion *conversion, uint32_t frame, enum shw_converted_file file,
                         char *path, size_t size);

extern const struct shw_file_kind *const shw_converted_kinds[SHW_CONVERTED_FILES];

/* Whether the files of a frame exist, were made in the same way from the same files, by name, size and modification
 * time, and have not been changed since. */
bool shw_conversion_has(const struct shw_conversion *conversion, uint32_t frame);

/* Reads a frame and writes its files, each atomically. Errors: those of reading, IO, MEMORY. */
enum shw_result shw_conversion_write(const struct shw_conversion *conversion, uint32_t frame);

/* What the folder of a conversion holds besides the frames to be written: readers of the folder take all frames as one
 * data set with one palette. */

#define SHW_REMAINS_NAME 256

struct shw_stale_files {
    uint32_t own;    /* files of an earlier conversion of the same frames that this one omits */
    uint32_t others; /* label images of other frames, or changed since they were written */
    char first_own[SHW_REMAINS_NAME], first_other[SHW_REMAINS_NAME]; /* file names without folder */
    uint32_t replaced;                      /* frames of another source that are to be written */
    char replaced_source[SHW_REMAINS_NAME]; /* its name */
};

/* Examines the folder, to which frames 0, `every`, 2 `every` and so on of the source are to be written. Errors: MEMORY.
 */
enum shw_result shw_stale_files_find(const struct shw_conversion *conversion, uint32_t every,
                                     struct shw_stale_files *remains);

/* Removes the files counted as `own`. */
void shw_stale_files_remove(const struct shw_conversion *conversion, uint32_t every);

#endif
