/* Cascades of pico (Markus, Frljak, Pandzic, Ahlberg, Forchheimer 2013) as cascades of the kind SCALED;
 * docs/exchange.md has the format. */
#ifndef SHW_FILES_FORMATS_PICO_CASCADE_H
#define SHW_FILES_FORMATS_PICO_CASCADE_H

#include <stddef.h>

#include "files/formats/cascade_import.h"

/* Of `size` bytes, which are not trusted; `name` appears in messages. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_pico_cascade_parse(const void *bytes, size_t size, const char *name,
                                       const struct shw_cascade_import *import, const struct shw_log *log,
                                       struct shw_cascade **cascade);

shw_cascade_read_function shw_pico_cascade_read;

#endif
