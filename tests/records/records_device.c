/* Record forests on a device: every plan of data-parallel evaluation, evaluation in passes, small pieces. */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>

#include "records/evaluate/device.h"
#include "testing/record_forests.h"

/* An evaluator with a plan of the test's; many are made on the device without validation, which takes as long again. */
static void open_with(struct shw_record_evaluator *evaluator, struct shw_device *device,
                      const struct shw_record_forest *forest, const struct shw_record_compute_plan *plan)
{
    *evaluator = (struct shw_record_evaluator){.params = {.forest = forest,
                                                          .device = device,
                                                          .technique = SHW_RECORD_COMPUTE,
                                                          .memory = 1u << 20,
                                                          .slots = 1,
                                                          .threads = 2},
                                               .variant = &shw_record_variant_compute};
    assert_int_equal(shw_record_compute_create(&evaluator->params, plan, &evaluator->state), SHW_OK);
}

static bool has_room(const struct shw_record_device *device, const struct shw_record_compute_plan *plan)
{
    return shw_record_compute_shared_bytes(device, plan) <=
           device->device->properties.limits.maxComputeSharedMemorySize;
}

/* Plans that differ from the one that is chosen. */
static uint32_t make_plans(struct shw_device *on, const struct shw_record_forest *forest,
                           struct shw_record_compute_plan plans[8])
{
    struct shw_record_evaluator evaluator;
    const struct shw_record_device *device;
    struct shw_record_compute_plan plan;
    uint32_t count = 0;

    open_with(&evaluator, on, forest, NULL);
    device = evaluator.state;
    plan = shw_record_compute_plan_of(device);
    plans[count++] = plan;
    plan.codes_shared = false;
    plan.at_once = 1;
    plan.rounds = 3;
    plans[count++] = plan;
    plan.codes_shared = true;
    plan.lanes = 32;
    plan.at_once = 4;
    plan.nodes_shared = true;
    plan.nodes_shared = has_room(device, &plan);
    plans[count++] = plan;
    if (plan.complete) {
        plan.complete = false;
        plan.wide = shw_record_compute_is_wide(device, plan.column_bits);
        plans[count++] = plan;
    }
    plan.wide = true;
    plan.nodes_shared = false;
    plans[count++] = plan;
    shw_record_variant_compute.destroy(evaluator.state);
    return count;
}

static void check_forest(struct shw_device *device, const struct random_record_forest_params *params, uint64_t count)
{
    struct shw_record_forest *forest = random_record_forest(params);
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    float *values = random_records(forest, count, params->seed);
    struct plain_results expected = plain_evaluate(forest, values, count, info->attribute_count, 1, NULL);
    struct shw_record_compute_plan plans[8];
    uint32_t plan_count = make_plans(device, forest, plans);

    for (uint32_t p = 0; p<plan_count; p += count> 90 ? 1 : 3) { /* each is compiled */
        struct shw_record_evaluator evaluator;
        open_with(&evaluator, device, forest, &plans[p]);
        assert_evaluates(&evaluator, forest, values, count, &expected);
        shw_record_variant_compute.destroy(evaluator.state);
    }
    plain_results_free(&expected);
    free(values);
    shw_record_forest_destroy(&forest);
    testing_device_check();
}

TESTING_CASE(test_plans)
{
    check_forest(testing_device(), &(struct random_record_forest_params){.seed = 1}, 300);
    check_forest(testing_device_plain(), &(struct random_record_forest_params){.seed = 11, .depth = 4, .sets = 50}, 91);
    check_forest(testing_device_plain(),
                 &(struct random_record_forest_params){.seed = 2, .shape = TREE_BALANCED, .trees = 9, .outputs = 1},
                 80);
    check_forest(testing_device_plain(),
                 &(struct random_record_forest_params){.seed = 3, .shape = TREE_CHAIN, .depth = 70, .outputs = 2}, 40);
    check_forest(testing_device_plain(),
                 &(struct random_record_forest_params){.seed = 4, .shape = TREE_LEAF, .task = SHW_RECORD_VALUES}, 5);
    check_forest(testing_device_plain(),
                 &(struct random_record_forest_params){.seed = 5, .trees = 23, .one_value = true, .outputs = 7}, 64);
    check_forest(testing_device_plain(),
                 &(struct random_record_forest_params){.seed = 6, .no_missing = true, .large_values = true}, 1);
}

TESTING_CASE(test_passes)
{
    check_forest(testing_device(), &(struct random_record_forest_params){.seed = 7, .outputs = 40, .depth = 3}, 70);
    check_forest(
        testing_device(),
        &(struct random_record_forest_params){
            .seed = 8, .outputs = 19, .trees = 300, .depth = 2, .large_values = true, .task = SHW_RECORD_VALUES},
        33);
}

/* The same with the cut at the sum of the first of some records, which is then of class 0. */
static struct shw_record_forest *cut_at_first(struct shw_record_forest *forest, const float *values)
{
    struct shw_record_forest_info info = *shw_record_forest_get_info(forest);
    struct plain_results results = plain_evaluate(forest, values, 1, info.attribute_count, 1, NULL);
    struct shw_record_forest *cut = NULL;

    info.cut = results.sums[0];
    assert_int_equal(shw_record_forest_create(&info, NULL, &cut), SHW_OK);
    plain_results_free(&results);
    shw_record_forest_destroy(&forest);
    return cut;
}

/* Whatever the forest, work groups take no more shared memory than there is: devices that try are lost. */
TESTING_CASE(test_shared_memory)
{
    struct shw_device *device = testing_device_plain();
    uint32_t room = device->properties.limits.maxComputeSharedMemorySize;

    for (uint32_t lanes = 32; lanes <= 64; lanes *= 2)
        for (int more = -1; more <= 1; more++) {
            uint32_t attributes = (uint32_t)((int)(room / (lanes * sizeof(uint32_t))) + more);
            struct shw_record_forest *forest =
                random_record_forest(&(struct random_record_forest_params){.seed = lanes,
                                                                           .shape = TREE_BALANCED,
                                                                           .trees = 100,
                                                                           .depth = 8,
                                                                           .attributes = attributes,
                                                                           .outputs = 1});
            struct shw_record_evaluator evaluator;
            struct shw_record_compute_plan plan;
            open_with(&evaluator, device, forest, NULL);
            plan = shw_record_compute_plan_of(evaluator.state);
            assert_int_equal(plan.codes_shared, 32 * sizeof(uint32_t) * attributes < room);
            assert_true(has_room(evaluator.state, &plan));
            shw_record_variant_compute.destroy(evaluator.state);
            shw_record_forest_destroy(&forest);
        }
}

/* More tests than a lane may make in one dispatch: llvmpipe ends loops after 65,535 iterations without a word. */
TESTING_CASE(test_many_trees)
{
    struct shw_record_forest *forest = random_record_forest(&(struct random_record_forest_params){
        .seed = 10, .trees = 30000, .depth = 4, .shape = TREE_RANDOM, .outputs = 1});
    float *values = random_records(forest, 3, 10);
    struct plain_results expected;
    struct shw_record_evaluator evaluator;
    struct shw_record_compute_plan plan;

    forest = cut_at_first(forest, values);
    expected = plain_evaluate(forest, values, 3, shw_record_forest_get_info(forest)->attribute_count, 1, NULL);
    open_with(&evaluator, testing_device_plain(), forest, NULL);
    plan = shw_record_compute_plan_of(evaluator.state);
    shw_record_variant_compute.destroy(evaluator.state);
    plan.complete = false;
    plan.at_once = 1;
    open_with(&evaluator, testing_device_plain(), forest, &plan);
    assert_evaluates(&evaluator, forest, values, 3, &expected);
    shw_record_variant_compute.destroy(evaluator.state);
    plain_results_free(&expected);
    free(values);
    shw_record_forest_destroy(&forest);
}

/* Devices without one get it in their only queue. */
static void use_queue_for_copies(struct shw_device *device)
{
    if (device->own->transfer != VK_NULL_HANDLE)
        return;
    device->own->transfer = device->own->queue;
    device->own->transfer_family = device->queue_family;
}

/* Records from the host in many small pieces, as rows, as rows with more attributes, as columns, and as anything. */
TESTING_CASE(test_transfer)
{
    static const float missing = -2.0f;
    const struct {
        size_t record_stride, attribute_stride;
    } strides[] = {{7, 1}, {12, 1}, {1, 501}, {21, 3}};
    struct shw_record_forest *forest = random_record_forest(&(struct random_record_forest_params){.seed = 9});
    struct shw_record_evaluator evaluator;
    struct shw_record_device *device;
    float *values = random_records(forest, 3000, 9); /* more than are laid out */
    int64_t sums[500 * 3];
    uint32_t leaves[500 * 5], classes[500];
    const struct shw_record_results results = {.classes = classes, .sums = sums, .leaves = leaves};
    VkQueue transfer;

    for (uint32_t v = 0; v < 3000 * 7; v += 11)
        values[v] = missing;
    open_with(&evaluator, testing_device(), forest, NULL);
    device = evaluator.state;
    transfer = device->device->own->transfer;
    for (uint32_t s = 0; s < 3 * sizeof strides / sizeof *strides; s++) {
        const struct shw_records records = {.values = values,
                                            .count = 500,
                                            .attribute_count = 7,
                                            .record_stride = strides[s / 3].record_stride,
                                            .attribute_stride = strides[s / 3].attribute_stride,
                                            .has_missing = true,
                                            .missing = missing};
        struct plain_results expected =
            plain_evaluate(forest, values, records.count, records.record_stride, records.attribute_stride, &missing);
        device->transfer.is_direct = s % 3 == 0; /* all three, on any device */
        if (s % 3 == 2)
            use_queue_for_copies(device->device);
        device->transfer.piece_bytes = 4096;
        assert_int_equal(shw_record_evaluator_run(&evaluator, &records, &results), SHW_OK);
        assert_memory_equal(classes, expected.classes, sizeof classes);
        assert_memory_equal(sums, expected.sums, sizeof sums);
        assert_memory_equal(leaves, expected.leaves, sizeof leaves);
        plain_results_free(&expected);
        shw_record_transfer_end(&device->transfer);
        shw_record_transfer_begin(&evaluator.params, device, shw_record_device_record, &device->transfer);
        device->device->own->transfer = transfer;
    }
    shw_record_variant_compute.destroy(evaluator.state);
    free(values);
    shw_record_forest_destroy(&forest);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
