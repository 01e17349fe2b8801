/* Data preparation: the files made from one depth image. */
#ifndef SHW_FILES_DEPTH_PREPARE_H
#define SHW_FILES_DEPTH_PREPARE_H

#include <stdbool.h>

#include "files/depth/fill_colorization.h"
#include "files/depth/height.h"
#include "files/io/output_files.h"

enum shw_depth_fill { SHW_DEPTH_FILL_SIMPLE, SHW_DEPTH_FILL_COLORIZATION, SHW_DEPTH_FILL_NONE };

struct shw_depth_settings {
    enum shw_depth_fill fill;
    struct shw_colorization colorization;
    bool has_focal, has_centre; /* what is not stated about the camera is assumed (shw_camera_assume()) */
    struct shw_camera camera;
};

/* The files of an image. The first two are 16-bit grey in millimetres, and colours of the same size, for colorization
 * alone; the results are marked 16-bit PNG files, NULL if they are not wanted. */
struct shw_depth_files {
    char *depth, *colours;
    char *filled, *heights;
};

/* What was done. */
struct shw_prepared {
    bool up_to_date; /* nothing: the results exist, made from the same files with the same settings */
    uint32_t width, height;
    size_t missing;           /* pixels without depth before */
    struct shw_ground ground; /* if heights were wanted */
};

/* Reads the image, fills it, finds the ground from measured depth, and writes the results, which are checked outputs,
 * unless all are up to date. Any thread. Errors: IO, FORMAT, LIMIT, MEMORY, UNSUPPORTED. */
enum shw_result shw_prepare_depth(const struct shw_depth_files *files, const struct shw_depth_settings *settings,
                                  const struct shw_output_files *outputs, const struct shw_log *log,
                                  struct shw_prepared *prepared);

#endif
