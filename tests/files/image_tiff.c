/* Pictures of science: pages, channels and values of TIFF files, against plain definitions of what is stored. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "tiff_pages.h"

static const struct {
    uint16_t bits, format;
} wide_kinds[] = {{16, SAMPLEFORMAT_UINT},   {16, SAMPLEFORMAT_INT},   {32, SAMPLEFORMAT_UINT},
                  {32, SAMPLEFORMAT_INT},    {64, SAMPLEFORMAT_UINT},  {64, SAMPLEFORMAT_INT},
                  {32, SAMPLEFORMAT_IEEEFP}, {64, SAMPLEFORMAT_IEEEFP}};

/* Any layout and type of samples, with channels and range chosen. */
TESTING_CASE(test_values)
{
    static const char *const modes[] = {"wl", "wb", "w8"};
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE};
    struct testing_random random = {3};

    for (unsigned i = 0; i < 400; i++) {
        unsigned kind = i % 8;
        struct layout layout = {.bits = wide_kinds[kind].bits,
                                .format = wide_kinds[kind].format,
                                .samples = (uint16_t)(1 + testing_random_below(&random, SAMPLES)),
                                .compression = compressions[testing_random_below(&random, 3)],
                                .photometric = PHOTOMETRIC_MINISBLACK,
                                .separate = testing_random_below(&random, 2) != 0,
                                .tiled = testing_random_below(&random, 2) != 0,
                                .mode = modes[testing_random_below(&random, 3)],
                                .rows = 1 + testing_random_below(&random, HEIGHT)};
        bool floats = layout.format == SAMPLEFORMAT_IEEEFP;
        double scale = floats ? 1.0 : pow(2, layout.bits - 2);
        struct shw_image_choice choice = {.channels = {.count = i & 1 ? 3 : 1}, .range = {-0.7 * scale, 1.9 * scale}};
        struct testing_log memory;
        struct shw_image_file file;

        if (layout.compression != COMPRESSION_NONE && testing_random_below(&random, 2) != 0)
            layout.predictor = floats ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL;
        if (layout.predictor == PREDICTOR_FLOATINGPOINT)
            layout.mode = "w"; /* libtiff writes other byte orders wrongly */
        if (i % 3 == 0)
            choice.range = (struct shw_intensity_range){0.25 * scale, 0.5 * scale};
        for (uint32_t c = 0; c < 3; c++)
            choice.channels.numbers[c] = 1 + testing_random_below(&random, layout.samples);
        if (choice.channels.count == 3 && i % 5 == 0)
            choice.channels.numbers[1] = 0;
        fill(&layout, i);
        file = read_file(write_file("values.tif", &layout), &choice, &memory);
        assert_int_equal(file.image.format, choice.channels.count == 3 ? SHW_PIXEL_RGB16 : SHW_PIXEL_GREY16);
        assert_int_equal(file.facts.channel_count, layout.samples);
        for (size_t p = 0; p < WIDTH * HEIGHT * choice.channels.count; p++) {
            uint32_t number = choice.channels.numbers[p % choice.channels.count];
            size_t pixel = p / choice.channels.count;

            if (number == 0)
                assert_int_equal(sample(&file.image, p), 0);
            else
                check_mapped(value_of(&layout, stored[pixel * layout.samples + number - 1]), choice.range.low,
                             choice.range.high, sample(&file.image, p));
        }
        shw_image_file_free(&file);
    }
}

/* Without a choice: 8 and 16 bits as they are, signed ones from the smallest on. */
TESTING_CASE(test_plain)
{
    for (unsigned i = 0; i < 32; i++) {
        struct layout layout = {.bits = i & 1 ? 16 : 8,
                                .format = i & 2 ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT,
                                .samples = i & 4 ? 3 : 1,
                                .compression = COMPRESSION_NONE,
                                .photometric = i & 4 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK,
                                .mode = i & 8 ? "wb" : "wl",
                                .rows = 4,
                                .inverted = (i & 20) == 16};
        uint64_t full = i & 1 ? 65535 : 255;
        struct testing_log memory;
        struct shw_image_file file;

        fill(&layout, i);
        file = read_file(write_file("plain.tif", &layout), NULL, &memory);
        assert_int_equal(file.image.format >= SHW_PIXEL_GREY16, i & 1);
        for (size_t p = 0; p < (size_t)WIDTH * HEIGHT * layout.samples; p++) {
            uint64_t expected = (stored[p] + (i & 2 ? (full + 1) / 2 : 0)) & full;
            assert_int_equal(sample(&file.image, p), layout.inverted ? full - expected : expected);
        }
        shw_image_file_free(&file);
    }
}

/* Half floats, by their known values; what is no number is black, infinity as far as it goes. */
TESTING_CASE(test_half)
{
    static const struct {
        uint16_t bits;
        double value;
    } known[] = {{0x3c00, 1.0},       {0xc000, -2.0},           {0x7bff, 65504.0},
                 {0x0001, 0x1p-24},   {0x03ff, 1023 * 0x1p-24}, {0x3555, 0x1.554p-2},
                 {0x8000, 0.0},       {0x7c00, INFINITY},       {0xfc00, -INFINITY},
                 {0x7e00, -INFINITY}, {0x0400, 0x1p-14},        {0x4248, 3.140625}};
    struct layout layout = {.bits = 16,
                            .format = SAMPLEFORMAT_IEEEFP,
                            .samples = 1,
                            .compression = COMPRESSION_NONE,
                            .photometric = PHOTOMETRIC_MINISBLACK,
                            .mode = "wb"};
    struct shw_image_choice choice = {.range = {0.0, 4.0}};

    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        stored[i] = known[i % 12].bits;
    for (int wide = 0; wide < 2; wide++) {
        struct testing_log memory;
        struct shw_image_file file = read_file(write_file("half.tif", &layout), &choice, &memory);

        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            check_mapped(fmin(fmax(known[i % 12].value, -1e9), 1e9), choice.range.low, choice.range.high,
                         sample(&file.image, i));
        shw_image_file_free(&file);
        choice.range = (struct shw_intensity_range){-2.5, 0x1p-14};
    }
}

/* 12 bits of cameras, two samples in three bytes. */
TESTING_CASE(test_packed)
{
    struct layout layout = {.bits = 12,
                            .format = SAMPLEFORMAT_UINT,
                            .samples = 1,
                            .compression = COMPRESSION_NONE,
                            .photometric = PHOTOMETRIC_MINISBLACK};
    const char *path = testing_path("packed.tif");
    TIFF *tiff = TIFFOpen(path, "w");
    uint8_t rows[HEIGHT * ((WIDTH * 12 + 7) / 8)] = {0};
    struct shw_image_choice choice = {.range = {100, 300}};
    struct testing_log memory;

    fill(&layout, 9);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t bit = 0; bit < WIDTH * 12; bit++)
            if (stored[y * WIDTH + bit / 12] >> (11 - bit % 12) & 1)
                rows[y * sizeof rows / HEIGHT + bit / 8] |= (uint8_t)(0x80 >> bit % 8);
    set_fields(tiff, &layout);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
    assert_int_equal(TIFFWriteRawStrip(tiff, 0, rows, sizeof rows), sizeof rows);
    TIFFClose(tiff);
    for (int chosen = 0; chosen < 2; chosen++) {
        struct shw_image_file file = read_file(path, chosen ? &choice : NULL, &memory);
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            check_mapped((double)stored[i], chosen ? 100 : 0, chosen ? 300 : 4095, sample(&file.image, i));
        shw_image_file_free(&file);
    }
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static const char *write_floats(const char *name, const float *values, uint32_t width, uint32_t height)
{
    const char *path = testing_path(name);
    TIFF *tiff = TIFFOpen(path, "w");

    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, height);
    assert_true(TIFFWriteEncodedStrip(tiff, 0, (void *)(uintptr_t)values, (tmsize_t)(width * height * sizeof *values)) >
                0);
    TIFFClose(tiff);
    return path;
}

/* The range that is found leaves out a thousandth at either end, of every other pixel if there are more than 2^18. */
TESTING_CASE(test_found_range)
{
    static float values[640 * 500], chosen[640 * 500];
    struct testing_random random = {4};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    for (int large = 0; large < 2; large++) {
        uint32_t width = large ? 640 : 64, height = large ? 500 : 50, step = large ? 2 : 1;
        struct shw_image_choice choice = {0};
        struct shw_image_file file;
        const char *path;
        size_t count = 0;

        for (size_t i = 0; i < (size_t)width * height; i++)
            values[i] = (float)testing_random_range(&random, -1000000, 3000000) / 1e3f;
        values[0] = 1e30f, values[2 * step] = NAN, values[4 * step] = -INFINITY;
        for (uint32_t y = 0; y < height; y += step)
            for (uint32_t x = 0; x < width; x += step)
                if (isfinite(values[y * width + x]))
                    chosen[count++] = values[y * width + x];
        qsort(chosen, count, sizeof *chosen, compare);
        path = write_floats("found.tif", values, width, height);
        assert_int_equal(shw_image_choice_settle(&choice, path, &log), SHW_OK);
        assert_true(choice.range.low == (double)chosen[count / 1000]);
        assert_true(choice.range.high == (double)chosen[count - 1 - count / 1000]);
        assert_non_null(strstr(memory.last, "found.tif"));
        assert_int_equal(shw_image_file_read(path, NULL, &log, &file), SHW_OK); /* alone, it has the same */
        assert_true(file.facts.range.low == choice.range.low && file.facts.range.high == choice.range.high);
        assert_true(file.facts.wants_range);
        assert_true(file.facts.largest == (double)1e30f && file.facts.least < choice.range.low);
        assert_int_equal(sample(&file.image, 0), 65535);
        assert_int_equal(sample(&file.image, 2 * step), 0);
        shw_image_file_free(&file);
    }
}

/* Ranges of pages that have one value, two, or none. */
TESTING_CASE(test_flat)
{
    static const struct {
        float rest, first;
        double low, high;
    } pages[] = {{7.5f, 7.5f, 7.5, 15.0}, {0.0f, 0.0f, 0.0, 1.0}, {-3.0f, 5.0f, -3.0, 5.0}, {NAN, INFINITY, 0.0, 1.0}};
    float values[40 * 40];
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    for (size_t i = 0; i < 4; i++) {
        struct shw_image_choice choice = {0};

        for (size_t p = 0; p < 1600; p++)
            values[p] = p == 0 ? pages[i].first : pages[i].rest;
        assert_int_equal(shw_image_choice_settle(&choice, write_floats("flat.tif", values, 40, 40), &log), SHW_OK);
        assert_true(choice.range.low == pages[i].low && choice.range.high == pages[i].high);
    }
}

/* An image that does not suit the range of others is reported; so is one that needs a range of a group without. */
TESTING_CASE(test_group)
{
    float values[40 * 40];
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_params params = {.of_group = true};
    struct shw_image_file file;
    const char *path;

    for (size_t p = 0; p < 1600; p++)
        values[p] = (float)p;
    path = write_floats("group.tif", values, 40, 40);
    assert_int_equal(shw_image_file_read(path, &params, &log, &file), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "group.tif: its values need a range"));
    params.choice.range = (struct shw_intensity_range){0, 1570}; /* 29 are above */
    assert_int_equal(shw_image_file_read(path, &params, &log, &file), SHW_OK);
    shw_image_file_free(&file);
    assert_int_equal(memory.count[SHW_LOG_IMAGE_FORMAT], 1);
    params.choice.range.high = 1199;
    assert_int_equal(shw_image_file_read(path, &params, &log, &file), SHW_OK);
    shw_image_file_free(&file);
    assert_non_null(strstr(memory.last, "group.tif: 25 % of its values are outside the range from 0 to 1199"));
}

static void check_page(const char *file, uint32_t page, uint64_t seed, const struct layout *layout)
{
    char *path = page > 0 ? shw_image_page_path(file, page) : strdup(file);
    struct testing_log memory;
    struct shw_image_file image = read_file(path, NULL, &memory);

    fill(layout, seed);
    for (size_t p = 0; p < WIDTH * HEIGHT; p++)
        assert_int_equal(sample(&image.image, p), stored[p]);
    shw_image_file_free(&image);
    free(path);
}

/* Thumbnails and masks are no pages. */
TESTING_CASE(test_pages)
{
    static const uint32_t types[] = {FILETYPE_REDUCEDIMAGE, 0, FILETYPE_PAGE,
                                     FILETYPE_MASK,         0, FILETYPE_REDUCEDIMAGE | FILETYPE_PAGE,
                                     FILETYPE_PAGE};
    struct layout layout = {.bits = 16,
                            .format = SAMPLEFORMAT_UINT,
                            .samples = 1,
                            .compression = COMPRESSION_LZW,
                            .photometric = PHOTOMETRIC_MINISBLACK};
    const char *path = testing_path("pages.tif");
    TIFF *tiff = TIFFOpen(path, "w");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file file;
    uint32_t count, page = 0;
    char *missing;

    for (uint64_t i = 0; i < 7; i++) {
        fill(&layout, i);
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, types[i]);
        write_page(tiff, &layout);
    }
    TIFFClose(tiff);
    assert_int_equal(shw_image_file_count_pages(path, &log, &count), SHW_OK);
    assert_int_equal(count, 4);
    check_page(path, 0, 1, &layout);
    for (uint64_t i = 0; i < 7; i++)
        if ((types[i] & ~(uint32_t)FILETYPE_PAGE) == 0)
            check_page(path, ++page, i, &layout);
    missing = shw_image_page_path(path, 5);
    assert_int_equal(shw_image_file_read(missing, NULL, &log, &file), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "pages.tif#5 as a TIFF file: there is no page 5, the last is 4"));
    free(missing);

    /* a file that is called so is meant itself */
    fill(&layout, 40);
    write_file("pages.tif#2", &layout);
    check_page(path, 2, 40, &layout);
    assert_int_equal(remove(testing_path("pages.tif#2")), 0);
    check_page(path, 2, 2, &layout);

    layout.mode = "a"; /* only a thumbnail: then that */
    path = testing_path("thumbnail.tif");
    tiff = TIFFOpen(path, "w");
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    write_page(tiff, &layout);
    TIFFClose(tiff);
    check_page(path, 1, 2, &layout);
    assert_int_equal(shw_image_file_count_pages(path, &log, &count), SHW_OK);
    assert_int_equal(count, 1);
}

static void put(FILE *stream, uint64_t number, unsigned bytes)
{
    while (bytes-- > 0)
        fputc((int)(number >> 8 * bytes & 255), stream);
}

static void put_field(FILE *stream, unsigned tag, unsigned type, uint32_t count, uint32_t value)
{
    put(stream, tag, 2);
    put(stream, type, 2);
    put(stream, count, 4);
    put(stream, type == 3 ? value << 16 : value, 4);
}

/* Large stacks of ImageJ: one directory, which says how many images follow one another. */
TESTING_CASE(test_imagej)
{
    static const char text[] = "ImageJ=1.53t\nimages=5\nslices=5\n";
    struct layout layout = {.bits = 16, .format = SAMPLEFORMAT_UINT, .samples = 1};
    const char *path = testing_path("imagej.tif");
    const uint32_t after = 8 + 2 + 9 * 12 + 4, bytes = WIDTH * HEIGHT * 2;
    FILE *stream = fopen(path, "wb");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file file;
    uint32_t count;
    char *missing;

    fwrite("MM\0*\0\0\0\10", 1, 8, stream);
    put(stream, 9, 2);
    put_field(stream, TIFFTAG_IMAGEWIDTH, 4, 1, WIDTH);
    put_field(stream, TIFFTAG_IMAGELENGTH, 4, 1, HEIGHT);
    put_field(stream, TIFFTAG_BITSPERSAMPLE, 3, 1, 16);
    put_field(stream, TIFFTAG_COMPRESSION, 3, 1, 1);
    put_field(stream, TIFFTAG_PHOTOMETRIC, 3, 1, PHOTOMETRIC_MINISBLACK);
    put_field(stream, TIFFTAG_IMAGEDESCRIPTION, 2, sizeof text, after);
    put_field(stream, TIFFTAG_STRIPOFFSETS, 4, 1, after + sizeof text);
    put_field(stream, TIFFTAG_ROWSPERSTRIP, 4, 1, HEIGHT);
    put_field(stream, TIFFTAG_STRIPBYTECOUNTS, 4, 1, bytes);
    put(stream, 0, 4);
    fwrite(text, 1, sizeof text, stream);
    for (uint64_t page = 1; page <= 5; page++) {
        fill(&layout, page);
        for (size_t p = 0; p < WIDTH * HEIGHT - (page == 5); p++) /* the last one lacks a pixel */
            put(stream, stored[p], 2);
    }
    fclose(stream);
    assert_int_equal(shw_image_file_count_pages(path, &log, &count), SHW_OK);
    assert_int_equal(count, 5);
    for (uint32_t page = 1; page <= 4; page++)
        check_page(path, page, page, &layout);
    for (uint32_t page = 5; page <= 6; page++) {
        missing = shw_image_page_path(path, page);
        assert_int_equal(shw_image_file_read(missing, NULL, &log, &file), SHW_ERROR_FORMAT);
        assert_non_null(strstr(memory.last, page == 5 ? "truncated" : "the last is 5"));
        free(missing);
    }
}

/* What is read if nothing is chosen, and what is said about the rest. */
TESTING_CASE(test_default_channels)
{
    static const struct {
        uint16_t samples, photometric, alpha;
        enum shw_pixel_format format;
        const char *told;
    } files[] = {{1, PHOTOMETRIC_MINISBLACK, 0, SHW_PIXEL_GREY8, NULL},
                 {2, PHOTOMETRIC_MINISBLACK, 0, SHW_PIXEL_GREY8, "has 2 channels: the first is read as grey"},
                 {2, PHOTOMETRIC_MINISBLACK, 1, SHW_PIXEL_GREY8, NULL},
                 {3, PHOTOMETRIC_MINISBLACK, 0, SHW_PIXEL_RGB8, NULL},
                 {3, PHOTOMETRIC_RGB, 0, SHW_PIXEL_RGB8, NULL},
                 {4, PHOTOMETRIC_RGB, 1, SHW_PIXEL_RGBA8, NULL},
                 {4, PHOTOMETRIC_MINISBLACK, 0, SHW_PIXEL_RGBA8, NULL},
                 {6, PHOTOMETRIC_MINISBLACK, 0, SHW_PIXEL_RGB8, "has 6 channels: the first three are read as colours"},
                 {5, PHOTOMETRIC_RGB, 0, SHW_PIXEL_RGB8, "--image-channels"}};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct layout layout = {.bits = 8,
                                .format = SAMPLEFORMAT_UINT,
                                .samples = files[i].samples,
                                .compression = COMPRESSION_NONE,
                                .photometric = files[i].photometric};
        const uint16_t unassociated = EXTRASAMPLE_UNASSALPHA;
        const char *path = testing_path("channels.tif");
        TIFF *tiff = TIFFOpen(path, "w");
        struct shw_image_choice choice = {0};
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct shw_image_file file;

        if (files[i].alpha != 0)
            TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &unassociated);
        fill(&layout, i);
        write_page(tiff, &layout);
        TIFFClose(tiff);
        assert_int_equal(shw_image_choice_settle(&choice, path, &log), SHW_OK);
        assert_true(shw_image_choice_is_default(&choice));
        assert_int_equal(memory.count[SHW_LOG_IMAGE_FORMAT], files[i].told != NULL);
        if (files[i].told != NULL)
            assert_non_null(strstr(memory.last, files[i].told));
        file = read_file(path, NULL, &memory);
        assert_int_equal(file.image.format, files[i].format);
        for (size_t p = 0; p < WIDTH * HEIGHT; p++) {
            uint32_t used = files[i].format == SHW_PIXEL_GREY8 ? 1 : files[i].format == SHW_PIXEL_RGB8 ? 3 : 4;
            for (uint32_t c = 0; c < used; c++)
                assert_int_equal(sample(&file.image, p * used + c), stored[p * files[i].samples + c]);
        }
        shw_image_file_free(&file);

        choice.channels = (struct shw_image_channels){3, {1, files[i].samples + 1u, 1}};
        assert_int_equal(shw_image_file_read(path, &(struct shw_image_params){.choice = choice}, &log, &file),
                         SHW_ERROR_FORMAT);
        assert_non_null(strstr(memory.last, "channels.tif"));
        assert_non_null(strstr(memory.last, "there is no channel"));
    }
}
