/* Mean planes by compute, from channels. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/forest/forest.h"
#include "dense/means/means.h"
#include "dense/stage/passes.h"
#include "shared/means_push.h"
#include "shared/rectangle.h"

SHW_SHADER_DECLARE(means_comp);

#define WORK 8u /* per element */
/* Of a work group's tile. More rows are read less often by two work groups, but fewer of these run side by side. */
#define ROWS_MAX 32u
#define ROWS_MIN (2 * SHW_MEANS_THREADS / SHW_MEANS_COLUMNS) /* a thread makes two elements of a row */

struct passes {
    const struct shw_means *means;
    const struct shw_planes *inputs, *outputs;
    uint32_t slots;
    uint32_t channels, rows; /* that have planes; of a tile */
    struct shw_buffer table; /* channels and planes */
    struct shw_program program;
    struct shw_sets descriptors; /* one per slot */
};

/* The rows of a tile; 0: even the least need more shared memory than there is. */
static uint32_t find_rows(const struct shw_device *device, uint32_t margin)
{
    const uint32_t words = device->properties.limits.maxComputeSharedMemorySize / (uint32_t)sizeof(uint32_t);

    for (uint32_t rows = ROWS_MAX; rows >= ROWS_MIN; rows /= 2)
        if (SHW_MEANS_SUMS(margin, rows) + SHW_MEANS_COLUMN_SUMS + SHW_MEANS_ROW_SUMS <= words)
            return rows;
    return 0;
}

bool shw_means_compute_fits(const struct shw_device *device, const struct shw_means *means)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;

    return limits->maxComputeWorkGroupInvocations >= SHW_MEANS_THREADS &&
           limits->maxComputeWorkGroupSize[0] >= SHW_MEANS_THREADS && find_rows(device, means->margin) > 0;
}

static uint32_t count_channels(const struct shw_means *means)
{
    uint32_t count = 0;

    for (uint32_t p = 0; p < means->count; p++)
        count += p == 0 || means->planes[p].channel != means->planes[p - 1].channel;
    return count;
}

static VkDeviceSize table_size(const struct passes *passes)
{
    return ((VkDeviceSize)passes->channels + passes->means->count) * SHW_MEANS_WORDS * sizeof(uint32_t);
}

static void destroy(struct shw_device *device, void *handle)
{
    struct passes *passes = handle;

    if (passes == NULL)
        return;
    shw_sets_destroy(device, &passes->descriptors);
    shw_program_destroy(device, &passes->program);
    free(passes);
}

static void fill_table(const struct passes *passes)
{
    uint32_t *words = passes->table.mapped, *channel = words;

    for (uint32_t p = 0; p < passes->means->count; p++) {
        const struct shw_mean_plane *plane = &passes->means->planes[p];
        const uint32_t area = plane->width * plane->height;
        const uint32_t own[SHW_MEANS_WORDS] = {plane->width, plane->height, shw_mean_multiplier(area),
                                               shw_mean_shift(area)};
        if (p > 0 && plane->channel != plane[-1].channel)
            channel += SHW_MEANS_WORDS;
        if (p == 0 || plane->channel != plane[-1].channel) {
            channel[0] = plane->channel;
            channel[1] = p;
            channel[3] = 0;
        }
        channel[2] = p + 1;
        memcpy(words + (size_t)SHW_MEANS_WORDS * (passes->channels + p), own, sizeof own);
    }
}

static enum shw_result add(struct shw_arena *arena, const struct shw_stage_create *params, enum shw_planes_form form,
                           const struct shw_planes *inputs, const struct shw_planes *outputs, void **handle)
{
    struct passes *passes = calloc(1, sizeof *passes);

    (void)form;
    *handle = passes;
    if (passes == NULL)
        return shw_fail_memory(&arena->device->log, "mean planes");
    passes->means = params->forest.forest->means;
    passes->inputs = inputs;
    passes->outputs = outputs;
    passes->slots = params->slots;
    passes->channels = count_channels(passes->means);
    passes->rows = find_rows(arena->device, passes->means->margin);
    return shw_arena_add_buffer(arena, shw_span_always, table_size(passes), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                SHW_MEMORY_TABLE, "list of mean planes", &passes->table);
}

static enum shw_result create(struct shw_device *device, void *handle)
{
    static const struct shw_binding bindings[] = {{SHW_MEANS_CHANNELS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                  {SHW_MEANS_TABLE, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                  {SHW_MEANS_MEANS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    static const VkSpecializationMapEntry entries[] = {{0, 0, sizeof(uint32_t)},
                                                       {1, sizeof(uint32_t), sizeof(uint32_t)}};
    struct passes *passes = handle;
    const uint32_t constants[] = {passes->means->margin, passes->rows};
    const VkSpecializationInfo specialization = {2, entries, sizeof constants, constants};
    const struct shw_program_params params = {.name = "mean planes",
                                              .compute = SHW_SHADER(means_comp),
                                              .specialization = &specialization,
                                              .bindings = bindings,
                                              .binding_count = 3,
                                              .push_bytes = sizeof(struct shw_means_push),
                                              .in_pieces = true};

    fill_table(passes);
    SHW_PROPAGATE(shw_program_create(device, &params, &passes->program));
    SHW_PROPAGATE(shw_sets_create(device, &passes->program, passes->slots, &passes->descriptors));
    for (uint32_t slot = 0; slot < passes->slots; slot++) {
        const struct shw_resource resources[] = {{.buffer = passes->inputs[slot].buffer.handle},
                                                 {.buffer = passes->table.handle},
                                                 {.buffer = passes->outputs[slot].buffer.handle}};
        shw_set_write(device, &passes->program, passes->descriptors.handles[slot], resources);
    }
    return SHW_OK;
}

/* `image` and `held` are the whole image and the part of it that the planes of channels hold, in the coordinates of a
 * region of width x height pixels. */
static void record_region(const struct passes *passes, struct shw_recording *recording, uint32_t slot,
                          const struct shw_rect *image, uint32_t width, uint32_t height)
{
    const struct shw_planes *input = &passes->inputs[slot], *output = &passes->outputs[slot];
    const struct shw_rect held = shw_rect_held(*image, (int32_t)width, (int32_t)height);
    const struct shw_means_push push = {.held_x0 = held.x0,
                                        .held_y0 = held.y0,
                                        .held_x1 = held.x1,
                                        .held_y1 = held.y1,
                                        .width = width + passes->means->margin,
                                        .height = height + passes->means->margin,
                                        .channel_stride = input->stride / 2,
                                        .channel_pitch = input->stride / 2 * input->height,
                                        .means_stride = output->stride / 2,
                                        .means_pitch = output->stride / 2 * output->height,
                                        .means_first = output->first / 2,
                                        .channels = passes->channels,
                                        .is_sum = passes->means->is_sum};

    shw_recording_dispatch(recording, &passes->program, passes->descriptors.handles[slot], &push,
                           (push.width + SHW_MEANS_COLUMNS - 1) / SHW_MEANS_COLUMNS,
                           (push.height + passes->rows - 1) / passes->rows, passes->channels,
                           (uint64_t)WORK * passes->rows * push.width * passes->means->count / passes->channels);
}

static void record(void *passes, struct shw_recording *recording, uint32_t slot, const struct shw_stage_frame *frame)
{
    const struct shw_rect image = {-(int32_t)frame->x, -(int32_t)frame->y,
                                   (int32_t)frame->full_width - (int32_t)frame->x,
                                   (int32_t)frame->full_height - (int32_t)frame->y};

    record_region(passes, recording, slot, &image, frame->width, frame->height);
}

void shw_means_compute_record_many(const void *passes, struct shw_device *device, VkCommandBuffer commands,
                                   uint32_t first, uint32_t count, const struct shw_region *regions)
{
    struct shw_recording recording = shw_recording_whole(device, commands);

    for (uint32_t s = 0; s < count; s++) {
        const struct shw_rect image = {0, 0, (int32_t)regions[s].width, (int32_t)regions[s].height};
        record_region(passes, &recording, first + s, &image, regions[s].width, regions[s].height);
    }
}

static struct shw_passes passes = {.reads = SHW_CHANNELS,
                                   .makes = SHW_MEANS,
                                   .form = SHW_PLANES_BUFFER,
                                   .add = add,
                                   .create = create,
                                   .destroy = destroy,
                                   .record = record};

const struct shw_stage_technique shw_means_compute_technique =
    SHW_PASSES_TECHNIQUE(SHW_STAGE_INTEGRATE, "compute", SHW_PLANES_BUFFER, &passes);
