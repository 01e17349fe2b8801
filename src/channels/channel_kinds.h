/* All channel kinds: the library's and registered ones. */
#ifndef SHW_CHANNELS_CHANNEL_KINDS_H
#define SHW_CHANNELS_CHANNEL_KINDS_H

#include <shadewood/channel_kind.h>

#define SHW_CHANNEL_WHY_SIZE 384

/* NULL for indices past the last. Any thread. */
const struct shw_channel_kind *shw_channel_kind_get(uint32_t index);

/* False if the kind is incomplete; `why` says what is missing. */
bool shw_channel_kind_check(const struct shw_channel_kind *kind, char why[SHW_CHANNEL_WHY_SIZE]);

/* As shw_channel_list_parse(). If it returns false, `why` gives the reason but does not mention channels. */
bool shw_channel_list_read(const char *text, struct shw_channel_list *list, char why[SHW_CHANNEL_WHY_SIZE]);

#endif
