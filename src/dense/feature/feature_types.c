/* The list of feature types, and what they must fulfil. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "dense/feature/feature_code.h"

#define NAME_MAX_LENGTH 31u
#define SUM_MAX         ((1u << 30) - 1)

static const struct shw_feature_type *const types[] = {
    &shw_feature_mean_difference,       &shw_feature_sum_difference,         &shw_feature_pixel_difference,
    &shw_feature_depth_mean_difference, &shw_feature_depth_pixel_difference, &shw_feature_kinect_difference,
    &shw_feature_curfil_difference,
};

#define TYPE_COUNT ((uint32_t)(sizeof types / sizeof *types))

const struct shw_feature_type *shw_feature_type_get(uint32_t index)
{
    return index < TYPE_COUNT ? types[index] : NULL;
}

const struct shw_feature_type *shw_feature_type_by_name(const char *name)
{
    if (name == NULL)
        return NULL;

    for (uint32_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}

uint32_t shw_feature_type_number(const struct shw_feature_type *type)
{
    return type == &shw_feature_sum_difference ? 1 : type == &shw_feature_mean_difference ? 2 : 0;
}

/* What the type lacks; NULL if it is complete. */
static const char *find_missing(const struct shw_feature_type *type, enum shw_feature_use use)
{
    const struct shw_feature_code *code = type->code;

    if (type->check == NULL)
        return "check";
    if (type->get_bound == NULL)
        return "get_bound";
    if (type->get_reach == NULL)
        return "get_reach";
    if (type->get_regions == NULL)
        return "get_regions";
    if (code == NULL || code->evaluate_row == NULL || code->look == NULL)
        return "code";
    if (use == SHW_FEATURE_FOR_TRAINING &&
        (code->draw == NULL || code->respond.features == NULL || code->respond.run == NULL))
        return "code for training";
    for (uint32_t role = 0; role < (use == SHW_FEATURE_FOR_TRAINING ? SHW_ROLE_COUNT : SHW_ROLE_CANDIDATES); role++)
        if (code->get_shaders == NULL && (code->shaders[role].words == NULL || code->shaders[role].size == NULL))
            return "a shader";
    return NULL;
}

enum shw_result shw_feature_shaders(const struct shw_feature_type *type, uint32_t count,
                                    const enum shw_feature_role *roles, const struct shw_log *log,
                                    struct shw_shader *shaders)
{
    const struct shw_feature_code *code = type->code;

    if (code->get_shaders != NULL)
        return code->get_shaders(code, count, roles, log, shaders);
    for (uint32_t i = 0; i < count; i++)
        shaders[i] = (struct shw_shader){code->shaders[roles[i]].words, *code->shaders[roles[i]].size};
    return SHW_OK;
}

enum shw_result shw_feature_type_check(const struct shw_feature_type *type, enum shw_feature_use use,
                                       const struct shw_log *log)
{
    const struct shw_feature_type *own;
    const char *missing;

    if (!shw_name_is_valid(type->name, NAME_MAX_LENGTH))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE,
                        "the name of a feature type, '%s', is not 1 to %u lower-case letters, digits and '-'",
                        type->name != NULL ? type->name : "", NAME_MAX_LENGTH);
    own = shw_feature_type_by_name(type->name);
    if (own != NULL && own != type)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE, "there is already a feature type %s",
                        type->name);
    if (type->version != SHW_FEATURE_TYPE_VERSION)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE,
                        "feature type %s: version %u; this version of Shadewood takes %u", type->name, type->version,
                        SHW_FEATURE_TYPE_VERSION);
    missing = find_missing(type, use);
    if (missing != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE, "feature type %s: %s is missing", type->name,
                        missing);
    if (type->reads != type->code->reads || type->may_be_undefined != type->code->may_be_undefined ||
        type->reads_depth != type->code->reads_depth || type->labels_all != type->code->labels_all)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE,
                        "feature type %s: what it reads and whether it may be undefined differ from its header",
                        type->name);
    if (type->reads != SHW_FEATURE_READS_INTEGRALS && type->reads != SHW_FEATURE_READS_CHANNELS)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE,
                        "feature type %s: it must read either integral images or channels", type->name);
    return SHW_OK;
}

/* A feature of a type. */

/* The feature's regions, which `explain` reads one by one. */
static bool check_regions(const struct shw_feature_type *type, const struct shw_feature *feature,
                          const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    const uint32_t count = type->get_regions(feature, regions);
    char inner[SHW_WHY_SIZE] = "";

    if (count > SHW_FEATURE_REGIONS_MAX) {
        snprintf(why, SHW_WHY_SIZE, "%s gives it %u regions; at most %u are supported", type->name, count,
                 SHW_FEATURE_REGIONS_MAX);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (regions[i].channel >= channels->channel_count || !type->check(&regions[i].alone, channels, inner)) {
            snprintf(why, SHW_WHY_SIZE, "%s gives it an impossible region %u", type->name, i);
            return false;
        }
    return true;
}

static bool check_reach(const struct shw_feature_type *type, const struct shw_feature *feature, uint32_t *farthest,
                        char why[SHW_WHY_SIZE])
{
    const struct shw_reach reach = type->get_reach(feature);
    const int64_t ends[] = {-(int64_t)reach.x0, -(int64_t)reach.y0, reach.x1, reach.y1};

    *farthest = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t end = (uint32_t)ends[i] - (i >= 2 && ends[i] > 0);
        if (ends[i] < 0 || ends[i] > SHW_REACH_ALL) {
            snprintf(why, SHW_WHY_SIZE,
                     "%s gives it a reach of (%d, %d) to (%d, %d), which is not around the pixel or exceeds %d",
                     type->name, reach.x0, reach.y0, reach.x1, reach.y1, SHW_REACH_ALL);
            return false;
        }
        if (end > *farthest)
            *farthest = end < SHW_REACH_ALL - 1 ? end : SHW_REACH_ALL;
    }
    return true;
}

bool shw_feature_is_valid(const struct shw_feature_type *type, const struct shw_feature *feature,
                          const struct shw_channel_list *channels, uint32_t *reach, enum shw_log_item *item,
                          char why[SHW_WHY_SIZE])
{
    uint64_t bound;

    *item = SHW_LOG_FOREST_FEATURE;
    if ((feature->words[0] >> SHW_NODE_SPLIT_SHIFT & 1) != 0) {
        snprintf(why, SHW_WHY_SIZE, "bit %u of its first word is set", SHW_NODE_SPLIT_SHIFT);
        return false;
    }
    if (!type->check(feature, channels, why))
        return false;
    bound = type->get_bound(feature, channels);
    if (bound > SUM_MAX) {
        *item = SHW_LOG_FOREST_SUM_RANGE;
        snprintf(why, SHW_WHY_SIZE, "a sum could reach %llu, which is more than %u: its region must be smaller",
                 (unsigned long long)bound, SUM_MAX);
        return false;
    }
    return check_regions(type, feature, channels, why) && check_reach(type, feature, reach, why);
}
