/* Cascades nobody trained, for tests: any kind and shape, from a seed. */
#ifndef SHW_TESTING_CASCADES_H
#define SHW_TESTING_CASCADES_H

#include "testing/testing.h"

/* Zero means what stands at the field. */
struct random_cascade_params {
    uint64_t seed;
    enum shw_cascade_kind kind;           /* PIXELS */
    uint32_t window_width, window_height; /* 12, or of HAAR and LBP 20; SCALED has none */
    uint32_t stages;                      /* 6 */
    uint32_t trees;                       /* of a stage, at most: 3 */
    uint32_t depth;                       /* of trees, at most: 3. The first tree has it */
    bool stumps;                          /* every tree has one test */
    uint32_t features;                    /* of HAAR and LBP: 20 */
    uint32_t pass_percent;                /* of the windows that reach a stage, how many pass it, very roughly: 70 */
    uint32_t fraction_bits;               /* 16 */
    bool restarts;
    struct shw_cascade_planes planes; /* shrink 2, no blur, no octaves */
    uint32_t levels_per_octave;       /* 2 */
    double scale_factor;              /* 1.25 */
    bool has_survivors;               /* a record of survivors that falls by pass_percent */
    int32_t min_score;
    bool has_min_score;
};

/* Fails the test if it is refused. */
struct shw_cascade *random_cascade(const struct random_cascade_params *params);

#endif
