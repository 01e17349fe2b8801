/* Kinect trees as a forest of feature type kinect-difference over the channels `depth`. */
#ifndef SHW_FILES_FORMATS_KINECT_FOREST_H
#define SHW_FILES_FORMATS_KINECT_FOREST_H

#include <shadewood/forest.h>

#include "files/formats/kinect_tree.h"

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

#endif
