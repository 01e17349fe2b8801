/* Trees of the kind that Kinect used (Shotton 2011), in the text format of the Point Cloud Library's people module:
 *
 *   the depth D
 *   2^D - 1 tests, `du1 dv1 du2 dv2 threshold` each, level by level
 *   2^D labels, of the leaves from left to right
 *
 * as whole numbers with white space between them. docs/exchange.md says what they mean. */
#ifndef SHW_FORMATS_KINECT_H
#define SHW_FORMATS_KINECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/import.h>
#include <shadewood/log.h>

#define SHW_KINECT_LABELS 25u

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
    bool keeps_all;                /* keep tests whose leaves all have one label */
};

/* Parses `size` bytes of text, which are not trusted and end with a zero byte that is not counted. `name` appears in
 * messages. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_kinect_tree_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_kinect_tree *tree);

/* Reads what may be packed by bzip2 or gzip. Errors: IO and UNSUPPORTED, too. */
enum shw_result shw_kinect_tree_read(const struct shw_import_source *source, const struct shw_log *log,
                                     struct shw_kinect_tree *tree);

/* Cuts a deeper tree: a test at `depth` becomes a leaf with the most frequent label below it, the lowest of several. */
void shw_kinect_tree_cut(struct shw_kinect_tree *tree, uint32_t depth);

/* Accepts a zero-initialised one. */
void shw_kinect_tree_free(struct shw_kinect_tree *tree);

/* Kinect trees as a forest of feature type kinect-difference over the channels `depth`. */

/* Makes the nodes of a tree and one distribution per label, which is entirely of one class. Unless the tree keeps
 * everything, a subtree whose leaves have one label becomes a leaf. To be freed with shw_kinect_nodes_free(). Errors:
 * MEMORY. */
enum shw_result shw_kinect_nodes_make(const struct shw_kinect_tree *tree, const struct shw_log *log,
                                      struct shw_tree *made);

/* Accepts a zero-initialised one. */
void shw_kinect_nodes_free(struct shw_tree *made);

/* Makes a forest of `count` trees. `training`: the provenance, a JSON object. Errors: those of shw_forest_create(). */
enum shw_result shw_kinect_forest_make(const struct shw_kinect_tree *trees, uint32_t count, const char *training,
                                       const struct shw_log *log, struct shw_forest **forest);

/* Kinect's forests for other cameras. The offsets of their tests are pixels at a depth of one metre and so hold for one
 * focal length; for another they are scaled by the ratio of both. */

#define SHW_KINECT_FOCAL 525u /* pixels, in images SHW_KINECT_WIDTH wide: what the trees were made for */
#define SHW_KINECT_WIDTH 640u

/* Scales an offset from the focal length `from` to `focal`, both from 1 to SHW_FOCAL_MAX: offset * focal / from,
 * rounded to the nearest integer, halves away from zero, and clamped to -32767..32767. */
int32_t shw_focal_offset(int32_t offset, uint32_t focal, uint32_t from);

/* The focal length in pixels that a forest's offsets hold for: as its provenance states, or Kinect's if the forest was
 * imported from its trees. 0: unknown. Any thread. */
uint32_t shw_forest_focal(const struct shw_forest_info *info);

/* Whether Kinect's was assumed because none is stated, which holds for images SHW_KINECT_WIDTH wide. */
bool shw_forest_focal_is_assumed(const struct shw_forest_info *info);

/* Warns if the assumed focal length does not hold for the width of an image; `way_out` says what to do. Returns whether
 * it warned. */
bool shw_focal_warn(const char *image, uint32_t width, const char *way_out, const struct shw_log *log);

/* Makes a forest for another focal length: the same trees with scaled offsets; the provenance states it
 * (`focal_length`). `name` begins messages. Errors: ARGUMENT (the forest's own focal length is unknown, or its type is
 * not kinect-difference), MEMORY. */
enum shw_result shw_forest_focus(const struct shw_forest *forest, uint32_t focal, const char *name,
                                 const struct shw_log *log, struct shw_forest **focused);

/* The same in place of the forest, unless `focal` is 0. After an error the forest is as it was. */
enum shw_result shw_forest_refocus(struct shw_forest **forest, uint32_t focal, const char *name,
                                   const struct shw_log *log);

#endif
