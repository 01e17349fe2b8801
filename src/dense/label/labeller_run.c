/* Labels an image in memory and waits for it, with any mixture of techniques. */
#include <stdlib.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/label/labeller.h"
#include "dense/label/levels.h"
#include "dense/smooth/smooth.h"
#include "vulkan/device.h"

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
                        "%u x %u pixels, %u apart, from (%u, %u): this is not a part of an image of %u x %u",
                        part->width, part->height, part->step, part->x, part->y, width, height);
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

    *region = shw_labeller_region(&labeller->params, pipeline, limits, shw_pipeline_region_max(pipeline));
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
            labeller->pipeline.params.smoothing.cells > 0 ? SHW_SMOOTHING_INCLUDED : "", image->width, image->height,
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
    return shw_labeller_smooths(&labeller->params) && labeller->pipeline.params.smoothing.cells == 0;
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
