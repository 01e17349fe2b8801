#include "files/output/calibrated.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "dense/forest/forest.h"

#define SMOOTH "smooth" /* of the member: radius and epsilon, if they are not those of the forest */

uint32_t shw_forest_power(const struct shw_forest_info *info)
{
    json_t *training = json_loads(info->training, 0, NULL);
    json_int_t power = json_integer_value(json_object_get(json_object_get(training, SHW_CALIBRATION_MEMBER), "power"));

    json_decref(training);
    return power >= SHW_POWER_MIN && power <= SHW_POWER_MAX ? (uint32_t)power : 0;
}

struct shw_smoothing shw_forest_power_smoothing(const struct shw_forest_info *info)
{
    json_t *training = json_loads(info->training, 0, NULL);
    const json_t *smooth = json_object_get(json_object_get(training, SHW_CALIBRATION_MEMBER), SMOOTH);
    json_int_t radius = json_integer_value(json_array_get(smooth, 0));
    json_int_t epsilon = json_integer_value(json_array_get(smooth, 1));
    struct shw_smoothing smoothing = {0};

    if (smooth == NULL)
        smoothing = info->smoothing;
    else if (radius > 0 && radius <= SHW_SMOOTHING_RADIUS_MAX && epsilon > 0 && epsilon <= SHW_SMOOTHING_EPSILON_MAX)
        smoothing = (struct shw_smoothing){(uint32_t)radius, (uint32_t)epsilon};
    json_decref(training);
    return smoothing;
}

static bool are_equal(const struct shw_smoothing *a, const struct shw_smoothing *b)
{
    return a->radius == b->radius && (a->radius == 0 || a->epsilon == b->epsilon);
}

json_t *shw_calibration_pack(const struct shw_forest_info *info, uint32_t images, uint32_t pixels, uint32_t power,
                             const struct shw_smoothing *smoothing)
{
    json_t *member = json_pack("{s:i, s:i, s:i}", "images", (int)images, "pixels", (int)pixels, "power", (int)power);

    if (!are_equal(smoothing, &info->smoothing))
        json_object_set_new(member, SMOOTH, json_pack("[i, i]", (int)smoothing->radius, (int)smoothing->epsilon));
    return member;
}

/* How to smooth, in words. */
static void describe(const struct shw_smoothing *smoothing, char text[64])
{
    if (smoothing->radius == 0)
        snprintf(text, 64, "are not smoothed");
    else
        snprintf(text, 64, "are smoothed with radius %u and epsilon %u", smoothing->radius, smoothing->epsilon);
}

enum shw_result shw_forest_power_make(const struct shw_forest_info *info, const struct shw_smoothing *given,
                                      const char *name, const struct shw_log *log, struct shw_power **power)
{
    const uint32_t sixteenths = shw_forest_power(info);
    const struct shw_smoothing found = shw_forest_power_smoothing(info), now = shw_forest_smoothing(info, given);
    char texts[2][64];

    if (sixteenths == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s was not calibrated: shadewood calibrate does that", name);
    if (!are_equal(&found, &now)) {
        describe(&found, texts[0]);
        describe(&now, texts[1]);
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s was calibrated for probabilities that %s, and these %s: calibrate it with --smooth %u "
                        "--smooth-epsilon %u",
                        name, texts[0], texts[1], now.radius, now.epsilon);
    }
    *power = malloc(sizeof **power);
    if (*power == NULL)
        return shw_fail_memory(log, "a calibration");
    shw_power_make(*power, sixteenths);
    return SHW_OK;
}
