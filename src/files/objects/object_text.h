/* Objects as text: rows of a CSV table, and outlines as GeoJSON. */
#ifndef SHW_FILES_OBJECTS_OBJECT_TEXT_H
#define SHW_FILES_OBJECTS_OBJECT_TEXT_H

#include <stdio.h>

#include <shadewood/forest.h>

#include "files/objects/outline.h"

/* Errors of writing are for the owner of the stream. Any thread. */

/* The header; and a row per object, in the order of their numbers. `picture`: the first column; `files`: the last, what
 * the names of the picture's other files begin with. */
void shw_print_object_header(FILE *stream);
void shw_print_object_rows(FILE *stream, const char *picture, const char *files, const struct shw_objects *objects,
                           const struct shw_class *classes);

/* The first line, around the 16 digits of the mark (files/io/mark.h). */
#define SHW_OUTLINES_BEFORE_MARK "{\"type\":\"FeatureCollection\",\"shadewood\":\"outlines "
#define SHW_OUTLINES_AFTER_MARK  "\",\"features\":["

/* A FeatureCollection (RFC 7946), whose mark is to be made: a Feature per object, as QuPath reads it. Coordinates are
 * pixels, y down; taken as numbers, outer rings are counterclockwise and those of holes clockwise, as the standard
 * wants. Errors: MEMORY. */
enum shw_result shw_print_object_outlines(FILE *stream, const struct shw_objects *objects,
                                          const struct shw_class *classes, uint32_t class_count,
                                          const struct shw_log *log);

#endif
