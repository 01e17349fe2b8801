/* The table that names ScanNet's labels. */
#ifndef SHW_FILES_CONVERT_SCANNET_H
#define SHW_FILES_CONVERT_SCANNET_H

#include "files/convert/source.h"

/* Reads a table with tabs between its columns, whose first line names them: the label's number is in the column "id",
 * its name in `column` (NULL: "nyu40class"); a label whose field is empty there is void. Errors: FORMAT, MEMORY.
 * `name` is for messages. */
enum shw_result shw_scannet_names_decode(const void *bytes, size_t size, const char *name, const char *column,
                                         const struct shw_log *log, struct shw_label_names *names);

#endif
