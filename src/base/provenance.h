/* The record of how a forest or cascade was trained: a JSON object, kept as text. */
#ifndef SHW_BASE_PROVENANCE_H
#define SHW_BASE_PROVENANCE_H

#include <shadewood/log.h>

/* Checks a record and formats it as it is in files, so that it does not depend on the origin: *record is to be freed
 * with free(). Messages begin with `name`. */
enum shw_result shw_provenance_read(const char *text, const char *name, enum shw_log_item item,
                                    const struct shw_log *log, char **record);

#endif
