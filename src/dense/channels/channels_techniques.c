#include "dense/channels/channels_techniques.h"

#include "base/log.h"
#include "dense/channels/channels_stage.h"
#include "dense/stage/passes.h"

static enum shw_result add(struct shw_arena *arena, const struct shw_stage_create *params, enum shw_planes_form form,
                           const struct shw_planes *inputs, const struct shw_planes *outputs, void **passes)
{
    const struct shw_channel_outputs given = {form, outputs, params->slots, params->scratch_sets};
    struct shw_channels_stage *stage = NULL;
    enum shw_result result = shw_channels_stage_add(arena, params->forest.info->channel_list, &given, &stage);

    (void)inputs;
    *passes = stage;
    return result;
}

static enum shw_result create(struct shw_device *device, void *passes)
{
    (void)device;
    return shw_channels_stage_finish(passes);
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
        shw_channels_stage_record_again(passes, recording, slot, sources, &tile.region);
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
