/* The filter bank in render passes, each of which filters up to four planes in one direction (Sharp 2008, 2.3). */
#include <stdlib.h>

#include "dense/channels/filter_bank.h"
#include "vulkan/planes.h"

SHW_SHADER_DECLARE(filter_bank_1_frag);
SHW_SHADER_DECLARE(filter_bank_2_frag);
SHW_SHADER_DECLARE(filter_bank_3_frag);
SHW_SHADER_DECLARE(filter_bank_4_frag);

#define PASS_OUTPUTS_MAX 4u
#define PASS_TERMS_MAX   8u
#define PASSES_MAX       (SHW_ROW_FILTERS_MAX / PASS_OUTPUTS_MAX + SHW_COLUMN_FILTERS_MAX / 2 + 2 * SHW_KERNEL_SCALES)

/* As in shaders/dense/channels/filter_bank.frag. */
struct push {
    int32_t last[2], direction[2];
    int32_t radius;
    uint32_t shift;
    uint32_t term_count;
    uint32_t outputs[PASS_OUTPUTS_MAX];
    uint32_t terms[PASS_TERMS_MAX];
};

#define OUTPUT_MAGNITUDE 4u

struct pass {
    struct push push; /* everything but `last` */
    uint32_t sum_count, output_count;
    uint32_t layers[PASS_OUTPUTS_MAX];
    struct shw_target *targets; /* one per slot */
};

struct bank {
    struct shw_filter_bank_planes planes;
    struct shw_program programs[PASS_OUTPUTS_MAX]; /* [attachment count - 1] */
    struct shw_sets row_sets, column_sets;         /* one per slot */
    struct pass passes[PASSES_MAX];
    uint32_t row_pass_count, pass_count;
};

static struct pass *begin_pass(struct bank *fragment, bool is_column, uint32_t radius)
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

static void plan_rows(struct bank *fragment)
{
    const struct shw_filter_bank *bank = &fragment->planes.bank;
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

static void plan_columns_of(struct bank *fragment, uint32_t radius)
{
    const struct shw_filter_bank *bank = &fragment->planes.bank;
    struct pass *pass = NULL;

    for (uint32_t i = 0; i < bank->column_count; i++) {
        const struct shw_column_filter *column = &bank->columns[i];
        uint32_t outputs = column->output != SHW_NO_OUTPUT && column->magnitude != SHW_NO_OUTPUT ? 2 : 1;
        if (shw_filter_kernels[column->terms[0].kernel].radius != radius)
            continue;
        if (pass == NULL || pass->output_count + outputs > PASS_OUTPUTS_MAX)
            pass = begin_pass(fragment, true, radius);
        for (uint32_t t = 0; t < column->term_count; t++)
            add_term(pass, column->terms[t].row, column->terms[t].kernel);
        if (column->output != SHW_NO_OUTPUT)
            add_output(pass, column->output, 0);
        if (column->magnitude != SHW_NO_OUTPUT)
            add_output(pass, column->magnitude, OUTPUT_MAGNITUDE);
        pass->sum_count++;
    }
}

static enum shw_result create_programs(struct shw_device *device, struct bank *fragment)
{
    static const VkFormat formats[] = {VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT, VK_FORMAT_R16_SINT};
    static const struct shw_binding bindings[] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                                  {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
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
    return SHW_OK;
}

static enum shw_result create_sets(struct shw_device *device, struct bank *fragment, const struct shw_planes *inputs,
                                   struct shw_sets *sets)
{
    const struct shw_program *program = &fragment->programs[0];

    SHW_PROPAGATE(shw_sets_create(device, program, fragment->planes.slots, sets));
    for (uint32_t slot = 0; slot < fragment->planes.slots; slot++) {
        const struct shw_resource resources[] = {{.view = inputs[slot].image.view},
                                                 {.buffer = fragment->planes.weights.handle}};
        shw_set_write(device, program, sets->handles[slot], resources);
    }
    return SHW_OK;
}

static void destroy(struct shw_device *device, void *instance)
{
    struct bank *fragment = instance;

    for (uint32_t i = 0; i < fragment->pass_count; i++)
        shw_targets_destroy(device, fragment->planes.slots, &fragment->passes[i].targets);
    shw_sets_destroy(device, &fragment->row_sets);
    shw_sets_destroy(device, &fragment->column_sets);
    for (uint32_t i = 0; i < PASS_OUTPUTS_MAX; i++)
        shw_program_destroy(device, &fragment->programs[i]);
    shw_filter_bank_planes_destroy(device, &fragment->planes);
    free(fragment);
}

static enum shw_result add(struct shw_arena *arena, const struct shw_channel_list *list,
                           const struct shw_channel_outputs *outputs, void **instance)
{
    struct bank *fragment = calloc(1, sizeof *fragment);
    enum shw_result result;

    if (fragment == NULL)
        return shw_fail_memory(&arena->device->log, "the filter bank");
    SHW_TRY(shw_filter_bank_planes_add(arena, list, outputs, &fragment->planes));
    plan_rows(fragment);
    for (uint32_t radius = 1; radius <= SHW_KERNEL_RADIUS_MAX; radius++)
        plan_columns_of(fragment, radius);
    *instance = fragment;
    return SHW_OK;

fail:
    destroy(arena->device, fragment);
    return result;
}

static enum shw_result create(struct shw_device *device, void *instance)
{
    struct bank *fragment = instance;
    struct shw_filter_bank_planes *planes = &fragment->planes;

    SHW_PROPAGATE(shw_filter_bank_planes_create(device, planes));
    SHW_PROPAGATE(create_programs(device, fragment));
    SHW_PROPAGATE(create_sets(device, fragment, planes->base, &fragment->row_sets));
    SHW_PROPAGATE(create_sets(device, fragment, planes->intermediate, &fragment->column_sets));
    for (uint32_t i = 0; i < fragment->pass_count; i++) {
        struct pass *pass = &fragment->passes[i];
        SHW_PROPAGATE(shw_targets_create(device, &fragment->programs[pass->output_count - 1],
                                         i < fragment->row_pass_count ? planes->intermediate : planes->outputs,
                                         planes->slots, pass->layers, &pass->targets));
    }
    return SHW_OK;
}

static void prepare(void *instance, struct shw_recording *recording, uint32_t slot, int phase)
{
    const struct shw_filter_bank_planes *planes = &((struct bank *)instance)->planes;
    VkImage base = planes->base[slot].image.handle, intermediate = planes->intermediate[slot].image.handle;

    if (phase == SHW_FILTER_BASE) {
        shw_recording_image_barrier(recording, base, shw_use_discarded, shw_use_attachment);
    } else if (phase == SHW_FILTER_ROWS) {
        shw_recording_image_barrier(recording, base, shw_use_attachment, shw_use_fragment_sampled);
        shw_recording_image_barrier(recording, intermediate, shw_use_discarded, shw_use_attachment);
    } else if (phase == SHW_FILTER_COLUMNS) {
        shw_recording_image_barrier(recording, intermediate, shw_use_attachment, shw_use_fragment_sampled);
    }
}

static void record_passes(const struct bank *fragment, struct shw_recording *recording, uint32_t slot, uint32_t first,
                          uint32_t end, const struct shw_region *region)
{
    for (uint32_t i = first; i < end; i++) {
        const struct pass *pass = &fragment->passes[i];
        struct push push = pass->push;
        push.last[0] = (int32_t)region->width - 1;
        push.last[1] = (int32_t)region->height - 1;
        shw_recording_draw(recording, &fragment->programs[pass->output_count - 1],
                           i < fragment->row_pass_count ? fragment->row_sets.handles[slot]
                                                        : fragment->column_sets.handles[slot],
                           &push, pass->targets[slot].framebuffer, region->width, region->height,
                           (2 * (uint64_t)(uint32_t)push.radius + 1) * push.term_count * region->width);
    }
}

static void record(void *instance, struct shw_recording *recording, uint32_t slot, int phase,
                   const struct shw_channel_source *sources, const struct shw_region *region)
{
    const struct bank *fragment = instance;

    if (phase == SHW_FILTER_BASE)
        shw_filter_bank_planes_record(&fragment->planes, recording, slot, sources, region);
    else if (phase == SHW_FILTER_ROWS)
        record_passes(fragment, recording, slot, 0, fragment->row_pass_count, region);
    else
        record_passes(fragment, recording, slot, fragment->row_pass_count, fragment->pass_count, region);
}

const struct shw_channel_device_maker shw_filter_bank_fragment = {.first_phase = SHW_FILTER_BASE,
                                                                  .add = add,
                                                                  .create = create,
                                                                  .destroy = destroy,
                                                                  .bind = shw_filter_bank_planes_bind,
                                                                  .prepare = prepare,
                                                                  .record = record};
