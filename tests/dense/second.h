/* The difference of the luma of two frames, at a pixel and on the average of its neighbours in a row. */
#define SHW_CHANNEL_COUNT    2
#define SHW_CHANNEL_RADIUS   1
#define SHW_CHANNEL_PREVIOUS 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int here = shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, 0, 0).w - shw_input(SHW_CHANNEL SHW_INPUT_PREVIOUS, 0, 0).w;
    shw_int left = shw_input(SHW_CHANNEL SHW_INPUT_PREVIOUS, -1, 0).w;
    shw_int right = shw_input(SHW_CHANNEL SHW_INPUT_PREVIOUS, 1, 0).w;

    return SHW_INT4(here, left - right, 0, 0);
}
