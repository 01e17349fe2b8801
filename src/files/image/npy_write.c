#include "files/image/image_write.h"

#include <stdio.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/io/npy_header.h"

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
