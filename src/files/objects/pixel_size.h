/* The size of pixels: lengths of objects in units, and bars that show them. Any thread. */
#ifndef SHW_FILES_OBJECTS_PIXEL_SIZE_H
#define SHW_FILES_OBJECTS_PIXEL_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* Where the size of a picture's pixels is taken from. */
enum shw_pixel_size_source {
    SHW_PIXEL_SIZE_UNSET = 0, /* nothing was said */
    SHW_PIXEL_SIZE_NONE,      /* everything is in pixels */
    SHW_PIXEL_SIZE_FILE,      /* from each picture's file, if that has it */
    SHW_PIXEL_SIZE_GIVEN
};

struct shw_pixel_size {
    enum shw_pixel_size_source source;
    double micrometres; /* the side of a pixel: GIVEN: of all pictures; FILE: of those whose files do not tell; or 0 */
};

#define SHW_PIXEL_SIZE_LEAST 1e-6 /* micrometres */
#define SHW_PIXEL_SIZE_MOST  1e12

/* Reads "0.65 um", "0.65um", "1 mm", "0.5 m", "file", "file or 0.65 um" or "none"; units: nm, um, µm, mm, cm, m, km.
 * False: it is something else, or out of range. */
bool shw_pixel_size_read(const char *text, struct shw_pixel_size *size);

/* Whether files are to be asked. And whether there may be lengths in units. */
bool shw_pixel_size_is_of_files(const struct shw_pixel_size *size);
bool shw_pixel_size_has_units(const struct shw_pixel_size *size);

/* The side of a picture's pixels in micrometres; 0: unknown. `of_file`: what its file says, or 0. */
double shw_pixel_size_of(const struct shw_pixel_size *size, double of_file);

/* What files of results say: the same, and what its own file says if nothing was said about it. */
double shw_pixel_size_stated(const struct shw_pixel_size *size, double of_file);

/* A unit in which lengths of about that many micrometres are written. */
struct shw_length_unit {
    const char *name;   /* "µm" */
    double micrometres; /* in one */
};
const struct shw_length_unit *shw_length_unit_for(double micrometres);

#define SHW_LENGTH_TEXT_SIZE 48

/* Writes a length or an area with its unit, to `digits` significant digits: "12.5 µm", "3.2 mm²". */
void shw_length_write(double micrometres, int digits, char text[SHW_LENGTH_TEXT_SIZE]);
void shw_area_write(double square_micrometres, int digits, char text[SHW_LENGTH_TEXT_SIZE]);

/* The longest length of 1, 2 or 5 times a power of ten that is at most `most` (above 0). */
double shw_scale_step(double most);

#endif
