/* TIFF files of random samples in any layout, written by libtiff, for tests of reading. */
#ifndef SHW_TESTS_UNIT_TIFF_PAGES_H
#define SHW_TESTS_UNIT_TIFF_PAGES_H

#include <tiffio.h>

#include "files/image/image_file.h"
#include "testing/testing.h"

enum { WIDTH = 21, HEIGHT = 13, SAMPLES = 6 };

struct layout {
    uint16_t bits, format, samples;
    uint16_t compression, predictor, photometric;
    bool separate, tiled, inverted;
    const char *mode; /* for TIFFOpen(): "w", "wb", "wl", "w8", ... */
    uint32_t rows;    /* per strip */
};

/* The stored bits of each sample. */
extern uint64_t stored[WIDTH * HEIGHT * SAMPLES];

double value_of(const struct layout *layout, uint64_t bits);

void fill(const struct layout *layout, uint64_t seed);

void set_fields(TIFF *tiff, const struct layout *layout);

/* Adds a page to an open file. */
void write_page(TIFF *tiff, const struct layout *layout);

const char *write_file(const char *name, const struct layout *layout);

struct shw_image_file read_file(const char *path, const struct shw_image_choice *choice, struct testing_log *memory);

uint32_t sample(const struct shw_image *image, size_t index);

/* Whether a value became what is nearest to its place between black and white. */
void check_mapped(double value, double low, double high, uint32_t got);

#endif
