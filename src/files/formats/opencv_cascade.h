/* Cascades of OpenCV, in XML: of opencv_traincascade (boosted, Haar or LBP features) and of the older
 * opencv_haartraining, whose stages must form a chain. docs/exchange.md says what is read of them. */
#ifndef SHW_FILES_FORMATS_OPENCV_CASCADE_H
#define SHW_FILES_FORMATS_OPENCV_CASCADE_H

#include <stddef.h>

#include "files/formats/cascade_import.h"

/* For shw_cascade_create(). The arrays of `info` are to be freed by shw_opencv_cascade_free(). */
struct shw_opencv_cascade {
    struct shw_cascade_info info;
};

/* Parses `size` bytes, which are not trusted. `name` appears in messages, with the line. What has no place in the file,
 * as rectangles that leave the window, is left to shw_cascade_create(). Errors: FORMAT, LIMIT, MEMORY, UNSUPPORTED in
 * a build without an XML library. */
enum shw_result shw_opencv_cascade_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                         struct shw_opencv_cascade *cascade);

shw_cascade_read_function shw_opencv_cascade_read;

/* Accepts a zero-initialised one. */
void shw_opencv_cascade_free(struct shw_opencv_cascade *cascade);

#endif
