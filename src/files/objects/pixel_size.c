#include "files/objects/pixel_size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MICRO  "\302\265" /* the micro sign */
#define MU     "\316\274" /* the Greek letter */
#define SQUARE "\302\262"

static const struct {
    const char *text;
    double micrometres;
} names[] = {{"nm", 1e-3}, {"um", 1.0}, {MICRO "m", 1.0}, {MU "m", 1.0},
             {"mm", 1e3},  {"cm", 1e4}, {"m", 1e6},       {"km", 1e9}};

/* By rising size, those in which lengths are written. */
static const struct shw_length_unit units[] = {{"nm", 1e-3}, {MICRO "m", 1.0}, {"mm", 1e3}, {"m", 1e6}, {"km", 1e9}};

enum { UNITS = sizeof units / sizeof *units };

/* A decimal number and a unit; 0: it is something else, or out of range. */
static double read_length(const char *text)
{
    char *end;
    double number;

    if (((text[0] < '0' || text[0] > '9') && text[0] != '.') || text[1] == 'x' || text[1] == 'X')
        return 0.0;
    number = strtod(text, &end);
    while (*end == ' ')
        end++;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (strcmp(end, names[n].text) == 0) {
            number *= names[n].micrometres;
            return number >= SHW_PIXEL_SIZE_LEAST && number <= SHW_PIXEL_SIZE_MOST ? number : 0.0;
        }
    return 0.0;
}

bool shw_pixel_size_read(const char *text, struct shw_pixel_size *size)
{
    static const char of_files[] = "file or ";

    *size = (struct shw_pixel_size){.source = SHW_PIXEL_SIZE_GIVEN};
    if (strcmp(text, "file") == 0 || strcmp(text, "none") == 0) {
        size->source = text[0] == 'f' ? SHW_PIXEL_SIZE_FILE : SHW_PIXEL_SIZE_NONE;
        return true;
    }
    if (strncmp(text, of_files, strlen(of_files)) == 0) {
        size->source = SHW_PIXEL_SIZE_FILE;
        text += strlen(of_files);
    }
    size->micrometres = read_length(text);
    return size->micrometres > 0.0;
}

bool shw_pixel_size_is_of_files(const struct shw_pixel_size *size)
{
    return size->source == SHW_PIXEL_SIZE_FILE;
}

bool shw_pixel_size_has_units(const struct shw_pixel_size *size)
{
    return size->source == SHW_PIXEL_SIZE_FILE || size->source == SHW_PIXEL_SIZE_GIVEN;
}

double shw_pixel_size_of(const struct shw_pixel_size *size, double of_file)
{
    switch (size->source) {
    case SHW_PIXEL_SIZE_GIVEN: return size->micrometres;
    case SHW_PIXEL_SIZE_FILE: return of_file > 0.0 ? of_file : size->micrometres;
    default: return 0.0;
    }
}

double shw_pixel_size_stated(const struct shw_pixel_size *size, double of_file)
{
    return size->source == SHW_PIXEL_SIZE_UNSET ? of_file : shw_pixel_size_of(size, of_file);
}

const struct shw_length_unit *shw_length_unit_for(double micrometres)
{
    int unit = UNITS - 1;

    while (unit > 0 && micrometres < units[unit].micrometres * (unit == 1 ? 0.1 : 1.0) * (1 - 1e-12))
        unit--; /* a tenth of a micrometre is written as such */
    return &units[unit];
}

/* Never with an exponent. */
static void write_number(double value, int digits, const char *unit, const char *power, char text[SHW_LENGTH_TEXT_SIZE])
{
    if (value >= pow(10.0, digits))
        snprintf(text, SHW_LENGTH_TEXT_SIZE, "%.0f %s%s", value, unit, power);
    else
        snprintf(text, SHW_LENGTH_TEXT_SIZE, "%.*g %s%s", digits, value, unit, power);
}

void shw_length_write(double micrometres, int digits, char text[SHW_LENGTH_TEXT_SIZE])
{
    const struct shw_length_unit *unit = shw_length_unit_for(micrometres);

    write_number(micrometres / unit->micrometres, digits, unit->name, "", text);
}

void shw_area_write(double square_micrometres, int digits, char text[SHW_LENGTH_TEXT_SIZE])
{
    const struct shw_length_unit *unit = shw_length_unit_for(sqrt(square_micrometres));

    write_number(square_micrometres / (unit->micrometres * unit->micrometres), digits, unit->name, SQUARE, text);
}

double shw_scale_step(double most)
{
    double power = pow(10.0, floor(log10(most)));

    while (power > most) /* logarithms are rounded */
        power /= 10;
    return most >= 5 * power ? 5 * power : most >= 2 * power ? 2 * power : power;
}
