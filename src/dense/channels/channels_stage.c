#include "dense/channels/channels_stage.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/channel_maker.h"
#include "dense/stage/passes.h"

struct part {
    const struct shw_channel_device_maker *maker;
    int first_phase;
    void *instance;
};

struct shw_channels_stage {
    struct shw_device *device;
    struct shw_arena own;             /* zero if its memory is part of another arena */
    const struct shw_planes *outputs; /* one per slot */
    bool is_fragment;
    uint32_t input_count;
    int first_phase;
    uint32_t part_count;
    struct part parts[];
};

/* Adds the stage's scratch memory to an arena, for outputs whose sizes are all that is known yet. Errors: MEMORY,
 * DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
static enum shw_result add_stage(struct shw_arena *arena, const struct shw_channel_list *list,
                                 const struct shw_channel_outputs *outputs, struct shw_channels_stage **out)
{
    const struct shw_channel_maker *makers[SHW_CHANNELS_MAX];
    uint32_t count = shw_channel_makers(list, 0, list->channel_count, makers);
    struct shw_channels_stage *stage = calloc(1, sizeof *stage + count * sizeof stage->parts[0]);
    enum shw_result result;

    if (stage == NULL)
        return shw_fail_memory(&arena->device->log, "the channels stage");
    stage->device = arena->device;
    stage->outputs = outputs->planes;
    stage->input_count = list->input_count;
    stage->is_fragment = outputs->form == SHW_PLANES_IMAGE;
    stage->first_phase = SHW_CHANNEL_PHASES;
    for (; stage->part_count < count; stage->part_count++) {
        struct part *part = &stage->parts[stage->part_count];
        part->maker = stage->is_fragment ? makers[stage->part_count]->fragment : makers[stage->part_count]->compute;
        part->first_phase =
            part->maker->get_first_phase != NULL ? part->maker->get_first_phase(list) : part->maker->first_phase;
        stage->first_phase = shw_min(stage->first_phase, part->first_phase);
        SHW_TRY(part->maker->add(arena, list, outputs, &part->instance));
    }
    *out = stage;
    return SHW_OK;

fail:
    shw_channels_stage_destroy(arena->device, &stage);
    return result;
}

/* Creates everything that recording needs, once the arena is made and the outputs exist. After a failure the stage is
 * to be destroyed. Errors: as above. */
static enum shw_result finish_stage(struct shw_channels_stage *stage)
{
    for (uint32_t i = 0; i < stage->part_count; i++)
        SHW_PROPAGATE(stage->parts[i].maker->create(stage->device, stage->parts[i].instance));
    return SHW_OK;
}

enum shw_result shw_channels_stage_create(struct shw_device *device, const struct shw_channel_list *list,
                                          enum shw_planes_form form, const struct shw_planes *outputs, uint32_t slots,
                                          struct shw_channels_stage **out)
{
    const struct shw_channel_outputs given = {form, outputs, slots, slots};
    struct shw_channels_stage *stage = NULL;
    struct shw_arena arena;
    enum shw_result result;

    shw_arena_begin(device, &arena);
    SHW_TRY(add_stage(&arena, list, &given, &stage));
    SHW_TRY(shw_arena_make(&arena));
    stage->own = arena;
    arena = (struct shw_arena){0};
    SHW_TRY(finish_stage(stage));
    *out = stage;
    return SHW_OK;

fail:
    shw_channels_stage_destroy(device, &stage);
    shw_arena_end(&arena);
    return result;
}

void shw_channels_stage_destroy(struct shw_device *device, struct shw_channels_stage **handle)
{
    struct shw_channels_stage *stage = *handle;

    if (stage == NULL)
        return;
    for (uint32_t i = 0; i < stage->part_count; i++)
        stage->parts[i].maker->destroy(device, stage->parts[i].instance);
    shw_arena_end(&stage->own);
    free(stage);
    *handle = NULL;
}

/* Records a phase of all makers that take part in it. */
static void record_phase(struct shw_channels_stage *stage, struct shw_recording *recording, uint32_t slot, int phase,
                         const struct shw_channel_source *sources, const struct shw_region *region)
{
    for (uint32_t i = 0; i < stage->part_count; i++)
        if (phase >= stage->parts[i].first_phase)
            stage->parts[i].maker->record(stage->parts[i].instance, recording, slot, phase, sources, region);
}

static void prepare_phase(struct shw_channels_stage *stage, struct shw_recording *recording, uint32_t slot, int phase)
{
    const struct shw_planes *outputs = &stage->outputs[slot];

    for (uint32_t i = 0; i < stage->part_count; i++)
        if (stage->parts[i].maker->prepare != NULL)
            stage->parts[i].maker->prepare(stage->parts[i].instance, recording, slot, phase);
    if (phase == SHW_CHANNEL_PHASES - 1 && stage->is_fragment)
        shw_recording_image_barrier(recording, outputs->image.handle, shw_use_discarded, shw_use_attachment);
}

static void fill_sources(const struct shw_channels_stage *stage, const struct shw_channel_source *given,
                         struct shw_channel_source sources[SHW_INPUTS_MAX])
{
    for (uint32_t i = 0; i < stage->input_count; i++)
        sources[i] = given[i].view != VK_NULL_HANDLE ? given[i] : given[0];
}

/* The same for another region of sources that are bound already. */
static void record_again(struct shw_channels_stage *stage, struct shw_recording *recording, uint32_t slot,
                         const struct shw_channel_source *given, const struct shw_region *region)
{
    struct shw_channel_source sources[SHW_INPUTS_MAX] = {0};

    fill_sources(stage, given, sources);
    for (int phase = stage->first_phase; phase < SHW_CHANNEL_PHASES; phase++) {
        prepare_phase(stage, recording, slot, phase);
        record_phase(stage, recording, slot, phase, sources, region);
    }
}

void shw_channels_stage_record(struct shw_channels_stage *stage, struct shw_recording *recording, uint32_t slot,
                               const struct shw_channel_source *given, const struct shw_region *region)
{
    struct shw_channel_source sources[SHW_INPUTS_MAX] = {0};
    VkImageView views[SHW_INPUTS_MAX] = {VK_NULL_HANDLE};

    fill_sources(stage, given, sources);
    for (uint32_t i = 0; i < stage->input_count; i++)
        views[i] = sources[i].view;
    if (shw_recording_step(recording, 1))
        shw_channels_stage_bind(stage, slot, views);
    record_again(stage, recording, slot, sources, region);
}

void shw_channels_stage_bind(struct shw_channels_stage *stage, uint32_t slot, const VkImageView *views)
{
    for (uint32_t i = 0; i < stage->part_count; i++)
        stage->parts[i].maker->bind(stage->parts[i].instance, stage->device, slot, views);
}

void shw_channels_stage_record_many(struct shw_channels_stage *stage, VkCommandBuffer commands, uint32_t count,
                                    const VkFormat *formats, const struct shw_region *regions)
{
    struct shw_recording recording = shw_recording_whole(stage->device, commands);

    for (int phase = stage->first_phase; phase < SHW_CHANNEL_PHASES; phase++) {
        shw_memory_barrier(stage->device, commands,
                           phase == stage->first_phase ? shw_use_nothing : shw_use_compute_write,
                           shw_use_compute_write);
        for (uint32_t s = 0; s < count; s++) {
            struct shw_channel_source sources[SHW_INPUTS_MAX] = {0};
            for (uint32_t i = 0; i < stage->input_count; i++)
                sources[i] = (struct shw_channel_source){.format = formats[s], .has_stored = true};
            record_phase(stage, &recording, s, phase, sources, &regions[s]);
        }
    }
}

static enum shw_result add(struct shw_arena *arena, const struct shw_stage_create *params, enum shw_planes_form form,
                           const struct shw_planes *inputs, const struct shw_planes *outputs, void **passes)
{
    const struct shw_channel_outputs given = {form, outputs, params->slots, params->scratch_sets};
    struct shw_channels_stage *stage = NULL;
    enum shw_result result = add_stage(arena, params->forest.info->channel_list, &given, &stage);

    (void)inputs;
    *passes = stage;
    return result;
}

static enum shw_result create(struct shw_device *device, void *passes)
{
    (void)device;
    return finish_stage(passes);
}

static void destroy(struct shw_device *device, void *passes)
{
    struct shw_channels_stage *stage = passes;

    shw_channels_stage_destroy(device, &stage);
}

static void record(void *passes, struct shw_recording *recording, uint32_t slot, const struct shw_stage_frame *frame)
{
    struct shw_channel_source sources[SHW_INPUTS_MAX] = {0};
    struct shw_tile tile = shw_stage_tile(frame);

    for (uint32_t i = 0; i < frame->source_count; i++)
        sources[i] = (struct shw_channel_source){.view = frame->sources[i].view,
                                                 .format = frame->sources[i].format,
                                                 .x = frame->sources[i].x,
                                                 .y = frame->sources[i].y,
                                                 .depth = frame->sources[i].depth};
    if (frame->number == 0)
        shw_channels_stage_record(passes, recording, slot, sources, &tile.region);
    else
        record_again(passes, recording, slot, sources, &tile.region);
}

static enum shw_result run(void *user, const struct shw_stage_host_frame *frame)
{
    struct shw_tile tile = shw_stage_tile(&frame->frame);
    struct shw_channel_images images = {0};

    (void)user;
    for (uint32_t i = 0; i < frame->inputs.count; i++) {
        images.of[i] = &frame->inputs.inputs[i].image;
        images.depth[i] = frame->inputs.inputs[i].depth;
    }
    if (shw_channels_cpu(frame->forest.info->channel_list, &images, &tile.region,
                         shw_stage_find(&frame->planes, SHW_CHANNELS)->host, frame->pool) != SHW_OK)
        return shw_fail_memory(&frame->log, "channels");
    return SHW_OK;
}

const struct shw_stage_technique shw_channels_cpu_technique = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                               .name = "cpu",
                                                               .stage = SHW_STAGE_CHANNELS,
                                                               .form = SHW_PLANES_HOST,
                                                               .run = run};

static struct shw_passes fragment = {.makes = SHW_CHANNELS,
                                     .form = SHW_PLANES_IMAGE,
                                     .add = add,
                                     .create = create,
                                     .destroy = destroy,
                                     .record = record};
static struct shw_passes compute = {.makes = SHW_CHANNELS,
                                    .form = SHW_PLANES_BUFFER,
                                    .add = add,
                                    .create = create,
                                    .destroy = destroy,
                                    .record = record};

const struct shw_stage_technique shw_channels_fragment_technique =
    SHW_PASSES_TECHNIQUE(SHW_STAGE_CHANNELS, "fragment", SHW_PLANES_IMAGE, &fragment);
const struct shw_stage_technique shw_channels_compute_technique =
    SHW_PASSES_TECHNIQUE(SHW_STAGE_CHANNELS, "compute", SHW_PLANES_BUFFER, &compute);
