/* The header of files of NumPy (numpy.lib.format, versions 1.0 to 3.0). */
#ifndef SHW_FILES_IO_NPY_HEADER_H
#define SHW_FILES_IO_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHW_NPY_MAGIC      "\x93NUMPY"
#define SHW_NPY_MAGIC_SIZE 6u
#define SHW_NPY_START_SIZE 12u /* from which shw_npy_header_size() computes where the elements begin */
#define SHW_NPY_HEADER_MAX ((1u << 16) + SHW_NPY_START_SIZE)
#define SHW_NPY_TYPE_SIZE  32u

struct shw_npy_header {
    char type[SHW_NPY_TYPE_SIZE]; /* "<f4"; "" if elements are structures */
    bool structured;
    bool fortran;
    uint32_t dimensions;
    uint64_t shape[3]; /* of the first three dimensions */
};

/* Bytes before the elements, from the first SHW_NPY_START_SIZE bytes of a file; 0 if they do not begin one. */
size_t shw_npy_header_size(const uint8_t start[SHW_NPY_START_SIZE]);

/* Reads a header of that many bytes. False if NumPy does not write such a header. */
bool shw_npy_header_parse(const uint8_t *bytes, size_t size, struct shw_npy_header *header);

/* Makes a header of SHW_NPY_WRITTEN_SIZE bytes for an array in C order. `type` is without its byte order: "f4". */
#define SHW_NPY_WRITTEN_SIZE 128u
void shw_npy_header_write(char bytes[SHW_NPY_WRITTEN_SIZE], const char *type, uint32_t dimensions,
                          const uint64_t *shape);

#endif
