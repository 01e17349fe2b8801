/* Ways to do a stage. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_TECHNIQUE_H
#define SHADEWOOD_TECHNIQUE_H

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All techniques of a stage give the same bits. */
enum shw_technique {
    SHW_TECHNIQUE_AUTO = 0, /* the fastest known: compute if there is a device, else cpu */
    SHW_TECHNIQUE_CPU = 1,
    SHW_TECHNIQUE_FRAGMENT = 2, /* not for training */
    SHW_TECHNIQUE_COMPUTE = 3,
    SHW_TECHNIQUE_BLEND = 4 /* training only: histograms by scattered points and additive blending */
};

/* "auto", "cpu", "fragment", "compute", "blend"; NULL for other values. Any thread. */
SHW_API const char *shw_technique_name(enum shw_technique technique);

#ifdef __cplusplus
}
#endif
#endif
