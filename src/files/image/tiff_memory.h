/* libtiff on memory or a stream instead of a file name, without messages on stderr. */
#ifndef SHW_FILES_IMAGE_TIFF_MEMORY_H
#define SHW_FILES_IMAGE_TIFF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tiffio.h>

/* Where libtiff reads and writes: in the stream, or if there is none, in the bytes, which are only read. */
struct shw_tiff_memory {
    const uint8_t *bytes;
    uint64_t size, position; /* of a file that is only read, its size also with a stream */
    FILE *stream;
    char reason[128]; /* of the first failure */
};

/* NULL on failure, with the reason. */
TIFF *shw_tiff_open(struct shw_tiff_memory *memory, const char *name, const char *mode);

/* Reads bytes past libtiff. False: they are not all in the file. */
bool shw_tiff_memory_read(struct shw_tiff_memory *memory, uint64_t offset, void *to, size_t size);

#endif
