/* Pipelines made beforehand are those that labelling by a taught forest needs. */
#include "teach/train_worker.h"

#include "testing/device.h"
#include "testing/random_forest.h"
#include "vulkan/device.h"

TESTING_CASE(labellers_find_their_pipelines)
{
    struct shw_device *device = testing_device();
    const struct shw_program_cache *programs = &device->programs;
    struct random_forest_params shape = {.classes = 5, .trees = 3, .depth = 4, .split_percent = 70};
    struct shw_labeller_params params = {.device = device,
                                         .outputs = SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION,
                                         .width = 64,
                                         .height = 48,
                                         .slots = 2,
                                         .room = {8, 5, 1000}};
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forest = random_forest(&shape);
    uint32_t before = programs->count, made;

    view_label_pipelines_make(device, 3);
    made = programs->count;
    assert_true(made > before);
    params.forest = forest;
    for (uint32_t radius = 0; radius <= 40; radius += 20) {
        params.smoothing.radius = radius;
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        assert_int_equal(programs->count, made);
        shw_labeller_destroy(&labeller);
    }
    shw_forest_destroy(&forest);
    view_label_pipelines_make(device, 7);
    assert_true(programs->count > made);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
