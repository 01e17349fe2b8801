/* The eigenvalues of the Hessian matrix, the greater first. */
#define SHW_DERIVED_COUNT  2
#define SHW_DERIVED_PASSES 1
#include "dense/channels/derived.h"
#include "shared/root.h"

/* From the product of two first derivatives to the scale of second ones; 16 fraction bits (docs/channels.md). */
SHW_INLINE shw_int shw_mixed_weight(shw_uint sigma)
{
    if (sigma == 1u)
        return 8453;
    if (sigma == 2u)
        return 9425;
    return sigma == 4u ? 9525 : 9483;
}

SHW_INLINE shw_int4 shw_derived_values(SHW_DERIVED_PARAMETER shw_uint parameter, shw_uint pass)
{
    shw_int xx = shw_filtered(SHW_DERIVED 0u, 0, 0), yy = shw_filtered(SHW_DERIVED 1u, 0, 0);
    shw_int xy = shw_round_shift(shw_mixed_weight(parameter) * shw_filtered(SHW_DERIVED 2u, 0, 0), 16u);
    shw_int across = xx - yy, sum = 2 * (xx + yy);
    shw_int root = SHW_AS_INT(shw_root(SHW_AS_UINT(4 * (across * across) + 16 * (xy * xy))));

    SHW_UNUSED(pass);
    return SHW_INT4(shw_round_shift(sum + root, 2u), shw_round_shift(sum - root, 2u), 0, 0);
}
