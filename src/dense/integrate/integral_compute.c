/* Integral images by compute: first the sums of tiles, then the tiles themselves. */
#include <stdlib.h>

#include "dense/integrate/integral.h"
#include "dense/stage/passes.h"
#include "shared/integral_push.h"
#include "vulkan/windows.h"

SHW_SHADER_DECLARE(integral_sums_comp);
SHW_SHADER_DECLARE(integral_tiles_comp);
SHW_SHADER_DECLARE(integral_tiles_windows_comp);

#define GROUPS_WANTED 2048u /* work groups that keep a device busy */

enum { SUMS, TILES, PASSES };

struct integral {
    const struct shw_planes *inputs, *outputs;
    uint32_t slots, sum_count;
    uint32_t range; /* of a binding, if outputs exceed it: they are bound in windows. Otherwise 0 */
    struct shw_program programs[PASSES];
    struct shw_sets sets[PASSES]; /* one per slot */
    struct shw_buffer *sums;      /* sum_count, which the slots share in turn */
};

static uint32_t ratio_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Fills in what follows from the size of the region; returns the number of work groups per column of tiles. */
static uint32_t lay_out(uint32_t planes, struct shw_integral_push *push)
{
    uint32_t tile_rows = ratio_up(push->height, SHW_INTEGRAL_TILE_HEIGHT), groups;

    push->tile_columns = ratio_up(push->width, SHW_INTEGRAL_TILE_WIDTH);
    groups = ratio_up(GROUPS_WANTED, push->tile_columns * planes);
    push->group_tiles = groups < tile_rows ? ratio_up(tile_rows, groups) : 1;
    groups = ratio_up(tile_rows, push->group_tiles);
    push->rows_pitch = push->height;
    push->columns_first = push->tile_columns * push->rows_pitch;
    push->columns_pitch = push->tile_columns * SHW_INTEGRAL_TILE_WIDTH;
    push->totals_first = push->columns_first + groups * push->columns_pitch;
    push->sums_pitch = push->totals_first + groups * push->tile_columns;
    return groups;
}

VkDeviceSize shw_integral_compute_sums(uint32_t width, uint32_t height, uint32_t planes)
{
    VkDeviceSize columns = ratio_up(width, SHW_INTEGRAL_TILE_WIDTH), rows = ratio_up(height, SHW_INTEGRAL_TILE_HEIGHT);

    return (columns * height + rows * columns * (SHW_INTEGRAL_TILE_WIDTH + 1)) * planes * sizeof(uint32_t);
}

#define BINDINGS (3u + SHW_WINDOWS - 1u)

static enum shw_result create_programs(struct shw_device *device, struct integral *compute)
{
    const uint32_t shift = shw_window_shift(compute->range);
    const VkSpecializationMapEntry entry = {0, 0, sizeof shift};
    const VkSpecializationInfo constants = {1, &entry, sizeof shift, &shift};
    struct shw_binding bindings[BINDINGS] = {{SHW_INTEGRAL_CHANNELS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                             {SHW_INTEGRAL_SUMS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                             {SHW_INTEGRAL_INTEGRALS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    struct shw_program_params params = {.name = "integral, sums of tiles",
                                        .compute = SHW_SHADER(integral_sums_comp),
                                        .bindings = bindings,
                                        .binding_count = 2,
                                        .push_bytes = sizeof(struct shw_integral_push),
                                        .in_pieces = true};

    for (uint32_t i = 3; i < BINDINGS; i++)
        bindings[i] = (struct shw_binding){SHW_INTEGRAL_MORE + i - 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    SHW_PROPAGATE(shw_program_create(device, &params, &compute->programs[SUMS]));
    params.name = "integral, tiles";
    params.compute = SHW_SHADER(integral_tiles_comp);
    params.binding_count = 3;
    if (compute->range > 0) {
        params.compute = SHW_SHADER(integral_tiles_windows_comp);
        params.binding_count = BINDINGS;
        params.specialization = &constants;
    }
    return shw_program_create(device, &params, &compute->programs[TILES]);
}

static enum shw_result create_sets(struct shw_device *device, struct integral *compute)
{
    for (int pass = 0; pass < PASSES; pass++)
        SHW_PROPAGATE(shw_sets_create(device, &compute->programs[pass], compute->slots, &compute->sets[pass]));
    for (uint32_t slot = 0; slot < compute->slots; slot++) {
        const struct shw_buffer *output = &compute->outputs[slot].buffer;
        struct shw_resource resources[BINDINGS] = {{.buffer = compute->inputs[slot].buffer.handle},
                                                   {.buffer = compute->sums[slot % compute->sum_count].handle},
                                                   {.buffer = output->handle}};
        for (uint32_t window = 0; compute->range > 0 && window < SHW_WINDOWS; window++)
            resources[2 + window] = shw_window(output, compute->range, window);
        for (int pass = 0; pass < PASSES; pass++)
            shw_set_write(device, &compute->programs[pass], compute->sets[pass].handles[slot], resources);
    }
    return SHW_OK;
}

static void destroy(struct shw_device *device, void *passes)
{
    struct integral *compute = passes;

    if (compute == NULL)
        return;
    for (int pass = 0; pass < PASSES; pass++) {
        shw_sets_destroy(device, &compute->sets[pass]);
        shw_program_destroy(device, &compute->programs[pass]);
    }
    free(compute->sums);
    free(compute);
}

static enum shw_result add(struct shw_arena *arena, const struct shw_stage_create *params, enum shw_planes_form form,
                           const struct shw_planes *inputs, const struct shw_planes *outputs, void **passes)
{
    struct integral *compute = calloc(1, sizeof *compute);
    VkDeviceSize size = shw_integral_compute_sums(inputs->width, inputs->height, inputs->count);

    (void)form;
    *passes = compute;
    if (compute == NULL)
        return shw_fail_memory(&arena->device->log, "the integrate stage");
    compute->inputs = inputs;
    compute->outputs = outputs;
    compute->slots = params->slots;
    compute->sum_count = params->scratch_sets;
    compute->sums = calloc(compute->sum_count, sizeof *compute->sums);
    if (compute->sums == NULL)
        return shw_fail_memory(&arena->device->log, "the integrate stage");
    for (uint32_t s = 0; s < compute->sum_count; s++)
        SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_arena_scratch(arena, s), size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                           SHW_MEMORY_DEVICE, "sums of tiles", &compute->sums[s]));
    return SHW_OK;
}

/* Training has the integral images of several images in one buffer. */
static uint32_t find_range(const struct shw_device *device, const struct integral *compute)
{
    uint32_t range = device->properties.limits.maxStorageBufferRange;

    for (uint32_t slot = 0; slot < compute->slots; slot++)
        if (compute->outputs[slot].buffer.size > range)
            return range;
    return 0;
}

static enum shw_result create(struct shw_device *device, void *passes)
{
    struct integral *compute = passes;

    compute->range = find_range(device, compute);
    SHW_PROPAGATE(create_programs(device, passes));
    return create_sets(device, passes);
}

static void record_pass(const struct integral *compute, struct shw_recording *recording, uint32_t slot, uint32_t width,
                        uint32_t height, int pass)
{
    const struct shw_planes *input = &compute->inputs[slot], *output = &compute->outputs[slot];
    struct shw_integral_push push = {.width = width,
                                     .height = height,
                                     .channel_stride = input->stride / 8,
                                     .channel_pitch = input->stride / 8 * input->height,
                                     .integral_stride = output->stride,
                                     .integral_pitch = output->stride * output->height,
                                     .integral_first = output->first};
    uint32_t groups = lay_out(input->count, &push);

    shw_recording_dispatch(recording, &compute->programs[pass], compute->sets[pass].handles[slot], &push,
                           push.tile_columns, groups, input->count,
                           (uint64_t)push.group_tiles * SHW_INTEGRAL_TILE_HEIGHT * width);
}

static void record(void *compute, struct shw_recording *recording, uint32_t slot, const struct shw_stage_frame *frame)
{
    record_pass(compute, recording, slot, frame->width, frame->height, SUMS);
    shw_recording_memory_barrier(recording, shw_use_compute_write, shw_use_compute_write);
    record_pass(compute, recording, slot, frame->width, frame->height, TILES);
}

void shw_integral_compute_record_many(const void *compute, struct shw_device *device, VkCommandBuffer commands,
                                      uint32_t first, uint32_t count, const struct shw_region *regions)
{
    struct shw_recording recording = shw_recording_whole(device, commands);

    for (int pass = 0; pass < PASSES; pass++) {
        shw_recording_memory_barrier(&recording, shw_use_compute_write, shw_use_compute_write);
        for (uint32_t s = 0; s < count; s++)
            record_pass(compute, &recording, first + s, regions[s].width, regions[s].height, pass);
    }
}

static struct shw_passes passes = {.reads = SHW_CHANNELS,
                                   .makes = SHW_INTEGRALS,
                                   .form = SHW_PLANES_BUFFER,
                                   .add = add,
                                   .create = create,
                                   .destroy = destroy,
                                   .record = record};

const struct shw_stage_technique shw_integral_compute_technique =
    SHW_PASSES_TECHNIQUE(SHW_STAGE_INTEGRATE, "compute", SHW_PLANES_BUFFER, &passes);
