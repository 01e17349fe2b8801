#include "dense/label/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/posterior.h"

#define SIDE_MIN 64u /* pixels of a tile, whatever memory there is */

/* The parameters of the level below. */
static struct shw_labeller_params params_below(const struct shw_labeller *labeller,
                                               const struct shw_labeller_params *above)
{
    struct shw_labeller_params params = {.forest = shw_forest_get_info(above->forest)->below,
                                         .device = above->device,
                                         .outputs = SHW_OUTPUT_DISTRIBUTION,
                                         .channels = above->channels,
                                         .integrate = above->integrate,
                                         .evaluate = above->evaluate,
                                         .fill = above->fill,
                                         .threads = above->threads,
                                         .memory = above->memory,
                                         .calibration = above->calibration,
                                         .log = above->log};

    memcpy(params.custom, above->custom, sizeof params.custom);
    if (shw_labeller_records(labeller)) {
        params.width = above->width;
        params.height = above->height;
        params.slots = above->slots;
        params.scratch_per_slot = above->scratch_per_slot;
        params.room = above->room;
    }
    return params;
}

static struct shw_level_link link_of(const struct shw_labeller *labeller)
{
    if (!shw_labeller_on_device(labeller))
        return (struct shw_level_link){0};
    return (struct shw_level_link){shw_posterior_count(labeller->pipeline.info->channel_list),
                                   shw_pipeline_source_use(&labeller->pipeline)};
}

enum shw_result shw_levels_begin(struct shw_labeller *labeller, const struct shw_labeller_params *above)
{
    const struct shw_labeller_params params = params_below(labeller, above);
    const struct shw_level_link link = link_of(labeller);

    if (params.forest == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_labeller_create_level(&params, &link, &labeller->below));
    labeller->pipeline.params.below = &labeller->below->pipeline;
    return SHW_OK;
}

enum shw_result shw_levels_add_memory(const struct shw_labeller *labeller, const struct shw_labeller_params *above,
                                      struct shw_labeller_memory *memory)
{
    const struct shw_labeller_params params = params_below(labeller, above);
    const struct shw_level_link link = link_of(labeller);
    struct shw_labeller_memory below;

    if (params.forest == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_labeller_get_level_memory(&params, &link, &below));
    memory->bytes += below.bytes;
    memory->device_bytes += below.device_bytes;
    memory->mapped_bytes += below.mapped_bytes;
    memory->allocations += below.allocations;
    memory->custom_bytes += below.custom_bytes;
    return SHW_OK;
}

struct shw_chosen_inputs shw_levels_inputs(const struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen)
{
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    const struct shw_channel_list *below = labeller->below->pipeline.info->channel_list;
    struct shw_chosen_inputs inputs = {{NULL}};

    for (uint32_t i = 0; i < below->input_count; i++)
        for (uint32_t own = 0; own < list->input_count; own++)
            if (strcmp(list->inputs[own], below->inputs[i]) == 0 && !shw_posterior_is_name(below->inputs[i]))
                inputs.of[i] = chosen->of[own];
    return inputs;
}

/* On the device. */

struct linked {
    struct shw_labeller *labeller;
    struct shw_chosen_inputs chosen;
    struct shw_tile tile;
};

/* The tile of each level, from the uppermost one on; 0: some level is not on the device, or needs several. */
static uint32_t link_levels(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                            const struct shw_part *part, struct linked levels[SHW_LEVELS_MAX])
{
    const struct shw_image *image = &chosen->of[0]->image;
    struct shw_part wanted = *part;
    uint32_t count = 0;

    levels[0].chosen = *chosen;
    for (; labeller != NULL; labeller = labeller->below) {
        struct linked *level = &levels[count++];
        const struct shw_region *region = &level->tile.region;
        level->labeller = labeller;
        if (!shw_labeller_on_device(labeller) || !shw_labeller_one_tile(labeller, image, &wanted, &level->tile))
            return 0;
        wanted = (struct shw_part){region->x, region->y, region->width, region->height, 1};
        if (labeller->below != NULL)
            levels[count].chosen = shw_levels_inputs(labeller, &level->chosen);
    }
    for (uint32_t l = 0; l < count; l++) { /* all levels have their memory at once */
        const struct shw_region *region = &levels[l].tile.region;
        if (shw_pipeline_region_pixels(&levels[l].labeller->pipeline, region->width, region->height) * count >
            shw_pipeline_region_max(&levels[l].labeller->pipeline))
            return 0;
    }
    return count;
}

static uint32_t links_of(uint32_t level, uint32_t count)
{
    return (level + 1 < count ? SHW_PIPELINE_AFTER_BELOW : 0u) | (level > 0 ? SHW_PIPELINE_BEFORE_ABOVE : 0u);
}

static enum shw_result run_linked(struct linked levels[], uint32_t count, const struct shw_labelling *out)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    enum shw_result result = SHW_OK;

    for (uint32_t l = 0; l < count; l++) {
        struct shw_pipeline *pipeline = &levels[l].labeller->pipeline;
        const struct shw_region *region = &levels[l].tile.region;
        SHW_PROPAGATE(
            shw_pipeline_prepare(pipeline, &levels[l].chosen, region->width, region->height, links_of(l, count)));
    }
    for (uint32_t l = count; l-- > 0 && result == SHW_OK;)
        result = shw_pipeline_run_linked(&levels[l].labeller->pipeline, links_of(l, count), &commands, &levels[l].tile,
                                         &levels[l].chosen, l == 0 ? out : NULL);
    for (uint32_t l = 0; l < count && result != SHW_OK; l++)
        shw_pipeline_forget(&levels[l].labeller->pipeline);
    return result;
}

/* On the host. */

/* What the level below reads of the inputs. */
static struct shw_inputs inputs_below(const struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                      struct shw_input inputs[SHW_INPUTS_MAX])
{
    const struct shw_chosen_inputs below = shw_levels_inputs(labeller, chosen);
    const struct shw_channel_list *list = labeller->below->pipeline.info->channel_list;
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->input_count; i++)
        if (below.of[i] != NULL) {
            inputs[count] = *below.of[i];
            inputs[count++].name = list->inputs[i];
        }
    return (struct shw_inputs){count, inputs};
}

static struct shw_rect surround(const struct shw_part *part, uint32_t reach, const struct shw_image *image)
{
    const struct shw_pixel_range x =
        shw_within_reach(part->x, shw_part_span(part->width, part->step), reach, image->width);
    const struct shw_pixel_range y =
        shw_within_reach(part->y, shw_part_span(part->height, part->step), reach, image->height);

    return (struct shw_rect){(int32_t)x.begin, (int32_t)y.begin, (int32_t)x.end, (int32_t)y.end};
}

/* What the level below says in a rectangle. */
static enum shw_result ask_below(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                 struct shw_rect rect, struct shw_posteriors *posteriors)
{
    const struct shw_image *image = &chosen->of[0]->image;
    const uint32_t classes = labeller->below->pipeline.info->class_count;
    const struct shw_part part = {(uint32_t)rect.x0, (uint32_t)rect.y0, (uint32_t)(rect.x1 - rect.x0),
                                  (uint32_t)(rect.y1 - rect.y0), 1};
    uint16_t *distribution = malloc((size_t)classes * part.width * part.height * sizeof *distribution);
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_inputs below = inputs_below(labeller, chosen, inputs);
    enum shw_result result;

    if (distribution == NULL)
        return shw_fail_memory(&labeller->params.log, "the distributions of the level below");
    result =
        shw_labeller_run_large(labeller->below, &below, &part, &(struct shw_labelling){.distribution = distribution});
    if (result == SHW_OK &&
        shw_posteriors_make(distribution, classes, rect, image->width, image->height, posteriors) != SHW_OK)
        result = shw_fail_memory(&labeller->params.log, "the distributions of the level below");
    free(distribution);
    return result;
}

static enum shw_result run_tile(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                const struct shw_part *part, uint32_t reach, const struct shw_labelling *out,
                                shw_level_run *run)
{
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    struct shw_chosen_inputs all = *chosen;
    struct shw_posteriors posteriors = {0};
    enum shw_result result;

    SHW_PROPAGATE(ask_below(labeller, chosen, surround(part, reach, &chosen->of[0]->image), &posteriors));
    for (uint32_t p = 0; p < posteriors.count; p++)
        for (uint32_t i = 0; i < list->input_count; i++)
            if (strcmp(list->inputs[i], posteriors.inputs[p].name) == 0)
                all.of[i] = &posteriors.inputs[p];
    result = run(labeller, &all, part, out);
    shw_posteriors_free(&posteriors);
    return result;
}

/* Planes of a tile and of the part, of elements of `size` bytes. */
struct planes {
    void *whole, *tile;
    size_t size;
    uint32_t count;
};

/* Copies a tile, which begins at (x, y), into its place. */
static void place(const struct planes *planes, const struct shw_part *part, uint32_t x, uint32_t y,
                  const struct shw_part *tile)
{
    for (uint32_t p = 0; planes->whole != NULL && p < planes->count; p++)
        for (uint32_t row = 0; row < tile->height; row++)
            memcpy((char *)planes->whole + planes->size * (((size_t)p * part->height + y + row) * part->width + x),
                   (const char *)planes->tile + planes->size * ((size_t)p * tile->height + row) * tile->width,
                   planes->size * tile->width);
}

/* Labels tiles of so many elements in width and height into planes of their own. */
static enum shw_result run_tiles(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                 const struct shw_part *part, uint32_t reach, const struct shw_labelling *out,
                                 shw_level_run *run, uint32_t side)
{
    const struct shw_forest_info *info = labeller->pipeline.info;
    const size_t elements = (size_t)shw_min_u32(side, part->width) * shw_min_u32(side, part->height);
    struct planes planes[] = {{out->tree_leaf, NULL, sizeof(uint32_t), 1},
                              {out->forest_leaves, NULL, sizeof(uint32_t), info->tree_count},
                              {out->distribution, NULL, sizeof(uint16_t), info->class_count},
                              {out->argmax, NULL, sizeof(uint16_t), 1}};
    const size_t kinds = sizeof planes / sizeof *planes;
    enum shw_result result = SHW_OK;

    for (size_t k = 0; k < kinds && result == SHW_OK; k++)
        if (planes[k].whole != NULL && (planes[k].tile = malloc(elements * planes[k].size * planes[k].count)) == NULL)
            result = shw_fail_memory(&labeller->params.log, "a tile");
    for (uint32_t y = 0; y < part->height && result == SHW_OK; y += side)
        for (uint32_t x = 0; x < part->width && result == SHW_OK; x += side) {
            const struct shw_part tile = {part->x + x * part->step, part->y + y * part->step,
                                          shw_min_u32(side, part->width - x), shw_min_u32(side, part->height - y),
                                          part->step};
            result =
                run_tile(labeller, chosen, &tile, reach,
                         &(struct shw_labelling){planes[0].tile, planes[1].tile, planes[2].tile, planes[3].tile}, run);
            for (size_t k = 0; k < kinds && result == SHW_OK; k++)
                place(&planes[k], part, x, y, &tile);
        }
    for (size_t k = 0; k < kinds; k++)
        free(planes[k].tile);
    return result;
}

enum shw_result shw_levels_run(struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                               const struct shw_part *part, uint32_t reach, const struct shw_labelling *out,
                               shw_level_run *run)
{
    const struct shw_image *image = &chosen->of[0]->image;
    const struct shw_rect rect = surround(part, reach, image);
    const uint32_t classes = labeller->below->pipeline.info->class_count;
    const uint64_t bytes = shw_pipeline_host_bytes(&labeller->pipeline);
    const uint64_t pixels = bytes / (sizeof(uint16_t) * classes + shw_posterior_bytes(classes));
    struct linked levels[SHW_LEVELS_MAX];
    const uint32_t count = link_levels(labeller, chosen, part, levels);
    uint32_t side;

    if (count > 0)
        return run_linked(levels, count, out);
    if ((uint64_t)(rect.x1 - rect.x0) * (uint64_t)(rect.y1 - rect.y0) <= pixels ||
        reach >= shw_max_u32(image->width, image->height))
        return run_tile(labeller, chosen, part, reach, out, run);
    side = shw_max_u32((uint32_t)sqrt((double)pixels), 2 * reach + SIDE_MIN) - 2 * reach;
    return run_tiles(labeller, chosen, part, reach, out, run, side / part->step + 1);
}
