/* The filter bank by compute, one program for small and one for large radii in each direction. */
#include <stdlib.h>
#include <string.h>

#include "dense/channels/filter_bank.h"
#include "shared/filter_push.h"

SHW_SHADER_DECLARE(filter_rows_comp);
SHW_SHADER_DECLARE(filter_rows_large_comp);
SHW_SHADER_DECLARE(filter_columns_comp);
SHW_SHADER_DECLARE(filter_columns_large_comp);

enum { ROWS, ROWS_LARGE, COLUMNS, COLUMNS_LARGE, PASSES };

struct bank {
    struct shw_filter_bank_planes planes;
    struct shw_buffer groups[PASSES];
    uint32_t counts[PASSES]; /* of groups; passes without groups are not recorded */
    struct shw_program programs[PASSES];
    struct shw_sets sets[PASSES]; /* one per slot */
};

/* Whether a pass handles the kernel's radius, and the radius' index there. */
static bool find_radius(enum shw_kernel kernel, bool is_large, uint32_t *size)
{
    static const uint32_t small[SHW_FILTER_SIZES] = {3, 6, 12};
    uint32_t radius = shw_filter_kernels[kernel].radius;

    *size = 0;
    if (is_large)
        return radius == 24;
    while (*size < SHW_FILTER_SIZES && small[*size] != radius)
        ++*size;
    return *size < SHW_FILTER_SIZES;
}

static struct shw_filter_group empty_group(uint32_t plane)
{
    return (struct shw_filter_group){.plane = plane,
                                     .planes = {SHW_FILTER_NOTHING, SHW_FILTER_NOTHING, SHW_FILTER_NOTHING},
                                     .outputs = {SHW_FILTER_NOTHING, SHW_FILTER_NOTHING}};
}

/* Puts each row filter into the first group of its base plane that has none of its radius yet. */
static uint32_t group_rows(const struct shw_filter_bank *bank, bool is_large, struct shw_filter_group *groups)
{
    uint32_t count = 0, size, g;

    for (uint32_t i = 0; i < bank->row_count; i++) {
        const struct shw_row_filter *row = &bank->rows[i];
        if (!find_radius(row->kernel, is_large, &size))
            continue;
        for (g = 0; g < count && (groups[g].plane != row->base || groups[g].planes[size] != SHW_FILTER_NOTHING); g++)
            ;
        if (g == count)
            groups[count++] = empty_group(row->base);
        groups[g].kernels[size] = shw_filter_weights_offset(row->kernel) / 4;
        groups[g].planes[size] = i;
    }
    return count;
}

/* One group per sum, the largest first because they take longest. */
static uint32_t group_columns(const struct shw_filter_bank *bank, bool is_large, struct shw_filter_group *groups)
{
    uint32_t count = 0, size;

    for (uint32_t wanted = SHW_FILTER_SIZES; wanted-- > 0;)
        for (uint32_t i = 0; i < bank->column_count; i++) {
            const struct shw_column_filter *column = &bank->columns[i];
            struct shw_filter_group *group = &groups[count];
            if (!find_radius(column->terms[0].kernel, is_large, &size) || size != wanted)
                continue;
            *group = empty_group(0);
            group->size = size;
            for (uint32_t t = 0; t < column->term_count; t++) {
                group->kernels[t] = shw_filter_weights_offset(column->terms[t].kernel) / 4;
                group->planes[t] = column->terms[t].row;
            }
            group->outputs[0] = column->output;
            group->outputs[1] = column->magnitude;
            count++;
        }
    return count;
}

/* The filters of a pass; returns their number. */
static uint32_t make_groups(const struct shw_filter_bank *bank, int pass,
                            struct shw_filter_group groups[SHW_FILTERS_MAX])
{
    bool is_large = pass == ROWS_LARGE || pass == COLUMNS_LARGE;

    _Static_assert(SHW_FILTERS_MAX >= SHW_COLUMN_FILTERS_MAX, "room for columns");
    _Static_assert(SHW_NO_OUTPUT == SHW_FILTER_NOTHING, "outputs are taken as they are");
    return pass < COLUMNS ? group_rows(bank, is_large, groups) : group_columns(bank, is_large, groups);
}

static enum shw_result add_groups(struct shw_arena *arena, struct bank *compute)
{
    struct shw_filter_group groups[SHW_FILTERS_MAX];

    for (int pass = 0; pass < PASSES; pass++) {
        compute->counts[pass] = make_groups(&compute->planes.bank, pass, groups);
        if (compute->counts[pass] > 0)
            SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, compute->counts[pass] * sizeof *groups,
                                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_TABLE, "filters",
                                               &compute->groups[pass]));
    }
    return SHW_OK;
}

static void write_groups(const struct bank *compute)
{
    struct shw_filter_group groups[SHW_FILTERS_MAX];

    for (int pass = 0; pass < PASSES; pass++)
        if (compute->counts[pass] > 0) {
            make_groups(&compute->planes.bank, pass, groups);
            memcpy(compute->groups[pass].mapped, groups, compute->counts[pass] * sizeof *groups);
        }
}

static enum shw_result create_programs(struct shw_device *device, struct bank *compute)
{
    static const struct shw_binding bindings[] = {{SHW_FILTER_INPUTS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                  {SHW_FILTER_OUTPUTS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                  {SHW_FILTER_KERNELS, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
                                                  {SHW_FILTER_GROUPS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const struct shw_shader shaders[PASSES] = {SHW_SHADER(filter_rows_comp), SHW_SHADER(filter_rows_large_comp),
                                               SHW_SHADER(filter_columns_comp), SHW_SHADER(filter_columns_large_comp)};
    const char *const names[PASSES] = {"filters along rows", "large filters along rows", "filters along columns",
                                       "large filters along columns"};

    for (int pass = 0; pass < PASSES; pass++) {
        const struct shw_program_params params = {.name = names[pass],
                                                  .compute = shaders[pass],
                                                  .bindings = bindings,
                                                  .binding_count = 4,
                                                  .push_bytes = sizeof(struct shw_filter_push),
                                                  .in_pieces = true};
        if (compute->counts[pass] > 0)
            SHW_PROPAGATE(shw_program_create(device, &params, &compute->programs[pass]));
    }
    return SHW_OK;
}

static void write_set(struct shw_device *device, const struct bank *compute, int pass, uint32_t slot)
{
    const struct shw_filter_bank_planes *planes = &compute->planes;
    const struct shw_planes *in = pass < COLUMNS ? planes->base : planes->intermediate;
    const struct shw_planes *out = pass < COLUMNS ? planes->intermediate : planes->outputs;
    const struct shw_resource resources[] = {{.buffer = in[slot].buffer.handle},
                                             {.buffer = out[slot].buffer.handle},
                                             {.buffer = planes->weights.handle},
                                             {.buffer = compute->groups[pass].handle}};

    shw_set_write(device, &compute->programs[pass], compute->sets[pass].handles[slot], resources);
}

static enum shw_result create_sets(struct shw_device *device, struct bank *compute)
{
    uint32_t slots = compute->planes.slots;

    for (int pass = 0; pass < PASSES; pass++) {
        if (compute->counts[pass] == 0)
            continue;
        SHW_PROPAGATE(shw_sets_create(device, &compute->programs[pass], slots, &compute->sets[pass]));
        for (uint32_t slot = 0; slot < slots; slot++)
            write_set(device, compute, pass, slot);
    }
    return SHW_OK;
}

static void destroy(struct shw_device *device, void *instance)
{
    struct bank *compute = instance;

    for (int pass = 0; pass < PASSES; pass++) {
        shw_sets_destroy(device, &compute->sets[pass]);
        shw_program_destroy(device, &compute->programs[pass]);
    }
    shw_filter_bank_planes_destroy(device, &compute->planes);
    free(compute);
}

static enum shw_result add(struct shw_arena *arena, const struct shw_channel_list *list,
                           const struct shw_channel_outputs *outputs, void **instance)
{
    struct bank *compute = calloc(1, sizeof *compute);
    enum shw_result result;

    if (compute == NULL)
        return shw_fail_memory(&arena->device->log, "the filter bank");
    SHW_TRY(shw_filter_bank_planes_add(arena, list, outputs, &compute->planes));
    SHW_TRY(add_groups(arena, compute));
    *instance = compute;
    return SHW_OK;

fail:
    destroy(arena->device, compute);
    return result;
}

static enum shw_result create(struct shw_device *device, void *instance)
{
    struct bank *compute = instance;

    SHW_PROPAGATE(shw_filter_bank_planes_create(device, &compute->planes));
    write_groups(compute);
    SHW_PROPAGATE(create_programs(device, compute));
    return create_sets(device, compute);
}

static void record_pass(const struct bank *compute, struct shw_recording *recording, int pass, uint32_t slot,
                        const struct shw_region *region)
{
    const struct shw_planes *output = &compute->planes.outputs[slot];
    const struct shw_filter_push push = {.last_x = (int32_t)region->width - 1,
                                         .last_y = (int32_t)region->height - 1,
                                         .row_words = output->stride / 2,
                                         .plane_words = output->stride / 2 * output->height};
    static const uint32_t taps[PASSES] = {
        [ROWS] = 45, [ROWS_LARGE] = 49, [COLUMNS] = 25, [COLUMNS_LARGE] = 49}; /* per pixel */
    uint32_t rows = pass < COLUMNS ? 16 : 32; /* per work group, which is 64 pixels wide */

    if (compute->counts[pass] > 0)
        shw_recording_dispatch(recording, &compute->programs[pass], compute->sets[pass].handles[slot], &push,
                               (region->width + 63) / 64, (region->height + rows - 1) / rows, compute->counts[pass],
                               (uint64_t)taps[pass] * rows * region->width);
}

static void prepare(void *instance, struct shw_recording *recording, uint32_t slot, int phase)
{
    const struct shw_filter_bank_planes *planes = &((struct bank *)instance)->planes;
    VkBuffer base = planes->base[slot].buffer.handle, intermediate = planes->intermediate[slot].buffer.handle;

    if (phase == SHW_FILTER_ROWS)
        shw_recording_buffer_barrier(recording, base, shw_use_compute_write, shw_use_compute_read);
    else if (phase == SHW_FILTER_COLUMNS)
        shw_recording_buffer_barrier(recording, intermediate, shw_use_compute_write, shw_use_compute_read);
}

static void record(void *instance, struct shw_recording *recording, uint32_t slot, int phase,
                   const struct shw_channel_source *sources, const struct shw_region *region)
{
    const struct bank *compute = instance;
    const struct shw_planes *output = &compute->planes.outputs[slot];

    /* Intermediate rows are as long as those of the outputs, which may change from image to image. */
    compute->planes.base[slot].stride = output->stride;
    compute->planes.base[slot].height = output->height;
    if (phase == SHW_FILTER_BASE)
        shw_filter_bank_planes_record(&compute->planes, recording, slot, sources, region);
    for (int pass = ROWS; pass < PASSES; pass++)
        if (phase == (pass < COLUMNS ? SHW_FILTER_ROWS : SHW_FILTER_COLUMNS))
            record_pass(compute, recording, pass, slot, region);
}

const struct shw_channel_device_maker shw_filter_bank_compute = {.first_phase = SHW_FILTER_BASE,
                                                                 .add = add,
                                                                 .create = create,
                                                                 .destroy = destroy,
                                                                 .bind = shw_filter_bank_planes_bind,
                                                                 .prepare = prepare,
                                                                 .record = record};
