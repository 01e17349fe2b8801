/* The techniques of the stage `channels`. */
#ifndef SHW_DENSE_CHANNELS_CHANNELS_TECHNIQUES_H
#define SHW_DENSE_CHANNELS_CHANNELS_TECHNIQUES_H

#include <shadewood/stage.h>

extern const struct shw_stage_technique shw_channels_cpu_technique, shw_channels_fragment_technique,
    shw_channels_compute_technique;

#endif
