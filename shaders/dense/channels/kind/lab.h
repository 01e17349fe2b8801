/* CIE L*, a*, b*. */
#define SHW_CHANNEL_COUNT 3
#define SHW_CHANNEL_TABLE 1
#include "dense/channels/channel.h"

#define SHW_LAB_PARAMETER SHW_CHANNEL_PARAMETER
#define SHW_LAB_ARGUMENT  SHW_CHANNEL
#define shw_lab_table     shw_table
#include "shared/lab.h"

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int4 rgb = shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, 0, 0);
    SHW_LAB_COLOUR colour = shw_lab(SHW_CHANNEL SHW_AS_UINT(rgb.x), SHW_AS_UINT(rgb.y), SHW_AS_UINT(rgb.z));

    return SHW_INT4(colour.l, colour.a, colour.b, 0);
}
