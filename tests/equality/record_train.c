/* Training of record forests: the same forest by every technique, with any number of threads and workers, any memory,
 * and after an interruption. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records/train/ranks.h"
#include "testing/device.h"
#include "testing/exchange.h"
#include "testing/sanitizers.h"

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

/* A training set, to be freed with free(), as its classes are. */
struct set {
    uint32_t records, attributes, missing_percent;
};

static struct shw_record_examples make(const struct set *set)
{
    size_t count = (size_t)set->records * set->attributes;
    float *values = malloc(count * sizeof *values);
    uint32_t *classes = malloc(set->records * sizeof *classes);
    struct testing_random random = {set->records + set->attributes};

    assert_true(values != NULL && classes != NULL);
    for (size_t i = 0; i < count; i++)
        values[i] =
            testing_random_below(&random, 100) < set->missing_percent
                ? NAN
                : ldexpf((float)testing_random_range(&random, -5000, 5000), (int)testing_random_below(&random, 4) - 10);
    for (uint32_t r = 0; r < set->records; r++) {
        float sum = 0;
        for (uint32_t a = 0; a < set->attributes && a < 3; a++)
            sum += isnan(values[(size_t)r * set->attributes + a]) ? 0.5F : values[(size_t)r * set->attributes + a];
        classes[r] = testing_random_below(&random, 10) == 0 ? testing_random_below(&random, 4)
                     : sum < -1                             ? 0
                     : sum < 0                              ? 1
                                                            : 2;
        if (testing_random_below(&random, 20) == 0)
            classes[r] = SHW_RECORD_CLASS_NONE;
    }
    return (struct shw_record_examples){
        .records = {.values = values, .count = set->records, .attribute_count = set->attributes},
        .classes = classes,
        .class_count = 4};
}

static void drop(struct shw_record_examples *examples)
{
    free((void *)(uintptr_t)examples->records.values);
    free((void *)(uintptr_t)examples->classes);
}

static struct shw_record_trainer *create(struct shw_record_trainer_params params, enum shw_technique technique,
                                         const struct shw_record_examples *examples, struct testing_log *memory)
{
    struct shw_record_trainer *trainer = NULL;

    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    params.log = testing_log(memory);
    assert_int_equal(shw_record_trainer_create(&params, examples, &trainer), SHW_OK);
    assert_int_equal(shw_record_trainer_get_technique(trainer), technique);
    return trainer;
}

/* Steps to the end, destroys the trainer, and returns the hash of its forest. */
static uint64_t finish(struct shw_record_trainer *trainer)
{
    struct shw_record_forest *forest = NULL;
    bool finished = false;
    uint64_t hash;

    while (!finished)
        assert_int_equal(shw_record_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_record_trainer_get_forest(trainer, &forest), SHW_OK);
    hash = shw_record_forest_hash(forest);
    shw_record_forest_destroy(&forest);
    shw_record_trainer_destroy(&trainer);
    return hash;
}

static uint64_t train(struct shw_record_trainer_params params, enum shw_technique technique,
                      const struct shw_record_examples *examples)
{
    struct testing_log memory = {0};
    uint64_t hash = finish(create(params, technique, examples, &memory));

    assert_int_equal(memory.errors, 0);
    return hash;
}

/* Few and many attributes, without and with missing values, several images, several blocks of rows. */
static const struct {
    struct set set;
    struct shw_record_trainer_params params;
} cases[] = {
    {{200, 1, 0}, {.tree_count = 2}},
    {{300, 6, 25}, {.tree_count = 2, .score = SHW_SCORE_GINI, .weighting = SHW_WEIGHTING_INVERSE}},
    {{18000, 2, 5}, {.tree_count = 1, .depth = 5, .bins = 60, .attributes = SHW_RECORD_ATTRIBUTES_ALL}},
    {{60, 10000, 2}, {.tree_count = 1, .attributes = 40, .depth = 3, .score = SHW_SCORE_NORMALISED_GAIN}},
};

TESTING_CASE(techniques_agree)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += TESTING_ADDRESS_SANITIZED ? 2 : 1) {
        struct shw_record_examples examples = make(&cases[i].set);
        struct shw_record_trainer_params params = cases[i].params;
        uint64_t expected = train(params, SHW_TECHNIQUE_CPU, &examples);
        for (int t = 1; t < 3; t++)
            if (train(params, techniques[t], &examples) != expected)
                fail_msg("set %zu: another forest by %s", i, shw_technique_name(techniques[t]));
        params.threads = 3;
        assert_true(train(params, SHW_TECHNIQUE_CPU, &examples) == expected);
        params.seed = 1;
        assert_true(train(params, SHW_TECHNIQUE_CPU, &examples) != expected);
        drop(&examples);
    }
    testing_device_check();
}

/* The least memory that is enough, found by halving what is. */
TESTING_CASE(little_memory_is_enough)
{
    const struct set set = {40000, 8, 5};
    struct shw_record_examples examples = make(&set);
    struct shw_record_trainer_params params = {.tree_count = 1, .depth = 6, .threads = 1};
    uint64_t expected = train(params, SHW_TECHNIQUE_CPU, &examples);
    bool refused = false;

    for (params.memory = 1 << 25; !refused; params.memory = params.memory * 2 / 3) {
        struct testing_log memory = {0};
        struct shw_record_trainer *trainer = create(params, SHW_TECHNIQUE_CPU, &examples, &memory);
        bool finished;
        enum shw_result result = shw_record_trainer_step(trainer, &finished);
        refused = result == SHW_ERROR_LIMIT;
        assert_true(refused || result == SHW_OK);
        if (refused)
            shw_record_trainer_destroy(&trainer);
        else
            assert_true(finish(trainer) == expected);
    }
    drop(&examples);
}

TESTING_CASE(interruptions_change_nothing)
{
    const struct set set = {300, 7, 10};
    const char *path = testing_path("checkpoint.ktx2");
    struct shw_record_examples examples = make(&set);
    const struct shw_record_trainer_params params = {.tree_count = 3, .seed = 4, .notes = "{\"a\":1}"};
    uint64_t expected = train(params, SHW_TECHNIQUE_CPU, &examples);

    for (uint32_t rounds = 0; rounds < 60; rounds += rounds < 6 ? 3 : 23) {
        struct testing_log memory = {0};
        struct shw_record_trainer *trainer = create(params, techniques[rounds % 2], &examples, &memory);
        bool finished = false;
        for (uint32_t r = 0; r < rounds && !finished; r++)
            assert_int_equal(shw_record_trainer_step(trainer, &finished), SHW_OK);
        shw_record_trainer_interrupt(trainer);
        if (!finished)
            assert_int_equal(shw_record_trainer_step(trainer, &finished), SHW_ERROR_CANCELLED);
        assert_int_equal(shw_record_trainer_save(trainer, path), SHW_OK);
        shw_record_trainer_destroy(&trainer);
        trainer = create(params, SHW_TECHNIQUE_CPU, &examples, &memory);
        assert_int_equal(shw_record_trainer_load(trainer, path), SHW_OK);
        assert_true(finish(trainer) == expected);
    }
    testing_device_check();
    drop(&examples);
}

/* A checkpoint of other parameters, of other values with the same ranks, and of other classes. */
TESTING_CASE(other_checkpoints_are_refused)
{
    const struct set set = {100, 4, 0};
    const char *path = testing_path("checkpoint.ktx2");
    struct shw_record_examples examples = make(&set);
    const struct shw_record_trainer_params params = {.tree_count = 2};
    struct shw_record_trainer_params other = params;
    struct testing_log memory = {0};
    struct shw_record_trainer *trainer = create(params, SHW_TECHNIQUE_CPU, &examples, &memory);

    assert_int_equal(shw_record_trainer_save(trainer, path), SHW_OK);
    shw_record_trainer_destroy(&trainer);
    other.attributes = 1;
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            for (uint32_t v = 0; v < 400; v++)
                ((float *)(uintptr_t)examples.records.values)[v] *= 2;
        if (i == 2)
            for (uint32_t v = 0; v < 400; v++)
                ((float *)(uintptr_t)examples.records.values)[v] /= 2;
        if (i == 2)
            ((uint32_t *)(uintptr_t)examples.classes)[7] ^= 1;
        trainer = create(i == 0 ? other : params, SHW_TECHNIQUE_CPU, &examples, &memory);
        assert_int_equal(shw_record_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
        shw_record_trainer_destroy(&trainer);
    }
    drop(&examples);
}

/* Copies the checkpoint of a finished training, with the root of its first tree changed. */
static void falsify(const char *from, const char *to, uint32_t word, uint32_t by, int32_t t0)
{
    const struct shw_feature_type *const types[] = {&shw_feature_attribute};
    const struct shw_forest_load_params load = {.features = types, .feature_count = 1, .kinds = shw_attribute_channels};
    struct shw_forest *forest = NULL, *changed = NULL;
    struct shw_tree_info tree;
    struct shw_node *nodes;
    uint16_t *distributions;
    struct shw_tree tampered;

    assert_int_equal(shw_forest_load(from, &load, &forest), SHW_OK);
    tree = shw_forest_get_tree(forest, 0);
    nodes = malloc(tree.node_count * sizeof *nodes);
    distributions = malloc((size_t)tree.leaf_count * 4 * sizeof *distributions);
    assert_true(nodes != NULL && distributions != NULL);
    for (uint32_t n = 0; n < tree.node_count; n++)
        nodes[n] = shw_forest_get_node(forest, 0, n);
    for (uint32_t l = 0; l < tree.leaf_count; l++)
        memcpy(distributions + (size_t)4 * l, shw_forest_get_distribution(forest, 0, l), 4 * sizeof *distributions);
    nodes[0].feature.words[word] += by;
    nodes[0].t0 += t0;
    tampered = (struct shw_tree){.nodes = nodes, .node_count = tree.node_count, .distributions = distributions};
    assert_int_equal(
        shw_forest_create(&(struct shw_forest_params){.info = *shw_forest_get_info(forest), .trees = &tampered},
                          &changed),
        SHW_OK);
    assert_int_equal(shw_forest_save(changed, to, NULL), SHW_OK);
    shw_forest_destroy(&forest);
    shw_forest_destroy(&changed);
    free(nodes);
    free(distributions);
}

/* Attributes that there are not, thresholds that no value has, and tests that do not divide the examples. */
TESTING_CASE(made_up_checkpoints_are_refused)
{
    static const struct {
        uint32_t word, by;
        int32_t t0;
        enum shw_result result;
    } changes[] = {{1, 0, 0, SHW_OK},
                   {1, 7, 0, SHW_ERROR_FORMAT},
                   {1, 8000, 0, SHW_ERROR_FORMAT},
                   {1, 0, 32000, SHW_ERROR_FORMAT},
                   {1, 0, -900, SHW_ERROR_FORMAT},
                   {1, 0, INT32_MAX, SHW_ERROR_FORMAT}};
    const struct set set = {100, 4, 0};
    char path[256];
    const char *other = testing_path("other.ktx2");
    struct shw_record_examples examples = make(&set);
    const struct shw_record_trainer_params params = {.tree_count = 1, .records_percent = 100};
    struct testing_log memory = {0};
    struct shw_record_trainer *trainer = create(params, SHW_TECHNIQUE_CPU, &examples, &memory);
    bool finished = false;

    snprintf(path, sizeof path, "%s", testing_path("finished.ktx2"));
    while (!finished)
        assert_int_equal(shw_record_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_record_trainer_save(trainer, path), SHW_OK);
    shw_record_trainer_destroy(&trainer);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        falsify(path, other, changes[i].word, changes[i].by, changes[i].t0);
        trainer = create(params, SHW_TECHNIQUE_CPU, &examples, &memory);
        assert_int_equal(shw_record_trainer_load(trainer, other), SHW_OK);
        assert_int_equal(shw_record_trainer_step(trainer, &finished), changes[i].result);
        shw_record_trainer_destroy(&trainer);
    }
    drop(&examples);
}

struct worker {
    struct testing_table *table;
    struct shw_train_exchange exchange;
    struct shw_record_trainer_params params;
    const struct shw_record_examples *examples;
    pthread_t thread;
    uint64_t hash;
};

static enum shw_result gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    struct worker *worker = user;

    return testing_table_gather(worker->table, worker->exchange.worker, mine, word_count, all);
}

static void *work(void *user)
{
    struct worker *worker = user;
    struct shw_record_forest *forest = NULL;
    bool trained = shw_record_train(&worker->params, worker->examples, &forest) == SHW_OK;

    if (trained)
        worker->hash = shw_record_forest_hash(forest);
    shw_record_forest_destroy(&forest);
    testing_table_leave(worker->table, trained);
    return NULL;
}

TESTING_CASE(workers_agree)
{
    const struct set set = {300, 9, 10};
    struct shw_record_examples examples = make(&set);
    const struct shw_record_trainer_params params = {.tree_count = 2, .threads = 1};
    uint64_t expected = train(params, SHW_TECHNIQUE_CPU, &examples);
    struct worker workers[2];
    struct testing_table table;

    testing_table_open(&table, 2);
    for (uint32_t w = 0; w < 2; w++) {
        workers[w] = (struct worker){.table = &table, .params = params, .examples = &examples};
        workers[w].exchange =
            (struct shw_train_exchange){.worker = w, .worker_count = 2, .user = &workers[w], .gather = gather};
        workers[w].params.exchange = &workers[w].exchange;
        assert_int_equal(pthread_create(&workers[w].thread, NULL, work, &workers[w]), 0);
    }
    for (uint32_t w = 0; w < 2; w++)
        pthread_join(workers[w].thread, NULL);
    testing_table_close(&table);
    assert_true(workers[0].hash == expected && workers[1].hash == expected);
    drop(&examples);
}
