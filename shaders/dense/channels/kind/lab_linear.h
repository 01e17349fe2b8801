/* CIE L*, a*, b* of colours whose values are taken as linear light, as CURFIL does. */
#define SHW_CHANNEL_COUNT 3
#define SHW_CHANNEL_TABLE 1
#include "dense/channels/channel.h"

#define SHW_LAB_PARAMETER SHW_CHANNEL_PARAMETER
#define SHW_LAB_ARGUMENT  SHW_CHANNEL
#define shw_lab_table     shw_table
#include "shared/lab.h"

/* 17 fraction bits of a base value, which is at most 4080. */
SHW_INLINE shw_uint shw_linear_light(shw_int value)
{
    return ((SHW_AS_UINT(value) << 17u) + 2040u) / 4080u;
}

SHW_INLINE shw_int4 shw_channel_values(SHW_CHANNEL_PARAMETER shw_uint parameter)
{
    shw_int4 rgb = shw_input(SHW_CHANNEL SHW_INPUT_COLOUR, 0, 0);
    SHW_LAB_COLOUR colour =
        shw_lab_of_light(SHW_CHANNEL shw_linear_light(rgb.x), shw_linear_light(rgb.y), shw_linear_light(rgb.z));

    return SHW_INT4(colour.l, colour.a, colour.b, 0);
}
