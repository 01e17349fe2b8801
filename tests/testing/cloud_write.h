/* Point clouds for tests, written plainly. */
#ifndef SHW_TESTING_CLOUD_WRITE_H
#define SHW_TESTING_CLOUD_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum testing_cloud_data { TESTING_CLOUD_ASCII, TESTING_CLOUD_BINARY, TESTING_CLOUD_COMPRESSED };

/* An organised cloud with the fields x y z, then _ (if `padded`), rgb and label (where they are given). */
struct testing_cloud {
    uint32_t width, height;
    const float *points; /* x y z of each */
    const uint32_t *colours, *labels;
    bool padded, integer_colour; /* the field rgb has the type U, otherwise F */
    const char *viewpoint;       /* NULL: none is stated */
    enum testing_cloud_data data;
};

/* The file in memory; to be freed with free(). */
uint8_t *testing_cloud_write(const struct testing_cloud *cloud, size_t *size);

/* LZF with matches wherever they are; `to` has room for 2 * size + 1. Returns the size. */
size_t testing_lzf_compress(const uint8_t *from, size_t size, uint8_t *to);

#endif
