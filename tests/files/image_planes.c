/* Planes of image files: bands and pages of TIFF files, arrays of NumPy, colours of others; and what they are called.
 */
#include "tiff_pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/dataset/image_inputs.h"
#include "files/image/image_write.h"
#include "files/image/planes.h"
#include "files/io/npy_header.h"

static double number_at(const struct shw_image *image, size_t index)
{
    if (image->format == SHW_PIXEL_GREY32_FLOAT)
        return (double)((const float *)image->pixels)[index];
    return sample(image, index);
}

static void check_plane(const struct layout *layout, const struct shw_image_file *file, uint32_t band)
{
    bool plain = layout->format == SAMPLEFORMAT_UINT && layout->bits <= 16;

    assert_int_equal(file->image.width, WIDTH);
    assert_int_equal(file->image.height, HEIGHT);
    assert_int_equal(file->image.format, !plain              ? SHW_PIXEL_GREY32_FLOAT
                                         : layout->bits == 8 ? SHW_PIXEL_GREY8
                                                             : SHW_PIXEL_GREY16);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        double expected = value_of(layout, stored[i * layout->samples + band]);
        assert_true(number_at(&file->image, i) == (plain ? expected : (double)(float)expected));
    }
}

static void read_planes(const char *path, const char *const *names, uint32_t count, struct shw_image_file *files)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    if (shw_image_planes_read(path, names, count, NULL, &log, files) != SHW_OK)
        fail_msg("%s", memory.last);
}

static struct shw_plane_list list_planes(const char *path)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_plane_list planes;

    assert_int_equal(shw_image_planes_list(path, &log, &planes), SHW_OK);
    return planes;
}

static void refuse_planes(const char *path, const char *name, const char *expected)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file file;

    assert_int_equal(shw_image_planes_read(path, &name, 1, NULL, &log, &file), SHW_ERROR_FORMAT);
    if (strstr(memory.last, expected) == NULL)
        fail_msg("'%s' does not say '%s'", memory.last, expected);
}

TESTING_CASE(bands_of_a_page)
{
    static const uint16_t bits[] = {8, 16, 32, 64, 16, 32};
    static const char *const names[] = {"b5", "b1", "b6", "b5"};
    static const uint32_t bands[] = {4, 0, 5, 4};

    for (uint32_t i = 0; i < 6 * 4; i++) {
        const struct layout layout = {.bits = bits[i % 6],
                                      .format = i % 6 < 2   ? SAMPLEFORMAT_UINT
                                                : i % 6 < 4 ? SAMPLEFORMAT_IEEEFP
                                                            : SAMPLEFORMAT_INT,
                                      .samples = SAMPLES,
                                      .compression = i % 5 == 0 ? COMPRESSION_NONE : COMPRESSION_ADOBE_DEFLATE,
                                      .photometric = PHOTOMETRIC_MINISBLACK,
                                      .separate = (i / 6) % 2 != 0,
                                      .tiled = i / 12 != 0,
                                      .mode = i % 2 == 0 ? "wl" : "wb",
                                      .rows = 5};
        struct shw_image_file files[4];
        struct shw_plane_list planes;
        const char *path;
        fill(&layout, i);
        path = write_file("bands.tif", &layout);
        planes = list_planes(path);
        assert_int_equal(planes.count, SAMPLES);
        assert_string_equal(planes.names[0], "");
        shw_plane_list_free(&planes);
        read_planes(path, names, 4, files);
        for (uint32_t k = 0; k < 4; k++) {
            check_plane(&layout, &files[k], bands[k]);
            shw_image_file_free(&files[k]);
        }
    }
    refuse_planes(testing_path("bands.tif"), "b7", "has no plane b7; its planes are b1 to b6");
    refuse_planes(testing_path("bands.tif"), "nir", "has no plane nir");
}

static const struct layout single = {.bits = 16,
                                     .format = SAMPLEFORMAT_UINT,
                                     .samples = 1,
                                     .compression = COMPRESSION_NONE,
                                     .photometric = PHOTOMETRIC_MINISBLACK};

/* Pages of random samples after page `number`; each has the seed of its number. */
static const char *write_pages(const char *name, uint32_t count, const char *description, const char *const *names)
{
    const char *path = testing_path(name);
    TIFF *tiff = TIFFOpen(path, "w");

    assert_non_null(tiff);
    for (uint32_t p = 0; p < count; p++) {
        fill(&single, p);
        if (p == 0 && description != NULL)
            TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description);
        if (names != NULL)
            TIFFSetField(tiff, TIFFTAG_PAGENAME, names[p]);
        write_page(tiff, &single);
    }
    TIFFClose(tiff);
    return path;
}

static void check_page(const char *path, const char *name, uint32_t page)
{
    struct shw_image_file file;

    fill(&single, page);
    read_planes(path, &name, 1, &file);
    check_plane(&single, &file, 0);
    shw_image_file_free(&file);
}

TESTING_CASE(pages_are_planes)
{
    static const char *const names[] = {"Red edge", "NIR", "nir", "depth", "--", "B4"};
    const char *path = write_pages("pages.tif", 6, NULL, names);
    struct shw_plane_list planes = list_planes(path);
    char third[64];

    assert_int_equal(planes.count, 6);
    assert_string_equal(planes.names[0], "red-edge");
    assert_string_equal(planes.names[1], "nir");
    assert_string_equal(planes.names[2], "nir-2");
    assert_string_equal(planes.names[3], "a-depth"); /* the name of another input */
    assert_string_equal(planes.names[4], "");
    assert_string_equal(planes.names[5], "b4"); /* a name goes before a number */
    shw_plane_list_free(&planes);
    check_page(path, "red-edge", 0);
    check_page(path, "nir-2", 2);
    check_page(path, "b5", 4);
    check_page(path, "b4", 5);
    snprintf(third, sizeof third, "%s#3", path); /* of one page, its bands */
    planes = list_planes(third);
    assert_int_equal(planes.count, 1);
    shw_plane_list_free(&planes);
    check_page(third, "b1", 2);
}

TESTING_CASE(channels_of_ome)
{
    static const char *const orders[] = {"XYCZT", "XYZCT", "XYZTC", "XYCTZ", "XYTCZ", "XYTZC"};
    static const uint32_t steps[] = {1, 2, 6, 1, 3, 6};
    char description[1024];

    for (int i = 0; i < 6; i++) {
        const char *path;
        struct shw_plane_list planes;
        snprintf(description, sizeof description,
                 "<?xml version=\"1.0\"?><OME><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"%s\" "
                 "SizeC=\"4\" SizeT=\"3\" SizeZ=\"2\" Type=\"uint16\"><Channel ID=\"Channel:0:0\" Name=\"DAPI\"/>"
                 "<Channel Name='CD3 (Opal 520)' SamplesPerPixel=\"1\"/><Channel ID=\"x\"/>"
                 "<Channel Name=\"DAPI\"/></Pixels></Image></OME>",
                 orders[i]);
        path = write_pages("channels.ome.tif", 24, description, NULL);
        planes = list_planes(path);
        assert_int_equal(planes.count, 4);
        assert_string_equal(planes.names[0], "dapi");
        assert_string_equal(planes.names[1], "cd3-opal-520");
        assert_string_equal(planes.names[2], "");
        assert_string_equal(planes.names[3], "dapi-2");
        shw_plane_list_free(&planes);
        check_page(path, "dapi", 0);
        check_page(path, "cd3-opal-520", steps[i]);
        check_page(path, "b3", 2 * steps[i]);
        check_page(path, "dapi-2", 3 * steps[i]);
    }
}

TESTING_CASE(descriptions_of_gdal)
{
    static const TIFFFieldInfo fields[] = {
        {42112, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)(uintptr_t) "GDAL_METADATA"}};
    const struct layout layout = {.bits = 16,
                                  .format = SAMPLEFORMAT_UINT,
                                  .samples = 3,
                                  .compression = COMPRESSION_NONE,
                                  .photometric = PHOTOMETRIC_MINISBLACK};
    const char *path = testing_path("gdal.tif"), *name = "b08-nir";
    TIFF *tiff = TIFFOpen(path, "w");
    struct shw_image_file file;
    struct shw_plane_list planes;

    assert_non_null(tiff);
    TIFFMergeFieldInfo(tiff, fields, 1);
    TIFFSetField(tiff, 42112,
                 "<GDALMetadata>\n  <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item>\n"
                 "  <Item name=\"DESCRIPTION\" sample=\"2\" role=\"description\">B08 (NIR)</Item>\n"
                 "  <Item name=\"DESCRIPTION\" sample=\"0\" role=\"description\">B02</Item>\n"
                 "  <Item name=\"DESCRIPTION\" sample=\"9\" role=\"description\">none</Item></GDALMetadata>\n");
    fill(&layout, 1);
    write_page(tiff, &layout);
    TIFFClose(tiff);
    planes = list_planes(path);
    assert_int_equal(planes.count, 3);
    assert_string_equal(planes.names[0], "b02");
    assert_string_equal(planes.names[1], "");
    assert_string_equal(planes.names[2], "b08-nir");
    shw_plane_list_free(&planes);
    read_planes(path, &name, 1, &file);
    check_plane(&layout, &file, 2);
    shw_image_file_free(&file);
    refuse_planes(path, "nir", "its planes are b02, b08-nir, or b1 to b3");
}

enum { NPY_WIDTH = 5, NPY_HEIGHT = 3, NPY_PLANES = 4 };

static const char *write_npy(const char *type, const void *elements, size_t size, uint32_t dimensions)
{
    static const uint64_t shape[] = {NPY_HEIGHT, NPY_WIDTH, NPY_PLANES};
    const char *path = testing_path("array.npy");
    char header[SHW_NPY_WRITTEN_SIZE];
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    shw_npy_header_write(header, type, dimensions, shape);
    fwrite(header, 1, sizeof header, file);
    fwrite(elements, 1, size, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

TESTING_CASE(arrays_of_numpy)
{
    static const char *const names[] = {"b4", "b2"};
    float floats[NPY_HEIGHT * NPY_WIDTH * NPY_PLANES];
    uint16_t words[NPY_HEIGHT * NPY_WIDTH * NPY_PLANES];
    uint8_t bytes[NPY_HEIGHT * NPY_WIDTH * NPY_PLANES];
    struct shw_image_file files[2], colours;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    for (uint32_t i = 0; i < NPY_HEIGHT * NPY_WIDTH * NPY_PLANES; i++) {
        floats[i] = (float)i / 50 - 0.1f;
        words[i] = (uint16_t)(1000 * i);
        bytes[i] = (uint8_t)(4 * i);
    }
    for (int t = 0; t < 3; t++) {
        const char *path = t == 0   ? write_npy("f4", floats, sizeof floats, 3)
                           : t == 1 ? write_npy("u2", words, sizeof words, 3)
                                    : write_npy("u1", bytes, sizeof bytes, 3);
        read_planes(path, names, 2, files);
        assert_int_equal(shw_image_file_read(path, NULL, &log, &colours), SHW_OK);
        assert_int_equal(colours.image.format, t == 2 ? SHW_PIXEL_RGB8 : SHW_PIXEL_RGB16);
        for (uint32_t p = 0; p < NPY_HEIGHT * NPY_WIDTH; p++) {
            const uint32_t at = p * NPY_PLANES;
            assert_true(number_at(&files[0].image, p) == (t == 0   ? (double)floats[at + 3]
                                                          : t == 1 ? words[at + 3]
                                                                   : bytes[at + 3]));
            assert_true(number_at(&files[1].image, p) == (t == 0   ? (double)floats[at + 1]
                                                          : t == 1 ? words[at + 1]
                                                                   : bytes[at + 1]));
            if (t > 0)
                assert_int_equal(sample(&colours.image, 3 * p + 2), t == 1 ? words[at + 2] : bytes[at + 2]);
            else
                check_mapped((double)floats[at + 2], 0, 1, sample(&colours.image, 3 * p + 2));
        }
        shw_image_file_free(&files[0]);
        shw_image_file_free(&files[1]);
        shw_image_file_free(&colours);
    }
    refuse_planes(write_npy("u2", words, sizeof words - 2, 3), "b1", "not as many elements");
    refuse_planes(write_npy("c8", words, sizeof words, 3), "b1", "neither integers");
    refuse_planes(write_npy("u2", words, sizeof words, 1), "b1", "two or three dimensions");
    refuse_planes(write_npy("u2", words, 2 * NPY_HEIGHT * NPY_WIDTH, 2), "b2", "its planes are b1:");
}

TESTING_CASE(colours_are_planes)
{
    static const uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
    static const char *const names[] = {"blue", "b1"};
    const struct shw_image image = {pixels, 2, 1, 0, SHW_PIXEL_RGB8}, grey = {pixels, 6, 1, 0, SHW_PIXEL_GREY8};
    const char *path = testing_path("colours.png");
    struct shw_image_file files[2];
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_png_write(path, &image, &log), SHW_OK);
    read_planes(path, names, 2, files);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(files[i].image.format, SHW_PIXEL_GREY8);
        assert_int_equal(sample(&files[i].image, 0), i == 0 ? 3 : 1);
        assert_int_equal(sample(&files[i].image, 1), i == 0 ? 6 : 4);
        shw_image_file_free(&files[i]);
    }
    assert_int_equal(shw_image_plane_read(path, "nir", NULL, &log, &files[0]), SHW_ERROR_FORMAT); /* which? */
    assert_int_equal(shw_png_write(path, &grey, &log), SHW_OK);
    assert_int_equal(shw_image_plane_read(path, "nir", NULL, &log, &files[0]), SHW_OK); /* the only one */
    assert_int_equal(sample(&files[0].image, 4), 5);
    shw_image_file_free(&files[0]);
}

/* Where the only strip of a page is. */
static void find_strip(const char *path, tdir_t page, long *first, size_t *size)
{
    TIFF *tiff = TIFFOpen(path, "r");
    uint64_t *offsets, *counts;

    assert_non_null(tiff);
    assert_int_equal(TIFFSetDirectory(tiff, page), 1);
    assert_int_equal(TIFFGetField(tiff, TIFFTAG_STRIPOFFSETS, &offsets), 1);
    assert_int_equal(TIFFGetField(tiff, TIFFTAG_STRIPBYTECOUNTS, &counts), 1);
    *first = (long)offsets[0];
    *size = (size_t)counts[0];
    TIFFClose(tiff);
}

/* A message names the plane; where it need not be there, the others are read, and that is said once. */
TESTING_CASE(damaged_planes_are_named)
{
    const struct layout layout = {.bits = 16,
                                  .format = SAMPLEFORMAT_UINT,
                                  .samples = 1,
                                  .compression = COMPRESSION_ADOBE_DEFLATE,
                                  .predictor = PREDICTOR_NONE,
                                  .photometric = PHOTOMETRIC_MINISBLACK,
                                  .rows = HEIGHT};
    static const char *const names[] = {"b1", "b2", "b3"};
    const char *path = testing_path("damaged.tif");
    const struct shw_input_file wanted[] = {{.name = "b1", .of_image = true, .optional = true},
                                            {.name = "b2", .of_image = true, .optional = true},
                                            {.name = "nir", .of_image = true, .optional = true},
                                            {.name = "b3", .of_image = true, .optional = true}};
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_image_file files[SHW_INPUTS_MAX];
    struct shw_input inputs[SHW_INPUTS_MAX];
    TIFF *tiff = TIFFOpen(path, "w");
    uint32_t count = 0;
    long first;
    size_t size;
    FILE *file;

    for (uint64_t page = 0; page < 3; page++) {
        fill(&layout, page);
        write_page(tiff, &layout);
    }
    TIFFClose(tiff);
    find_strip(path, 1, &first, &size);
    file = fopen(path, "r+b");
    assert_int_equal(fseek(file, first, SEEK_SET), 0);
    for (size_t i = 0; i < size; i++)
        fputc(0xff, file);
    assert_int_equal(fclose(file), 0);

    assert_int_equal(shw_image_planes_read(path, names, 3, NULL, &log, files), SHW_ERROR_FORMAT);
    assert_int_equal(memory.errors, 1);
    assert_non_null(strstr(memory.last, "the plane b2 of "));
    assert_non_null(strstr(memory.last, "is damaged"));
    memory = (struct testing_log){0};
    log.level = SHW_LOG_WARNING;
    assert_int_equal(shw_image_own_planes_read(path, wanted, 4, NULL, &log, files, inputs, &count), SHW_OK);
    assert_int_equal(count, 2);
    assert_string_equal(inputs[0].name, "b1");
    assert_string_equal(inputs[1].name, "b3");
    assert_int_equal(memory.errors, 0);
    assert_non_null(strstr(memory.last, "the plane b2 of "));
    assert_non_null(strstr(memory.last, "left out"));
    for (uint32_t i = 0; i < count; i++)
        shw_image_file_free(&files[i]);
}
