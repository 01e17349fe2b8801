#include "dense/label/labeller.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/channel_kinds.h"
#include "dense/channels/fill_input.h"
#include "vulkan/device.h"

#define ALL_OUTPUTS (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)

static enum shw_result check_fill(const struct shw_labeller_params *params)
{
    char why[SHW_FILL_WHY_SIZE];

    if (shw_fill_check(params->fill, shw_forest_get_info(params->forest)->channel_list, why))
        return SHW_OK;
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s", why);
}

static enum shw_result check_params(const struct shw_labeller_params *params)
{
    const struct shw_log *log = &params->log;
    struct shw_registry_choice choices[SHW_STAGE_COUNT];

    if (params->forest == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a labeller needs a forest");
    if (params->outputs == 0 || (params->outputs & ~(uint32_t)ALL_OUTPUTS) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "outputs must be one or more of enum shw_output");
    shw_labeller_get_choices(params, choices);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        SHW_PROPAGATE(shw_registry_check(&choices[s], params->device, log));
    if (params->width > SHW_IMAGE_SIZE_MAX || params->height > SHW_IMAGE_SIZE_MAX ||
        (params->width == 0) != (params->height == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "width and height must both be zero or at most %u",
                        SHW_IMAGE_SIZE_MAX);
    if (params->room.trees > SHW_TREES_MAX || params->room.classes > SHW_CLASSES_MAX ||
        params->room.nodes > (uint64_t)SHW_TREES_MAX * SHW_NODES_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "room is for at most %u trees of %u nodes each, and for %u classes", SHW_TREES_MAX,
                        SHW_NODES_MAX, SHW_CLASSES_MAX);
    SHW_PROPAGATE(check_fill(params));
    return shw_labeller_check_calibration(params);
}

static void take_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    labeller->params.forest = forest;
    labeller->margin = shw_labeller_margin_of(forest);
}

static bool records(const struct shw_labeller *labeller)
{
    return !shw_pipeline_uses_host(&labeller->pipeline) && labeller->params.width > 0;
}

/* Decides on techniques and creates the pipeline. */
static void begin(const struct shw_labeller_params *params, bool avoids_buffers, struct shw_labeller *labeller)
{
    const struct shw_forest_info *info = shw_forest_get_info(params->forest);
    struct shw_pipeline_params pipeline = {.device = params->device,
                                           .forest = params->forest,
                                           .outputs = params->outputs,
                                           .room = params->room,
                                           .scratch_per_slot = params->scratch_per_slot,
                                           .fill = params->fill != SHW_FILL_DEFAULT ? params->fill : info->fill,
                                           .memory = params->memory,
                                           .interrupted = &labeller->interrupted,
                                           .log = params->log};

    labeller->params = *params;
    if (labeller->params.slots == 0)
        labeller->params.slots = 1;
    take_forest(labeller, params->forest);
    shw_labeller_decide(params, avoids_buffers, labeller->techniques);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        pipeline.techniques[s] = shw_registry_find((enum shw_stage)s, labeller->techniques[s]);
        if (params->custom[s] != NULL) {
            pipeline.techniques[s] = (struct shw_pipeline_technique){params->custom[s], NULL};
            labeller->techniques[s] = SHW_TECHNIQUE_CUSTOM;
        }
    }
    labeller->params.calibration = NULL; /* valid only during creation */
    shw_pipeline_begin(&pipeline, &labeller->pipeline);
    if (records(labeller))
        labeller->pipeline.params.recorded = (VkExtent2D){params->width, params->height};
}

/* Refuses labellers that could neither record nor run. */
static enum shw_result check_use(const struct shw_labeller *labeller)
{
    const struct shw_labeller_params *params = &labeller->params;

    if (records(labeller) || !shw_pipeline_uses_device(&labeller->pipeline) || params->device->own != NULL)
        return SHW_OK;
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "this labeller could neither record nor run: recording needs %s; running needs a device of "
                    "shw_device_create(), or cpu for all stages",
                    params->width == 0 ? "width and height" : "all stages on the device");
}

/* Finds the regions of recordings. Where `compute` cannot take the images, not even in tiles, `auto` does without. */
static enum shw_result begin_recorded(const struct shw_labeller_params *params, struct shw_labeller *labeller,
                                      VkExtent2D *region)
{
    struct shw_pipeline *pipeline = &labeller->pipeline;
    bool possible;

    SHW_PROPAGATE(shw_labeller_choose_recorded(params, pipeline, labeller->margin, region, &possible));
    if (!possible) {
        shw_pipeline_end(pipeline);
        begin(params, true, labeller);
        SHW_PROPAGATE(shw_labeller_choose_recorded(params, pipeline, labeller->margin, region, &possible));
    }
    return possible ? SHW_OK : shw_labeller_refuse_recorded(params, pipeline, labeller->margin);
}

enum shw_result shw_labeller_create_abi(uint32_t abi, const struct shw_labeller_params *params,
                                        struct shw_labeller **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_labeller *labeller;
    struct shw_pipeline *pipeline;
    VkExtent2D region;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_params(params));
    labeller = calloc(1, sizeof *labeller);
    if (labeller == NULL)
        return shw_fail_memory(&params->log, "a labeller");
    begin(params, false, labeller);
    pipeline = &labeller->pipeline;
    SHW_TRY(check_use(labeller));
    if (records(labeller))
        SHW_TRY(begin_recorded(params, labeller, &region));
    labeller->begun = calloc(labeller->params.slots, sizeof *labeller->begun);
    if (labeller->begun == NULL) {
        result = shw_fail_memory(&params->log, "a labeller");
        goto fail;
    }
    shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "channels by %s, integrate by %s, evaluate by %s",
                    pipeline->params.techniques[SHW_STAGE_CHANNELS].technique->name,
                    pipeline->params.techniques[SHW_STAGE_INTEGRATE].technique->name,
                    pipeline->params.techniques[SHW_STAGE_EVALUATE].technique->name);
    if (shw_pipeline_uses_host(pipeline) && shw_thread_pool_create(params->threads, &labeller->pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "threads");
        goto fail;
    }
    pipeline->params.pool = labeller->pool;
    /* An imported device only records, so all memory is allocated now; otherwise shw_labeller_run() allocates what an
       image needs. */
    if (records(labeller))
        SHW_TRY(shw_pipeline_make(pipeline, region.width, region.height, labeller->params.slots));
    *out = labeller;
    return SHW_OK;

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

enum shw_result shw_labeller_get_memory_abi(uint32_t abi, const struct shw_labeller_params *params,
                                            struct shw_labeller_memory *memory)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, memory);

    struct shw_labeller labeller = {0};
    struct shw_arena_need need;
    uint64_t custom_bytes;
    VkExtent2D region;

    SHW_PROPAGATE(check_params(params));
    begin(params, false, &labeller);
    if (!records(&labeller))
        return shw_fail(
            &params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
            "recording needs a labeller created with a size, with slots, and with all stages on the device");
    SHW_PROPAGATE(begin_recorded(params, &labeller, &region));
    SHW_PROPAGATE(shw_pipeline_measure(&labeller.pipeline, region.width, region.height, labeller.params.slots, &need,
                                       &custom_bytes));
    *memory = (struct shw_labeller_memory){.bytes = need.device_bytes + need.mapped_bytes,
                                           .device_bytes = need.device_bytes,
                                           .mapped_bytes = need.mapped_bytes,
                                           .allocations = need.blocks,
                                           .custom_bytes = custom_bytes};
    return SHW_OK;
}

void shw_labeller_destroy(struct shw_labeller **handle)
{
    struct shw_labeller *labeller = handle != NULL ? *handle : NULL;

    if (labeller == NULL)
        return;
    shw_pipeline_end(&labeller->pipeline);
    shw_thread_pool_destroy(&labeller->pool);
    free(labeller->begun);
    free(labeller);
    *handle = NULL;
}

/* Whether the labeller can switch to the forest: stages depend on its channels, its feature type and its filling. */
static bool is_alike(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest), *before = labeller->pipeline.info;

    return shw_channel_lists_equal(info->channel_list, before->channel_list) && info->feature == before->feature &&
           (labeller->params.fill != SHW_FILL_DEFAULT || info->fill == before->fill);
}

/* Whether the tiles of recordings are large enough for the reach of a forest. */
static bool tiles_suffice(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    struct shw_tiling tiling;

    return !shw_labeller_tiles_recordings(labeller) ||
           shw_tiling_make(labeller->params.width, labeller->params.height, shw_labeller_margin_of(forest),
                           pipeline->width, pipeline->height, &tiling);
}

bool shw_labeller_has_room(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    if (labeller == NULL || forest == NULL)
        return false;

    return is_alike(labeller, forest) && shw_pipeline_has_room(&labeller->pipeline, forest) &&
           tiles_suffice(labeller, forest);
}

/* Makes the pipeline again for another forest, with tiles of another size if needed. */
static enum shw_result remake(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    struct shw_pipeline_params params = labeller->pipeline.params;
    VkExtent2D region = {labeller->pipeline.width, labeller->pipeline.height};
    uint32_t margin = shw_labeller_margin_of(forest);
    struct shw_pipeline pipeline;
    bool possible = true;

    if (records(labeller)) {
        params.forest = forest;
        shw_pipeline_begin(&params, &pipeline);
        SHW_PROPAGATE(shw_labeller_choose_recorded(&labeller->params, &pipeline, margin, &region, &possible));
        if (!possible)
            return shw_labeller_refuse_recorded(&labeller->params, &pipeline, margin);
        if (region.width == labeller->params.width && region.height == labeller->params.height) {
            region.width = shw_max_u32(region.width, labeller->pipeline.width);
            region.height = shw_max_u32(region.height, labeller->pipeline.height);
        }
    }
    return shw_pipeline_remake(&labeller->pipeline, forest, region.width, region.height);
}

enum shw_result shw_labeller_set_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, forest);

    if (!is_alike(labeller, forest))
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a forest with other channels, another feature type or another filling needs another labeller");
    if (labeller->pipeline.slots > 0 && !shw_labeller_has_room(labeller, forest))
        SHW_PROPAGATE(remake(labeller, forest));
    else
        SHW_PROPAGATE(shw_pipeline_set_forest(&labeller->pipeline, forest));
    take_forest(labeller, forest);
    return SHW_OK;
}

void shw_labeller_get_techniques(const struct shw_labeller *labeller, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    for (int s = 0; labeller != NULL && techniques != NULL && s < (int)SHW_STAGE_COUNT; s++)
        techniques[s] = labeller->techniques[s];
}
