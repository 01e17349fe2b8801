/* What the folder of a conversion has besides the frames that are to be written: whoever reads the folder takes all
 * frames as one data set, with one palette. */
#ifndef SHW_FILES_CONVERT_STALE_FILES_H
#define SHW_FILES_CONVERT_STALE_FILES_H

#include "files/convert/write_frame.h"

#define SHW_REMAINS_NAME 256

struct shw_stale_files {
    uint32_t own;    /* files of an earlier conversion of frames of these names, which this one leaves out */
    uint32_t others; /* label images of other frames, or changed since they were written */
    char first_own[SHW_REMAINS_NAME], first_other[SHW_REMAINS_NAME]; /* file names without folder */
    uint32_t replaced;                      /* frames of another source that are to be written */
    char replaced_source[SHW_REMAINS_NAME]; /* its name */
};

/* Goes through the folder, of which frames 0, `every`, 2 `every` and so on of the source are to be written. Errors:
 * MEMORY. */
enum shw_result shw_stale_files_find(const struct shw_conversion *conversion, uint32_t every,
                                     struct shw_stale_files *remains);

/* Removes the files that are counted as `own`. */
void shw_stale_files_remove(const struct shw_conversion *conversion, uint32_t every);

#endif
