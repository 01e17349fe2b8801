/* The difference of luma to the previous frame, and its magnitude. */
#define SHW_CHANNEL_COUNT    2
#define SHW_CHANNEL_PREVIOUS 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int change =
        shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, 0, 0).w - shw_input(SHW_CHANNEL SHW_INPUT_PREVIOUS, 0, 0).w;

    return SHW_INT4(change, shw_max(change, -change), 0, 0);
}
