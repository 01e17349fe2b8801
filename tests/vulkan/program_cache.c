/* Programs that were made before are taken over: the same handles for the same parameters, others for others. */
#include "testing/device.h"

#include "vulkan/program.h"

SHW_SHADER_DECLARE(test_double_comp);
SHW_SHADER_DECLARE(test_constant_frag);

/* A program that differs from others by a constant that its shader does not have. */
static struct shw_program make(uint32_t constant, uint32_t push_bytes, bool in_pieces)
{
    static const struct shw_binding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const VkSpecializationMapEntry entry = {7, 0, sizeof constant};
    const VkSpecializationInfo constants = {1, &entry, sizeof constant, &constant};
    const struct shw_program_params params = {.name = "double",
                                              .compute = SHW_SHADER(test_double_comp),
                                              .bindings = bindings,
                                              .binding_count = 1,
                                              .push_bytes = push_bytes,
                                              .specialization = &constants,
                                              .in_pieces = in_pieces};
    struct shw_program program;

    assert_int_equal(shw_program_create(testing_device(), &params, &program), SHW_OK);
    assert_true(program.pipeline != VK_NULL_HANDLE);
    return program;
}

TESTING_CASE(equal_parameters_give_the_same_program)
{
    struct shw_device *device = testing_device();
    struct shw_program first = make(1, 4, false), again = make(1, 4, false);
    VkPipeline pipeline = first.pipeline;

    assert_ptr_equal(again.pipeline, pipeline);
    assert_ptr_equal(again.layout, first.layout);
    assert_ptr_equal(again.set_layout, first.set_layout);
    shw_program_destroy(device, &first);
    assert_true(first.pipeline == VK_NULL_HANDLE);
    shw_program_destroy(device, &first);
    shw_program_destroy(device, &again);
    again = make(1, 4, false); /* kept without users */
    assert_ptr_equal(again.pipeline, pipeline);
    shw_program_destroy(device, &again);
    testing_device_check();
}

TESTING_CASE(other_parameters_give_others)
{
    struct shw_program programs[] = {make(1, 4, false), make(2, 4, false), make(1, 8, false), make(1, 4, true)};

    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_ptr_not_equal(programs[i].pipeline, programs[j].pipeline);
    for (uint32_t i = 0; i < 4; i++)
        shw_program_destroy(testing_device(), &programs[i]);
    testing_device_check();
}

TESTING_CASE(graphics_programs_differ_by_attachments_and_blending)
{
    static const VkFormat formats[] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT};
    struct shw_device *device = testing_device();
    struct shw_program programs[5];
    struct shw_program_params params = {.name = "constant",
                                        .fragment = SHW_SHADER(test_constant_frag),
                                        .attachment_count = 1,
                                        .attachments = &formats[0],
                                        .load = VK_ATTACHMENT_LOAD_OP_LOAD};

    assert_int_equal(shw_program_create(device, &params, &programs[0]), SHW_OK);
    assert_int_equal(shw_program_create(device, &params, &programs[1]), SHW_OK);
    params.attachments = &formats[1];
    assert_int_equal(shw_program_create(device, &params, &programs[2]), SHW_OK);
    params.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    assert_int_equal(shw_program_create(device, &params, &programs[3]), SHW_OK);
    params.additive = true;
    assert_int_equal(shw_program_create(device, &params, &programs[4]), SHW_OK);
    assert_ptr_equal(programs[0].render_pass, programs[1].render_pass);
    for (uint32_t i = 1; i < 5; i++)
        for (uint32_t j = 1; j < i; j++)
            assert_ptr_not_equal(programs[i].pipeline, programs[j].pipeline);
    for (uint32_t i = 0; i < 5; i++)
        shw_program_destroy(device, &programs[i]);
    testing_device_check();
}

/* Whoever asks for ever new programs does not fill memory: the oldest ones go. */
TESTING_CASE(programs_without_users_are_not_kept_for_ever)
{
    struct shw_program_cache *cache = &testing_device()->programs;
    struct shw_program kept = make(1000, 4, false), program;

    for (uint32_t i = 0; i < 300; i++) {
        program = make(2000 + i, 4, false);
        shw_program_destroy(testing_device(), &program);
    }
    assert_in_range(cache->count, 200, 299);
    program = make(1000, 4, false);
    assert_ptr_equal(program.pipeline, kept.pipeline);
    shw_program_destroy(testing_device(), &program);
    shw_program_destroy(testing_device(), &kept);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
