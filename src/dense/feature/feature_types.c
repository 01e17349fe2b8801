/* The list of feature types. */
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "dense/feature/feature_code.h"

#define NAME_MAX_LENGTH 31u

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
        if (code->shaders[role].words == NULL || code->shaders[role].size == NULL)
            return "a shader";
    return NULL;
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
