/* Forests of other programs: the table of formats. */
#ifndef SHW_FORMATS_FOREST_FORMATS_H
#define SHW_FORMATS_FOREST_FORMATS_H

#include <shadewood/import.h>

/* The formats by index from 0; NULL after the last. Any thread. */
const struct shw_import_format *shw_forest_format(size_t index);

/* Makes a forest of trees, one a source, of the format of that name, which is one of these. Errors: those of
 * shw_forest_import(). */
enum shw_result shw_forest_model_read(const struct shw_import_params *params, struct shw_forest **forest);

#endif
