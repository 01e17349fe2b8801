/* The square roots of the eigenvalues of the structure tensor, the greater first. */
#define SHW_DERIVED_COUNT  2
#define SHW_DERIVED_PASSES 1
#include "dense/channels/derived.h"
#include "shared/root.h"

SHW_INLINE shw_int shw_window_weight(shw_int distance)
{
    if (distance == 0)
        return 26;
    return distance * distance == 1 ? 16 : 3;
}

SHW_INLINE shw_int4 shw_derived_values(SHW_DERIVED_PARAMETER shw_uint parameter, shw_uint pass)
{
    shw_int step = shw_max(SHW_AS_INT(parameter >> 1u), 1), xx = 0, yy = 0, xy = 0;

    for (shw_int v = -2; v <= 2; v++) {
        shw_int row_xx = 0, row_yy = 0, row_xy = 0;
        for (shw_int u = -2; u <= 2; u++) {
            shw_int dx = shw_filtered(SHW_DERIVED 0u, u * step, v * step);
            shw_int dy = shw_filtered(SHW_DERIVED 1u, u * step, v * step);
            row_xx += shw_window_weight(u) * shw_round_shift(dx * dx, 4u);
            row_yy += shw_window_weight(u) * shw_round_shift(dy * dy, 4u);
            row_xy += shw_window_weight(u) * shw_round_shift(dx * dy, 4u);
        }
        xx += shw_window_weight(v) * shw_round_shift(row_xx, 3u);
        yy += shw_window_weight(v) * shw_round_shift(row_yy, 3u);
        xy += shw_window_weight(v) * shw_round_shift(row_xy, 3u);
    }
    xx = shw_round_shift(xx, 5u);
    yy = shw_round_shift(yy, 5u);
    xy = 2 * shw_round_shift(xy, 5u);

    shw_int across = xx - yy, sum = xx + yy;
    shw_int root = SHW_AS_INT(shw_hypotenuse(SHW_AS_UINT(shw_max(across, -across)), SHW_AS_UINT(shw_max(xy, -xy))));

    SHW_UNUSED(pass);
    return SHW_INT4(SHW_AS_INT(shw_root(SHW_AS_UINT(sum + root) >> 1u)),
                    SHW_AS_INT(shw_root(SHW_AS_UINT(shw_max(sum - root, 0)) >> 1u)), 0, 0);
}
