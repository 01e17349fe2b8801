/* Files with the objects of pictures. Atomic, and checked by nobody: callers do that by the rule of
 * files/io/output_files.h, with the kinds that are named here (files/io/file_kind.h). Any thread. */
#ifndef SHW_FILES_OBJECTS_OBJECT_FILES_H
#define SHW_FILES_OBJECTS_OBJECT_FILES_H

#include <stdio.h>

#include <shadewood/forest.h>

#include "base/atomic_file.h"
#include "files/io/file_kind.h"
#include "files/objects/objects.h"
#include "files/objects/outline.h"

/* The files of a picture's objects. */
enum shw_object_file {
    SHW_OBJECT_TABLE,
    SHW_OBJECT_OUTLINES,       /* GeoJSON */
    SHW_OBJECT_INSTANCES,      /* 16-bit numbers of objects, 0: none */
    SHW_OBJECT_MANY_INSTANCES, /* written instead if there are more than 65535 objects */
    SHW_OBJECT_FILES
};
#define SHW_OBJECT_OUTLINES_BIT   (1u << SHW_OBJECT_OUTLINES)
#define SHW_OBJECT_INSTANCES_BITS (1u << SHW_OBJECT_INSTANCES | 1u << SHW_OBJECT_MANY_INSTANCES)

struct shw_object_file_traits {
    const char *ending; /* after the picture's name */
    const struct shw_file_kind *kind;
};
extern const struct shw_object_file_traits shw_object_files[SHW_OBJECT_FILES];

#define SHW_OBJECTS_TABLE "objects.csv" /* of all pictures in a folder */

/* Paths; NULL: not written. Of the two images of numbers both or neither. */
struct shw_object_paths {
    char *paths[SHW_OBJECT_FILES];
};

/* Makes those whose bits are set in `files`; `place`: FOLDER/NAME. Free them in either case. Errors: MEMORY. */
enum shw_result shw_object_paths_make(const char *place, uint32_t files, const struct shw_log *log,
                                      struct shw_object_paths *made);
void shw_object_paths_free(struct shw_object_paths *made);

/* What is told of objects besides their pixels. */
struct shw_object_columns {
    bool units;                    /* lengths and areas in micrometres, where the size of pixels is known */
    const struct shw_class *kinds; /* object classes; borrowed */
    uint32_t kind_count;           /* 0: there are none */
};

/* Writes outlines and images of numbers. Errors: IO, MEMORY. Of the two images of numbers one is then there: the other
 * is removed if it is a former result. */
enum shw_result shw_object_files_write(const struct shw_object_paths *paths, const struct shw_objects *objects,
                                       const struct shw_class *classes, uint32_t class_count,
                                       const struct shw_object_columns *columns, const struct shw_log *log);

/* A table of the objects of all pictures, shw_file_table. */
struct shw_object_table {
    struct shw_atomic_file file;
    struct shw_object_columns columns;
};

/* Opens it; add pictures; commit or abandon. Errors: IO, MEMORY. */
enum shw_result shw_object_table_open(struct shw_object_table *table, const char *path,
                                      const struct shw_object_columns *columns, const struct shw_log *log);
/* `files`: what the names of the picture's other files begin with, from the folder of the table. */
void shw_object_table_add(struct shw_object_table *table, const char *picture, const char *files,
                          const struct shw_objects *objects, const struct shw_class *classes);
enum shw_result shw_object_table_commit(struct shw_object_table *table, const struct shw_log *log);
void shw_object_table_abandon(struct shw_object_table *table); /* accepts zero-initialised and committed ones */

extern const struct shw_file_kind shw_file_outlines;

/* Prints a FeatureCollection (RFC 7946) with an empty mark: a Feature per object, as QuPath reads it. Coordinates are
 * pixels, y down; taken as numbers, outer rings are counterclockwise and those of holes clockwise, as the standard
 * wants. Errors: MEMORY; those of writing are for the owner of the stream. */
enum shw_result shw_print_object_outlines(FILE *stream, const struct shw_objects *objects,
                                          const struct shw_class *classes, uint32_t class_count,
                                          const struct shw_object_columns *columns, const struct shw_log *log);

#endif
