/* Reads the previous frame without saying so. */
#define SHW_CHANNEL_COUNT 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    return shw_input(SHW_CHANNEL SHW_INPUT_PREVIOUS, 0, 0);
}
