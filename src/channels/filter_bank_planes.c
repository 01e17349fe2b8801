#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "channels/filter_bank_stage.h"

extern const struct shw_channel_code shw_channel_code_base;

/* Compute shaders read four weights at a time. */
static uint32_t padded(uint32_t kernel)
{
    return (2 * shw_filter_kernels[kernel].radius + 1 + 3) & ~3u;
}

uint32_t shw_filter_weights_offset(enum shw_kernel kernel)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < kernel; i++)
        offset += padded(i);
    return offset;
}

/* The weights of all kernels as 32-bit integers, one kernel after the other, each padded. */
static enum shw_result create_weights(struct shw_device *device, struct shw_buffer *weights)
{
    enum shw_result result = shw_buffer_create(device, SHW_FILTER_WEIGHTS_MAX * sizeof(int32_t),
                                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                               SHW_MEMORY_TABLE, "filter weights", weights);
    int32_t *weight = weights->mapped;

    if (result != SHW_OK)
        return result;
    assert(shw_filter_weights_offset(SHW_KERNEL_COUNT) <= SHW_FILTER_WEIGHTS_MAX);
    memset(weight, 0, SHW_FILTER_WEIGHTS_MAX * sizeof *weight);
    for (uint32_t i = 0; i < SHW_KERNEL_COUNT; weight += padded(i++))
        for (uint32_t tap = 0; tap <= 2 * shw_filter_kernels[i].radius; tap++)
            weight[tap] = shw_filter_kernels[i].weights[tap];
    return SHW_OK;
}

static enum shw_result create_planes(struct shw_device *device, uint32_t form, struct shw_filter_bank_planes *planes)
{
    uint32_t width = planes->outputs[0].width, height = planes->outputs[0].height;

    planes->base = calloc(planes->slots, sizeof *planes->base);
    planes->intermediate = calloc(planes->slots, sizeof *planes->intermediate);
    if (planes->base == NULL || planes->intermediate == NULL)
        return shw_fail_memory(&device->log, "the filter bank");
    for (uint32_t slot = 0; slot < planes->slots; slot++) {
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R16_SINT, width, height, SHW_BASE_COUNT, form, "base planes",
                                        &planes->base[slot]));
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R16_SINT, width, height, planes->bank.row_count, form,
                                        "filtered rows", &planes->intermediate[slot]));
    }
    return SHW_OK;
}

enum shw_result shw_filter_bank_planes_create(struct shw_device *device, const struct shw_channel_list *list,
                                              const struct shw_planes *outputs, uint32_t slots,
                                              enum shw_planes_form form, struct shw_filter_bank_planes *planes)
{
    static const struct shw_channel_kind base = {.code = &shw_channel_code_base};
    const struct shw_channel_entry source = {.kind = &base};

    planes->outputs = outputs;
    planes->slots = slots;
    shw_filter_bank_make(list, 0, list->channel_count, &planes->bank);
    SHW_PROPAGATE(create_planes(device, form, planes));
    SHW_PROPAGATE(shw_code_step_create(device, &source, planes->base, slots, form, &planes->source));
    return create_weights(device, &planes->weights);
}

void shw_filter_bank_planes_bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views)
{
    shw_code_step_bind(&((struct shw_filter_bank_planes *)instance)->source, device, slot, views);
}

void shw_filter_bank_planes_destroy(struct shw_device *device, struct shw_filter_bank_planes *planes)
{
    shw_code_step_destroy(device, &planes->source);
    for (uint32_t slot = 0; slot < planes->slots; slot++) {
        if (planes->base != NULL)
            shw_planes_destroy(device, &planes->base[slot]);
        if (planes->intermediate != NULL)
            shw_planes_destroy(device, &planes->intermediate[slot]);
    }
    free(planes->base);
    free(planes->intermediate);
    shw_buffer_destroy(device, &planes->weights);
}

uint64_t shw_filter_bank_planes_bytes(const struct shw_channel_list *list, uint32_t width, uint32_t height,
                                      uint32_t slots, enum shw_planes_form form)
{
    struct shw_filter_bank bank;

    shw_filter_bank_make(list, 0, list->channel_count, &bank);
    return slots * shw_planes_bytes(VK_FORMAT_R16_SINT, width, height, SHW_BASE_COUNT + bank.row_count, form) +
           SHW_FILTER_WEIGHTS_MAX * sizeof(int32_t);
}
