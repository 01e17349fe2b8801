/* Mean planes by compute: from integral images, which are scratch memory here. */
#include <stdlib.h>

#include "base/log.h"
#include "dense/forest/forest.h"
#include "dense/integrate/integral.h"
#include "dense/means/means.h"
#include "dense/stage/passes.h"
#include "shared/means_push.h"
#include "shared/rectangle.h"

SHW_SHADER_DECLARE(means_comp);

#define WORK 8u /* per element */

struct passes {
    const struct shw_means *means;
    const struct shw_passes *integration;
    void *integrals_passes;
    const struct shw_planes *inputs, *outputs;
    struct shw_planes *integrals; /* one per slot */
    uint32_t slots, sets;
    struct shw_buffer *tables; /* one per slot: the list of planes, which each recording writes */
    uint32_t *words;           /* of such a table */
    struct shw_program program;
    struct shw_sets descriptors; /* one per slot */
};

static VkDeviceSize table_size(const struct passes *passes)
{
    return (VkDeviceSize)passes->means->count * SHW_MEANS_WORDS * sizeof(uint32_t);
}

static void destroy(struct shw_device *device, void *handle)
{
    struct passes *passes = handle;

    if (passes == NULL)
        return;
    passes->integration->destroy(device, passes->integrals_passes);
    shw_sets_destroy(device, &passes->descriptors);
    shw_program_destroy(device, &passes->program);
    free(passes->words);
    free(passes->tables);
    free(passes->integrals);
    free(passes);
}

static void fill_words(struct passes *passes)
{
    for (uint32_t p = 0; p < passes->means->count; p++) {
        const struct shw_mean_plane *plane = &passes->means->planes[p];
        uint32_t *words = passes->words + (size_t)p * SHW_MEANS_WORDS, area = plane->width * plane->height;
        words[0] = plane->channel;
        words[1] = plane->width | plane->height << 16;
        words[2] = shw_mean_multiplier(area);
        words[3] = shw_mean_shift(area);
    }
}

static enum shw_result add(struct shw_arena *arena, const struct shw_stage_create *params, enum shw_planes_form form,
                           const struct shw_planes *inputs, const struct shw_planes *outputs, void **handle)
{
    struct passes *passes = calloc(1, sizeof *passes);

    *handle = passes;
    if (passes == NULL)
        return shw_fail_memory(&arena->device->log, "mean planes");
    passes->means = params->forest.forest->means;
    passes->integration = shw_passes_of(&shw_integral_compute_technique);
    passes->inputs = inputs;
    passes->outputs = outputs;
    passes->slots = params->slots;
    passes->sets = params->scratch_sets;
    passes->integrals = calloc(passes->slots, sizeof *passes->integrals);
    passes->tables = calloc(passes->slots, sizeof *passes->tables);
    passes->words = malloc((size_t)table_size(passes));
    if (passes->integrals == NULL || passes->tables == NULL || passes->words == NULL)
        return shw_fail_memory(&arena->device->log, "mean planes");
    fill_words(passes);
    SHW_PROPAGATE(shw_planes_add_scratch(arena, VK_FORMAT_R32_UINT, inputs->width + 1, inputs->height + 1,
                                         inputs->count, form, SHW_INTEGRALS, passes->sets, passes->integrals));
    for (uint32_t slot = 0; slot < passes->slots; slot++)
        SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, table_size(passes),
                                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                           SHW_MEMORY_DEVICE, "list of mean planes", &passes->tables[slot]));
    return passes->integration->add(arena, params, form, inputs, passes->integrals, &passes->integrals_passes);
}

static enum shw_result create(struct shw_device *device, void *handle)
{
    static const struct shw_binding bindings[] = {{SHW_MEANS_INTEGRALS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                  {SHW_MEANS_PLANES, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                  {SHW_MEANS_MEANS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    struct passes *passes = handle;
    const struct shw_program_params params = {.name = "mean planes",
                                              .compute = SHW_SHADER(means_comp),
                                              .bindings = bindings,
                                              .binding_count = 3,
                                              .push_bytes = sizeof(struct shw_means_push),
                                              .in_pieces = true};

    shw_planes_share(passes->integrals, passes->slots, passes->sets);
    SHW_PROPAGATE(passes->integration->create(device, passes->integrals_passes));
    SHW_PROPAGATE(shw_program_create(device, &params, &passes->program));
    SHW_PROPAGATE(shw_sets_create(device, &passes->program, passes->slots, &passes->descriptors));
    for (uint32_t slot = 0; slot < passes->slots; slot++) {
        const struct shw_resource resources[] = {{.buffer = passes->integrals[slot].buffer.handle},
                                                 {.buffer = passes->tables[slot].handle},
                                                 {.buffer = passes->outputs[slot].buffer.handle}};
        shw_set_write(device, &passes->program, passes->descriptors.handles[slot], resources);
    }
    return SHW_OK;
}

_Static_assert(SHW_NODE_CHANNEL_MASK *SHW_MEANS_WORDS * sizeof(uint32_t) <= 65536, "what vkCmdUpdateBuffer takes");

/* Creation must not submit, so each recording brings the table along. Earlier ones of the slot have finished; tiles
 * after the first find it there. */
static void record_table(const struct passes *passes, struct shw_recording *recording, uint32_t slot)
{
    if (shw_recording_step(recording, 1))
        recording->device->vk.CmdUpdateBuffer(recording->commands, passes->tables[slot].handle, 0, table_size(passes),
                                              passes->words);
}

static void record(void *handle, struct shw_recording *recording, uint32_t slot, const struct shw_stage_frame *frame)
{
    const struct passes *passes = handle;
    const struct shw_planes *integrals = &passes->integrals[slot], *output = &passes->outputs[slot];
    const struct shw_rect image = {-(int32_t)frame->x, -(int32_t)frame->y,
                                   (int32_t)frame->full_width - (int32_t)frame->x,
                                   (int32_t)frame->full_height - (int32_t)frame->y};
    const struct shw_rect held = shw_rect_held(image, (int32_t)frame->width, (int32_t)frame->height);
    const struct shw_means_push push = {.held_x0 = held.x0,
                                        .held_y0 = held.y0,
                                        .held_x1 = held.x1,
                                        .held_y1 = held.y1,
                                        .width = frame->width + passes->means->margin,
                                        .height = frame->height + passes->means->margin,
                                        .margin = passes->means->margin,
                                        .integral_stride = integrals->stride,
                                        .integral_pitch = integrals->stride * integrals->height,
                                        .means_stride = output->stride / 2,
                                        .means_pitch = output->stride / 2 * output->height,
                                        .is_sum = passes->means->is_sum};
    const uint32_t rows = SHW_MEANS_ROWS * SHW_MEANS_ROUNDS;
    struct shw_use written = shw_use_compute_write;

    written.stages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
    written.access |= VK_ACCESS_TRANSFER_WRITE_BIT;
    if (frame->number == 0)
        record_table(passes, recording, slot);
    passes->integration->record(passes->integrals_passes, recording, slot, frame);
    shw_recording_memory_barrier(recording, written, shw_use_compute_read);
    shw_recording_dispatch(recording, &passes->program, passes->descriptors.handles[slot], &push,
                           (push.width + 2 * SHW_MEANS_COLUMNS - 1) / (2 * SHW_MEANS_COLUMNS),
                           (push.height + rows - 1) / rows, passes->means->count, (uint64_t)WORK * rows * push.width);
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
