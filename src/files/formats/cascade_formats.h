/* What the readers of other programs' cascades have in common. */
#ifndef SHW_FILES_FORMATS_CASCADE_FORMATS_H
#define SHW_FILES_FORMATS_CASCADE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/cascade.h>

#include "files/formats/import_format.h"

struct shw_cascade_import {
    const char *object;   /* what the cascade finds; NULL: as the file says, or "object" */
    const char *training; /* the training record, a JSON object */
};

/* Reads a cascade of one format. The file is not trusted. Errors: IO, FORMAT, LIMIT, MEMORY. */
typedef enum shw_result shw_cascade_read_function(const char *path, const struct shw_cascade_import *import,
                                                  const struct shw_log *log, struct shw_cascade **cascade);

/* Cascades of every format that is told by its contents. */

/* Reads our own file, pico's, whose size follows from its header, OpenCV's XML, or a folder of tables in CSV; what is
 * none of them is read as our own, whose reader says what it is not. The training record says which format it was.
 * Errors: IO, FORMAT, VERSION, LIMIT, MEMORY, UNSUPPORTED (XML in a build without its library). Any thread. */
enum shw_result shw_cascade_open(const char *path, const struct shw_log *log, struct shw_cascade **cascade);

/* The name of the format of another program that a file or a folder has by its contents; NULL: none, or nothing that
 * can be read. Any thread. */
const char *shw_cascade_recognise(const char *path);

/* The formats of other programs, from 0 on; NULL: there are no more. Any thread. */
const struct shw_import_format *shw_cascade_format(size_t index);

/* The reader of a format by its name. NULL: there is none of that name. Any thread. */
shw_cascade_read_function *shw_cascade_reader(const char *format);

/* Scores of other programs' cascades, which are floating-point numbers there, in fixed point. */

/* The most fraction bits, up to 30, with which `count` rounded numbers whose magnitudes add up to `bound` at most, and
 * their sums, fit into 32 bits. False if none do, or if it is not a number. */
bool shw_score_bits(double bound, uint32_t count, uint32_t *bits);

/* value * 2^bits, a whole number or not, at the ends of 32 bits at most: rounded to the nearest, halves away from zero,
 * or down. */
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

/* For shw_cascade_create(). The arrays of `info` are to be freed by shw_opencv_cascade_free(). */
struct shw_opencv_cascade {
    struct shw_cascade_info info;
};

/* Parses `size` bytes, which are not trusted. `name` appears in messages, with the line. What has no place in the file,
 * as rectangles that leave the window, is left to shw_cascade_create(). Errors: FORMAT, LIMIT, MEMORY, UNSUPPORTED in
 * a build without an XML library. */
enum shw_result shw_opencv_cascade_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                         struct shw_opencv_cascade *cascade);

shw_cascade_read_function shw_opencv_cascade_read;

/* Accepts a zero-initialised one. */
void shw_opencv_cascade_free(struct shw_opencv_cascade *cascade);

#endif
