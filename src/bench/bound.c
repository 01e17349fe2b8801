
#include <stdbool.h>
#include <string.h>

#include <shadewood/technique.h>

#include "base/log.h"
#include "bench/document.h"

#define CORNERS     8 /* of the two rectangles of a feature: integral images are read there */
#define NODE_TEXELS 2 /* of the forest texture, four words each */

/* The minimum time for the work of a row, in milliseconds, and the dominant limit. */
struct cost {
    const json_t *limits;
    double ms, most;
    const char *limit; /* of `most` */
    bool known;        /* all required rates are known */
};

/* Per second; 0: unknown. */
static double find_rate(const json_t *limits, const char *name)
{
    const json_t *limit;
    size_t i;

    json_array_foreach(limits, i, limit)
    {
        const char *given = json_string_value(json_object_get(limit, "limit"));
        if (given != NULL && strcmp(given, name) == 0)
            return shw_bench_number(limit, "per_second");
    }
    return 0;
}

static double cost_ms(struct cost *cost, const char *limit, double amount)
{
    double rate = find_rate(cost->limits, limit);

    cost->known = cost->known && rate > 0;
    return rate > 0 ? 1e3 * amount / rate : 0;
}

static void count(struct cost *cost, const char *limit, double ms)
{
    cost->ms += ms;
    if (ms > cost->most) {
        cost->most = ms;
        cost->limit = limit;
    }
}

/* Adds the cost of work that is not done in parallel. */
static void add(struct cost *cost, const char *limit, double amount)
{
    count(cost, limit, cost_ms(cost, limit, amount));
}

/* Adds two costs incurred in parallel: the larger one determines the time. */
static void add_slower(struct cost *cost, const char *limit, double amount, const char *other_limit,
                       double other_amount)
{
    double ms = cost_ms(cost, limit, amount), other = cost_ms(cost, other_limit, other_amount);

    if (ms >= other)
        count(cost, limit, ms);
    else
        count(cost, other_limit, other);
}

static bool is(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}

/* Bytes read and written; a copy of n bytes reads and writes 2 n. */
static void add_bytes(struct cost *cost, const char *technique, double bytes)
{
    if (is(technique, "cpu"))
        cost->known = false;
    else
        add(cost, "copy", bytes / 2);
}

static void add_visits(struct cost *cost, const char *technique, double visits)
{
    if (is(technique, "cpu"))
        add(cost, "cpu_gathers", CORNERS * visits);
    else if (is(technique, "fragment"))
        add(cost, "fragment_texel_fetches", (CORNERS + NODE_TEXELS) * visits);
    else
        add(cost, "compute_buffer_loads", (CORNERS + NODE_TEXELS) * visits);
}

static void add_responses(struct cost *cost, const char *technique, double responses)
{
    if (is(technique, "cpu"))
        add(cost, "cpu_gathers", CORNERS * responses);
    else if (is(technique, "blend"))
        add(cost, "point_blends", responses);
    else
        add_slower(cost, "compute_buffer_loads", CORNERS * responses, "shared_atomics", responses);
}

/* From the image to the labels: the three stages one after the other. */
static void add_whole(struct cost *cost, const char *technique, const json_t *setting)
{
    double pixels = shw_bench_number(setting, "width") * shw_bench_number(setting, "height");
    double channels = shw_bench_number(setting, "channels");
    double trees = shw_bench_number(setting, "trees"), depth = shw_bench_number(setting, "depth");

    if (is(json_string_value(json_object_get(setting, "output")), "tree-leaf"))
        trees = 1;
    add_bytes(cost, technique, pixels * (4 + 2 * channels) + pixels * (2 + 4) * channels);
    add_visits(cost, technique, pixels * trees * depth);
}

static bool is_known_technique(const json_t *row)
{
    const char *technique = json_string_value(json_object_get(row, "technique"));

    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        if (is(technique, shw_technique_name((enum shw_technique)t)))
            return !json_is_true(json_object_get(row, "custom"));
    return false;
}

static struct cost cost_of(const json_t *row, const json_t *limits)
{
    struct cost cost = {.limits = limits, .known = true};
    const json_t *work = json_object_get(row, "work");
    const char *unit = json_string_value(json_object_get(work, "unit"));
    const char *technique = json_string_value(json_object_get(row, "technique"));
    const char *stage = json_string_value(json_object_get(row, "stage"));
    double amount = shw_bench_number(work, "amount");

    if (!is_known_technique(row))
        return cost;
    /* the limits count eight corners a test, which forests of few shapes do not always read */
    cost.known = json_object_get(json_object_get(row, "setting"), "shapes") == NULL;
    if (is(stage, "whole") || is(stage, "frame"))
        add_whole(&cost, technique, json_object_get(row, "setting"));
    else if (is(unit, "bytes"))
        add_bytes(&cost, technique, amount);
    else if (is(unit, "node visits"))
        add_visits(&cost, technique, amount);
    else if (is(unit, "responses"))
        add_responses(&cost, technique, amount);
    else if (is(unit, "points"))
        add(&cost, "point_blends", amount);
    return cost;
}

/* By the device's clock, or the host's for cpu and devices without timestamps. */
static double measured_ms(const json_t *row)
{
    double ms = shw_bench_number(json_object_get(row, "device_ms"), "median");

    return ms > 0 ? ms : shw_bench_number(json_object_get(row, "wall_ms"), "median");
}

enum shw_result shw_bench_bind(json_t *document, const json_t *limits, const struct shw_log *log)
{
    json_t *row;
    size_t i;

    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        struct cost cost = cost_of(row, limits);
        double ms = measured_ms(row);
        if (!cost.known || !(cost.ms > 0) || !(ms > 0))
            continue;
        if (json_object_set_new(
                row, "bound",
                json_pack("{s:s, s:f, s:f}", "limit", cost.limit, "ideal_ms", cost.ms, "ratio", ms / cost.ms)) != 0)
            return shw_fail_memory(log, "a row of the bench");
    }
    return SHW_OK;
}
