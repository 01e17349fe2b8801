/* Image files in, against plain definitions of what the stored samples mean. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "files/image/image_file.h"
#include "testing/image_encode.h"

#define WIDTH  13
#define HEIGHT 7

static uint8_t palette[256][3];
static uint16_t values[WIDTH * HEIGHT * 4];

static void fill_values(uint32_t seed, unsigned bits)
{
    struct testing_random random = {seed};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = (uint16_t)testing_random_below(&random, 1u << bits);
    for (int i = 0; i < 256 * 3; i++)
        palette[i / 3][i % 3] = (uint8_t)testing_random_below(&random, 256);
}

static struct shw_image_file decode(struct testing_bytes bytes)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file file = {0};

    assert_int_equal(shw_image_file_decode(bytes.bytes, bytes.size, "test", NULL, &log, &file), SHW_OK);
    assert_int_equal(memory.errors, 0);
    assert_ptr_equal(file.image.pixels, file.pixels);
    assert_int_equal(file.image.stride, 0);
    free(bytes.bytes);
    return file;
}

static unsigned channels_of(enum shw_pixel_format format)
{
    return format == SHW_PIXEL_GREY8 || format == SHW_PIXEL_GREY16 ? 1
           : format == SHW_PIXEL_RGB8 || format == SHW_PIXEL_RGB16 ? 3
                                                                   : 4;
}

static uint32_t sample(const struct shw_image *image, size_t index)
{
    return image->format >= SHW_PIXEL_GREY16 ? ((const uint16_t *)image->pixels)[index]
                                             : ((const uint8_t *)image->pixels)[index];
}

/* What `picture` shows: its format and each sample. */
static void check_shown(const struct testing_picture *picture, const struct shw_image *image, bool alpha_of_palette)
{
    bool wide = picture->bits == 16;
    unsigned channels = picture->palette != NULL ? (alpha_of_palette ? 4 : 3)
                        : picture->samples == 2  ? 1
                                                 : picture->samples;
    uint32_t largest = (1u << picture->bits) - 1, full = wide ? 65535 : 255;

    assert_int_equal(image->width, picture->width);
    assert_int_equal(image->height, picture->height);
    assert_int_equal(channels_of(image->format), channels);
    assert_int_equal(image->format >= SHW_PIXEL_GREY16, wide);
    for (size_t p = 0; p < (size_t)picture->width * picture->height; p++) {
        for (unsigned c = 0; c < channels; c++) {
            uint32_t value = picture->values[p * picture->samples + (picture->palette != NULL ? 0 : c)], expected;

            if (picture->palette != NULL && c == 3)
                expected = value == 1 ? 128 : 255;
            else if (picture->palette != NULL)
                expected = picture->palette[value][c];
            else
                expected = value * (full / largest);
            if (picture->inverted)
                expected = full - expected;
            assert_int_equal(sample(image, p * channels + c), expected);
        }
    }
}

TESTING_CASE(test_png)
{
    static const struct {
        unsigned bits, samples;
        bool palette;
    } kinds[] = {{1, 1, false},  {2, 1, false},  {4, 1, false}, {8, 1, false},  {16, 1, false},
                 {8, 2, false},  {16, 2, false}, {8, 3, false}, {16, 3, false}, {8, 4, false},
                 {16, 4, false}, {1, 1, true},   {2, 1, true},  {4, 1, true},   {8, 1, true}};

    for (size_t i = 0; i < 3 * sizeof kinds / sizeof *kinds; i++) {
        size_t k = i / 3;
        struct testing_picture picture = {
            .width = WIDTH, .height = HEIGHT, .bits = kinds[k].bits, .samples = kinds[k].samples, .values = values};
        struct shw_image_file file;

        fill_values((uint32_t)i, picture.bits);
        picture.palette = kinds[k].palette ? palette : NULL;
        picture.interlaced = i % 3 == 1;
        picture.transparent = kinds[k].palette && i % 3 == 2;
        file = decode(testing_encode_png(&picture));
        check_shown(&picture, &file.image, picture.transparent);
        shw_image_file_free(&file);
    }
}

TESTING_CASE(test_tiff)
{
    static const unsigned compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_PACKBITS};
    static const struct {
        unsigned bits, samples;
        bool palette, inverted;
    } kinds[] = {{1, 1, false, false},  {1, 1, false, true},  {2, 1, false, false},  {4, 1, false, false},
                 {8, 1, false, false},  {8, 1, false, true},  {16, 1, false, true},  {16, 1, false, false},
                 {8, 2, false, false},  {8, 3, false, false}, {16, 3, false, false}, {8, 4, false, false},
                 {16, 4, false, false}, {4, 1, true, false},  {8, 1, true, false}};

    for (size_t i = 0; i < 32 * sizeof kinds / sizeof *kinds; i++) {
        size_t k = i / 32;
        struct testing_picture picture = {
            .width = WIDTH, .height = HEIGHT, .bits = kinds[k].bits, .samples = kinds[k].samples, .values = values};
        struct shw_image_file file;

        fill_values((uint32_t)i, picture.bits);
        picture.palette = kinds[k].palette ? palette : NULL;
        picture.inverted = kinds[k].inverted;
        picture.compression = compressions[i % 4];
        picture.tile = i & 4 ? 16 : 0;
        picture.separate = (i & 8) != 0;
        picture.big_endian = (i & 16) != 0;
        file = decode(testing_encode_tiff(&picture));
        check_shown(&picture, &file.image, false);
        shw_image_file_free(&file);
    }
}

/* What scanners write: YCbCr under JPEG compression. */
TESTING_CASE(test_tiff_jpeg)
{
    static const uint8_t colour[3] = {200, 90, 30};
    const char *path = testing_path("jpeg.tif");
    TIFF *tiff = TIFFOpen(path, "w");
    uint8_t rows[16 * 16 * 3];
    struct shw_image_file file;

    for (size_t i = 0; i < sizeof rows; i++)
        rows[i] = colour[i % 3];
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 16);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_JPEG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 16);
    assert_int_equal(TIFFWriteEncodedStrip(tiff, 0, rows, sizeof rows), sizeof rows);
    TIFFClose(tiff);
    file = decode(testing_read_file(path));
    assert_int_equal(file.image.format, SHW_PIXEL_RGB8);
    for (size_t i = 0; i < sizeof rows; i++)
        assert_true(abs((int)sample(&file.image, i) - colour[i % 3]) <= 4);
    shw_image_file_free(&file);
}

TESTING_CASE(test_bmp)
{
    static const unsigned bits[] = {1, 4, 8, 24, 32};

    for (size_t i = 0; i < 2 * sizeof bits / sizeof *bits; i++) {
        bool indexed = bits[i / 2] <= 8;
        struct testing_picture picture = {
            .width = WIDTH, .height = HEIGHT, .bits = bits[i / 2], .samples = indexed ? 1 : 3, .values = values};
        struct shw_image_file file;

        fill_values((uint32_t)i, indexed ? picture.bits : 8);
        picture.palette = indexed ? palette : NULL;
        picture.top_down = i % 2 == 1;
        file = decode(testing_encode_bmp(&picture));
        picture.bits = 8;
        check_shown(&picture, &file.image, false);
        shw_image_file_free(&file);
    }
}

TESTING_CASE(test_pnm)
{
    for (unsigned i = 0; i < 4; i++) {
        struct testing_picture picture = {
            .width = WIDTH, .height = HEIGHT, .bits = i & 1 ? 16 : 8, .samples = i & 2 ? 3 : 1, .values = values};
        struct shw_image_file file;

        fill_values(i, picture.bits);
        file = decode(testing_encode_pnm(&picture));
        check_shown(&picture, &file.image, false);
        shw_image_file_free(&file);
    }
}

/* A largest value below the full one stretches the samples. */
TESTING_CASE(test_pnm_largest)
{
    static const unsigned largest[] = {1, 15, 100, 256, 4095, 65534};

    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        struct testing_picture picture = {.width = WIDTH,
                                          .height = HEIGHT,
                                          .bits = largest[i] > 255 ? 16 : 8,
                                          .samples = 1,
                                          .values = values,
                                          .largest = largest[i]};
        uint32_t full = largest[i] > 255 ? 65535 : 255;
        struct shw_image_file file;

        fill_values((uint32_t)i, 16);
        for (size_t p = 0; p < WIDTH * HEIGHT; p++)
            values[p] = (uint16_t)(values[p] % (largest[i] + 1));
        file = decode(testing_encode_pnm(&picture));
        for (size_t p = 0; p < WIDTH * HEIGHT; p++) {
            int64_t twice = 2 * (int64_t)sample(&file.image, p) * largest[i] - 2 * (int64_t)values[p] * full;
            assert_true(twice <= largest[i] && -twice <= largest[i]); /* the nearest */
        }
        shw_image_file_free(&file);
    }
}

/* Where the stored row 0 and column 0 lie in the upright picture, in EXIF's own words. */
enum side { TOP, RIGHT, BOTTOM, LEFT };
static const struct {
    enum side row0, column0;
} sides[9] = {[1] = {TOP, LEFT}, [2] = {TOP, RIGHT}, [3] = {BOTTOM, RIGHT}, [4] = {BOTTOM, LEFT},
              [5] = {LEFT, TOP}, [6] = {RIGHT, TOP}, [7] = {RIGHT, BOTTOM}, [8] = {LEFT, BOTTOM}};

/* Moves `distance` away from a side of the upright picture. */
static void move_from(enum side side, uint32_t distance, uint32_t width, uint32_t height, uint32_t *x, uint32_t *y)
{
    switch (side) {
    case TOP: *y = distance; break;
    case BOTTOM: *y = height - 1 - distance; break;
    case LEFT: *x = distance; break;
    case RIGHT: *x = width - 1 - distance; break;
    }
}

static void check_upright(unsigned orientation, const struct shw_image *image, unsigned channels, uint32_t tolerance)
{
    bool turned = sides[orientation].row0 == LEFT || sides[orientation].row0 == RIGHT;

    assert_int_equal(image->width, turned ? HEIGHT : WIDTH);
    assert_int_equal(image->height, turned ? WIDTH : HEIGHT);
    for (uint32_t row = 0; row < HEIGHT; row++) {
        for (uint32_t column = 0; column < WIDTH; column++) {
            uint32_t x = 0, y = 0;

            move_from(sides[orientation].row0, row, image->width, image->height, &x, &y);
            move_from(sides[orientation].column0, column, image->width, image->height, &x, &y);
            for (unsigned c = 0; c < channels; c++) {
                int32_t difference = (int32_t)sample(image, (y * image->width + x) * channels + c) -
                                     (int32_t)values[(row * WIDTH + column) * channels + c];
                assert_true(abs(difference) <= (int32_t)tolerance);
            }
        }
    }
}

TESTING_CASE(test_orientation)
{
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        for (unsigned kind = 0; kind < 3; kind++) {
            struct testing_picture picture = {.width = WIDTH,
                                              .height = HEIGHT,
                                              .bits = 8,
                                              .samples = 1,
                                              .values = values,
                                              .orientation = orientation};
            struct shw_image_file file;

            fill_values(orientation, 8);
            picture.samples = kind == 2 ? 1 : 3;
            for (size_t i = 0; kind == 2 && i < WIDTH * HEIGHT; i++)
                values[i] = (uint16_t)(10 * (i % WIDTH) + 3 * (i / WIDTH)); /* JPEG wants it smooth */
            file = decode(kind == 0   ? testing_encode_png(&picture)
                          : kind == 1 ? testing_encode_tiff(&picture)
                                      : testing_encode_jpeg(&picture));
            check_upright(orientation, &file.image, picture.samples, kind == 2 ? 2 : 0);
            shw_image_file_free(&file);
        }
    }
}

TESTING_CASE(test_orientation_of_16_bit)
{
    struct testing_picture picture = {
        .width = WIDTH, .height = HEIGHT, .bits = 16, .samples = 4, .values = values, .orientation = 6};
    struct shw_image_file file;

    fill_values(1, 16);
    file = decode(testing_encode_png(&picture));
    check_upright(6, &file.image, 4, 0);
    shw_image_file_free(&file);
}

TESTING_CASE(test_jpeg)
{
    for (unsigned i = 0; i < 6; i++) {
        unsigned samples = i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 4;
        struct testing_picture picture = {
            .width = WIDTH, .height = HEIGHT, .bits = 8, .samples = samples, .values = values, .interlaced = i >= 3};
        struct shw_image_file file;
        static const uint8_t colour[4] = {200, 90, 30, 180};

        for (size_t p = 0; p < WIDTH * HEIGHT * samples; p++)
            values[p] = colour[p % samples];
        file = decode(testing_encode_jpeg(&picture));
        assert_int_equal(file.image.format, samples == 1 ? SHW_PIXEL_GREY8 : SHW_PIXEL_RGB8);
        for (size_t p = 0; p < WIDTH * HEIGHT * (samples == 1 ? 1 : 3); p++) {
            int expected = samples == 1 ? 200 : samples == 3 ? colour[p % 3] : colour[p % 3] * 180 / 255;
            assert_true(abs((int)sample(&file.image, p) - expected) <= 3);
        }
        shw_image_file_free(&file);
    }
}

/* A flat picture takes next to no bytes in arithmetic codes. */
TESTING_CASE(test_arithmetic_jpeg)
{
    enum { WIDE = 2000, HIGH = 1500 };
    uint16_t *flat = malloc(sizeof *flat * WIDE * HIGH * 3);

    assert_non_null(flat);
    for (size_t i = 0; i < (size_t)WIDE * HIGH * 3; i++)
        flat[i] = 90;
    for (unsigned i = 0; i < 4; i++) {
        struct testing_picture picture = {.width = WIDE,
                                          .height = HIGH,
                                          .bits = 8,
                                          .samples = i % 2 == 0 ? 1 : 3,
                                          .values = flat,
                                          .interlaced = i >= 2,
                                          .arithmetic = true};
        struct testing_bytes bytes = testing_encode_jpeg(&picture);
        struct shw_image_file file;

        assert_true(bytes.size * 512 < (size_t)WIDE * HIGH); /* fewer than Huffman's need */
        file = decode(bytes);
        assert_int_equal(file.image.width, WIDE);
        assert_int_equal(file.image.height, HIGH);
        for (size_t p = 0; p < (size_t)WIDE * HIGH * picture.samples; p++)
            assert_true(abs((int)sample(&file.image, p) - 90) <= 2);
        shw_image_file_free(&file);
    }
    free(flat);
}

TESTING_CASE(test_range)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct testing_picture picture = {.width = WIDTH, .height = HEIGHT, .bits = 16, .samples = 3, .values = values};
    struct shw_image_params range = {.choice.range = {100, 4095}}, reversed = {.choice.range = {7, 7}},
                            most = {.choice.range = {3, 8188}};
    struct testing_bytes bytes;
    struct shw_image_file file;

    fill_values(1, 13);
    values[0] = 100, values[1] = 4095, values[2] = 99, values[3] = 4096;
    bytes = testing_encode_png(&picture);
    assert_int_equal(shw_image_file_decode(bytes.bytes, bytes.size, "x", &range, &log, &file), SHW_OK);
    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++) {
        double expected = (values[i] - 100.0) / 3995 * 65535;
        expected = expected < 0 ? 0 : expected > 65535 ? 65535 : expected;
        assert_true(sample(&file.image, i) - expected <= 0.5 && expected - sample(&file.image, i) <= 0.5);
    }
    shw_image_file_free(&file);
    assert_int_equal(memory.count[SHW_LOG_IMAGE_FORMAT], 1);
    assert_non_null(strstr(memory.last, "x: "));
    assert_non_null(
        strstr(memory.last, "% of its values are outside the range from 100 to 4095 with which it is read"));
    assert_int_equal(shw_image_file_decode(bytes.bytes, bytes.size, "x", &most, &log, &file), SHW_OK);
    shw_image_file_free(&file);
    assert_int_equal(memory.count[SHW_LOG_IMAGE_FORMAT], 1); /* few are outside of that */
    assert_int_equal(shw_image_file_decode(bytes.bytes, bytes.size, "x", &reversed, &log, &file), SHW_ERROR_ARGUMENT);
    free(bytes.bytes);

    fill_values(2, 8);
    picture.bits = 8;
    bytes = testing_encode_png(&picture);
    assert_int_equal(shw_image_file_decode(bytes.bytes, bytes.size, "x", &range, &log, &file), SHW_OK);
    check_shown(&picture, &file.image, false);
    shw_image_file_free(&file);
    free(bytes.bytes);
}
