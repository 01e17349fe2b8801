#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/filter_bank_stage.h"

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
static void write_weights(int32_t *weight)
{
    assert(shw_filter_weights_offset(SHW_KERNEL_COUNT) <= SHW_FILTER_WEIGHTS_MAX);
    memset(weight, 0, SHW_FILTER_WEIGHTS_MAX * sizeof *weight);
    for (uint32_t i = 0; i < SHW_KERNEL_COUNT; weight += padded(i++))
        for (uint32_t tap = 0; tap <= 2 * shw_filter_kernels[i].radius; tap++)
            weight[tap] = shw_filter_kernels[i].weights[tap];
}

static enum shw_result add_planes(struct shw_arena *arena, enum shw_planes_form form,
                                  struct shw_filter_bank_planes *planes)
{
    uint32_t width = planes->outputs[0].width, height = planes->outputs[0].height;

    planes->base = calloc(planes->slots, sizeof *planes->base);
    planes->intermediate = calloc(planes->slots, sizeof *planes->intermediate);
    if (planes->base == NULL || planes->intermediate == NULL)
        return shw_fail_memory(&arena->device->log, "the filter bank");
    SHW_PROPAGATE(shw_planes_add_scratch(arena, VK_FORMAT_R16_SINT, width, height, SHW_BASE_COUNT, form, "base planes",
                                         planes->sets, planes->base));
    return shw_planes_add_scratch(arena, VK_FORMAT_R16_SINT, width, height, planes->bank.row_count, form,
                                  "filtered rows", planes->sets, planes->intermediate);
}

enum shw_result shw_filter_bank_planes_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                           const struct shw_channel_outputs *outputs,
                                           struct shw_filter_bank_planes *planes)
{
    static const struct shw_channel_kind base = {.code = &shw_channel_code_base};
    const struct shw_channel_entry source = {.kind = &base};

    planes->outputs = outputs->planes;
    planes->slots = outputs->slots;
    planes->sets = outputs->sets;
    shw_filter_bank_make(list, 0, list->channel_count, &planes->bank);
    SHW_PROPAGATE(add_planes(arena, outputs->form, planes));
    SHW_PROPAGATE(shw_code_step_add(arena, &source, planes->base, outputs->slots, outputs->form, &planes->source));
    return shw_arena_add_buffer(arena, shw_span_always, SHW_FILTER_WEIGHTS_MAX * sizeof(int32_t),
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                SHW_MEMORY_TABLE, "filter weights", &planes->weights);
}

enum shw_result shw_filter_bank_planes_create(struct shw_device *device, struct shw_filter_bank_planes *planes)
{
    shw_planes_share(planes->base, planes->slots, planes->sets);
    shw_planes_share(planes->intermediate, planes->slots, planes->sets);
    write_weights(planes->weights.mapped);
    return shw_code_step_create(device, &planes->source);
}

void shw_filter_bank_planes_bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views)
{
    shw_code_step_bind(&((struct shw_filter_bank_planes *)instance)->source, device, slot, views);
}

void shw_filter_bank_planes_destroy(struct shw_device *device, struct shw_filter_bank_planes *planes)
{
    shw_code_step_destroy(device, &planes->source);
    free(planes->base);
    free(planes->intermediate);
}
