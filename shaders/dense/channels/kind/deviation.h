/* The standard deviation of luma in a square of side 2 radius + 1. */
#define SHW_CHANNEL_COUNT  1
#define SHW_CHANNEL_RADIUS 8
#define SHW_CHANNEL_GREY   1
#include "dense/channels/channel.h"
#include "shared/root.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int radius = SHW_AS_INT(parameter);
    shw_uint count = (2u * parameter + 1u) * (2u * parameter + 1u), sum = 0u, squares = 0u;

    for (shw_int v = -radius; v <= radius; v++)
        for (shw_int u = -radius; u <= radius; u++) {
            shw_uint luma = SHW_AS_UINT(shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, u, v).w);
            sum += luma;
            squares += luma * luma;
        }
    /* Squares of distances to the mean, rounded down, are summed modulo 2^32, which their sum does not reach. */
    shw_uint mean = sum / count, rest = sum % count;
    squares = squares - 2u * mean * sum + count * mean * mean - (rest * rest + count - 1u) / count;
    return SHW_INT4(SHW_AS_INT(shw_root(squares / count)), 0, 0, 0);
}
