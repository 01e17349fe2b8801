/* How much the channels of a forest matter: what the tests that read them gained, and how many there are. */
#ifndef SHW_FILES_OUTPUT_IMPORTANCE_H
#define SHW_FILES_OUTPUT_IMPORTANCE_H

#include <jansson.h>

#include <shadewood/forest.h>

/* Prints, on standard output, shares by kind of channel; `all`: and by channel, level and pair of channels. */
void shw_print_importance(const struct shw_forest *forest, bool all);

/* All of them as a JSON document; NULL if out of memory. */
json_t *shw_importance_json(const struct shw_forest *forest);

#endif
