/* A tree of a LightGBM model. */
#ifndef SHW_FILES_FORMATS_LIGHTGBM_TREE_H
#define SHW_FILES_FORMATS_LIGHTGBM_TREE_H

#include "files/formats/lightgbm_text.h"
#include "files/formats/record_branches.h"

/* Reads a section after its line "Tree=". The root is the first branch, branches are the splits and then the leaves in
 * LightGBM's order, and their sources are its numbers. The values are to be freed with free(). Errors: FORMAT,
 * also for linear leaves, MEMORY. */
enum shw_result shw_lightgbm_tree_read(struct shw_lightgbm_text *text, uint32_t attribute_count,
                                       struct shw_branches *branches);

#endif
