/* A channel kind: the brightness of the pixel `parameter` to the right minus that of the pixel as far to the left, and
 * the magnitude of the difference. */
#define SHW_CHANNEL_COUNT  2
#define SHW_CHANNEL_RADIUS 4
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int distance = SHW_AS_INT(parameter);
    shw_int difference = shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, distance, 0).w -
                         shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, -distance, 0).w;

    return SHW_INT4(difference, shw_max(difference, -difference), 0, 0);
}
