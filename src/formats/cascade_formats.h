/* Cascades of other programs: the table of formats, and what their readers share. */
#ifndef SHW_FORMATS_CASCADE_FORMATS_H
#define SHW_FORMATS_CASCADE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/import.h>

struct shw_cascade_import {
    const char *object;   /* what the cascade finds; NULL: as the file says, or "object" */
    const char *training; /* the provenance, a JSON object */
};

/* Reads a cascade of one format, which is not trusted. Errors: IO, FORMAT, LIMIT, MEMORY. */
typedef enum shw_result shw_cascade_read_function(const struct shw_import_source *source,
                                                  const struct shw_cascade_import *import, const struct shw_log *log,
                                                  struct shw_cascade **cascade);

/* The name of the format that a source is recognised as; NULL if it is none or unreadable. Any thread. */
const char *shw_cascade_recognise(const struct shw_import_source *source);

/* The formats by index from 0; NULL after the last. Any thread. */
const struct shw_import_format *shw_cascade_format(size_t index);

/* The reader of a format by name; NULL if there is none. Any thread. */
shw_cascade_read_function *shw_cascade_reader(const char *format);

/* Floating-point scores of other programs in fixed point. */

/* The most fraction bits, up to 30, with which `count` rounded numbers and their sums fit into 32 bits, if their
 * magnitudes add up to at most `bound`. False if there is no such number, or `bound` is NaN. */
bool shw_score_bits(double bound, uint32_t count, uint32_t *bits);

/* value * 2^bits clamped to 32 bits: rounded to the nearest, halves away from zero, or down. */
int32_t shw_score_round(double value, uint32_t bits);
int32_t shw_score_floor(double value, uint32_t bits);

/* Cascades of pico (Markus, Frljak, Pandzic, Ahlberg, Forchheimer 2013) as cascades of the kind SCALED;
 * docs/exchange.md has the format. */

/* Of `size` bytes, which are not trusted; `name` appears in messages. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_pico_cascade_parse(const void *bytes, size_t size, const char *name,
                                       const struct shw_cascade_import *import, const struct shw_log *log,
                                       struct shw_cascade **cascade);

shw_cascade_read_function shw_pico_cascade_read;

/* Cascades of OpenCV, in XML: of opencv_traincascade (boosted, Haar or LBP features) and of the older
 * opencv_haartraining, whose stages must form a chain. docs/exchange.md says what is read of them. */

/* For shw_cascade_create(). shw_opencv_cascade_free() frees the arrays of `info`. */
struct shw_opencv_cascade {
    struct shw_cascade_info info;
};

/* Parses `size` untrusted bytes. `name` appears in messages, with the line. Errors without a place in the file, such as
 * rectangles that leave the window, are left to shw_cascade_create(). Errors: FORMAT, LIMIT, MEMORY, UNSUPPORTED in a
 * build without an XML library. */
enum shw_result shw_opencv_cascade_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                         struct shw_opencv_cascade *cascade);

shw_cascade_read_function shw_opencv_cascade_read;

/* Accepts a zero-initialised one. */
void shw_opencv_cascade_free(struct shw_opencv_cascade *cascade);

#endif
