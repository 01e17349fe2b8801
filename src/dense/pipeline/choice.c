/* Predictions for combinations of techniques. */
#include "dense/pipeline/choice.h"

#include <math.h>
#include <string.h>

#include <shadewood/label.h>

#include "dense/pipeline/registry.h"

#define FIRST SHW_TECHNIQUE_CPU
#define LAST  SHW_TECHNIQUE_COMPUTE

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
    return value > 0 ? value : otherwise;
}

static struct shw_calibration_work complete(const struct shw_calibration_work *work)
{
    bool sized = work->width > 0 && work->height > 0;

    return (struct shw_calibration_work){.width = sized ? work->width : 640,
                                         .height = sized ? work->height : 480,
                                         .channel_count = or_default(work->channel_count, 16),
                                         .tree_count = or_default(work->tree_count, 1),
                                         .visits = or_default(work->visits, 1),
                                         .class_count = or_default(work->class_count, 2),
                                         .outputs = or_default(work->outputs, SHW_OUTPUT_ARGMAX),
                                         .threads = work->threads,
                                         .recorded = work->recorded};
}

static double pixels_of(const struct shw_calibration_work *work)
{
    return (double)work->width * work->height;
}

double shw_calibration_units(const struct shw_calibration_work *work, enum shw_stage stage)
{
    bool classes = (work->outputs & (SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)) != 0;

    if (stage != SHW_STAGE_EVALUATE)
        return pixels_of(work) * work->channel_count;
    return pixels_of(work) * (work->visits + (classes ? (double)work->tree_count * work->class_count / 16 : 0));
}

double shw_calibration_bytes(const struct shw_calibration_work *work, enum shw_stage stage)
{
    double trees = work->outputs == SHW_OUTPUT_TREE_LEAF ? 1 : work->tree_count;

    if (stage == SHW_STAGE_CHANNELS)
        return 2 * pixels_of(work) * work->channel_count;
    if (stage == SHW_STAGE_INTEGRATE)
        return 4.0 * (work->width + 1.0) * (work->height + 1.0) * work->channel_count;
    return pixels_of(work) *
           (4 * trees + ((work->outputs & SHW_OUTPUT_DISTRIBUTION) != 0 ? 2.0 * work->class_count : 0) +
            ((work->outputs & SHW_OUTPUT_ARGMAX) != 0 ? 2 : 0));
}

static double cost(const struct shw_cost *cost, double units)
{
    return cost->measured ? cost->fixed_ms + 1e-6 * cost->unit_ns * units : INFINITY;
}

static double stage_cost(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                         enum shw_stage stage, enum shw_technique technique)
{
    double ms = cost(&calibration->stages[stage][technique], shw_calibration_units(work, stage));

    if (technique == SHW_TECHNIQUE_CPU && work->threads > 0 && calibration->threads > 0)
        ms *= (double)calibration->threads / work->threads;
    return ms;
}

static double moved(const struct shw_calibration *calibration, enum shw_transition kind, double units)
{
    return cost(&calibration->hand_overs[kind], units);
}

/* The transfer between two stages. A submission ends where the host must wait for it. */
static double between(const struct shw_calibration *calibration, enum shw_planes_form from, enum shw_planes_form to,
                      double bytes)
{
    double ms = 0;

    if (from == SHW_PLANES_HOST && to == SHW_PLANES_HOST)
        return 0;
    if (from == SHW_PLANES_HOST)
        ms += moved(calibration, SHW_HAND_OVER_UPLOAD, bytes);
    if (from == SHW_PLANES_IMAGE && to != SHW_PLANES_IMAGE)
        ms += moved(calibration, SHW_HAND_OVER_TO_BUFFER, bytes);
    if (from != SHW_PLANES_IMAGE && to == SHW_PLANES_IMAGE)
        ms += moved(calibration, SHW_HAND_OVER_TO_IMAGE, bytes);
    if (to == SHW_PLANES_HOST)
        ms += moved(calibration, SHW_HAND_OVER_DOWNLOAD, bytes) + moved(calibration, SHW_HAND_OVER_SUBMISSION, 0);
    return ms;
}

double shw_calibration_sum(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                           const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    enum shw_planes_form forms[SHW_STAGE_COUNT];
    double ms = 0;

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        const struct shw_stage_technique *technique = shw_registry_get((enum shw_stage)s, techniques[s]);
        if (technique == NULL || (work->recorded && technique->form == SHW_PLANES_HOST))
            return INFINITY;
        forms[s] = technique->form;
        ms += stage_cost(calibration, work, (enum shw_stage)s, techniques[s]);
    }
    for (int s = 0; s + 1 < (int)SHW_STAGE_COUNT; s++)
        ms += between(calibration, forms[s], forms[s + 1], shw_calibration_bytes(work, (enum shw_stage)s));
    if (work->recorded)
        return ms;
    if (forms[SHW_STAGE_CHANNELS] != SHW_PLANES_HOST)
        ms += moved(calibration, SHW_HAND_OVER_SOURCE, pixels_of(work));
    if (forms[SHW_STAGE_EVALUATE] != SHW_PLANES_HOST)
        ms += moved(calibration, SHW_HAND_OVER_DOWNLOAD, shw_calibration_bytes(work, SHW_STAGE_EVALUATE)) +
              moved(calibration, SHW_HAND_OVER_SUBMISSION, 0);
    return ms;
}

/* The ratio of a whole frame to its parts. */
static double correction(const struct shw_calibration *calibration,
                         const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    double worst = 0;

    for (uint32_t i = 0; i < calibration->frame_count && i < SHW_CALIBRATION_FRAMES_MAX; i++) {
        const struct shw_calibration_frame *frame = &calibration->frames[i];
        double ratio = frame->predicted_ms > 0 ? frame->measured_ms / frame->predicted_ms : 0;
        if (memcmp(frame->techniques, techniques, sizeof frame->techniques) == 0)
            return ratio;
        worst = ratio > worst ? ratio : worst;
    }
    return worst > 0 ? worst : 1;
}

double shw_calibration_predict(const struct shw_calibration *calibration, const struct shw_calibration_work *given,
                               const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    if (calibration == NULL || given == NULL || techniques == NULL)
        return INFINITY;

    struct shw_calibration_work work = complete(given);
    double sum = shw_calibration_sum(calibration, &work, techniques);

    return work.recorded ? sum : sum * correction(calibration, techniques);
}

bool shw_calibration_choose(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                            const uint32_t allowed[SHW_STAGE_COUNT], enum shw_technique chosen[SHW_STAGE_COUNT])
{
    if (calibration == NULL || work == NULL || allowed == NULL || chosen == NULL)
        return false;

    double best = INFINITY;

    for (int c = FIRST; c <= (int)LAST; c++)
        for (int i = FIRST; i <= (int)LAST; i++)
            for (int e = FIRST; e <= (int)LAST; e++) {
                const enum shw_technique mixture[SHW_STAGE_COUNT] = {(enum shw_technique)c, (enum shw_technique)i,
                                                                     (enum shw_technique)e};
                double ms;
                if ((allowed[0] >> c & 1) == 0 || (allowed[1] >> i & 1) == 0 || (allowed[2] >> e & 1) == 0)
                    continue;
                ms = shw_calibration_predict(calibration, work, mixture);
                if (ms < best) {
                    best = ms;
                    memcpy(chosen, mixture, sizeof mixture);
                }
            }
    return best < INFINITY;
}

enum shw_technique shw_calibration_choose_training(const struct shw_calibration *calibration, uint32_t allowed)
{
    if (calibration == NULL)
        return SHW_TECHNIQUE_AUTO;

    enum shw_technique best = SHW_TECHNIQUE_AUTO;

    for (uint32_t t = FIRST; t < SHW_TECHNIQUE_COUNT; t++)
        if ((allowed >> t & 1) != 0 && calibration->training_ns[t] > 0 &&
            (best == SHW_TECHNIQUE_AUTO || calibration->training_ns[t] < calibration->training_ns[best]))
            best = (enum shw_technique)t;
    return best;
}

bool shw_calibration_fits(const struct shw_calibration *calibration, const struct shw_device_description *device)
{
    if (calibration == NULL || device == NULL)
        return false;

    return calibration->version == SHW_CALIBRATION_VERSION && calibration->vendor_id == device->vendor_id &&
           calibration->device_id == device->device_id && calibration->driver_version == device->driver_version &&
           memcmp(calibration->pipeline_cache_uuid, device->pipeline_cache_uuid, sizeof device->pipeline_cache_uuid) ==
               0;
}

struct shw_calibration_work shw_calibration_work_of(const struct shw_forest *forest, uint32_t outputs)
{
    if (forest == NULL)
        return (struct shw_calibration_work){0};

    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_calibration_work work = {.channel_count = info->channel_list->channel_count,
                                        .tree_count = outputs == SHW_OUTPUT_TREE_LEAF ? 1 : info->tree_count,
                                        .class_count = info->class_count,
                                        .outputs = outputs};

    for (uint32_t t = 0; t < work.tree_count; t++)
        work.visits += shw_forest_get_tree(forest, t).depth;
    return complete(&work);
}
