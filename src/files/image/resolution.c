#include "files/image/resolution.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/tiff.h"
#include "files/image/tiff_place.h"
#include "files/io/image_paths.h"

#define INCH          25400.0 /* micrometres */
#define CENTIMETRE    1e4
#define CHUNKS_MAX    64   /* of a PNG file, before its pixels */
#define SQUARE_WITHIN 0.01 /* sides may differ by that part */
#define SIZE_LEAST    1e-6
#define SIZE_MOST     1e12

/* A side in micrometres; 0 unless both are known and much the same. To six digits: files have densities in whole
 * numbers or floats, and 0.65 comes back as 0.6499998. */
static double square(double across, double down)
{
    double digit;

    if (!(across >= SIZE_LEAST && across <= SIZE_MOST) || !(fabs(across - down) <= SQUARE_WITHIN * across))
        return 0.0;
    digit = pow(10.0, 5 - floor(log10(across)));
    return round(across * digit) / digit;
}

/* 0 for the densities that programs write when they know none. */
static double without_screens(double micrometres)
{
    const double density = micrometres > 0.0 ? INCH / micrometres : 0.0; /* per inch */

    return fabs(density - 72) < 0.05 || fabs(density - 96) < 0.05 ? 0.0 : micrometres;
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The stream is behind the signature. */
static double png_size(FILE *stream)
{
    uint8_t head[8], sizes[9];

    for (int chunk = 0; chunk < CHUNKS_MAX && fread(head, 1, sizeof head, stream) == sizeof head; chunk++) {
        const uint32_t length = big_endian(head);

        if (memcmp(head + 4, "IDAT", 4) == 0 || length > INT32_MAX)
            return 0.0;
        if (memcmp(head + 4, "pHYs", 4) == 0) {
            uint32_t across, down;

            if (length != sizeof sizes || fread(sizes, 1, sizeof sizes, stream) != sizeof sizes || sizes[8] != 1)
                return 0.0; /* another unit than the metre: only a ratio */
            across = big_endian(sizes);
            down = big_endian(sizes + 4);
            return across > 0 && down > 0 ? without_screens(square(1e6 / across, 1e6 / down)) : 0.0;
        }
        if (fseeko(stream, (off_t)length + 4, SEEK_CUR) != 0)
            return 0.0;
    }
    return 0.0;
}

/* Micrometres in a unit that OME or ImageJ names; 0: another. */
static double unit_size(const char *unit, size_t length)
{
    static const struct {
        const char *name;
        double micrometres;
    } units[] = {{"\302\265m", 1.0}, {"\316\274m", 1.0}, {"\265m", 1.0},      {"um", 1.0},
                 {"micron", 1.0},    {"microns", 1.0},   {"micrometer", 1.0}, {"\\u00B5m", 1.0},
                 {"nm", 1e-3},       {"mm", 1e3},        {"cm", CENTIMETRE},  {"m", 1e6},
                 {"inch", INCH},     {"in", INCH},       {"pm", 1e-6},        {"km", 1e9}};

    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (strlen(units[u].name) == length && memcmp(units[u].name, unit, length) == 0)
            return units[u].micrometres;
    return 0.0;
}

/* The value of an XML attribute, in quotation marks, and its length; NULL: there is none. */
static const char *attribute(const char *xml, const char *name, size_t *length)
{
    const char *at = xml;
    size_t size = strlen(name);

    while ((at = strstr(at, name)) != NULL) {
        const char *value = at + size;

        if (at > xml && strchr(" \t\n\r", at[-1]) != NULL && value[0] == '=' && (value[1] == '"' || value[1] == '\'')) {
            const char *end = strchr(value + 2, value[1]);

            *length = end != NULL ? (size_t)(end - (value + 2)) : 0;
            return end != NULL ? value + 2 : NULL;
        }
        at = value;
    }
    return NULL;
}

/* A physical size of OME-XML, in micrometres unless it names another unit. */
static double ome_side(const char *xml, const char *size_name, const char *unit_name)
{
    size_t length, unit_length;
    const char *size = attribute(xml, size_name, &length), *unit = attribute(xml, unit_name, &unit_length);

    return size == NULL ? 0.0 : strtod(size, NULL) * (unit != NULL ? unit_size(unit, unit_length) : 1.0);
}

static double ome_size(const char *xml)
{
    const char *pixels = strstr(xml, "<Pixels");

    return pixels == NULL ? 0.0
                          : square(ome_side(pixels, "PhysicalSizeX", "PhysicalSizeXUnit"),
                                   ome_side(pixels, "PhysicalSizeY", "PhysicalSizeYUnit"));
}

/* The line unit= of ImageJ's description, which the resolution is in. */
static double imagej_unit(const char *text)
{
    const char *unit = strstr(text, "\nunit=");

    return unit == NULL ? 0.0 : unit_size(unit + 6, strcspn(unit + 6, "\r\n"));
}

static double tags_size(TIFF *tiff, const char *text)
{
    float across = 0.0f, down = 0.0f;
    uint16_t unit = RESUNIT_INCH;
    double micrometres;
    bool imagej = text != NULL && strncmp(text, "ImageJ=", 7) == 0;

    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) == 0 || TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down) == 0 ||
        !(across > 0.0f) || !(down > 0.0f))
        return 0.0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    micrometres = imagej ? imagej_unit(text) : 0.0;
    if (micrometres > 0.0)
        return square(micrometres / (double)across, micrometres / (double)down);
    micrometres = unit == RESUNIT_INCH ? INCH : unit == RESUNIT_CENTIMETER ? CENTIMETRE : 0.0;
    return without_screens(square(micrometres / (double)across, micrometres / (double)down));
}

static double tiff_size(FILE *stream)
{
    struct shw_tiff_memory memory = {.stream = stream};
    TIFF *tiff;
    char *text = NULL;
    double size = 0.0;

    fseeko(stream, 0, SEEK_END);
    memory.size = (uint64_t)ftello(stream);
    fseeko(stream, 0, SEEK_SET);
    tiff = shw_tiff_open(&memory, "", "rm");
    if (tiff == NULL)
        return 0.0;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) == 0)
        text = NULL;
    if (text != NULL && strstr(text, "<OME") != NULL)
        size = ome_size(text);
    if (!(size > 0.0))
        size = shw_tiff_place_side(tiff);
    if (!(size > 0.0))
        size = tags_size(tiff, text);
    TIFFClose(tiff);
    return size;
}

double shw_image_pixel_size(const char *path)
{
    static const uint8_t png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint32_t page;
    char *file = shw_image_file_of(path, &page);
    FILE *stream = file != NULL ? fopen(file, "rb") : NULL;
    uint8_t head[8] = {0};
    double size = 0.0;

    if (stream != NULL && fread(head, 1, sizeof head, stream) == sizeof head) {
        if (memcmp(head, png, sizeof png) == 0)
            size = png_size(stream);
        else if (memcmp(head, "II", 2) == 0 || memcmp(head, "MM", 2) == 0)
            size = tiff_size(stream);
    }
    if (stream != NULL)
        fclose(stream);
    free(file);
    return size;
}
