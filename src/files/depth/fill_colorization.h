/* Filling of missing depth by colorization (Levin, Lischinski and Weiss, "Colorization using optimization", 2004) as
 * the toolbox of NYU Depth v2 uses it: the depth of a pixel is near the weighted mean of its neighbours' depth, where
 * neighbours of a similar grey weigh more. A sparse linear system, solved by SuperLU.
 *
 * With Y the grey (0.299 R + 0.587 G + 0.114 B, from 0 to 1), N(r) the up to eight neighbours of pixel r and d its
 * measured depth:
 *
 *     w(r, s) = exp(-(Y(r) - Y(s))^2 / v(r)) / sum over N(r)
 *     v(r) = the greatest of 0.6 times the variance of Y over r and N(r), the least (Y(r) - Y(s))^2 / ln 100, and 2e-6
 *     missing:   x(r) - sum over N(r) of w(r, s) x(s) = 0
 *     measured:  x(r) = d(r), or with a positive alpha  (1 + alpha) x(r) - sum over N(r) of w(r, s) x(s) = alpha d(r)
 *
 * Double arithmetic without the mathematics library; the bits are those of SuperLU and its BLAS. */
#ifndef SHW_FILES_DEPTH_FILL_COLORIZATION_H
#define SHW_FILES_DEPTH_FILL_COLORIZATION_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* Pixels that can be solved for at a time: about 10 GiB of memory. */
#define SHW_COLORIZATION_PIXELS_MAX (UINT32_C(1) << 22)

/* Whether this build has a solver. */
bool shw_can_colorize(void);

struct shw_colorization {
    double alpha; /* of measured pixels; 0: they are kept */
};

/* Fills `depth` (width * height, 0 where missing) by the colours, an 8-bit or 16-bit image of that size; depth becomes
 * the nearest integer, at least 1. An image without any depth stays so. `name` is for messages. Any thread. Errors:
 * UNSUPPORTED (this build lacks the solver), ARGUMENT (a pixel format that files do not have), LIMIT, MEMORY. */
enum shw_result shw_fill_colorization(uint16_t *depth, uint32_t width, uint32_t height, const struct shw_image *colours,
                                      const struct shw_colorization *how, const char *name, const struct shw_log *log);

/* The unknowns are the pixels to be solved for, in rows. Row k of the matrix has the entries starts[k] to
 * starts[k + 1] - 1, in ascending order of their columns. */
struct shw_colorization_system {
    int32_t count, entry_count;
    int32_t *unknown_of; /* of each pixel, -1: none */
    int32_t *starts, *columns;
    double *values;
    double *right; /* side */
};

/* Replaces the right side by the solution. The system has one, and a diagonal that dominates each row. `name` is for
 * messages. Any thread. Errors: UNSUPPORTED (no solver), MEMORY. */
enum shw_result shw_solve(struct shw_colorization_system *system, const char *name, const struct shw_log *log);

#endif
