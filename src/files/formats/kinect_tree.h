/* Trees of the kind that Kinect used (Shotton 2011), in the text format of the Point Cloud Library's people module:
 *
 *   the depth D
 *   2^D - 1 tests, `du1 dv1 du2 dv2 threshold` each, level by level
 *   2^D labels, of the leaves from left to right
 *
 * as whole numbers with white space between them. docs/exchange.md says what they mean. */
#ifndef SHW_FILES_FORMATS_KINECT_TREE_H
#define SHW_FILES_FORMATS_KINECT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
