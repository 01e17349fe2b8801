#include "channels/source_step.h"

#include <stdlib.h>
#include <string.h>

#include "channels/channels_stage.h"
#include "channels/lab.h"

#define WORK 8u /* of a pixel, in units of a filter's tap */

#define DECLARE(kind)                                                                                                  \
    SHW_SHADER_DECLARE(source_##kind##_float_frag);                                                                    \
    SHW_SHADER_DECLARE(source_##kind##_uint_frag);                                                                     \
    SHW_SHADER_DECLARE(source_##kind##_float_comp);                                                                    \
    SHW_SHADER_DECLARE(source_##kind##_uint_comp)
DECLARE(base);
DECLARE(rgb);
DECLARE(lab);

struct push {
    int32_t origin[2], size[2];
    uint32_t is_grey, row_words, plane_words;
};

static const struct {
    VkFormat format;
    bool is_uint, is_grey;
} source_formats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, false, false},   {VK_FORMAT_B8G8R8A8_UNORM, false, false},
    {VK_FORMAT_R8_UNORM, false, true},          {VK_FORMAT_R16_UINT, true, true},
    {VK_FORMAT_R16G16B16A16_UINT, true, false},
};

static uint32_t find_format(VkFormat format)
{
    uint32_t i = 0;

    while (i < sizeof source_formats / sizeof source_formats[0] && source_formats[i].format != format)
        i++;
    return i;
}

bool shw_channels_source_format(VkFormat format)
{
    return find_format(format) < sizeof source_formats / sizeof source_formats[0];
}

static struct shw_shader choose_shader(enum shw_channel_set set, bool is_fragment, bool is_uint)
{
#define CHOOSE(kind)                                                                                                   \
    (is_fragment ? (is_uint ? SHW_SHADER(source_##kind##_uint_frag) : SHW_SHADER(source_##kind##_float_frag))          \
                 : (is_uint ? SHW_SHADER(source_##kind##_uint_comp) : SHW_SHADER(source_##kind##_float_comp)))
    if (set == SHW_CHANNELS_RGB)
        return CHOOSE(rgb);
    if (set == SHW_CHANNELS_LAB)
        return CHOOSE(lab);
    return CHOOSE(base);
#undef CHOOSE
}

static enum shw_result create_table(struct shw_device *device, struct shw_source_step *step)
{
    SHW_PROPAGATE(shw_buffer_create(device, SHW_LAB_TABLE_COUNT * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                    SHW_MEMORY_TABLE, "Lab table", &step->table));
    shw_lab_fill_table(step->table.mapped);
    return SHW_OK;
}

static enum shw_result create_programs(struct shw_device *device, enum shw_channel_set set,
                                       struct shw_source_step *step)
{
    static const VkFormat attachments[] = {VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT,
                                           VK_FORMAT_R16_SINT};
    struct shw_binding bindings[3] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1}};
    struct shw_program_params params = {
        .bindings = bindings, .binding_count = 1, .push_bytes = sizeof(struct push), .in_pieces = true};

    params.binding_count += (set == SHW_CHANNELS_LAB ? 1u : 0u) + (step->is_fragment ? 0u : 1u);
    for (uint32_t i = 1; i < params.binding_count; i++)
        bindings[i] = (struct shw_binding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    for (uint32_t is_uint = 0; is_uint < 2; is_uint++) {
        struct shw_shader shader = choose_shader(set, step->is_fragment, is_uint != 0);
        params.name = is_uint != 0 ? "source of integers" : "source of normalised values";
        if (step->is_fragment) {
            params.fragment = shader;
            params.attachments = attachments;
            params.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
            params.attachment_count = step->targets[0].count;
        } else {
            params.compute = shader;
        }
        SHW_PROPAGATE(shw_program_create(device, &params, &step->programs[is_uint]));
    }
    return SHW_OK;
}

enum shw_result shw_source_step_create(struct shw_device *device, enum shw_channel_set set,
                                       enum shw_technique technique, const struct shw_planes *targets, uint32_t slots,
                                       struct shw_source_step *step)
{
    static const uint32_t layers[] = {0, 1, 2, 3};

    *step = (struct shw_source_step){
        .is_fragment = technique == SHW_TECHNIQUE_FRAGMENT, .targets = targets, .slots = slots};
    step->sets = calloc(slots, sizeof *step->sets);
    step->render_targets = calloc(slots, sizeof *step->render_targets);
    if (step->sets == NULL || step->render_targets == NULL)
        return shw_fail_memory(&device->log, "the channels stage");
    if (set == SHW_CHANNELS_LAB)
        SHW_PROPAGATE(create_table(device, step));
    SHW_PROPAGATE(create_programs(device, set, step));
    SHW_PROPAGATE(shw_sets_create(device, &step->programs[0], slots, &step->pool, step->sets));
    if (step->is_fragment)
        for (uint32_t slot = 0; slot < slots; slot++)
            SHW_PROPAGATE(shw_target_create(device, &step->programs[0], &targets[slot].image, layers,
                                            &step->render_targets[slot]));
    return SHW_OK;
}

void shw_source_step_destroy(struct shw_device *device, struct shw_source_step *step)
{
    for (uint32_t slot = 0; step->render_targets != NULL && slot < step->slots; slot++)
        shw_target_destroy(device, &step->render_targets[slot]);
    if (step->pool != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorPool(device->handle, step->pool, device->allocator);
    shw_program_destroy(device, &step->programs[0]);
    shw_program_destroy(device, &step->programs[1]);
    shw_buffer_destroy(device, &step->table);
    free(step->render_targets);
    free(step->sets);
    *step = (struct shw_source_step){0};
}

void shw_source_step_bind(const struct shw_source_step *step, struct shw_device *device, uint32_t slot,
                          VkImageView source)
{
    VkDescriptorBufferInfo buffers[2];
    struct shw_resource resources[3] = {{.views = &source}};
    uint32_t count = 0;

    if (step->table.handle != VK_NULL_HANDLE)
        buffers[count++] = (VkDescriptorBufferInfo){step->table.handle, 0, VK_WHOLE_SIZE};
    if (!step->is_fragment)
        buffers[count++] = (VkDescriptorBufferInfo){step->targets[slot].buffer.handle, 0, VK_WHOLE_SIZE};
    for (uint32_t i = 0; i < count; i++)
        resources[1 + i] = (struct shw_resource){.buffers = &buffers[i]};
    shw_set_write(device, &step->programs[0], step->sets[slot], resources);
}

void shw_source_step_record_bare(const struct shw_source_step *step, struct shw_recording *recording, uint32_t slot,
                                 VkFormat source_format, uint32_t source_x, uint32_t source_y,
                                 const struct shw_region *region)
{
    const struct shw_planes *target = &step->targets[slot];
    uint32_t format = find_format(source_format);
    const struct shw_program *program = &step->programs[source_formats[format].is_uint];
    struct push push = {.origin = {(int32_t)source_x, (int32_t)source_y},
                        .size = {(int32_t)region->width, (int32_t)region->height},
                        .is_grey = source_formats[format].is_grey,
                        .row_words = target->stride / 2,
                        .plane_words = target->stride / 2 * target->height};

    if (step->is_fragment)
        shw_recording_draw(recording, program, step->sets[slot], &push, step->render_targets[slot].framebuffer,
                           region->width, region->height, WORK * region->width);
    else
        shw_recording_dispatch(recording, program, step->sets[slot], &push, (region->width + 63) / 64,
                               (region->height + 3) / 4, 1, 4 * WORK * region->width);
}

void shw_source_step_record(const struct shw_source_step *step, struct shw_device *device,
                            struct shw_recording *recording, uint32_t slot, VkImageView source, VkFormat source_format,
                            uint32_t source_x, uint32_t source_y, const struct shw_region *region)
{
    const struct shw_planes *target = &step->targets[slot];

    if (shw_recording_step(recording, 1))
        shw_source_step_bind(step, device, slot, source);
    if (step->is_fragment)
        shw_recording_image_barrier(recording, target->image.handle, shw_use_nothing, shw_use_attachment);
    else
        shw_recording_buffer_barrier(recording, target->buffer.handle, shw_use_nothing, shw_use_compute_write);
    shw_source_step_record_bare(step, recording, slot, source_format, source_x, source_y, region);
}
