#include "image/image_write.h"

#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"

/* Format version 1.0 (numpy.lib.format): magic, version, length of the header, a Python dictionary padded to a total of
 * 128 bytes. */
static enum shw_result write(const char *path, const void *planes, size_t element, uint32_t count, uint32_t width,
                             uint32_t height, const struct shw_log *log)
{
    static const char magic[8] = "\x93NUMPY\x01";
    char header[129];
    struct shw_atomic_file file;
    int length;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    memcpy(header, magic, sizeof magic);
    header[8] = 128 - 10;
    header[9] = 0;
    length = snprintf(header + 10, sizeof header - 10,
                      "{'descr': '%cu%zu', 'fortran_order': False, 'shape': (%u, %u, %u), }",
                      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>', element, count, height, width);
    memset(header + 10 + length, ' ', sizeof header - 11 - (size_t)length);
    header[127] = '\n';
    fwrite(header, 1, 128, file.stream); /* commit reports errors */
    fwrite(planes, element, (size_t)count * width * height, file.stream);
    return shw_atomic_file_commit(&file, log);
}

enum shw_result shw_npy_write(const char *path, const uint16_t *planes, uint32_t count, uint32_t width, uint32_t height,
                              const struct shw_log *log)
{
    return write(path, planes, sizeof *planes, count, width, height, log);
}

enum shw_result shw_npy_write_leaves(const char *path, const uint32_t *planes, uint32_t count, uint32_t width,
                                     uint32_t height, const struct shw_log *log)
{
    return write(path, planes, sizeof *planes, count, width, height, log);
}
