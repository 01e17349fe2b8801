#include "dense/calibration/calibrate.h"

#include <string.h>

#include "base/log.h"
#include "vulkan/device.h"

#define MILLISECONDS 700u /* a measurement in progress is completed, so that the total is about a second */

static enum shw_result measure_stages(struct shw_calibrator *calibrator, enum shw_technique technique)
{
    return technique == SHW_TECHNIQUE_CPU ? shw_calibrate_cpu(calibrator) : shw_calibrate_device(calibrator, technique);
}

/* The parts, the most important first, and the share of the time after which each starts nothing new. */
static const struct {
    enum shw_result (*measure)(struct shw_calibrator *calibrator, enum shw_technique technique);
    enum shw_technique technique;
    double end;
} parts[] = {
    {measure_stages, SHW_TECHNIQUE_CPU, 0.3},         {measure_stages, SHW_TECHNIQUE_COMPUTE, 0.5},
    {shw_calibrate_training, SHW_TECHNIQUE_CPU, 0.6}, {shw_calibrate_training, SHW_TECHNIQUE_COMPUTE, 0.65},
    {measure_stages, SHW_TECHNIQUE_FRAGMENT, 0.7},    {shw_calibrate_training, SHW_TECHNIQUE_BLEND, 0.75},
};
#define FRAMES_END 0.9

static enum shw_result measure(struct shw_calibrator *calibrator, double seconds)
{
    SHW_PROPAGATE(shw_calibrate_make_work(calibrator));
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        calibrator->longest = 0;
        calibrator->end = calibrator->begin + parts[p].end * seconds;
        if (parts[p].technique == SHW_TECHNIQUE_FRAGMENT && !calibrator->device->has_graphics)
            continue;
        if (shw_calibrate_goes_on(calibrator, parts[p].technique))
            SHW_PROPAGATE(parts[p].measure(calibrator, parts[p].technique));
    }
    calibrator->longest = 0;
    calibrator->end = calibrator->begin + FRAMES_END * seconds;
    return shw_calibrate_frames(calibrator);
}

enum shw_result shw_calibrate_abi(uint32_t abi, const struct shw_calibrate_params *params,
                                  struct shw_calibration *calibration)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, calibration);

    struct shw_calibrator calibrator = {
        .device = params->device, .log = params->log, .begin = shw_clock(), .result = calibration};
    double seconds = 1e-3 * (params->milliseconds > 0 ? params->milliseconds : MILLISECONDS);
    struct shw_device_description description;
    enum shw_result result;

    memset(calibration, 0, sizeof *calibration);
    if (params->device == NULL || params->device->own == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a calibration needs a device of shw_device_create(), to which it may submit");
    shw_device_describe(params->device, &description);
    calibrator.is_cpu = description.is_cpu;
    calibration->version = SHW_CALIBRATION_VERSION;
    calibration->vendor_id = description.vendor_id;
    calibration->device_id = description.device_id;
    calibration->driver_version = description.driver_version;
    memcpy(calibration->pipeline_cache_uuid, description.pipeline_cache_uuid, sizeof calibration->pipeline_cache_uuid);
    if (shw_thread_pool_create(params->threads, &calibrator.pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "threads");
        goto fail;
    }
    calibration->threads = shw_thread_pool_size(calibrator.pool);
    SHW_TRY(measure(&calibrator, seconds));
    calibration->milliseconds = 1e3 * (shw_clock() - calibrator.begin);

fail:
    shw_calibrate_free_work(&calibrator);
    shw_thread_pool_destroy(&calibrator.pool);
    return result;
}
