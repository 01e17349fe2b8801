#include "files/image/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/image.h>

#include "base/atomic_file.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "files/image/image_write.h"
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

struct npy_writer {
    struct shw_row_writer rows;
    struct shw_atomic_file file;
    size_t row; /* bytes */
    uint32_t count, height, top;
    const struct shw_log *log;
};

/* Rows of a plane go behind those that it has; commit reports errors. */
static enum shw_result put(struct shw_row_writer *rows, const void *values, size_t plane, uint32_t count)
{
    struct npy_writer *writer = (struct npy_writer *)rows;
    FILE *stream = writer->file.stream;

    for (uint32_t p = 0; p < writer->count; p++) {
        const uint64_t at = SHW_NPY_WRITTEN_SIZE + ((uint64_t)p * writer->height + writer->top) * writer->row;

        if (count < writer->height && fseeko(stream, (off_t)at, SEEK_SET) != 0)
            return shw_fail(writer->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: its planes have no place",
                            writer->file.path);
        fwrite((const char *)values + p * plane, 1, count * writer->row, stream);
    }
    writer->top += count;
    return SHW_OK;
}

static void abandon(struct shw_row_writer *rows)
{
    struct npy_writer *writer = (struct npy_writer *)rows;

    shw_atomic_file_abandon(&writer->file);
    free(writer);
}

static enum shw_result commit(struct shw_row_writer *rows)
{
    struct npy_writer *writer = (struct npy_writer *)rows;
    enum shw_result result = shw_atomic_file_commit(&writer->file, writer->log);

    abandon(rows);
    return result;
}

enum shw_result shw_npy_open(const char *path, const char *type, uint32_t count, uint32_t width, uint32_t height,
                             const struct shw_log *log, struct shw_row_writer **rows)
{
    const uint64_t shape[3] = {count, height, width};
    struct npy_writer *writer = calloc(1, sizeof *writer);
    char header[SHW_NPY_WRITTEN_SIZE];
    enum shw_result result;

    if (writer == NULL)
        return shw_fail_memory(log, path);
    *writer = (struct npy_writer){.rows = {put, commit, abandon},
                                  .row = (size_t)width * (size_t)(type[1] - '0'),
                                  .count = count,
                                  .height = height,
                                  .log = log};
    result = shw_atomic_file_open(&writer->file, path, log);
    if (result != SHW_OK) {
        abandon(&writer->rows);
        return result;
    }
    shw_npy_header_write(header, type, 3, shape);
    fwrite(header, 1, sizeof header, writer->file.stream);
    *rows = &writer->rows;
    return SHW_OK;
}

enum shw_result shw_npy_write(const char *path, const uint16_t *planes, uint32_t count, uint32_t width, uint32_t height,
                              const struct shw_log *log)
{
    struct shw_row_writer *rows = NULL;
    enum shw_result result = shw_npy_open(path, "u2", count, width, height, log, &rows);

    return shw_row_writer_finish(result, rows, planes, (size_t)width * height * sizeof *planes, height);
}

enum shw_result shw_npy_write_leaves(const char *path, const uint32_t *planes, uint32_t count, uint32_t width,
                                     uint32_t height, const struct shw_log *log)
{
    struct shw_row_writer *rows = NULL;
    enum shw_result result = shw_npy_open(path, "u4", count, width, height, log, &rows);

    return shw_row_writer_finish(result, rows, planes, (size_t)width * height * sizeof *planes, height);
}
