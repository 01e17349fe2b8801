#include "vulkan/recording.h"

struct shw_recording shw_recording_whole(const struct shw_device *device, VkCommandBuffer commands)
{
    return (struct shw_recording){device, commands, {.end = UINT64_MAX, .next = UINT64_MAX}};
}

/* How many of `count` equal parts begin before `place`. */
static uint64_t parts_before(const struct shw_stage_stretch *stretch, uint64_t place, uint64_t count, uint64_t work)
{
    uint64_t parts;

    if (place <= stretch->at)
        return 0;
    parts = (place - stretch->at - 1) / work + 1;
    return parts < count ? parts : count;
}

/* Counts `count` parts of equal work; parts *first..*end-1 must be recorded. False if there are none. */
static bool take(struct shw_stage_stretch *stretch, uint64_t count, uint64_t work, uint64_t *first, uint64_t *end)
{
    *first = parts_before(stretch, stretch->first, count, work);
    *end = parts_before(stretch, stretch->end, count, work);
    if (*end < count && stretch->next == UINT64_MAX)
        stretch->next = stretch->at + *end * work;
    stretch->at += count * work;
    return *first < *end;
}

bool shw_recording_step(struct shw_recording *recording, uint64_t work)
{
    return shw_stage_step(&recording->stretch, work);
}

void shw_recording_image_barrier(struct shw_recording *recording, VkImage image, struct shw_use before,
                                 struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_image_barrier(recording->device, recording->commands, image, before, after);
}

void shw_recording_part_barrier(struct shw_recording *recording, const struct shw_image_use *part,
                                struct shw_use before, struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_part_barrier(recording->device, recording->commands, part, before, after);
}

void shw_recording_buffer_barrier(struct shw_recording *recording, VkBuffer buffer, struct shw_use before,
                                  struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_buffer_barrier(recording->device, recording->commands, buffer, before, after);
}

void shw_recording_memory_barrier(struct shw_recording *recording, struct shw_use before, struct shw_use after)
{
    if (shw_recording_step(recording, 1))
        shw_memory_barrier(recording->device, recording->commands, before, after);
}

void shw_recording_draw(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                        const void *push, VkFramebuffer framebuffer, uint32_t width, uint32_t height, uint64_t work)
{
    uint64_t first, end;

    if (take(&recording->stretch, height, work, &first, &end))
        shw_program_draw_rows(recording->device, recording->commands, program, set, push, framebuffer,
                              (VkExtent2D){width, height}, (uint32_t)first, (uint32_t)(end - first));
}

/* Dispatches some rows of one layer, or whole layers. */
static void dispatch(const struct shw_recording *recording, uint32_t x, uint32_t row, uint32_t rows, uint32_t layer,
                     uint32_t layers)
{
    if (row == 0 && layer == 0)
        recording->device->vk.CmdDispatch(recording->commands, x, rows, layers);
    else
        recording->device->vk.CmdDispatchBase(recording->commands, 0, row, layer, x, rows, layers);
}

void shw_recording_dispatch(struct shw_recording *recording, const struct shw_program *program, VkDescriptorSet set,
                            const void *push, uint32_t x, uint32_t y, uint32_t z, uint64_t work)
{
    uint64_t first, end;

    if (!take(&recording->stretch, (uint64_t)y * z, work, &first, &end))
        return;
    shw_program_bind(recording->device, recording->commands, program, set, push);
    while (first < end) {
        uint32_t layer = (uint32_t)(first / y), row = (uint32_t)(first % y), layers = (uint32_t)((end - first) / y),
                 rows = y;
        if (row > 0 || layers == 0) {
            layers = 1;
            rows = end - first < y - row ? (uint32_t)(end - first) : y - row;
        }
        dispatch(recording, x, row, rows, layer, layers);
        first += (uint64_t)rows * layers;
    }
}
