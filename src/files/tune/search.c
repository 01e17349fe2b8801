#include "files/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOOD_SHARE 0.15 /* gamma of Bergstra et al. */
#define DRAWS      24u
#define GROUPS     4u
#define MOVE       0.15 /* of the range */
#define MOVES      20u  /* until a number has changed */

struct shw_search_random shw_search_random_of(uint64_t seed, uint64_t number)
{
    struct shw_search_random random = {seed * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xd1342543de82ef95u};

    shw_search_below(&random, 2);
    return random;
}

static uint64_t next(struct shw_search_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* From 0 to below 1. */
static double draw_unit(struct shw_search_random *random)
{
    return (double)(next(random) >> 11) * 0x1p-53;
}

uint64_t shw_search_below(struct shw_search_random *random, uint64_t bound)
{
    return (uint64_t)(draw_unit(random) * (double)bound);
}

/* Numbers are placed on the range from 0 to 1. */
static double place_of(const struct shw_dimension *dimension, double value)
{
    double place;

    if (dimension->high <= dimension->low)
        return 0.5;
    place = dimension->logarithmic ? log(value / dimension->low) / log(dimension->high / dimension->low)
                                   : (value - dimension->low) / (dimension->high - dimension->low);
    return fmin(fmax(place, 0), 1);
}

static double value_at(const struct shw_dimension *dimension, double place)
{
    double value = dimension->logarithmic ? dimension->low * pow(dimension->high / dimension->low, place)
                                          : dimension->low + place * (dimension->high - dimension->low);

    value = dimension->whole ? round(value) : value;
    return fmin(fmax(value, dimension->low), dimension->high);
}

static double draw_value(const struct shw_dimension *dimension, struct shw_search_random *random)
{
    return dimension->choices > 0 ? (double)shw_search_below(random, dimension->choices)
                                  : value_at(dimension, draw_unit(random));
}

void shw_search_draw(const struct shw_dimension *dimensions, uint32_t count, struct shw_search_random *random,
                     double *values)
{
    for (uint32_t d = 0; d < count; d++)
        values[d] = draw_value(&dimensions[d], random);
}

/* A density of the values of a dimension. */
struct density {
    uint32_t count;                /* of normal distributions, or of choices */
    double *means, *widths, *mass; /* of each, and the part of it that is from 0 to 1; of choices only mass */
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double normal_below(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

/* means[] has the places of `count` values and room for one more. */
static void spread(struct density *density, uint32_t count)
{
    const double narrowest = 1 / fmin(100, count + 2.0);

    density->count = count + 1;
    density->means[count] = 0.5;
    qsort(density->means, density->count, sizeof *density->means, compare);
    for (uint32_t i = 0; i < density->count; i++) {
        const double mean = density->means[i];
        const double left = mean - (i > 0 ? density->means[i - 1] : 0);
        const double right = (i + 1 < density->count ? density->means[i + 1] : 1) - mean;

        density->widths[i] = fmin(fmax(fmax(left, right), narrowest), 1);
    }
    for (uint32_t i = 0; i < density->count; i++) /* the wide one */
        if (density->means[i] == 0.5) {
            density->widths[i] = 1;
            break;
        }
    for (uint32_t i = 0; i < density->count; i++)
        density->mass[i] = normal_below((1 - density->means[i]) / density->widths[i]) -
                           normal_below(-density->means[i] / density->widths[i]);
}

static void estimate(const struct shw_dimension *dimension, uint32_t index, const struct shw_observation *const *from,
                     uint32_t count, struct density *density)
{
    if (dimension->choices == 0) {
        for (uint32_t i = 0; i < count; i++)
            density->means[i] = place_of(dimension, from[i]->values[index]);
        spread(density, count);
        return;
    }
    density->count = dimension->choices;
    for (uint32_t c = 0; c < dimension->choices; c++)
        density->mass[c] = 1.0 / dimension->choices;
    for (uint32_t i = 0; i < count; i++)
        density->mass[(uint32_t)from[i]->values[index]] += 1;
    for (uint32_t c = 0; c < dimension->choices; c++)
        density->mass[c] /= count + 1.0;
}

/* At a place, or of a choice. */
static double density_at(const struct shw_dimension *dimension, const struct density *density, double place)
{
    double sum = 0;

    if (dimension->choices > 0)
        return density->mass[(uint32_t)place];
    for (uint32_t i = 0; i < density->count; i++) {
        const double x = (place - density->means[i]) / density->widths[i];
        sum += exp(-0.5 * x * x) / (density->widths[i] * density->mass[i]);
    }
    return sum / density->count;
}

/* From the normal distribution, by Box and Muller's method. */
static double draw_normal(struct shw_search_random *random)
{
    const double radius = sqrt(-2 * log(1 - draw_unit(random)));

    return radius * cos(2 * M_PI * draw_unit(random));
}

static double draw_from(const struct shw_dimension *dimension, const struct density *density,
                        struct shw_search_random *random)
{
    if (dimension->choices > 0) {
        double left = draw_unit(random);
        uint32_t c = 0;

        while (c + 1 < density->count && left >= density->mass[c])
            left -= density->mass[c++];
        return c;
    }
    const uint32_t i = (uint32_t)shw_search_below(random, density->count);
    for (;;) {
        const double place = density->means[i] + density->widths[i] * draw_normal(random);
        if (place >= 0 && place <= 1)
            return place;
    }
}

static double choose(const struct shw_dimension *dimension, const struct density *good, const struct density *bad,
                     struct shw_search_random *random)
{
    double best = 0, best_ratio = -1;

    for (uint32_t i = 0; i < DRAWS; i++) {
        const double place = draw_from(dimension, good, random);
        const double ratio = density_at(dimension, good, place) / density_at(dimension, bad, place);
        if (ratio > best_ratio) {
            best = place;
            best_ratio = ratio;
        }
    }
    return dimension->choices > 0 ? best : value_at(dimension, best);
}

/* Those without a loss last; of equal ones the earlier first. */
static int compare_observations(const void *a, const void *b)
{
    const struct shw_observation *const x = *(const struct shw_observation *const *)a;
    const struct shw_observation *const y = *(const struct shw_observation *const *)b;

    if (isnan(x->loss) || isnan(y->loss))
        return isnan(x->loss) != isnan(y->loss) ? (isnan(x->loss) ? 1 : -1) : (x > y) - (x < y);
    return x->loss != y->loss ? (x->loss > y->loss ? 1 : -1) : (x > y) - (x < y);
}

static uint32_t count_known(const struct shw_observation *observations, uint32_t count)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < count; i++)
        known += isnan(observations[i].loss) ? 0 : 1;
    return known;
}

static uint32_t most_choices(const struct shw_dimension *dimensions, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t d = 0; d < count; d++)
        most = dimensions[d].choices > most ? dimensions[d].choices : most;
    return most;
}

void shw_search_propose(const struct shw_dimension *dimensions, uint32_t count,
                        const struct shw_observation *observations, uint32_t observation_count,
                        struct shw_search_random *random, double *values)
{
    const uint32_t known = count_known(observations, observation_count);
    const uint32_t good_count = (uint32_t)ceil(GOOD_SHARE * known);
    const size_t room = (size_t)observation_count + 1 + most_choices(dimensions, count);
    const struct shw_observation **sorted = calloc(observation_count + 1u, sizeof *sorted);
    double *numbers = calloc(6 * room, sizeof *numbers);
    struct density good, bad;

    shw_search_draw(dimensions, count, random, values);
    if (known >= SHW_TPE_BEGIN && sorted != NULL && numbers != NULL) {
        good = (struct density){0, numbers, numbers + room, numbers + 2 * room};
        bad = (struct density){0, numbers + 3 * room, numbers + 4 * room, numbers + 5 * room};
        for (uint32_t i = 0; i < observation_count; i++)
            sorted[i] = &observations[i];
        qsort(sorted, observation_count, sizeof *sorted, compare_observations);
        for (uint32_t d = 0; d < count; d++) {
            estimate(&dimensions[d], d, sorted, good_count, &good);
            estimate(&dimensions[d], d, sorted + good_count, observation_count - good_count, &bad);
            values[d] = choose(&dimensions[d], &good, &bad, random);
        }
    }
    free(sorted);
    free(numbers);
}

static bool can_move(const struct shw_dimension *dimension)
{
    return dimension->choices > 0 ? dimension->choices > 1 : dimension->high > dimension->low;
}

static double move(const struct shw_dimension *dimension, double value, struct shw_search_random *random)
{
    double moved = value;

    if (dimension->choices > 0) {
        moved = (double)shw_search_below(random, dimension->choices - 1u);
        return moved >= value ? moved + 1 : moved;
    }
    for (uint32_t i = 0; i < MOVES && !(fabs(moved - value) > 0); i++)
        moved = value_at(dimension, fmin(fmax(place_of(dimension, value) + MOVE * draw_normal(random), 0), 1));
    return moved;
}

void shw_search_move(const struct shw_dimension *dimensions, uint32_t count, struct shw_search_random *random,
                     double *values)
{
    uint32_t movable = 0, moved = 0;

    for (uint32_t d = 0; d < count; d++)
        movable += can_move(&dimensions[d]);
    while (moved == 0 && movable > 0)
        for (uint32_t d = 0; d < count; d++)
            if (can_move(&dimensions[d]) && draw_unit(random) * movable < 3) {
                values[d] = move(&dimensions[d], values[d], random);
                moved++;
            }
}

struct pair {
    double value, loss;
};

static int compare_pairs(const void *a, const void *b)
{
    return compare(&((const struct pair *)a)->value, &((const struct pair *)b)->value);
}

/* The group of each pair, which are sorted: equal values have one group. Returns the number of groups. */
static uint32_t group(const struct shw_dimension *dimension, const struct pair *pairs, uint32_t count, uint32_t *groups)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        const bool begins = i == 0 || (pairs[i].value != pairs[i - 1].value &&
                                       (dimension->choices > 0 || (uint64_t)i * GROUPS / count >= used));
        used += begins;
        groups[i] = used - 1;
    }
    return used;
}

static double explain(const struct pair *pairs, const uint32_t *groups, uint32_t count, uint32_t group_count)
{
    double mean = 0, total = 0, within = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += pairs[i].loss / count;
    for (uint32_t i = 0; i < count; i++)
        total += (pairs[i].loss - mean) * (pairs[i].loss - mean);
    for (uint32_t first = 0, last; first < count; first = last) {
        double middle = 0;
        for (last = first; last < count && groups[last] == groups[first]; last++)
            middle += pairs[last].loss;
        middle /= last - first;
        for (uint32_t i = first; i < last; i++)
            within += (pairs[i].loss - middle) * (pairs[i].loss - middle);
    }
    if (total <= 0 || group_count < 2)
        return 0;
    within *= (count - 1.0) / (count - group_count); /* what chance explains */
    return fmax(1 - within / total, 0);
}

double shw_search_importance(const struct shw_dimension *dimension, uint32_t index,
                             const struct shw_observation *observations, uint32_t observation_count)
{
    struct pair *pairs = calloc(observation_count + 1u, sizeof *pairs);
    uint32_t *groups = calloc(observation_count + 1u, sizeof *groups);
    uint32_t count = 0, group_count;
    double importance = NAN;

    for (uint32_t i = 0; i < observation_count && pairs != NULL && groups != NULL; i++)
        if (!isnan(observations[i].loss))
            pairs[count++] = (struct pair){observations[i].values[index], observations[i].loss};
    if (count > 2 * GROUPS) {
        qsort(pairs, count, sizeof *pairs, compare_pairs);
        group_count = group(dimension, pairs, count, groups);
        if (group_count < count)
            importance = explain(pairs, groups, count, group_count);
    }
    free(pairs);
    free(groups);
    return importance;
}
