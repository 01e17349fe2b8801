/* What --memory of `shadewood train` limits, and how it is divided. */
#include "testing/testing.h"

#include <string.h>

#include "dense/train/params.h"
#include "files/dataset/train_memory.h"
#include "testing/device.h"
#include "vulkan/device.h"

#define MIB ((uint64_t)1 << 20)

static VkPhysicalDeviceType type;

/* The device as one of that type. */
static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties *properties)
{
    testing_device()->vk.GetPhysicalDeviceProperties(physical, properties);
    properties->deviceType = type;
}

/* The technique that trains; `fastest`: what a calibration says, if it is not AUTO. */
static enum shw_technique choose(enum shw_technique technique, struct shw_device *device, enum shw_technique fastest)
{
    struct testing_log log;
    struct shw_calibration calibration = {.version = SHW_CALIBRATION_VERSION};
    struct shw_device_description description = {0};
    struct shw_trainer_params params = {.technique = technique, .device = device, .log = testing_log(&log)};
    const struct shw_train_backend *backend;

    shw_device_describe(device, &description);
    calibration.vendor_id = description.vendor_id;
    calibration.device_id = description.device_id;
    calibration.driver_version = description.driver_version;
    memcpy(calibration.pipeline_cache_uuid, description.pipeline_cache_uuid, sizeof description.pipeline_cache_uuid);
    calibration.training_ns[SHW_TECHNIQUE_CPU] = fastest == SHW_TECHNIQUE_CPU ? 1 : 2;
    calibration.training_ns[SHW_TECHNIQUE_COMPUTE] = fastest == SHW_TECHNIQUE_COMPUTE ? 1 : 2;
    params.calibration = fastest != SHW_TECHNIQUE_AUTO ? &calibration : NULL;
    assert_int_equal(shw_train_backend_choose(&params, &backend), SHW_OK);
    return params.technique;
}

/* --memory limits the process if `cpu` trains, whoever has chosen it; otherwise the device's memory, all of which is
 * then for training, while the data set keeps its own cache. */
TESTING_CASE(it_limits_what_trains)
{
    static const struct {
        enum shw_technique technique;
        VkPhysicalDeviceType device; /* OTHER: there is none */
        enum shw_technique fastest;  /* of a calibration; AUTO: there is none */
        bool of_process;
    } cases[] = {
        {SHW_TECHNIQUE_CPU, VK_PHYSICAL_DEVICE_TYPE_OTHER, SHW_TECHNIQUE_AUTO, true},
        {SHW_TECHNIQUE_CPU, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, SHW_TECHNIQUE_AUTO, true},
        {SHW_TECHNIQUE_AUTO, VK_PHYSICAL_DEVICE_TYPE_OTHER, SHW_TECHNIQUE_AUTO, true},
        {SHW_TECHNIQUE_AUTO, VK_PHYSICAL_DEVICE_TYPE_CPU, SHW_TECHNIQUE_AUTO, true},
        {SHW_TECHNIQUE_AUTO, VK_PHYSICAL_DEVICE_TYPE_CPU, SHW_TECHNIQUE_COMPUTE, false},
        {SHW_TECHNIQUE_AUTO, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, SHW_TECHNIQUE_AUTO, false},
        {SHW_TECHNIQUE_AUTO, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, SHW_TECHNIQUE_CPU, true},
        {SHW_TECHNIQUE_COMPUTE, VK_PHYSICAL_DEVICE_TYPE_CPU, SHW_TECHNIQUE_AUTO, false},
        {SHW_TECHNIQUE_COMPUTE, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, SHW_TECHNIQUE_CPU, false},
    };
    struct shw_device device = *testing_device();

    device.vk.GetPhysicalDeviceProperties = get_properties;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bool has_device = cases[c].device != VK_PHYSICAL_DEVICE_TYPE_OTHER;
        struct shw_train_memory memory;
        uint64_t left;
        type = cases[c].device;
        memory = shw_train_memory_divide(
            640 * MIB, choose(cases[c].technique, has_device ? &device : NULL, cases[c].fastest), true);
        left = shw_train_memory_left(&memory, 50 * MIB);
        /* a 16th for the cache, 16 MiB and a 32nd in reserve */
        if (memory.of_process != cases[c].of_process || memory.cache != (cases[c].of_process ? 40 * MIB + 1 : 0) ||
            left != (cases[c].of_process ? (640 - 40 - 16 - 20 - 50) * MIB - 1 : 640 * MIB))
            fail_msg("case %zu: of the process: %d, cache %llu, left %llu", c, memory.of_process,
                     (unsigned long long)memory.cache, (unsigned long long)left);
    }
}

TESTING_CASE(nothing_is_limited_without_it)
{
    struct shw_train_memory memory = shw_train_memory_divide(0, SHW_TECHNIQUE_CPU, true);

    assert_false(memory.of_process);
    assert_int_equal(memory.cache, 0);
    assert_int_equal(shw_train_memory_left(&memory, 50 * MIB), 0);
}

TESTING_CASE(projects_have_no_cache)
{
    struct shw_train_memory memory = shw_train_memory_divide(640 * MIB, SHW_TECHNIQUE_CPU, false);

    assert_int_equal(memory.cache, 0);
    assert_int_equal(shw_train_memory_left(&memory, 50 * MIB), (640 - 16 - 20 - 50) * MIB);
}

/* The least is enough if the process turns out to have up to one MiB more; one MiB less is not. */
TESTING_CASE(the_least_is_enough)
{
    for (uint64_t needed = 1; needed < 8192 * MIB; needed = needed * 3 + 12345)
        for (uint64_t occupied = 0; occupied <= 400 * MIB; occupied += 100 * MIB) {
            uint64_t least = shw_train_memory_least(needed, occupied, true);
            struct shw_train_memory enough = shw_train_memory_divide(least * MIB, SHW_TECHNIQUE_CPU, true),
                                    less = shw_train_memory_divide((least - 1) * MIB, SHW_TECHNIQUE_CPU, true);
            assert_true(shw_train_memory_left(&enough, occupied + MIB) >= needed);
            assert_true(needed == 1 || shw_train_memory_left(&less, occupied + MIB) < needed);
        }
    for (uint64_t option = 1; option < 200 * MIB; option = option * 5) {
        struct shw_train_memory memory = shw_train_memory_divide(option, SHW_TECHNIQUE_CPU, true);
        assert_int_equal(shw_train_memory_left(&memory, 200 * MIB), 1);
    }
}

TESTING_FIXTURE(NULL, testing_device_teardown)
