/* The Vulkan mechanism, exercised without any stage. */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>

#include "vulkan/commands.h"
#include "vulkan/formats.h"
#include "vulkan/memory.h"
#include "vulkan/program.h"

SHW_SHADER_DECLARE(test_double_comp);
SHW_SHADER_DECLARE(test_constant_frag);

TESTING_CASE(devices_are_listed)
{
    struct shw_device_description descriptions[8], own;
    uint32_t count = 0;

    shw_device_describe(testing_device(), &own);
    assert_int_equal(shw_device_list(NULL, descriptions, 8, &count), SHW_OK);
    assert_in_range(count, 1, 64);
    assert_true(own.meets_requirements);
    assert_true(own.image_size_max >= 4096 && own.memory_bytes > 0 && own.subgroup_size > 0);
    assert_string_not_equal(own.driver, "");
    assert_int_equal(shw_device_list(NULL, NULL, 0, &count), SHW_OK);
}

TESTING_CASE(a_device_that_is_not_there_is_told)
{
    struct testing_log memory;
    struct shw_device_create_params params = {.index = 1000, .log = testing_log(&memory)};
    struct shw_device *device = NULL;

    testing_device();
    assert_int_equal(shw_device_create(&params, &device), SHW_ERROR_NO_DEVICE);
    assert_null(device);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, SHW_LOG_NO_DEVICE);
}

TESTING_CASE(import_checks_its_parameters)
{
    struct testing_log memory;
    struct shw_device *device = testing_device(), *imported = NULL;
    struct shw_device_import_params good = {
        .instance = device->own->instance,
        .physical_device = device->physical,
        .device = device->handle,
        .queue_family = device->queue_family,
        .get_instance_proc_addr = (PFN_vkGetInstanceProcAddr)(void *)device->vk.GetDeviceProcAddr,
        .log = testing_log(&memory),
    };
    struct shw_device_import_params bad;

    bad = good;
    bad.device = VK_NULL_HANDLE;
    assert_int_equal(shw_device_import(&bad, &imported), SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.last_item, SHW_LOG_ARGUMENT);
    bad = good;
    bad.get_instance_proc_addr = NULL;
    assert_int_equal(shw_device_import(&bad, &imported), SHW_ERROR_ARGUMENT);
    bad = good;
    bad.api_version = VK_API_VERSION_1_0;
    assert_int_equal(shw_device_import(&bad, &imported), SHW_ERROR_UNSUPPORTED);
    assert_int_equal(memory.last_item, SHW_LOG_REQUIREMENT);
    bad = good;
    bad.instance_extension_count = 1;
    assert_int_equal(shw_device_import(&bad, &imported), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "1 extensions of the instance, but name 0 is NULL"));
    bad = good;
    bad.device_extensions = &(const char *const){NULL};
    bad.device_extension_count = 1;
    assert_int_equal(shw_device_import(&bad, &imported), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "of the device"));
    bad = good;
    bad.memory.allocate =
        (VkResult(*)(void *, const struct shw_memory_request *, struct shw_memory_block *))(void *)abort;
    assert_int_equal(shw_device_import(&bad, &imported), SHW_ERROR_ARGUMENT);
    assert_null(imported);
}

#define COUNT 1000u

TESTING_CASE(compute_doubles_numbers)
{
    static const struct shw_binding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    struct shw_device *device = testing_device();
    struct shw_program program;
    struct shw_buffer numbers, upload, download;
    struct shw_program_params params = {.name = "double",
                                        .compute = SHW_SHADER(test_double_comp),
                                        .bindings = bindings,
                                        .binding_count = 1,
                                        .push_bytes = 4};
    VkBufferCopy region = {.size = COUNT * 4};
    struct shw_sets sets;
    VkCommandBuffer commands;
    uint32_t push = COUNT;

    assert_int_equal(shw_program_create(device, &params, &program), SHW_OK);
    assert_int_equal(shw_buffer_create(device, COUNT * 4,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                           VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_DEVICE, "numbers", &numbers),
                     SHW_OK);
    assert_int_equal(
        shw_buffer_create(device, COUNT * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "up", &upload),
        SHW_OK);
    assert_int_equal(
        shw_buffer_create(device, COUNT * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, "down", &download),
        SHW_OK);
    for (uint32_t i = 0; i < COUNT; i++)
        ((uint32_t *)upload.mapped)[i] = i * i;
    assert_int_equal(shw_sets_create(device, &program, 1, &sets), SHW_OK);
    shw_set_write(device, &program, sets.handles[0], &(struct shw_resource){.buffer = numbers.handle});

    assert_int_equal(shw_submit_begin(device, &commands), SHW_OK);
    device->vk.CmdCopyBuffer(commands, upload.handle, numbers.handle, 1, &region);
    shw_buffer_barrier(device, commands, numbers.handle, shw_use_copy_target, shw_use_compute_write);
    shw_program_dispatch(device, commands, &program, sets.handles[0], &push, (COUNT + 63) / 64, 1, 1);
    shw_buffer_barrier(device, commands, numbers.handle, shw_use_compute_write, shw_use_copy_source);
    device->vk.CmdCopyBuffer(commands, numbers.handle, download.handle, 1, &region);
    shw_buffer_barrier(device, commands, download.handle, shw_use_copy_target, shw_use_host_read);
    assert_int_equal(shw_submit_wait(device, commands), SHW_OK);

    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(((const uint32_t *)download.mapped)[i], 2 * i * i);
    shw_sets_destroy(device, &sets);
    shw_sets_destroy(device, &sets);
    shw_buffer_destroy(device, &download);
    shw_buffer_destroy(device, &upload);
    shw_buffer_destroy(device, &numbers);
    shw_buffer_destroy(device, &numbers);
    shw_program_destroy(device, &program);
    testing_device_check();
}

/* Draws into layer 1 of 2 and adds on top, then reads both layers back. */
TESTING_CASE(fragments_reach_their_layer)
{
    enum { WIDTH = 5, HEIGHT = 3, ADDED = 4 };
    static const VkFormat format = VK_FORMAT_R32_SFLOAT;
    struct shw_device *device = testing_device();
    struct shw_program_params params = {.name = "constant",
                                        .fragment = SHW_SHADER(test_constant_frag),
                                        .attachment_count = 1,
                                        .attachments = &format,
                                        .load = VK_ATTACHMENT_LOAD_OP_LOAD,
                                        .additive = true};
    VkClearColorValue black = {0};
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 2};
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2},
                                .imageExtent = {WIDTH, HEIGHT, 1}};
    struct shw_device_description description;
    struct shw_program program;
    struct shw_vulkan_image image;
    struct shw_buffer download;
    VkImageView layer;
    VkFramebuffer framebuffer;
    VkCommandBuffer commands;

    shw_device_describe(device, &description);
    if (!description.blends_r32_sfloat)
        testing_skip("the device does not blend R32_SFLOAT");
    assert_int_equal(shw_program_create(device, &params, &program), SHW_OK);
    assert_int_equal(shw_vulkan_image_create(device, format, WIDTH, HEIGHT, 2,
                                             VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                             "layers", &image),
                     SHW_OK);
    assert_int_equal(shw_image_view_create(device, image.handle, format, 1, 1, false, &layer), SHW_OK);
    assert_int_equal(shw_framebuffer_create(device, &program, &layer, WIDTH, HEIGHT, &framebuffer), SHW_OK);
    assert_int_equal(shw_buffer_create(device, 2 * WIDTH * HEIGHT * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "down", &download),
                     SHW_OK);

    assert_int_equal(shw_submit_begin(device, &commands), SHW_OK);
    shw_image_barrier(device, commands, image.handle, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdClearColorImage(commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &black, 1, &range);
    shw_image_barrier(device, commands, image.handle, shw_use_copy_target, shw_use_blended);
    for (int i = 0; i < ADDED; i++) {
        shw_program_draw(device, commands, &program, VK_NULL_HANDLE, NULL, framebuffer, WIDTH, HEIGHT);
        shw_image_barrier(device, commands, image.handle, shw_use_blended,
                          i + 1 < ADDED ? shw_use_blended : shw_use_copy_source);
    }
    device->vk.CmdCopyImageToBuffer(commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, download.handle, 1,
                                    &region);
    shw_buffer_barrier(device, commands, download.handle, shw_use_copy_target, shw_use_host_read);
    assert_int_equal(shw_submit_wait(device, commands), SHW_OK);

    for (int i = 0; i < 2 * WIDTH * HEIGHT; i++)
        assert_int_equal((int)((const float *)download.mapped)[i], i < WIDTH * HEIGHT ? 0 : 3 * ADDED);
    device->vk.DestroyFramebuffer(device->handle, framebuffer, device->allocator);
    device->vk.DestroyImageView(device->handle, layer, device->allocator);
    shw_buffer_destroy(device, &download);
    shw_vulkan_image_destroy(device, &image);
    shw_program_destroy(device, &program);
    testing_device_check();
}

TESTING_CASE(too_large_an_image_is_refused)
{
    struct shw_device *device = testing_device();
    struct shw_vulkan_image image;

    assert_int_equal(shw_vulkan_image_create(device, VK_FORMAT_R8G8B8A8_UNORM,
                                             device->properties.limits.maxImageDimension2D + 1, 1, 1,
                                             VK_IMAGE_USAGE_SAMPLED_BIT, "giant", &image),
                     SHW_ERROR_LIMIT);
    assert_true(image.handle == VK_NULL_HANDLE);
    testing_device_check();
}

/* Messages name what users read in Vulkan's documents. */
TESTING_CASE(formats_and_results_have_names)
{
    const struct shw_source_format *format;

    for (uint32_t i = 0; (format = shw_source_format_get(i)) != NULL; i++) {
        struct shw_vk_text text = shw_vk_format_text(format->format);
        assert_memory_equal(text.text, "VK_FORMAT_", 10);
        assert_string_equal(text.text + 10, format->name);
    }
    assert_string_equal(shw_vk_format_text(VK_FORMAT_UNDEFINED).text, "VK_FORMAT_UNDEFINED");
    assert_string_equal(shw_vk_format_text(VK_FORMAT_ASTC_12x12_SRGB_BLOCK).text, "VK_FORMAT_ASTC_12x12_SRGB_BLOCK");
    assert_string_equal(shw_vk_format_text((VkFormat)1999999999).text, "VkFormat 1999999999");
    assert_string_equal(shw_vk_result_text(VK_ERROR_INCOMPATIBLE_DRIVER).text, "VK_ERROR_INCOMPATIBLE_DRIVER");
    assert_string_equal(shw_vk_result_text((VkResult)-1999999999).text, "VkResult -1999999999");
}

TESTING_FIXTURE(NULL, testing_device_teardown)
