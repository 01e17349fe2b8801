/* A tile that is smoothed on the CPU (smooth_cpu.c), and its loops (smooth_loops.h), which are compiled for several
 * instruction sets. */
#ifndef SHW_DENSE_SMOOTH_SMOOTH_TILE_H
#define SHW_DENSE_SMOOTH_SMOOTH_TILE_H

#include "dense/smooth/smooth.h"
#include "shared/smooth.h"

#define SHW_FACTOR_ROWS  18u /* the numbers of struct shw_guide_factors */
#define SHW_DIVISOR_ROWS 3u  /* of struct shw_divisor */
#define SHW_MODEL_ROWS   4u  /* of struct shw_smooth_model */
#define SHW_SHARE_ROWS   4u  /* of struct shw_share_sums */
#define SHW_GUIDE_ROWS   9u  /* of struct shw_guide_sums */

/* Memory of a thread. Structs lie as rows, each with one of their numbers. */
struct shw_smooth_scratch {
    int16_t *base;      /* four rows of the image */
    uint32_t *line;     /* two rows of pixels, added up to cells */
    uint32_t *columns;  /* sums over the columns of windows */
    uint32_t *before;   /* sums over the columns before one */
    int32_t *sums;      /* sums over a row of windows */
    int32_t *models;    /* of one class: SHW_MODEL_ROWS for each row of `models` */
    int32_t *divisors;  /* of a row of `means` */
    int32_t *between;   /* models between two rows of `means` */
    uint32_t *colours;  /* three rows of pixels and those near: sums of base values of columns */
    int32_t *near;      /* a row of pixels: one colour of the guide */
    int32_t *guide;     /* three rows of pixels */
    uint16_t *values;   /* a row of pixels per class */
    uint32_t *totals;   /* a row of pixels: sums of values, later what is missing to 65535 */
    double *scales;     /* a row of pixels: what values are multiplied by */
    uint16_t *most;     /* a row of pixels: the largest value */
    uint16_t *labels;   /* a row of pixels: its class */
    uint16_t *given;    /* a row of pixels: 0 if void */
    uint16_t *shares;   /* a row of pixels of one class */
    uint16_t *in_order; /* a row of pixels, from left to right */
};

/* The pixels of a row, by place between the centres of cells: those at the same place of all cells are a run, and runs
 * follow each other. So pixel i of run p is at x = x0 + i 2^bits + p. */
struct shw_smooth_runs {
    int32_t first; /* the cell of the pixels i = 0; -1: left of the first centre */
    uint32_t length, count;
    int32_t x0;
};

/* Everything about one tile. Of the three rectangles of cells, each has those within a window of the next one. */
struct shw_smooth_work {
    const struct shw_smooth_tile *of;
    struct shw_smooth_rect cells, models, means;
    struct shw_smooth_runs runs;
    uint32_t full_columns, full_rows;   /* cells of the image */
    int16_t *guide;                     /* three planes of `cells` */
    uint16_t *shares;                   /* a plane of `cells` per class */
    int32_t *factors;                   /* SHW_FACTOR_ROWS for each row of `models` */
    int32_t *mean;                      /* SHW_MODEL_ROWS for each row of `means` of each class */
    struct shw_divisor *divisors;       /* by the number of a window's cells */
    struct shw_smooth_scratch *scratch; /* per thread */
};

/* Loops, for shw_thread_pool_run() with the work: over rows of `cells`, the same of all classes, rows of `models`,
 * classes, and rows of the result. */
struct shw_smooth_loops {
    void (*guide)(void *work, uint32_t row, uint32_t thread);
    void (*shares)(void *work, uint32_t row, uint32_t thread);
    void (*factors)(void *work, uint32_t row, uint32_t thread);
    void (*models)(void *work, uint32_t class, uint32_t thread);
    void (*pixels)(void *work, uint32_t row, uint32_t thread);
};

extern const struct shw_smooth_loops shw_smooth_loops, shw_smooth_loops_avx2;

#endif
