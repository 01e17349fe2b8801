/* A plane's value as two bytes, a quarter of the difference of its neighbours in a row, and the colour's luma. */
#define SHW_CHANNEL_COUNT  4
#define SHW_CHANNEL_RADIUS 1
#define SHW_CHANNEL_PLANE  1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int value = shw_input(SHW_CHANNEL SHW_INPUT_PLANE, 0, 0).x;
    shw_int left = shw_input(SHW_CHANNEL SHW_INPUT_PLANE, -1, 0).x;
    shw_int right = shw_input(SHW_CHANNEL SHW_INPUT_PLANE, 1, 0).x;

    return SHW_INT4(value >> 8, value & 255, shw_round_shift(left - right, 2u),
                    shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, 0, 0).w);
}
