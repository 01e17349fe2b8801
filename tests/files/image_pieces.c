/* TIFF files read in pieces give what they give as a whole, whatever they look like inside. */
#include "tiff_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "files/image/pieces.h"
#include "files/image/planes.h"
#include "files/image/tiff.h"

enum { PLANES_MAX = SAMPLES, WINDOWS = 12 };

/* The rectangle of `whole` has the pixels of `piece`. */
static void check_same(const struct shw_image *whole, const struct shw_image *piece, uint32_t x, uint32_t y)
{
    const size_t pixel = shw_pixel_size(whole->format);

    assert_int_equal(piece->format, whole->format);
    for (uint32_t row = 0; row < piece->height; row++)
        assert_memory_equal((const char *)piece->pixels + row * piece->width * pixel,
                            (const char *)whole->pixels + ((size_t)(y + row) * whole->width + x) * pixel,
                            piece->width * pixel);
}

static void check_piece(struct testing_random *random, struct shw_image_pieces *pieces,
                        const struct shw_image_file *whole, uint32_t count)
{
    struct shw_image_file files[1 + PLANES_MAX];
    const uint32_t x = testing_random_below(random, WIDTH), y = testing_random_below(random, HEIGHT);
    const uint32_t width = 1 + testing_random_below(random, WIDTH - x);
    const uint32_t height = 1 + testing_random_below(random, HEIGHT - y);

    assert_int_equal(shw_image_pieces_read(pieces, x, y, width, height, files), SHW_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(files[i].image.width, width);
        assert_int_equal(files[i].image.height, height);
        check_same(&whole[i].image, &files[i].image, x, y);
        shw_image_file_free(&files[i]);
    }
}

/* Compares pieces of the file's image and of some of its planes. */
static void check_file(struct testing_random *random, const char *path, uint32_t plane_count,
                       const struct shw_image_choice *choice)
{
    static const char *const all[] = {"b1", "b2", "b3", "b4", "b5", "b6"};
    const char *names[PLANES_MAX];
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_pieces_params params = {.path = path,
                                       .colours = testing_random_below(random, 4) > 0,
                                       .names = names,
                                       .image = {.choice = *choice},
                                       .cache = (uint64_t)32768 << testing_random_below(random, 6)};
    struct shw_image_file whole[1 + PLANES_MAX];
    struct shw_image_pieces *pieces;
    uint32_t first = params.colours;

    params.name_count = testing_random_below(random, plane_count + 1);
    if (params.name_count + first == 0)
        params.name_count = 1;
    for (uint32_t i = 0; i < params.name_count; i++)
        names[i] = all[testing_random_below(random, plane_count)];
    if (params.colours)
        assert_int_equal(shw_image_file_read(path, &params.image, &log, &whole[0]), SHW_OK);
    if (params.name_count > 0)
        assert_int_equal(shw_image_planes_read(path, names, params.name_count, NULL, &log, whole + first), SHW_OK);
    assert_int_equal(shw_image_pieces_open(&params, &log, &pieces), SHW_OK);
    assert_non_null(pieces);
    assert_int_equal(shw_image_pieces_info(pieces)->image_count, first + params.name_count);
    for (int i = 0; i < WINDOWS; i++)
        check_piece(random, pieces, whole, first + params.name_count);
    shw_image_pieces_close(&pieces);
    for (uint32_t i = 0; i < first + params.name_count; i++)
        shw_image_file_free(&whole[i]);
    assert_int_equal(memory.errors, 0);
}

static struct layout random_layout(struct testing_random *random)
{
    static const struct {
        uint16_t bits, format;
    } types[] = {{8, SAMPLEFORMAT_UINT},  {16, SAMPLEFORMAT_UINT},   {8, SAMPLEFORMAT_INT},    {16, SAMPLEFORMAT_INT},
                 {32, SAMPLEFORMAT_UINT}, {32, SAMPLEFORMAT_IEEEFP}, {64, SAMPLEFORMAT_IEEEFP}};
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_PACKBITS};
    static const char *const modes[] = {"w", "wb", "w8", "wb8"};
    const uint32_t type = testing_random_below(random, 7), compression = testing_random_below(random, 4);
    struct layout layout = {.bits = types[type].bits,
                            .format = types[type].format,
                            .samples = (uint16_t)(1 + testing_random_below(random, SAMPLES)),
                            .compression = compressions[compression],
                            .predictor = (uint16_t)(1 + (compression % 3 != 0 && testing_random_below(random, 2) == 0 &&
                                                         types[type].format != SAMPLEFORMAT_IEEEFP)),
                            .separate = testing_random_below(random, 2) == 0,
                            .tiled = testing_random_below(random, 2) == 0,
                            .mode = modes[testing_random_below(random, 4)],
                            .rows = 1 + testing_random_below(random, HEIGHT)};

    layout.photometric = layout.samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    layout.inverted = layout.samples == 1 && testing_random_below(random, 4) == 0;
    return layout;
}

TESTING_CASE(pieces_are_those_of_the_whole)
{
    for (uint64_t seed = 1; seed <= (testing_is_slow() ? 2000 : 200); seed++) {
        struct testing_random random = {seed};
        const struct layout layout = random_layout(&random);
        struct shw_image_choice choice = {0};

        fill(&layout, seed);
        if (testing_random_below(&random, 3) == 0)
            choice.range = (struct shw_intensity_range){-1.0, 3.0};
        if (testing_random_below(&random, 3) == 0)
            choice.channels = (struct shw_image_channels){3, {layout.samples, 0, 1}};
        check_file(&random, write_file("random.tif", &layout), layout.samples, &choice);
    }
}

TESTING_CASE(jpeg_in_pieces)
{
    for (uint64_t seed = 1; seed <= 16; seed++) {
        struct testing_random random = {seed};
        const bool colours = seed % 2 == 0;
        const struct layout layout = {.bits = 8,
                                      .format = SAMPLEFORMAT_UINT,
                                      .samples = colours ? 3 : 1,
                                      .compression = COMPRESSION_JPEG,
                                      .photometric = colours ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK,
                                      .tiled = seed % 4 < 2,
                                      .rows = 8};

        fill(&layout, seed);
        check_file(&random, write_file("jpeg.tif", &layout), layout.samples, &(struct shw_image_choice){0});
    }
}

static const struct layout grey = {.bits = 16,
                                   .format = SAMPLEFORMAT_UINT,
                                   .samples = 1,
                                   .compression = COMPRESSION_ADOBE_DEFLATE,
                                   .photometric = PHOTOMETRIC_MINISBLACK,
                                   .tiled = true};

/* Planes on several pages, in any order, between thumbnails. */
TESTING_CASE(pages_in_pieces)
{
    const char *path = testing_path("pages.tif");
    TIFF *tiff = TIFFOpen(path, "w");
    struct testing_random random = {5};

    assert_non_null(tiff);
    for (uint64_t page = 0; page < 2 * PLANES_MAX; page++) {
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, page % 2 == 1 ? FILETYPE_REDUCEDIMAGE : FILETYPE_PAGE);
        fill(&grey, page);
        write_page(tiff, &grey);
    }
    TIFFClose(tiff);
    for (int i = 0; i < 20; i++)
        check_file(&random, path, PLANES_MAX, &(struct shw_image_choice){0});
    check_file(&random, testing_path("pages.tif#3"), 1, &(struct shw_image_choice){0});
}

static struct shw_image_pieces *open_alone(const char *path, uint64_t cache, struct testing_log *memory)
{
    static struct shw_log log;
    struct shw_image_pieces *pieces;

    log = testing_log(memory);
    assert_int_equal(shw_image_pieces_open(&(struct shw_pieces_params){.path = path, .colours = true, .cache = cache},
                                           &log, &pieces),
                     SHW_OK);
    return pieces;
}

TESTING_CASE(what_is_read_as_a_whole)
{
    const char *path = testing_path("turned.tif");
    TIFF *tiff = TIFFOpen(path, "w");
    struct testing_log memory;

    fill(&grey, 1);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_RIGHTTOP);
    write_page(tiff, &grey);
    TIFFClose(tiff);
    assert_null(open_alone(path, 1 << 20, &memory));
    assert_null(open_alone(write_file("large.tif", &grey), 800, &memory)); /* tiles have 512 bytes */
    assert_int_equal(memory.errors, 0);
}

/* A tile of noise in the place of one; the others can be read. */
TESTING_CASE(a_damaged_tile_is_named)
{
    const char *path = write_file("damaged.tif", &grey);
    TIFF *tiff = TIFFOpen(path, "r");
    const uint64_t offset = TIFFGetStrileOffset(tiff, 1), size = TIFFGetStrileByteCount(tiff, 1);
    struct testing_log memory;
    struct shw_image_pieces *pieces;
    struct shw_image_file file;
    FILE *stream;

    TIFFClose(tiff);
    stream = fopen(path, "r+b");
    assert_int_equal(fseek(stream, (long)offset, SEEK_SET), 0);
    for (uint64_t i = 0; i < size; i++)
        fputc(0xaa, stream);
    assert_int_equal(fclose(stream), 0);
    pieces = open_alone(path, 1 << 20, &memory);
    assert_int_equal(shw_image_pieces_read(pieces, 0, 0, 16, HEIGHT, &file), SHW_OK);
    shw_image_file_free(&file);
    assert_int_equal(shw_image_pieces_read(pieces, 15, 3, 2, 2, &file), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "damaged.tif"));
    assert_non_null(strstr(memory.last, "the tile from (16, 0) on is damaged"));
    assert_int_equal(memory.errors, 1);
    shw_image_pieces_close(&pieces);
    memory.errors = 0;
    assert_int_equal(shw_image_file_read(path, NULL, &(struct shw_log){0}, &file), SHW_ERROR_FORMAT);
}

static uint32_t number_at(const uint8_t *bytes, uint32_t at, uint32_t count)
{
    uint32_t value = 0;

    for (uint32_t b = count; b-- > 0;)
        value = value << 8 | bytes[at + b];
    return value;
}

/* Cuts the chain after each directory of a little-endian file. */
static void cut_chain(uint8_t *bytes, size_t size)
{
    for (uint32_t at = number_at(bytes, 4, 4); at != 0;) {
        const uint32_t next = at + 2 + 12 * number_at(bytes, at, 2);

        assert_true(next + 4 <= size);
        at = number_at(bytes, next, 4);
        memset(bytes + next, 0, 4);
    }
}

/* Once a page other than the first was gone to, the directories of all are known, and not looked for again. */
TESTING_CASE(pages_are_found_once)
{
    enum { PAGES = 40 };
    static uint8_t bytes[1 << 16];
    struct shw_tiff_memory file = {.bytes = bytes};
    struct testing_random random = {8};
    TIFF *tiff = TIFFOpen(testing_path("many.tif"), "wl");
    FILE *stream;
    uint32_t image;

    for (uint32_t page = 1; page <= PAGES; page++)
        for (uint32_t thumbnail = 0; thumbnail <= page % 2; thumbnail++) {
            TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, thumbnail > 0 ? FILETYPE_REDUCEDIMAGE : FILETYPE_PAGE);
            TIFFSetField(tiff, TIFFTAG_ARTIST, thumbnail > 0 ? "nobody" : (char[]){'a', (char)(64 + page), '\0'});
            write_page(tiff, &grey);
        }
    TIFFClose(tiff);
    stream = fopen(testing_path("many.tif"), "rb");
    assert_non_null(stream);
    file.size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    assert_true(file.size < sizeof bytes);
    tiff = shw_tiff_open(&file, "many.tif", "rm");
    assert_non_null(tiff);
    assert_true(shw_tiff_go_to_page(tiff, 1, &image));
    assert_int_equal(file.page_count, 1);
    assert_true(shw_tiff_go_to_page(tiff, 2, &image));
    cut_chain(bytes, file.size);
    assert_int_equal(shw_tiff_count_pages(tiff), PAGES);
    for (int i = 0; i < 100; i++) {
        const uint32_t page = 1 + testing_random_below(&random, PAGES);
        const char *artist = NULL;

        assert_true(shw_tiff_go_to_page(tiff, page, &image));
        assert_int_equal(TIFFGetField(tiff, TIFFTAG_ARTIST, &artist), 1);
        assert_int_equal(artist[1], 64 + (int)page);
    }
    assert_false(shw_tiff_go_to_page(tiff, PAGES + 1, &image));
    shw_tiff_close(tiff, &file);
}

/* Samples that share bytes, and palettes. */
TESTING_CASE(small_samples_in_pieces)
{
    static uint16_t palette[3 * 256];

    for (uint64_t seed = 1; seed <= 24; seed++) {
        static const uint16_t bits[] = {1, 2, 4, 8, 12};
        struct testing_random random = {seed};
        const uint16_t size = bits[testing_random_below(&random, 5)];
        const bool colours = size <= 8 && testing_random_below(&random, 2) == 0;
        const char *path = testing_path("small.tif");
        TIFF *tiff = TIFFOpen(path, "w");
        uint8_t row[2 * WIDTH];

        for (size_t i = 0; i < sizeof palette / sizeof *palette; i++)
            palette[i] = (uint16_t)testing_random_next(&random);
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, size);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, colours ? PHOTOMETRIC_PALETTE : PHOTOMETRIC_MINISWHITE);
        if (colours)
            TIFFSetField(tiff, TIFFTAG_COLORMAP, palette, palette + (1u << size), palette + (2u << size));
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, seed % 2 == 0 ? COMPRESSION_NONE : COMPRESSION_LZW);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1 + testing_random_below(&random, HEIGHT));
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (size_t i = 0; i < sizeof row; i++)
                row[i] = (uint8_t)testing_random_next(&random);
            assert_int_equal(TIFFWriteScanline(tiff, row, y, 0), 1);
        }
        TIFFClose(tiff);
        check_file(&random, path, 1, &(struct shw_image_choice){0});
    }
}
