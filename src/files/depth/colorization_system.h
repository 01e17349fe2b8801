/* The linear system of filling by colorization (fill_colorization.h). */
#ifndef SHW_FILES_DEPTH_COLORIZATION_SYSTEM_H
#define SHW_FILES_DEPTH_COLORIZATION_SYSTEM_H

#include <stdint.h>

#include <shadewood/log.h>

/* The unknowns are the pixels to be solved for, in rows. Row k of the matrix has the entries starts[k] to
 * starts[k + 1] - 1, in ascending order of their columns. */
struct shw_colorization_system {
    int32_t count, entry_count;
    int32_t *unknown_of; /* of each pixel, -1: none */
    int32_t *starts, *columns;
    double *values;
    double *right; /* side */
};

/* `grey` and `depth`: width * height; `alpha` as in struct shw_colorization. At most SHW_COLORIZATION_PIXELS_MAX
 * unknowns. Errors: LIMIT, MEMORY; free in either case. */
enum shw_result shw_colorization_system_make(const double *grey, const uint16_t *depth, uint32_t width, uint32_t height,
                                             double alpha, const char *name, const struct shw_log *log,
                                             struct shw_colorization_system *system);

void shw_colorization_system_free(struct shw_colorization_system *system);

#endif
