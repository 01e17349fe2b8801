/* Scores in 32-bit words against the host's, which use wide integers. */
#include "testing/testing.h"

#include "dense/split/score.h"
#include "shared/fraction.h"

#define CLASSES 5u

struct partition {
    struct shw_score_side sides[2], all;
    struct shw_uint2 words[2];
};

/* Counts of which many are zero or equal, and some as large as the mass of a tree allows. */
static struct partition random_partition(struct testing_random *random, enum shw_score score)
{
    struct partition partition = {0};
    uint32_t counts[2][CLASSES], both[CLASSES] = {0}, limit = testing_random_below(random, 2) ? 4u : 200000000u;

    for (int s = 0; s < 2; s++) {
        for (uint32_t c = 0; c < CLASSES; c++) {
            counts[s][c] = testing_random_below(random, 3) == 0 ? 0 : testing_random_below(random, limit);
            both[c] += counts[s][c];
            partition.words[s] = shw_measure_add((uint32_t)score, partition.words[s], counts[s][c]);
        }
        partition.sides[s] = shw_score_side_of(score, counts[s], CLASSES);
        assert_true(partition.sides[s].measure == ((uint64_t)partition.words[s].x << 32 | partition.words[s].y));
    }
    partition.all = shw_score_side_of(score, both, CLASSES);
    return partition;
}

static struct shw_fraction fraction_of(enum shw_score score, const struct partition *p)
{
    struct shw_uint2 all = {(uint32_t)(p->all.measure >> 32), (uint32_t)p->all.measure};

    return shw_fraction_of((uint32_t)score, all, shw_times_log2((uint32_t)p->all.mass), p->words[0],
                           (uint32_t)p->sides[0].mass, p->words[1], (uint32_t)p->sides[1].mass);
}

TESTING_CASE(fractions_order_as_values)
{
    struct testing_random random = {.state = 77};
    uint32_t outcomes[3] = {0};

    for (int score = 0; score <= (int)SHW_SCORE_GAIN_RATIO; score++)
        for (int i = 0; i < 20000; i++) {
            struct partition a = random_partition(&random, (enum shw_score)score);
            struct partition b = random_partition(&random, (enum shw_score)score);
            struct shw_score_value left = shw_score_of((enum shw_score)score, &a.all, &a.sides[0], &a.sides[1]);
            struct shw_score_value right = shw_score_of((enum shw_score)score, &b.all, &b.sides[0], &b.sides[1]);
            int expected = shw_score_compare(&left, &right);
            struct shw_fraction x = fraction_of((enum shw_score)score, &a), y = fraction_of((enum shw_score)score, &b);
            assert_int_equal(shw_fraction_greater(x, y), expected > 0);
            assert_int_equal(shw_fraction_greater(y, x), expected < 0);
            outcomes[expected + 1]++;
        }
    for (int i = 0; i < 3; i++)
        assert_true(outcomes[i] > 50);
}

TESTING_CASE(long_products_are_exact)
{
    struct testing_random random = {.state = 5};

    for (int i = 0; i < 10000; i++) {
        uint64_t n = testing_random_next(&random);
        uint64_t d = testing_random_next(&random);
        uint32_t n2 = (uint32_t)testing_random_next(&random);
        struct shw_fraction a = {(uint32_t)n, (uint32_t)(n >> 32), n2, 1, 0};
        struct shw_long product;
        unsigned __int128 low, high;
        if (i % 4 == 0) { /* carries everywhere */
            n = UINT64_MAX;
            a.n0 = a.n1 = UINT32_MAX;
        }
        low = (unsigned __int128)n * d;
        high = (unsigned __int128)n2 * d + (uint64_t)(low >> 64);
        product = shw_long_product(a, (uint32_t)d, (uint32_t)(d >> 32));
        assert_true(product.w0 == (uint32_t)low && product.w1 == (uint32_t)(low >> 32));
        assert_true(product.w2 == (uint32_t)high && product.w3 == (uint32_t)(high >> 32) &&
                    product.w4 == (uint32_t)(high >> 64));
    }
}
