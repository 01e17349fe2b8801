#include "dense/forest/gains.h"

#include <stdlib.h>

#include <shadewood/forest.h>

/* A tree gains at most the entropy of 65535 classes, below 2^36 units. */
#define GAIN_MAX ((json_int_t)SHW_TREES_MAX << 36)

static uint64_t *test_of(const struct shw_gains *gains, uint32_t low, uint32_t high)
{
    return &gains->tests[(size_t)low * (gains->channel_count + 1) + high];
}

bool shw_gains_make(uint32_t channel_count, struct shw_gains *gains)
{
    *gains = (struct shw_gains){.channel_count = channel_count,
                                .levels = calloc((size_t)SHW_DEPTH_MAX * channel_count, sizeof *gains->levels),
                                .tests = calloc((size_t)channel_count * (channel_count + 1), sizeof *gains->tests)};
    if (gains->levels != NULL && gains->tests != NULL)
        return true;
    shw_gains_free(gains);
    return false;
}

void shw_gains_free(struct shw_gains *gains)
{
    free(gains->levels);
    free(gains->tests);
    *gains = (struct shw_gains){0};
}

void shw_gains_count(struct shw_gains *gains, uint32_t level, const struct shw_feature_region *regions, uint32_t count,
                     uint64_t gain)
{
    for (uint32_t i = 0; i < count; i++)
        if (regions[i].channel >= gains->channel_count)
            return; /* as custom types may say; the finished forest is checked */
    if (count == 0)
        return;
    const uint32_t first = regions[0].channel, second = count > 1 ? regions[1].channel : gains->channel_count;

    for (uint32_t i = 0; i < count; i++)
        gains->levels[(size_t)level * gains->channel_count + regions[i].channel] += gain / count + (i < gain % count);
    *test_of(gains, first < second ? first : second, first < second ? second : first) += gain;
}

static void add_scaled(uint64_t *sums, const uint64_t *values, size_t count, uint64_t mass)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += (uint64_t)(((unsigned __int128)values[i] << 8) / mass);
}

void shw_gains_add(struct shw_gains *sum, const struct shw_gains *tree, uint64_t mass)
{
    size_t channels = sum->channel_count;

    add_scaled(sum->levels, tree->levels, SHW_DEPTH_MAX * channels, mass);
    add_scaled(sum->tests, tree->tests, channels * (channels + 1), mass);
}

static bool is_empty(const uint64_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] > 0)
            return false;
    return true;
}

/* The levels up to the last one at which something was gained. */
static json_t *pack_levels(const struct shw_gains *sum)
{
    uint32_t channels = sum->channel_count, depth = SHW_DEPTH_MAX;
    json_t *levels = json_array();

    while (depth > 0 && is_empty(sum->levels + (size_t)(depth - 1) * channels, channels))
        depth--;
    for (uint32_t level = 0; level < depth; level++) {
        json_t *values = json_array();
        for (uint32_t c = 0; c < channels; c++)
            json_array_append_new(values, json_integer((json_int_t)sum->levels[(size_t)level * channels + c]));
        json_array_append_new(levels, values);
    }
    return levels;
}

static json_t *pack_tests(const struct shw_gains *sum)
{
    json_t *tests = json_array();

    for (uint32_t a = 0; a < sum->channel_count; a++)
        for (uint32_t b = a; b <= sum->channel_count; b++) {
            json_int_t gain = (json_int_t)*test_of(sum, a, b);
            if (gain > 0 && b < sum->channel_count)
                json_array_append_new(tests, json_pack("[I, i, i]", gain, (int)a, (int)b));
            else if (gain > 0)
                json_array_append_new(tests, json_pack("[I, i]", gain, (int)a));
        }
    return tests;
}

json_t *shw_gains_pack(const struct shw_gains *sum)
{
    return json_pack("{s:o, s:o}", "levels", pack_levels(sum), "tests", pack_tests(sum));
}

static bool add_number(const json_t *number, uint64_t *sum)
{
    json_int_t value = json_integer_value(number);

    if (!json_is_integer(number) || value < 0 || value > GAIN_MAX)
        return false;
    *sum += (uint64_t)value;
    return true;
}

static bool unpack_levels(const json_t *levels, struct shw_gains *sum)
{
    size_t depth = json_array_size(levels);
    bool good = json_is_array(levels) && depth <= SHW_DEPTH_MAX;

    for (size_t level = 0; good && level < depth; level++) {
        const json_t *values = json_array_get(levels, level);
        good = json_array_size(values) == sum->channel_count;
        for (uint32_t c = 0; good && c < sum->channel_count; c++)
            good = add_number(json_array_get(values, c), &sum->levels[level * sum->channel_count + c]);
    }
    return good;
}

static bool unpack_test(const json_t *test, struct shw_gains *sum)
{
    size_t count = json_array_size(test);
    const json_t *low = json_array_get(test, 1), *high = json_array_get(test, 2);
    json_int_t channels = sum->channel_count, a = json_integer_value(low);
    json_int_t b = count == 3 ? json_integer_value(high) : channels;

    if (count < 2 || count > 3 || !json_is_integer(low) || (count == 3 && (!json_is_integer(high) || b >= channels)) ||
        a < 0 || a >= channels || b < a)
        return false;
    return add_number(json_array_get(test, 0), test_of(sum, (uint32_t)a, (uint32_t)b));
}

bool shw_gains_unpack(const json_t *member, struct shw_gains *sum)
{
    const json_t *tests = json_object_get(member, "tests");
    size_t count = json_array_size(tests), most = (size_t)sum->channel_count * (sum->channel_count + 1);
    bool good = json_is_array(tests) && count <= most && unpack_levels(json_object_get(member, "levels"), sum);

    for (size_t i = 0; good && i < count; i++)
        good = unpack_test(json_array_get(tests, i), sum);
    return good;
}
