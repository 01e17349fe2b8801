/* Labels an image and waits for it, with any mixture of techniques. */
#include <math.h>

#include "base/log.h"
#include "label/labeller.h"

static enum shw_result check(const struct shw_labeller *labeller, const struct shw_inputs *inputs,
                             const struct shw_labelling *out, struct shw_chosen_inputs *chosen)
{
    const struct shw_log *log = &labeller->params.log;
    uint32_t outputs = labeller->params.outputs;

    SHW_PROPAGATE(shw_inputs_choose(inputs, labeller->pipeline.info->channel_list, log, chosen));
    if ((out->tree_leaf != NULL && (outputs & SHW_OUTPUT_TREE_LEAF) == 0) ||
        (out->forest_leaves != NULL && (outputs & SHW_OUTPUT_FOREST_LEAVES) == 0) ||
        (out->distribution != NULL && (outputs & SHW_OUTPUT_DISTRIBUTION) == 0) ||
        (out->argmax != NULL && (outputs & SHW_OUTPUT_ARGMAX) == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a result is requested that the labeller was not created for");
    return SHW_OK;
}

/* The largest region of the image that is processed at once. */
static void choose_region(const struct shw_labeller *labeller, const struct shw_image *image, uint32_t *width,
                          uint32_t *height)
{
    const struct shw_labeller_params *params = &labeller->params;
    uint32_t side = SHW_IMAGE_SIZE_MAX;
    uint64_t pixels = shw_pipeline_region_max(&labeller->pipeline);

    if (shw_pipeline_uses_device(&labeller->pipeline) &&
        params->device->properties.limits.maxImageDimension2D - 1 < side)
        side = params->device->properties.limits.maxImageDimension2D - 1; /* integral images are one pixel larger */
    *width = params->width > 0 && params->width < side ? params->width : side;
    *height = params->height > 0 && params->height < side ? params->height : side;
    *width = *width < image->width ? *width : image->width;
    *height = *height < image->height ? *height : image->height;
    /* integral images have an even stride: (w + 2) * (h + 1) elements */
    if (((uint64_t)*width + 2) * ((uint64_t)*height + 1) > pixels) {
        uint32_t root = (uint32_t)sqrt((double)pixels) - 2;
        *width = *width < root ? *width : root;
        *height = (uint32_t)(pixels / (*width + 2)) - 1 < *height ? (uint32_t)(pixels / (*width + 2)) - 1 : *height;
    }
}

void shw_labeller_interrupt(struct shw_labeller *labeller)
{
    if (labeller == NULL)
        return;

    atomic_store_explicit(&labeller->interrupted, true, memory_order_relaxed);
    if (labeller->pool != NULL)
        shw_thread_pool_stop(labeller->pool);
}

enum shw_result shw_labeller_run(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                 const struct shw_labelling *out)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, out);

    struct shw_chosen_inputs chosen;
    const struct shw_image *image;
    struct shw_tiling tiling;
    uint32_t width, height;

    SHW_PROPAGATE(check(labeller, inputs, out, &chosen));
    image = &chosen.of[0]->image;
    choose_region(labeller, image, &width, &height);
    if (!shw_tiling_make(image->width, image->height, labeller->margin, width, height, &tiling))
        return shw_fail(
            &labeller->params.log, SHW_ERROR_LIMIT, SHW_LOG_TILING,
            "tiles of %u x %u pixels are too small for a forest with a reach of %u pixels: %u x %u pixels need "
            "tiles of at least %u x %u",
            width, height, labeller->margin, image->width, image->height,
            shw_tiling_region_min(image->width, labeller->margin),
            shw_tiling_region_min(image->height, labeller->margin));
    if (tiling.columns * tiling.rows > 1)
        shw_log_message(&labeller->params.log, SHW_LOG_INFO, SHW_LOG_TILING, "%u x %u pixels in %u x %u tiles",
                        image->width, image->height, tiling.columns, tiling.rows);
    if (shw_pipeline_uses_device(&labeller->pipeline))
        SHW_PROPAGATE(shw_pipeline_prepare(
            &labeller->pipeline, shw_inputs_are_wide(&chosen, labeller->pipeline.info->channel_list->input_count),
            width, height));
    for (uint32_t i = 0; i < tiling.columns * tiling.rows; i++) {
        const struct shw_tile tile = shw_tiling_get(&tiling, i);
        SHW_PROPAGATE(shw_pipeline_run(&labeller->pipeline, &tile, &chosen, out));
    }
    return SHW_OK;
}
