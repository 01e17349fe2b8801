/* The place on Earth and the size of pixels, which labels take from their image. */
#include "tiff_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "files/image/resolution.h"

enum { SCALE = 33550, TIEPOINT = 33922, TRANSFORMATION = 34264, KEYS = 34735, DOUBLES = 34736, ASCII = 34737 };

static const TIFFFieldInfo fields[] = {
    {SCALE, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "scale"},
    {TIEPOINT, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "tiepoint"},
    {TRANSFORMATION, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "matrix"},
    {KEYS, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "keys"},
    {DOUBLES, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "doubles"},
    {ASCII, TIFF_ASCII, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)(uintptr_t) "ascii"}};

static const double scale[] = {10, 10, 0}, tiepoint[] = {0, 0, 0, 500000.25, 4600000, 0}, doubles[] = {0.5, 298.25};
static const uint16_t keys[] = {1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633};

static const struct layout layout = {.bits = 16,
                                     .format = SAMPLEFORMAT_UINT,
                                     .samples = 2,
                                     .compression = COMPRESSION_NONE,
                                     .photometric = PHOTOMETRIC_MINISBLACK};

static const char *write_image(const char *name, uint16_t orientation)
{
    const char *path = testing_path(name);
    TIFF *tiff = TIFFOpen(path, "w");

    assert_non_null(tiff);
    TIFFMergeFieldInfo(tiff, fields, sizeof fields / sizeof *fields);
    TIFFSetField(tiff, SCALE, 3, scale);
    TIFFSetField(tiff, TIEPOINT, 6, tiepoint);
    TIFFSetField(tiff, KEYS, 16, keys);
    TIFFSetField(tiff, DOUBLES, 2, doubles);
    TIFFSetField(tiff, ASCII, "WGS 84 / UTM zone 33N|");
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation);
    fill(&layout, 3);
    write_page(tiff, &layout);
    TIFFClose(tiff);
    return path;
}

static void check_tag(TIFF *tiff, uint32_t tag, const void *values, uint32_t expected, size_t size)
{
    uint32_t count = 0;
    void *got = NULL;

    if (values == NULL) {
        assert_int_equal(TIFFGetField(tiff, tag, &count, &got), 0);
        return;
    }
    assert_int_equal(TIFFGetField(tiff, tag, &count, &got), 1);
    assert_int_equal(count, expected);
    assert_memory_equal(got, values, expected * size);
}

static void check_tags(const char *path, bool has_place)
{
    TIFF *tiff = TIFFOpen(path, "r");

    assert_non_null(tiff);
    check_tag(tiff, SCALE, has_place ? scale : NULL, 3, sizeof *scale);
    check_tag(tiff, TIEPOINT, has_place ? tiepoint : NULL, 6, sizeof *tiepoint);
    check_tag(tiff, TRANSFORMATION, NULL, 0, 0);
    check_tag(tiff, KEYS, has_place ? keys : NULL, 16, sizeof *keys);
    check_tag(tiff, DOUBLES, has_place ? doubles : NULL, 2, sizeof *doubles);
    check_tag(tiff, ASCII, has_place ? "WGS 84 / UTM zone 33N|" : NULL, 23, 1);
    TIFFClose(tiff);
}

static uint16_t labels[2 * WIDTH * HEIGHT];
static const struct shw_class classes[] = {{.name = "a", .colour = {1, 2, 3}}, {.name = "b", .colour = {4, 5, 6}}};

static const char *write_labels(const char *name, const char *like, uint32_t height)
{
    const char *path = testing_path(name);

    for (uint32_t i = 0; i < sizeof labels / sizeof *labels; i++)
        labels[i] = i % 5 == 0 ? SHW_LABEL_VOID : (uint16_t)(i % 2);
    assert_int_equal(shw_tiff_write_labels(path, like, labels, WIDTH, height, classes, 2, NULL), SHW_OK);
    return path;
}

/* The same in bands of rows, as labels of large images are written. */
static const char *write_bands(const char *name, const char *like)
{
    const char *path = testing_path(name);
    struct shw_row_writer *rows;

    assert_int_equal(shw_tiff_open_labels(path, like, WIDTH, HEIGHT, classes, 2, NULL, &rows), SHW_OK);
    assert_int_equal(rows->put(rows, labels, 0, 5), SHW_OK);
    assert_int_equal(rows->put(rows, labels + 5 * WIDTH, 0, HEIGHT - 5), SHW_OK);
    assert_int_equal(shw_row_writer_commit(&rows), SHW_OK);
    return path;
}

/* And pages of two classes. */
static const char *write_page_bands(const char *name, const char *like)
{
    const char *path = testing_path(name);
    struct shw_row_writer *rows;

    assert_int_equal(shw_tiff_open_pages(path, like, 2, WIDTH, HEIGHT, NULL, &rows), SHW_OK);
    assert_int_equal(rows->put(rows, labels, 6 * WIDTH * 2, 6), SHW_OK);
    assert_int_equal(rows->put(rows, labels, 7 * WIDTH * 2, HEIGHT - 6), SHW_OK);
    assert_int_equal(shw_row_writer_commit(&rows), SHW_OK);
    return path;
}

TESTING_CASE(labels_have_the_place_of_their_image)
{
    const char *image = write_image("image.tif", ORIENTATION_TOPLEFT), *written;
    struct shw_label_file file;

    check_tags(image, true);
    written = write_labels("labels.tif", image, HEIGHT);
    check_tags(written, true);
    assert_true(shw_tiff_is_marked(written, shw_file_label_page.name));
    assert_int_equal(shw_label_file_read(written, SHW_LABELS_INDEX, NULL, &file), SHW_OK);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(file.indices[i], labels[i] == SHW_LABEL_VOID ? 255 : labels[i]);
    shw_label_file_free(&file);
    assert_int_equal(shw_tiff_write_pages(testing_path("pages.tif"), image, labels, 2, WIDTH, HEIGHT, NULL), SHW_OK);
    check_tags(testing_path("pages.tif"), true);
    check_tags(write_bands("bands.tif", image), true);
    check_tags(write_page_bands("page-bands.tif", image), true);
    check_tags(write_labels("larger.tif", image, 2 * HEIGHT), false);
    check_tags(write_labels("turned.tif", write_image("turned-image.tif", ORIENTATION_RIGHTTOP), HEIGHT), false);
    check_tags(write_labels("other.tif", testing_path("missing.tif"), HEIGHT), false);
    check_tags(write_labels("none.tif", NULL, HEIGHT), false);
}

TESTING_CASE(pixels_have_the_size_that_the_file_states)
{
    static const char ome[] =
        "<OME><Image><Pixels PhysicalSizeX=\"0.5\" PhysicalSizeXUnit=\"um\" PhysicalSizeY=\"0.5\" "
        "PhysicalSizeYUnit=\"um\" SizeC=\"2\"/></Image></OME>";
    const char *image = write_image("metres.tif", ORIENTATION_TOPLEFT), *path = testing_path("cells.ome.tif");
    TIFF *tiff = TIFFOpen(path, "w");

    assert_true(shw_image_pixel_size(image) == 10e6);
    assert_non_null(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, ome);
    fill(&layout, 1);
    write_page(tiff, &layout);
    TIFFClose(tiff);
    assert_true(shw_image_pixel_size(path) == 0.5);
    assert_true(shw_image_pixel_size(write_labels("cells_labels.tif", path, HEIGHT)) == 0.5);
    assert_true(shw_image_pixel_size(write_bands("cells_bands.tif", path)) == 0.5);
}

/* The first lines of what gdalinfo says of the size, the coordinate system and the place; to be freed. */
static char *ask_gdal(const char *path)
{
    char command[1024], *text = calloc(1, 1 << 16);
    size_t length;
    FILE *pipe;

    assert_non_null(text);
    snprintf(command, sizeof command, "gdalinfo '%s' 2>/dev/null | grep -vE '^(Files|Driver|Metadata|Image|  |Band)'",
             path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    length = fread(text, 1, (1 << 16) - 1, pipe);
    pclose(pipe);
    assert_true(length > 100);
    return text;
}

TESTING_CASE(gdal_sees_the_same_place)
{
    char *expected, *got, *bands;

    if (system("command -v gdalinfo > /dev/null") != 0)
        testing_skip("gdalinfo is not installed (Debian: gdal-bin)");
    expected = ask_gdal(write_image("seen.tif", ORIENTATION_TOPLEFT));
    got = ask_gdal(write_labels("seen_labels.tif", testing_path("seen.tif"), HEIGHT));
    assert_non_null(strstr(expected, "Size is 21, 13"));
    assert_non_null(strstr(expected, "UTM zone 33N"));
    assert_non_null(strstr(expected, "Origin = (500000.25"));
    assert_string_equal(got, expected);
    bands = ask_gdal(write_bands("seen_bands.tif", testing_path("seen.tif")));
    assert_string_equal(bands, expected);
    free(bands);
    bands = ask_gdal(write_page_bands("seen_pages.tif", testing_path("seen.tif")));
    assert_non_null(strstr(bands, "Origin = (500000.25"));
    free(bands);
    free(expected);
    free(got);
}
