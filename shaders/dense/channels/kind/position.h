/* The position of the pixel in the whole image. */
#define SHW_CHANNEL_COUNT 2
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_uint x = shw_position(shw_pixel(SHW_CHANNEL 0u), shw_extent(SHW_CHANNEL 0u));
    shw_uint y = shw_position(shw_pixel(SHW_CHANNEL 1u), shw_extent(SHW_CHANNEL 1u));

    return SHW_INT4(SHW_AS_INT(x), SHW_AS_INT(y), 0, 0);
}
