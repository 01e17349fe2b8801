/* Image files that are damaged, mislabelled or made to harm; label and depth images. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>

#include "files/image/image_file.h"
#include <shadewood/input.h>

#include "testing/image_encode.h"

#define WIDTH  9
#define HEIGHT 6

static uint16_t values[WIDTH * HEIGHT * 4];
static uint8_t palette[256][3];

static int setup(void **state)
{
    struct testing_random random = {5};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = (uint16_t)testing_random_below(&random, 16);
    for (int i = 0; i < 256 * 3; i++)
        palette[i / 3][i % 3] = (uint8_t)testing_random_below(&random, 256);
    return 0;
}

static struct testing_picture picture_of(unsigned bits, unsigned samples)
{
    return (struct testing_picture){
        .width = WIDTH, .height = HEIGHT, .bits = bits, .samples = samples, .values = values};
}

/* Decodes as image, label and depth; says how the image went. */
static enum shw_result decode(const uint8_t *bytes, size_t size, struct testing_log *memory)
{
    struct shw_log log = testing_log(memory);
    struct shw_image_file file = {0};
    enum shw_result result;
    uint8_t *exact = malloc(size + (size == 0)); /* so that AddressSanitizer sees a read beyond the end */

    if (size != 0)
        memcpy(exact, bytes, size);
    result = shw_image_file_decode(exact, size, "some/file", NULL, &log, &file);
    assert_int_equal(memory->errors, result != SHW_OK);
    if (result != SHW_OK) {
        assert_null(file.pixels);
        assert_non_null(strstr(memory->last, "some/file"));
    }
    shw_image_file_free(&file);
    free(exact);
    return result;
}

TESTING_CASE(test_cut_short)
{
    struct testing_picture interlaced = picture_of(4, 1), tiled = picture_of(16, 3), progressive = picture_of(8, 3);
    struct testing_picture grey = picture_of(8, 1), colour = picture_of(8, 3), deep = picture_of(16, 1),
                           indexed = picture_of(4, 1);
    struct testing_picture true_colour = picture_of(24, 3);
    struct testing_log memory;
    struct testing_bytes files[10];

    interlaced.interlaced = true, interlaced.palette = palette;
    tiled.tile = 16, tiled.compression = COMPRESSION_LZW;
    progressive.interlaced = true;
    indexed.palette = palette;
    files[0] = testing_encode_png(&grey);
    files[1] = testing_encode_png(&interlaced);
    files[2] = testing_encode_jpeg(&colour);
    files[3] = testing_encode_jpeg(&progressive);
    files[4] = testing_encode_tiff(&grey);
    files[5] = testing_encode_tiff(&tiled);
    files[6] = testing_encode_bmp(&indexed);
    files[7] = testing_encode_bmp(&true_colour);
    files[8] = testing_encode_pnm(&grey);
    files[9] = testing_encode_pnm(&deep);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(decode(files[i].bytes, files[i].size, &memory), SHW_OK);
        for (size_t size = 0; size < files[i].size; size++) {
            assert_int_equal(decode(files[i].bytes, size, &memory), SHW_ERROR_FORMAT);
            assert_int_equal(memory.last_item, SHW_LOG_IMAGE_FORMAT);
        }
        free(files[i].bytes);
    }
}

static void check_message(const void *bytes, size_t size, enum shw_result expected, const char *part)
{
    struct testing_log memory;

    assert_int_equal(decode(bytes, size, &memory), expected);
    assert_int_equal(memory.last_item, SHW_LOG_IMAGE_FORMAT);
    assert_non_null(strstr(memory.last, part));
}

static void check_text(const char *text, const char *part)
{
    check_message(text, strlen(text), SHW_ERROR_FORMAT, part);
}

TESTING_CASE(test_no_image)
{
    static const char text[] = "Dear reader,\n", gif[] = "GIF89a\1\0\1\0", ascii[] = "P3\n1 1\n255\n1 2 3\n";

    check_message("", 0, SHW_ERROR_FORMAT, "empty");
    check_message(text, sizeof text, SHW_ERROR_FORMAT, "not a PNG, JPEG, TIFF, WebP, BMP");
    check_message(gif, sizeof gif, SHW_ERROR_FORMAT, "not a PNG, JPEG, TIFF, WebP, BMP");
    check_message(ascii, sizeof ascii, SHW_ERROR_FORMAT, "binary");
    check_text("\x89PNG\r\n\x1a\n and then nonsense", "PNG");
    check_text("\xff\xd8 and then nonsense", "JPEG");
    check_message("II*\0 and then nonsense", 22, SHW_ERROR_FORMAT, "TIFF");
    check_text("BM and then nonsense but long enough to hold a header", "BMP");
    check_text("P6 and then nonsense", "PPM");
}

static void set_word(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* PNG's checksum, so that a changed header is believed. */
static void mend_png_header(uint8_t *png)
{
    uint32_t crc = 0xffffffff;

    for (int i = 12; i < 29; i++) {
        crc ^= png[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
    }
    for (int i = 0; i < 4; i++)
        png[29 + i] = (uint8_t)(~crc >> (24 - 8 * i));
}

/* Small files that claim to be huge fail at once and without the memory. */
TESTING_CASE(test_huge)
{
    static const char pnm[] = "P5 65535 65535 255\n", wide[] = "P5 100000 1 255\n",
                      digits[] = "P5 99999999999999999999 1 255\n";
    struct testing_picture picture = picture_of(24, 3);
    struct testing_bytes bmp = testing_encode_bmp(&picture), png, tiff;
    struct testing_picture grey = picture_of(8, 1);

    check_message(pnm, sizeof pnm - 1, SHW_ERROR_FORMAT, "truncated");
    check_message(wide, sizeof wide - 1, SHW_ERROR_FORMAT, "truncated");
    check_message(digits, sizeof digits - 1, SHW_ERROR_FORMAT, "header");
    set_word(bmp.bytes + 18, 65535);
    set_word(bmp.bytes + 22, 65535);
    check_message(bmp.bytes, bmp.size, SHW_ERROR_LIMIT, "too many");
    set_word(bmp.bytes + 18, 0x80000000);
    set_word(bmp.bytes + 22, 0x80000000);
    check_message(bmp.bytes, bmp.size, SHW_ERROR_LIMIT, "too many");
    set_word(bmp.bytes + 18, 0);
    check_message(bmp.bytes, bmp.size, SHW_ERROR_FORMAT, "no pixels");
    free(bmp.bytes);

    tiff = testing_encode_tiff(&grey);
    for (uint32_t tag = 256; tag <= 257; tag++) { /* ImageWidth, ImageLength: in a directory at the end */
        for (size_t i = 8; i + 12 <= tiff.size; i++)
            if (tiff.bytes[i] == (tag & 255) && tiff.bytes[i + 1] == 1 && tiff.bytes[i + 3] == 0 &&
                tiff.bytes[i + 4] == 1) {
                tiff.bytes[i + 2] = 4; /* LONG */
                set_word(tiff.bytes + i + 8, 60000);
            }
    }
    check_message(tiff.bytes, tiff.size, SHW_ERROR_LIMIT, "too many");
    free(tiff.bytes);

    png = testing_encode_png(&grey);
    set_word(png.bytes + 16, 0xffff0000); /* both sides 65535, most significant byte first */
    set_word(png.bytes + 20, 0xffff0000);
    mend_png_header(png.bytes);
    check_message(png.bytes, png.size, SHW_ERROR_LIMIT, "65535 x 65535 pixels are too many");
    set_word(png.bytes + 16, 0x00000100);
    set_word(png.bytes + 20, 0x01000000);
    mend_png_header(png.bytes);
    check_message(png.bytes, png.size, SHW_ERROR_LIMIT, "65536 x 1 pixels are too many (at most 65535 a side");
    set_word(png.bytes + 16, 0x00400000); /* 16384 x 16384: as many as are taken, but not there */
    set_word(png.bytes + 20, 0x00400000);
    mend_png_header(png.bytes);
    check_message(png.bytes, png.size, SHW_ERROR_FORMAT, "truncated");
    set_word(png.bytes + 20, 0xffff0000);
    set_word(png.bytes + 16, 0x00010000); /* 256 x 65535: fewer rows than it says */
    mend_png_header(png.bytes);
    check_message(png.bytes, png.size, SHW_ERROR_FORMAT, "PNG");
    free(png.bytes);
}

TESTING_CASE(test_bmp_palette)
{
    struct testing_picture picture = picture_of(8, 1);
    struct testing_bytes bytes;

    picture.palette = palette;
    picture.palette_size = 8; /* the values go up to 15 */
    bytes = testing_encode_bmp(&picture);
    check_message(bytes.bytes, bytes.size, SHW_ERROR_FORMAT, "palette");
    free(bytes.bytes);
    picture.palette_size = 16;
    bytes = testing_encode_bmp(&picture);
    check_message(bytes.bytes, bytes.size - 1, SHW_ERROR_FORMAT, "truncated");
    bytes.bytes[30] = 1; /* run lengths */
    check_message(bytes.bytes, bytes.size, SHW_ERROR_FORMAT, "without compression");
    free(bytes.bytes);
}

TESTING_CASE(test_unreadable)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file file = {0};

    assert_int_equal(shw_image_file_read(testing_path("missing.png"), NULL, &log, &file), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    assert_non_null(strstr(memory.last, "missing.png"));
    mkdir(testing_path("folder.png"), 0777);
    assert_int_equal(shw_image_file_read(testing_path("folder.png"), NULL, &log, &file), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_READ);
    assert_int_equal(memory.errors, 2);
}

static enum shw_result decode_label(struct testing_bytes bytes, enum shw_label_kind kind, struct shw_label_file *file,
                                    struct testing_log *memory)
{
    struct shw_log log = testing_log(memory);
    enum shw_result result = shw_label_file_decode(bytes.bytes, bytes.size, "label", kind, &log, file);

    assert_int_equal(memory->errors, result != SHW_OK);
    free(bytes.bytes);
    return result;
}

/* Numbers stay numbers: of a palette, of grey with few bits, of 16 bits, of inverted grey. */
TESTING_CASE(test_label_indices)
{
    static const unsigned bits[] = {1, 4, 8, 16};

    for (unsigned i = 0; i < 16; i++) {
        struct testing_picture picture = picture_of(bits[i % 4], 1);
        uint16_t kept[WIDTH * HEIGHT];
        struct testing_log memory;
        struct shw_label_file file;

        memcpy(kept, values, sizeof kept);
        for (size_t p = 0; p < WIDTH * HEIGHT; p++)
            values[p] = (uint16_t)(kept[p] % (1u << picture.bits));
        picture.palette = i & 4 && picture.bits <= 8 ? palette : NULL;
        picture.inverted = (i & 12) == 8;
        assert_int_equal(decode_label(i & 8 ? testing_encode_tiff(&picture) : testing_encode_png(&picture),
                                      i & 1 ? SHW_LABELS_AUTO : SHW_LABELS_INDEX, &file, &memory),
                         SHW_OK);
        assert_int_equal(file.width, WIDTH);
        assert_int_equal(file.height, HEIGHT);
        assert_null(file.colours);
        assert_memory_equal(file.indices, values, sizeof kept);
        shw_label_file_free(&file);
        memcpy(values, kept, sizeof kept);
    }
}

TESTING_CASE(test_label_colours)
{
    struct testing_picture picture = picture_of(8, 3);
    struct testing_log memory;
    struct shw_label_file file = {0};

    assert_int_equal(decode_label(testing_encode_png(&picture), SHW_LABELS_AUTO, &file, &memory), SHW_OK);
    assert_null(file.indices);
    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_int_equal(file.colours[i], values[i]);
    shw_label_file_free(&file);

    picture.samples = 4; /* alpha does not count */
    assert_int_equal(decode_label(testing_encode_png(&picture), SHW_LABELS_AUTO, &file, &memory), SHW_OK);
    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_int_equal(file.colours[i], values[i / 3 * 4 + i % 3]);
    shw_label_file_free(&file);

    picture.samples = 1; /* a palette, taken as colours */
    picture.palette = palette;
    assert_int_equal(decode_label(testing_encode_png(&picture), SHW_LABELS_COLOUR, &file, &memory), SHW_OK);
    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_int_equal(file.colours[i], palette[values[i / 3]][i % 3]);
    shw_label_file_free(&file);

    picture.palette = NULL; /* grey, taken as colours */
    assert_int_equal(decode_label(testing_encode_png(&picture), SHW_LABELS_COLOUR, &file, &memory), SHW_OK);
    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_int_equal(file.colours[i], values[i / 3]);
    shw_label_file_free(&file);
}

TESTING_CASE(test_label_refused)
{
    struct testing_picture colour = picture_of(8, 3), deep = picture_of(16, 3);
    struct testing_log memory;
    struct shw_label_file file = {0};

    assert_int_equal(decode_label(testing_encode_jpeg(&colour), SHW_LABELS_AUTO, &file, &memory), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "JPEG"));
    assert_int_equal(decode_label(testing_encode_png(&colour), SHW_LABELS_INDEX, &file, &memory), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "colours instead of indices"));
    assert_int_equal(decode_label(testing_encode_png(&deep), SHW_LABELS_AUTO, &file, &memory), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "16"));
}

TESTING_CASE(test_depth)
{
    struct testing_picture picture = picture_of(16, 1), shallow = picture_of(8, 1);
    const char *path = testing_path("depth.png");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file depth;

    testing_write_file(path, testing_encode_png(&picture));
    assert_int_equal(shw_input_file_read(SHW_DEPTH, path, NULL, &log, &depth), SHW_OK);
    assert_int_equal(depth.image.width, WIDTH);
    assert_int_equal(depth.image.height, HEIGHT);
    assert_memory_equal(depth.image.pixels, values, WIDTH * HEIGHT * 2);
    shw_image_file_free(&depth);
    picture.largest = 5000; /* millimetres are not stretched */
    testing_write_file(path, testing_encode_pnm(&picture));
    assert_int_equal(shw_input_file_read(SHW_DEPTH, path, NULL, &log, &depth), SHW_OK);
    assert_memory_equal(depth.image.pixels, values, WIDTH * HEIGHT * 2);
    shw_image_file_free(&depth);
    testing_write_file(path, testing_encode_png(&shallow));
    assert_int_equal(shw_input_file_read(SHW_DEPTH, path, NULL, &log, &depth), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "16-bit grey"));
    assert_int_equal(memory.errors, 1);
}

TESTING_FIXTURE(setup, NULL)
