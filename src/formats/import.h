/* What importing has in common for all kinds of models. */
#ifndef SHW_FORMATS_IMPORT_H
#define SHW_FORMATS_IMPORT_H

#include <jansson.h>

#include <shadewood/import.h>

/* The provenance: an object with the format and the names of the files, without folders, in which U+FFFD stands for
 * what is not UTF-8. NULL: there is no memory. */
json_t *shw_import_provenance(const char *format, const struct shw_import_source *sources, uint32_t count);

/* The same as text, with `member` under `name` unless it is NULL; its reference is taken. To be
 * freed with free(). Errors: MEMORY. */
enum shw_result shw_import_record(const struct shw_import_params *params, const char *name, json_t *member,
                                  char **record);

#endif
