/* Image files for tests, in all the varieties that a reader must know. */
#ifndef SHW_TESTING_IMAGE_ENCODE_H
#define SHW_TESTING_IMAGE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Released by free(bytes). */
struct testing_bytes {
    uint8_t *bytes;
    size_t size;
};

/* A picture before encoding: samples as they are to be stored, interleaved, width * height * samples of them. */
struct testing_picture {
    uint32_t width, height;
    unsigned bits, samples;
    const uint16_t *values;
    const uint8_t (*palette)[3]; /* 256 colours if the values are indices */
    bool transparent;            /* PNG: palette entry 1 is half transparent */
    bool interlaced;             /* PNG; for JPEG: progressive */
    bool arithmetic;             /* JPEG: arithmetic codes instead of Huffman's */
    unsigned orientation;        /* 0: none is stored */
    /* TIFF only */
    bool inverted, separate, big_endian;
    unsigned tile; /* side; 0: strips */
    unsigned compression;
    /* BMP only */
    bool top_down;
    unsigned palette_size; /* 0: 2^bits */
    /* PNM only */
    unsigned largest; /* 0: 2^bits - 1 */
};

struct testing_bytes testing_encode_png(const struct testing_picture *picture);
struct testing_bytes
testing_encode_jpeg(const struct testing_picture *picture); /* 4 samples: CMYK, as Adobe stores it */
struct testing_bytes testing_encode_tiff(const struct testing_picture *picture);
struct testing_bytes testing_encode_bmp(const struct testing_picture *picture);
struct testing_bytes testing_encode_pnm(const struct testing_picture *picture);

/* Writes the bytes to a file and frees them. */
void testing_write_file(const char *path, struct testing_bytes bytes);
struct testing_bytes testing_read_file(const char *path);

#endif
