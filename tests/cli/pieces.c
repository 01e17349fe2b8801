/* `label` in pieces: what it writes of TIFF images is what it writes of them as a whole. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <tiffio.h>

#include "files/image/image_file.h"
#include "files/image/resolution.h"
#include "testing/random_forest.h"

enum { WIDTH = 331, HEIGHT = 277, SAMPLES = 5 };

struct kind {
    const char *mode;
    uint16_t bits, format, samples, compression;
    bool separate;
    uint32_t tile; /* 0: strips */
    uint32_t rows; /* of these */
};

/* Blobs and noise. */
static uint32_t value_at(uint32_t x, uint32_t y, uint32_t s)
{
    struct testing_random random = {(uint64_t)y * WIDTH + x};
    const uint32_t wave = (x * (s + 2) / 9 % 16 + y * (s + 3) / 11 % 16) * 7;

    return wave + testing_random_below(&random, 20);
}

static void pack(const struct kind *kind, uint32_t x, uint32_t y, uint32_t s, uint8_t *to)
{
    const uint32_t value = x < WIDTH && y < HEIGHT ? value_at(x, y, s) : 0;
    const uint16_t wide = (uint16_t)(value * 200);
    const float number = (float)value / 100;

    if (kind->bits == 8)
        *to = (uint8_t)value;
    else
        memcpy(to, kind->bits == 16 ? (const void *)&wide : (const void *)&number, kind->bits / 8u);
}

/* A block of all samples or of one. */
static void fill_block(const struct kind *kind, uint32_t left, uint32_t top, uint32_t width, uint32_t height,
                       uint32_t first, uint32_t last, uint8_t *bytes)
{
    for (uint32_t y = top; y < top + height; y++)
        for (uint32_t x = left; x < left + width; x++)
            for (uint32_t s = first; s < last; s++, bytes += kind->bits / 8)
                pack(kind, x, y, s, bytes);
}

static void set_fields(TIFF *tiff, const struct kind *kind)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, kind->format);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind->samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind->samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, kind->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind->compression);
    if (kind->tile > 0) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kind->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, kind->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, kind->rows);
    }
}

static void write_page(TIFF *tiff, const struct kind *kind)
{
    const uint32_t planes = kind->separate ? kind->samples : 1;
    const uint32_t width = kind->tile > 0 ? kind->tile : WIDTH, height = kind->tile > 0 ? kind->tile : kind->rows;
    uint8_t *bytes = malloc((size_t)width * height * kind->samples * 4);

    assert_non_null(bytes);
    set_fields(tiff, kind);
    for (uint32_t p = 0; p < planes; p++)
        for (uint32_t y = 0; y < HEIGHT; y += height)
            for (uint32_t x = 0; x < WIDTH; x += width) {
                const uint32_t first = kind->separate ? p : 0, last = kind->separate ? p + 1 : kind->samples;
                const uint32_t rows = kind->tile == 0 && y + height > HEIGHT ? HEIGHT - y : height;
                const tmsize_t size = (tmsize_t)((size_t)width * rows * (last - first) * kind->bits / 8);
                fill_block(kind, x, y, width, rows, first, last, bytes);
                if (kind->tile > 0)
                    assert_true(TIFFWriteTile(tiff, bytes, x, y, 0, (uint16_t)p) > 0);
                else
                    assert_int_equal(TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, y, (uint16_t)p), bytes, size),
                                     size);
            }
    assert_int_equal(TIFFWriteDirectory(tiff), 1);
    free(bytes);
}

static void write_image(const char *name, const struct kind *kind, const char *description)
{
    TIFF *tiff = TIFFOpen(place(name), kind->mode);

    assert_non_null(tiff);
    if (description != NULL)
        TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description);
    write_page(tiff, kind);
    TIFFClose(tiff);
}

static void make_forest(const char *name, const char *channels, uint32_t levels)
{
    const struct random_forest_params params = {.seed = 3,
                                                .channels = channels,
                                                .classes = 4,
                                                .trees = 3,
                                                .depth = 5,
                                                .split_percent = 90,
                                                .offset_max = 9,
                                                .size_max = 7,
                                                .levels = levels};
    struct shw_forest *forest = random_forest(&params);

    assert_int_equal(shw_forest_save(forest, place(name), NULL), SHW_OK);
    shw_forest_destroy(&forest);
}

static int prepare(void **state)
{
    (void)state;
    make_forest("colours.ktx2", "rgb,gauss:2,dx:1,position", 1);
    make_forest("levels.ktx2", "rgb,gauss:1", 2);
    make_forest("planes.ktx2",
                "rgb,gauss:1@b4,ndiff:b2,b5,plane:b3,range:b2=0..10,range:b3=0..40000,range:b4=-1..3,range:b5=0..3", 1);
    return 0;
}

static void same_bytes(const char *ending)
{
    assert_success(run_blind("cmp whole/%s pieces/%s", ending, ending));
}

/* Files of pages have tiles where labels came in pieces, so that pixels are compared. */
static void same_pixels(const char *name, uint32_t pages)
{
    char a[64], b[64];

    for (uint32_t page = 1; page <= pages; page++) {
        struct shw_image_file x, y;

        snprintf(a, sizeof a, "whole/%s#%u", name, page);
        snprintf(b, sizeof b, "pieces/%s#%u", name, page);
        assert_int_equal(shw_image_file_read(place(a), NULL, NULL, &x), SHW_OK);
        assert_int_equal(shw_image_file_read(place(b), NULL, NULL, &y), SHW_OK);
        assert_int_equal(x.image.width, WIDTH);
        assert_int_equal(y.image.width, WIDTH);
        assert_int_equal(y.image.height, HEIGHT);
        assert_int_equal(x.image.format, y.image.format);
        assert_memory_equal(x.pixels, y.pixels, (size_t)WIDTH * HEIGHT * shw_pixel_size(x.image.format));
        shw_image_file_free(&x);
        shw_image_file_free(&y);
    }
}

/* Labels the image as a whole and in pieces, with these options, and compares everything. */
static void compare(const char *forest, const char *technique, const char *memory, const char *options)
{
    struct run got;

    assert_success(
        run("shadewood label %s image.tif -t %s -o whole --overwrite -q --memory 2G --label-tiff --masks --leaves "
            "%s",
            forest, technique, options));
    got =
        run("shadewood label %s image.tif -t %s -o pieces --overwrite -v --memory %s --label-tiff --masks --leaves %s",
            forest, technique, memory, options);
    assert_success(got);
    assert_non_null(strstr(got.err, "in pieces of"));
    same_bytes("image_labels.png");
    same_bytes("image_overlay.png");
    same_bytes("image_leaves.npy");
    assert_success(
        run_blind("for file in whole/image_*.png; do cmp \"$file\" \"pieces/${file#whole/}\" || exit 1; done"));
    same_pixels("image_labels.tif", 1);
    if (strstr(options, "tiff") != NULL)
        same_pixels("image_probabilities.tif", 4);
    if (strstr(options, "npy") != NULL)
        same_bytes("image_probabilities.npy");
    if (strstr(options, "--objects") != NULL)
        same_bytes("objects.csv");
}

static const struct kind kinds[] = {
    {"w", 8, SAMPLEFORMAT_UINT, 3, COMPRESSION_NONE, false, 0, 277},
    {"w8", 8, SAMPLEFORMAT_UINT, 3, COMPRESSION_JPEG, false, 64, 0},
    {"wb", 16, SAMPLEFORMAT_UINT, 3, COMPRESSION_LZW, true, 0, 5},
    {"w8", 16, SAMPLEFORMAT_UINT, 3, COMPRESSION_ADOBE_DEFLATE, false, 128, 0},
    {"w", 32, SAMPLEFORMAT_IEEEFP, 3, COMPRESSION_ADOBE_DEFLATE, true, 48, 0},
    {"wb8", 8, SAMPLEFORMAT_UINT, 1, COMPRESSION_PACKBITS, false, 0, 17},
};

TESTING_CASE_WITH(every_layout_in_pieces, prepare, NULL)
{
    static const char *const memories[] = {"1", "3M", "4M", "5M", "2M", "1M"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        write_image("image.tif", &kinds[i], NULL);
        compare("colours.ktx2", "cpu", memories[i], i % 2 == 0 ? "--probabilities tiff" : "--probabilities npy");
    }
}

TESTING_CASE(on_a_device_in_pieces)
{
    need_device();
    write_image("image.tif", &kinds[1], NULL);
    compare("colours.ktx2", "compute", "2M", "--probabilities tiff");
}

TESTING_CASE(smoothing_and_levels_in_pieces)
{
    write_image("image.tif", &kinds[3], NULL);
    compare("colours.ktx2", "cpu", "5M", "--smooth 9 --probabilities png");
    compare("levels.ktx2", "cpu", "2M", "");
}

TESTING_CASE(planes_in_pieces)
{
    static const struct kind planes[] = {{"w8", 16, SAMPLEFORMAT_UINT, SAMPLES, COMPRESSION_LZW, false, 64, 0},
                                         {"w", 32, SAMPLEFORMAT_IEEEFP, SAMPLES, COMPRESSION_NONE, true, 0, 3}};
    const struct kind other = {"w", 16, SAMPLEFORMAT_UINT, 1, COMPRESSION_ADOBE_DEFLATE, false, 32, 0};

    for (size_t i = 0; i < 2; i++) {
        write_image("image.tif", &planes[i], NULL);
        compare("planes.ktx2", "cpu", "3M", "--image-channels 2,3,1 --range -1:40000");
    }
    write_image("other.tif", &other, NULL);
    compare("planes.ktx2", "cpu", "3M", "--input b3=other.tif");
    assert_one_line(run_blind("shadewood label planes.ktx2 image.tif -o none --memory 1M --input b3=missing.tif -q"), 1,
                    "missing.tif", "no such file", NULL);
}

/* Each page by its number; overviews are no pages. */
TESTING_CASE(pyramids_in_pieces)
{
    TIFF *tiff = TIFFOpen(place("image.tif"), "w8");
    const uint64_t overviews[1] = {0};

    assert_non_null(tiff);
    TIFFSetField(tiff, TIFFTAG_SUBIFD, 1, overviews);
    write_page(tiff, &kinds[3]);
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    write_page(tiff, &kinds[0]);
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    write_page(tiff, &kinds[3]);
    write_page(tiff, &kinds[5]);
    TIFFClose(tiff);
    compare("colours.ktx2", "cpu", "3M", "");
    assert_success(run_blind("shadewood label colours.ktx2 image.tif#2 -t cpu -o page -q --memory 2G"));
    assert_success(run_blind("shadewood label colours.ktx2 image.tif#2 -t cpu -o page2 -q --memory 1M"));
    assert_success(run_blind("cmp page/*_labels.png page2/*_labels.png"));
}

static const char ome[] = "<OME><Image><Pixels PhysicalSizeX=\"0.5\" PhysicalSizeXUnit=\"um\" PhysicalSizeY=\"0.5\" "
                          "PhysicalSizeYUnit=\"um\" SizeC=\"3\"/></Image></OME>";

/* Objects, their areas in units, and how many there are. */
TESTING_CASE(objects_in_pieces)
{
    char *table;
    size_t size;

    write_image("image.tif", &kinds[3], ome);
    compare("colours.ktx2", "cpu", "3M", "--objects --objects-format csv,geojson,instances --pixel-size file");
    same_bytes("image_objects.geojson");
    same_bytes("image_instances.png");
    table = file_bytes("pieces/objects.csv", &size);
    assert_non_null(strstr(table, "area_um2"));
    free(table);
    assert_true(shw_image_pixel_size(place("pieces/image_labels.tif")) == 0.5);
    assert_true(shw_image_pixel_size(place("pieces/image_labels.png")) == 0.5);
}

/* The journal of a project counts the pixels of classes. */
TESTING_CASE(shares_in_pieces)
{
    make_data("pairs", 2);
    make_project("meadow.json", "pairs/00.png");
    write_image("image.tif", &kinds[3], NULL);
    assert_success(run_blind("shadewood label meadow.json image.tif -t cpu -o whole --overwrite -q --memory 2G"));
    assert_success(run_blind("shadewood label meadow.json image.tif -t cpu -o pieces --overwrite -q --memory 2M"));
    same_bytes("shares.csv");
    same_bytes("image_labels.png");
}

/* A tile of noise: no file has a name that was not there, and the message says which tile. */
TESTING_CASE(damage_leaves_no_labels)
{
    uint64_t offset;
    FILE *file;
    TIFF *tiff;

    write_image("broken.tif", &kinds[3], NULL);
    tiff = TIFFOpen(place("broken.tif"), "r");
    offset = TIFFGetStrileOffset(tiff, 7);
    TIFFClose(tiff);
    file = fopen(place("broken.tif"), "r+b");
    assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
    for (int i = 0; i < 200; i++)
        fputc(0x5a, file);
    fclose(file);
    assert_one_line(run_blind("shadewood label colours.ktx2 broken.tif -t cpu -o broken -q --memory 2M --label-tiff "
                              "--probabilities tiff"),
                    1, "broken.tif", "the tile from (128, 256) on is damaged", NULL);
    assert_false(exists("broken/broken_labels.tif"));
    assert_false(exists("broken/broken_labels.png"));
    assert_int_equal(entry_count("broken"), 0);
}

static void write_constant(const char *name, uint32_t width, uint32_t height)
{
    TIFF *tiff = TIFFOpen(place(name), "w8");
    uint8_t *tile = malloc(512 * 512);

    assert_non_null(tile);
    memset(tile, 90, 512 * 512);
    assert_non_null(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 512);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 512);
    for (uint32_t t = 0; t < TIFFNumberOfTiles(tiff); t++)
        assert_true(TIFFWriteEncodedTile(tiff, t, tile, 512 * 512) > 0);
    TIFFClose(tiff);
    free(tile);
}

TESTING_CASE(what_is_too_large_is_refused)
{
    write_constant("large.tif", 70000, 40);
    assert_one_line(run_blind("shadewood label colours.ktx2 large.tif -t cpu -o large -q"), 1, "70000 x 40",
                    "--label-tiff", NULL);
    assert_one_line(run_blind("shadewood label colours.ktx2 large.tif -t cpu -o large -q --no-labels --no-overlay "
                              "--objects"),
                    1, "70000 x 40", "--objects", NULL);
    assert_one_line(run_blind("shadewood label colours.ktx2 large.tif -t cpu -o large -q --scale-bar --pixel-size "
                              "'1 um'"),
                    1, "70000 x 40", "--scale-bar", NULL);
    assert_success(run_blind("shadewood label colours.ktx2 large.tif -t cpu -o large -q --no-labels --no-overlay "
                             "--label-tiff --memory 40M"));
    assert_true(exists("large/large_labels.tif"));
}

/* The most that any process has taken so far, in bytes. */
static uint64_t peak(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (uint64_t)usage.ru_maxrss << 10;
}

/* An image of twenty times as many pixels takes no more memory, where it would be 40 MiB. */
TESTING_CASE(memory_does_not_grow_with_the_image)
{
    uint64_t first;

    make_forest("grey.ktx2", "gauss:1", 1);
    write_constant("small.tif", 2048, 512);
    assert_success(run_blind("shadewood label grey.ktx2 small.tif -t cpu -o small -q --no-labels --no-overlay "
                             "--label-tiff --memory 32M"));
    first = peak();
    write_constant("long.tif", 2048, 20 * 512);
    assert_success(run_blind("shadewood label grey.ktx2 long.tif -t cpu -o long -q --no-labels --no-overlay "
                             "--label-tiff --memory 32M"));
    assert_true(TESTING_ADDRESS_SANITIZED || peak() < first + (UINT64_C(20) << 20));
}
