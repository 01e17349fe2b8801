/* Trees that are trained apart, by different techniques, and merged: the file of one training. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"

static struct shw_trainer *create(struct shw_trainer_params params, struct testing_examples *examples,
                                  enum shw_technique technique, struct testing_log *memory)
{
    struct shw_trainer *trainer;

    params.log = testing_log(memory);
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    examples->dataset.user = examples;
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    return trainer;
}

/* Trees `first` to `end` - 1, interrupted after `rounds` and resumed. */
static struct shw_forest *train(struct shw_trainer_params params, struct testing_examples *examples, uint32_t first,
                                uint32_t end, enum shw_technique technique, uint32_t rounds)
{
    const char *path = testing_path("checkpoint.ktx2");
    struct testing_log memory;
    struct shw_trainer *trainer;
    struct shw_forest *forest = NULL;
    bool finished = false;

    params.first_tree = first;
    params.tree_count = end - first;
    trainer = create(params, examples, technique, &memory);
    for (uint32_t round = 0; round < rounds; round++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    trainer = create(params, examples, technique, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    for (finished = false; !finished;)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    shw_trainer_destroy(&trainer);
    return forest;
}

static void assert_same_bytes(const struct shw_forest *a, const struct shw_forest *b, uint32_t variant)
{
    void *bytes[2];
    size_t sizes[2];

    assert_int_equal(shw_forest_save_memory(a, &bytes[0], &sizes[0]), SHW_OK);
    assert_int_equal(shw_forest_save_memory(b, &bytes[1], &sizes[1]), SHW_OK);
    if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
        fail_msg("variant %u: the merged forest is another", variant);
    free(bytes[0]);
    free(bytes[1]);
}

TESTING_CASE(parts_become_the_whole)
{
    struct testing_examples_params of_examples = {.seed = 51, .void_percent = 15};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    uint32_t count = testing_training_variants(list);
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 5) {
        struct shw_forest *whole, *parts[3], *merged = NULL;

        list[i].folds = 0; /* which single trees cannot have */
        whole = train(list[i], &examples, 0, 4, SHW_TECHNIQUE_CPU, 0);
        parts[0] = train(list[i], &examples, 2, 3, SHW_TECHNIQUE_COMPUTE, 2);
        parts[1] = train(list[i], &examples, 0, 2, SHW_TECHNIQUE_CPU, 3);
        parts[2] = train(list[i], &examples, 3, 4, SHW_TECHNIQUE_BLEND, 1);
        const struct shw_forest_part named[3] = {{parts[0], "c"}, {parts[1], "ab"}, {parts[2], "d"}};
        assert_int_equal(shw_forest_merge(named, 3, NULL, &merged), SHW_OK);
        assert_same_bytes(merged, whole, i);
        for (int p = 0; p < 3; p++)
            shw_forest_destroy(&parts[p]);
        shw_forest_destroy(&merged);
        shw_forest_destroy(&whole);
    }
    testing_examples_free(&examples);
    testing_device_check();
}
