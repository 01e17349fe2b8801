/* Three classes of the level below, whose shares are the R, G and B of an input of their own. */
#define SHW_CHANNEL_COUNT    3
#define SHW_CHANNEL_PREVIOUS 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    return shw_input(SHW_CHANNEL SHW_INPUT_PREVIOUS, 0, 0);
}
