/* Patches in a file of NumPy: an array (count, height, width) of 8-bit grey values. */
#ifndef SHW_FILES_IMAGE_NPY_H
#define SHW_FILES_IMAGE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#define SHW_NPY_BYTES_MAX (UINT64_C(4) << 30)

struct shw_npy_patches {
    uint8_t *values; /* patch by patch, row by row */
    uint32_t count, width, height;
};

/* Whether the file begins as one of NumPy. Any thread. */
bool shw_is_npy(const char *path);

/* Reads a file of format version 1, 2 or 3 with elements `u1` in C order and three dimensions, or two, which is one
 * patch. The file is not trusted. Errors: IO, FORMAT (what is stored otherwise is named), LIMIT (sides above 65535),
 * MEMORY. Any thread. */
enum shw_result shw_npy_read(const char *path, const struct shw_log *log, struct shw_npy_patches *patches);

/* The same from memory; `name` is for messages. */
enum shw_result shw_npy_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                               struct shw_npy_patches *patches);

/* Accepts zero-initialised and freed ones. */
void shw_npy_free(struct shw_npy_patches *patches);

#endif
