/* How the channels of a list are read as those of the mirror image. */
#ifndef SHW_DENSE_FEATURE_MIRROR_H
#define SHW_DENSE_FEATURE_MIRROR_H

#include <shadewood/channel_kind.h>

/* Bit c % 32 of word c / 32 is that of channel c; see shared/mirror.h. */
struct shw_mirror {
    uint32_t turned[SHW_CHANNELS_MAX / 32], negated[SHW_CHANNELS_MAX / 32];
    uint32_t partners[SHW_CHANNELS_MAX]; /* the channel whose planes are read as those of this one */
    bool exchanges;                      /* whether that is another one for some channel */
};

/* The partner of a channel of a list. */
static inline uint32_t shw_mirror_partner(const struct shw_channel_list *channels, uint32_t channel)
{
    const struct shw_channel_entry *entry = &channels->entries[channels->entry_count - 1];

    while (entry->first > channel)
        entry--;
    return entry->kind->get_partner != NULL ? entry->first + entry->kind->get_partner(channel - entry->first) : channel;
}

static inline struct shw_mirror shw_mirror_of(const struct shw_channel_list *channels)
{
    struct shw_mirror mirror = {.exchanges = false};

    for (uint32_t c = 0; c < channels->channel_count; c++) {
        mirror.turned[c / 32] |= (uint32_t)(channels->channels[c].mirrored != SHW_MIRRORED_FIXED) << c % 32;
        mirror.negated[c / 32] |= (uint32_t)(channels->channels[c].mirrored == SHW_MIRRORED_NEGATED) << c % 32;
        mirror.partners[c] = shw_mirror_partner(channels, c);
        mirror.exchanges = mirror.exchanges || mirror.partners[c] != c;
    }
    return mirror;
}

#endif
