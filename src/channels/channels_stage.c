#include "channels/channels_stage.h"

#include <stdlib.h>

#include "channels/filter_bank_stage.h"
#include "channels/lab.h"
#include "channels/source_step.h"

struct shw_channels_stage {
    struct shw_device *device;
    struct shw_source_step source;
    /* Only with a filter bank; one planes object a slot. */
    struct shw_planes *base, *intermediate;
    uint32_t slots;
    struct shw_filter_bank_fragment *fragment;
    struct shw_filter_bank_compute *compute;
};

static enum shw_result create_bank(struct shw_channels_stage *stage, const struct shw_filter_bank *bank,
                                   enum shw_technique technique, const struct shw_planes *outputs)
{
    struct shw_device *device = stage->device;
    struct shw_filter_bank_planes planes = {.outputs = outputs, .slots = stage->slots};
    uint32_t form = technique == SHW_TECHNIQUE_FRAGMENT ? SHW_PLANES_IMAGE : SHW_PLANES_BUFFER;

    stage->base = calloc(stage->slots, sizeof *stage->base);
    stage->intermediate = calloc(stage->slots, sizeof *stage->intermediate);
    if (stage->base == NULL || stage->intermediate == NULL)
        return shw_fail_memory(&device->log, "the channels stage");
    for (uint32_t slot = 0; slot < stage->slots; slot++) {
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R16_SINT, outputs->width, outputs->height, SHW_BASE_COUNT,
                                        form, "base planes", &stage->base[slot]));
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R16_SINT, outputs->width, outputs->height, bank->row_count,
                                        form, "filtered rows", &stage->intermediate[slot]));
    }
    planes.base = stage->base;
    planes.intermediate = stage->intermediate;
    if (technique == SHW_TECHNIQUE_FRAGMENT)
        SHW_PROPAGATE(shw_filter_bank_fragment_create(device, bank, &planes, &stage->fragment));
    else
        SHW_PROPAGATE(shw_filter_bank_compute_create(device, bank, &planes, &stage->compute));
    return SHW_OK;
}

enum shw_result shw_channels_stage_create(struct shw_device *device, enum shw_channel_set set,
                                          enum shw_technique technique, const struct shw_planes *outputs,
                                          uint32_t slots, struct shw_channels_stage **out)
{
    struct shw_channels_stage *stage = calloc(1, sizeof *stage);
    const struct shw_filter_bank *bank;
    enum shw_result result = SHW_OK;

    if (stage == NULL)
        return shw_fail_memory(&device->log, "the channels stage");
    if (set == SHW_CHANNELS_DEFAULT)
        set = SHW_CHANNELS_WINN16;
    stage->device = device;
    stage->slots = slots;
    bank = shw_filter_bank_get(set);
    if (bank != NULL)
        SHW_TRY(create_bank(stage, bank, technique, outputs));
    SHW_TRY(
        shw_source_step_create(device, set, technique, bank != NULL ? stage->base : outputs, slots, &stage->source));
    *out = stage;
    return SHW_OK;

fail:
    shw_channels_stage_destroy(device, &stage);
    return result;
}

uint64_t shw_channels_stage_get_memory(enum shw_channel_set set, enum shw_technique technique, uint32_t width,
                                       uint32_t height, uint32_t slots)
{
    const struct shw_filter_bank *bank = shw_filter_bank_get(set == SHW_CHANNELS_DEFAULT ? SHW_CHANNELS_WINN16 : set);
    uint32_t form = technique == SHW_TECHNIQUE_FRAGMENT ? SHW_PLANES_IMAGE : SHW_PLANES_BUFFER;

    if (bank == NULL)
        return SHW_LAB_TABLE_COUNT * sizeof(uint32_t);
    return slots * shw_planes_bytes(VK_FORMAT_R16_SINT, width, height, SHW_BASE_COUNT + bank->row_count, form) +
           SHW_FILTER_WEIGHTS_MAX * sizeof(int32_t);
}

void shw_channels_stage_destroy(struct shw_device *device, struct shw_channels_stage **handle)
{
    struct shw_channels_stage *stage = *handle;

    if (stage == NULL)
        return;
    shw_source_step_destroy(device, &stage->source);
    shw_filter_bank_fragment_destroy(device, &stage->fragment);
    shw_filter_bank_compute_destroy(device, &stage->compute);
    for (uint32_t slot = 0; slot < stage->slots; slot++) {
        if (stage->base != NULL)
            shw_planes_destroy(device, &stage->base[slot]);
        if (stage->intermediate != NULL)
            shw_planes_destroy(device, &stage->intermediate[slot]);
    }
    free(stage->base);
    free(stage->intermediate);
    free(stage);
    *handle = NULL;
}

void shw_channels_stage_record(struct shw_channels_stage *stage, struct shw_recording *recording, uint32_t slot,
                               VkImageView source, VkFormat source_format, uint32_t source_x, uint32_t source_y,
                               const struct shw_region *region)
{
    shw_source_step_record(&stage->source, stage->device, recording, slot, source, source_format, source_x, source_y,
                           region);
    if (stage->fragment != NULL)
        shw_filter_bank_fragment_record(stage->fragment, recording, slot, region);
    if (stage->compute != NULL)
        shw_filter_bank_compute_record(stage->compute, recording, slot, region);
}

void shw_channels_stage_bind(struct shw_channels_stage *stage, uint32_t slot, VkImageView source)
{
    shw_source_step_bind(&stage->source, stage->device, slot, source);
}

void shw_channels_stage_record_many(struct shw_channels_stage *stage, VkCommandBuffer commands, uint32_t count,
                                    const VkFormat *formats, const struct shw_region *regions)
{
    struct shw_device *device = stage->device;
    struct shw_recording recording = shw_recording_whole(device, commands);

    shw_memory_barrier(device, commands, shw_use_nothing, shw_use_compute_write);
    for (uint32_t s = 0; s < count; s++)
        shw_source_step_record_bare(&stage->source, &recording, s, formats[s], 0, 0, &regions[s]);
    if (stage->compute == NULL)
        return;
    shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_compute_write);
    for (uint32_t s = 0; s < count; s++)
        shw_filter_bank_compute_rows(stage->compute, &recording, s, &regions[s]);
    shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_compute_write);
    for (uint32_t s = 0; s < count; s++)
        shw_filter_bank_compute_columns(stage->compute, &recording, s, &regions[s]);
}
