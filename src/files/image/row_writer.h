/* Image files that are written by rows, from the first on, without the whole image in memory. Like other files they are
 * there once they are complete, or not at all. */
#ifndef SHW_FILES_IMAGE_ROW_WRITER_H
#define SHW_FILES_IMAGE_ROW_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* What the functions that open one return. */
struct shw_row_writer {
    /* Appends rows to each plane, without padding; those of a plane begin `plane` bytes after those of the one before.
     * Errors: IO, MEMORY. */
    enum shw_result (*put)(struct shw_row_writer *writer, const void *values, size_t plane, uint32_t rows);
    /* Ends the file, which has all its rows, and frees the writer in either case. Errors: IO, MEMORY. */
    enum shw_result (*commit)(struct shw_row_writer *writer);
    void (*abandon)(struct shw_row_writer *writer);
};

/* Sets it to NULL; accepts NULL. */
void shw_row_writer_abandon(struct shw_row_writer **writer);
enum shw_result shw_row_writer_commit(struct shw_row_writer **writer);

/* Writes all rows at once, and ends or abandons the file. `opened`: the result of opening it. */
enum shw_result shw_row_writer_finish(enum shw_result opened, struct shw_row_writer *writer, const void *values,
                                      size_t plane, uint32_t rows);

#endif
