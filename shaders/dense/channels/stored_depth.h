/* The depth in whole millimetres, modulo 2^16, before it is filled. Of all 16 bits, since filling copies what the
 * channel kind `depth` clamps. */
#define SHW_CHANNEL_COUNT 1
#define SHW_CHANNEL_PLANE 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int depth = shw_input(SHW_CHANNEL SHW_INPUT_PLANE, 0, 0).x;

    return SHW_INT4(depth - (depth >> 15) * 65536, 0, 0, 0);
}
