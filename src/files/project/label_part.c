#include "files/project/label_part.h"

#include <stdlib.h>

#include "base/image.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/channels/fill.h"
#include "dense/feature/evaluate_cpu.h"
#include "dense/feature/feature_code.h"
#include "dense/input/inputs.h"
#include "dense/integrate/integral.h"

/* What is processed: the rectangle and what the forest sees around it, in the example. */
static struct shw_rect look_around(const struct shw_forest *forest, const struct shw_image *image, struct shw_rect rect)
{
    int64_t margin = (int64_t)shw_forest_get_reach(forest) + shw_forest_get_info(forest)->channel_list->radius;
    int64_t x0 = rect.x0 - margin, y0 = rect.y0 - margin, x1 = rect.x1 + margin, y1 = rect.y1 + margin;

    return (struct shw_rect){x0 > 0 ? (int32_t)x0 : 0, y0 > 0 ? (int32_t)y0 : 0,
                             x1 < image->width ? (int32_t)x1 : (int32_t)image->width,
                             y1 < image->height ? (int32_t)y1 : (int32_t)image->height};
}

static struct shw_region place(const struct shw_labelled_image *example, struct shw_rect rect)
{
    const struct shw_picture_part *part = &example->part;
    bool whole = part->full_width == 0;

    return (struct shw_region){.width = (uint32_t)(rect.x1 - rect.x0),
                               .height = (uint32_t)(rect.y1 - rect.y0),
                               .x = part->x + (uint32_t)rect.x0,
                               .y = part->y + (uint32_t)rect.y0,
                               .full_width = whole ? example->image.width : part->full_width,
                               .full_height = whole ? example->image.height : part->full_height};
}

/* The planes that the forest reads, to be freed with free(). NULL: out of memory. */
static void *make_planes(const struct shw_forest_info *info, const struct shw_labelled_image *example,
                         const struct shw_chosen_inputs *chosen, struct shw_rect rect, struct shw_thread_pool *pool)
{
    const struct shw_channel_list *list = info->channel_list;
    struct shw_channel_images images = shw_inputs_images(chosen);
    struct shw_region region = place(example, rect);
    size_t pixels = (size_t)region.width * region.height;
    struct shw_image pieces[SHW_INPUTS_MAX];
    int16_t *channels = malloc(pixels * list->channel_count * sizeof *channels + sizeof(uint32_t));
    uint32_t *integrals = NULL;

    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        if (images.of[i] != NULL) {
            pieces[i] = shw_image_part(images.of[i], (uint32_t)rect.x0, (uint32_t)rect.y0, region.width, region.height);
            images.of[i] = &pieces[i];
        }
    if (channels == NULL || shw_channels_cpu(list, &images, &region, channels, pool) != SHW_OK) {
        free(channels);
        return NULL;
    }
    if (info->feature->reads != SHW_FEATURE_READS_INTEGRALS)
        return channels;
    integrals =
        malloc(((size_t)region.width + 1) * ((size_t)region.height + 1) * list->channel_count * sizeof *integrals);
    if (integrals != NULL)
        shw_integrate_cpu(channels, region.width, region.height, list->channel_count, integrals, pool);
    free(channels);
    return integrals;
}

enum shw_result shw_label_part(const struct shw_forest *forest, const struct shw_labelled_image *example,
                               struct shw_rect rect, struct shw_thread_pool *pool, const struct shw_log *log,
                               uint16_t *classes)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_rect seen = look_around(forest, &example->image, rect);
    struct shw_evaluate_tile tile = {.forest = forest,
                                     .width = (uint32_t)(seen.x1 - seen.x0),
                                     .height = (uint32_t)(seen.y1 - seen.y0),
                                     .image = {0, 0, seen.x1 - seen.x0, seen.y1 - seen.y0},
                                     .x = (uint32_t)(rect.x0 - seen.x0),
                                     .y = (uint32_t)(rect.y0 - seen.y0),
                                     .tile_width = (uint32_t)(rect.x1 - rect.x0),
                                     .tile_height = (uint32_t)(rect.y1 - rect.y0),
                                     .step = 1,
                                     .out_width = (uint32_t)(rect.x1 - rect.x0),
                                     .out_height = (uint32_t)(rect.y1 - rect.y0),
                                     .out.argmax = classes};
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_chosen_inputs chosen;
    struct shw_filled_input filled = {0};
    uint32_t depth = shw_fill_input(info->channel_list);
    void *planes;
    enum shw_result result;

    SHW_PROPAGATE(shw_inputs_choose_example(example, info->channel_list, log, inputs, &chosen));
    if (shw_fill_affects(info->fill, info->channel_list)) {
        if (shw_filled_input_make(info->fill, chosen.of[depth], seen, &filled) != SHW_OK) {
            shw_filled_input_free(&filled);
            return shw_fail_memory(log, example->name);
        }
        chosen.of[depth] = &filled.input;
    }
    planes = make_planes(info, example, &chosen, seen, pool);
    tile.planes = planes;
    result = planes != NULL ? shw_evaluate_cpu(&tile, pool) : SHW_ERROR_MEMORY;
    free(planes);
    shw_filled_input_free(&filled);
    return result == SHW_OK ? SHW_OK : shw_fail_memory(log, example->name);
}
