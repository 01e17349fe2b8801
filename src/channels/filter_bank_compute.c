/* Winn's filter bank in two dispatches, one for each direction, and one for the channels x and y. */
#include <stdlib.h>

#include "channels/filter_bank_stage.h"

SHW_SHADER_DECLARE(filter_bank_rows_comp);
SHW_SHADER_DECLARE(filter_bank_columns_comp);
SHW_SHADER_DECLARE(position_comp);

/* As in shaders/channels/filter_bank.comp. */
struct filter_words {
    int32_t radius;
    uint32_t term_count;
    uint32_t terms[2];
    uint32_t signed_plane, magnitude;
};

#define NO_PLANE 0xffffffffu

struct push {
    int32_t last[2];
    uint32_t row_words, plane_words;
    uint32_t shift;
};

struct position_push {
    uint32_t size[2], origin[2], full[2];
    uint32_t row_words, plane_words;
    uint32_t first_plane;
};

enum { ROWS, COLUMNS, DIRECTIONS };

struct shw_filter_bank_compute {
    const struct shw_filter_bank *bank;
    struct shw_filter_bank_planes planes;
    struct shw_buffer weights, filters[DIRECTIONS];
    struct shw_program programs[DIRECTIONS], position;
    VkDescriptorPool pools[DIRECTIONS + 1];
    VkDescriptorSet *sets[DIRECTIONS + 1]; /* one a slot; the last for x and y */
};

static uint32_t pack_term(uint32_t plane, uint32_t kernel)
{
    return plane | shw_filter_weights_offset(kernel) << 16;
}

static struct filter_words row_words(const struct shw_filter_bank *bank, uint32_t i)
{
    const struct shw_row_filter *row = &bank->rows[i];

    return (struct filter_words){.radius = (int32_t)shw_filter_kernels[row->kernel].radius,
                                 .term_count = 1,
                                 .terms = {pack_term(row->base, row->kernel)},
                                 .signed_plane = i,
                                 .magnitude = NO_PLANE};
}

static struct filter_words column_words(const struct shw_filter_bank *bank, uint32_t i)
{
    const struct shw_column_filter *column = &bank->columns[i];
    bool has_magnitude = i - bank->absolute_first < bank->absolute_count;
    struct filter_words words = {.radius = (int32_t)shw_filter_kernels[column->terms[0].kernel].radius,
                                 .term_count = column->term_count,
                                 .signed_plane = i,
                                 .magnitude = has_magnitude ? bank->column_count + i - bank->absolute_first : NO_PLANE};

    for (uint32_t t = 0; t < column->term_count; t++)
        words.terms[t] = pack_term(column->terms[t].row, column->terms[t].kernel);
    return words;
}

static enum shw_result create_filters(struct shw_device *device, struct shw_filter_bank_compute *compute)
{
    uint32_t counts[DIRECTIONS] = {compute->bank->row_count, compute->bank->column_count};
    enum shw_result result;

    SHW_TRY(shw_filter_weights_create(device, &compute->weights));
    for (uint32_t direction = 0; direction < DIRECTIONS; direction++) {
        struct filter_words *words;
        SHW_TRY(shw_buffer_create(device, counts[direction] * sizeof *words, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_TABLE,
                                  "filters", &compute->filters[direction]));
        words = compute->filters[direction].mapped;
        for (uint32_t i = 0; i < counts[direction]; i++)
            words[i] = direction == ROWS ? row_words(compute->bank, i) : column_words(compute->bank, i);
    }

fail:
    return result;
}

static enum shw_result create_programs(struct shw_device *device, struct shw_filter_bank_compute *compute)
{
    static const struct shw_binding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                                  {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                                  {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                                  {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    struct shw_program_params params = {.name = "filter bank, rows",
                                        .compute = SHW_SHADER(filter_bank_rows_comp),
                                        .bindings = bindings,
                                        .binding_count = 4,
                                        .push_bytes = sizeof(struct push)};
    enum shw_result result;

    SHW_TRY(shw_program_create(device, &params, &compute->programs[ROWS]));
    params.name = "filter bank, columns";
    params.compute = SHW_SHADER(filter_bank_columns_comp);
    SHW_TRY(shw_program_create(device, &params, &compute->programs[COLUMNS]));
    if (compute->bank->position_count > 0) {
        params.name = "pixel positions";
        params.compute = SHW_SHADER(position_comp);
        params.binding_count = 1;
        params.push_bytes = sizeof(struct position_push);
        SHW_TRY(shw_program_create(device, &params, &compute->position));
    }

fail:
    return result;
}

static void write_set(struct shw_device *device, const struct shw_filter_bank_compute *compute, uint32_t direction, uint32_t slot)
{
    const struct shw_filter_bank_planes *planes = &compute->planes;
    const struct shw_planes *in = direction == ROWS ? planes->base : planes->intermediate;
    const struct shw_planes *out = direction == ROWS ? planes->intermediate : planes->outputs;
    const VkDescriptorBufferInfo buffers[] = {{in[slot].buffer.handle, 0, VK_WHOLE_SIZE},
                                              {out[slot].buffer.handle, 0, VK_WHOLE_SIZE},
                                              {compute->weights.handle, 0, VK_WHOLE_SIZE},
                                              {compute->filters[direction].handle, 0, VK_WHOLE_SIZE}};
    const struct shw_resource resources[] = {
        {.buffers = &buffers[0]}, {.buffers = &buffers[1]}, {.buffers = &buffers[2]}, {.buffers = &buffers[3]}};

    shw_set_write(device, &compute->programs[direction], compute->sets[direction][slot], resources);
}

static enum shw_result create_sets(struct shw_device *device, struct shw_filter_bank_compute *compute)
{
    uint32_t slots = compute->planes.slots;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i <= DIRECTIONS; i++) {
        compute->sets[i] = calloc(slots, sizeof *compute->sets[i]);
        if (compute->sets[i] == NULL)
            return shw_fail_memory(&device->log, "the filter bank");
    }
    for (uint32_t direction = 0; direction < DIRECTIONS; direction++) {
        SHW_TRY(
            shw_sets_create(device, &compute->programs[direction], slots, &compute->pools[direction], compute->sets[direction]));
        for (uint32_t slot = 0; slot < slots; slot++)
            write_set(device, compute, direction, slot);
    }
    if (compute->bank->position_count == 0)
        return SHW_OK;
    SHW_TRY(shw_sets_create(device, &compute->position, slots, &compute->pools[DIRECTIONS], compute->sets[DIRECTIONS]));
    for (uint32_t slot = 0; slot < slots; slot++) {
        const VkDescriptorBufferInfo output = {compute->planes.outputs[slot].buffer.handle, 0, VK_WHOLE_SIZE};
        const struct shw_resource resource = {.buffers = &output};
        shw_set_write(device, &compute->position, compute->sets[DIRECTIONS][slot], &resource);
    }

fail:
    return result;
}

enum shw_result shw_filter_bank_compute_create(struct shw_device *device, const struct shw_filter_bank *bank,
                                               const struct shw_filter_bank_planes *planes, struct shw_filter_bank_compute **out)
{
    struct shw_filter_bank_compute *compute = calloc(1, sizeof *compute);
    enum shw_result result;

    if (compute == NULL)
        return shw_fail_memory(&device->log, "the filter bank");
    compute->bank = bank;
    compute->planes = *planes;
    SHW_TRY(create_filters(device, compute));
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
    for (uint32_t i = 0; i <= DIRECTIONS; i++) {
        if (compute->pools[i] != VK_NULL_HANDLE)
            device->vk.DestroyDescriptorPool(device->handle, compute->pools[i], device->allocator);
        free(compute->sets[i]);
    }
    for (uint32_t direction = 0; direction < DIRECTIONS; direction++) {
        shw_program_destroy(device, &compute->programs[direction]);
        shw_buffer_destroy(device, &compute->filters[direction]);
    }
    shw_program_destroy(device, &compute->position);
    shw_buffer_destroy(device, &compute->weights);
    free(compute);
    *handle = NULL;
}

static void record_positions(const struct shw_filter_bank_compute *compute, struct shw_device *device, VkCommandBuffer commands,
                             uint32_t slot, const struct shw_region *region)
{
    const struct shw_planes *output = &compute->planes.outputs[slot];
    const struct position_push push = {.size = {region->width, region->height},
                                       .origin = {region->x, region->y},
                                       .full = {region->full_width, region->full_height},
                                       .row_words = output->stride / 2,
                                       .plane_words = output->stride / 2 * output->height,
                                       .first_plane = compute->bank->column_count + compute->bank->absolute_count};

    shw_program_dispatch(device, commands, &compute->position, compute->sets[DIRECTIONS][slot], &push, (region->width + 63) / 64,
                         (region->height + 3) / 4, 1);
}

static struct push push_of(const struct shw_filter_bank_compute *compute, uint32_t slot, const struct shw_region *region,
                           uint32_t shift)
{
    const struct shw_planes *output = &compute->planes.outputs[slot];

    return (struct push){.last = {(int32_t)region->width - 1, (int32_t)region->height - 1},
                         .row_words = output->stride / 2,
                         .plane_words = output->stride / 2 * output->height,
                         .shift = shift};
}

void shw_filter_bank_compute_rows(const struct shw_filter_bank_compute *compute, struct shw_device *device,
                                  VkCommandBuffer commands, uint32_t slot, const struct shw_region *region)
{
    struct push push = push_of(compute, slot, region, SHW_ROW_SHIFT);

    shw_program_dispatch(device, commands, &compute->programs[ROWS], compute->sets[ROWS][slot], &push, (region->width + 63) / 64,
                         (region->height + 15) / 16, compute->bank->row_count);
}

void shw_filter_bank_compute_columns(const struct shw_filter_bank_compute *compute, struct shw_device *device,
                                     VkCommandBuffer commands, uint32_t slot, const struct shw_region *region)
{
    struct push push = push_of(compute, slot, region, SHW_COLUMN_SHIFT);

    shw_program_dispatch(device, commands, &compute->programs[COLUMNS], compute->sets[COLUMNS][slot], &push,
                         (region->width + 63) / 64, (region->height + 15) / 16, compute->bank->column_count);
    if (compute->bank->position_count > 0)
        record_positions(compute, device, commands, slot, region);
}

void shw_filter_bank_compute_record(const struct shw_filter_bank_compute *compute, struct shw_device *device,
                                    VkCommandBuffer commands, uint32_t slot, const struct shw_region *region)
{
    const struct shw_filter_bank_planes *planes = &compute->planes;

    shw_buffer_barrier(device, commands, planes->base[slot].buffer.handle, shw_use_compute_write, shw_use_compute_read);
    shw_buffer_barrier(device, commands, planes->intermediate[slot].buffer.handle, shw_use_nothing, shw_use_compute_write);
    shw_filter_bank_compute_rows(compute, device, commands, slot, region);
    shw_buffer_barrier(device, commands, planes->intermediate[slot].buffer.handle, shw_use_compute_write, shw_use_compute_read);
    shw_buffer_barrier(device, commands, planes->outputs[slot].buffer.handle, shw_use_nothing, shw_use_compute_write);
    shw_filter_bank_compute_columns(compute, device, commands, slot, region);
}
