/* What is known of files that are listed: it is not found out again while the system says the same of them, and is when
 * it says something else. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#include "files/image/image_write.h"
#include "files/output/listed_files.h"

static const uint8_t pixels[2 * 2 * 3];

static void write_image(const char *path, const char *mark)
{
    const struct shw_image image = {.pixels = pixels, .width = 2, .height = 2, .format = SHW_PIXEL_RGB8};

    assert_int_equal(mark != NULL ? shw_png_write_marked(path, mark, &image, NULL) : shw_png_write(path, &image, NULL),
                     SHW_OK);
}

static void write_pages(const char *path, uint32_t count)
{
    TIFF *tiff = TIFFOpen(path, "w");

    assert_non_null(tiff);
    for (uint32_t page = 0; page < count; page++) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 2u);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 2u);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        for (uint32_t y = 0; y < 2; y++)
            assert_int_equal(TIFFWriteScanline(tiff, (void *)(uintptr_t)pixels, y, 0), 1);
        assert_int_equal(TIFFWriteDirectory(tiff), 1);
    }
    TIFFClose(tiff);
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

/* Says of all files that they have that many pages: what follows is then known, and not read. */
static void claim(struct shw_listed_files *files, uint32_t pages)
{
    for (uint32_t i = 0; i < files->capacity; i++)
        files->slots[i].pages = pages;
}

TESTING_CASE(what_was_changed_just_now_is_not_known)
{
    struct shw_listed_files files = {0};
    const char *path = testing_path("new.png");

    write_image(path, NULL);
    assert_false(shw_listed_files_is_result(&files, path));
    assert_int_equal(shw_listed_files_count_pages(&files, path), 1);
    assert_int_equal(files.count, 0);
    shw_listed_files_free(&files);
}

TESTING_CASE(files_are_read_once)
{
    struct shw_listed_files files = {0}, copy = {0};
    char image[600], result[600], pages[600], moved[600], broken[600];

    snprintf(image, sizeof image, "%s", testing_path("image.png"));
    snprintf(result, sizeof result, "%s", testing_path("result.png"));
    snprintf(pages, sizeof pages, "%s", testing_path("pages.tif"));
    snprintf(moved, sizeof moved, "%s", testing_path("moved.png"));
    snprintf(broken, sizeof broken, "%s", testing_path("broken.png"));
    write_image(image, NULL);
    write_image(result, "overlay");
    write_pages(pages, 3);
    write_text(broken, "none");
    sleep(3);

    for (int turn = 0; turn < 2; turn++) {
        assert_false(shw_listed_files_is_result(&files, image));
        assert_int_equal(shw_listed_files_count_pages(&files, image), 1);
        assert_true(shw_listed_files_is_result(&files, result));
        assert_int_equal(shw_listed_files_count_pages(&files, result), 1); /* as an image that is named */
        assert_int_equal(shw_listed_files_count_pages(&files, pages), 3);
        assert_false(shw_listed_files_is_result(&files, pages));
        assert_false(shw_listed_files_is_result(&files, broken));
        assert_int_equal(shw_listed_files_count_pages(&files, broken), 1);
        assert_int_equal(files.count, 4);
    }
    shw_listed_files_add_all(&copy, &files);
    claim(&copy, 7);
    assert_int_equal(shw_listed_files_count_pages(&copy, image), 7);
    claim(&copy, 0);
    assert_true(shw_listed_files_is_result(&copy, image));

    /* another name, other contents: what was known is not of them */
    assert_int_equal(rename(image, moved), 0);
    assert_false(shw_listed_files_is_result(&copy, moved));
    write_image(result, NULL);
    assert_false(shw_listed_files_is_result(&copy, result));
    write_pages(pages, 2);
    claim(&copy, 7);
    assert_int_equal(shw_listed_files_count_pages(&copy, pages), 2);
    assert_false(shw_listed_files_is_result(&copy, image)); /* there is none */
    assert_int_equal(shw_listed_files_count_pages(&copy, image), 1);
    shw_listed_files_free(&copy);
    shw_listed_files_free(&files);
}

TESTING_CASE(nothing_is_known_without_them)
{
    const char *path = testing_path("plain.png");

    write_image(path, "labels");
    assert_true(shw_listed_files_is_result(NULL, path));
    assert_int_equal(shw_listed_files_count_pages(NULL, path), 1);
}

/* Many of them, whose keys differ only a little. */
TESTING_CASE(every_key_is_found)
{
    struct shw_listed_files files = {0};

    for (uint64_t i = 0; i < 20000; i++)
        shw_listed_files_add(&files, (const uint64_t[2]){i / 4, i % 4}, (uint32_t)i);
    assert_int_equal(files.count, 20000);
    for (uint64_t i = 0; i < 20000; i++)
        assert_true(shw_listed_files_have(&files, (const uint64_t[2]){i / 4, i % 4}));
    assert_false(shw_listed_files_have(&files, (const uint64_t[2]){5000, 0}));
    assert_false(shw_listed_files_have(&files, (const uint64_t[2]){0, 4}));
    for (uint32_t i = 0; i < files.capacity; i++)
        assert_true(!files.slots[i].is_used ||
                    files.slots[i].pages == 4 * files.slots[i].key[0] + files.slots[i].key[1]);
    shw_listed_files_free(&files);
}
