#include "dense/split/score.h"

#include <stddef.h>

#include "shared/score.h"

#define CACHE_BITS 12u

/* A direct-mapped cache per thread: the weighted counts of a node are few and recur often. */
struct cached {
    uint32_t n; /* 0: empty, and its value is right */
    uint64_t value;
};

uint64_t shw_score_times_log2(uint32_t n)
{
    static _Thread_local struct cached cache[1u << CACHE_BITS];
    struct cached *entry = &cache[n * 0x9e3779b1u >> (32 - CACHE_BITS)];

    if (entry->n != n) {
        struct shw_uint2 product = shw_times_log2(n);
        entry->n = n;
        entry->value = (uint64_t)product.x << 32 | product.y;
    }
    return entry->value;
}

struct shw_score_value shw_score_of_words(enum shw_score score, const uint32_t words[5])
{
    unsigned __int128 numerator = (unsigned __int128)words[2] << 64 | (uint64_t)words[1] << 32 | words[0];
    uint64_t denominator = (uint64_t)words[4] << 32 | words[3], whole = (uint64_t)(numerator / denominator);

    if (score == SHW_SCORE_INFORMATION_GAIN)
        whole ^= (uint64_t)1 << 63; /* keeps the order when compared as unsigned numbers */
    return (struct shw_score_value){(int64_t)whole, (uint64_t)(numerator % denominator), denominator};
}

int shw_score_compare(const struct shw_score_value *a, const struct shw_score_value *b)
{
    unsigned __int128 left, right;

    if (a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    left = (unsigned __int128)a->numerator * b->denominator;
    right = (unsigned __int128)b->numerator * a->denominator;
    return left < right ? -1 : left > right;
}

int64_t shw_score_weigh(enum shw_score score, uint64_t mass, const struct shw_score_value *value)
{
    bool is_quotient = score == SHW_SCORE_NORMALISED_GAIN || score == SHW_SCORE_GAIN_RATIO;
    uint64_t factor = (is_quotient ? mass : 1) << SHW_LOG2_FRACTION_BITS;

    if (score == SHW_SCORE_INFORMATION_GAIN) /* has that unit */
        return value->whole;
    return value->whole * (int64_t)factor +
           (int64_t)((unsigned __int128)value->numerator * factor / value->denominator);
}

struct shw_score_side shw_score_side_of(enum shw_score score, const uint32_t *counts, uint32_t classes)
{
    struct shw_score_side side = {0};

    for (uint32_t c = 0; c < classes; c++) {
        side.mass += counts[c];
        switch (score) {
        case SHW_SCORE_INFORMATION_GAIN:
        case SHW_SCORE_NORMALISED_GAIN:
        case SHW_SCORE_GAIN_RATIO: side.measure += shw_score_times_log2(counts[c]); break;
        case SHW_SCORE_GINI: side.measure += (uint64_t)counts[c] * counts[c]; break;
        case SHW_SCORE_MISCLASSIFICATION:
            if (counts[c] > side.measure)
                side.measure = counts[c];
            break;
        }
    }
    return side;
}

/* measure / mass of both sides: the whole parts, and the sum of the remainders over the product of the masses. */
static struct shw_score_value gini(const struct shw_score_side *left, const struct shw_score_side *right)
{
    uint64_t left_mass = left->mass > 0 ? left->mass : 1, right_mass = right->mass > 0 ? right->mass : 1;
    uint64_t left_whole = left->measure / left_mass, right_whole = right->measure / right_mass;
    struct shw_score_value value = {.whole = (int64_t)(left_whole + right_whole),
                                    .denominator = left_mass * right_mass};

    value.numerator =
        (left->measure - left_whole * left_mass) * right_mass + (right->measure - right_whole * right_mass) * left_mass;
    if (value.numerator >= value.denominator) {
        value.numerator -= value.denominator;
        value.whole++;
    }
    return value;
}

/* Gain ratio: gain / entropy of the split; normalised gain: 2 gain / (that + entropy of the classes). */
static struct shw_score_value gain_quotient(enum shw_score score, const struct shw_score_side *all,
                                            const struct shw_score_side *left, const struct shw_score_side *right)
{
    struct shw_score_value value = {.denominator = 1};
    int64_t apart = (int64_t)(shw_score_times_log2((uint32_t)left->mass) + shw_score_times_log2((uint32_t)right->mass));
    int64_t together = (int64_t)shw_score_times_log2((uint32_t)all->mass), classes = together - (int64_t)all->measure;
    int64_t gain = classes + (int64_t)(left->measure + right->measure) - apart, entropy = together - apart;

    if (gain <= 2 * (int64_t)all->mass)
        return value;
    if (score == SHW_SCORE_NORMALISED_GAIN) {
        gain *= 2;
        entropy += classes;
    }
    if (gain >= entropy) {
        value.whole = 1;
    } else {
        value.numerator = (uint64_t)gain;
        value.denominator = (uint64_t)entropy;
    }
    return value;
}

struct shw_score_value shw_score_of(enum shw_score score, const struct shw_score_side *all,
                                    const struct shw_score_side *left, const struct shw_score_side *right)
{
    struct shw_score_value value = {.denominator = 1};

    switch (score) {
    case SHW_SCORE_INFORMATION_GAIN:
        value.whole =
            (int64_t)(left->measure + right->measure) -
            (int64_t)(shw_score_times_log2((uint32_t)left->mass) + shw_score_times_log2((uint32_t)right->mass));
        break;
    case SHW_SCORE_GINI: value = gini(left, right); break;
    case SHW_SCORE_MISCLASSIFICATION: value.whole = (int64_t)(left->measure + right->measure); break;
    case SHW_SCORE_NORMALISED_GAIN:
    case SHW_SCORE_GAIN_RATIO: value = gain_quotient(score, all, left, right); break;
    }
    return value;
}

/* Weights of classes. */

void shw_weights_scale(const double *relative, const uint64_t *counts, uint32_t classes, uint32_t *weights)
{
    double unit = 256;
    uint64_t mass;

    do {
        mass = 0;
        for (uint32_t c = 0; c < classes; c++) {
            double weight = relative != NULL ? relative[c] * unit + 0.5 : 1;
            uint64_t of_class;
            weights[c] = weight < 1 ? 1 : weight > (double)UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
            of_class = counts[c] * weights[c];
            mass += of_class < SHW_MASS_MAX ? of_class : SHW_MASS_MAX;
        }
        unit /= 2;
    } while (mass >= SHW_MASS_MAX);
}
