/* MAT-files of version 7.3, which are HDF5: arrays with the columns one after the other, whose dimensions HDF5 has in
 * the opposite order. */
#ifndef SHW_FILES_CONVERT_MAT_FILE_H
#define SHW_FILES_CONVERT_MAT_FILE_H

#include <hdf5.h>

#include "files/convert/source.h"

/* A set of data in the file, with one array per frame. */
struct shw_mat_array {
    hid_t set;
    int rank;
    hsize_t sizes[4]; /* the slowest first: frames, (samples,) columns, rows */
};

/* Opens a set of `rank` dimensions whose values are of that class, H5T_INTEGER or H5T_FLOAT, and of at most `size`
 * bytes, all of which must be in the file; -1 in array->set: there is none, which is only fine where it is not
 * `needed`. Errors: FORMAT, LIMIT. */
enum shw_result shw_mat_open(hid_t file, const char *path, const char *name, int rank, H5T_class_t type, size_t size,
                             bool needed, const struct shw_log *log, struct shw_mat_array *array);
/* Reads that of a frame into memory of the type. Errors: FORMAT. */
enum shw_result shw_mat_read(const struct shw_mat_array *array, uint32_t frame, hid_t type, void *values,
                             const char *path, const char *name, const struct shw_log *log);
void shw_mat_close(struct shw_mat_array *array);

/* Reads the texts of a list of cells, the first of which names label 1. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_mat_read_names(hid_t file, const char *path, const char *name, const struct shw_log *log,
                                   struct shw_label_names *names);

#endif
