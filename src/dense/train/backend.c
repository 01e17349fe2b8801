/* The list of back ends, and the choice of one for a training. */
#include "dense/train/backend.h"

#include <stddef.h>

#include <shadewood/calibrate.h>

#include "base/log.h"
#include "vulkan/device.h"

/* Without a calibration, AUTO takes the first that records on devices and the first that does not on hosts. */
static const struct shw_train_backend *const backends[] = {
    &shw_train_backend_cpu,
    &shw_train_backend_compute,
    &shw_train_backend_blend,
};

#define BACKEND_COUNT (sizeof backends / sizeof *backends)

static const struct shw_train_backend *find(enum shw_technique technique)
{
    for (size_t i = 0; i < BACKEND_COUNT; i++)
        if (backends[i]->technique == technique)
            return backends[i];
    return NULL;
}

static const char *find_missing(const struct shw_train_backend *backend, const struct shw_device_description *device)
{
    return backend->find_missing != NULL ? backend->find_missing(device) : NULL;
}

/* Resolves AUTO. An imported device is for recording. */
static enum shw_technique choose(const struct shw_trainer_params *params, const struct shw_device_description *device)
{
    bool imported = params->device != NULL && params->device->own == NULL, recorded = imported || !device->is_cpu;
    enum shw_technique best = SHW_TECHNIQUE_AUTO;
    uint32_t allowed = 0;

    for (size_t i = 0; i < BACKEND_COUNT; i++)
        if ((backends[i]->record != NULL || !imported) && find_missing(backends[i], device) == NULL)
            allowed |= 1u << backends[i]->technique;
    if (params->device != NULL && params->calibration != NULL)
        best = shw_calibration_choose_training(params->calibration, allowed);
    for (size_t i = 0; i < BACKEND_COUNT && best == SHW_TECHNIQUE_AUTO; i++)
        if ((backends[i]->record != NULL) == recorded)
            best = backends[i]->technique;
    return best;
}

enum shw_result shw_train_backend_choose(struct shw_trainer_params *params, const struct shw_train_backend **backend)
{
    struct shw_device_description description = {.is_cpu = true};
    const char *missing;

    if (params->device != NULL)
        shw_device_describe(params->device, &description);
    if (params->device != NULL && params->calibration != NULL &&
        !shw_calibration_fits(params->calibration, &description))
        return shw_fail(
            &params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
            "the calibration is of another device, another driver or another version: calibrate again, or pass NULL");
    if (params->technique == SHW_TECHNIQUE_AUTO)
        params->technique = choose(params, &description);
    params->calibration = NULL; /* valid only during creation */
    if (params->work_max == 0)
        params->work_max = description.is_cpu ? (uint64_t)1 << 24 : (uint64_t)1 << 30;
    *backend = find(params->technique);
    if (*backend == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "the techniques of training are cpu, blend and compute");
    if ((*backend)->record != NULL && params->device == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "the technique %s needs a device",
                        shw_technique_name(params->technique));
    missing = find_missing(*backend, &description);
    if (missing != NULL)
        return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "the technique %s needs %s, which %s does not have: use the technique compute",
                        shw_technique_name(params->technique), missing, description.name);
    return SHW_OK;
}
