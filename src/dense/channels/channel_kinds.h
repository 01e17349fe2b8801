/* All channel kinds: the library's and custom ones. */
#ifndef SHW_DENSE_CHANNELS_CHANNEL_KINDS_H
#define SHW_DENSE_CHANNELS_CHANNEL_KINDS_H

#include <shadewood/channel_kind.h>

#define SHW_CHANNEL_WHY_SIZE 384

/* The library's kinds, then those of `kinds`, which may be NULL; NULL for indices past the last. Any thread. */
const struct shw_channel_kind *shw_channel_kind_get(const struct shw_channel_kinds *kinds, uint32_t index);

/* False if a kind is incomplete or two have the same name; `why` gives the reason. */
bool shw_channel_kinds_check(const struct shw_channel_kinds *kinds, char why[SHW_CHANNEL_WHY_SIZE]);

/* As shw_channel_list_parse(). If it returns false, `why` gives the reason but does not mention channels. */
bool shw_channel_list_read(const char *text, const struct shw_channel_kinds *kinds, struct shw_channel_list *list,
                           char why[SHW_CHANNEL_WHY_SIZE]);

/* Whether both have the same entries of the same kinds. */
bool shw_channel_lists_equal(const struct shw_channel_list *a, const struct shw_channel_list *b);

#endif
