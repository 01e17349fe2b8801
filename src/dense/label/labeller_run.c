/* Labels an image and waits for it, with any mixture of techniques. */
#include "base/log.h"
#include "dense/label/labeller.h"

static enum shw_result check(const struct shw_labeller *labeller, const struct shw_inputs *inputs,
                             const struct shw_labelling *out, struct shw_chosen_inputs *chosen)
{
    const struct shw_log *log = &labeller->params.log;
    uint32_t outputs = labeller->params.outputs;

    SHW_PROPAGATE(shw_inputs_choose(inputs, labeller->pipeline.info->channel_list, log, chosen));
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

static enum shw_result check_part(const struct shw_labeller *labeller, const struct shw_image *image,
                                  const struct shw_part *part)
{
    if (part->step == 0 || part->width == 0 || part->height == 0 || part->x >= image->width ||
        part->y >= image->height || (part->width - 1) > (image->width - 1 - part->x) / part->step ||
        (part->height - 1) > (image->height - 1 - part->y) / part->step)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "every %u-th of %u x %u pixels from (%u, %u) on: an image of %u x %u has no such part",
                        part->step, part->width, part->height, part->x, part->y, image->width, image->height);
    return SHW_OK;
}

void shw_labeller_interrupt(struct shw_labeller *labeller)
{
    if (labeller == NULL)
        return;

    atomic_store_explicit(&labeller->interrupted, true, memory_order_relaxed);
    if (labeller->pool != NULL)
        shw_thread_pool_stop(labeller->pool);
}

/* What a labeller with tiles that are too small can use instead. */
static const char *other_techniques(const struct shw_labeller *labeller, uint64_t pixels)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    bool is_buffers = pixels == shw_pipeline_buffers_max(pipeline);

    return is_buffers && labeller->params.device->has_graphics ? "the techniques fragment or cpu" : "the technique cpu";
}

static enum shw_result make_tiling(const struct shw_labeller *labeller, const struct shw_image *image,
                                   const struct shw_part *part, struct shw_tiling *tiling, VkExtent2D *region)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_tiling_limits limits = shw_tiling_limits(image->width, image->height, part, labeller->margin);
    uint64_t pixels = shw_pipeline_region_max(&labeller->pipeline);

    *region = shw_labeller_choose_region(&labeller->params, &labeller->pipeline, &limits, pixels);
    if (!shw_tiling_make_part(image->width, image->height, part, labeller->margin, region->width, region->height,
                              tiling))
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_TILING,
                        "tiles of %u x %u pixels are too small for a forest with a reach of %u pixels: %u x %u pixels "
                        "need tiles of at least %u x %u, or %s",
                        region->width, region->height, labeller->margin, image->width, image->height,
                        limits.least_width, limits.least_height, other_techniques(labeller, pixels));
    if (tiling->columns * tiling->rows > 1)
        shw_log_message(log, SHW_LOG_INFO, SHW_LOG_TILING, "%u x %u pixels in %u x %u tiles", image->width,
                        image->height, tiling->columns, tiling->rows);
    return SHW_OK;
}

static enum shw_result run_tiles(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                 const struct shw_part *part, const struct shw_labelling *out)
{
    struct shw_pipeline *pipeline = &labeller->pipeline;
    struct shw_tiling tiling;
    VkExtent2D region;

    SHW_PROPAGATE(make_tiling(labeller, &chosen->of[0]->image, part, &tiling, &region));
    if (shw_pipeline_uses_device(pipeline))
        SHW_PROPAGATE(shw_pipeline_prepare(pipeline,
                                           shw_inputs_are_wide(chosen, pipeline->info->channel_list->input_count),
                                           region.width, region.height));
    for (uint32_t i = 0; i < tiling.columns * tiling.rows; i++) {
        const struct shw_tile tile = shw_tiling_get(&tiling, i);
        SHW_PROPAGATE(shw_pipeline_run(pipeline, &tile, chosen, out));
    }
    return SHW_OK;
}

enum shw_result shw_labeller_run(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                 const struct shw_labelling *out)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, out);

    struct shw_chosen_inputs chosen;
    struct shw_part whole;

    SHW_PROPAGATE(check(labeller, inputs, out, &chosen));
    whole = shw_part_whole(chosen.of[0]->image.width, chosen.of[0]->image.height);
    return run_tiles(labeller, &chosen, &whole, out);
}

enum shw_result shw_labeller_run_part(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                      const struct shw_part *part, const struct shw_labelling *out)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, part);
    SHW_REFUSE_NULL(&labeller->params.log, out);

    struct shw_chosen_inputs chosen;

    SHW_PROPAGATE(check(labeller, inputs, out, &chosen));
    SHW_PROPAGATE(check_part(labeller, &chosen.of[0]->image, part));
    return run_tiles(labeller, &chosen, part, out);
}
