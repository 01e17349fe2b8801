/* All channel kinds: Shadewood's and those that were registered. */
#ifndef SHW_CHANNELS_CHANNEL_KINDS_H
#define SHW_CHANNELS_CHANNEL_KINDS_H

#include <shadewood/channel_kind.h>

#define SHW_CHANNEL_WHY_SIZE 384

/* NULL past the last. Any thread. */
const struct shw_channel_kind *shw_channel_kind_get(uint32_t index);

/* Whether nothing is missing; if not, says what. */
bool shw_channel_kind_check(const struct shw_channel_kind *kind, char why[SHW_CHANNEL_WHY_SIZE]);

/* As shw_channel_list_parse(); if it is false, says why, but not that it is about channels. */
bool shw_channel_list_read(const char *text, struct shw_channel_list *list, char why[SHW_CHANNEL_WHY_SIZE]);

#endif
