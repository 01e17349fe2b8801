#include <math.h>
#include <stdlib.h>

#include <shadewood/records.h>

#include "base/log.h"
#include "records/model/record_forest.h"

/* Whether an output by itself becomes the probability of the second of two classes. */
static bool gives_both(const struct shw_record_forest_info *info)
{
    return info->class_count > info->output_count && shw_record_link_get_traits(info->link)->is_probability;
}

uint32_t shw_record_forest_get_prediction_count(const struct shw_record_forest *forest)
{
    if (forest == NULL)
        return 0;

    return gives_both(&forest->info) ? 2 : forest->info.output_count;
}

/* The inverse of the normal distribution function, by Newton's method on the logarithm of the smaller tail, which is
 * concave there: from a start outside it converges from one side. */
static double normal_quantile(double p)
{
    double tail = p < 0.5 ? p : 1 - p, x;

    if (!(p >= 0 && p <= 1))
        return NAN;
    if (tail == 0)
        return p == 0 ? -INFINITY : INFINITY;
    x = -sqrt(-2 * log(2 * tail)); /* at most the quantile, since tails are below exp(-x^2 / 2) / 2 */
    for (int i = 0; i < 64; i++) {
        double below = 0.5 * erfc(-x * M_SQRT1_2), density = exp(-0.5 * x * x) / sqrt(2 * M_PI);
        double step = below / density * log(tail / below);
        x += step;
        if (fabs(step) <= 1e-15 * fabs(x))
            break;
    }
    return p < 0.5 ? x : -x;
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double link_one(const struct shw_record_forest_info *info, double x)
{
    switch (info->link) {
    case SHW_RECORD_LOGISTIC: return 1 / (1 + exp(-info->link_scale * x));
    case SHW_RECORD_EXP: return exp(x);
    case SHW_RECORD_PROBIT: return normal_quantile(x);
    case SHW_RECORD_SOFTPLUS: return softplus(x);
    case SHW_RECORD_SIGNED_SQUARE: return x * fabs(x);
    case SHW_RECORD_IDENTITY:
    case SHW_RECORD_SOFTMAX:
    case SHW_RECORD_SOFTMAX_ZERO: break;
    }
    return x;
}

/* With `skips_zero`, outputs that are zero stay zero and do not count. */
static void softmax(double *x, uint32_t count, bool skips_zero)
{
    double greatest = -INFINITY, sum = 0;

    for (uint32_t o = 0; o < count; o++)
        greatest = fmax(greatest, x[o]);
    for (uint32_t o = 0; o < count; o++) {
        x[o] = skips_zero && x[o] == 0 ? 0 : exp(x[o] - greatest);
        sum += x[o];
    }
    for (uint32_t o = 0; o < count && sum > 0; o++)
        x[o] /= sum;
}

static void predict_record(const struct shw_record_forest_info *info, const int64_t *sums, double *x, float *to)
{
    double divisor = info->mean ? info->tree_count : 1;

    for (uint32_t o = 0; o < info->output_count; o++)
        x[o] = ldexp((double)sums[o], -info->fraction_bits) / divisor;
    if (shw_record_link_get_traits(info->link)->sums_to_one)
        softmax(x, info->output_count, info->link == SHW_RECORD_SOFTMAX_ZERO);
    else
        for (uint32_t o = 0; o < info->output_count; o++)
            x[o] = link_one(info, x[o]);
    if (gives_both(info)) {
        to[0] = (float)(1 - x[0]);
        to[1] = (float)x[0];
        return;
    }
    for (uint32_t o = 0; o < info->output_count; o++)
        to[o] = (float)x[o];
}

void shw_record_forest_predict(const struct shw_record_forest *forest, uint64_t count, const int64_t *sums,
                               float *predictions)
{
    uint32_t stride = shw_record_forest_get_prediction_count(forest);
    double x[SHW_RECORD_OUTPUTS_MAX];

    if (forest == NULL || sums == NULL || predictions == NULL)
        return;

    for (uint64_t r = 0; r < count; r++)
        predict_record(&forest->info, sums + r * forest->info.output_count, x, predictions + r * stride);
}
