/* Ranks of attributes of records, in 16 bits without a sign, as a channel; 0 does not occur (docs/record-training.md).
 */
#define SHW_CHANNEL_COUNT 1
#define SHW_CHANNEL_PLANE 1
#include "dense/channels/channel.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int stored = shw_max(shw_input(SHW_CHANNEL SHW_INPUT_PLANE, 0, 0).x, 1);

    return SHW_INT4(stored - 32768, 0, 0, 0);
}
