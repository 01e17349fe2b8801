/* Of what an engine's device offers, only what the engine says that it has enabled is used. */
#include "engine.h"
#include "scene.h"

#include <string.h>

#include "vulkan/commands.h"
#include "vulkan/memory.h"

enum { WIDTH = 24, HEIGHT = 16 };

/* What the device was asked, through the engine's functions. */
static struct {
    const struct engine *engine;
    PFN_vkGetDeviceProcAddr get_device;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
    unsigned names;
    bool labeller_named;
    bool asked_subgroups, asked_driver;
} watch;

static VKAPI_ATTR VkResult VKAPI_CALL set_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info)
{
    watch.names++;
    watch.labeller_named |= info->pObjectName != NULL && strstr(info->pObjectName, "channels") != NULL;
    return watch.set_name(device, info);
}

/* A loader finds functions of extensions that are not enabled, too. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char *name)
{
    PFN_vkVoidFunction found = watch.get_device(device, name);

    if (strcmp(name, "vkSetDebugUtilsObjectNameEXT") != 0)
        return found;
    watch.set_name = (PFN_vkSetDebugUtilsObjectNameEXT)found;
    return (PFN_vkVoidFunction)set_name;
}

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties2 *properties)
{
    for (const VkBaseOutStructure *next = properties->pNext; next != NULL; next = next->pNext) {
        watch.asked_subgroups |= next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
        watch.asked_driver |= next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    }
    watch.engine->vk.GetPhysicalDeviceProperties2(physical, properties);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_function(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_function;
    if (strcmp(name, "vkGetPhysicalDeviceProperties2") == 0)
        return (PFN_vkVoidFunction)get_properties;
    return watch.engine->get(instance, name);
}

/* Imports the engine's device with what `stated` says, and makes a labeller, whose objects would get names. */
static struct shw_device *import(const struct engine *engine, const struct shw_device_import_params *stated,
                                 struct testing_log *memory)
{
    struct shw_device_import_params params = *stated;
    struct shw_device *device = NULL;

    memset(&watch, 0, sizeof watch);
    watch.engine = engine;
    watch.get_device = engine->vk.GetDeviceProcAddr;
    params.instance = engine->instance;
    params.physical_device = engine->physical;
    params.device = engine->handle;
    params.queue_family = engine->family;
    params.get_instance_proc_addr = get_function;
    params.log = testing_log(memory);
    assert_int_equal(shw_device_import(&params, &device), SHW_OK);
    return device;
}

static void label(struct shw_device *device, enum shw_technique technique)
{
    const struct random_forest_params random = {
        .seed = 5, .channels = SHW_CHANNELS_WIDE, .depth = 3, .split_percent = 90, .trees = 2, .classes = 3};
    struct shw_forest *forest = random_forest(&random);
    const struct shw_labeller_params params = {.forest = forest,
                                               .device = device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = technique,
                                               .integrate = technique,
                                               .evaluate = technique,
                                               .width = WIDTH,
                                               .height = HEIGHT};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
}

static void check_names(bool enabled, const struct shw_device_import_params *stated, bool expected)
{
    struct testing_log memory;
    struct shw_device *device;
    struct engine engine;

    if (enabled)
        engine_open(&engine);
    else
        engine_open_without_names(&engine);
    device = import(&engine, stated, &memory);
    label(device, SHW_TECHNIQUE_COMPUTE);
    label(device, SHW_TECHNIQUE_FRAGMENT);
    assert_int_equal(watch.names > 0, expected);
    assert_int_equal(watch.labeller_named, expected);
    shw_device_destroy(&device);
    engine_close(&engine); /* no message of the validation layers */
}

TESTING_CASE(names_need_the_extension)
{
    static const char *const others[] = {"VK_KHR_surface", "VK_EXT_validation_features"};
    static const char *const names[] = {"VK_KHR_surface", "VK_EXT_debug_utils"};
    const struct shw_device_import_params nothing = {0},
                                          other = {.instance_extensions = others, .instance_extension_count = 2},
                                          wrong = {.device_extensions = names, .device_extension_count = 2},
                                          right = {.instance_extensions = names, .instance_extension_count = 2};
    struct engine engine;
    bool has_layers;

    engine_open(&engine);
    has_layers = engine.extension_count > 0;
    engine_close(&engine);
    check_names(false, &nothing, false);
    check_names(false, &other, false);
    check_names(true, &nothing, false);
    check_names(true, &wrong, false);
    if (has_layers)
        check_names(true, &right, true);
}

static void check_version(const struct shw_device_import_params *stated, bool subgroups, bool driver)
{
    struct shw_device_description description;
    VkPhysicalDeviceProperties properties;
    struct testing_log memory;
    struct shw_device *device;
    struct engine engine;

    engine_open(&engine);
    engine.vk.GetPhysicalDeviceProperties(engine.physical, &properties);
    device = import(&engine, stated, &memory);
    shw_device_describe(device, &description);
    if (properties.apiVersion >= VK_API_VERSION_1_3) {
        assert_int_equal(watch.asked_subgroups, subgroups);
        assert_int_equal(watch.asked_driver, driver);
        assert_int_equal(strncmp(description.driver, "version 0x", 10) != 0, driver);
    }
    if (!subgroups)
        assert_int_equal(device->subgroup.size, 0);
    shw_device_destroy(&device);
    engine_close(&engine);
}

TESTING_CASE(newer_versions_must_be_stated)
{
    static const char *const sizes[] = {"VK_EXT_subgroup_size_control"}, *const driver[] = {"VK_KHR_driver_properties"};

    check_version(&(struct shw_device_import_params){0}, false, false);
    check_version(&(struct shw_device_import_params){.api_version = VK_API_VERSION_1_1}, false, false);
    check_version(&(struct shw_device_import_params){.api_version = VK_API_VERSION_1_2}, false, true);
    check_version(&(struct shw_device_import_params){.api_version = VK_API_VERSION_1_3}, true, true);
    check_version(&(struct shw_device_import_params){.device_extensions = sizes, .device_extension_count = 1}, true,
                  false);
    check_version(&(struct shw_device_import_params){.device_extensions = driver, .device_extension_count = 1}, false,
                  true);
}

/* Memory that a feature would have to be enabled for is not chosen, though it comes first. */
TESTING_CASE(memory_types_of_features_are_left_alone)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    struct shw_device device = {.memory = {.memoryTypeCount = 5,
                                           .memoryTypes = {{local | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0},
                                                           {local | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, 0},
                                                           {coherent | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, 0},
                                                           {local, 0},
                                                           {coherent, 0}}}};
    uint32_t type;

    assert_int_equal(shw_block_types(&device, 0x1f, SHW_MEMORY_DEVICE, &type), 1 << 3 | 1 << 4);
    assert_int_equal(type, 3);
    assert_int_equal(shw_block_types(&device, 0x1f, SHW_MEMORY_UPLOAD, &type), 1 << 4);
    assert_int_equal(type, 4);
    assert_int_equal(shw_block_types(&device, 0x7, SHW_MEMORY_DEVICE, &type), 0);
}
