/* What the readers of other programs' cascades have in common. */
#ifndef SHW_FILES_FORMATS_CASCADE_IMPORT_H
#define SHW_FILES_FORMATS_CASCADE_IMPORT_H

#include <shadewood/cascade.h>

struct shw_cascade_import {
    const char *object;   /* what the cascade finds; NULL: as the file says, or "object" */
    const char *training; /* the training record, a JSON object */
};

/* Reads a cascade of one format. The file is not trusted. Errors: IO, FORMAT, LIMIT, MEMORY. */
typedef enum shw_result shw_cascade_read_function(const char *path, const struct shw_cascade_import *import,
                                                  const struct shw_log *log, struct shw_cascade **cascade);

#endif
