#include "tiff_pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t stored[WIDTH * HEIGHT * SAMPLES];

double value_of(const struct layout *layout, uint64_t bits)
{
    float single;
    double number;

    if (layout->format == SAMPLEFORMAT_IEEEFP && layout->bits == 32)
        return memcpy(&single, &(uint32_t){(uint32_t)bits}, 4), (double)single;
    if (layout->format == SAMPLEFORMAT_IEEEFP)
        return memcpy(&number, &bits, 8), number;
    if (layout->format == SAMPLEFORMAT_INT && bits >> (layout->bits - 1) != 0)
        return layout->bits == 64 ? (double)(int64_t)bits : (double)bits - pow(2, layout->bits);
    return (double)bits;
}

void fill(const struct layout *layout, uint64_t seed)
{
    struct testing_random random = {seed};

    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        double number = (int32_t)testing_random_next(&random) / 5e8;
        float single = (float)number;

        stored[i] = testing_random_next(&random);
        if (layout->bits < 64)
            stored[i] &= (UINT64_C(1) << layout->bits) - 1;
        if (layout->format == SAMPLEFORMAT_IEEEFP && layout->bits == 32)
            stored[i] = 0, memcpy(&stored[i], &single, 4);
        else if (layout->format == SAMPLEFORMAT_IEEEFP)
            memcpy(&stored[i], &number, 8);
    }
}

/* The bytes of the samples `first` to before `last` of a piece; libtiff brings them into the file's order. */
static void pack(const struct layout *layout, uint32_t left, uint32_t top, uint32_t width, uint32_t height,
                 uint32_t first, uint32_t last, uint8_t *bytes)
{
    size_t size = layout->bits / 8;

    for (uint32_t y = top; y < top + height; y++)
        for (uint32_t x = left; x < left + width; x++)
            for (uint32_t s = first; s < last; s++, bytes += size) {
                uint64_t bits = x < WIDTH && y < HEIGHT ? stored[(y * WIDTH + x) * layout->samples + s] : 0;
                memcpy(bytes, &bits, size); /* of the lowest bytes, on a little-endian machine */
                if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
                    memcpy(bytes, (uint8_t *)&bits + 8 - size, size);
            }
}

void set_fields(TIFF *tiff, const struct layout *layout)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, layout->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, layout->format);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, layout->samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, layout->inverted ? PHOTOMETRIC_MINISWHITE : layout->photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, layout->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, layout->compression);
    if (layout->predictor > 1)
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, layout->predictor);
}

void write_page(TIFF *tiff, const struct layout *layout)
{
    uint32_t planes = layout->separate ? layout->samples : 1, rows = layout->rows > 0 ? layout->rows : HEIGHT;
    uint32_t width = layout->tiled ? 16 : WIDTH, height = layout->tiled ? 16 : rows;
    uint8_t *bytes = malloc((size_t)32 * 32 * SAMPLES * 8);

    set_fields(tiff, layout);
    if (layout->tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
    }
    for (uint32_t p = 0; p < planes; p++)
        for (uint32_t y = 0; y < HEIGHT; y += height)
            for (uint32_t x = 0; x < WIDTH; x += width) {
                uint32_t first = layout->separate ? p : 0, last = layout->separate ? p + 1 : layout->samples;
                uint32_t used = !layout->tiled && y + height > HEIGHT ? HEIGHT - y : height;
                tmsize_t size = (tmsize_t)((size_t)width * used * (last - first) * (layout->bits / 8));

                pack(layout, x, y, width, used, first, last, bytes);
                if (layout->tiled)
                    assert_true(TIFFWriteTile(tiff, bytes, x, y, 0, (uint16_t)p) > 0);
                else
                    assert_int_equal(TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, y, (uint16_t)p), bytes, size),
                                     size);
            }
    assert_int_equal(TIFFWriteDirectory(tiff), 1);
    free(bytes);
}

const char *write_file(const char *name, const struct layout *layout)
{
    const char *path = testing_path(name);
    TIFF *tiff = TIFFOpen(path, layout->mode != NULL ? layout->mode : "w");

    assert_non_null(tiff);
    write_page(tiff, layout);
    TIFFClose(tiff);
    return path;
}

struct shw_image_file read_file(const char *path, const struct shw_image_choice *choice, struct testing_log *memory)
{
    struct shw_log log = testing_log(memory);
    struct shw_image_params params = {.of_group = false};
    struct shw_image_file file = {.pixels = NULL};

    if (choice != NULL)
        params.choice = *choice;
    assert_int_equal(shw_image_file_read(path, &params, &log, &file), SHW_OK);
    assert_int_equal(file.image.width, WIDTH);
    assert_int_equal(file.image.height, HEIGHT);
    return file;
}

uint32_t sample(const struct shw_image *image, size_t index)
{
    return image->format >= SHW_PIXEL_GREY16 ? ((const uint16_t *)image->pixels)[index]
                                             : ((const uint8_t *)image->pixels)[index];
}

void check_mapped(double value, double low, double high, uint32_t got)
{
    long double place = ((long double)value - low) / ((long double)high - low) * 65535;

    place = place < 0 ? 0 : place > 65535 ? 65535 : place;
    assert_true(fabsl(place - got) <= 0.5L + 1e-9L);
}
