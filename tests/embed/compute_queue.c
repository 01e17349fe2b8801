/* A queue family with compute but without graphics. llvmpipe has a single family, with both, so that the test plays
 * one: Shadewood is told that the family lacks graphics, and whatever it records is checked for what such a queue does
 * not take. The commands themselves run on the family that there is. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "testing/examples.h"
#include "testing/training.h"

enum { WIDTH = 45, HEIGHT = 31, SLOTS = 2, TREES = 5, CLASSES = 6 };

#define COMPUTE_STAGES                                                                                                 \
    (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |  \
     VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_HOST_BIT |              \
     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)
#define COMPUTE_ACCESS                                                                                                 \
    (VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_SHADER_READ_BIT |                    \
     VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |                         \
     VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

static struct {
    const struct engine *engine;
    unsigned barriers, graphics; /* seen; and what a queue without graphics does not take */
} watch;

static bool is_of_graphics(VkImageLayout layout)
{
    return layout == VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
}

static VKAPI_ATTR void VKAPI_CALL pipeline_barrier(VkCommandBuffer commands, VkPipelineStageFlags before,
                                                   VkPipelineStageFlags after, VkDependencyFlags flags,
                                                   uint32_t memory_count, const VkMemoryBarrier *memory,
                                                   uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                                   uint32_t image_count, const VkImageMemoryBarrier *images)
{
    VkAccessFlags access = 0;

    for (uint32_t i = 0; i < memory_count; i++)
        access |= memory[i].srcAccessMask | memory[i].dstAccessMask;
    for (uint32_t i = 0; i < buffer_count; i++)
        access |= buffers[i].srcAccessMask | buffers[i].dstAccessMask;
    for (uint32_t i = 0; i < image_count; i++) {
        access |= images[i].srcAccessMask | images[i].dstAccessMask;
        watch.graphics += is_of_graphics(images[i].oldLayout) || is_of_graphics(images[i].newLayout);
    }
    watch.barriers++;
    watch.graphics += ((before | after) & ~(VkPipelineStageFlags)COMPUTE_STAGES) != 0;
    watch.graphics += (access & ~(VkAccessFlags)COMPUTE_ACCESS) != 0;
    watch.engine->vk.CmdPipelineBarrier(commands, before, after, flags, memory_count, memory, buffer_count, buffers,
                                        image_count, images);
}

static VKAPI_ATTR void VKAPI_CALL begin_render_pass(VkCommandBuffer commands, const VkRenderPassBeginInfo *info,
                                                    VkSubpassContents contents)
{
    watch.graphics++;
    watch.engine->vk.CmdBeginRenderPass(commands, info, contents);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkGraphicsPipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
    watch.graphics++;
    return watch.engine->vk.CreateGraphicsPipelines(device, cache, count, infos, allocator, pipelines);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char *name)
{
    if (strcmp(name, "vkCmdPipelineBarrier") == 0)
        return (PFN_vkVoidFunction)pipeline_barrier;
    if (strcmp(name, "vkCmdBeginRenderPass") == 0)
        return (PFN_vkVoidFunction)begin_render_pass;
    if (strcmp(name, "vkCreateGraphicsPipelines") == 0)
        return (PFN_vkVoidFunction)create_graphics;
    return watch.engine->vk.GetDeviceProcAddr(device, name);
}

static VKAPI_ATTR void VKAPI_CALL families_without_graphics(VkPhysicalDevice physical, uint32_t *count,
                                                            VkQueueFamilyProperties *families)
{
    watch.engine->vk.GetPhysicalDeviceQueueFamilyProperties(physical, count, families);
    for (uint32_t i = 0; families != NULL && i < *count; i++)
        families[i].queueFlags &= ~(VkQueueFlags)VK_QUEUE_GRAPHICS_BIT;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_function(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_function;
    if (strcmp(name, "vkGetPhysicalDeviceQueueFamilyProperties") == 0)
        return (PFN_vkVoidFunction)families_without_graphics;
    return watch.engine->get(instance, name);
}

static void open_without_graphics(struct scene *scene)
{
    const struct random_forest_params forest = {
        .seed = 21, .channels = SHW_CHANNELS_WIDE, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};
    struct shw_device_import_params params = {.get_instance_proc_addr = get_function};
    struct shw_device_description description;

    memset(scene, 0, sizeof *scene);
    engine_open(&scene->engine);
    memset(&watch, 0, sizeof watch);
    watch.engine = &scene->engine;
    params.instance = scene->engine.instance;
    params.physical_device = scene->engine.physical;
    params.device = scene->engine.handle;
    params.queue_family = scene->engine.family;
    params.api_version = ENGINE_VERSION;
    params.instance_extensions = scene->engine.extensions;
    params.instance_extension_count = scene->engine.extension_count;
    params.log = testing_log(&scene->memory);
    assert_int_equal(shw_device_import(&params, &scene->device), SHW_OK);
    shw_device_describe(scene->device, &description);
    assert_true(description.meets_requirements && !description.has_graphics);
    scene->forest = random_forest(&forest);
}

static void close_without_graphics(struct scene *scene)
{
    assert_true(watch.barriers > 0);
    assert_int_equal(watch.graphics, 0);
    shw_forest_destroy(&scene->forest);
    shw_device_destroy(&scene->device);
    engine_close(&scene->engine);
}

static struct shw_labeller_params labeller_params(const struct scene *scene, struct testing_log *memory)
{
    return (struct shw_labeller_params){.forest = scene->forest,
                                        .device = scene->device,
                                        .outputs = TESTING_ALL_OUTPUTS,
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .slots = SLOTS,
                                        .log = testing_log(memory)};
}

/* AUTO takes compute, which records nothing of graphics. */
TESTING_CASE(labelling_by_compute)
{
    enum shw_technique techniques[SHW_STAGE_COUNT];
    struct testing_random random = {22};
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params;
    struct frame frames[SLOTS];
    struct scene scene;

    open_without_graphics(&scene);
    params = labeller_params(&scene, &scene.memory);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    shw_labeller_get_techniques(labeller, techniques);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        assert_int_equal(techniques[s], SHW_TECHNIQUE_COMPUTE);
    for (uint32_t s = 0; s < SLOTS; s++) {
        struct shw_label_targets targets;
        open_frame(&scene, &kinds[0], testing_image(&random, WIDTH, HEIGHT, kinds[0].pixel, 0), TREES, CLASSES,
                   &frames[s]);
        targets = target_uses(&frames[s], true);
        engine_begin(&scene.engine, &frames[s].work);
        record_upload(&scene, &frames[s]);
        assert_int_equal(
            shw_labeller_record(labeller, frames[s].work.commands, s, SHW_COLOUR_USE(source_use(&frames[s])), &targets),
            SHW_OK);
        record_readback(&scene, &frames[s], targets.argmax.after.layout);
        engine_submit(&scene.engine, &frames[s].work);
    }
    for (uint32_t s = 0; s < SLOTS; s++) {
        check_frame(&scene, scene.forest, &frames[s]);
        close_frame(&scene, &frames[s]);
    }
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_without_graphics(&scene);
}

TESTING_CASE(training_by_compute)
{
    const struct testing_examples_params examples_params = {.seed = 23};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL, *expected = NULL;
    struct scene scene;
    bool finished = false;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    open_without_graphics(&scene);
    params.log = testing_log(&scene.memory);
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_train(&params, &examples.dataset, &expected), SHW_OK);
    params.device = scene.device;
    params.technique = SHW_TECHNIQUE_COMPUTE;
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_prepare(trainer), SHW_OK);
    while (!finished) {
        struct engine_frame frame;
        engine_begin(&scene.engine, &frame);
        assert_int_equal(shw_trainer_record(trainer, frame.commands), SHW_OK);
        engine_submit(&scene.engine, &frame);
        engine_wait(&scene.engine, &frame);
        assert_int_equal(shw_trainer_complete(trainer, &finished), SHW_OK);
    }
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    assert_true(shw_forest_hash(forest) == shw_forest_hash(expected));
    shw_forest_destroy(&forest);
    shw_forest_destroy(&expected);
    shw_trainer_destroy(&trainer);
    close_without_graphics(&scene);
    testing_examples_free(&examples);
}

TESTING_CASE(what_needs_graphics_is_refused)
{
    const struct testing_examples_params examples_params = {.seed = 24};
    struct shw_trainer_params training = testing_training;
    struct testing_random random = {25};
    struct testing_examples examples;
    struct shw_labeller *labeller = NULL;
    struct shw_trainer *trainer = NULL;
    struct shw_labeller_params params;
    struct shw_label_targets targets = {0};
    struct shw_image_use source;
    struct frame frame;
    struct scene scene;

    open_without_graphics(&scene);
    params = labeller_params(&scene, &scene.memory);
    params.integrate = SHW_TECHNIQUE_FRAGMENT;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(scene.memory.last, "the technique fragment needs a queue family with graphics"));

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    training.log = testing_log(&scene.memory);
    training.device = scene.device;
    training.technique = SHW_TECHNIQUE_BLEND;
    assert_int_equal(shw_trainer_create(&training, &examples.dataset, &trainer), SHW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(scene.memory.last, "the technique blend needs a queue family with graphics"));
    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);

    params.integrate = SHW_TECHNIQUE_AUTO;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    open_frame(&scene, &kinds[0], testing_image(&random, WIDTH, HEIGHT, kinds[0].pixel, 0), TREES, CLASSES, &frame);
    source = source_use(&frame);
    source.after.stages |= VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    assert_int_equal(shw_labeller_record(labeller, VK_NULL_HANDLE, 0, SHW_COLOUR_USE(source), &targets),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "colour: the stages before and after include graphics stages"));
    close_frame(&scene, &frame);
    shw_labeller_destroy(&labeller);
    watch.barriers = 1;
    close_without_graphics(&scene);
}
