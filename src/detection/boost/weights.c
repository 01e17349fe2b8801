#include "base/integers.h"
#include "detection/boost/fixed.h"
#include "detection/boost/tree.h"

#define CLASS_WEIGHT ((1u << 23) - 1) /* of each class, so that both together are at most SHW_BOOST_WEIGHT_MAX */

#define SMOOTHING (1u << 12) /* added to the weights of a leaf, in units of theirs */

void shw_boosting_weigh(const int32_t *scores, const bool *left_out, uint32_t count, bool objects, uint32_t *weights)
{
    int64_t hardest = INT64_MIN;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!left_out[i] && (objects ? -(int64_t)scores[i] : scores[i]) > hardest)
            hardest = objects ? -(int64_t)scores[i] : scores[i];
    for (uint32_t i = 0; i < count; i++) {
        int64_t below = hardest - (objects ? -(int64_t)scores[i] : scores[i]);
        weights[i] = left_out[i] ? 0 : shw_boost_exp((uint32_t)shw_clamp_i64(below, 0, UINT32_MAX));
        sum += weights[i];
    }
    for (uint32_t i = 0; i < count && sum > 0; i++)
        weights[i] = (uint32_t)((uint64_t)weights[i] * CLASS_WEIGHT / sum);
}

/* Of Real AdaBoost the normalisation factor (Schapire and Singer 1999, Eq. 12), of Gentle AdaBoost the weighted squared
 * error, both as a multiple of what matters. */
uint64_t shw_boosting_loss(enum shw_boosting boosting, uint32_t object, uint32_t background)
{
    uint64_t product = (uint64_t)object * background, sum = (uint64_t)object + background;

    if (boosting == SHW_BOOSTING_REAL)
        return shw_boost_root(product << 14);
    return sum > 0 ? (product << 14) / sum : 0;
}

int32_t shw_boosting_value(enum shw_boosting boosting, uint32_t object, uint32_t background)
{
    int64_t more = (int64_t)object - background, sum = (int64_t)object + background + 2 * SMOOTHING;

    if (boosting == SHW_BOOSTING_REAL)
        return shw_boost_half_log((uint64_t)object + SMOOTHING, (uint64_t)background + SMOOTHING);
    return (int32_t)(more * (INT64_C(1) << SHW_BOOSTED_FRACTION_BITS) / sum);
}
