#include "null_arguments.h"

#include <stdlib.h>

#include <shadewood/shadewood.h>

#include "testing/record_forests.h"

TESTING_CASE(of_record_forests)
{
    struct shw_record_forest *forest = random_record_forest(&(struct random_record_forest_params){0}), *other = NULL;
    const struct shw_record_forest_info info = {.task = SHW_RECORD_VALUES,
                                                .attribute_count = 1,
                                                .output_count = 1,
                                                .values_per_leaf = 1,
                                                .tree_count = 1,
                                                .node_count = 1,
                                                .leaf_count = 1};
    const char byte = 0;
    const int64_t sum = 0;
    float prediction = 7;
    void *bytes = NULL;
    size_t size;

    NO_POINTERS(shw_record_link_name);
    NO_POINTERS(shw_record_code_of);
    NO_POINTERS(shw_record_code_value);
    NO_POINTERS(shw_record_threshold_at_most);
    NO_POINTERS(shw_record_threshold_below);
    REFUSED(shw_record_forest_create(NULL, NULL, &other));
    REFUSED(shw_record_forest_create(shw_record_forest_get_info(forest), NULL, NULL));
    REFUSED(shw_record_forest_create(&info, NULL, &other)); /* no trees */
    REFUSED(shw_record_forest_load(NULL, NULL, &other));
    REFUSED(shw_record_forest_load("none", NULL, NULL));
    REFUSED(shw_record_forest_load_memory(NULL, 1, NULL, NULL, &other));
    REFUSED(shw_record_forest_load_memory(&byte, 1, NULL, NULL, NULL));
    REFUSED(shw_record_forest_save(NULL, "none", NULL));
    REFUSED(shw_record_forest_save(forest, NULL, NULL));
    REFUSED(shw_record_forest_save_memory(NULL, &bytes, &size));
    REFUSED(shw_record_forest_save_memory(forest, NULL, &size));
    REFUSED(shw_record_forest_save_memory(forest, &bytes, NULL));
    RETURNS(shw_record_forest_get_info(NULL), == NULL);
    RETURNS(shw_record_forest_get_texture(NULL), .texels == NULL);
    RETURNS(shw_record_forest_hash(NULL), == 0);
    RETURNS(shw_record_forest_get_prediction_count(NULL), == 0);
    SURVIVES(shw_record_forest_predict(NULL, 1, &sum, &prediction));
    SURVIVES(shw_record_forest_predict(forest, 1, NULL, &prediction));
    SURVIVES(shw_record_forest_predict(forest, 1, &sum, NULL));
    assert_true(prediction == 7);
    SURVIVES(shw_record_forest_destroy(NULL));
    SURVIVES(shw_record_forest_destroy(&other));
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(of_importers)
{
    const struct shw_import_params params = {0};
    struct shw_forest *forest = NULL;
    struct shw_cascade *cascade = NULL;
    struct shw_record_forest *records = NULL;

    NO_POINTERS(shw_import_format_get);
    RETURNS(shw_import_format_find(NULL), == NULL);
    RETURNS(shw_import_recognise(NULL), == NULL);
    REFUSED(shw_forest_import(NULL, &forest));
    REFUSED(shw_forest_import(&params, NULL));
    REFUSED(shw_forest_import(&params, &forest)); /* no sources */
    REFUSED(shw_cascade_import(NULL, &cascade));
    REFUSED(shw_cascade_import(&params, NULL));
    REFUSED(shw_cascade_import(&params, &cascade));
    REFUSED(shw_record_forest_import(NULL, &records));
    REFUSED(shw_record_forest_import(&params, NULL));
    REFUSED(shw_record_forest_import(&params, &records));
    REFUSED(shw_cascade_open(NULL, NULL, &cascade));
    REFUSED(shw_cascade_open("none", NULL, NULL));
    REFUSED(shw_record_forest_open(NULL, NULL, &records));
    REFUSED(shw_record_forest_open("none", NULL, NULL));
}

TESTING_CASE(of_data_sets)
{
    struct shw_dataset *dataset = NULL;

    REFUSED(shw_array_dataset_create(NULL, &dataset));
    REFUSED(shw_array_dataset_create(&(const struct shw_array_dataset_params){0}, NULL));
    REFUSED(shw_array_dataset_create(&(const struct shw_array_dataset_params){0}, &dataset)); /* no images */
    SURVIVES(shw_array_dataset_destroy(NULL));
    SURVIVES(shw_array_dataset_destroy(&dataset));
    SURVIVES(shw_free(NULL));
    NO_POINTERS(shw_last_error);
}

TESTING_CASE(of_record_evaluators)
{
    struct shw_record_forest *forest = random_record_forest(&(struct random_record_forest_params){0});
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = SHW_RECORD_SERIAL, .threads = 1};
    const float values[64] = {0};
    const struct shw_records records = {
        .values = values, .count = 1, .attribute_count = shw_record_forest_get_info(forest)->attribute_count};
    struct shw_records lacking = records;
    int64_t sums[64];
    const struct shw_record_results results = {.sums = sums};
    const struct shw_record_source source = {0};
    const struct shw_record_target target = {0};
    VkCommandBuffer commands = (VkCommandBuffer)(void *)&lacking; /* never used */
    struct shw_record_evaluator *evaluator = NULL;

    assert_in_range(records.attribute_count, 1, 64);
    NO_POINTERS(shw_record_technique_name);
    NO_POINTERS(shw_record_technique_needs_device);
    REFUSED(shw_record_evaluator_create(NULL, &evaluator));
    REFUSED(shw_record_evaluator_create(&params, NULL));
    REFUSED(shw_record_evaluator_create(&(struct shw_record_evaluator_params){0}, &evaluator)); /* no forest */
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
    RETURNS(shw_record_evaluator_get_technique(NULL), == SHW_RECORD_AUTO);
    RETURNS(shw_record_evaluator_get_seconds(NULL), .outer == 0);
    REFUSED(shw_record_evaluator_run(NULL, &records, &results));
    REFUSED(shw_record_evaluator_run(evaluator, NULL, &results));
    REFUSED(shw_record_evaluator_run(evaluator, &records, NULL));
    REFUSED(shw_record_evaluator_run(evaluator, &records, &(struct shw_record_results){0}));
    lacking.values = NULL;
    REFUSED(shw_record_evaluator_run(evaluator, &lacking, &results));
    REFUSED(shw_record_evaluator_record(NULL, commands, 0, &source, &target));
    REFUSED(shw_record_evaluator_record(evaluator, NULL, 0, &source, &target));
    REFUSED(shw_record_evaluator_record(evaluator, commands, 0, NULL, &target));
    REFUSED(shw_record_evaluator_record(evaluator, commands, 0, &source, NULL));
    SURVIVES(shw_record_evaluator_interrupt(NULL));
    SURVIVES(shw_record_evaluator_interrupt(evaluator));
    assert_int_equal(shw_record_evaluator_run(evaluator, &records, &results), SHW_ERROR_CANCELLED);
    shw_record_evaluator_destroy(&evaluator);
    SURVIVES(shw_record_evaluator_destroy(NULL));
    SURVIVES(shw_record_evaluator_destroy(&evaluator));
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(of_record_trainers)
{
    const float values[] = {1, 2};
    const uint32_t classes[] = {0, 1};
    const struct shw_record_examples examples = {
        .records = {.values = values, .count = 2, .attribute_count = 1}, .classes = classes, .class_count = 2};
    struct shw_record_examples lacking = examples;
    const struct shw_record_trainer_params params = {.tree_count = 1, .threads = 1};
    struct shw_record_trainer *trainer = NULL;
    struct shw_record_forest *forest = NULL;
    struct shw_record_out_of_bag out_of_bag;
    struct shw_train_progress progress;
    bool finished;

    REFUSED(shw_record_trainer_create(NULL, &examples, &trainer));
    REFUSED(shw_record_trainer_create(&params, NULL, &trainer));
    REFUSED(shw_record_trainer_create(&params, &examples, NULL));
    lacking.classes = NULL;
    REFUSED(shw_record_trainer_create(&params, &lacking, &trainer));
    lacking = examples;
    lacking.records.values = NULL;
    REFUSED(shw_record_trainer_create(&params, &lacking, &trainer));
    assert_int_equal(shw_record_trainer_create(&params, &examples, &trainer), SHW_OK);
    REFUSED(shw_record_trainer_step(NULL, &finished));
    REFUSED(shw_record_trainer_step(trainer, NULL));
    REFUSED(shw_record_trainer_save(NULL, "none"));
    REFUSED(shw_record_trainer_save(trainer, NULL));
    REFUSED(shw_record_trainer_load(NULL, "none"));
    REFUSED(shw_record_trainer_load(trainer, NULL));
    REFUSED(shw_record_trainer_get_forest(NULL, &forest));
    REFUSED(shw_record_trainer_get_forest(trainer, NULL));
    REFUSED(shw_record_trainer_get_out_of_bag(NULL, &out_of_bag));
    REFUSED(shw_record_trainer_get_out_of_bag(trainer, NULL));
    RETURNS(shw_record_trainer_get_technique(NULL), == SHW_TECHNIQUE_AUTO);
    SURVIVES(shw_record_trainer_interrupt(NULL));
    SURVIVES(shw_record_trainer_get_progress(NULL, &progress));
    SURVIVES(shw_record_trainer_get_progress(trainer, NULL));
    REFUSED(shw_record_train(NULL, &examples, &forest));
    REFUSED(shw_record_train(&params, NULL, &forest));
    REFUSED(shw_record_train(&params, &examples, NULL));
    shw_record_trainer_destroy(&trainer);
    SURVIVES(shw_record_trainer_destroy(NULL));
    SURVIVES(shw_record_trainer_destroy(&trainer));
}
