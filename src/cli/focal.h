/* --focal: the focal length of the camera whose images a forest of Kinect's kind sees. */
#ifndef SHW_CLI_FOCAL_H
#define SHW_CLI_FOCAL_H

#include "base/options.h"
#include "files/formats/kinect_focal.h"

/* Zero-initialised. */
struct cli_focal {
    uint32_t given; /* pixels; 0: not given */
    bool warned;
};

#define CLI_FOCAL_OPTION(focal)                                                                                        \
    SHW_OPTION_WITHIN(                                                                                                 \
        SHW_VALUE_NUMBER, "focal", 0, "N", &(focal).given, 1, SHW_FOCAL_MAX,                                           \
        "the focal length of the images' camera in pixels, for forests\nof Kinect's trees (the one that "              \
        "import was told, or 525)")

/* Puts one for the focal length, if it is given, in the place of *forest, which stays if that fails. `path` begins
 * messages. Errors: those of shw_forest_focus(). */
enum shw_result cli_focus(const struct cli_focal *focal, const char *path, const struct shw_log *log,
                          struct shw_forest **forest);

/* Warns, once, of an image of another width than that for which a forest's assumed focal length holds. */
void cli_check_focal(struct cli_focal *focal, const struct shw_forest_info *info, const char *image, uint32_t width,
                     const struct shw_log *log);

#endif
