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

/* Files that are written in bands of rows have what those have that are written at once. */

enum { WIDE = 301, HIGH = 700, PAGES = 3 };

static uint16_t many[PAGES * WIDE * HIGH];

/* `size`: of a number; a band has rows of each plane. */
static void put_in_bands(struct testing_random *random, struct shw_row_writer *rows, size_t size, uint32_t planes)
{
    static uint16_t band[PAGES * WIDE * HIGH];
    const bool aligned = testing_random_below(random, 3) == 0;

    for (uint32_t y = 0, count; y < HIGH; y += count) {
        count = aligned ? 256 : 1 + testing_random_below(random, 400);
        count = count < HIGH - y ? count : HIGH - y;
        for (uint32_t p = 0; p < planes; p++)
            memcpy((char *)band + p * count * WIDE * size, (const char *)many + ((size_t)p * HIGH + y) * WIDE * size,
                   count * WIDE * size);
        assert_int_equal(rows->put(rows, band, count * WIDE * size, count), SHW_OK);
    }
    assert_int_equal(shw_row_writer_commit(&rows), SHW_OK);
}

static void same_bytes(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    int c;

    assert_non_null(x);
    assert_non_null(y);
    while ((c = fgetc(x)) != EOF)
        assert_int_equal(fgetc(y), c);
    assert_int_equal(fgetc(y), EOF);
    fclose(x);
    fclose(y);
}

static void same_pages(const char *path, const char *expected, uint32_t pages)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    char a[512], b[512];

    for (uint32_t page = 1; page <= pages; page++) {
        struct shw_image_file x, y;

        snprintf(a, sizeof a, "%s#%u", path, page);
        snprintf(b, sizeof b, "%s#%u", expected, page);
        assert_int_equal(shw_image_file_read(a, NULL, &log, &x), SHW_OK);
        assert_int_equal(shw_image_file_read(b, NULL, &log, &y), SHW_OK);
        assert_int_equal(x.image.width, y.image.width);
        assert_int_equal(x.image.format, y.image.format);
        assert_memory_equal(x.pixels, y.pixels, (size_t)WIDE * HIGH * shw_pixel_size(x.image.format));
        shw_image_file_free(&x);
        shw_image_file_free(&y);
    }
}

static void check_tiled(const char *path, const char *mark)
{
    TIFF *tiff = TIFFOpen(path, "r");

    assert_non_null(tiff);
    assert_true(TIFFIsTiled(tiff) != 0);
    TIFFClose(tiff);
    assert_true(shw_tiff_is_marked(path, mark));
}

TESTING_CASE(rows_in_bands)
{
    static const struct shw_class classes[300] = {{.colour = {1, 2, 3}}, {.colour = {4, 5, 6}}, {.colour = {7, 8, 9}}};
    const char *whole = testing_path("whole"), *bands = testing_path("bands");

    for (uint64_t seed = 1; seed <= 6; seed++) {
        const uint32_t class_count = seed % 2 == 0 ? 300 : 3;
        struct testing_random random = {seed};
        struct shw_row_writer *rows;

        for (size_t i = 0; i < sizeof many / sizeof *many; i++)
            many[i] = i % 50 == 0 ? SHW_LABEL_VOID : (uint16_t)testing_random_below(&random, class_count);
        assert_int_equal(shw_png_write_labels(whole, many, WIDE, HIGH, classes, class_count, 0.5, NULL), SHW_OK);
        assert_int_equal(shw_png_open_labels(bands, WIDE, HIGH, classes, class_count, 0.5, NULL, &rows), SHW_OK);
        put_in_bands(&random, rows, 2, 1);
        same_bytes(whole, bands);
        assert_int_equal(shw_npy_write(whole, many, PAGES, WIDE, HIGH, NULL), SHW_OK);
        assert_int_equal(shw_npy_open(bands, "u2", PAGES, WIDE, HIGH, NULL, &rows), SHW_OK);
        put_in_bands(&random, rows, 2, PAGES);
        same_bytes(whole, bands);
        assert_int_equal(shw_tiff_write_labels(whole, NULL, many, WIDE, HIGH, classes, class_count, NULL), SHW_OK);
        assert_int_equal(shw_tiff_open_labels(bands, NULL, WIDE, HIGH, classes, class_count, NULL, &rows), SHW_OK);
        put_in_bands(&random, rows, 2, 1);
        same_pages(bands, whole, 1);
        check_tiled(bands, shw_file_label_page.name);
        assert_int_equal(shw_tiff_write_pages(whole, NULL, many, PAGES, WIDE, HIGH, NULL), SHW_OK);
        assert_int_equal(shw_tiff_open_pages(bands, NULL, PAGES, WIDE, HIGH, NULL, &rows), SHW_OK);
        put_in_bands(&random, rows, 2, PAGES);
        same_pages(bands, whole, PAGES);
        check_tiled(bands, shw_file_probability_pages.name);
    }
}

/* What is not complete is not there, and what was there stays. */
TESTING_CASE(abandoned_rows_leave_nothing)
{
    static const struct shw_class classes[3] = {{.colour = {1, 2, 3}}};
    const char *path = testing_path("abandoned.tif");
    struct shw_row_writer *rows = NULL;
    struct stat status;

    shw_row_writer_abandon(&rows);
    assert_int_equal(shw_tiff_open_pages(path, NULL, PAGES, WIDE, HIGH, NULL, &rows), SHW_OK);
    assert_int_equal(rows->put(rows, many, 100 * WIDE * 2, 100), SHW_OK);
    shw_row_writer_abandon(&rows);
    assert_null(rows);
    assert_int_not_equal(stat(path, &status), 0);
    assert_int_equal(shw_png_open_labels(path, WIDE, HIGH, classes, 3, 0, NULL, &rows), SHW_OK);
    assert_int_equal(rows->put(rows, many, 0, 1), SHW_OK);
    shw_row_writer_abandon(&rows);
    assert_int_not_equal(stat(path, &status), 0);
    assert_int_equal(shw_npy_open(path, "u2", 1, WIDE, HIGH, NULL, &rows), SHW_OK);
    shw_row_writer_abandon(&rows);
    assert_int_not_equal(stat(path, &status), 0);
}
