/* The gradient, shared among six orientations 30 degrees apart. */
#define SHW_DERIVED_COUNT  6
#define SHW_DERIVED_PASSES 2
#include "dense/channels/derived.h"

/* 32768 cos(30 index degrees), index -6 to 6: the component in x of a direction. That in y is that of index - 3. */
SHW_INLINE shw_int shw_cosine(shw_int index)
{
    shw_int turned = shw_max(index, -index), distance = shw_min(turned, 6 - turned);
    shw_int cosine = distance == 0 ? 32768 : distance == 1 ? 28378 : distance == 2 ? 16384 : 0;

    return turned > 3 ? -cosine : cosine;
}

/* The share of an orientation: that of a gradient between two of them is its component along either, in the
 * coordinates that both make. */
SHW_INLINE shw_int shw_share(shw_int dx, shw_int dy, shw_int index)
{
    shw_int before = shw_cosine(index - 1) * dy - shw_cosine(index - 4) * dx;
    shw_int after = shw_cosine(index - 2) * dx - shw_cosine(index + 1) * dy;

    return shw_round_shift(shw_max(shw_max(shw_min(before, after), -shw_max(before, after)), 0), 14u);
}

SHW_INLINE shw_int4 shw_derived_values(SHW_DERIVED_PARAMETER shw_uint parameter, shw_uint pass)
{
    shw_int dx = shw_filtered(SHW_DERIVED 0u, 0, 0), dy = shw_filtered(SHW_DERIVED 1u, 0, 0);
    shw_int first = 3 * SHW_AS_INT(pass);

    SHW_UNUSED(parameter);
    return SHW_INT4(shw_share(dx, dy, first), shw_share(dx, dy, first + 1), shw_share(dx, dy, first + 2), 0);
}
