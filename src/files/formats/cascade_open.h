/* Cascades of every format that is told by its contents. */
#ifndef SHW_FILES_FORMATS_CASCADE_OPEN_H
#define SHW_FILES_FORMATS_CASCADE_OPEN_H

#include <stddef.h>

#include "files/formats/cascade_import.h"
#include "files/formats/import_format.h"

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

#endif
