/* What importing has in common for all kinds of models. */
#ifndef SHW_FORMATS_IMPORT_H
#define SHW_FORMATS_IMPORT_H

#include <jansson.h>

#include <shadewood/import.h>

/* The provenance: the format, the files, and `member` under `name` unless it is NULL; its reference is taken. To be
 * freed with free(). Errors: MEMORY. */
enum shw_result shw_import_record(const struct shw_import_params *params, const char *name, json_t *member,
                                  char **record);

#endif
