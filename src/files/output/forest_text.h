/* Trees and the provenance of models as text and as JSON. */
#ifndef SHW_FILES_OUTPUT_FOREST_TEXT_H
#define SHW_FILES_OUTPUT_FOREST_TEXT_H

#include <jansson.h>

#include <shadewood/forest.h>

/* Prints one line per node on standard output. */
void shw_print_tree(const struct shw_forest *forest, uint32_t tree);

/* Prints the line of a leaf: node `node` with the likeliest class of `distribution`. */
void shw_print_leaf(const struct shw_forest_info *info, uint32_t node, uint32_t leaf, const uint16_t *distribution);

/* The sign before region `number` of a test. */
const char *shw_region_sign(const struct shw_feature_region *region, uint32_t number);

/* The class_count values of a distribution as a list; NULL if out of memory. */
json_t *shw_distribution_json(const struct shw_forest_info *info, const uint16_t *distribution);

/* All nodes of a tree as a JSON document, with whole distributions; NULL if out of memory. */
json_t *shw_tree_json(const struct shw_forest *forest, uint32_t tree);

/* Prints the members of a provenance, a JSON object, on standard output, except the one named `without`; NULL: all. */
void shw_print_provenance(const char *record, const char *without);

#endif
