/* Training that is interrupted by one technique and goes on by another: the same forest. */
#include "testing/testing.h"

#include <string.h>

#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"
#include "vulkan/commands.h"

static struct shw_trainer *create(struct shw_trainer_params params, const struct testing_examples *examples,
                                  enum shw_technique technique, struct testing_log *memory)
{
    struct shw_trainer *trainer;

    params.log = testing_log(memory);
    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    assert_int_equal(shw_trainer_create(&params, &examples->dataset, &trainer), SHW_OK);
    return trainer;
}

TESTING_CASE(techniques_take_turns)
{
    struct testing_examples_params of_examples = {.seed = 31, .void_percent = 15};
    static const enum shw_technique pairs[][2] = {{SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE},
                                                  {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU},
                                                  {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND},
                                                  {SHW_TECHNIQUE_BLEND, SHW_TECHNIQUE_CPU},
                                                  {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_BLEND}};
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    const char *path = testing_path("checkpoint.ktx2");
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&of_examples, &examples);
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_trainer_params *params = &list[i];
        const enum shw_technique *pair = pairs[i % 5];
        struct testing_log memory;
        struct shw_trainer *trainer;
        bool finished = false;
        uint64_t expected;
        expected = testing_finish(create(*params, &examples, SHW_TECHNIQUE_CPU, &memory));
        trainer = create(*params, &examples, pair[0], &memory);
        for (uint32_t round = 0; round < i % 11; round++)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        shw_trainer_destroy(&trainer);
        trainer = create(*params, &examples, pair[1], &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        if (testing_finish(trainer) != expected)
            fail_msg("variant %u, from %s to %s after %u rounds: another forest", i, shw_technique_name(pair[0]),
                     shw_technique_name(pair[1]), i % 11);
        assert_int_equal(memory.errors, 0);
    }
    testing_device_check();
    testing_examples_free(&examples);
}

/* A checkpoint made between slices of a round holds what was before the round. */
TESTING_CASE(slices_can_be_saved)
{
    struct testing_examples_params of_examples = {.seed = 31};
    struct shw_trainer_params params = testing_training;
    const char *path = testing_path("slices.ktx2");
    struct testing_examples examples;
    struct testing_log memory, other_memory;
    struct shw_trainer *trainer;
    bool finished = false;
    uint32_t slices = 0, saved = 0;
    uint64_t expected;

    testing_examples_make(&of_examples, &examples);
    expected = testing_finish(create(params, &examples, SHW_TECHNIQUE_CPU, &memory));
    params.work_max = 1000;
    trainer = create(params, &examples, SHW_TECHNIQUE_COMPUTE, &memory);
    while (!finished) {
        VkCommandBuffer commands;
        assert_int_equal(shw_submit_begin(testing_device(), &commands), SHW_OK);
        assert_int_equal(shw_trainer_record(trainer, commands), SHW_OK);
        if (slices++ == saved * saved) {
            struct shw_trainer *other = create(params, &examples, SHW_TECHNIQUE_CPU, &other_memory);
            assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
            assert_int_equal(shw_trainer_load(other, path), SHW_OK);
            assert_true(testing_finish(other) == expected);
            saved++;
        }
        assert_int_equal(shw_submit_wait(testing_device(), commands), SHW_OK);
        assert_int_equal(shw_trainer_complete(trainer, &finished), SHW_OK);
    }
    assert_true(testing_finish(trainer) == expected);
    assert_in_range(saved, 5, 100);
    testing_device_check();
    testing_examples_free(&examples);
}

/* The previous frame belongs to the training set as the image does. */
TESTING_CASE(other_previous_frames_are_refused)
{
    struct testing_examples_params of_examples = {.seed = 31};
    struct shw_trainer_params params = testing_training;
    const char *path = testing_path("previous.ktx2");
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer *trainer;
    bool finished = false;

    params.channels = "dt,rgb";
    testing_examples_make(&of_examples, &examples);
    trainer = create(params, &examples, SHW_TECHNIQUE_CPU, &memory);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    ((uint8_t *)(uintptr_t)examples.examples[1].inputs[2].image.pixels)[4] ^= 1;
    trainer = create(params, &examples, SHW_TECHNIQUE_CPU, &memory);
    if (shw_trainer_prepare(trainer) == SHW_OK)
        assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "their pixels differ"));
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
