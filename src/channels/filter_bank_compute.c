/* Winn's filter bank in two directions, each by a program for the small radii and one for the large, and the channels x
 * and y. */
#include <stdlib.h>
#include <string.h>

#include "channels/filter_bank_stage.h"
#include "shared/filter_push.h"

SHW_SHADER_DECLARE(filter_rows_comp);
SHW_SHADER_DECLARE(filter_rows_large_comp);
SHW_SHADER_DECLARE(filter_columns_comp);
SHW_SHADER_DECLARE(filter_columns_large_comp);
SHW_SHADER_DECLARE(position_comp);

#define POSITION_WORK 4u /* of a pixel, in units of a filter's tap */

struct position_push {
    uint32_t size[2], origin[2], full[2];
    uint32_t row_words, plane_words;
    uint32_t first_plane;
};

enum { ROWS, ROWS_LARGE, COLUMNS, COLUMNS_LARGE, PASSES };

struct shw_filter_bank_compute {
    const struct shw_filter_bank *bank;
    struct shw_filter_bank_planes planes;
    struct shw_buffer weights, groups[PASSES];
    uint32_t counts[PASSES]; /* groups; passes without any are not recorded */
    struct shw_program programs[PASSES], position;
    VkDescriptorPool pools[PASSES + 1];
    VkDescriptorSet *sets[PASSES + 1]; /* one a slot; the last for x and y */
};

/* The pass that knows a radius, and its number there. */
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

/* One group a channel, the largest first: they take longest. */
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
            group->outputs[0] = i;
            if (i - bank->absolute_first < bank->absolute_count)
                group->outputs[1] = bank->column_count + i - bank->absolute_first;
            count++;
        }
    return count;
}

static enum shw_result create_groups(struct shw_device *device, struct shw_filter_bank_compute *compute)
{
    struct shw_filter_group groups[SHW_ROW_FILTERS_MAX];

    _Static_assert(SHW_ROW_FILTERS_MAX >= SHW_COLUMN_FILTERS_MAX, "room for columns");
    SHW_PROPAGATE(shw_filter_weights_create(device, &compute->weights));
    for (int pass = 0; pass < PASSES; pass++) {
        bool is_large = pass == ROWS_LARGE || pass == COLUMNS_LARGE;
        compute->counts[pass] = pass < COLUMNS ? group_rows(compute->bank, is_large, groups)
                                               : group_columns(compute->bank, is_large, groups);
        if (compute->counts[pass] == 0)
            continue;
        SHW_PROPAGATE(shw_buffer_create(device, compute->counts[pass] * sizeof *groups,
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_TABLE, "filters",
                                        &compute->groups[pass]));
        memcpy(compute->groups[pass].mapped, groups, compute->counts[pass] * sizeof *groups);
    }
    return SHW_OK;
}

static enum shw_result create_programs(struct shw_device *device, struct shw_filter_bank_compute *compute)
{
    static const struct shw_binding bindings[] = {{SHW_FILTER_INPUTS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                                  {SHW_FILTER_OUTPUTS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                                  {SHW_FILTER_KERNELS, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
                                                  {SHW_FILTER_GROUPS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
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
    if (compute->bank->position_count > 0) {
        const struct shw_program_params params = {.name = "pixel positions",
                                                  .compute = SHW_SHADER(position_comp),
                                                  .bindings = bindings,
                                                  .binding_count = 1,
                                                  .push_bytes = sizeof(struct position_push),
                                                  .in_pieces = true};
        SHW_PROPAGATE(shw_program_create(device, &params, &compute->position));
    }
    return SHW_OK;
}

static void write_set(struct shw_device *device, const struct shw_filter_bank_compute *compute, int pass, uint32_t slot)
{
    const struct shw_filter_bank_planes *planes = &compute->planes;
    const struct shw_planes *in = pass < COLUMNS ? planes->base : planes->intermediate;
    const struct shw_planes *out = pass < COLUMNS ? planes->intermediate : planes->outputs;
    const VkDescriptorBufferInfo buffers[] = {{in[slot].buffer.handle, 0, VK_WHOLE_SIZE},
                                              {out[slot].buffer.handle, 0, VK_WHOLE_SIZE},
                                              {compute->weights.handle, 0, VK_WHOLE_SIZE},
                                              {compute->groups[pass].handle, 0, VK_WHOLE_SIZE}};
    const struct shw_resource resources[] = {
        {.buffers = &buffers[0]}, {.buffers = &buffers[1]}, {.buffers = &buffers[2]}, {.buffers = &buffers[3]}};

    shw_set_write(device, &compute->programs[pass], compute->sets[pass][slot], resources);
}

static enum shw_result create_sets(struct shw_device *device, struct shw_filter_bank_compute *compute)
{
    uint32_t slots = compute->planes.slots;

    for (int i = 0; i <= PASSES; i++) {
        compute->sets[i] = calloc(slots, sizeof *compute->sets[i]);
        if (compute->sets[i] == NULL)
            return shw_fail_memory(&device->log, "the filter bank");
    }
    for (int pass = 0; pass < PASSES; pass++) {
        if (compute->counts[pass] == 0)
            continue;
        SHW_PROPAGATE(
            shw_sets_create(device, &compute->programs[pass], slots, &compute->pools[pass], compute->sets[pass]));
        for (uint32_t slot = 0; slot < slots; slot++)
            write_set(device, compute, pass, slot);
    }
    if (compute->bank->position_count == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_sets_create(device, &compute->position, slots, &compute->pools[PASSES], compute->sets[PASSES]));
    for (uint32_t slot = 0; slot < slots; slot++) {
        const VkDescriptorBufferInfo output = {compute->planes.outputs[slot].buffer.handle, 0, VK_WHOLE_SIZE};
        const struct shw_resource resource = {.buffers = &output};
        shw_set_write(device, &compute->position, compute->sets[PASSES][slot], &resource);
    }
    return SHW_OK;
}

enum shw_result shw_filter_bank_compute_create(struct shw_device *device, const struct shw_filter_bank *bank,
                                               const struct shw_filter_bank_planes *planes,
                                               struct shw_filter_bank_compute **out)
{
    struct shw_filter_bank_compute *compute = calloc(1, sizeof *compute);
    enum shw_result result;

    if (compute == NULL)
        return shw_fail_memory(&device->log, "the filter bank");
    compute->bank = bank;
    compute->planes = *planes;
    SHW_TRY(create_groups(device, compute));
    SHW_TRY(create_programs(device, compute));
    SHW_TRY(create_sets(device, compute));
    *out = compute;
    return SHW_OK;

fail:
    shw_filter_bank_compute_destroy(device, &compute);
    return result;
}

void shw_filter_bank_compute_destroy(struct shw_device *device, struct shw_filter_bank_compute **handle)
{
    struct shw_filter_bank_compute *compute = *handle;

    if (compute == NULL)
        return;
    for (int i = 0; i <= PASSES; i++) {
        if (compute->pools[i] != VK_NULL_HANDLE)
            device->vk.DestroyDescriptorPool(device->handle, compute->pools[i], device->allocator);
        free(compute->sets[i]);
    }
    for (int pass = 0; pass < PASSES; pass++) {
        shw_program_destroy(device, &compute->programs[pass]);
        shw_buffer_destroy(device, &compute->groups[pass]);
    }
    shw_program_destroy(device, &compute->position);
    shw_buffer_destroy(device, &compute->weights);
    free(compute);
    *handle = NULL;
}

static void record_positions(const struct shw_filter_bank_compute *compute, struct shw_recording *recording,
                             uint32_t slot, const struct shw_region *region)
{
    const struct shw_planes *output = &compute->planes.outputs[slot];
    const struct position_push push = {.size = {region->width, region->height},
                                       .origin = {region->x, region->y},
                                       .full = {region->full_width, region->full_height},
                                       .row_words = output->stride / 2,
                                       .plane_words = output->stride / 2 * output->height,
                                       .first_plane = compute->bank->column_count + compute->bank->absolute_count};

    shw_recording_dispatch(recording, &compute->position, compute->sets[PASSES][slot], &push, (region->width + 63) / 64,
                           (region->height + 3) / 4, 1, 4 * POSITION_WORK * region->width);
}

static void record_pass(const struct shw_filter_bank_compute *compute, struct shw_recording *recording, int pass,
                        uint32_t slot, const struct shw_region *region)
{
    const struct shw_planes *output = &compute->planes.outputs[slot];
    const struct shw_filter_push push = {.last_x = (int32_t)region->width - 1,
                                         .last_y = (int32_t)region->height - 1,
                                         .row_words = output->stride / 2,
                                         .plane_words = output->stride / 2 * output->height};
    static const uint32_t taps[PASSES] = {
        [ROWS] = 45, [ROWS_LARGE] = 49, [COLUMNS] = 25, [COLUMNS_LARGE] = 49}; /* of a pixel */
    uint32_t rows = pass < COLUMNS ? 16 : 32; /* of a work group, which is 64 pixels wide */

    if (compute->counts[pass] > 0)
        shw_recording_dispatch(recording, &compute->programs[pass], compute->sets[pass][slot], &push,
                               (region->width + 63) / 64, (region->height + rows - 1) / rows, compute->counts[pass],
                               (uint64_t)taps[pass] * rows * region->width);
}

void shw_filter_bank_compute_rows(const struct shw_filter_bank_compute *compute, struct shw_recording *recording,
                                  uint32_t slot, const struct shw_region *region)
{
    record_pass(compute, recording, ROWS, slot, region);
    record_pass(compute, recording, ROWS_LARGE, slot, region);
}

void shw_filter_bank_compute_columns(const struct shw_filter_bank_compute *compute, struct shw_recording *recording,
                                     uint32_t slot, const struct shw_region *region)
{
    record_pass(compute, recording, COLUMNS, slot, region);
    record_pass(compute, recording, COLUMNS_LARGE, slot, region);
    if (compute->bank->position_count > 0)
        record_positions(compute, recording, slot, region);
}

void shw_filter_bank_compute_record(const struct shw_filter_bank_compute *compute, struct shw_recording *recording,
                                    uint32_t slot, const struct shw_region *region)
{
    const struct shw_filter_bank_planes *planes = &compute->planes;

    shw_recording_buffer_barrier(recording, planes->base[slot].buffer.handle, shw_use_compute_write,
                                 shw_use_compute_read);
    shw_recording_buffer_barrier(recording, planes->intermediate[slot].buffer.handle, shw_use_nothing,
                                 shw_use_compute_write);
    shw_filter_bank_compute_rows(compute, recording, slot, region);
    shw_recording_buffer_barrier(recording, planes->intermediate[slot].buffer.handle, shw_use_compute_write,
                                 shw_use_compute_read);
    shw_recording_buffer_barrier(recording, planes->outputs[slot].buffer.handle, shw_use_nothing,
                                 shw_use_compute_write);
    shw_filter_bank_compute_columns(compute, recording, slot, region);
}
