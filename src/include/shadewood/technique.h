/* Techniques and stages by name. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_TECHNIQUE_H
#define SHADEWOOD_TECHNIQUE_H

#include <stdbool.h>

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All techniques of a stage give the same results, bit for bit. */
enum shw_technique {
    SHW_TECHNIQUE_AUTO = 0, /* the fastest according to a calibration (shadewood/calibrate.h); without one, compute if
                               there is a device other than a CPU, otherwise cpu */
    SHW_TECHNIQUE_CPU = 1,
    SHW_TECHNIQUE_FRAGMENT = 2, /* not for training */
    SHW_TECHNIQUE_COMPUTE = 3,
    SHW_TECHNIQUE_BLEND = 4, /* training only: histograms by scattering points with additive blending */
    SHW_TECHNIQUE_CUSTOM = 5 /* a custom one (shadewood/stage.h); not for training */
};
#define SHW_TECHNIQUE_COUNT 5u /* without CUSTOM */

/* The stages of labelling, in order. */
enum shw_stage { SHW_STAGE_CHANNELS = 0, SHW_STAGE_INTEGRATE = 1, SHW_STAGE_EVALUATE = 2 };
#define SHW_STAGE_COUNT 3u

/* "auto", "cpu", "fragment", "compute", "blend", "custom"; NULL for other values. Any thread. */
SHW_API const char *shw_technique_name(enum shw_technique technique);

/* Whether the technique always needs a device: fragment, compute and blend. Any thread. */
SHW_API bool shw_technique_needs_device(enum shw_technique technique);

/* Whether it works on the host whatever it is given to: cpu. Any thread. */
SHW_API bool shw_technique_is_host(enum shw_technique technique);

/* "channels", "integrate", "evaluate"; NULL for other values. Any thread. */
SHW_API const char *shw_stage_name(enum shw_stage stage);

#ifdef __cplusplus
}
#endif
#endif
