#include "dense/label/labeller.h"

#include <math.h>
#include <stdlib.h>

#include <shadewood/calibrate.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/channels/fill.h"
#include "dense/forest/forest.h"
#include "dense/label/levels.h"
#include "dense/smooth/smooth.h"
#include "vulkan/device.h"

/* Resolves the technique `auto`. */

/* The pipeline's choice for each stage. */
static void get_choices(const struct shw_labeller_params *params, struct shw_registry_choice choices[SHW_STAGE_COUNT])
{
    const enum shw_technique asked[SHW_STAGE_COUNT] = {params->channels, params->integrate, params->evaluate};

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        choices[s] = (struct shw_registry_choice){(enum shw_stage)s, asked[s], params->custom[s]};
}

/* Stages whose planes are not storage buffers, if there are some. */
static uint32_t without_buffers(uint32_t allowed)
{
    uint32_t others = allowed & ~(1u << SHW_TECHNIQUE_COMPUTE);

    return others != 0 ? others : allowed;
}

/* Whether images on the device are recorded. */
static bool is_recorded(const struct shw_labeller_params *params)
{
    return params->device != NULL && (params->device->own == NULL || params->slots > 0);
}

static struct shw_smoothing smoothing_of(const struct shw_labeller_params *params)
{
    return shw_forest_smoothing(shw_forest_get_info(params->forest), &params->smoothing);
}

bool shw_labeller_smooths(const struct shw_labeller_params *params)
{
    return smoothing_of(params).radius > 0 && (params->outputs & (SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)) != 0;
}

static uint32_t evaluated_outputs(const struct shw_labeller_params *params)
{
    return shw_labeller_smooths(params) ? shw_smooth_needs(params->outputs) : params->outputs;
}

void shw_labeller_decide(const struct shw_labeller_params *params, bool avoids_buffers,
                         enum shw_technique chosen[SHW_STAGE_COUNT])
{
    const uint32_t outputs = evaluated_outputs(params);
    struct shw_calibration_work work = shw_calibration_work_of(params->forest, outputs);
    struct shw_registry_choice choices[SHW_STAGE_COUNT];
    uint32_t allowed[SHW_STAGE_COUNT];

    work.recorded = is_recorded(params);
    work.width = params->width;
    work.height = params->height;
    work.threads = params->threads;
    get_choices(params, choices);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        allowed[s] = shw_registry_allow(&choices[s], &(struct shw_registry_use){.device = params->device,
                                                                                .forest = params->forest,
                                                                                .outputs = outputs,
                                                                                .recorded = work.recorded});
        if (avoids_buffers)
            allowed[s] = without_buffers(allowed[s]);
    }
    if (params->device != NULL && params->calibration != NULL &&
        shw_calibration_choose(params->calibration, &work, allowed, chosen))
        return;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        chosen[s] = shw_registry_usual(allowed[s], params->device);
}

/* Errors: ARGUMENT if the calibration is of another device. */
static enum shw_result check_calibration(const struct shw_labeller_params *params)
{
    struct shw_device_description description;

    if (params->device == NULL || params->calibration == NULL)
        return SHW_OK;
    shw_device_describe(params->device, &description);
    if (shw_calibration_fits(params->calibration, &description))
        return SHW_OK;
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "the calibration is for another device, driver or version: calibrate again, or pass NULL");
}

/* The regions in which images are processed that are too large to be processed at once. */

/* How far other pixels of what this level reads influence one with a forest, in pixels, until the device smooths. */
static uint32_t margin_of(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    return shw_forest_own_reach(forest) + shw_forest_get_info(forest)->channel_list->radius +
           shw_smooth_reach(&labeller->pipeline.params.smoothing);
}

VkExtent2D shw_labeller_region(const struct shw_labeller_params *params, const struct shw_pipeline *pipeline,
                               const struct shw_tiling_limits *limits, uint64_t pixels)
{
    uint32_t side = SHW_IMAGE_SIZE_MAX, least_width = 0, least_height = 0;
    VkExtent2D region;

    if (shw_pipeline_uses_device(pipeline) && params->device->properties.limits.maxImageDimension2D - 1 < side)
        side = params->device->properties.limits.maxImageDimension2D - 1; /* integral images are one pixel larger */
    region.width = shw_min_u32(params->width > 0 ? shw_min_u32(params->width, side) : side, limits->width);
    region.height = shw_min_u32(params->height > 0 ? shw_min_u32(params->height, side) : side, limits->height);
    if (params->memory > 0) {
        least_width = shw_min_u32(region.width, limits->least_width);
        least_height = shw_min_u32(region.height, limits->least_height);
    }
    if (shw_pipeline_region_pixels(pipeline, region.width, region.height) > pixels) {
        /* columns that no pixel has, and below the pixels of a row and the rows that no pixel has */
        const uint64_t more = shw_pipeline_region_pixels(pipeline, 0, 1) - shw_pipeline_region_pixels(pipeline, 0, 0);
        uint64_t root = (uint64_t)sqrt((double)pixels), row, rows;
        region.width = shw_min_u32(region.width, shw_max_u32(root > more ? (uint32_t)(root - more) : 1, least_width));
        row = shw_pipeline_region_pixels(pipeline, region.width, 1) -
              shw_pipeline_region_pixels(pipeline, region.width, 0);
        rows = pixels / row - shw_min_u64(pixels / row, shw_pipeline_region_pixels(pipeline, region.width, 0) / row);
        region.height = shw_min_u32(region.height, shw_max_u32(rows > 0 ? (uint32_t)rows : 1, least_height));
    }
    return region;
}

bool shw_labeller_tiles_recordings(const struct shw_labeller *labeller)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;

    return pipeline->slots > 0 &&
           (pipeline->width < pipeline->params.recorded.width || pipeline->height < pipeline->params.recorded.height);
}

bool shw_labeller_tile(const struct shw_labeller *labeller, VkExtent2D image, const struct shw_part *part,
                       struct shw_tiling *tiling)
{
    return shw_tiling_make_part(image.width, image.height, part, labeller->margin, labeller->pipeline.width,
                                labeller->pipeline.height, tiling);
}

/* The largest regions of a tiling, which are enough for smaller images, too. */
static VkExtent2D largest_region(const struct shw_tiling *tiling)
{
    VkExtent2D largest = {0, 0};

    for (uint32_t t = 0; t < tiling->columns * tiling->rows; t++) {
        const struct shw_tile tile = shw_tiling_get(tiling, t);
        largest.width = shw_max_u32(largest.width, tile.region.width);
        largest.height = shw_max_u32(largest.height, tile.region.height);
    }
    return largest;
}

/* The region that storage buffers allow for tiles of the largest image. */
static VkExtent2D region_of_tiles(const struct shw_labeller_params *params, const struct shw_pipeline *pipeline,
                                  uint32_t margin, struct shw_tiling_limits *limits)
{
    const struct shw_part whole = shw_part_whole(params->width, params->height);
    struct shw_labeller_params recorded = *params;

    recorded.memory = 0; /* limits what is run */
    *limits = shw_tiling_limits(params->width, params->height, &whole, margin);
    return shw_labeller_region(&recorded, pipeline, limits, shw_pipeline_buffers_max(pipeline));
}

static enum shw_result choose_recorded(const struct shw_labeller_params *params, struct shw_pipeline *pipeline,
                                       uint32_t margin, VkExtent2D *region, bool *possible)
{
    const uint32_t slots = shw_max_u32(params->slots, 1);
    struct shw_tiling_limits limits;
    struct shw_tiling tiling;

    *region = (VkExtent2D){params->width, params->height};
    SHW_PROPAGATE(shw_pipeline_fits(pipeline, params->width, params->height, slots, possible));
    if (*possible)
        return SHW_OK;
    *region = region_of_tiles(params, pipeline, margin, &limits);
    *possible = shw_tiling_make(params->width, params->height, margin, region->width, region->height, &tiling);
    if (*possible)
        *region = largest_region(&tiling);
    return SHW_OK;
}

/* The regions of recordings: as large as the largest image, or of its tiles if it does not fit storage buffers;
 * *possible: there are some. The pipeline is one for these parameters, of which nothing has been made. Errors: those of
 * shw_pipeline_make(). */
static enum shw_result refuse_recorded(const struct shw_labeller_params *params, const struct shw_pipeline *pipeline,
                                       uint32_t margin)
{
    struct shw_tiling_limits limits;
    VkExtent2D region = region_of_tiles(params, pipeline, margin, &limits);

    return shw_fail(
        &params->log, SHW_ERROR_LIMIT, SHW_LOG_TILING,
        "the planes of %u x %u pixels exceed the device's storage buffers (maxStorageBufferRange, %u "
        "bytes), and the tiles that fit, of %u x %u pixels, are too small for a forest with a reach of %u "
        "pixels%s, which needs %u x %u: use the technique fragment%s, or a forest with fewer channels, trees "
        "or classes",
        params->width, params->height, params->device->properties.limits.maxStorageBufferRange, region.width,
        region.height, margin, shw_labeller_smooths(params) ? SHW_SMOOTHING_INCLUDED : "", limits.least_width,
        limits.least_height, params->device->has_graphics ? "" : ", for which the queue family must have graphics");
}

#define ALL_OUTPUTS (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)

static enum shw_fill fill_of(const struct shw_labeller_params *params)
{
    return params->fill != SHW_FILL_DEFAULT ? params->fill : shw_forest_get_info(params->forest)->fill;
}

static enum shw_result check_fill(const struct shw_labeller_params *params)
{
    const struct shw_forest_info *info = shw_forest_get_info(params->forest);
    const struct shw_filling *filling = shw_filling_of(fill_of(params));
    char why[SHW_FILL_WHY_SIZE];

    if (!shw_fill_check(params->fill, info->channel_list, why))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s", why);
    if (filling->make != NULL && filling->add == NULL && is_recorded(params))
        return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_ARGUMENT,
                        "depth on a device cannot be filled by %s: fill it first, and pass SHW_FILL_NONE",
                        filling->name);
    return SHW_OK;
}

static enum shw_result check_params(const struct shw_labeller_params *params)
{
    const struct shw_log *log = &params->log;
    struct shw_registry_choice choices[SHW_STAGE_COUNT];

    if (params->forest == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a labeller needs a forest");
    if (params->outputs == 0 || (params->outputs & ~(uint32_t)ALL_OUTPUTS) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "outputs must be one or more of enum shw_output");
    get_choices(params, choices);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        SHW_PROPAGATE(shw_registry_check(&choices[s], params->device, log));
    if (params->width > SHW_IMAGE_SIZE_MAX || params->height > SHW_IMAGE_SIZE_MAX ||
        (params->width == 0) != (params->height == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "width and height must both be zero or at most %u",
                        SHW_IMAGE_SIZE_MAX);
    SHW_PROPAGATE(shw_slots_check(params->slots, log));
    if (params->room.trees > SHW_TREES_MAX || params->room.classes > SHW_CLASSES_MAX ||
        params->room.nodes > (uint64_t)SHW_TREES_MAX * SHW_NODES_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the room reserved can be at most %u trees of %u nodes each, and %u classes", SHW_TREES_MAX,
                        SHW_NODES_MAX, SHW_CLASSES_MAX);
    if ((params->smoothing.radius > SHW_SMOOTHING_RADIUS_MAX && params->smoothing.radius != SHW_SMOOTHING_NONE) ||
        params->smoothing.epsilon > SHW_SMOOTHING_EPSILON_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "smoothing can have a radius of at most %u pixels and an epsilon of at most %u",
                        SHW_SMOOTHING_RADIUS_MAX, SHW_SMOOTHING_EPSILON_MAX);
    SHW_PROPAGATE(shw_target_check_formats(&params->formats, params->outputs, params->forest, log));
    SHW_PROPAGATE(check_fill(params));
    return check_calibration(params);
}

static void take_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    labeller->params.forest = forest;
    labeller->margin = margin_of(labeller, forest);
}

/* Decides on techniques and creates the pipeline. */
static void begin(const struct shw_labeller_params *params, bool avoids_buffers, struct shw_labeller *labeller)
{
    struct shw_pipeline_params pipeline = {.device = params->device,
                                           .forest = params->forest,
                                           .outputs = params->outputs,
                                           .room = params->room,
                                           .scratch_per_slot = params->scratch_per_slot,
                                           .fill = fill_of(params),
                                           .formats = params->formats,
                                           .memory = params->memory,
                                           .interrupted = &labeller->interrupted,
                                           .log = params->log};

    labeller->params = *params;
    if (labeller->params.slots == 0)
        labeller->params.slots = 1;
    shw_labeller_decide(params, avoids_buffers, labeller->techniques);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        pipeline.techniques[s] = shw_registry_find((enum shw_stage)s, labeller->techniques[s]);
        if (params->custom[s] != NULL) {
            pipeline.techniques[s] = (struct shw_pipeline_technique){params->custom[s], NULL};
            labeller->techniques[s] = SHW_TECHNIQUE_CUSTOM;
        }
    }
    labeller->params.calibration = NULL; /* valid only during creation */
    labeller->keeps_smoothing = params->smoothing.radius > 0;
    labeller->params.smoothing = smoothing_of(params);
    if (!shw_labeller_smooths(params))
        labeller->params.smoothing.radius = SHW_SMOOTHING_NONE;
    if (pipeline.techniques[SHW_STAGE_EVALUATE].technique->form != SHW_PLANES_HOST) {
        pipeline.posteriors = labeller->link.posteriors;
        pipeline.reader = labeller->link.reader;
    }
    if (shw_labeller_smooths(params) && pipeline.techniques[SHW_STAGE_EVALUATE].technique->form != SHW_PLANES_HOST)
        pipeline.smoothing = shw_smooth_windows_of(&labeller->params.smoothing);
    else
        pipeline.outputs = evaluated_outputs(params);
    shw_pipeline_begin(&pipeline, &labeller->pipeline);
    take_forest(labeller, params->forest);
    if (shw_labeller_records(labeller))
        labeller->pipeline.params.recorded = (VkExtent2D){params->width, params->height};
}

/* Refuses labellers that could neither record nor run. */
static enum shw_result check_use(const struct shw_labeller *labeller)
{
    const struct shw_labeller_params *params = &labeller->params;

    if (shw_target_wanted(&params->formats) && !shw_labeller_records(labeller))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "formats are given of targets, which only recording has: it needs width and height, and all "
                        "stages on the device");
    if (shw_labeller_records(labeller) || !shw_pipeline_uses_device(&labeller->pipeline) || params->device->own != NULL)
        return SHW_OK;
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "this labeller could neither record nor run: recording needs %s; running needs a device of "
                    "shw_device_create(), or cpu for all stages",
                    params->width == 0 ? "width and height" : "all stages on the device");
}

/* Finds the regions of recordings. If `compute` cannot process the images even in tiles, `auto` avoids it. */
static enum shw_result begin_recorded(const struct shw_labeller_params *params, struct shw_labeller *labeller,
                                      VkExtent2D *region)
{
    struct shw_pipeline *pipeline = &labeller->pipeline;
    bool possible;

    SHW_PROPAGATE(choose_recorded(params, pipeline, labeller->margin, region, &possible));
    if (!possible) {
        shw_pipeline_end(pipeline);
        begin(params, true, labeller);
        SHW_PROPAGATE(choose_recorded(params, pipeline, labeller->margin, region, &possible));
    }
    return possible ? SHW_OK : refuse_recorded(params, pipeline, labeller->margin);
}

enum shw_result shw_labeller_create_level(const struct shw_labeller_params *params, const struct shw_level_link *link,
                                          struct shw_labeller **out)
{
    struct shw_labeller *labeller;
    struct shw_pipeline *pipeline;
    VkExtent2D region;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_params(params));
    labeller = calloc(1, sizeof *labeller);
    if (labeller == NULL)
        return shw_fail_memory(&params->log, "a labeller");
    labeller->link = *link;
    begin(params, false, labeller);
    pipeline = &labeller->pipeline;
    SHW_TRY(check_use(labeller));
    if (shw_labeller_records(labeller))
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
    SHW_TRY(shw_levels_begin(labeller, params));
    /* An imported device only records, so all memory is allocated now; otherwise shw_labeller_run() allocates what an
       image needs. */
    if (shw_labeller_records(labeller))
        SHW_TRY(shw_pipeline_make(pipeline, region.width, region.height, labeller->params.slots));
    *out = labeller;
    return SHW_OK;

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

enum shw_result shw_labeller_create_abi(uint32_t abi, const struct shw_labeller_params *params,
                                        struct shw_labeller **out)
{
    const struct shw_level_link alone = {0};

    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    return shw_labeller_create_level(params, &alone, out);
}

enum shw_result shw_labeller_get_level_memory(const struct shw_labeller_params *params,
                                              const struct shw_level_link *link, struct shw_labeller_memory *memory)
{
    struct shw_labeller labeller = {.link = *link};
    struct shw_arena_need need;
    uint64_t custom_bytes;
    VkExtent2D region;
    enum shw_result result;

    SHW_PROPAGATE(check_params(params));
    begin(params, false, &labeller);
    result =
        shw_labeller_records(&labeller)
            ? begin_recorded(params, &labeller, &region)
            : shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                       "recording needs a labeller created with a size, with slots, and with all stages on the device");
    if (result == SHW_OK)
        result = shw_pipeline_measure(&labeller.pipeline, region.width, region.height, labeller.params.slots, &need,
                                      &custom_bytes);
    if (result == SHW_OK) {
        *memory = (struct shw_labeller_memory){.bytes = need.device_bytes + need.mapped_bytes,
                                               .device_bytes = need.device_bytes,
                                               .mapped_bytes = need.mapped_bytes,
                                               .allocations = need.blocks,
                                               .custom_bytes = custom_bytes};
        result = shw_levels_add_memory(&labeller, params, memory);
    }
    shw_pipeline_end(&labeller.pipeline);
    return result;
}

enum shw_result shw_labeller_get_memory_abi(uint32_t abi, const struct shw_labeller_params *params,
                                            struct shw_labeller_memory *memory)
{
    const struct shw_level_link alone = {0};

    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, memory);

    return shw_labeller_get_level_memory(params, &alone, memory);
}

void shw_labeller_destroy(struct shw_labeller **handle)
{
    struct shw_labeller *labeller = handle != NULL ? *handle : NULL;

    if (labeller == NULL)
        return;
    shw_labeller_destroy(&labeller->below);
    shw_pipeline_end(&labeller->pipeline);
    shw_thread_pool_destroy(&labeller->pool);
    free(labeller->begun);
    free(labeller->results);
    free(labeller);
    *handle = NULL;
}

static bool smooths_alike(const struct shw_smoothing *a, const struct shw_smoothing *b)
{
    return a->radius == b->radius && a->epsilon == b->epsilon;
}

/* Whether the labeller can switch to the forest: stages depend on its channels, its feature type, its filling and its
 * smoothing. */
static bool is_alike(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest), *before = labeller->pipeline.info;

    return shw_channel_lists_equal(info->channel_list, before->channel_list) && info->feature == before->feature &&
           (labeller->params.fill != SHW_FILL_DEFAULT || info->fill == before->fill) &&
           (labeller->keeps_smoothing || smooths_alike(&info->smoothing, &before->smoothing)) &&
           (info->below == NULL) == (labeller->below == NULL) &&
           (info->below == NULL || is_alike(labeller->below, info->below));
}

/* Whether the tiles of recordings are large enough for the reach of a forest. */
static bool tiles_suffice(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    struct shw_tiling tiling;

    return !shw_labeller_tiles_recordings(labeller) ||
           shw_tiling_make(labeller->params.width, labeller->params.height, margin_of(labeller, forest),
                           pipeline->width, pipeline->height, &tiling);
}

bool shw_labeller_has_room(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    if (labeller == NULL || forest == NULL)
        return false;

    return is_alike(labeller, forest) && shw_pipeline_has_room(&labeller->pipeline, forest) &&
           tiles_suffice(labeller, forest) &&
           (labeller->below == NULL || shw_labeller_has_room(labeller->below, shw_forest_get_info(forest)->below));
}

/* Makes the pipeline again for another forest, with tiles of another size if needed. */
static enum shw_result remake(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    struct shw_pipeline_params params = labeller->pipeline.params;
    VkExtent2D region = {labeller->pipeline.width, labeller->pipeline.height};
    uint32_t margin = margin_of(labeller, forest);
    struct shw_pipeline pipeline;
    bool possible = true;
    enum shw_result result;

    if (shw_labeller_records(labeller)) {
        params.forest = forest;
        shw_pipeline_begin(&params, &pipeline);
        result = choose_recorded(&labeller->params, &pipeline, margin, &region, &possible);
        if (result == SHW_OK && !possible)
            result = refuse_recorded(&labeller->params, &pipeline, margin);
        shw_pipeline_end(&pipeline);
        if (result != SHW_OK)
            return result;
        if (region.width == labeller->params.width && region.height == labeller->params.height) {
            region.width = shw_max_u32(region.width, labeller->pipeline.width);
            region.height = shw_max_u32(region.height, labeller->pipeline.height);
        }
    }
    return shw_pipeline_remake(&labeller->pipeline, forest, region.width, region.height);
}

static enum shw_result set_level(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    if (labeller->pipeline.slots > 0 &&
        !(shw_pipeline_has_room(&labeller->pipeline, forest) && tiles_suffice(labeller, forest)))
        SHW_PROPAGATE(remake(labeller, forest));
    else
        SHW_PROPAGATE(shw_pipeline_set_forest(&labeller->pipeline, forest));
    take_forest(labeller, forest);
    return SHW_OK;
}

enum shw_result shw_labeller_set_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, forest);

    const struct shw_forest *below;
    enum shw_result result;

    if (!is_alike(labeller, forest))
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a forest with different channels, feature type, filling or smoothing needs another labeller");
    if (labeller->below == NULL)
        return set_level(labeller, forest);
    below = labeller->below->params.forest;
    SHW_PROPAGATE(shw_labeller_set_forest(labeller->below, shw_forest_get_info(forest)->below));
    result = set_level(labeller, forest);
    if (result != SHW_OK)
        (void)shw_labeller_set_forest(labeller->below, below);
    return result;
}

void shw_labeller_get_techniques(const struct shw_labeller *labeller, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    for (int s = 0; labeller != NULL && techniques != NULL && s < (int)SHW_STAGE_COUNT; s++)
        techniques[s] = labeller->techniques[s];
}
