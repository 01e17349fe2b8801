/* Classes or targets in a table of their own, of one column. */
#ifndef SHW_FILES_TABLES_LABELS_H
#define SHW_FILES_TABLES_LABELS_H

#include "files/tables/table.h"

struct shw_table_labels;

/* Opens params->labels, to be read as params->truth. Errors as of shw_table_open(). */
enum shw_result shw_table_labels_open(const struct shw_table_params *params, struct shw_table_labels **labels);

/* Of the table that has them. */
const struct shw_table_info *shw_table_labels_get_info(const struct shw_table_labels *labels);

/* Adds their classes or targets to the next records of the table `name`, or checks at its end that there are no more.
 * Errors as of shw_table_read(); FORMAT if one table is longer than the other. */
enum shw_result shw_table_labels_read(struct shw_table_labels *labels, const char *name, struct shw_table_block *block);

/* Accepts NULL and a pointer to NULL. */
void shw_table_labels_close(struct shw_table_labels **labels);

#endif
