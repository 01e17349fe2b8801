/* Histograms of boosting: every back end against a plain one. */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/thread_pool.h"
#include "detection/boost/backend.h"

/* One case: samples, candidates and the splits of a tree of two levels. */
struct fixture {
    uint32_t width, height, samples, candidates, thresholds;
    uint16_t *patches;
    uint32_t *weights;
    uint8_t *classes;
    struct shw_boost_pair *pairs;
    int32_t *values; /* thresholds */
    uint32_t *nodes; /* of each sample, by the oracle */
};

struct shape {
    uint32_t width, height, samples, candidates, thresholds;
    uint32_t value_max;
    uint32_t weight_max;
};

static const struct shape usual = {8, 6, 700, 40, 31, 65280, 3000};

static struct shw_boost_pair draw_pair(const struct fixture *fixture, struct testing_random *random)
{
    return (struct shw_boost_pair){
        (uint8_t)testing_random_below(random, fixture->width), (uint8_t)testing_random_below(random, fixture->height),
        (uint8_t)testing_random_below(random, fixture->width), (uint8_t)testing_random_below(random, fixture->height)};
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

static void draw_thresholds(struct fixture *fixture, int32_t range, struct testing_random *random)
{
    for (uint32_t c = 0; c < fixture->candidates; c++) {
        int32_t *values = fixture->values + c * fixture->thresholds;
        for (uint32_t t = 0; t < fixture->thresholds; t++)
            values[t] = testing_random_range(random, -range, range);
        qsort(values, fixture->thresholds, sizeof *values, compare);
    }
}

static void draw_patches(struct fixture *fixture, uint32_t value_max, struct testing_random *random)
{
    for (size_t i = 0; i < (size_t)fixture->samples * fixture->width * fixture->height; i++)
        fixture->patches[i] = (uint16_t)testing_random_below(random, value_max + 1);
}

static struct fixture make(struct shape shape, uint64_t seed)
{
    struct testing_random random = {seed};
    struct fixture fixture = {
        shape.width, shape.height, shape.samples, shape.candidates, shape.thresholds, NULL, NULL, NULL,
        NULL,        NULL,         NULL};

    fixture.patches = calloc((size_t)shape.samples * shape.width * shape.height + 1, sizeof *fixture.patches);
    fixture.weights = calloc(shape.samples + 1, sizeof *fixture.weights);
    fixture.classes = calloc(shape.samples + 1, sizeof *fixture.classes);
    fixture.pairs = calloc(shape.candidates + 1, sizeof *fixture.pairs);
    fixture.values = calloc((size_t)shape.candidates * shape.thresholds + 1, sizeof *fixture.values);
    fixture.nodes = calloc(shape.samples + 1, sizeof *fixture.nodes);
    draw_patches(&fixture, shape.value_max, &random);
    draw_thresholds(&fixture, (int32_t)shape.value_max, &random);
    for (uint32_t i = 0; i < shape.samples; i++) {
        fixture.weights[i] = testing_random_below(&random, 4) > 0 ? testing_random_below(&random, shape.weight_max) : 0;
        fixture.classes[i] = (uint8_t)testing_random_below(&random, 2);
    }
    for (uint32_t c = 0; c < shape.candidates; c++)
        fixture.pairs[c] = draw_pair(&fixture, &random);
    return fixture;
}

static void end(struct fixture *fixture)
{
    free(fixture->patches);
    free(fixture->weights);
    free(fixture->classes);
    free(fixture->pairs);
    free(fixture->values);
    free(fixture->nodes);
}

static int32_t respond(const struct fixture *fixture, uint32_t sample, struct shw_boost_pair pair)
{
    const uint16_t *patch = fixture->patches + (size_t)sample * fixture->width * fixture->height;

    return (int32_t)patch[pair.y1 * fixture->width + pair.x1] - (int32_t)patch[pair.y2 * fixture->width + pair.x2];
}

static struct shw_boost_candidates candidates_of(const struct fixture *fixture)
{
    return (struct shw_boost_candidates){fixture->candidates, fixture->thresholds, fixture->pairs, fixture->values};
}

static uint32_t *expect(const struct fixture *fixture, const uint32_t *nodes, uint32_t node_count)
{
    uint32_t bins = fixture->thresholds + 1;
    uint32_t *histograms = calloc((size_t)node_count * fixture->candidates * bins * 2 + 1, sizeof *histograms);

    for (uint32_t n = 0; n < node_count; n++)
        for (uint32_t c = 0; c < fixture->candidates; c++)
            for (uint32_t s = 0; s < fixture->samples; s++) {
                uint32_t bin = 0;
                if (fixture->nodes[s] != nodes[n])
                    continue;
                for (uint32_t t = 0; t < fixture->thresholds; t++)
                    bin += respond(fixture, s, fixture->pairs[c]) > fixture->values[c * fixture->thresholds + t];
                histograms[(((size_t)n * fixture->candidates + c) * bins + bin) * 2 + fixture->classes[s]] +=
                    fixture->weights[s];
            }
    return histograms;
}

static void move(struct fixture *fixture, const struct shw_boost_split *splits, uint32_t count)
{
    for (uint32_t s = 0; s < fixture->samples; s++)
        for (uint32_t i = 0; i < count; i++)
            if (splits[i].node == fixture->nodes[s]) {
                fixture->nodes[s] = splits[i].left + (respond(fixture, s, splits[i].pair) > splits[i].threshold);
                break;
            }
}

static void put_all(struct shw_boost *boost, const struct fixture *fixture)
{
    uint32_t *places = malloc((fixture->samples + 1) * sizeof *places);

    for (uint32_t i = 0; i < fixture->samples; i++)
        places[i] = i;
    assert_int_equal(shw_boost_put(boost, places, fixture->samples, fixture->patches), SHW_OK);
    free(places);
}

static void check_count(struct shw_boost *boost, const struct fixture *fixture, const uint32_t *nodes,
                        uint32_t node_count)
{
    struct shw_boost_candidates candidates = candidates_of(fixture);
    size_t words = shw_boost_histogram_words(&candidates) * node_count;
    uint32_t *expected = expect(fixture, nodes, node_count), *histograms = malloc((words + 1) * sizeof *histograms);

    memset(histograms, 0x55, (words + 1) * sizeof *histograms);
    assert_int_equal(shw_boost_count(boost, &candidates, nodes, node_count, histograms), SHW_OK);
    assert_memory_equal(histograms, expected, words * sizeof *histograms);
    assert_int_equal(histograms[words], 0x55555555);
    free(expected);
    free(histograms);
}

static void check_nodes(struct shw_boost *boost, const struct fixture *fixture)
{
    uint16_t *nodes = malloc((fixture->samples + 1) * sizeof *nodes);

    assert_int_equal(shw_boost_get_nodes(boost, nodes), SHW_OK);
    for (uint32_t s = 0; s < fixture->samples; s++)
        assert_int_equal(nodes[s], fixture->nodes[s]);
    free(nodes);
}

/* A tree of three levels, some of whose nodes are left alone, with numbers that are not in order. */
static void check_tree(struct shw_boost *boost, struct fixture *fixture)
{
    const uint32_t root[] = {0}, second[] = {4, 3}, third[] = {2, 301, 7, 300}, absent[] = {60000, 1};
    const struct shw_boost_pair pair = {0, 0, 1, 1}, other = {1, 0, 0, 1};
    const struct shw_boost_split first[] = {{0, 3, pair, 0}}, more[] = {{4, 300, other, -1000}, {3, 1, pair, -20000}};

    memset(fixture->nodes, 0, fixture->samples * sizeof *fixture->nodes);
    assert_int_equal(shw_boost_begin(boost, fixture->weights, fixture->classes, fixture->samples), SHW_OK);
    check_count(boost, fixture, root, 1);
    check_nodes(boost, fixture);
    assert_int_equal(shw_boost_move(boost, first, 1), SHW_OK);
    move(fixture, first, 1);
    check_count(boost, fixture, second, 2);
    check_count(boost, fixture, second + 1, 1);
    assert_int_equal(shw_boost_move(boost, more, 2), SHW_OK);
    move(fixture, more, 2);
    check_count(boost, fixture, third, 4);
    check_count(boost, fixture, absent, 2);
    check_nodes(boost, fixture);
}

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

#define TECHNIQUE_COUNT (sizeof techniques / sizeof *techniques)

static struct shw_boost *create(enum shw_technique technique, const struct fixture *fixture,
                                const struct shw_boost_params *limits)
{
    struct shw_boost_params params = limits != NULL ? *limits : (struct shw_boost_params){0};
    struct shw_boost *boost = NULL;

    params.width = fixture->width;
    params.height = fixture->height;
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    assert_int_equal(shw_boost_create(&params, &boost), SHW_OK);
    assert_int_equal(shw_boost_get_technique(boost), technique);
    return boost;
}

static void check(struct shape shape, uint64_t seed, const struct shw_boost_params *limits)
{
    for (size_t t = 0; t < TECHNIQUE_COUNT; t++) {
        struct fixture fixture = make(shape, seed);
        struct shw_boost *boost = create(techniques[t], &fixture, limits);
        put_all(boost, &fixture);
        check_tree(boost, &fixture);
        shw_boost_destroy(&boost);
        assert_null(boost);
        end(&fixture);
    }
}

TESTING_CASE(random_samples)
{
    check(usual, 1, NULL);
    check((struct shape){2, 2, 1, 1, 1, 65280, 10}, 2, NULL);
    check((struct shape){3, 5, 257, 7, 5, 3, 100}, 3, NULL);
    check((struct shape){24, 24, 130, 33, 30, 255, 1000}, 4, NULL);
    check((struct shape){128, 128, 9, 100, 31, 65535, 1000}, 5, NULL);
    check((struct shape){5, 2, 1024, 1, 16, 40000, 2000}, 6, NULL);
}

TESTING_CASE(nothing_to_count)
{
    struct shape none = usual, no_candidates = usual;

    none.samples = 0;
    no_candidates.candidates = 0;
    check(none, 1, NULL);
    check(no_candidates, 1, NULL);
}

/* Differences of 17 bits, of which those beyond 16 bits must not wrap, and thresholds on both sides of that. */
TESTING_CASE(extreme_values)
{
    const int32_t near[] = {-32768, -32767, -1, 0, 1, 32765, 32766},
                  far[] = {-65536, -65535, -32769, 32767, 65534, 65535, INT32_MAX};
    struct shape shape = {2, 3, 300, 2, 7, 65535, 1000};

    for (size_t t = 0; t < TECHNIQUE_COUNT; t++) {
        struct fixture fixture = make(shape, 7);
        const uint16_t ends[] = {0, 65535, 32767, 32768, 1, 65534};
        struct testing_random random = {8};
        struct shw_boost *boost = create(techniques[t], &fixture, NULL);
        for (size_t i = 0; i < 300u * 6; i++)
            fixture.patches[i] = ends[testing_random_below(&random, 6)];
        memcpy(fixture.values, near, sizeof near);
        memcpy(fixture.values + 7, far, sizeof far);
        fixture.pairs[0] = (struct shw_boost_pair){0, 0, 1, 2};
        put_all(boost, &fixture);
        check_tree(boost, &fixture);
        shw_boost_destroy(&boost);
        end(&fixture);
    }
}

/* Equal thresholds, of which bins in between stay empty; every response in one bin; a sum at the limit in one of them.
 */
TESTING_CASE(one_bin)
{
    struct shape shape = {4, 4, 600, 9, 12, 0, 1};

    for (int32_t threshold = -1; threshold <= 1; threshold++)
        for (size_t t = 0; t < TECHNIQUE_COUNT; t++) {
            struct fixture fixture = make(shape, 9);
            struct shw_boost *boost = create(techniques[t], &fixture, NULL);
            for (uint32_t i = 0; i < 9 * 12; i++)
                fixture.values[i] = threshold;
            for (uint32_t i = 0; i < fixture.samples; i++) {
                fixture.weights[i] = SHW_BOOST_WEIGHT_MAX / 600 + (i < SHW_BOOST_WEIGHT_MAX % 600);
                fixture.classes[i] = SHW_BOOST_OBJECT;
            }
            put_all(boost, &fixture);
            check_tree(boost, &fixture);
            shw_boost_destroy(&boost);
            end(&fixture);
        }
}

/* Patches are replaced, added later, and left out by a tree of fewer samples. */
TESTING_CASE(patches_change)
{
    for (size_t t = 0; t < TECHNIQUE_COUNT; t++) {
        struct fixture fixture = make(usual, 10), later = make(usual, 11);
        struct shw_boost *boost = create(techniques[t], &fixture, NULL);
        size_t points = (size_t)usual.width * usual.height;
        uint32_t places[200];
        fixture.samples = 300;
        put_all(boost, &fixture);
        check_tree(boost, &fixture);
        for (uint32_t i = 0; i < 200; i++) {
            places[i] = 699 - 3 * i;
            memcpy(fixture.patches + places[i] * points, later.patches + i * points, points * sizeof(uint16_t));
        }
        assert_int_equal(shw_boost_put(boost, places, 200, later.patches), SHW_OK);
        fixture.samples = 700;
        for (uint32_t i = 300; i < 700; i++)
            if (i % 3 != 0) { /* no patch was put there */
                memset(fixture.patches + i * points, 0, points * sizeof(uint16_t));
                assert_int_equal(shw_boost_put(boost, &i, 1, fixture.patches + i * points), SHW_OK);
            }
        check_tree(boost, &fixture);
        fixture.samples = 513;
        check_tree(boost, &fixture);
        shw_boost_destroy(&boost);
        end(&fixture);
        end(&later);
    }
}

TESTING_CASE(threads_change_nothing)
{
    struct shw_boost_params limits = {0};
    struct shape shape = usual;

    shape.candidates = 100;
    assert_int_equal(shw_thread_pool_create(3, &limits.pool), SHW_OK);
    check(shape, 12, &limits);
    shw_thread_pool_destroy(&limits.pool);
}

/* Slices on the device and on the host, submissions and batches of any size. */
TESTING_CASE(limits_change_nothing)
{
    const struct shw_boost_params limits[] = {
        {.slice = 64},                                     /* several slices */
        {.memory = 1},                                     /* all patches on the host */
        {.memory = (1u << 20) + (1u << 18), .slice = 128}, /* some of them, where they are large */
        {.work_max = 1},                                   /* a submission per candidate and slice */
        {.slice = 192, .work_max = 3000},
    };
    struct shape odd = {5, 5, 333, 11, 20, 65535, 1000}, wide = {3, 3, 50, 4500, 3, 255, 1000};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        check(odd, 20 + i, &limits[i]);
    check(wide, 30, NULL);
    check((struct shape){16, 12, 1500, 40, 31, 4000, 1000}, 31, &limits[2]);
}

/* More nodes than a work group has room for, by a chain of splits. */
TESTING_CASE(many_nodes)
{
    enum { NODES = 150 };
    struct shape shape = {3, 3, 900, 20, 31, 1000, 1000};
    const struct shw_boost_params small = {.memory = 1};

    for (size_t t = 0; t < TECHNIQUE_COUNT; t++) {
        struct fixture fixture = make(shape, 40);
        struct shw_boost *boost = create(techniques[t], &fixture, t == 2 ? &small : NULL);
        uint32_t nodes[NODES + 1];
        put_all(boost, &fixture);
        assert_int_equal(shw_boost_begin(boost, fixture.weights, fixture.classes, fixture.samples), SHW_OK);
        for (uint32_t n = 0; n < NODES; n++) {
            struct shw_boost_split split = {2 * n, 2 * n + 1, {(uint8_t)(n % 3), 0, 1, (uint8_t)(1 + n % 2)}, 800};
            split.threshold -= (int32_t)n * 2000 / NODES;
            assert_int_equal(shw_boost_move(boost, &split, 1), SHW_OK);
            move(&fixture, &split, 1);
            nodes[n] = 2 * n + 1;
        }
        nodes[NODES] = 2 * NODES;
        check_nodes(boost, &fixture);
        check_count(boost, &fixture, nodes, NODES + 1);
        shw_boost_destroy(&boost);
        end(&fixture);
    }
}

/* A call that must fail with the error and a message of the item. */
#define REFUSED(call, error)                                                                                           \
    do {                                                                                                               \
        assert_int_equal(call, error);                                                                                 \
        assert_int_equal(memory.last_item, SHW_LOG_TRAIN_PARAMETER);                                                   \
        assert_int_equal(memory.errors, 1);                                                                            \
        memory = (struct testing_log){0};                                                                              \
    } while (0)

TESTING_CASE(wrong_arguments_are_refused)
{
    struct testing_log memory = {0};
    struct shw_boost_params params = {
        .width = 4, .height = 3, .technique = SHW_TECHNIQUE_CPU, .log = testing_log(&memory)};
    const uint16_t patches[2 * 12] = {0};
    const uint32_t places[] = {0, 1}, far[] = {SHW_BOOST_SAMPLES_MAX}, nodes[] = {0, 0};
    const uint32_t heavy[] = {SHW_BOOST_WEIGHT_MAX, 1}, light[] = {SHW_BOOST_WEIGHT_MAX - 1, 1};
    const uint8_t classes[] = {0, 1, 0}, wrong[] = {0, 2};
    struct shw_boost_pair pair = {3, 2, 0, 0};
    struct shw_boost_split split = {0, 65535, {0, 0, 0, 0}, 0};
    int32_t thresholds[32] = {0};
    struct shw_boost_candidates candidates = {1, 31, &pair, thresholds};
    uint32_t histograms[2 * 64];
    struct shw_boost *boost = NULL;

    params.log.level = SHW_LOG_ERROR;
    params.technique = SHW_TECHNIQUE_FRAGMENT;
    REFUSED(shw_boost_create(&params, &boost), SHW_ERROR_ARGUMENT);
    params.technique = SHW_TECHNIQUE_COMPUTE; /* without a device */
    REFUSED(shw_boost_create(&params, &boost), SHW_ERROR_ARGUMENT);
    params.technique = SHW_TECHNIQUE_CPU;
    params.width = 129;
    REFUSED(shw_boost_create(&params, &boost), SHW_ERROR_ARGUMENT);
    params.width = 4;
    assert_int_equal(shw_boost_create(&params, &boost), SHW_OK);
    REFUSED(shw_boost_put(boost, far, 1, patches), SHW_ERROR_LIMIT);
    assert_int_equal(shw_boost_put(boost, places, 2, patches), SHW_OK);
    REFUSED(shw_boost_begin(boost, heavy, classes, 3), SHW_ERROR_ARGUMENT);
    REFUSED(shw_boost_begin(boost, heavy, classes, 2), SHW_ERROR_ARGUMENT);
    REFUSED(shw_boost_begin(boost, light, wrong, 2), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_boost_begin(boost, light, classes, 2), SHW_OK);
    assert_int_equal(shw_boost_count(boost, &candidates, nodes, 1, histograms), SHW_OK);
    REFUSED(shw_boost_count(boost, &candidates, nodes, 2, histograms), SHW_ERROR_ARGUMENT);
    thresholds[30] = -1;
    REFUSED(shw_boost_count(boost, &candidates, nodes, 1, histograms), SHW_ERROR_ARGUMENT);
    candidates.threshold_count = 32;
    REFUSED(shw_boost_count(boost, &candidates, nodes, 1, histograms), SHW_ERROR_ARGUMENT);
    candidates.threshold_count = 0;
    REFUSED(shw_boost_count(boost, &candidates, nodes, 1, histograms), SHW_ERROR_ARGUMENT);
    candidates.threshold_count = 1;
    pair.y1 = 3;
    REFUSED(shw_boost_count(boost, &candidates, nodes, 1, histograms), SHW_ERROR_ARGUMENT);
    REFUSED(shw_boost_move(boost, &split, 1), SHW_ERROR_LIMIT);
    split.left = 1;
    split.pair.x2 = 4;
    REFUSED(shw_boost_move(boost, &split, 1), SHW_ERROR_ARGUMENT);
    shw_boost_destroy(&boost);
    shw_boost_destroy(&boost);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
