/* Cascades of the kind PIXELS as folders of CSV files, one per field of a node (Jurak 2015, 5.2); docs/exchange.md has
 * the layout. */
#ifndef SHW_FORMATS_CSV_CASCADE_H
#define SHW_FORMATS_CSV_CASCADE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/cascade_formats.h"

/* The files of such a folder: properties of the cascade, stages, then fields of nodes. The last two are optional. */
enum shw_csv_file {
    SHW_CSV_CASCADE,
    SHW_CSV_STAGES,
    SHW_CSV_CHILDREN,
    SHW_CSV_PROB,
    SHW_CSV_THR,
    SHW_CSV_Y1,
    SHW_CSV_X1,
    SHW_CSV_Y2,
    SHW_CSV_X2,
    SHW_CSV_Z1, /* the image layers that points read: all must be 0 */
    SHW_CSV_Z2,
    SHW_CSV_FILE_COUNT
};
#define SHW_CSV_WRITTEN_COUNT SHW_CSV_Z1 /* those that are written */

extern const char *const shw_csv_files[SHW_CSV_FILE_COUNT]; /* "cascade.csv" and so on */

/* The path of a file of the folder, to be freed with free(); NULL if memory is exhausted. */
char *shw_csv_path(const char *folder, enum shw_csv_file file);

/* A file in memory. The text is not trusted; a zero byte follows it. */
struct shw_csv_text {
    const char *name; /* in messages */
    const char *text; /* NULL: there is none, of the last ones */
    size_t size;
};

/* Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_csv_cascade_parse(const struct shw_csv_text files[SHW_CSV_FILE_COUNT],
                                      const struct shw_cascade_import *import, const struct shw_log *log,
                                      struct shw_cascade **cascade);

/* Of a folder. */
shw_cascade_read_function shw_csv_cascade_read;

/* Whether a format, or NULL, is that of such folders. */
bool shw_is_csv_cascade(const char *format);

/* The text of a file, to be freed with free(). `name` appears in messages. Errors: FORMAT if the layout cannot express
 * the cascade, MEMORY. */
enum shw_result shw_csv_cascade_format(const struct shw_cascade *cascade, enum shw_csv_file file, const char *name,
                                       const struct shw_log *log, char **text);

#endif
