#include "custom_technique.h"

#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/feature/evaluate_cpu.h"
#include "vulkan/commands.h"

/* On the host, as plainly as possible. */

enum shw_result host_channels(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_frame *at = &frame->frame;
    struct shw_region region = {at->width, at->height, at->x, at->y, at->full_width, at->full_height};
    struct calls *calls = user;

    calls->runs++;
    calls->threads = frame->threads;
    if (calls->fail_with != SHW_OK)
        return calls->fail_with;
    assert_true(frame->inputs.count == 1 && frame->inputs.inputs[0].image.width == at->width &&
                frame->inputs.inputs[0].image.height == at->height);
    return shw_channels_cpu(frame->forest.info->channel_list,
                            &(struct shw_channel_images){.of = {&frame->inputs.inputs[0].image}}, &region,
                            shw_stage_find(&frame->planes, SHW_CHANNELS)->host, NULL);
}

enum shw_result host_integrate(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_planes *channels = shw_stage_find(&frame->planes, SHW_CHANNELS);
    const struct shw_stage_planes *integrals = shw_stage_find(&frame->planes, SHW_INTEGRALS);
    uint32_t width = channels->width, height = channels->height, count = channels->count;
    struct calls *calls = user;

    calls->runs++;
    assert_true(integrals->width == width + 1 && integrals->height == height + 1 && frame->frame.width == width);
    for (uint32_t c = 0; c < count; c++) {
        const int16_t *channel = (const int16_t *)channels->host + (size_t)c * width * height;
        uint32_t *integral = (uint32_t *)integrals->host + (size_t)c * (width + 1) * (height + 1);
        for (uint32_t y = 0; y <= height; y++) {
            int32_t row = 0;
            for (uint32_t x = 0; x <= width; x++) {
                row += x > 0 && y > 0 ? channel[(size_t)(y - 1) * width + x - 1] : 0;
                integral[(size_t)y * (width + 1) + x] =
                    (uint32_t)row + (y > 0 ? integral[(size_t)(y - 1) * (width + 1) + x] : 0);
            }
        }
    }
    return calls->fail_with;
}

enum shw_result host_evaluate(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_frame *at = &frame->frame;
    const struct shw_evaluate_tile tile = {.forest = frame->forest.forest,
                                           .planes = shw_stage_find(&frame->planes, SHW_INTEGRALS)->host,
                                           .width = at->width,
                                           .height = at->height,
                                           .image = {-(int32_t)at->x, -(int32_t)at->y,
                                                     (int32_t)(at->full_width - at->x),
                                                     (int32_t)(at->full_height - at->y)},
                                           .x = at->tile_x,
                                           .y = at->tile_y,
                                           .tile_width = at->tile_width,
                                           .tile_height = at->tile_height,
                                           .step = frame->step,
                                           .out = frame->out,
                                           .out_width = frame->out_width,
                                           .out_height = frame->out_height,
                                           .out_x = frame->out_x,
                                           .out_y = frame->out_y};
    struct calls *calls = user;

    calls->runs++;
    assert_ptr_equal(frame->forest.texture.texels, shw_forest_get_texture(frame->forest.forest).texels);
    return calls->fail_with != SHW_OK ? calls->fail_with : shw_evaluate_cpu(&tile, NULL);
}

/* On the device, with our own machinery around the shaders. */

SHW_SHADER_DECLARE(test_custom_channels_comp);
SHW_SHADER_DECLARE(test_custom_integrate_comp);

struct instance {
    struct calls *calls;
    struct shw_program program;
    struct shw_sets sets;
    const struct shw_stage_slot *slot;
    uint32_t channels;
};

static enum shw_result make_instance(void *user, const struct shw_stage_create *params, struct shw_shader shader,
                                     const struct shw_binding bindings[2], uint32_t push_bytes, void **out)
{
    struct calls *calls = user;
    struct instance *instance = calloc(1, sizeof *instance);
    struct shw_program_params program = {
        .name = "test", .compute = shader, .bindings = bindings, .binding_count = 2, .push_bytes = push_bytes};

    calls->creations++;
    assert_true(params->slots <= 4 && params->width > 0 && params->height > 0 &&
                params->properties->limits.maxImageDimension2D > 0);
    if (calls->fail_with != SHW_OK) {
        free(instance);
        return calls->fail_with;
    }
    instance->calls = calls;
    instance->slot = params->slot;
    instance->channels = params->forest.info->channel_list->channel_count;
    assert_int_equal(shw_program_create(testing_device(), &program, &instance->program), SHW_OK);
    assert_int_equal(shw_sets_create(testing_device(), &instance->program, params->slots, &instance->sets), SHW_OK);
    *out = instance;
    return SHW_OK;
}

void destroy(void *user)
{
    struct instance *instance = user;
    struct shw_device *device = testing_device();

    instance->calls->destructions++;
    shw_sets_destroy(device, &instance->sets);
    shw_program_destroy(device, &instance->program);
    free(instance);
}

static struct shw_resource resource_of(const struct shw_stage_planes *planes)
{
    return (struct shw_resource){.buffer = planes->buffer, .offset = planes->offset, .size = planes->size};
}

enum shw_result create_channels(void *user, const struct shw_stage_create *params, void **out)
{
    static const struct shw_binding bindings[2] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                                   {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};

    assert_true(params->slot[0].count == 1 &&
                shw_stage_find(&params->slot[0], SHW_INTEGRALS)->buffer == VK_NULL_HANDLE);
    return make_instance(user, params, SHW_SHADER(test_custom_channels_comp), bindings, 16, out);
}

/* Whether its one step is to be recorded; if so, it waits for whoever still reads the outputs. */
static bool begin_step(struct instance *instance, VkCommandBuffer commands, struct shw_stage_stretch *stretch)
{
    if (!shw_stage_step(stretch, 1000))
        return false;
    instance->calls->recordings++;
    shw_memory_barrier(testing_device(), commands, shw_use_nothing, shw_use_compute_write);
    return true;
}

uint64_t no_memory(void *user, const struct shw_stage_create *params)
{
    assert_true(user != NULL && params->slot == NULL);
    return 0;
}

void record_channels(void *user, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                     struct shw_stage_stretch *stretch)
{
    struct instance *instance = user;
    const struct shw_stage_planes *planes = shw_stage_find(&instance->slot[slot], SHW_CHANNELS);
    const struct shw_resource resources[2] = {{.view = frame->sources[0].view}, resource_of(planes)};
    const uint32_t push[4] = {frame->width, frame->height, planes->stride, planes->pitch};

    if (!begin_step(instance, commands, stretch))
        return;
    assert_true(frame->source_count == 1 && strcmp(frame->sources[0].name, SHW_COLOUR) == 0 &&
                frame->sources[0].format == VK_FORMAT_R8G8B8A8_UNORM);
    assert_true(planes->element == 2 && planes->count == instance->channels && planes->stride % 2 == 0);
    shw_set_write(testing_device(), &instance->program, instance->sets.handles[slot], resources);
    shw_program_dispatch(testing_device(), commands, &instance->program, instance->sets.handles[slot], push,
                         (frame->width + 15) / 16, (frame->height + 7) / 8, 1);
}

enum shw_result create_integrate(void *user, const struct shw_stage_create *params, void **out)
{
    static const struct shw_binding bindings[2] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                   {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};

    return make_instance(user, params, SHW_SHADER(test_custom_integrate_comp), bindings, 24, out);
}

void record_integrate(void *user, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                      struct shw_stage_stretch *stretch)
{
    struct instance *instance = user;
    const struct shw_stage_planes *channels = shw_stage_find(&instance->slot[slot], SHW_CHANNELS),
                                  *integrals = shw_stage_find(&instance->slot[slot], SHW_INTEGRALS);
    const struct shw_resource resources[2] = {resource_of(channels), resource_of(integrals)};
    const uint32_t push[6] = {frame->width,    frame->height,     channels->stride,
                              channels->pitch, integrals->stride, integrals->pitch};

    if (!begin_step(instance, commands, stretch))
        return;
    shw_set_write(testing_device(), &instance->program, instance->sets.handles[slot], resources);
    shw_program_dispatch(testing_device(), commands, &instance->program, instance->sets.handles[slot], push,
                         instance->channels, 1, 1);
}
