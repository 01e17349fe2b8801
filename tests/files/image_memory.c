/* What decoding an image allocates is bounded by what its file holds, whatever the file claims. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tiffio.h>
#include <unistd.h>
#include <zlib.h>

#include "files/image/image_file.h"

#include "testing/image_encode.h"
#include "testing/sanitizers.h"

#define MIB (1L << 20)

static uint8_t file[1 << 20];
static size_t size;

static void put(const void *bytes, size_t count)
{
    memcpy(file + size, bytes, count);
    size += count;
}

static void put_big(uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};

    put(bytes, 4);
}

static void put_chunk_as(const char *type, const void *bytes, uint32_t count, uint32_t told)
{
    size_t start = size + 4;

    put_big(told);
    put(type, 4);
    put(bytes, count);
    put_big((uint32_t)crc32(0, file + start, (uInt)(size - start)));
}

static void put_chunk(const char *type, const void *bytes, uint32_t count)
{
    put_chunk_as(type, bytes, count, count);
}

static void begin_png(uint32_t width, uint32_t height, uint8_t colour_type)
{
    const uint8_t header[13] = {(uint8_t)(width >> 24),
                                (uint8_t)(width >> 16),
                                (uint8_t)(width >> 8),
                                (uint8_t)width,
                                (uint8_t)(height >> 24),
                                (uint8_t)(height >> 16),
                                (uint8_t)(height >> 8),
                                (uint8_t)height,
                                8,
                                colour_type};

    size = 0;
    put("\x89PNG\r\n\x1a\n", 8);
    put_chunk("IHDR", header, sizeof header);
}

/* One black pixel, and the end. */
static void end_png(void)
{
    static const uint8_t row[2];
    uint8_t packed[64];
    uLongf count = sizeof packed;

    assert_int_equal(compress(packed, &count, row, sizeof row), Z_OK);
    put_chunk("IDAT", packed, (uint32_t)count);
    put_chunk("IEND", "", 0);
}

/* The largest size of the address space so far, in bytes. */
static long peak(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;

    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmPeak: %ld kB", &kib) == 1)
            break;
    if (status != NULL)
        fclose(status);
    return kib * 1024;
}

/* Decodes the file in a process of its own; its result and how much memory it took. */
static enum shw_result decode(long *bytes)
{
    struct {
        enum shw_result result;
        long bytes;
    } told;
    int channel[2];
    pid_t child;

    assert_int_equal(pipe(channel), 0);
    child = fork();
    if (child == 0) {
        struct shw_image_file image = {0};
        long before = peak();

        told.result = shw_image_file_decode(file, size, "some/file", NULL, NULL, &image);
        told.bytes = peak() - before;
        _exit(write(channel[1], &told, sizeof told) != sizeof told);
    }
    assert_int_equal(read(channel[0], &told, sizeof told), sizeof told);
    waitpid(child, NULL, 0);
    close(channel[0]);
    close(channel[1]);
    *bytes = told.bytes;
#if TESTING_ADDRESS_SANITIZED
    *bytes = 0; /* it has an address space of its own ways */
#endif
    return told.result;
}

static void check(enum shw_result expected, long most)
{
    long bytes;
    enum shw_result result = decode(&bytes);

    assert_int_equal(result, expected);
    if (bytes > most)
        fail_msg("a file of %zu bytes takes %ld bytes of memory, not %ld at most", size, bytes, most);
}

TESTING_CASE(test_png_chunks)
{
    static const char *const types[] = {"tEXt", "zTXt", "iTXt", "iCCP", "eXIf", "sPLT", "abCd", "PLTE", "tRNS"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) { /* before the pixels and after them */
        begin_png(1, 1, 0);
        put_chunk_as(types[i], "Comment\0x", 9, 0x7fffffff);
        end_png();
        check(SHW_ERROR_FORMAT, 8 * MIB);
        begin_png(1, 1, 0);
        end_png();
        size -= 12;
        put_chunk_as(types[i], "Comment\0x", 9, 0x7fffffff);
        put_chunk("IEND", "", 0);
        check(SHW_ERROR_FORMAT, 8 * MIB);
    }
}

/* Texts that become 16 MiB each. */
TESTING_CASE(test_png_texts)
{
    static const size_t text_size = 15 * MIB;
    uint8_t *text = calloc(1, text_size), packed[32768] = "Comment";
    uLongf count = sizeof packed - 9;

    memset(text, 'x', text_size);
    assert_int_equal(compress2(packed + 9, &count, text, text_size, 9), Z_OK);
    free(text);
    begin_png(1, 1, 0);
    for (int i = 0; i < 40; i++)
        put_chunk(i % 2 == 0 ? "zTXt" : "iCCP", packed, (uint32_t)count + 9);
    end_png();
    check(SHW_OK, 8 * MIB);
}

/* Bytes that are not pixels do not make room for any. */
TESTING_CASE(test_png_pixels)
{
    static uint8_t rest[900000];

    begin_png(16384, 16384, 2);
    put_chunk("tEXt", rest, sizeof rest);
    end_png();
    check(SHW_ERROR_FORMAT, 8 * MIB);
}

static void put_tag(uint16_t tag, uint16_t type, uint32_t count, uint32_t value)
{
    put(&tag, 2);
    put(&type, 2);
    put(&count, 4);
    put(&value, 4);
}

/* A file of 10 KB with an image of this size; tile 0: one strip per row. */
static void make_tiff(uint16_t compression, uint32_t width, uint32_t height, uint16_t bits, uint16_t samples,
                      uint32_t tile)
{
    const uint16_t tags = (uint16_t)(tile > 0 ? 10 : 9);
    const uint32_t blocks = tile > 0 ? ((width + tile - 1) / tile) * ((height + tile - 1) / tile) : height;
    const uint32_t at = 8;

    size = 0;
    memset(file, 0, 10000);
    put("II*\0", 4);
    put(&at, 4);
    put(&tags, 2);
    put_tag(TIFFTAG_IMAGEWIDTH, 4, 1, width);
    put_tag(TIFFTAG_IMAGELENGTH, 4, 1, height);
    put_tag(TIFFTAG_BITSPERSAMPLE, 3, 1, bits);
    put_tag(TIFFTAG_COMPRESSION, 3, 1, compression);
    put_tag(TIFFTAG_PHOTOMETRIC, 3, 1, samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    if (tile == 0)
        put_tag(TIFFTAG_STRIPOFFSETS, 4, blocks, 1000);
    put_tag(TIFFTAG_SAMPLESPERPIXEL, 3, 1, samples);
    if (tile == 0) {
        put_tag(TIFFTAG_ROWSPERSTRIP, 4, 1, 1);
        put_tag(TIFFTAG_STRIPBYTECOUNTS, 4, blocks, 1000);
    } else {
        put_tag(TIFFTAG_TILEWIDTH, 4, 1, tile);
        put_tag(TIFFTAG_TILELENGTH, 4, 1, tile);
        put_tag(TIFFTAG_TILEOFFSETS, 4, blocks, 1000);
        put_tag(TIFFTAG_TILEBYTECOUNTS, 4, blocks, 1000);
    }
    size = 10000;
}

TESTING_CASE(test_tiff)
{
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_PACKBITS, COMPRESSION_LZW,
                                            COMPRESSION_ADOBE_DEFLATE, COMPRESSION_JPEG};

    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++) {
        make_tiff(compressions[i], 16384, 16384, 16, 4, 0);
        check(SHW_ERROR_FORMAT, 8 * MIB);
        make_tiff(compressions[i], 16384, 16384, 8, 3, 16384);
        check(SHW_ERROR_FORMAT, 8 * MIB);
        make_tiff(compressions[i], 16, 16, 8, 3, 32768); /* a large tile for a small image */
        check(SHW_ERROR_FORMAT, 8 * MIB);
        make_tiff(compressions[i], 16, 16, 8, 30000, 0); /* samples that are not used */
        check(SHW_ERROR_FORMAT, 8 * MIB);
    }
    make_tiff(COMPRESSION_CCITTFAX4, 16384, 16384, 1, 1, 16); /* a million tiles */
    check(SHW_ERROR_FORMAT, 24 * MIB);
    make_tiff(COMPRESSION_CCITTFAX4, 65535, 4096, 1, 1, 0); /* which a fax can hold: a bit per row */
    check(SHW_ERROR_FORMAT, 300 * MIB);
}

/* The header of a real file with another size. */
TESTING_CASE(test_jpeg)
{
    static uint16_t values[9 * 6 * 3];
    struct testing_picture picture = {.width = 9, .height = 6, .bits = 8, .samples = 3, .values = values};

    for (unsigned kind = 0; kind < 4; kind++) {
        struct testing_bytes bytes;

        picture.interlaced = kind % 2 != 0;
        picture.arithmetic = kind >= 2;
        bytes = testing_encode_jpeg(&picture);
        size = 0;
        put(bytes.bytes, bytes.size);
        free(bytes.bytes);
        for (size_t i = 2; i + 9 < size; i += 2 + (size_t)(file[i + 2] << 8 | file[i + 3]))
            if (file[i + 1] == 0xc0 || file[i + 1] == 0xc2 || file[i + 1] == 0xc9 || file[i + 1] == 0xca) {
                memcpy(file + i + 5, "\x40\x00\x40\x00", 4); /* 16384 x 16384 */
                break;
            }
        check(SHW_ERROR_FORMAT, 8 * MIB);
    }
}

TESTING_CASE(test_bmp_and_pnm)
{
    static uint16_t values[9 * 6 * 3];
    struct testing_picture picture = {.width = 9, .height = 6, .bits = 24, .samples = 3, .values = values};
    struct testing_bytes bytes = testing_encode_bmp(&picture);

    size = 0;
    put(bytes.bytes, bytes.size);
    free(bytes.bytes);
    memcpy(file + 18, "\0\x40\0\0\0\x40\0\0", 8);
    check(SHW_ERROR_FORMAT, 8 * MIB);
    size = 0;
    put("P6 16384 16384 65535\n", 21);
    check(SHW_ERROR_FORMAT, 8 * MIB);
}

/* The orientation is looked for in a block in which every entry claims to be as large as the block. */
TESTING_CASE(test_exif)
{
    static uint8_t block[65000];
    const uint16_t entries = 5000, format = 7; /* undefined bytes */
    const uint32_t length = 60000, at = 8;

    memcpy(block, "II*\0\x8\0\0\0", 8);
    memcpy(block + 8, &entries, 2);
    for (uint16_t i = 0; i < entries; i++) {
        uint16_t tag = (uint16_t)(0x9286 + i % 2);

        memcpy(block + 10 + 12 * i, &tag, 2);
        memcpy(block + 12 + 12 * i, &format, 2);
        memcpy(block + 14 + 12 * i, &length, 4);
        memcpy(block + 18 + 12 * i, &at, 4);
    }
    begin_png(1, 1, 0);
    put_chunk("eXIf", block, sizeof block);
    end_png();
    check(SHW_OK, 8 * MIB);
}
