/* The teacher of strokes in this process. */
#include "files/project/teacher.h"

#include "testing/device.h"
#include "testing/painting.h"
#include "vulkan/device.h"

static unsigned pipelines;
static PFN_vkCreateComputePipelines real_create;

static VKAPI_ATTR VkResult VKAPI_CALL count_pipeline(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator, VkPipeline *made)
{
    pipelines += count;
    return real_create(device, cache, count, infos, allocator, made);
}

/* What takes long is done before there are strokes: none of the programs that the first training needs is made by it.
 */
TESTING_CASE(the_first_training_finds_its_programs)
{
    const struct shw_log log = {0};
    struct shw_device *device = testing_device();
    const struct shw_local_teacher_params params = {.device = device, .technique = SHW_TECHNIQUE_COMPUTE, .threads = 2};
    const struct shw_teacher_watch watch = {NULL};
    struct shw_project *project = testing_paint_project(60, 50, NULL);
    struct shw_project_training training = shw_project_get_training(project);
    struct shw_training_set *set = NULL;
    struct shw_forest *forest = NULL;
    struct shw_teacher teacher;

    training.channels[0] = '\0'; /* those of a new project */
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 0, c, 20);
    assert_int_equal(shw_training_set_make(project, &log, &set), SHW_OK);
    assert_int_equal(shw_local_teacher_create(&params, &teacher), SHW_OK);
    real_create = device->vk.CreateComputePipelines;
    device->vk.CreateComputePipelines = count_pipeline;
    shw_local_teacher_warm_up(&teacher);
    assert_true(pipelines > 0);
    pipelines = 0;
    assert_int_equal(shw_teacher_grow(&teacher, set, SHW_LESSON_SMALL, &watch, &forest, NULL), SHW_OK);
    device->vk.CreateComputePipelines = real_create;
    assert_int_equal(pipelines, 0);
    shw_forest_destroy(&forest);
    shw_teacher_destroy(&teacher);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
