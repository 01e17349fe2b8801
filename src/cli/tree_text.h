/* The nodes of a tree for people and for programs. */
#ifndef SHW_CLI_TREE_TEXT_H
#define SHW_CLI_TREE_TEXT_H

#include <jansson.h>

#include <shadewood/forest.h>

/* Prints a line for each node on standard output. */
void cli_print_tree(const struct shw_forest *forest, uint32_t tree);

/* The same as a JSON document, with whole distributions; NULL without memory. */
json_t *cli_tree_json(const struct shw_forest *forest, uint32_t tree);

#endif
