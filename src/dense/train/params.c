#include "dense/train/params.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>

#include <shadewood/calibrate.h>
#include <shadewood/proposer.h>
#include <shadewood/splitter.h>

#include "base/class.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/channels/fill.h"
#include "dense/channels/posterior.h"
#include "dense/feature/feature_code.h"
#include "dense/feature/feature_types.h"
#include "dense/grow/backend.h"
#include "dense/samples/images.h"
#include "dense/split/traits.h"
#include "dense/train/out_of_bag.h"
#include "vulkan/device.h"

/* The list of back ends, and the choice of one for a training. */

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
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "the calibration is for another device, driver or version: calibrate again, or pass NULL");
    if (params->technique == SHW_TECHNIQUE_AUTO)
        params->technique = choose(params, &description);
    params->calibration = NULL; /* valid only during creation */
    if (params->work_max == 0)
        params->work_max = description.is_cpu ? (uint64_t)1 << 24 : (uint64_t)1 << 30;
    *backend = find(params->technique);
    if (*backend == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "forests are trained with the technique cpu, blend or compute");
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

/* The parameters of a training. */

static void fill(uint32_t *field, uint32_t value)
{
    if (*field == 0)
        *field = value;
}

static enum shw_result check_range(const struct shw_log *log, const char *name, uint32_t value, uint32_t low,
                                   uint32_t high)
{
    if (value >= low && value <= high)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s is %u; it must be from %u to %u", name, value,
                    low, high);
}

/* Fails now rather than after training. */
static enum shw_result check_classes(const struct shw_log *log, const struct shw_dataset *dataset)
{
    for (uint32_t c = 0; dataset->classes != NULL && c < dataset->class_count; c++)
        if (!shw_class_name_is_valid(dataset->classes[c].name))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET,
                            "the name of class %u is not 1 to %u bytes of UTF-8 without control characters", c,
                            SHW_CLASS_NAME_MAX);
    return SHW_OK;
}

static enum shw_result check_weights(const struct shw_trainer_params *params, uint32_t classes)
{
    if ((params->class_weights != NULL) != (params->weighting == SHW_WEIGHTING_GIVEN))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "class_weights and the weighting `given` require each other");
    for (uint32_t c = 0; params->class_weights != NULL && c < classes; c++)
        if (!(params->class_weights[c] > 0) || !isfinite(params->class_weights[c]))
            return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                            "the weight of class %u must be a positive number", c);
    return SHW_OK;
}

/* Custom channels may not say what they are in mirror images. */
static enum shw_result check_pairs(const struct shw_trainer_params *params, const struct shw_channel_list *channels)
{
    for (uint32_t c = 0; params->mirror == SHW_MIRROR_PAIRED && c < channels->channel_count; c++)
        if (channels->channels[c].mirrored < SHW_MIRRORED_SAME || channels->channels[c].mirrored > SHW_MIRRORED_FIXED)
            return shw_fail(
                &params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                "paired flipping cannot be used with the channel %s, whose kind does not say what it becomes "
                "in a mirror image: flip images instead",
                channels->channels[c].name);
    return SHW_OK;
}

static enum shw_result check_levels(const struct shw_trainer_params *params, const struct shw_dataset *dataset)
{
    const uint32_t pictures = shw_train_picture_count(dataset);

    if (params->levels > 1)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "a trainer trains one level: shw_train() trains several, or one trainer after the other");
    if (params->below_offset_max > 0 || params->below_size_max > 0)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "below_offset_max and below_size_max are for several levels, trained by shw_train()");
    if (params->below != NULL && shw_forest_get_info(params->below)->levels >= SHW_LEVELS_MAX)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "there can be at most %u levels",
                        SHW_LEVELS_MAX);
    if (params->below != NULL && params->out_of_bag)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "out-of-bag accuracy is not measured of a level above another");
    if (params->folds == 0)
        return SHW_OK;
    if (params->folds < 2 || params->folds > params->tree_count || params->folds > pictures)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "%u folds of %u trees and %u pictures; there must be from 2 to as many as there are of both: "
                        "levels need at least 2 trees and pictures",
                        params->folds, params->tree_count, pictures);
    if (params->fold_run > (pictures - 1) / (params->folds - 1))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "%u pictures make fewer than %u folds of runs of %u", pictures, params->folds,
                        params->fold_run);
    if (params->same_samples)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "trees that all have the same samples cannot be trained in folds, of which each has others");
    return SHW_OK;
}

static enum shw_result check_splitter(const struct shw_trainer_params *params)
{
    const struct shw_splitter *splitter = params->splitter;

    if (splitter == NULL)
        return SHW_OK;
    if (splitter->name == NULL || splitter->histograms == NULL || splitter->end_round == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "a splitter must have a name, and the callbacks histograms and end_round");
    if (params->ferns)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "ferns choose one test for all nodes of a level, which the splitter %s does not",
                        splitter->name);
    if (params->score != SHW_SCORE_INFORMATION_GAIN)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "score must be 0 if there is a splitter: %s", splitter->name);
    return SHW_OK;
}

static enum shw_result check_proposer(const struct shw_trainer_params *params)
{
    const struct shw_proposer *proposer = params->proposer;

    if (proposer != NULL && (proposer->name == NULL || proposer->propose == NULL))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "a proposer must have a name, and the callback propose");
    return SHW_OK;
}

/* Of workers that divide the images. */
static enum shw_result check_division(const struct shw_trainer_params *params, const struct shw_dataset *dataset)
{
    const struct shw_train_exchange *exchange = params->exchange;

    if (exchange->divide != SHW_DIVIDE_IMAGES || exchange->scatter == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "an exchange divides candidates, or images with the callback scatter");
    if (exchange->worker_count > dataset->count)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "%u images cannot be divided among %u workers", dataset->count, exchange->worker_count);
    if (dataset->picture_count > 0)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "workers that divide the images need whole ones, not parts of pictures: divide candidates");
    return SHW_OK;
}

static enum shw_result check_exchange(const struct shw_trainer_params *params, const struct shw_dataset *dataset)
{
    const struct shw_train_exchange *exchange = params->exchange;

    if (exchange == NULL)
        return SHW_OK;
    if (exchange->gather == NULL || exchange->worker >= exchange->worker_count ||
        exchange->worker_count > params->candidates)
        return shw_fail(
            &params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
            "worker %u of %u: an exchange needs the callback gather, a number below that of workers, and no "
            "more workers than the %u candidates",
            exchange->worker, exchange->worker_count, params->candidates);
    if (params->splitter != NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "a splitter needs all histograms, but each worker has only some: use one or the other");
    return exchange->divide == SHW_DIVIDE_CANDIDATES ? SHW_OK : check_division(params, dataset);
}

static enum shw_result check_notes(const struct shw_trainer_params *params)
{
    json_t *notes = params->notes != NULL ? json_loads(params->notes, 0, NULL) : NULL;
    bool fine = params->notes == NULL || json_is_object(notes);

    json_decref(notes);
    return fine
               ? SHW_OK
               : shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "the notes must be a JSON object");
}

/* How far the tests of a level look (docs/stacking.md). */
static void set_reach(struct shw_trainer_params *params, bool uppermost)
{
    params->offset_max = shw_offset_max(params);
    fill(&params->size_max, shw_min_u32(SHW_FAR_SIZE_MAX, 2 * params->offset_max + 1));
    if (!uppermost) {
        fill(&params->below_offset_max, shw_min_u32(SHW_NEAR_OFFSET_MAX, params->offset_max));
        params->offset_max = params->below_offset_max;
        fill(&params->below_size_max,
             shw_min_u32(shw_min_u32(SHW_NEAR_SIZE_MAX, params->size_max), 2 * params->offset_max + 1));
        params->size_max = params->below_size_max;
    }
    params->offset_min = shw_min_u32(params->offset_min, params->offset_max);
    params->below_offset_max = params->below_size_max = 0;
}

struct shw_trainer_params shw_level_params(const struct shw_trainer_params *params, const struct shw_forest *below)
{
    const uint32_t level = below != NULL ? shw_forest_get_info(below)->levels : 0;
    const uint32_t trees = params->tree_count > 0 ? params->tree_count : SHW_TREE_COUNT_DEFAULT;
    struct shw_trainer_params of_level = *params;

    if (params->levels <= 1)
        return of_level;
    set_reach(&of_level, level + 1 == params->levels);
    of_level.levels = 0;
    of_level.below = below;
    of_level.folds = params->folds > 0 ? params->folds : shw_min_u32(SHW_FOLDS_DEFAULT, trees);
    if (level + 1 == params->levels)
        of_level.folds = 0;
    return of_level;
}

/* Refuses what would fail when the trees are finished. */
static enum shw_result check_draw(const struct shw_trainer_params *params, const struct shw_channel_list *channels)
{
    const struct shw_feature_type *type = params->feature;
    const struct shw_draw_limits limits = {params->offset_max, params->size_max};
    char why[SHW_WHY_SIZE];

    if (type->can_draw == NULL || type->can_draw(channels, params->proposer != NULL ? NULL : &limits, why))
        return SHW_OK;
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s: %s", type->name, why);
}

enum shw_result shw_levels_check(const struct shw_trainer_params *params, const struct shw_dataset *dataset)
{
    struct shw_trainer_params upper = *params;
    struct shw_channel_list image, all;
    char why[SHW_CHANNEL_WHY_SIZE];

    if (params->levels <= 1)
        return SHW_OK;
    if (params->levels > SHW_LEVELS_MAX || params->below != NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "%u levels%s; there can be 1 to %u, and none below the first of them", params->levels,
                        params->below != NULL ? " above another" : "", SHW_LEVELS_MAX);
    if (!shw_channel_list_read(params->channels, &params->kinds, &image, why) ||
        !shw_posterior_add(&image, &params->kinds, dataset->class_count, &all, why))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "channels: %s", why);
    if (upper.feature == NULL)
        upper.feature = shw_feature_type_get(0);
    SHW_PROPAGATE(shw_feature_type_check(upper.feature, SHW_FEATURE_FOR_TRAINING, &params->log));
    set_reach(&upper, true);
    return check_draw(&upper, &all); /* not after the levels below are trained */
}

enum shw_result shw_trainer_params_complete(struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            struct shw_channel_list *channels, const struct shw_train_backend **backend)
{
    const struct shw_log *log = &params->log;
    char why[SHW_CHANNEL_WHY_SIZE], fill_why[SHW_FILL_WHY_SIZE];

    if (dataset->read == NULL || dataset->release == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET, "the data set lacks the function %s",
                        dataset->read == NULL ? "read" : "release");
    if (!shw_channel_list_read(params->channels, &params->kinds, channels, why))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "channels: %s", why);
    if (shw_posterior_count(channels) > 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "channels: those of the kind posterior are added for the level below");
    if (params->below != NULL) {
        const struct shw_channel_list image = *channels;
        if (!shw_posterior_add(&image, &params->kinds, shw_forest_get_info(params->below)->class_count, channels, why))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "channels: %s", why);
    }
    params->channels = channels->name;
    if (params->feature == NULL)
        params->feature = shw_feature_type_get(0);
    fill(&params->tree_count, SHW_TREE_COUNT_DEFAULT);
    fill(&params->depth, 12);
    fill(&params->candidates, 300);
    fill(&params->bins, params->thresholds == SHW_THRESHOLDS_RANDOM ? 3 : 32);
    params->offset_max = shw_offset_max(params);
    fill(&params->size_max, params->offset_max < 15 ? 2 * params->offset_max + 1 : 31);
    fill(&params->pixels_per_image, 1000);
    fill(&params->images_percent, 100);
    fill(&params->samples_min, 8);
    fill(&params->fold_run, 1);
    if (params->smoothing.radius == SHW_SMOOTHING_NONE)
        params->smoothing.radius = 0;
    if (params->smoothing.radius > 0)
        fill(&params->smoothing.epsilon, SHW_SMOOTHING_EPSILON_DEFAULT);
    if (params->ferns)
        params->pool = SHW_POOL_ROUND;

    SHW_PROPAGATE(shw_feature_type_check(params->feature, SHW_FEATURE_FOR_TRAINING, log));
    if (params->feature->reads_depth && !shw_depth_type_check_list(channels, why))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s: %s", params->feature->name, why);
    if (params->score > SHW_SCORE_GAIN_RATIO || params->thresholds > SHW_THRESHOLDS_RANDOM ||
        params->pool >= SHW_POOL_COUNT || params->sampling >= SHW_SAMPLING_COUNT ||
        params->weighting > SHW_WEIGHTING_GIVEN || params->prior >= SHW_PRIOR_COUNT ||
        params->combine > SHW_COMBINE_VOTE || params->mirror > SHW_MIRROR_PAIRED)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "score, thresholds, pool, sampling, weighting, prior, combine or mirror is not a value of "
                        "its enumeration");
    if (params->smoothing.radius > SHW_SMOOTHING_RADIUS_MAX || params->smoothing.epsilon > SHW_SMOOTHING_EPSILON_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "smoothing can have a radius of at most %u pixels and an epsilon of at most %u",
                        SHW_SMOOTHING_RADIUS_MAX, SHW_SMOOTHING_EPSILON_MAX);
    if (!shw_fill_check(params->fill, channels, fill_why))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s", fill_why);
    const struct {
        const char *name;
        uint32_t value, low, high;
    } ranges[] = {
        {"trees", params->tree_count, 1, SHW_TREES_MAX},
        {"first_tree", params->first_tree, 0, SHW_TREES_MAX - params->tree_count},
        {"depth", params->depth, 1, SHW_DEPTH_MAX},
        {"candidates", params->candidates, 1, 1u << 20},
        {"bins", params->bins, 2, 256u - params->feature->may_be_undefined},
        {"offset_max", params->offset_max, 1, 16383},
        {"offset_min", params->offset_min, 0, params->offset_max},
        {"size_max", params->size_max, 1, 2 * params->offset_max + 1},
        {"shapes", params->shapes, 0, SHW_SHAPES_MAX},
        {"single_percent", params->single_percent, 0, 100},
        {"images_percent", params->images_percent, 1, 100},
        {"bias_percent", params->bias_percent, 0, 99},
        {"class_count", dataset->class_count, 1, SHW_CLASSES_MAX},
        {"images", dataset->count, 1, 1u << 24},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        SHW_PROPAGATE(check_range(log, ranges[i].name, ranges[i].value, ranges[i].low, ranges[i].high));
    SHW_PROPAGATE(check_draw(params, channels));
    SHW_PROPAGATE(check_classes(log, dataset));
    SHW_PROPAGATE(check_levels(params, dataset));
    SHW_PROPAGATE(check_weights(params, dataset->class_count));
    SHW_PROPAGATE(check_pairs(params, channels));
    SHW_PROPAGATE(check_splitter(params));
    SHW_PROPAGATE(check_proposer(params));
    SHW_PROPAGATE(check_exchange(params, dataset));
    SHW_PROPAGATE(check_notes(params));
    SHW_PROPAGATE(shw_out_of_bag_check(params, dataset));
    return shw_train_backend_choose(params, backend);
}
