#include "files/output/calibrated.h"

#include <stdlib.h>

#include "base/log.h"

uint32_t shw_forest_power(const struct shw_forest_info *info)
{
    json_t *training = json_loads(info->training, 0, NULL);
    json_int_t power = json_integer_value(json_object_get(json_object_get(training, SHW_CALIBRATION_MEMBER), "power"));

    json_decref(training);
    return power >= SHW_POWER_MIN && power <= SHW_POWER_MAX ? (uint32_t)power : 0;
}

enum shw_result shw_forest_power_make(const struct shw_forest_info *info, const char *name, const struct shw_log *log,
                                      struct shw_power **power)
{
    uint32_t sixteenths = shw_forest_power(info);

    if (sixteenths == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s was not calibrated: shadewood calibrate does that", name);
    *power = malloc(sizeof **power);
    if (*power == NULL)
        return shw_fail_memory(log, "a calibration");
    shw_power_make(*power, sixteenths);
    return SHW_OK;
}
