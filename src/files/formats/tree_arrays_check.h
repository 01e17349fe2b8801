/* Trees as arrays in JSON, checked in their text: a small packed file can unpack to hundreds of millions of numbers,
 * for which no memory is taken unless they can be a tree. */
#ifndef SHW_FILES_FORMATS_TREE_ARRAYS_CHECK_H
#define SHW_FILES_FORMATS_TREE_ARRAYS_CHECK_H

#include <stdint.h>

#include "files/formats/json_model.h"

/* Checks, of the text of a tree, that its arrays are there and have one element per node, that every node but the root
 * is the child of at most one other, and that there are not more values than such a tree with `outputs` values per node
 * needs. Takes a bit per node. `begin` is where the text of the file begins, `part` the tree for messages. Errors:
 * FORMAT, LIMIT, MEMORY. */
enum shw_result shw_tree_arrays_check(const struct shw_json_part *part, const char *begin,
                                      const struct shw_json_slice *tree, uint32_t outputs);

#endif
