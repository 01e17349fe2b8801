#include "files/depth/fill_colorization.h"

#include <stdlib.h>

#include "base/log.h"
#include "files/depth/colorization_system.h"
#include "files/depth/grey.h"
#include "files/depth/solver.h"

#define TIE 1e-6 /* as near to a half, a value counts as one, so that rounding errors do not show */

bool shw_can_colorize(void)
{
    return shw_has_solver();
}

static uint16_t round_depth(double value)
{
    value += 0.5 + TIE;
    return value >= 65535 ? 65535 : value < 1 ? 1 : (uint16_t)value;
}

static enum shw_result fill(uint16_t *depth, uint32_t width, uint32_t height, const double *grey, double alpha,
                            const char *name, const struct shw_log *log)
{
    struct shw_colorization_system system;
    enum shw_result result = shw_colorization_system_make(grey, depth, width, height, alpha, name, log, &system);

    if (result == SHW_OK)
        result = shw_solve(&system, name, log);
    for (size_t i = 0; result == SHW_OK && i < (size_t)width * height; i++)
        if (system.unknown_of[i] >= 0)
            depth[i] = round_depth(system.right[system.unknown_of[i]]);
    shw_colorization_system_free(&system);
    return result;
}

enum shw_result shw_fill_colorization(uint16_t *depth, uint32_t width, uint32_t height, const struct shw_image *colours,
                                      const struct shw_colorization *how, const char *name, const struct shw_log *log)
{
    size_t pixels = (size_t)width * height, missing = 0;
    enum shw_result result;
    double *grey;

    for (size_t i = 0; i < pixels; i++)
        missing += depth[i] == 0;
    if (missing == pixels || pixels == 1 || (missing == 0 && how->alpha <= 0))
        return SHW_OK;
    SHW_PROPAGATE(shw_make_grey(colours, name, log, &grey));
    result = fill(depth, width, height, grey, how->alpha, name, log);
    free(grey);
    return result;
}
