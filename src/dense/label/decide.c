/* Resolves the technique `auto`. */
#include <shadewood/calibrate.h>

#include "base/log.h"
#include "dense/label/labeller.h"

void shw_labeller_get_choices(const struct shw_labeller_params *params,
                              struct shw_registry_choice choices[SHW_STAGE_COUNT])
{
    const enum shw_technique asked[SHW_STAGE_COUNT] = {params->channels, params->integrate, params->evaluate};

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        choices[s] = (struct shw_registry_choice){(enum shw_stage)s, asked[s], params->custom[s]};
}

/* Stages whose planes are not storage buffers, if there are some. */
static uint32_t without_buffers(uint32_t allowed)
{
    uint32_t others = allowed & ~(1u << SHW_TECHNIQUE_COMPUTE);

    return others != 0 ? others : allowed;
}

void shw_labeller_decide(const struct shw_labeller_params *params, bool avoids_buffers,
                         enum shw_technique chosen[SHW_STAGE_COUNT])
{
    struct shw_calibration_work work = shw_calibration_work_of(params->forest, params->outputs);
    struct shw_registry_choice choices[SHW_STAGE_COUNT];
    uint32_t allowed[SHW_STAGE_COUNT];

    work.recorded = params->device != NULL && (params->device->own == NULL || params->slots > 0);
    work.width = params->width;
    work.height = params->height;
    work.threads = params->threads;
    shw_labeller_get_choices(params, choices);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        allowed[s] = shw_registry_allow(&choices[s], &(struct shw_registry_use){.device = params->device,
                                                                                .forest = params->forest,
                                                                                .outputs = params->outputs,
                                                                                .recorded = work.recorded});
        if (avoids_buffers)
            allowed[s] = without_buffers(allowed[s]);
    }
    if (params->device != NULL && params->calibration != NULL &&
        shw_calibration_choose(params->calibration, &work, allowed, chosen))
        return;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        chosen[s] = shw_registry_usual(allowed[s], params->device);
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
        "the calibration is of another device, another driver or another version: calibrate again, or pass NULL");
}
