#include "files/image/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/image.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/file_bytes.h"
#include "files/io/npy_header.h"

static enum shw_result refuse(const char *name, const struct shw_log *log, const char *what)
{
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "%s %s", name, what);
}

enum shw_result shw_npy_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                               struct shw_npy_patches *patches)
{
    const size_t start = size >= SHW_NPY_START_SIZE ? shw_npy_header_size(bytes) : 0;
    struct shw_npy_header header;
    size_t first;
    uint64_t count, height, width;

    if (start == 0 || start > size)
        return refuse(name, log, "is not a NumPy file");
    if (!shw_npy_header_parse(bytes, start, &header))
        return refuse(name, log, "has a header that NumPy does not write");
    if (strcmp(header.type, "|u1") != 0 && strcmp(header.type, "u1") != 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "%s has elements of %s%s; patches are bytes (uint8)", name,
                        header.structured ? "a structured type" : "type ", header.type);
    if (header.dimensions != 2 && header.dimensions != 3)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "%s has %u dimensions; patches have three: count, height, width", name, header.dimensions);
    if (header.fortran)
        return refuse(name, log, "is in Fortran order; patches are stored row by row");
    first = header.dimensions == 3;
    count = first ? header.shape[0] : 1;
    height = header.shape[first];
    width = header.shape[first + 1];
    if (count > UINT32_MAX || height > SHW_IMAGE_SIZE_MAX || width > SHW_IMAGE_SIZE_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_IMAGE_FORMAT, "%s has patches of more than %u pixels a side",
                        name, SHW_IMAGE_SIZE_MAX);
    if (count == 0 || height == 0 || width == 0)
        return refuse(name, log, "is empty");
    size -= start;
    if (size / (height * width) < count || size != count * height * width)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT,
                        "%s has %zu bytes of patches; its header says %llu patches of %llu x %llu", name, size,
                        (unsigned long long)count, (unsigned long long)width, (unsigned long long)height);
    *patches = (struct shw_npy_patches){malloc(size), (uint32_t)count, (uint32_t)width, (uint32_t)height};
    if (patches->values == NULL)
        return shw_fail_memory(log, name);
    memcpy(patches->values, (const char *)bytes + start, size);
    return SHW_OK;
}

bool shw_is_npy(const char *path)
{
    struct shw_file_bytes file = {0};
    bool is_npy = shw_file_bytes_read_start(path, SHW_NPY_MAGIC_SIZE, NULL, &file) == SHW_OK &&
                  file.size == SHW_NPY_MAGIC_SIZE && memcmp(file.bytes, SHW_NPY_MAGIC, SHW_NPY_MAGIC_SIZE) == 0;

    shw_file_bytes_free(&file);
    return is_npy;
}

enum shw_result shw_npy_read(const char *path, const struct shw_log *log, struct shw_npy_patches *patches)
{
    struct shw_file_bytes file = {0};
    enum shw_result result = shw_file_bytes_read(path, SHW_NPY_BYTES_MAX, log, &file);

    if (result == SHW_OK)
        result = shw_npy_decode(file.bytes, file.size, path, log, patches);
    shw_file_bytes_free(&file);
    return result;
}

void shw_npy_free(struct shw_npy_patches *patches)
{
    free(patches->values);
    *patches = (struct shw_npy_patches){0};
}

static enum shw_result write(const char *path, const void *planes, const char *type, size_t element, uint32_t count,
                             uint32_t width, uint32_t height, const struct shw_log *log)
{
    const uint64_t shape[3] = {count, height, width};
    char header[SHW_NPY_WRITTEN_SIZE];
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    shw_npy_header_write(header, type, 3, shape);
    fwrite(header, 1, sizeof header, file.stream); /* commit reports errors */
    fwrite(planes, element, (size_t)count * width * height, file.stream);
    return shw_atomic_file_commit(&file, log);
}

enum shw_result shw_npy_write(const char *path, const uint16_t *planes, uint32_t count, uint32_t width, uint32_t height,
                              const struct shw_log *log)
{
    return write(path, planes, "u2", sizeof *planes, count, width, height, log);
}

enum shw_result shw_npy_write_leaves(const char *path, const uint32_t *planes, uint32_t count, uint32_t width,
                                     uint32_t height, const struct shw_log *log)
{
    return write(path, planes, "u4", sizeof *planes, count, width, height, log);
}
