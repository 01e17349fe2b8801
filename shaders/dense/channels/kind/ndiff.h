/* The difference of two planes, divided by their sum: 4080 times it, rounded, halves away from 0; 0 if both are. */
#define SHW_CHANNEL_COUNT   1
#define SHW_CHANNEL_SAMPLES 2
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int first = shw_input(SHW_CHANNEL SHW_INPUT_FIRST, 0, 0).x;
    shw_int second = shw_input(SHW_CHANNEL SHW_INPUT_SECOND, 0, 0).x;
    shw_int difference = first - second;
    shw_uint sum = SHW_AS_UINT(shw_max(first + second, 1));
    shw_uint magnitude = SHW_AS_UINT(shw_max(difference, -difference));
    shw_int quotient = SHW_AS_INT((8160u * magnitude + sum) / (2u * sum));

    return SHW_INT4(difference < 0 ? -quotient : quotient, 0, 0, 0);
}
