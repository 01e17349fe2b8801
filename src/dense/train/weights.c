#include "dense/train/weights.h"

#include <stddef.h>

#include "dense/train/score.h"

const char *const shw_weighting_names[] = {"none", "inverse-root", "inverse", NULL};

void shw_weights_scale(const double *relative, const uint64_t *counts, uint32_t classes, uint32_t *weights)
{
    double unit = 256;
    uint64_t mass;

    do {
        mass = 0;
        for (uint32_t c = 0; c < classes; c++) {
            double weight = relative != NULL ? relative[c] * unit + 0.5 : 1;
            uint64_t of_class;
            weights[c] = weight < 1 ? 1 : weight > (double)UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
            of_class = counts[c] * weights[c];
            mass += of_class < SHW_MASS_MAX ? of_class : SHW_MASS_MAX;
        }
        unit /= 2;
    } while (mass >= SHW_MASS_MAX);
}
