#include "channels/channels_techniques.h"

#include <stdlib.h>

#include "base/log.h"
#include "channels/channels_stage.h"
#include "pipeline/stage_technique.h"

/* What the stage calls them; techniques have no constant data. */
static enum shw_technique fragment = SHW_TECHNIQUE_FRAGMENT, compute = SHW_TECHNIQUE_COMPUTE;

struct instance {
    struct shw_device *device;
    struct shw_planes *outputs; /* one a slot */
    struct shw_channels_stage *stage;
};

static uint64_t get_memory(void *user, const struct shw_stage_create *params)
{
    const enum shw_technique *technique = user;

    return shw_channels_stage_get_memory(params->forest.info->channels, *technique, params->width, params->height,
                                         params->slots);
}

static void destroy(void *handle)
{
    struct instance *instance = handle;

    shw_channels_stage_destroy(instance->device, &instance->stage);
    free(instance->outputs);
    free(instance);
}

static enum shw_result create(void *user, const struct shw_stage_create *params, void **out)
{
    const enum shw_technique *technique = user;
    struct instance *instance = calloc(1, sizeof *instance);
    enum shw_result result;

    if (instance == NULL)
        return shw_fail_memory(&params->log, "the channels stage");
    instance->device = params->owner;
    instance->outputs = shw_planes_borrow_slots(params, SHW_CHANNELS);
    result = instance->outputs == NULL
                 ? shw_fail_memory(&params->log, "the channels stage")
                 : shw_channels_stage_create(params->owner, params->forest.info->channels, *technique,
                                             instance->outputs, params->slots, &instance->stage);
    if (result == SHW_OK)
        *out = instance;
    else
        destroy(instance);
    return result;
}

static void record(void *handle, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                   struct shw_stage_stretch *stretch)
{
    const struct instance *instance = handle;
    struct shw_recording recording = {instance->device, commands, *stretch};
    struct shw_tile tile = shw_stage_tile(frame);

    shw_channels_stage_record(instance->stage, &recording, slot, frame->source, frame->source_format, 0, 0,
                              &tile.region);
    *stretch = recording.stretch;
}

static enum shw_result run(void *user, const struct shw_stage_host_frame *frame)
{
    struct shw_tile tile = shw_stage_tile(&frame->frame);

    (void)user;
    if (shw_channels_cpu(frame->forest.info->channels, &frame->image, &tile.region,
                         shw_stage_find(&frame->planes, SHW_CHANNELS)->host, frame->pool) != SHW_OK)
        return shw_fail_memory(&frame->log, "channels");
    return SHW_OK;
}

const struct shw_stage_technique shw_channels_cpu_technique = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                               .name = "cpu",
                                                               .stage = SHW_STAGE_CHANNELS,
                                                               .form = SHW_PLANES_HOST,
                                                               .run = run};

const struct shw_stage_technique shw_channels_fragment_technique = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                                    .name = "fragment",
                                                                    .stage = SHW_STAGE_CHANNELS,
                                                                    .form = SHW_PLANES_IMAGE,
                                                                    .user = &fragment,
                                                                    .get_memory = get_memory,
                                                                    .create = create,
                                                                    .record = record,
                                                                    .destroy = destroy,
                                                                    .has_room = shw_stage_has_room,
                                                                    .set_forest = shw_stage_set_forest};

const struct shw_stage_technique shw_channels_compute_technique = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                                   .name = "compute",
                                                                   .stage = SHW_STAGE_CHANNELS,
                                                                   .form = SHW_PLANES_BUFFER,
                                                                   .user = &compute,
                                                                   .get_memory = get_memory,
                                                                   .create = create,
                                                                   .record = record,
                                                                   .destroy = destroy,
                                                                   .has_room = shw_stage_has_room,
                                                                   .set_forest = shw_stage_set_forest};
