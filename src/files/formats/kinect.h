/* Trees of the kind that Kinect used (Shotton 2011), in the text format of the Point Cloud Library's people module:
 *
 *   the depth D
 *   2^D - 1 tests, `du1 dv1 du2 dv2 threshold` each, level by level
 *   2^D labels, of the leaves from left to right
 *
 * as whole numbers with white space between them. docs/exchange.md says what they mean. */
#ifndef SHW_FILES_FORMATS_KINECT_H
#define SHW_FILES_FORMATS_KINECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/forest.h>
#include <shadewood/log.h>

#define SHW_KINECT_LABELS    25u
#define SHW_KINECT_DEPTH_MAX 23u /* such a tree has as many nodes as a tree may have */

/* Goes right if D(x + du[0] * 1000 / d, y + dv[0] * 1000 / d) - D(x + du[1] * 1000 / d, y + dv[1] * 1000 / d) >
 * threshold. */
struct shw_kinect_test {
    int16_t du[2], dv[2], threshold;
};

/* A complete tree: the children of test i are 2 i + 1 and 2 i + 2; numbers from 2^depth - 1 on are leaves. */
struct shw_kinect_tree {
    uint32_t depth;
    struct shw_kinect_test *tests; /* 2^depth - 1 */
    uint8_t *labels;               /* 2^depth; less than SHW_KINECT_LABELS */
    bool keeps_all;                /* a forest has all tests, also those whose leaves have one label */
};

/* Parses `size` bytes of text, which are not trusted and end with a zero byte that is not counted. `name` appears in
 * messages. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_kinect_tree_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_kinect_tree *tree);

/* Reads a file, which may be packed by bzip2 or gzip. Errors: IO and UNSUPPORTED, too. */
enum shw_result shw_kinect_tree_read(const char *path, const struct shw_log *log, struct shw_kinect_tree *tree);

/* Makes a deeper tree `depth` deep: a test there becomes a leaf with the label of most leaves below it, the lowest of
 * several. */
void shw_kinect_tree_cut(struct shw_kinect_tree *tree, uint32_t depth);

/* Accepts a zero-initialised one. */
void shw_kinect_tree_free(struct shw_kinect_tree *tree);

/* Kinect trees as a forest of feature type kinect-difference over the channels `depth`. */

/* The names of the 25 body parts by label, in the Point Cloud Library's spelling. */
extern const char *const shw_kinect_parts[SHW_KINECT_LABELS];

/* Makes the nodes of a tree and the distributions of its labels, each of which is all of one class. Unless the tree
 * keeps everything, a part of it whose leaves have one label becomes a leaf. To be freed with shw_kinect_nodes_free().
 * Errors: MEMORY. */
enum shw_result shw_kinect_nodes_make(const struct shw_kinect_tree *tree, const struct shw_log *log,
                                      struct shw_tree *made);

/* Accepts a zero-initialised one. */
void shw_kinect_nodes_free(struct shw_tree *made);

/* Makes a forest of `count` trees. `training`: its record, a JSON object. Errors: those of shw_forest_create(). */
enum shw_result shw_kinect_forest_make(const struct shw_kinect_tree *trees, uint32_t count, const char *training,
                                       const struct shw_log *log, struct shw_forest **forest);

/* Kinect's forests for other cameras. The offsets of their tests are pixels at a depth of one metre, so they hold for
 * one focal length; those of another are multiplied by the quotient of both. */

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
