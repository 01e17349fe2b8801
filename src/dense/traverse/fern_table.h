/* Ferns on the device: the test of each level, and the leaves by the results of the tests (shared/walk_node.h). */
#ifndef SHW_DENSE_TRAVERSE_FERN_TABLE_H
#define SHW_DENSE_TRAVERSE_FERN_TABLE_H

#include <shadewood/forest.h>

/* Texels of the first `trees` trees with tests of `test_texels` texels; 0 if the forest is not one of ferns. */
uint64_t shw_fern_table_texels(const struct shw_forest *forest, uint32_t trees, uint32_t test_texels);

/* Writes 4 * shw_fern_table_texels() words; numbers of texels and words are relative to their beginning. `stride` and
 * `pitch` are those of the integral images, for tests that the feature type prepares. */
void shw_fern_table_write(const struct shw_forest *forest, uint32_t trees, uint32_t test_texels, uint32_t stride,
                          uint32_t pitch, uint32_t *words);

#endif
