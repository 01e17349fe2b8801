/* A plane that a list names, as a base value. */
#define SHW_CHANNEL_COUNT   1
#define SHW_CHANNEL_SAMPLES 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int place = shw_input(SHW_CHANNEL SHW_INPUT_FIRST, 0, 0).x;

    return SHW_INT4(SHW_AS_INT(shw_base_from_16(SHW_AS_UINT(place))), 0, 0, 0);
}
