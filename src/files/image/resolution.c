#include "files/image/resolution.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
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

/* An XML element's start: its name without prefix, and what is in its tag. */
struct tag {
    const char *name;
    size_t name_length;
    const char *attributes, *end; /* up to the closing bracket */
};

/* Where a tag that begins at `at` ends: its closing bracket, which is not in quotation marks; NULL: nowhere. */
static const char *end_of_tag(const char *at)
{
    char quote = '\0';

    for (; *at != '\0' && (quote != '\0' || *at != '>'); at++)
        if (quote != '\0' ? *at == quote : *at == '"' || *at == '\'')
            quote = quote != '\0' ? '\0' : *at;
    return *at == '>' ? at : NULL;
}

/* The next element's start; comments are left out. False: there is none. */
static bool next_tag(const char **xml, struct tag *tag)
{
    const char *at = *xml, *colon;

    while ((at = strchr(at, '<')) != NULL) {
        if (strncmp(at, "<!--", 4) == 0) {
            at = strstr(at, "-->");
            if (at == NULL)
                return false;
            continue;
        }
        tag->name = at + 1;
        tag->name_length = strcspn(tag->name, " \t\r\n/>");
        tag->attributes = tag->name + tag->name_length;
        tag->end = end_of_tag(tag->attributes);
        if (tag->end == NULL)
            return false;
        colon = memchr(tag->name, ':', tag->name_length);
        if (colon != NULL) {
            tag->name_length -= (size_t)(colon + 1 - tag->name);
            tag->name = colon + 1;
        }
        *xml = tag->end;
        return true;
    }
    return false;
}

/* The value of an attribute, and its length; NULL: there is none. */
static const char *attribute(const struct tag *tag, const char *name, size_t *length)
{
    const char *at = tag->attributes;

    while (at < tag->end) {
        const char *own = at + strspn(at, " \t\r\n/"), *value, *end;
        const size_t size = strcspn(own, "= \t\r\n>");

        value = own + size;
        value += strspn(value, " \t\r\n");
        if (*value != '=')
            return NULL;
        value += 1 + strspn(value + 1, " \t\r\n");
        end = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
        if (end == NULL || end >= tag->end)
            return NULL;
        *length = (size_t)(end - (value + 1));
        if (size == strlen(name) && strncmp(own, name, size) == 0)
            return value + 1;
        at = end + 1;
    }
    return NULL;
}

/* The unit of OME, whose first character may be written as a reference. */
static double ome_unit(const char *unit, size_t length)
{
    static const char *const micro[] = {"&#181;", "&#xB5;", "&#xb5;", "&#956;", "&#x3BC;", "&#x3bc;", "&micro;"};

    for (size_t m = 0; m < sizeof micro / sizeof *micro; m++)
        if (length == strlen(micro[m]) + 1 && strncmp(unit, micro[m], length - 1) == 0 && unit[length - 1] == 'm')
            return 1.0;
    return unit_size(unit, length);
}

/* A physical size of OME-XML, in micrometres unless it names another unit. */
static double ome_side(const struct tag *tag, const char *size_name, const char *unit_name)
{
    size_t length, unit_length;
    const char *size = attribute(tag, size_name, &length), *unit = attribute(tag, unit_name, &unit_length);

    return size == NULL ? 0.0 : strtod(size, NULL) * (unit != NULL ? ome_unit(unit, unit_length) : 1.0);
}

/* That of the elements Pixels, if all that state one state the same. */
static double ome_size(const char *xml)
{
    double stated = 0.0;
    struct tag tag;

    while (next_tag(&xml, &tag)) {
        double size;

        if (tag.name_length != strlen("Pixels") || strncmp(tag.name, "Pixels", tag.name_length) != 0)
            continue;
        size = square(ome_side(&tag, "PhysicalSizeX", "PhysicalSizeXUnit"),
                      ome_side(&tag, "PhysicalSizeY", "PhysicalSizeYUnit"));
        if (stated > 0.0 && size > 0.0 && fabs(size - stated) > 1e-6 * stated)
            return 0.0;
        stated = size > 0.0 ? size : stated;
    }
    return stated;
}

/* Whether a description is OME-XML, with a prefix or without. */
static bool is_ome(const char *text)
{
    struct tag tag;

    while (next_tag(&text, &tag))
        if (tag.name_length == 3 && strncmp(tag.name, "OME", 3) == 0)
            return true;
    return false;
}

/* The line unit= of ImageJ's description, which the resolution is in. */
static double imagej_unit(const char *text)
{
    const char *unit = strstr(text, "\nunit=");

    return unit == NULL ? 0.0 : unit_size(unit + 6, strcspn(unit + 6, "\r\n"));
}

static uint64_t number_at(const uint8_t *bytes, int count, bool little)
{
    uint64_t number = 0;

    for (int b = 0; b < count; b++)
        number = number << 8 | bytes[little ? count - 1 - b : b];
    return number;
}

/* Whether the first directory has a unit of resolution that is none: libtiff ignores it, and takes inches. */
static bool has_wrong_unit(FILE *stream)
{
    uint8_t head[16], entry[20];
    bool little, big;
    int wide;
    uint64_t count;

    if (fseeko(stream, 0, SEEK_SET) != 0 || fread(head, 1, sizeof head, stream) != sizeof head)
        return false;
    little = head[0] == 'I';
    big = number_at(head + 2, 2, little) == 43;
    wide = big ? 8 : 4;
    if (fseeko(stream, (off_t)number_at(head + wide, wide, little), SEEK_SET) != 0 ||
        fread(entry, 1, big ? 8 : 2, stream) != (big ? 8u : 2u))
        return false;
    count = number_at(entry, big ? 8 : 2, little);
    for (uint64_t e = 0; e < count && fread(entry, 1, 4 + 2 * (size_t)wide, stream) == 4 + 2 * (size_t)wide; e++)
        if (number_at(entry, 2, little) == TIFFTAG_RESOLUTIONUNIT) {
            const uint64_t unit = number_at(entry + 4 + wide, 2, little);

            return unit < RESUNIT_NONE || unit > RESUNIT_CENTIMETER;
        }
    return false;
}

static double tags_size(TIFF *tiff, const char *text, bool wrong_unit)
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
    if (wrong_unit)
        return 0.0;
    micrometres = unit == RESUNIT_INCH ? INCH : unit == RESUNIT_CENTIMETER ? CENTIMETRE : 0.0;
    return without_screens(square(micrometres / (double)across, micrometres / (double)down));
}

static double tiff_size(FILE *stream, uint64_t length)
{
    struct shw_tiff_memory memory = {.stream = stream, .size = length};
    TIFF *tiff;
    char *text = NULL;
    const bool wrong_unit = has_wrong_unit(stream);
    double size;
    bool ome;

    rewind(stream);
    tiff = shw_tiff_open(&memory, "", "rm");
    if (tiff == NULL)
        return 0.0;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) == 0)
        text = NULL;
    ome = text != NULL && is_ome(text);
    size = ome ? ome_size(text) : 0.0;
    if (!(size > 0.0))
        size = shw_tiff_place_side(tiff);
    if (!(size > 0.0))
        size = tags_size(tiff, text, wrong_unit);
    TIFFClose(tiff);
    return size;
}

double shw_image_pixel_size(const char *path)
{
    static const uint8_t png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint32_t page;
    char *file = shw_image_file_of(path, &page);
    bool opened;
    FILE *stream;
    uint64_t length;
    uint8_t head[8] = {0};
    double size = 0.0;

    opened = file != NULL && shw_file_open(file, NULL, &stream, &length) == SHW_OK;
    if (opened && fread(head, 1, sizeof head, stream) == sizeof head) {
        if (memcmp(head, png, sizeof png) == 0)
            size = png_size(stream);
        else if (memcmp(head, "II", 2) == 0 || memcmp(head, "MM", 2) == 0)
            size = tiff_size(stream, length);
    }
    if (opened)
        fclose(stream);
    free(file);
    return size;
}
