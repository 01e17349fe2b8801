/* Histograms of boosting, which is most of the training of a cascade: a level of a tree with one open node, and one
 * with four. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/document.h"
#include "detection/boost/backend.h"
#include "shared/random.h"

#define WINDOW     24u
#define POINTS     (WINDOW * WINDOW)
#define THRESHOLDS SHW_BOOST_THRESHOLDS_MAX
#define NODES      4u

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

struct boosting {
    struct shw_bench *bench;
    uint32_t samples, candidates;
    uint16_t *patches;
    uint32_t *places, *weights;
    uint8_t *classes;
    struct shw_boost_pair *pairs;
    int32_t *thresholds;
    uint32_t *expected[2], *found; /* histograms of the root and of NODES nodes, by cpu; by the row's technique */

    struct shw_boost *boost;
    const uint32_t *nodes;
    uint32_t node_count;
    struct shw_bench_times times;
};

static int compare(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;

    return (first > second) - (first < second);
}

static void draw_candidate(struct boosting *boosting, uint32_t c)
{
    int32_t *thresholds = boosting->thresholds + (size_t)c * THRESHOLDS;
    struct shw_uint2 draw = shw_random2(1, c, 0);
    uint32_t first = shw_random_below(draw.x, POINTS), second = shw_random_below(draw.y, POINTS);

    boosting->pairs[c] = (struct shw_boost_pair){(uint8_t)(first % WINDOW), (uint8_t)(first / WINDOW),
                                                 (uint8_t)(second % WINDOW), (uint8_t)(second / WINDOW)};
    /* responses of some samples, so that bins are about as full as each other */
    for (uint32_t t = 0; t < THRESHOLDS; t++) {
        const uint16_t *patch = boosting->patches + (size_t)(t % boosting->samples) * POINTS;
        thresholds[t] = (int32_t)patch[first] - (int32_t)patch[second];
    }
    qsort(thresholds, THRESHOLDS, sizeof *thresholds, compare);
}

static void draw(struct boosting *boosting)
{
    uint32_t weight_max = SHW_BOOST_WEIGHT_MAX / boosting->samples;

    for (size_t i = 0; i < (size_t)boosting->samples * POINTS; i++)
        boosting->patches[i] = (uint16_t)shw_random_below(shw_random(2, (uint32_t)i, 0), 65281);
    for (uint32_t s = 0; s < boosting->samples; s++) {
        boosting->places[s] = s;
        boosting->weights[s] = 1 + shw_random_below(shw_random(3, s, 0), weight_max);
        boosting->classes[s] = s % 2 == 0 ? SHW_BOOST_OBJECT : SHW_BOOST_BACKGROUND;
    }
    for (uint32_t c = 0; c < boosting->candidates; c++)
        draw_candidate(boosting, c);
}

static size_t histogram_bytes(const struct boosting *boosting, uint32_t nodes)
{
    return (size_t)nodes * boosting->candidates * (THRESHOLDS + 1) * SHW_BOOST_CLASSES * sizeof(uint32_t);
}

static bool allocate(struct boosting *boosting)
{
    boosting->patches = malloc((size_t)boosting->samples * POINTS * sizeof *boosting->patches);
    boosting->places = malloc(boosting->samples * sizeof *boosting->places);
    boosting->weights = malloc(boosting->samples * sizeof *boosting->weights);
    boosting->classes = malloc(boosting->samples);
    boosting->pairs = malloc(boosting->candidates * sizeof *boosting->pairs);
    boosting->thresholds = malloc((size_t)boosting->candidates * THRESHOLDS * sizeof *boosting->thresholds);
    boosting->expected[0] = malloc(histogram_bytes(boosting, 1));
    boosting->expected[1] = malloc(histogram_bytes(boosting, NODES));
    boosting->found = malloc(histogram_bytes(boosting, NODES));
    return boosting->patches != NULL && boosting->places != NULL && boosting->weights != NULL &&
           boosting->classes != NULL && boosting->pairs != NULL && boosting->thresholds != NULL &&
           boosting->expected[0] != NULL && boosting->expected[1] != NULL && boosting->found != NULL;
}

static void destroy(struct boosting *boosting)
{
    shw_boost_destroy(&boosting->boost);
    free(boosting->patches);
    free(boosting->places);
    free(boosting->weights);
    free(boosting->classes);
    free(boosting->pairs);
    free(boosting->thresholds);
    free(boosting->expected[0]);
    free(boosting->expected[1]);
    free(boosting->found);
    free(boosting);
}

static enum shw_result add(struct boosting *boosting, enum shw_technique technique, const char *skipped, int equals)
{
    char id[64];
    const struct shw_bench_row row = {
        .suite = "boosting",
        .stage = "count",
        .technique = shw_technique_name(technique),
        .title = boosting->node_count == 1 ? "histograms of the root" : "histograms of four nodes",
        .id = id,
        .setting = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "samples", (int)boosting->samples, "width", (int)WINDOW,
                             "height", (int)WINDOW, "candidates", (int)boosting->candidates, "thresholds",
                             (int)THRESHOLDS, "nodes", (int)boosting->node_count),
        .times = skipped == NULL ? &boosting->times : NULL,
        .skipped = skipped,
        .work = (double)boosting->samples * boosting->candidates,
        .work_unit = "responses",
        .equals_cpu = equals};

    snprintf(id, sizeof id, "boosting/count/nodes-%u/%s", boosting->node_count, row.technique);
    return shw_bench_add(boosting->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result count(void *user)
{
    struct boosting *boosting = user;
    const struct shw_boost_candidates candidates = {boosting->candidates, THRESHOLDS, boosting->pairs,
                                                    boosting->thresholds};

    return shw_boost_count(boosting->boost, &candidates, boosting->nodes, boosting->node_count, boosting->found);
}

/* Times the nodes that are set: the row of a technique, or, if that is not requested, only the expected results of
 * others. */
static enum shw_result time_nodes(struct boosting *boosting, enum shw_technique technique)
{
    const struct shw_bench_work work = {.run = count, .user = boosting};
    uint32_t nodes = boosting->node_count, *expected = boosting->expected[nodes > 1];
    bool cpu = technique == SHW_TECHNIQUE_CPU;

    SHW_PROPAGATE(count(boosting));
    if (cpu)
        memcpy(expected, boosting->found, histogram_bytes(boosting, nodes));
    if (!shw_bench_wants(boosting->bench, technique))
        return SHW_OK;
    SHW_PROPAGATE(shw_bench_time(boosting->bench, &work, &boosting->times));
    return add(boosting, technique, NULL, memcmp(expected, boosting->found, histogram_bytes(boosting, nodes)) == 0);
}

static enum shw_result time_tree(struct boosting *boosting, enum shw_technique technique)
{
    static const uint32_t root[] = {0}, level[NODES] = {3, 4, 5, 6};
    const struct shw_boost_split first = {0, 1, boosting->pairs[0], 0};
    const struct shw_boost_split second[] = {{1, 3, boosting->pairs[1], 0}, {2, 5, boosting->pairs[2], 0}};
    const struct shw_boost_params params = {.width = WINDOW,
                                            .height = WINDOW,
                                            .technique = technique,
                                            .device = technique != SHW_TECHNIQUE_CPU ? boosting->bench->device : NULL,
                                            .pool = boosting->bench->pool,
                                            .log = boosting->bench->log};

    boosting->nodes = root;
    boosting->node_count = 1;
    SHW_PROPAGATE(shw_boost_create(&params, &boosting->boost));
    SHW_PROPAGATE(shw_boost_put(boosting->boost, boosting->places, boosting->samples, boosting->patches));
    SHW_PROPAGATE(shw_boost_begin(boosting->boost, boosting->weights, boosting->classes, boosting->samples));
    SHW_PROPAGATE(time_nodes(boosting, technique));
    SHW_PROPAGATE(shw_boost_move(boosting->boost, &first, 1));
    SHW_PROPAGATE(shw_boost_move(boosting->boost, second, 2));
    boosting->nodes = level;
    boosting->node_count = NODES;
    return time_nodes(boosting, technique);
}

static enum shw_result time_all(struct boosting *boosting)
{
    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++) {
        enum shw_result result;
        if (techniques[t] != SHW_TECHNIQUE_CPU && !shw_bench_wants(boosting->bench, techniques[t]))
            continue;
        shw_bench_say(boosting->bench, "boosting/%s", shw_technique_name(techniques[t]));
        result = time_tree(boosting, techniques[t]);
        shw_boost_destroy(&boosting->boost);
        if (result != SHW_OK && !shw_bench_is_skip(result))
            return result;
        if (result != SHW_OK)
            SHW_PROPAGATE(add(boosting, techniques[t], boosting->bench->message, -1));
    }
    return SHW_OK;
}

enum shw_result shw_bench_boosting(struct shw_bench *bench)
{
    struct boosting *boosting = calloc(1, sizeof *boosting);
    bool is_small = shw_bench_is_small(bench);
    enum shw_result result;

    if (boosting == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    boosting->bench = bench;
    boosting->samples = is_small ? 2000 : 200000;
    boosting->candidates = is_small ? 100 : 2000;
    if (allocate(boosting)) {
        draw(boosting);
        result = time_all(boosting);
    } else {
        result = shw_fail_memory(&bench->log, "the samples of a suite");
    }
    destroy(boosting);
    return result;
}
