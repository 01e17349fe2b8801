/* What the technique `auto` comes to. */
#include <shadewood/calibrate.h>

#include "base/log.h"
#include "evaluate/labeller.h"
#include "evaluate/walk_nodes.h"

static uint32_t bit(enum shw_technique technique)
{
    return 1u << (uint32_t)technique;
}

/* Bytes of the larger of the two buffers that compute has of the forest. */
static uint64_t largest_table(const struct shw_labeller_params *params)
{
    struct shw_forest_texture texture = shw_forest_get_texture(params->forest);
    uint32_t trees = params->outputs == SHW_OUTPUT_TREE_LEAF ? 1 : shw_forest_get_info(params->forest)->tree_count;
    uint64_t forest = (uint64_t)texture.width * texture.height * texture.layers;
    uint64_t nodes = shw_walk_nodes_measure(params->forest, trees).texels;

    return 16 * (nodes > forest ? nodes : forest);
}

/* What the device can do with this forest, so that `auto` does not run into a limit that another technique does not
 * have. */
static uint32_t able(const struct shw_labeller_params *params, enum shw_stage stage)
{
    const struct shw_forest_info *info = shw_forest_get_info(params->forest);
    struct shw_forest_texture texture = shw_forest_get_texture(params->forest);
    const VkPhysicalDeviceLimits *limits = &params->device->properties.limits;
    uint32_t layers = info->channel_list->channel_count, techniques = 0;

    if (stage == SHW_STAGE_EVALUATE) {
        layers = texture.layers > layers ? texture.layers : layers;
        layers = info->tree_count > layers ? info->tree_count : layers;
        layers = (params->outputs & SHW_OUTPUT_DISTRIBUTION) != 0 && info->class_count + 3 > layers
                     ? info->class_count + 3
                     : layers;
    }
    if (layers <= limits->maxImageArrayLayers)
        techniques |= bit(SHW_TECHNIQUE_FRAGMENT);
    if (stage != SHW_STAGE_EVALUATE || largest_table(params) <= limits->maxStorageBufferRange)
        techniques |= bit(SHW_TECHNIQUE_COMPUTE);
    return techniques;
}

/* Without a calibration. */
static enum shw_technique usual(const struct shw_labeller_params *params, uint32_t allowed)
{
    bool is_cpu = params->device == NULL || params->device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;

    if (is_cpu && (allowed & bit(SHW_TECHNIQUE_CPU)) != 0)
        return SHW_TECHNIQUE_CPU;
    return (allowed & bit(SHW_TECHNIQUE_FRAGMENT)) != 0 && (allowed & bit(SHW_TECHNIQUE_COMPUTE)) == 0
               ? SHW_TECHNIQUE_FRAGMENT
               : SHW_TECHNIQUE_COMPUTE;
}

void shw_labeller_decide(const struct shw_labeller_params *params, enum shw_technique chosen[SHW_STAGE_COUNT])
{
    enum shw_technique asked[SHW_STAGE_COUNT] = {params->channels, params->integrate, params->evaluate};
    struct shw_calibration_work work = shw_calibration_work_of(params->forest, params->outputs);
    uint32_t allowed[SHW_STAGE_COUNT];

    work.recorded = params->device != NULL && (params->device->own == NULL || params->slots > 0);
    work.width = params->width;
    work.height = params->height;
    work.threads = params->threads;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        if (asked[s] == SHW_TECHNIQUE_CUSTOM)
            asked[s] = shw_custom_form(params->custom[s]);
        allowed[s] = bit(asked[s]);
        if (asked[s] == SHW_TECHNIQUE_AUTO)
            allowed[s] = (params->device != NULL ? able(params, (enum shw_stage)s) : 0) |
                         (work.recorded ? 0 : bit(SHW_TECHNIQUE_CPU));
    }
    if (params->device != NULL && params->calibration != NULL &&
        shw_calibration_choose(params->calibration, &work, allowed, chosen))
        return;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        chosen[s] = asked[s] != SHW_TECHNIQUE_AUTO ? asked[s] : usual(params, allowed[s]);
}

enum shw_result shw_labeller_check_calibration(const struct shw_labeller_params *params)
{
    struct shw_device_description description;

    if (params->device == NULL || params->calibration == NULL)
        return SHW_OK;
    shw_device_describe(params->device, &description);
    if (shw_calibration_fits(params->calibration, &description))
        return SHW_OK;
    return shw_fail(
        &params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
        "the calibration is of another device, another driver or another version: calibrate again, or give none");
}
