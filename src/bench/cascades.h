/* Generated cascades: random tests, and thresholds of stages that make a given share of an image's windows survive. */
#ifndef SHW_BENCH_CASCADES_H
#define SHW_BENCH_CASCADES_H

#include <shadewood/detect.h>

#include "bench/bench.h"

/* After `stages` stages, `share` of the windows are left; in between the share falls with a power of the number of
 * stages. The first is {0, 1}. */
struct shw_bench_survival {
    uint32_t stages;
    double share;
};

struct shw_bench_cascade_params {
    uint32_t stages; /* with one tree each */
    uint32_t depth;  /* of complete trees */
    uint32_t window; /* width and height of windows */
    struct shw_cascade_planes planes;
    uint32_t levels_per_octave;
    const struct shw_bench_survival *curve; /* ends with that of all stages */
    uint32_t curve_count;
};

/* A cascade of the kind pixels whose windows, on all levels of the image, survive as the curve says; the record of
 * survivors is set. Errors: MEMORY, LIMIT, ARGUMENT. */
enum shw_result shw_bench_cascade(struct shw_bench *bench, const struct shw_bench_cascade_params *params,
                                  const struct shw_image *image, struct shw_cascade **cascade);

#endif
