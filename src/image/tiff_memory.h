/* libtiff on memory or a stream instead of a file name, without messages on stderr. */
#ifndef SHW_IMAGE_TIFF_MEMORY_H
#define SHW_IMAGE_TIFF_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tiffio.h>

/* Where libtiff reads (bytes) or writes (stream). */
struct shw_tiff_memory {
    const uint8_t *bytes;
    uint64_t size, position;
    FILE *stream;
    char reason[128]; /* of the first failure */
};

/* NULL on failure, with the reason. */
TIFF *shw_tiff_open(struct shw_tiff_memory *memory, const char *name, const char *mode);

#endif
