/* The regions in which images are processed that are too large to be processed as a whole. */
#include <math.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/label/labeller.h"

uint32_t shw_labeller_margin_of(const struct shw_forest *forest)
{
    return shw_forest_get_reach(forest) + shw_forest_get_info(forest)->channel_list->radius;
}

VkExtent2D shw_labeller_choose_region(const struct shw_labeller_params *params, const struct shw_pipeline *pipeline,
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

bool shw_labeller_tile(const struct shw_labeller *labeller, VkExtent2D image, struct shw_tiling *tiling)
{
    return shw_tiling_make(image.width, image.height, labeller->margin, labeller->pipeline.width,
                           labeller->pipeline.height, tiling);
}

/* The largest regions of a tiling, which serve smaller images, too. */
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
    return shw_labeller_choose_region(&recorded, pipeline, limits, shw_pipeline_buffers_max(pipeline));
}

enum shw_result shw_labeller_choose_recorded(const struct shw_labeller_params *params, struct shw_pipeline *pipeline,
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

enum shw_result shw_labeller_refuse_recorded(const struct shw_labeller_params *params,
                                             const struct shw_pipeline *pipeline, uint32_t margin)
{
    struct shw_tiling_limits limits;
    VkExtent2D region = region_of_tiles(params, pipeline, margin, &limits);

    return shw_fail(&params->log, SHW_ERROR_LIMIT, SHW_LOG_TILING,
                    "the planes of %u x %u pixels exceed the device's storage buffers (maxStorageBufferRange, %u "
                    "bytes), and the tiles that fit, of %u x %u pixels, are too small for a forest with a reach of %u "
                    "pixels, which needs %u x %u: use the technique fragment%s, or a forest with fewer channels, trees "
                    "or classes",
                    params->width, params->height, params->device->properties.limits.maxStorageBufferRange,
                    region.width, region.height, margin, limits.least_width, limits.least_height,
                    params->device->has_graphics ? "" : ", for which the queue family must have graphics");
}
