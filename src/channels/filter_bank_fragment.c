/* Winn's filter bank in render passes: each filters up to four planes in one direction (Sharp 2008, 2.3). */
#include <stdlib.h>

#include "channels/filter_bank_stage.h"
#include "vulkan/target.h"

SHW_SHADER_DECLARE(filter_bank_1_frag);
SHW_SHADER_DECLARE(filter_bank_2_frag);
SHW_SHADER_DECLARE(filter_bank_3_frag);
SHW_SHADER_DECLARE(filter_bank_4_frag);
SHW_SHADER_DECLARE(position_frag);

#define PASS_OUTPUTS_MAX 4u
#define PASS_TERMS_MAX   8u
#define PASSES_MAX       32u
#define POSITION_WORK    4u /* of a pixel, in units of a filter's tap */

/* As in shaders/channels/filter_bank.frag. */
struct push {
    int32_t last[2], direction[2];
    int32_t radius;
    uint32_t shift;
    uint32_t term_count;
    uint32_t outputs[PASS_OUTPUTS_MAX];
    uint32_t terms[PASS_TERMS_MAX];
};

#define OUTPUT_MAGNITUDE 4u

struct position_push {
    uint32_t origin[2], full[2];
};

struct pass {
    struct push push; /* all but `last` */
    uint32_t sum_count, output_count;
    uint32_t layers[PASS_OUTPUTS_MAX];
    struct shw_target *targets; /* one a slot */
};

struct shw_filter_bank_fragment {
    const struct shw_filter_bank *bank;
    struct shw_filter_bank_planes planes;
    struct shw_buffer weights;
    struct shw_program programs[PASS_OUTPUTS_MAX]; /* by attachments, from 1 */
    struct shw_program position;
    VkDescriptorPool row_pool, column_pool;
    VkDescriptorSet *row_sets, *column_sets; /* one a slot */
    struct pass passes[PASSES_MAX];
    uint32_t row_pass_count, pass_count;
    struct shw_target *position_targets; /* one a slot */
};

static struct pass *begin_pass(struct shw_filter_bank_fragment *fragment, bool is_column, uint32_t radius)
{
    struct pass *pass = &fragment->passes[fragment->pass_count++];

    pass->push.direction[is_column] = 1;
    pass->push.radius = (int32_t)radius;
    pass->push.shift = is_column ? SHW_COLUMN_SHIFT : SHW_ROW_SHIFT;
    return pass;
}

static void add_term(struct pass *pass, uint32_t plane, uint32_t kernel)
{
    pass->push.terms[pass->push.term_count++] = plane | pass->sum_count << 8 | shw_filter_weights_offset(kernel) << 16;
}

static void add_output(struct pass *pass, uint32_t layer, uint32_t flags)
{
    pass->push.outputs[pass->output_count] = pass->sum_count | flags;
    pass->layers[pass->output_count++] = layer;
}

static void plan_rows(struct shw_filter_bank_fragment *fragment)
{
    const struct shw_filter_bank *bank = fragment->bank;
    struct pass *pass = NULL;

    for (uint32_t i = 0; i < bank->row_count; i++) {
        uint32_t radius = shw_filter_kernels[bank->rows[i].kernel].radius;
        if (pass == NULL || pass->output_count == PASS_OUTPUTS_MAX || pass->push.radius != (int32_t)radius)
            pass = begin_pass(fragment, false, radius);
        add_term(pass, bank->rows[i].base, bank->rows[i].kernel);
        add_output(pass, i, 0);
        pass->sum_count++;
    }
    fragment->row_pass_count = fragment->pass_count;
}

static void plan_columns_of(struct shw_filter_bank_fragment *fragment, uint32_t radius)
{
    const struct shw_filter_bank *bank = fragment->bank;
    struct pass *pass = NULL;

    for (uint32_t i = 0; i < bank->column_count; i++) {
        const struct shw_column_filter *column = &bank->columns[i];
        bool has_magnitude = i - bank->absolute_first < bank->absolute_count;
        if (shw_filter_kernels[column->terms[0].kernel].radius != radius)
            continue;
        if (pass == NULL || pass->output_count + 1 + has_magnitude > PASS_OUTPUTS_MAX)
            pass = begin_pass(fragment, true, radius);
        for (uint32_t t = 0; t < column->term_count; t++)
            add_term(pass, column->terms[t].row, column->terms[t].kernel);
        add_output(pass, i, 0);
        if (has_magnitude)
            add_output(pass, bank->column_count + i - bank->absolute_first, OUTPUT_MAGNITUDE);
        pass->sum_count++;
    }
}

static enum shw_result create_programs(struct shw_device *device, struct shw_filter_bank_fragment *fragment)
{
    static const VkFormat formats[] = {VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT};
    static const struct shw_binding bindings[] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1},
                                                  {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    const struct shw_shader shaders[] = {SHW_SHADER(filter_bank_1_frag), SHW_SHADER(filter_bank_2_frag),
                                         SHW_SHADER(filter_bank_3_frag), SHW_SHADER(filter_bank_4_frag)};
    struct shw_program_params params = {.name = "filter bank",
                                        .bindings = bindings,
                                        .binding_count = 2,
                                        .push_bytes = sizeof(struct push),
                                        .attachments = formats,
                                        .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};

    for (uint32_t i = 0; i < PASS_OUTPUTS_MAX; i++) {
        params.fragment = shaders[i];
        params.attachment_count = i + 1;
        SHW_PROPAGATE(shw_program_create(device, &params, &fragment->programs[i]));
    }
    if (fragment->bank->position_count > 0) {
        params.name = "pixel positions";
        params.fragment = SHW_SHADER(position_frag);
        params.attachment_count = 2;
        params.binding_count = 0;
        params.push_bytes = sizeof(struct position_push);
        SHW_PROPAGATE(shw_program_create(device, &params, &fragment->position));
    }
    return SHW_OK;
}

static enum shw_result create_sets(struct shw_device *device, struct shw_filter_bank_fragment *fragment,
                                   VkDescriptorPool *pool, const struct shw_planes *inputs, VkDescriptorSet **sets)
{
    const VkDescriptorBufferInfo weights = {fragment->weights.handle, 0, VK_WHOLE_SIZE};
    const struct shw_program *program = &fragment->programs[0];

    *sets = calloc(fragment->planes.slots, sizeof **sets);
    if (*sets == NULL)
        return shw_fail_memory(&device->log, "the filter bank");
    SHW_PROPAGATE(shw_sets_create(device, program, fragment->planes.slots, pool, *sets));
    for (uint32_t slot = 0; slot < fragment->planes.slots; slot++) {
        const struct shw_resource resources[] = {{.views = &inputs[slot].image.view}, {.buffers = &weights}};
        shw_set_write(device, program, (*sets)[slot], resources);
    }
    return SHW_OK;
}

static enum shw_result create_targets(struct shw_device *device, const struct shw_filter_bank_fragment *fragment,
                                      const struct shw_program *program, const struct shw_planes *planes,
                                      const uint32_t *layers, struct shw_target **targets)
{
    *targets = calloc(fragment->planes.slots, sizeof **targets);
    if (*targets == NULL)
        return shw_fail_memory(&device->log, "the filter bank");
    for (uint32_t slot = 0; slot < fragment->planes.slots; slot++)
        SHW_PROPAGATE(shw_target_create(device, program, &planes[slot].image, layers, &(*targets)[slot]));
    return SHW_OK;
}

enum shw_result shw_filter_bank_fragment_create(struct shw_device *device, const struct shw_filter_bank *bank,
                                                const struct shw_filter_bank_planes *planes,
                                                struct shw_filter_bank_fragment **out)
{
    struct shw_filter_bank_fragment *fragment = calloc(1, sizeof *fragment);
    enum shw_result result;

    if (fragment == NULL)
        return shw_fail_memory(&device->log, "the filter bank");
    fragment->bank = bank;
    fragment->planes = *planes;
    plan_rows(fragment);
    for (uint32_t radius = 1; radius <= SHW_KERNEL_RADIUS_MAX; radius++)
        plan_columns_of(fragment, radius);
    SHW_TRY(shw_filter_weights_create(device, &fragment->weights));
    SHW_TRY(create_programs(device, fragment));
    SHW_TRY(create_sets(device, fragment, &fragment->row_pool, planes->base, &fragment->row_sets));
    SHW_TRY(create_sets(device, fragment, &fragment->column_pool, planes->intermediate, &fragment->column_sets));
    for (uint32_t i = 0; i < fragment->pass_count; i++) {
        struct pass *pass = &fragment->passes[i];
        SHW_TRY(create_targets(device, fragment, &fragment->programs[pass->output_count - 1],
                               i < fragment->row_pass_count ? planes->intermediate : planes->outputs, pass->layers,
                               &pass->targets));
    }
    if (bank->position_count > 0) {
        uint32_t first = bank->column_count + bank->absolute_count;
        const uint32_t layers[] = {first, first + 1};
        SHW_TRY(create_targets(device, fragment, &fragment->position, planes->outputs, layers,
                               &fragment->position_targets));
    }
    *out = fragment;
    return SHW_OK;

fail:
    shw_filter_bank_fragment_destroy(device, &fragment);
    return result;
}

static void destroy_targets(struct shw_device *device, const struct shw_filter_bank_fragment *fragment,
                            struct shw_target *targets)
{
    for (uint32_t slot = 0; targets != NULL && slot < fragment->planes.slots; slot++)
        shw_target_destroy(device, &targets[slot]);
    free(targets);
}

void shw_filter_bank_fragment_destroy(struct shw_device *device, struct shw_filter_bank_fragment **handle)
{
    struct shw_filter_bank_fragment *fragment = *handle;

    if (fragment == NULL)
        return;
    for (uint32_t i = 0; i < fragment->pass_count; i++)
        destroy_targets(device, fragment, fragment->passes[i].targets);
    destroy_targets(device, fragment, fragment->position_targets);
    if (fragment->row_pool != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorPool(device->handle, fragment->row_pool, device->allocator);
    if (fragment->column_pool != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorPool(device->handle, fragment->column_pool, device->allocator);
    for (uint32_t i = 0; i < PASS_OUTPUTS_MAX; i++)
        shw_program_destroy(device, &fragment->programs[i]);
    shw_program_destroy(device, &fragment->position);
    shw_buffer_destroy(device, &fragment->weights);
    free(fragment->row_sets);
    free(fragment->column_sets);
    free(fragment);
    *handle = NULL;
}

void shw_filter_bank_fragment_record(const struct shw_filter_bank_fragment *fragment, struct shw_recording *recording,
                                     uint32_t slot, const struct shw_region *region)
{
    const struct shw_filter_bank_planes *planes = &fragment->planes;
    const struct position_push position = {{region->x, region->y}, {region->full_width, region->full_height}};

    shw_recording_image_barrier(recording, planes->base[slot].image.handle, shw_use_attachment,
                                shw_use_fragment_sampled);
    shw_recording_image_barrier(recording, planes->intermediate[slot].image.handle, shw_use_nothing,
                                shw_use_attachment);
    shw_recording_image_barrier(recording, planes->outputs[slot].image.handle, shw_use_nothing, shw_use_attachment);
    for (uint32_t i = 0; i < fragment->pass_count; i++) {
        const struct pass *pass = &fragment->passes[i];
        struct push push = pass->push;
        push.last[0] = (int32_t)region->width - 1;
        push.last[1] = (int32_t)region->height - 1;
        if (i == fragment->row_pass_count)
            shw_recording_image_barrier(recording, planes->intermediate[slot].image.handle, shw_use_attachment,
                                        shw_use_fragment_sampled);
        shw_recording_draw(recording, &fragment->programs[pass->output_count - 1],
                           i < fragment->row_pass_count ? fragment->row_sets[slot] : fragment->column_sets[slot], &push,
                           pass->targets[slot].framebuffer, region->width, region->height,
                           (2 * (uint64_t)(uint32_t)push.radius + 1) * push.term_count * region->width);
    }
    if (fragment->bank->position_count > 0)
        shw_recording_draw(recording, &fragment->position, VK_NULL_HANDLE, &position,
                           fragment->position_targets[slot].framebuffer, region->width, region->height,
                           POSITION_WORK * region->width);
}
