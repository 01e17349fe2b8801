#include "dense/pipeline/registry.h"

#include "base/log.h"
#include "dense/channels/channels_stage.h"
#include "dense/integrate/integral.h"
#include "dense/means/means.h"
#include "dense/stage/passes.h"
#include "dense/traverse/evaluate_stage.h"
#include "vulkan/device.h"

#define PASSES(technique)                                                                                              \
    {                                                                                                                  \
        technique, shw_passes_add                                                                                      \
    }
#define EVALUATION(technique)                                                                                          \
    {                                                                                                                  \
        technique, shw_evaluate_stage_add                                                                              \
    }

/* [stage][technique] */
static const struct shw_pipeline_technique ours[SHW_STAGE_COUNT][SHW_TECHNIQUE_COUNT] = {
    [SHW_STAGE_CHANNELS] = {[SHW_TECHNIQUE_CPU] = {&shw_channels_cpu_technique, NULL},
                            [SHW_TECHNIQUE_FRAGMENT] = PASSES(&shw_channels_fragment_technique),
                            [SHW_TECHNIQUE_COMPUTE] = PASSES(&shw_channels_compute_technique)},
    [SHW_STAGE_INTEGRATE] = {[SHW_TECHNIQUE_CPU] = {&shw_integral_cpu_technique, NULL},
                             [SHW_TECHNIQUE_FRAGMENT] = PASSES(&shw_integral_fragment_technique),
                             [SHW_TECHNIQUE_COMPUTE] = PASSES(&shw_integral_compute_technique)},
    [SHW_STAGE_EVALUATE] = {[SHW_TECHNIQUE_CPU] = {&shw_evaluate_cpu_technique, NULL},
                            [SHW_TECHNIQUE_FRAGMENT] = EVALUATION(&shw_evaluate_fragment_technique),
                            [SHW_TECHNIQUE_COMPUTE] = EVALUATION(&shw_evaluate_compute_technique)},
};

/* Of `integrate`: the technique, and that which makes mean planes in the same form, of those that fit (NULL: all). The
 * techniques of `evaluate` of these forms read them. */
static const struct {
    const struct shw_stage_technique *integrals, *means;
    bool (*fits)(const struct shw_device *device, const struct shw_means *means);
} with_means[] = {
    {&shw_integral_cpu_technique, &shw_means_cpu_technique, NULL},
    {&shw_integral_compute_technique, &shw_means_compute_technique, shw_means_compute_fits},
};

const struct shw_stage_technique *shw_registry_find_means(const struct shw_stage_technique *technique)
{
    for (size_t i = 0; i < sizeof with_means / sizeof *with_means; i++)
        if (with_means[i].integrals == technique)
            return with_means[i].means;
    return NULL;
}

bool shw_registry_fits_means(const struct shw_stage_technique *technique, const struct shw_device *device,
                             const struct shw_means *means)
{
    for (size_t i = 0; i < sizeof with_means / sizeof *with_means; i++)
        if (with_means[i].integrals == technique)
            return with_means[i].fits == NULL || with_means[i].fits(device, means);
    return false;
}

bool shw_registry_reads_means(const struct shw_stage_technique *technique)
{
    return technique == &shw_evaluate_cpu_technique || technique == &shw_evaluate_compute_technique;
}

/* On a device other than a CPU, the fastest first. */
static const enum shw_technique usual[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_CPU};

struct shw_pipeline_technique shw_registry_find(enum shw_stage stage, enum shw_technique technique)
{
    return (uint32_t)stage < SHW_STAGE_COUNT && (uint32_t)technique < SHW_TECHNIQUE_COUNT
               ? ours[stage][technique]
               : (struct shw_pipeline_technique){NULL, NULL};
}

const struct shw_stage_technique *shw_registry_get(enum shw_stage stage, enum shw_technique technique)
{
    return shw_registry_find(stage, technique).technique;
}

enum shw_technique shw_registry_of_form(enum shw_planes_form form)
{
    for (uint32_t t = 0; t < SHW_TECHNIQUE_COUNT; t++)
        if (ours[0][t].technique != NULL && ours[0][t].technique->form == form)
            return (enum shw_technique)t;
    return SHW_TECHNIQUE_AUTO;
}

bool shw_technique_needs_device(enum shw_technique technique)
{
    return technique == SHW_TECHNIQUE_FRAGMENT || technique == SHW_TECHNIQUE_COMPUTE ||
           technique == SHW_TECHNIQUE_BLEND;
}

bool shw_technique_is_host(enum shw_technique technique)
{
    return technique == SHW_TECHNIQUE_CPU;
}

/* Image layers are written by fragment shaders. */
static bool lacks_graphics(const struct shw_device *device, const struct shw_stage_technique *technique)
{
    return device != NULL && technique->form == SHW_PLANES_IMAGE && !device->has_graphics;
}

static enum shw_result refuse_queue(const struct shw_device *device, const char *name, const struct shw_log *log)
{
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "the technique %s needs a queue family with graphics, which family %u lacks: use the technique "
                    "compute",
                    name, device->queue_family);
}

static enum shw_result check_custom(const struct shw_registry_choice *choice, const struct shw_device *device,
                                    const struct shw_log *log)
{
    const struct shw_stage_technique *custom = choice->custom;

    SHW_PROPAGATE(shw_stage_technique_check(custom, log));
    if (custom->stage != choice->stage)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s is not for the stage %s",
                        custom->name, shw_stage_name(choice->stage));
    if (device == NULL && custom->form != SHW_PLANES_HOST)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s needs a device", custom->name);
    return lacks_graphics(device, custom) ? refuse_queue(device, custom->name, log) : SHW_OK;
}

enum shw_result shw_registry_check(const struct shw_registry_choice *choice, const struct shw_device *device,
                                   const struct shw_log *log)
{
    enum shw_technique asked = choice->asked;

    if (shw_technique_name(asked) == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no technique %d", (int)asked);
    if ((choice->custom != NULL) != (asked == SHW_TECHNIQUE_CUSTOM))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the technique custom, and one in `custom`, must be given together",
                        shw_stage_name(choice->stage));
    if (choice->custom != NULL)
        return check_custom(choice, device, log);
    if (asked == SHW_TECHNIQUE_AUTO)
        return SHW_OK;
    if (shw_registry_get(choice->stage, asked) == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s is not for the stage %s",
                        shw_technique_name(asked), shw_stage_name(choice->stage));
    if (device == NULL && shw_technique_needs_device(asked))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s needs a device",
                        shw_technique_name(asked));
    return lacks_graphics(device, shw_registry_get(choice->stage, asked))
               ? refuse_queue(device, shw_technique_name(asked), log)
               : SHW_OK;
}

/* Layers of the images that the stage reads and writes. */
static uint32_t layers_of(const struct shw_registry_use *use, enum shw_stage stage)
{
    const struct shw_forest_info *info = shw_forest_get_info(use->forest);
    uint32_t layers = info->channel_list->channel_count, evaluated = shw_evaluate_layers(use->forest, use->outputs);

    return stage == SHW_STAGE_EVALUATE && evaluated > layers ? evaluated : layers;
}

static bool is_able(const struct shw_registry_use *use, const struct shw_stage_technique *technique)
{
    const VkPhysicalDeviceLimits *limits;

    if (technique->form == SHW_PLANES_HOST)
        return !use->recorded;
    if (use->device == NULL || lacks_graphics(use->device, technique))
        return false;
    limits = &use->device->properties.limits;
    if (technique->form == SHW_PLANES_IMAGE)
        return layers_of(use, technique->stage) <= limits->maxImageArrayLayers;
    return technique->stage != SHW_STAGE_EVALUATE ||
           shw_evaluate_fits(use->forest, use->outputs, limits->maxStorageBufferRange);
}

uint32_t shw_registry_allow(const struct shw_registry_choice *choice, const struct shw_registry_use *use)
{
    uint32_t allowed = 0;

    if (choice->custom != NULL)
        return 1u << (uint32_t)shw_registry_of_form(choice->custom->form);
    if (choice->asked != SHW_TECHNIQUE_AUTO)
        return 1u << (uint32_t)choice->asked;
    for (uint32_t t = 0; t < SHW_TECHNIQUE_COUNT; t++)
        if (ours[choice->stage][t].technique != NULL && is_able(use, ours[choice->stage][t].technique))
            allowed |= 1u << t;
    return allowed;
}

enum shw_technique shw_registry_usual(uint32_t allowed, const struct shw_device *device)
{
    bool is_cpu = device == NULL || device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;

    if (is_cpu && (allowed >> (uint32_t)SHW_TECHNIQUE_CPU & 1) != 0)
        return SHW_TECHNIQUE_CPU;
    for (size_t u = 0; u < sizeof usual / sizeof *usual; u++)
        if ((allowed >> (uint32_t)usual[u] & 1) != 0)
            return usual[u];
    return usual[0];
}
