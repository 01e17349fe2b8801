#include "dense/label/labeller.h"

#include <math.h>
#include <stdlib.h>

#include <shadewood/calibrate.h>

#include "base/image.h"
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

static bool smooths(const struct shw_labeller_params *params)
{
    return smoothing_of(params).radius > 0 && (params->outputs & (SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)) != 0;
}

static uint32_t evaluated_outputs(const struct shw_labeller_params *params)
{
    return smooths(params) ? shw_smooth_needs(params->outputs) : params->outputs;
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

/* The largest region of at most `pixels` pixels that may be processed at once. */
static VkExtent2D choose_region(const struct shw_labeller_params *params, const struct shw_pipeline *pipeline,
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
    if (shw_pipeline_region_pixels(region.width, region.height) > pixels) {
        uint32_t root = (uint32_t)sqrt((double)pixels);
        uint64_t rows;
        region.width = shw_min_u32(region.width, shw_max_u32(root > 2 ? root - 2 : 1, least_width));
        rows = pixels / shw_pipeline_region_pixels(region.width, 0);
        region.height = shw_min_u32(region.height, shw_max_u32(rows > 1 ? (uint32_t)rows - 1 : 1, least_height));
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
    return choose_region(&recorded, pipeline, limits, shw_pipeline_buffers_max(pipeline));
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

#define SMOOTHING_INCLUDED ", smoothing included"

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
        region.height, margin, smooths(params) ? SMOOTHING_INCLUDED : "", limits.least_width, limits.least_height,
        params->device->has_graphics ? "" : ", for which the queue family must have graphics");
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
    if (!smooths(params))
        labeller->params.smoothing.radius = SHW_SMOOTHING_NONE;
    if (pipeline.techniques[SHW_STAGE_EVALUATE].technique->form != SHW_PLANES_HOST) {
        pipeline.posteriors = labeller->link.posteriors;
        pipeline.reader = labeller->link.reader;
    }
    if (smooths(params) && pipeline.techniques[SHW_STAGE_EVALUATE].technique->form != SHW_PLANES_HOST)
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

    SHW_PROPAGATE(check_params(params));
    begin(params, false, &labeller);
    if (!shw_labeller_records(&labeller))
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
    return shw_levels_add_memory(&labeller, params, memory);
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

    if (shw_labeller_records(labeller)) {
        params.forest = forest;
        shw_pipeline_begin(&params, &pipeline);
        SHW_PROPAGATE(choose_recorded(&labeller->params, &pipeline, margin, &region, &possible));
        if (!possible)
            return refuse_recorded(&labeller->params, &pipeline, margin);
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

/* Labels an image and waits for it, with any mixture of techniques. */

static enum shw_result check(const struct shw_labeller *labeller, const struct shw_labelling *out)
{
    const struct shw_log *log = &labeller->params.log;
    uint32_t outputs = labeller->params.outputs;

    if (out->tree_leaf == NULL && out->forest_leaves == NULL && out->distribution == NULL && out->argmax == NULL)
        return shw_fail(
            log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
            "no result is requested: one of tree_leaf, forest_leaves, distribution and argmax needs memory");
    if ((out->tree_leaf != NULL && (outputs & SHW_OUTPUT_TREE_LEAF) == 0) ||
        (out->forest_leaves != NULL && (outputs & SHW_OUTPUT_FOREST_LEAVES) == 0) ||
        (out->distribution != NULL && (outputs & SHW_OUTPUT_DISTRIBUTION) == 0) ||
        (out->argmax != NULL && (outputs & SHW_OUTPUT_ARGMAX) == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a result is requested that the labeller was not created for");
    return SHW_OK;
}

enum shw_result shw_part_check(const struct shw_part *part, uint32_t width, uint32_t height, const struct shw_log *log)
{
    if (part->step == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the step of a part is 0; 1 is every pixel");
    if (part->width == 0 || part->height == 0 || part->x >= width || part->y >= height ||
        (part->width - 1) > (width - 1 - part->x) / part->step ||
        (part->height - 1) > (height - 1 - part->y) / part->step)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "every %u-th of %u x %u pixels from (%u, %u): this is not a part of an image of %u x %u",
                        part->step, part->width, part->height, part->x, part->y, width, height);
    return SHW_OK;
}

void shw_labeller_interrupt(struct shw_labeller *labeller)
{
    if (labeller == NULL)
        return;

    atomic_store_explicit(&labeller->interrupted, true, memory_order_relaxed);
    if (labeller->pool != NULL)
        shw_thread_pool_stop(labeller->pool);
    shw_labeller_interrupt(labeller->below);
}

/* What to suggest if a labeller's tiles are too small. */
static const char *other_techniques(const struct shw_labeller *labeller)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    bool is_buffers = shw_pipeline_region_max(pipeline) == shw_pipeline_buffers_max(pipeline);

    return is_buffers && labeller->params.device->has_graphics ? "the techniques fragment or cpu" : "the technique cpu";
}

/* False if the largest tiles are too small; *region is their size. */
static bool find_tiling(const struct shw_labeller *labeller, const struct shw_image *image, const struct shw_part *part,
                        const struct shw_tiling_limits *limits, struct shw_tiling *tiling, VkExtent2D *region)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;

    *region = choose_region(&labeller->params, pipeline, limits, shw_pipeline_region_max(pipeline));
    return shw_tiling_make_part(image->width, image->height, part, labeller->margin, region->width, region->height,
                                tiling);
}

static enum shw_result make_tiling(const struct shw_labeller *labeller, const struct shw_image *image,
                                   const struct shw_part *part, struct shw_tiling *tiling, VkExtent2D *region)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_tiling_limits limits = shw_tiling_limits(image->width, image->height, part, labeller->margin);

    if (!find_tiling(labeller, image, part, &limits, tiling, region))
        return shw_fail(
            log, SHW_ERROR_LIMIT, SHW_LOG_TILING,
            "tiles of %u x %u pixels are too small for a forest with a reach of %u pixels%s: %u x %u pixels "
            "need tiles of at least %u x %u, or %s",
            region->width, region->height, labeller->margin,
            labeller->pipeline.params.smoothing.cells > 0 ? SMOOTHING_INCLUDED : "", image->width, image->height,
            limits.least_width, limits.least_height, other_techniques(labeller));
    if (tiling->columns * tiling->rows > 1)
        shw_log_message(log, SHW_LOG_INFO, SHW_LOG_TILING, "%u x %u pixels in %u x %u tiles", image->width,
                        image->height, tiling->columns, tiling->rows);
    return SHW_OK;
}

bool shw_labeller_one_tile(const struct shw_labeller *labeller, const struct shw_image *image,
                           const struct shw_part *part, struct shw_tile *tile)
{
    const struct shw_tiling_limits limits = shw_tiling_limits(image->width, image->height, part, labeller->margin);
    struct shw_tiling tiling;
    VkExtent2D region;

    if (!find_tiling(labeller, image, part, &limits, &tiling, &region) || tiling.columns * tiling.rows > 1)
        return false;
    *tile = shw_tiling_get(&tiling, 0);
    return true;
}

#define SMOOTH_SIDE_MIN 64u /* pixels of a tile, whatever memory there is */

static enum shw_result run_tiles(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                 const struct shw_part *part, const struct shw_labelling *out)
{
    struct shw_pipeline *pipeline = &labeller->pipeline;
    struct shw_tiling tiling;
    VkExtent2D region;

    SHW_PROPAGATE(make_tiling(labeller, &chosen->of[0]->image, part, &tiling, &region));
    if (shw_pipeline_uses_device(pipeline))
        SHW_PROPAGATE(shw_pipeline_prepare(pipeline, chosen, region.width, region.height, SHW_PIPELINE_ALONE));
    for (uint32_t i = 0; i < tiling.columns * tiling.rows; i++) {
        const struct shw_tile tile = shw_tiling_get(&tiling, i);
        SHW_PROPAGATE(shw_pipeline_run(pipeline, &tile, chosen, out));
    }
    return SHW_OK;
}

/* The side of square tiles, at most that of the image, that are smoothed in the memory that there is. */
static uint32_t smooth_side(const struct shw_labeller *labeller, const struct shw_smooth_windows *windows,
                            uint32_t most)
{
    const uint64_t memory = shw_pipeline_host_bytes(&labeller->pipeline);
    const uint32_t threads = shw_thread_pool_size(labeller->pool);
    uint32_t side = SMOOTH_SIDE_MIN, step = 1;

    while (step < most)
        step *= 2;
    for (; step > 0; step /= 2)
        if (side + step <= most &&
            shw_smooth_cpu_bytes(windows, side + step, labeller->pipeline.info->class_count, threads) <= memory)
            side += step;
    return side;
}

static enum shw_result smooth_tile(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                   struct shw_smooth_tile *tile)
{
    const struct shw_image *image = &chosen->of[0]->image;
    const uint32_t reach = shw_smooth_reach(&tile->windows);
    struct shw_pixel_range x, y;
    uint16_t *distribution;
    struct shw_image piece;
    struct shw_part part;
    enum shw_result result;

    x = shw_within_reach(tile->tile.x, tile->tile.width, reach, image->width);
    y = shw_within_reach(tile->tile.y, tile->tile.height, reach, image->height);
    tile->given = (struct shw_smooth_rect){x.begin, y.begin, x.end - x.begin, y.end - y.begin};
    part = (struct shw_part){tile->given.x, tile->given.y, tile->given.width, tile->given.height, 1};
    piece = shw_image_part(image, part.x, part.y, part.width, part.height);
    distribution = malloc((size_t)tile->classes * part.width * part.height * sizeof *distribution);
    if (distribution == NULL)
        return shw_fail_memory(&labeller->params.log, "the distributions to be smoothed");
    result = run_tiles(labeller, chosen, &part, &(struct shw_labelling){.distribution = distribution});
    tile->image = &piece;
    tile->distribution = distribution;
    if (result == SHW_OK && shw_smooth_cpu(tile, labeller->pool) != SHW_OK)
        result = shw_fail_memory(&labeller->params.log, "smoothing");
    free(distribution);
    return result;
}

/* Distributions and labels of a part, smoothed by the host in tiles of its own. */
static enum shw_result run_smoothed(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                    const struct shw_part *part, const struct shw_labelling *out)
{
    const struct shw_image *image = &chosen->of[0]->image;
    struct shw_smooth_tile tile = {.windows = shw_smooth_windows_of(&labeller->params.smoothing),
                                   .full_width = image->width,
                                   .full_height = image->height,
                                   .classes = labeller->pipeline.info->class_count,
                                   .out_distribution = out->distribution,
                                   .out_argmax = out->argmax,
                                   .out_width = part->width,
                                   .out_height = part->height,
                                   .step = part->step};
    const uint32_t largest = shw_max_u32(image->width, image->height);
    const uint32_t side = smooth_side(labeller, &tile.windows, largest) / part->step + 1;

    for (tile.out_y = 0; tile.out_y < part->height; tile.out_y += side)
        for (tile.out_x = 0; tile.out_x < part->width; tile.out_x += side) {
            tile.tile =
                (struct shw_smooth_rect){part->x + tile.out_x * part->step, part->y + tile.out_y * part->step,
                                         shw_part_span(shw_min_u32(side, part->width - tile.out_x), part->step),
                                         shw_part_span(shw_min_u32(side, part->height - tile.out_y), part->step)};
            SHW_PROPAGATE(smooth_tile(labeller, chosen, &tile));
        }
    return SHW_OK;
}

bool shw_labeller_smooths_on_host(const struct shw_labeller *labeller)
{
    return smooths(&labeller->params) && labeller->pipeline.params.smoothing.cells == 0;
}

static enum shw_result run_level(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                 const struct shw_part *part, const struct shw_labelling *out)
{
    const struct shw_labelling leaves = {.tree_leaf = out->tree_leaf, .forest_leaves = out->forest_leaves};

    if (!shw_labeller_smooths_on_host(labeller) || (out->distribution == NULL && out->argmax == NULL))
        return run_tiles(labeller, chosen, part, out);
    if (leaves.tree_leaf != NULL || leaves.forest_leaves != NULL)
        SHW_PROPAGATE(run_tiles(labeller, chosen, part, &leaves));
    return run_smoothed(labeller, chosen, part, out);
}

static enum shw_result run(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                           const struct shw_part *part, const struct shw_labelling *out)
{
    const struct shw_smooth_windows windows = shw_smooth_windows_of(&labeller->params.smoothing);
    uint32_t reach = labeller->margin; /* with smoothing, if the device does it */

    if (labeller->below == NULL)
        return run_level(labeller, chosen, part, out);
    if (shw_labeller_smooths_on_host(labeller))
        reach += shw_smooth_reach(&windows);
    return shw_levels_run(labeller, chosen, part, reach, out, run_level);
}

enum shw_result shw_labeller_run(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                 const struct shw_labelling *out)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, out);

    struct shw_chosen_inputs chosen;
    struct shw_part whole;

    SHW_PROPAGATE(shw_inputs_choose(inputs, labeller->pipeline.info->channel_list, &labeller->params.log, &chosen));
    SHW_PROPAGATE(check(labeller, out));
    whole = shw_part_whole(chosen.of[0]->image.width, chosen.of[0]->image.height);
    return run(labeller, &chosen, &whole, out);
}

static enum shw_result run_part(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                const struct shw_part *part, const struct shw_labelling *out)
{
    SHW_PROPAGATE(check(labeller, out));
    SHW_PROPAGATE(shw_part_check(part, chosen->of[0]->image.width, chosen->of[0]->image.height, &labeller->params.log));
    return run(labeller, chosen, part, out);
}

enum shw_result shw_labeller_run_part(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                      const struct shw_part *part, const struct shw_labelling *out)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, part);
    SHW_REFUSE_NULL(&labeller->params.log, out);

    struct shw_chosen_inputs chosen;

    SHW_PROPAGATE(shw_inputs_choose(inputs, labeller->pipeline.info->channel_list, &labeller->params.log, &chosen));
    return run_part(labeller, &chosen, part, out);
}

enum shw_result shw_labeller_run_large(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                       const struct shw_part *part, const struct shw_labelling *out)
{
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    struct shw_chosen_inputs chosen;

    SHW_PROPAGATE(shw_inputs_choose_partial(inputs, list, &labeller->params.log, &chosen));
    return run_part(labeller, &chosen, part, out);
}
