#include "evaluate/labeller.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define ALL_OUTPUTS (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)

bool shw_labeller_uses_device(const struct shw_labeller *labeller)
{
    return labeller->channels != SHW_TECHNIQUE_CPU || labeller->integrate != SHW_TECHNIQUE_CPU ||
           labeller->evaluate != SHW_TECHNIQUE_CPU;
}

bool shw_labeller_uses_cpu(const struct shw_labeller *labeller)
{
    return labeller->channels == SHW_TECHNIQUE_CPU || labeller->integrate == SHW_TECHNIQUE_CPU ||
           labeller->evaluate == SHW_TECHNIQUE_CPU;
}

static enum shw_result check_custom(const struct shw_labeller_params *params, enum shw_stage stage, bool asked)
{
    const struct shw_custom_technique *custom = params->custom[stage];
    const struct shw_log *log = &params->log;

    if ((custom != NULL) != asked)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the technique custom, and one in `custom`, must be given together", shw_stage_name(stage));
    if (custom == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_custom_technique_check(custom, log));
    if (custom->stage != stage)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s is not for the stage %s",
                        custom->name, shw_stage_name(stage));
    if (params->device == NULL && custom->run == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s needs a device", custom->name);
    return SHW_OK;
}

static enum shw_result check_params(const struct shw_labeller_params *params)
{
    const struct shw_log *log = &params->log;
    const enum shw_technique techniques[] = {params->channels, params->integrate, params->evaluate};

    if (params->forest == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a labeller needs a forest");
    if (params->outputs == 0 || (params->outputs & ~(uint32_t)ALL_OUTPUTS) != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "outputs must be one or more of enum shw_output");
    for (int i = 0; i < 3; i++) {
        if (shw_technique_name(techniques[i]) == NULL)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no technique %d", (int)techniques[i]);
        if (techniques[i] == SHW_TECHNIQUE_BLEND)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "the technique blend is for training only: label with fragment, compute or cpu");
        enum shw_result result = check_custom(params, (enum shw_stage)i, techniques[i] == SHW_TECHNIQUE_CUSTOM);
        if (result != SHW_OK)
            return result;
        if (params->device == NULL && techniques[i] > SHW_TECHNIQUE_CPU && techniques[i] != SHW_TECHNIQUE_CUSTOM)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s needs a device",
                            shw_technique_name(techniques[i]));
    }
    if (params->width > SHW_IMAGE_SIZE_MAX || params->height > SHW_IMAGE_SIZE_MAX ||
        (params->width == 0) != (params->height == 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "width and height must both be zero or at most %u",
                        SHW_IMAGE_SIZE_MAX);
    if (params->room.trees > SHW_TREES_MAX || params->room.classes > SHW_CLASSES_MAX ||
        params->room.nodes > (uint64_t)SHW_TREES_MAX * SHW_NODES_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "room is for at most %u trees of %u nodes each, and for %u classes", SHW_TREES_MAX,
                        SHW_NODES_MAX, SHW_CLASSES_MAX);
    return shw_labeller_check_calibration(params);
}

static const char *technique_name(const struct shw_labeller *labeller, enum shw_stage stage)
{
    enum shw_technique techniques[SHW_STAGE_COUNT];

    shw_labeller_get_techniques(labeller, techniques);
    return labeller->params.custom[stage] != NULL ? labeller->params.custom[stage]->name
                                                  : shw_technique_name(techniques[stage]);
}

static void take_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    labeller->params.forest = forest;
    labeller->forest_number++;
    labeller->info = shw_forest_get_info(forest);
    labeller->set = labeller->info->channel_list;
    labeller->margin = shw_forest_get_reach(forest) + labeller->set->radius;
}

enum shw_result shw_labeller_create(const struct shw_labeller_params *params, struct shw_labeller **out)
{
    enum shw_result result = check_params(params);
    enum shw_technique techniques[SHW_STAGE_COUNT];
    struct shw_labeller *labeller;

    if (result != SHW_OK)
        return result;
    labeller = calloc(1, sizeof *labeller);
    if (labeller == NULL)
        return shw_fail_memory(&params->log, "a labeller");
    labeller->params = *params;
    if (labeller->params.slots == 0)
        labeller->params.slots = 1;
    take_forest(labeller, params->forest);
    shw_labeller_decide(params, techniques);
    labeller->channels = techniques[SHW_STAGE_CHANNELS];
    labeller->integrate = techniques[SHW_STAGE_INTEGRATE];
    labeller->evaluate = techniques[SHW_STAGE_EVALUATE];
    labeller->params.calibration = NULL; /* it was lent for this */
    shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "channels by %s, integrate by %s, evaluate by %s",
                    technique_name(labeller, SHW_STAGE_CHANNELS), technique_name(labeller, SHW_STAGE_INTEGRATE),
                    technique_name(labeller, SHW_STAGE_EVALUATE));
    if (shw_labeller_uses_cpu(labeller) && shw_thread_pool_create(params->threads, &labeller->pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "threads");
        goto fail;
    }
    /* An imported device only records, so everything is made now; shw_labeller_run() makes what an image needs. */
    if (!shw_labeller_uses_cpu(labeller) && params->width > 0)
        SHW_TRY(shw_labeller_frame_create(labeller, params->width, params->height, labeller->params.slots));
    *out = labeller;
    return SHW_OK;

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

void shw_labeller_destroy(struct shw_labeller **handle)
{
    struct shw_labeller *labeller = handle != NULL ? *handle : NULL;

    if (labeller == NULL)
        return;
    shw_labeller_frame_destroy(labeller);
    shw_labeller_transfer_destroy(labeller);
    shw_thread_pool_destroy(&labeller->pool);
    free(labeller);
    *handle = NULL;
}

bool shw_labeller_has_room(const struct shw_labeller *labeller, const struct shw_forest *forest)
{
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        if (labeller->params.custom[s] != NULL)
            return false;
    return labeller->frame.channels == NULL || labeller->evaluate == SHW_TECHNIQUE_CPU ||
           shw_evaluate_stage_has_room(&labeller->frame.evaluate_stage, forest);
}

enum shw_result shw_labeller_set_forest(struct shw_labeller *labeller, const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_labeller_frame *frame = &labeller->frame;

    if (strcmp(info->channels, labeller->set->name) != 0 || info->feature != labeller->info->feature)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a forest of another channel set or feature type needs a labeller of its own");
    if (shw_labeller_has_room(labeller, forest)) {
        if (frame->channels != NULL && labeller->evaluate != SHW_TECHNIQUE_CPU)
            SHW_PROPAGATE(shw_evaluate_stage_set_forest(&frame->evaluate_stage, forest));
        take_forest(labeller, forest);
        return SHW_OK;
    }
    take_forest(labeller, forest);
    if (frame->channels != NULL) {
        uint32_t width = frame->width, height = frame->height, slots = frame->slots;
        shw_labeller_frame_destroy(labeller);
        SHW_PROPAGATE(shw_labeller_frame_create(labeller, width, height, slots));
    }
    return SHW_OK;
}

void shw_labeller_get_techniques(const struct shw_labeller *labeller, enum shw_technique techniques[SHW_STAGE_COUNT])
{
    techniques[SHW_STAGE_CHANNELS] = labeller->channels;
    techniques[SHW_STAGE_INTEGRATE] = labeller->integrate;
    techniques[SHW_STAGE_EVALUATE] = labeller->evaluate;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        if (labeller->params.custom[s] != NULL)
            techniques[s] = SHW_TECHNIQUE_CUSTOM;
}
