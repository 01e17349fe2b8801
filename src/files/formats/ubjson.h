/* Universal Binary JSON, draft 12, as values of jansson. */
#ifndef SHW_FILES_FORMATS_UBJSON_H
#define SHW_FILES_FORMATS_UBJSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Whether bytes begin as an object of UBJSON does, and no JSON. */
bool shw_ubjson_begins(const uint8_t *bytes, size_t size);

/* Parses `size` bytes, which are not trusted, and which must be one value; *value is to be released. Sizes are compared
 * with what is left of the file before anything is allocated; nesting is limited, and so are values (json_model.h).
 * What jansson cannot hold: NaN becomes null, infinite numbers become those of the greatest magnitude that a double
 * has. `name` appears in messages, which tell the byte. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_ubjson_parse(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                 json_t **value);

#endif
