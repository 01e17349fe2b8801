/* How the channels of a list are read as those of the mirror image. */
#ifndef SHW_DENSE_FEATURE_MIRROR_H
#define SHW_DENSE_FEATURE_MIRROR_H

#include <shadewood/channels.h>

/* Bit c % 32 of word c / 32 is that of channel c; see shared/mirror.h. */
struct shw_mirror {
    uint32_t turned[SHW_CHANNELS_MAX / 32], negated[SHW_CHANNELS_MAX / 32];
};

static inline struct shw_mirror shw_mirror_of(const struct shw_channel_list *channels)
{
    struct shw_mirror mirror = {{0}, {0}};

    for (uint32_t c = 0; c < channels->channel_count; c++) {
        mirror.turned[c / 32] |= (uint32_t)(channels->channels[c].mirrored != SHW_MIRRORED_FIXED) << c % 32;
        mirror.negated[c / 32] |= (uint32_t)(channels->channels[c].mirrored == SHW_MIRRORED_NEGATED) << c % 32;
    }
    return mirror;
}

#endif
