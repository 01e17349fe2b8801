#include "detection/detect/detector.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "detection/detect/group.h"
#include "vulkan/device.h"

/* On a device other than a CPU, AUTO is the first that can do what is asked. */
static const struct shw_detect_technique *const techniques[] = {&shw_detect_compute, &shw_detect_cpu,
                                                                &shw_detect_fragment};
#define COUNT (sizeof techniques / sizeof *techniques)

const char *const shw_detect_variant_names[SHW_DETECT_VARIANT_COUNT + 1] = {[SHW_DETECT_BEST] = "best",
                                                                            [SHW_DETECT_GLOBAL] = "global",
                                                                            [SHW_DETECT_SHARED] = "shared",
                                                                            [SHW_DETECT_MIPMAP] = "mipmap",
                                                                            [SHW_DETECT_REGROUP] = "regroup"};

const char *shw_detect_variant_name(enum shw_detect_variant variant)
{
    return (uint32_t)variant < SHW_DETECT_VARIANT_COUNT ? shw_detect_variant_names[variant] : NULL;
}

static const struct shw_detect_technique *find_technique(enum shw_technique id)
{
    for (uint32_t t = 0; t < COUNT; t++)
        if (techniques[t]->id == id)
            return techniques[t];
    return NULL;
}

static enum shw_result refuse(const struct shw_log *log, const char *what)
{
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a detector: %s", what);
}

static enum shw_result check_technique(const struct shw_detector_params *params)
{
    const struct shw_log *log = &params->log;
    enum shw_technique asked = params->technique;

    if (asked == SHW_TECHNIQUE_AUTO)
        return SHW_OK;
    if (find_technique(asked) == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a detector: the technique %s is not for detection",
                        shw_technique_name(asked) != NULL ? shw_technique_name(asked) : "asked for");
    if (params->device == NULL && shw_technique_needs_device(asked))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a detector: the technique %s needs a device",
                        shw_technique_name(asked));
    return find_technique(asked)->check(params, log);
}

static enum shw_result check_params(const struct shw_detector_params *params)
{
    const struct shw_log *log = &params->log;

    if (params->cascade == NULL)
        return refuse(log, "a cascade is missing");
    if (shw_detect_variant_name(params->variant) == NULL)
        return refuse(log, "`variant` is not a value of shw_detect_variant");
    if (params->width > SHW_IMAGE_SIZE_MAX || params->height > SHW_IMAGE_SIZE_MAX ||
        (params->width == 0) != (params->height == 0))
        return refuse(log, "width and height must both be zero or at most 65535");
    SHW_PROPAGATE(shw_slots_check(params->slots, log));
    if (params->regroup_count > SHW_DETECT_REGROUP_MAX || (params->regroup_count > 0 && params->regroup == NULL))
        return refuse(log, "regroup can have at most 8 stages");
    for (uint32_t r = 0; r < params->regroup_count; r++)
        if (params->regroup[r] <= (r > 0 ? params->regroup[r - 1] : 0))
            return refuse(log, "the stages in regroup must increase, from 1 on");
    return check_technique(params);
}

/* The technique is checked unless it is AUTO. */
static const struct shw_detect_technique *choose(const struct shw_detector_params *params)
{
    if (params->technique != SHW_TECHNIQUE_AUTO)
        return find_technique(params->technique);
    if (params->device != NULL && params->device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
        for (uint32_t t = 0; t < COUNT; t++)
            if (techniques[t]->check(params, NULL) == SHW_OK)
                return techniques[t];
    return &shw_detect_cpu;
}

/* Copies what the parameters point to. */
static enum shw_result take_params(const struct shw_detector_params *params, struct shw_detector *detector)
{
    struct shw_detector_params *own = &detector->params;

    *own = *params;
    SHW_PROPAGATE(shw_scan_resolve(params->cascade, &params->log, &own->scan));
    memcpy(detector->angles, own->scan.angles, own->scan.angle_count * sizeof *detector->angles);
    own->scan.angles = detector->angles;
    if (params->regroup_count > 0)
        memcpy(detector->regroup, params->regroup, params->regroup_count * sizeof *detector->regroup);
    own->regroup = params->regroup_count > 0 ? detector->regroup : NULL;
    if (own->slots == 0)
        own->slots = 1;
    return SHW_OK;
}

enum shw_result shw_detector_create_abi(uint32_t abi, const struct shw_detector_params *params,
                                        struct shw_detector **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_detector *detector;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_params(params));
    detector = calloc(1, sizeof *detector);
    if (detector == NULL)
        return shw_fail_memory(&params->log, "a detector");
    SHW_TRY(take_params(params, detector));
    atomic_init(&detector->interrupted, false);
    detector->technique = choose(&detector->params);
    SHW_TRY(detector->technique->check(&detector->params, &params->log));
    shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "detection by %s",
                    shw_technique_name(detector->technique->id));
    SHW_TRY(detector->technique->create(&detector->params, &detector->state));
    *out = detector;
    return SHW_OK;

fail:
    shw_detector_destroy(&detector);
    return result;
}

void shw_detector_destroy(struct shw_detector **handle)
{
    struct shw_detector *detector = handle != NULL ? *handle : NULL;

    if (detector == NULL)
        return;
    if (detector->state != NULL)
        detector->technique->destroy(detector->state);
    free(detector);
    *handle = NULL;
}

enum shw_technique shw_detector_get_technique(const struct shw_detector *detector)
{
    return detector != NULL ? detector->technique->id : SHW_TECHNIQUE_AUTO;
}

uint64_t shw_detector_count_windows(const struct shw_detector *detector, uint32_t width, uint32_t height)
{
    struct shw_detect_plan plan = {0};
    uint64_t count = 0;

    if (detector == NULL || width == 0 || height == 0 || width > SHW_IMAGE_SIZE_MAX || height > SHW_IMAGE_SIZE_MAX ||
        shw_detect_plan_make(detector->params.cascade, &detector->params.scan, width, height, &detector->params.log,
                             &plan) != SHW_OK)
        return 0;
    for (uint32_t a = 0; a < detector->params.scan.angle_count; a++)
        count += detector->params.scan.angles[a] == 0 ? plan.window_count : plan.turned_window_count;
    shw_detect_plan_free(&plan);
    return count;
}

static enum shw_result check_image(const struct shw_detector *detector, const struct shw_image *image)
{
    const struct shw_detector_params *params = &detector->params;

    SHW_PROPAGATE(shw_image_check(image, &params->log));
    if (shw_pixel_is_deep(image->format))
        return refuse(&params->log, "images with more than 16 bits a sample are depth, not colours");
    if (params->width > 0 && (image->width > params->width || image->height > params->height))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an image of %u x %u is larger than the detector's %u x %u", image->width, image->height,
                        params->width, params->height);
    return SHW_OK;
}

void shw_detector_interrupt(struct shw_detector *detector)
{
    if (detector == NULL)
        return;
    atomic_store_explicit(&detector->interrupted, true, memory_order_relaxed);
    if (detector->technique->interrupt != NULL)
        detector->technique->interrupt(detector->state);
}

static enum shw_result check_interruption(const struct shw_detector *detector)
{
    return atomic_load_explicit(&detector->interrupted, memory_order_relaxed)
               ? shw_fail(&detector->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "detection was interrupted")
               : SHW_OK;
}

enum shw_result shw_detector_run(struct shw_detector *detector, const struct shw_image *image,
                                 struct shw_detections *found)
{
    SHW_REFUSE_NULL(NULL, detector);
    SHW_REFUSE_NULL(&detector->params.log, image);
    SHW_REFUSE_NULL(&detector->params.log, found);

    struct shw_detections made = {0};
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_image(detector, image));
    SHW_PROPAGATE(check_interruption(detector));
    SHW_TRY(detector->technique->run(detector->state, image, &made));
    SHW_TRY(check_interruption(detector));
    shw_detections_sort_windows(made.items, made.count);
    *found = made;
    return SHW_OK;

fail:
    free(made.items);
    return result;
}

enum shw_result shw_detector_get_survivors(const struct shw_detector *detector, uint64_t *survivors, uint32_t count)
{
    SHW_REFUSE_NULL(NULL, detector);
    SHW_REFUSE_NULL(&detector->params.log, survivors);

    if (detector->technique->get_survivors == NULL)
        return shw_fail(&detector->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the technique %s does not count survivors: use cpu",
                        shw_technique_name(detector->technique->id));
    if (count != shw_cascade_get_info(detector->params.cascade)->stage_count + 1)
        return refuse(&detector->params.log, "`survivors` must have one number more than there are stages");
    detector->technique->get_survivors(detector->state, survivors);
    return SHW_OK;
}

enum shw_result shw_detector_record(struct shw_detector *detector, VkCommandBuffer commands, uint32_t slot,
                                    const struct shw_image_use *image, const struct shw_detect_target *target)
{
    SHW_REFUSE_NULL(NULL, detector);
    SHW_REFUSE_NULL(&detector->params.log, commands);
    SHW_REFUSE_NULL(&detector->params.log, image);
    SHW_REFUSE_NULL(&detector->params.log, target);

    const struct shw_detector_params *params = &detector->params;

    if (detector->technique->record == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the technique %s does not record: use compute or fragment",
                        shw_technique_name(detector->technique->id));
    if (params->width == 0 || slot >= params->slots)
        return refuse(&params->log, "recording needs width and height, and a slot below `slots`");
    if (image->extent.width > params->width || image->extent.height > params->height)
        return refuse(&params->log, "the image is larger than the detector's width and height");
    return detector->technique->record(detector->state, commands, slot, image, target);
}
