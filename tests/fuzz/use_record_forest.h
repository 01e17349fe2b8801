/* What fuzz targets do with a record forest that was accepted. */
#ifndef SHW_FUZZ_USE_RECORD_FOREST_H
#define SHW_FUZZ_USE_RECORD_FOREST_H

#include <shadewood/record_forest.h>

/* Walks its texture, evaluates records with it, saves and loads it. Aborts if something is not as it must be. */
void fuzz_use_record_forest(const struct shw_record_forest *forest);

#endif
