/* The derivatives in x and y of the luma difference to the previous frame, with Sobel kernels. */
#define SHW_CHANNEL_COUNT    2
#define SHW_CHANNEL_RADIUS   1
#define SHW_CHANNEL_PREVIOUS 1
#include "dense/channels/channel.h"

/* The difference at column `x` and row `y` (0 to 2) of the neighbourhood. */
SHW_INLINE shw_int shw_change(SHW_CHANNEL_PARAMETER shw_int x, shw_int y)
{
    return shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, x - 1, y - 1).w -
           shw_input(SHW_CHANNEL SHW_INPUT_PREVIOUS, x - 1, y - 1).w;
}

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int falling = shw_change(SHW_CHANNEL 2, 2) - shw_change(SHW_CHANNEL 0, 0);
    shw_int rising = shw_change(SHW_CHANNEL 2, 0) - shw_change(SHW_CHANNEL 0, 2);
    shw_int across = shw_change(SHW_CHANNEL 2, 1) - shw_change(SHW_CHANNEL 0, 1);
    shw_int down = shw_change(SHW_CHANNEL 1, 2) - shw_change(SHW_CHANNEL 1, 0);

    return SHW_INT4(shw_round_shift(falling + rising + 2 * across, 2u),
                    shw_round_shift(falling - rising + 2 * down, 2u), 0, 0);
}
