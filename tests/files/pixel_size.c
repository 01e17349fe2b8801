/* The size of pixels: what is typed, what files state, and how lengths are written. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/image/image_write.h"
#include "files/image/resolution.h"
#include "files/objects/pixel_size.h"
#include "testing/testing.h"

static void assert_near(double measured, double expected)
{
    assert_true(fabs(measured - expected) <= 1e-9 * (1 + fabs(expected)));
}

TESTING_CASE(lengths_are_read)
{
    static const struct {
        const char *text;
        double micrometres;
    } good[] = {{"0.65 um", 0.65}, {"0.65um", 0.65}, {"2 mm", 2000},  {"250 nm", 0.25}, {"1 \302\265m", 1},
                {"3\316\274m", 3}, {"0.5 m", 5e5},   {"4 cm", 40000}, {"1 km", 1e9},    {".5 um", 0.5}};
    static const char *const bad[] = {"",          "0.65",     "um",           "-1 um",       "0 um",
                                      "1 furlong", "1e-12 nm", "nan um",       "1 um x",      "0x10 um",
                                      "0X1p3 um",  "file or",  "file or none", "fileor 1 um", "none or 1 um"};
    struct shw_pixel_size size;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(shw_pixel_size_read(good[i].text, &size));
        assert_int_equal(size.source, SHW_PIXEL_SIZE_GIVEN);
        assert_near(size.micrometres, good[i].micrometres);
        assert_near(shw_pixel_size_of(&size, 7), good[i].micrometres);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(shw_pixel_size_read(bad[i], &size));
    assert_true(shw_pixel_size_read("file", &size));
    assert_near(shw_pixel_size_of(&size, 7), 7);
    assert_true(shw_pixel_size_read("file or 0.5 um", &size));
    assert_near(shw_pixel_size_of(&size, 7), 7);
    assert_near(shw_pixel_size_of(&size, 0), 0.5);
    assert_true(shw_pixel_size_read("none", &size));
    assert_near(shw_pixel_size_of(&size, 7), 0);
}

TESTING_CASE(lengths_are_written)
{
    static const struct {
        double micrometres;
        const char *text;
    } lengths[] = {{0.65, "0.65 \302\265m"}, {0.05, "50 nm"},    {12.345, "12.3 \302\265m"},
                   {50000, "50 mm"},         {5e6, "5 m"},       {3e9, "3 km"},
                   {1000, "1 mm"},           {7.5e12, "7500 km"}};
    char text[SHW_LENGTH_TEXT_SIZE];

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        shw_length_write(lengths[i].micrometres, 3, text);
        assert_string_equal(text, lengths[i].text);
    }
    shw_area_write(293.2, 3, text);
    assert_string_equal(text, "293 \302\265m\302\262");
    shw_area_write(123456.0, 3, text);
    assert_string_equal(text, "123456 \302\265m\302\262");
    shw_area_write(2.5e6, 3, text);
    assert_string_equal(text, "2.5 mm\302\262");
}

TESTING_CASE(scale_steps)
{
    static const double steps[][2] = {{1, 1},   {1.99, 1}, {2, 2},   {4.9, 2},      {5, 5},
                                      {9.9, 5}, {10, 10},  {73, 50}, {0.034, 0.02}, {1000, 1000}};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        assert_near(shw_scale_step(steps[i][0]), steps[i][1]);
    for (double most = 1e-5; most < 1e9; most *= 1.37) {
        double step = shw_scale_step(most);

        assert_true(step <= most && step > most / 2.5 * (1 - 1e-9));
    }
}

/* A PNG file of one pixel with a chunk pHYs; checksums are not looked at. */
static const char *write_png(uint32_t across, uint32_t down, uint8_t unit)
{
    const char *path = testing_path("sized.png");
    const uint8_t bytes[] = {0x89,
                             'P',
                             'N',
                             'G',
                             '\r',
                             '\n',
                             0x1a,
                             '\n',
                             0,
                             0,
                             0,
                             13,
                             'I',
                             'H',
                             'D',
                             'R',
                             0,
                             0,
                             0,
                             1,
                             0,
                             0,
                             0,
                             1,
                             8,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             9,
                             'p',
                             'H',
                             'Y',
                             's',
                             (uint8_t)(across >> 24),
                             (uint8_t)(across >> 16),
                             (uint8_t)(across >> 8),
                             (uint8_t)across,
                             (uint8_t)(down >> 24),
                             (uint8_t)(down >> 16),
                             (uint8_t)(down >> 8),
                             (uint8_t)down,
                             unit,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             'I',
                             'D',
                             'A',
                             'T'};
    FILE *file = fopen(path, "wb");

    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    return path;
}

TESTING_CASE(png_files_state_it)
{
    assert_near(shw_image_pixel_size(write_png(1538462, 1538462, 1)), 0.65);
    assert_near(shw_image_pixel_size(write_png(1000, 1000, 1)), 1000);
    assert_near(shw_image_pixel_size(write_png(1000, 2000, 1)), 0); /* not square */
    assert_near(shw_image_pixel_size(write_png(1000, 1000, 0)), 0); /* a ratio only */
    assert_near(shw_image_pixel_size(write_png(2835, 2835, 1)), 0); /* 72 per inch */
    assert_near(shw_image_pixel_size(write_png(3780, 3780, 1)), 0); /* 96 per inch */
    assert_near(shw_image_pixel_size(write_png(0, 0, 1)), 0);
    assert_near(shw_image_pixel_size(testing_path("missing.png")), 0);
}

#define RESUNIT_NONE       1
#define RESUNIT_INCH       2
#define RESUNIT_CENTIMETER 3

static uint8_t *put(uint8_t *at, uint32_t value, uint32_t bytes)
{
    for (uint32_t b = 0; b < bytes; b++)
        *at++ = (uint8_t)(value >> 8 * b);
    return at;
}

static uint8_t *put_entry(uint8_t *at, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
    at = put(put(at, tag, 2), type, 2);
    return put(put(at, count, 4), value, 4);
}

/* A TIFF file of one grey pixel, which has a density unless `across` is 0. */
static const char *write_tiff(uint32_t across, uint32_t down, uint32_t unit, const char *description)
{
    enum { SHORT = 3, LONG = 4, TEXT = 2, RATIONAL = 5, DENSITIES = 300, TEXT_AT = 320, PIXEL_AT = 1000 };
    static uint8_t bytes[1001];
    const char *path = testing_path("sized.tif");
    const uint32_t entries = 7u + (across > 0 ? 3u : 0u) + (description != NULL ? 1u : 0u);
    FILE *file = fopen(path, "wb");
    uint8_t *at = bytes;

    memset(bytes, 0, sizeof bytes);
    at = put(put(put(at, 0x4949, 2), 42, 2), 8, 4);
    at = put(at, entries, 2);
    at = put_entry(at, 256, LONG, 1, 1);
    at = put_entry(at, 257, LONG, 1, 1);
    at = put_entry(at, 258, SHORT, 1, 8);
    at = put_entry(at, 259, SHORT, 1, 1);
    at = put_entry(at, 262, SHORT, 1, 1);
    if (description != NULL)
        at = put_entry(at, 270, TEXT, (uint32_t)strlen(description) + 1, TEXT_AT);
    at = put_entry(at, 273, LONG, 1, PIXEL_AT);
    at = put_entry(at, 279, LONG, 1, 1);
    if (across > 0) {
        at = put_entry(at, 282, RATIONAL, 1, DENSITIES);
        at = put_entry(at, 283, RATIONAL, 1, DENSITIES + 8);
        at = put_entry(at, 296, SHORT, 1, unit);
    }
    put(put(bytes + DENSITIES, across, 4), 1, 4);
    put(put(bytes + DENSITIES + 8, down, 4), 1, 4);
    if (description != NULL)
        memcpy(bytes + TEXT_AT, description, strlen(description) + 1);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    return path;
}

TESTING_CASE(tiff_files_state_it)
{
    static const char ome[] = "<?xml version=\"1.0\"?><OME><Image><Pixels ID=\"P\" PhysicalSizeX=\"0.325\" "
                              "PhysicalSizeY=\"0.325\" SizeX=\"1\"/></Image></OME>";
    static const char ome_mm[] = "<OME><Pixels PhysicalSizeX='0.002' PhysicalSizeXUnit='mm' PhysicalSizeY='2' "
                                 "PhysicalSizeYUnit='\302\265m'/></OME>";

    assert_near(shw_image_pixel_size(write_tiff(20000, 20000, RESUNIT_CENTIMETER, NULL)), 0.5);
    assert_near(shw_image_pixel_size(write_tiff(300, 300, RESUNIT_INCH, NULL)), 84.6667);
    assert_near(shw_image_pixel_size(write_tiff(72, 72, RESUNIT_INCH, NULL)), 0);
    assert_near(shw_image_pixel_size(write_tiff(10, 10, RESUNIT_NONE, NULL)), 0);
    assert_near(shw_image_pixel_size(write_tiff(0, 0, 0, NULL)), 0);
    assert_near(shw_image_pixel_size(write_tiff(300, 300, 0, NULL)), 0); /* no unit at all, not inches */
    assert_near(shw_image_pixel_size(write_tiff(300, 300, 4, NULL)), 0);
    assert_near(shw_image_pixel_size(write_tiff(4, 4, RESUNIT_NONE, "ImageJ=1.53\nunit=micron\n")), 0.25);
    assert_near(shw_image_pixel_size(write_tiff(4, 4, RESUNIT_NONE, "ImageJ=1.53\nunit=pixel\n")), 0);
    assert_near(shw_image_pixel_size(write_tiff(72, 72, RESUNIT_INCH, ome)), 0.325);
    assert_near(shw_image_pixel_size(write_tiff(0, 0, 0, ome_mm)), 2);
    assert_near(shw_image_pixel_size(write_tiff(0, 0, 0, "<OME><Pixels PhysicalSizeX=\"wide\"/></OME>")), 0);
}

#define SIDES(side, unit)                                                                                              \
    " PhysicalSizeX='" side "' PhysicalSizeXUnit='" unit "' PhysicalSizeY = \"" side "\" PhysicalSizeYUnit='" unit "'"

/* What is XML, whoever has written it. */
TESTING_CASE(ome_is_read_as_xml)
{
    static const struct {
        const char *text;
        double micrometres;
    } cases[] = {
        {"<OME><Pixels" SIDES("3", "&#181;m") "/></OME>", 3},
        {"<OME><Pixels" SIDES("3", "&#xB5;m") "/></OME>", 3},
        {"<OME><Pixels" SIDES("3", "&#x3bc;m") "/></OME>", 3},
        {"<OME:OME xmlns:OME='x'><OME:Image><OME:Pixels" SIDES("4", "nm") "></OME:Pixels></OME:Image></OME:OME>",
         0.004},
        {"<OME><!-- <Pixels" SIDES("9", "um") "/> --><Pixels" SIDES("5", "um") "/></OME>", 5},
        {"<OME><!-- <Pixels" SIDES("9", "um") "/></OME>", 0},
        {"<OME><Pixels2" SIDES("9", "um") "/><Pixels" SIDES("6", "um") "/></OME>", 6},
        {"<OME><Pixels SizeX='1'/><Channel" SIDES("9", "um") "/></OME>", 0},
        {"<OME><Pixels Note='a > b'" SIDES("7", "um") "/></OME>", 7},
        {"<OME><Pixels MyPhysicalSizeX='9'" SIDES("8", "um") "/></OME>", 8},
        {"<OME><Pixels SizeX='1'/><Pixels" SIDES("2", "um") "/><Pixels" SIDES("2000", "nm") "/></OME>", 2},
        {"<OME><Pixels" SIDES("2", "um") "/><Pixels" SIDES("3", "um") "/></OME>", 0}, /* they disagree */
        {"<OME><Pixels" SIDES("2", "um"), 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double size = shw_image_pixel_size(write_tiff(0, 0, 0, cases[i].text));

        if (!(fabs(size - cases[i].micrometres) <= 1e-9))
            fail_msg("%g in %s", size, cases[i].text);
    }
}

/* Sizes that are written come back. */
TESTING_CASE(png_files_keep_it)
{
    static const double sides[] = {0.65, 0.325, 2.5, 1000, 0.001};
    static const uint8_t pixels[3] = {1, 2, 3};
    const struct shw_image image = {.pixels = pixels, .width = 1, .height = 1, .format = SHW_PIXEL_RGB8};
    const char *path = testing_path("written.png");

    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        assert_int_equal(shw_png_write_scaled(path, "frame", sides[i], &image, NULL), SHW_OK);
        assert_near(shw_image_pixel_size(path), sides[i]);
    }
    assert_int_equal(shw_png_write_scaled(path, "frame", 0.0, &image, NULL), SHW_OK);
    assert_near(shw_image_pixel_size(path), 0);
    assert_int_equal(shw_png_write_scaled(path, "frame", 1e9, &image, NULL), SHW_OK);
    assert_near(shw_image_pixel_size(path), 0);
}
