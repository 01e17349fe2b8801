/* Trees that are ferns, as evaluation with one test per level reads them. */
#ifndef SHW_DENSE_FOREST_FERNS_H
#define SHW_DENSE_FOREST_FERNS_H

#include "dense/feature/evaluate_cpu.h"

/* The levels that a table of leaves may have. All tables may also have no more entries than four per node, unless that
 * is less than SHW_FERN_ENTRIES_FREE: sparse trees of many levels are walked node by node. */
#define SHW_FERN_LEVELS_MAX   20u
#define SHW_FERN_ENTRIES_FREE (1u << 20)

struct shw_forest;

/* Finds out whether the forest is one of ferns, and makes their tables. False if out of memory. */
bool shw_forest_find_ferns(struct shw_forest *forest);

/* One per tree; NULL if the forest is not one of ferns. Valid as long as the forest. */
const struct shw_fern *shw_forest_get_ferns(const struct shw_forest *forest);

#endif
