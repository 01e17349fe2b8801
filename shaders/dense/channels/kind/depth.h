/* The depth in millimetres, as far as 16 bits with a sign hold it, and whether there is one. */
#define SHW_CHANNEL_COUNT 2
#define SHW_CHANNEL_PLANE 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int depth = shw_min(shw_input(SHW_CHANNEL SHW_INPUT_PLANE, 0, 0).x, 32767);

    return SHW_INT4(depth, shw_min(depth, 1), 0, 0);
}
