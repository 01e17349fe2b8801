/* The formats of tables. One is a file, a line here and a line in table.c. */
#ifndef SHW_FILES_TABLES_FORMAT_H
#define SHW_FILES_TABLES_FORMAT_H

#include "files/tables/byte_source.h"
#include "files/tables/columns.h"
#include "files/tables/table.h"

struct shw_table_format {
    /* By the first bytes, whether it is of this format. */
    bool (*recognise)(const struct shw_byte_source *source);
    /* Reads what comes before the records; on failure there is nothing to close. `source` and `params` outlive the
     * state. Errors as of shw_table_open(). */
    enum shw_result (*open)(struct shw_byte_source *source, const struct shw_table_params *params, void **state);
    const struct shw_table_columns *(*get_columns)(const void *state);
    enum shw_result (*read)(void *state, struct shw_table_block *block);
    void (*close)(void *state);
    bool has_indices; /* attributes have indices, of which params->first_index_is_0 says with which they begin */
};

extern const struct shw_table_format shw_table_csv, shw_table_libsvm, shw_table_npy;

#endif
