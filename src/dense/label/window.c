#include "dense/label/window.h"

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/fill.h"
#include "dense/label/labeller.h"

uint32_t shw_labeller_reach(const struct shw_labeller *labeller)
{
    const struct shw_smooth_windows windows = shw_smooth_windows_of(&labeller->params.smoothing);
    uint32_t reach = labeller->margin; /* with smoothing, if the device does it */

    if (shw_fill_affects(labeller->pipeline.params.fill, labeller->pipeline.info->channel_list))
        return SHW_REACH_ALL;
    if (shw_labeller_smooths_on_host(labeller))
        reach += shw_smooth_reach(&windows);
    if (labeller->below != NULL)
        reach += shw_labeller_reach(labeller->below);
    return shw_min_u32(reach, SHW_REACH_ALL);
}

uint64_t shw_labeller_pixel_bytes(const struct shw_labeller *labeller)
{
    return shw_pipeline_pixel_bytes(&labeller->pipeline) +
           (labeller->below != NULL ? shw_labeller_pixel_bytes(labeller->below) : 0);
}

/* Whether everything within reach is in the window. */
static bool holds(const struct shw_region *window, const struct shw_part *part, uint32_t reach)
{
    const struct shw_pixel_range x =
        shw_within_reach(part->x, shw_part_span(part->width, part->step), reach, window->full_width);
    const struct shw_pixel_range y =
        shw_within_reach(part->y, shw_part_span(part->height, part->step), reach, window->full_height);

    if (reach >= SHW_REACH_ALL && (window->width < window->full_width || window->height < window->full_height))
        return false;
    return x.begin >= window->x && x.end <= window->x + window->width && y.begin >= window->y &&
           y.end <= window->y + window->height;
}

enum shw_result shw_labeller_run_window(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                        const struct shw_region *window, const struct shw_part *part,
                                        const struct shw_labelling *out)
{
    const struct shw_log *log = &labeller->params.log;
    struct shw_input large[SHW_INPUTS_MAX];

    if (inputs->count > SHW_INPUTS_MAX || part->width == 0 || part->height == 0 ||
        !holds(window, part, shw_labeller_reach(labeller)))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the window of %u x %u pixels from (%u, %u) does not have everything within the reach of the "
                        "forest",
                        window->width, window->height, window->x, window->y);
    for (uint32_t i = 0; i < inputs->count; i++) {
        struct shw_image *image = &large[i].image;
        size_t pixel;

        large[i] = inputs->inputs[i];
        SHW_PROPAGATE(shw_image_check(image, log));
        if (image->width != window->width || image->height != window->height)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "an input has %u x %u pixels, the window %u x %u", image->width, image->height,
                            window->width, window->height);
        pixel = shw_pixel_size(image->format);
        image->stride = image->stride > 0 ? image->stride : image->width * pixel;
        /* as an integer, since the image's first pixel may not be there */
        image->pixels = (const void *)((uintptr_t)image->pixels - window->y * image->stride - window->x * pixel);
        image->width = window->full_width;
        image->height = window->full_height;
    }
    return shw_labeller_run_large(labeller, &(struct shw_inputs){inputs->count, large}, part, out);
}
