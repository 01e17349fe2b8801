/* Integral images by two work-group scans: along rows, then along columns. */
#include <stdlib.h>

#include "integrate/integral_techniques.h"

SHW_SHADER_DECLARE(integral_rows_comp);
SHW_SHADER_DECLARE(integral_columns_comp);

/* As in shaders/integrate/integral_rows.comp and integral_columns.comp. */
struct row_push {
    uint32_t size[2];
    uint32_t channel_row_words, channel_plane_words;
    uint32_t integral_row_words, integral_plane_words, integral_first;
};

struct column_push {
    uint32_t size[2];
    uint32_t row_words, plane_words, first;
};

struct shw_integral_compute {
    const struct shw_planes *inputs, *outputs;
    struct shw_program rows, columns;
    VkDescriptorPool row_pool, column_pool;
    VkDescriptorSet *row_sets, *column_sets; /* one a slot */
};

static enum shw_result create_programs(struct shw_device *device, struct shw_integral_compute *compute)
{
    static const struct shw_binding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                                  {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    struct shw_program_params params = {.name = "integral, rows",
                                        .compute = SHW_SHADER(integral_rows_comp),
                                        .bindings = bindings,
                                        .binding_count = 2,
                                        .push_bytes = sizeof(struct row_push)};
    enum shw_result result;

    SHW_TRY(shw_program_create(device, &params, &compute->rows));
    params.name = "integral, columns";
    params.compute = SHW_SHADER(integral_columns_comp);
    params.binding_count = 1;
    params.push_bytes = sizeof(struct column_push);
    SHW_TRY(shw_program_create(device, &params, &compute->columns));

fail:
    return result;
}

enum shw_result shw_integral_compute_create(struct shw_device *device, const struct shw_planes *inputs,
                                            const struct shw_planes *outputs, uint32_t slots, struct shw_integral_compute **out)
{
    struct shw_integral_compute *compute = calloc(1, sizeof *compute);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (compute == NULL)
        return shw_fail_memory(&device->log, "the integrate stage");
    compute->inputs = inputs;
    compute->outputs = outputs;
    compute->row_sets = calloc(slots, sizeof *compute->row_sets);
    compute->column_sets = calloc(slots, sizeof *compute->column_sets);
    if (compute->row_sets == NULL || compute->column_sets == NULL) {
        shw_fail_memory(&device->log, "the integrate stage");
        goto fail;
    }
    SHW_TRY(create_programs(device, compute));
    SHW_TRY(shw_sets_create(device, &compute->rows, slots, &compute->row_pool, compute->row_sets));
    SHW_TRY(shw_sets_create(device, &compute->columns, slots, &compute->column_pool, compute->column_sets));
    for (uint32_t slot = 0; slot < slots; slot++) {
        const VkDescriptorBufferInfo input = {inputs[slot].buffer.handle, 0, VK_WHOLE_SIZE};
        const VkDescriptorBufferInfo output = {outputs[slot].buffer.handle, 0, VK_WHOLE_SIZE};
        const struct shw_resource resources[] = {{.buffers = &input}, {.buffers = &output}};
        shw_set_write(device, &compute->rows, compute->row_sets[slot], resources);
        shw_set_write(device, &compute->columns, compute->column_sets[slot], &resources[1]);
    }
    *out = compute;
    return SHW_OK;

fail:
    shw_integral_compute_destroy(device, &compute);
    return result;
}

void shw_integral_compute_destroy(struct shw_device *device, struct shw_integral_compute **handle)
{
    struct shw_integral_compute *compute = *handle;

    if (compute == NULL)
        return;
    if (compute->row_pool != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorPool(device->handle, compute->row_pool, device->allocator);
    if (compute->column_pool != VK_NULL_HANDLE)
        device->vk.DestroyDescriptorPool(device->handle, compute->column_pool, device->allocator);
    shw_program_destroy(device, &compute->rows);
    shw_program_destroy(device, &compute->columns);
    free(compute->row_sets);
    free(compute->column_sets);
    free(compute);
    *handle = NULL;
}

void shw_integral_compute_rows(const struct shw_integral_compute *compute, struct shw_device *device, VkCommandBuffer commands,
                               uint32_t slot, uint32_t width, uint32_t height)
{
    const struct shw_planes *input = &compute->inputs[slot], *output = &compute->outputs[slot];
    const struct row_push rows = {.size = {width, height},
                                  .channel_row_words = input->stride / 2,
                                  .channel_plane_words = input->stride / 2 * input->height,
                                  .integral_row_words = output->stride,
                                  .integral_plane_words = output->stride * output->height,
                                  .integral_first = output->first};

    shw_program_dispatch(device, commands, &compute->rows, compute->row_sets[slot], &rows, 1, (height + 4) / 4, input->count);
}

void shw_integral_compute_columns(const struct shw_integral_compute *compute, struct shw_device *device, VkCommandBuffer commands,
                                  uint32_t slot, uint32_t width, uint32_t height)
{
    const struct shw_planes *output = &compute->outputs[slot];
    const struct column_push columns = {.size = {width + 1, height + 1},
                                        .row_words = output->stride,
                                        .plane_words = output->stride * output->height,
                                        .first = output->first};

    shw_program_dispatch(device, commands, &compute->columns, compute->column_sets[slot], &columns, (width + 16) / 16, 1,
                         output->count);
}

void shw_integral_compute_record(const struct shw_integral_compute *compute, struct shw_device *device, VkCommandBuffer commands,
                                 uint32_t slot, uint32_t width, uint32_t height)
{
    const struct shw_planes *output = &compute->outputs[slot];

    shw_buffer_barrier(device, commands, output->buffer.handle, shw_use_nothing, shw_use_compute_write);
    shw_integral_compute_rows(compute, device, commands, slot, width, height);
    shw_buffer_barrier(device, commands, output->buffer.handle, shw_use_compute_write, shw_use_compute_write);
    shw_integral_compute_columns(compute, device, commands, slot, width, height);
}
