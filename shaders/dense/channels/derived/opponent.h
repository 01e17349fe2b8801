/* Red against green, and both against blue. */
#define SHW_DERIVED_COUNT  2
#define SHW_DERIVED_PASSES 1
#include "dense/channels/derived.h"

SHW_INLINE shw_int4 shw_derived_values(SHW_DERIVED_PARAMETER shw_uint parameter, shw_uint pass)
{
    shw_int red = shw_filtered(SHW_DERIVED 0u, 0, 0), green = shw_filtered(SHW_DERIVED 1u, 0, 0);
    shw_int blue = shw_filtered(SHW_DERIVED 2u, 0, 0);

    SHW_UNUSED(parameter);
    SHW_UNUSED(pass);
    return SHW_INT4(red - green, shw_round_shift(red + green - 2 * blue, 1u), 0, 0);
}
