/* Image files out: what was written reads back, by our reader or by plain parsing. */
#include "testing/testing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/image/npy.h"
#include "testing/image_encode.h"

#define WIDTH  11
#define HEIGHT 5

static uint8_t bytes[WIDTH * HEIGHT * 8 + 64];

static int setup(void **state)
{
    struct testing_random random = {11};

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)testing_random_next(&random);
    return 0;
}

TESTING_CASE(test_png)
{
    const char *path = testing_path("written.png");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    for (int format = SHW_PIXEL_GREY8; format <= SHW_PIXEL_RGBA16; format++) {
        size_t row = WIDTH * shw_pixel_size((enum shw_pixel_format)format);

        for (size_t padding = 0; padding <= 8; padding += 8) {
            struct shw_image image = {bytes, WIDTH, HEIGHT, padding != 0 ? row + padding : 0,
                                      (enum shw_pixel_format)format};
            struct shw_image_file file;

            assert_int_equal(shw_png_write(path, &image, &log), SHW_OK);
            assert_int_equal(shw_image_file_read(path, NULL, &log, &file), SHW_OK);
            assert_int_equal(file.image.format, format);
            assert_int_equal(file.image.width, WIDTH);
            assert_int_equal(file.image.height, HEIGHT);
            for (size_t y = 0; y < HEIGHT; y++)
                assert_memory_equal((uint8_t *)file.pixels + y * row, bytes + y * (row + padding), row);
            shw_image_file_free(&file);
        }
    }
    assert_int_equal(memory.errors, 0);
}

TESTING_CASE(test_png_indexed)
{
    static const uint8_t colours[3][3] = {{1, 2, 3}, {250, 0, 9}, {7, 8, 200}};
    const char *path = testing_path("indexed.png");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    uint8_t indices[WIDTH * HEIGHT];
    struct shw_label_file labels;
    struct shw_image_file shown;

    for (size_t i = 0; i < sizeof indices; i++)
        indices[i] = bytes[i] % 3;
    assert_int_equal(shw_png_write_indexed(path, indices, WIDTH, HEIGHT, colours, 3, &log), SHW_OK);
    assert_int_equal(shw_label_file_read(path, SHW_LABELS_AUTO, &log, &labels), SHW_OK);
    assert_int_equal(shw_image_file_read(path, NULL, &log, &shown), SHW_OK);
    for (size_t i = 0; i < sizeof indices; i++) {
        assert_int_equal(labels.indices[i], indices[i]);
        assert_memory_equal((uint8_t *)shown.pixels + 3 * i, colours[indices[i]], 3);
    }
    shw_label_file_free(&labels);
    shw_image_file_free(&shown);

    indices[7] = 3;
    assert_int_equal(shw_png_write_indexed(path, indices, WIDTH, HEIGHT, colours, 3, &log), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_png_write_indexed(path, indices, WIDTH, HEIGHT, colours, 257, &log), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_png_write_indexed(path, indices, 0, HEIGHT, colours, 4, &log), SHW_ERROR_ARGUMENT);
}

TESTING_CASE(test_tiff_pages)
{
    const uint16_t *planes = (const uint16_t *)(const void *)bytes;
    const char *path = testing_path("pages.tif");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file first;
    uint16_t row[WIDTH];
    TIFF *tiff;

    assert_int_equal(shw_tiff_write_pages(path, NULL, planes, 4, WIDTH, HEIGHT, &log), SHW_OK);
    tiff = TIFFOpen(path, "r");
    assert_int_equal(TIFFNumberOfDirectories(tiff), 4);
    for (size_t page = 0; page < 4; page++) {
        assert_int_equal(TIFFSetDirectory(tiff, (tdir_t)page), 1);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            assert_int_equal(TIFFReadScanline(tiff, row, y, 0), 1);
            assert_memory_equal(row, planes + (page * HEIGHT + y) * WIDTH, sizeof row);
        }
    }
    TIFFClose(tiff);
    assert_int_equal(shw_image_file_read(path, NULL, &log, &first), SHW_OK);
    assert_memory_equal(first.pixels, planes, WIDTH * HEIGHT * 2);
    shw_image_file_free(&first);
    assert_int_equal(shw_tiff_write_pages(path, NULL, planes, 0, WIDTH, HEIGHT, &log), SHW_ERROR_ARGUMENT);
}

/* A file of NumPy of version 1 with this header and so many bytes, which count from 0. */
static size_t make_npy(const char *header, uint32_t count, uint8_t *file)
{
    static const char start[] = "\x93NUMPY\x01";
    size_t length = strlen(header);

    memcpy(file, start, 8);
    file[8] = (uint8_t)length;
    file[9] = 0;
    memcpy(file + 10, header, length);
    for (uint32_t i = 0; i < count; i++)
        file[10 + length + i] = (uint8_t)i;
    return 10 + length + count;
}

TESTING_CASE(test_npy_patches)
{
    static const struct {
        const char *header;
        uint32_t count;
        enum shw_result result;
        const char *part;
    } cases[] = {
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2, 3), }\n", 24, SHW_OK, ""},
        {"{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"u1\"}", 6, SHW_OK, ""},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }", 24, SHW_ERROR_FORMAT, "type <f4"},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (4, 2, 3), }", 24, SHW_ERROR_FORMAT, "Fortran"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (24,), }", 24, SHW_ERROR_FORMAT, "1 dimensions"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2, 3), }", 23, SHW_ERROR_FORMAT, "23 bytes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2, 3), }", 0, SHW_ERROR_FORMAT, "is empty"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 70000), }", 0, SHW_ERROR_LIMIT, "65535"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4294967295, 65535, 65535)}", 9, SHW_ERROR_FORMAT,
         "9 bytes"},
        {"{'descr': '|u1', 'shape': (4, 2, 3), }", 24, SHW_ERROR_FORMAT, "header"},
        {"{'descr': '|u1', 'fortran_order': Fa", 24, SHW_ERROR_FORMAT, "header"},
    };
    uint8_t file[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct shw_npy_patches patches = {0};
        size_t size = make_npy(cases[i].header, cases[i].count, file);
        assert_int_equal(shw_npy_decode(file, size, "p.npy", &log, &patches), cases[i].result);
        if (cases[i].result != SHW_OK && (strstr(memory.last, cases[i].part) == NULL || memory.errors != 1))
            fail_msg("case %zu: %s", i, memory.last);
        if (cases[i].result == SHW_OK) {
            assert_int_equal(patches.width, 3);
            assert_int_equal(patches.height, 2);
            assert_int_equal(patches.count, cases[i].count / 6);
            assert_int_equal(patches.values[cases[i].count - 1], cases[i].count - 1);
        }
        shw_npy_free(&patches);
    }
}

TESTING_CASE(test_npy)
{
    static const char start[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2, 5, 11), }";
    const uint16_t *planes = (const uint16_t *)(const void *)bytes;
    const char *path = testing_path("planes.npy");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct testing_bytes file;

    assert_int_equal(shw_npy_write(path, planes, 2, WIDTH, HEIGHT, &log), SHW_OK);
    file = testing_read_file(path);
    assert_int_equal(file.size, 128 + 2 * 2 * WIDTH * HEIGHT);
    assert_memory_equal(file.bytes, start, sizeof start - 1);
    for (size_t i = sizeof start - 1; i < 127; i++)
        assert_int_equal(file.bytes[i], ' ');
    assert_int_equal(file.bytes[127], '\n');
    for (size_t i = 0; i < 2 * WIDTH * HEIGHT; i++)
        assert_int_equal(file.bytes[128 + 2 * i] | file.bytes[129 + 2 * i] << 8, planes[i]);
    free(file.bytes);
}

/* A failure leaves what was there, and nothing beside it. */
TESTING_CASE(test_nothing_half_written)
{
    char folder[512], path[600], missing[600];
    struct shw_image image = {bytes, WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8}, none = {bytes, 0, HEIGHT, 0, SHW_PIXEL_RGB8};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct testing_bytes kept;
    struct dirent *entry;
    int entries = 0;
    DIR *listing;

    snprintf(folder, sizeof folder, "%s", testing_path("out"));
    snprintf(path, sizeof path, "%s/a.png", folder);
    snprintf(missing, sizeof missing, "%s/no/a.png", folder);
    mkdir(folder, 0777);
    assert_int_equal(shw_png_write(path, &image, &log), SHW_OK);
    assert_int_equal(shw_png_write(path, &none, &log), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(shw_png_write(missing, &image, &log), SHW_ERROR_IO);
    assert_int_equal(shw_npy_write(missing, (const uint16_t *)(const void *)bytes, 1, 2, 2, &log), SHW_ERROR_IO);
    assert_int_equal(shw_tiff_write_pages(missing, NULL, (const uint16_t *)(const void *)bytes, 1, 2, 2, &log),
                     SHW_ERROR_IO);
    assert_int_equal(memory.errors, 4);
    assert_non_null(strstr(memory.last, missing));
    kept = testing_read_file(path);
    assert_memory_equal(kept.bytes, "\x89PNG", 4);
    free(kept.bytes);
    listing = opendir(folder);
    while ((entry = readdir(listing)) != NULL)
        entries += entry->d_name[0] != '.';
    closedir(listing);
    assert_int_equal(entries, 1);
}

TESTING_FIXTURE(setup, NULL)
