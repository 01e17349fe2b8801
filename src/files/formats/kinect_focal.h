/* Kinect's forests for other cameras. The offsets of their tests are pixels at a depth of one metre, so they hold for
 * one focal length; those of another are multiplied by the quotient of both. */
#ifndef SHW_FILES_FORMATS_KINECT_FOCAL_H
#define SHW_FILES_FORMATS_KINECT_FOCAL_H

#include <shadewood/forest.h>

#define SHW_KINECT_FOCAL 525u /* pixels, in images SHW_KINECT_WIDTH wide: what the trees were made for */
#define SHW_KINECT_WIDTH 640u
#define SHW_FOCAL_MAX    65535u

/* An offset of the focal length `from` for that of `focal`, both from 1 to SHW_FOCAL_MAX: offset * focal / from,
 * rounded to the nearest integer, halves away from zero, and clamped to -32767..32767. */
int32_t shw_focal_offset(int32_t offset, uint32_t focal, uint32_t from);

/* The focal length in pixels for which a forest's offsets are: what the training record states, or that of Kinect if
 * the forest was imported from its trees. 0: unknown. Any thread. */
uint32_t shw_forest_focal(const struct shw_forest_info *info);

/* Whether it is Kinect's only because nothing was stated, which holds for images SHW_KINECT_WIDTH wide. */
bool shw_forest_focal_is_assumed(const struct shw_forest_info *info);

/* Warns of an image of another width than that for which the assumed focal length holds; `way_out` says what to do.
 * Returns whether it did. */
bool shw_focal_warn(const char *image, uint32_t width, const char *way_out, const struct shw_log *log);

/* Makes a forest for another focal length, whose training record states it (`focal_length`): the same trees with other
 * offsets. `name` begins messages. Errors: ARGUMENT (the forest's own is unknown, or its type is not
 * kinect-difference), MEMORY. */
enum shw_result shw_forest_focus(const struct shw_forest *forest, uint32_t focal, const char *name,
                                 const struct shw_log *log, struct shw_forest **focused);

#endif
