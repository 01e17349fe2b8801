/* The same distance at every pixel, in the place of a depth. */
#define SHW_CHANNEL_COUNT 2
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    return SHW_INT4(SHW_AS_INT(parameter), 1, 0, 0);
}
