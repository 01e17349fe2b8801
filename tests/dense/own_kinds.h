/* Channel kinds from outside the library, which read the previous frame and a plane. */
#ifndef SHW_INPUT_OWN_KINDS_H
#define SHW_INPUT_OWN_KINDS_H

#include <shadewood/channel_kind.h>

extern const struct shw_channel_code shw_channel_code_second, shw_channel_code_stored;

extern const struct shw_channel_kind own_before, own_heat;
extern const struct shw_channel_info own_heat_channels[4];
extern const struct shw_channel_kinds own_kinds; /* both */

/* own_heat's channels of the depth. */
extern const struct shw_channel_kind own_deep;
extern const struct shw_channel_kinds own_deep_kinds;

/* The plane that own_heat reads. */
#define OWN_PLANE    "infrared"
#define OWN_CHANNELS "rgb,before,heat"

#endif
