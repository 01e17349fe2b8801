/* All channel kinds: Shadewood's and the caller's. */
#ifndef SHW_CHANNELS_CHANNEL_KINDS_H
#define SHW_CHANNELS_CHANNEL_KINDS_H

#include <shadewood/channel_kind.h>

#define SHW_CHANNEL_WHY_SIZE 384

/* Shadewood's, then those of `kinds`, which may be NULL; NULL past the last. Any thread. */
const struct shw_channel_kind *shw_channel_kind_get(const struct shw_channel_kinds *kinds, uint32_t index);

/* Whether none of all lacks anything and their names differ; if not, says which and why. */
bool shw_channel_kinds_check(const struct shw_channel_kinds *kinds, char why[SHW_CHANNEL_WHY_SIZE]);

/* As shw_channel_list_parse(); if it is false, says why, but not that it is about channels. */
bool shw_channel_list_read(const char *text, const struct shw_channel_kinds *kinds, struct shw_channel_list *list,
                           char why[SHW_CHANNEL_WHY_SIZE]);

/* Whether both have the same entries of the same kinds. */
bool shw_channel_lists_equal(const struct shw_channel_list *a, const struct shw_channel_list *b);

#endif
