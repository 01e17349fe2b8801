/* Training records of cascades, and checkpoints: cascades whose record has the member `checkpoint`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/ktx2.h"
#include "base/log.h"
#include "detection/boost/trainer.h"

#define MEMBER  "checkpoint"
#define VERSION 1

json_t *shw_cascade_trainer_record(const struct shw_cascade_trainer *trainer)
{
    const struct shw_cascade_trainer_params *params = &trainer->params;
    const struct shw_cascade_variation *variation = &params->variation;
    char data[20], seed[24];
    json_t *record, *more, *notes;

    snprintf(data, sizeof data, "%016" PRIx64, trainer->data_hash);
    snprintf(seed, sizeof seed, "%" PRIu64, params->seed);
    record = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:s}", "boosting",
                       shw_boosting_name(params->boosting), "depth", (int)params->depth, "stage_count",
                       (int)params->stage_count, "candidates", (int)params->candidates, "thresholds",
                       (int)params->thresholds, "copies", (int)params->copies, "margin", (int)params->margin,
                       "background_count", (int)params->background_count, "pass_percent", (int)params->pass_percent,
                       "calibration_percent", (int)params->calibration_percent, "seed", seed, "data", data);
    more = json_pack("{s:i, s:i, s:i, s:b, s:i, s:i, s:{s:b, s:i, s:i, s:i, s:i, s:b, s:i}}", "border",
                     (int)params->border, "round_stages", (int)params->round_stages, "loss_permille",
                     (int)params->loss_permille, "turned_backgrounds", (int)params->turned_backgrounds, "objects",
                     (int)trainer->dataset->object_count, "images", (int)trainer->dataset->image_count, "variation",
                     "mirror", (int)variation->mirror, "shift", (int)variation->shift, "scale", (int)variation->scale,
                     "turn", (int)variation->turn, "contrast", (int)variation->contrast, "blur", (int)variation->blur,
                     "noise", (int)variation->noise);
    if (params->hold_out_percent > 0)
        json_object_set_new(more, "hold_out_percent", json_integer(params->hold_out_percent));
    notes = json_loads(params->notes, 0, NULL);
    if (record == NULL || more == NULL || notes == NULL || json_object_update(record, more) != 0 ||
        json_object_update_missing(record, notes) != 0) {
        json_decref(record);
        record = NULL;
    }
    json_decref(more);
    json_decref(notes);
    return record;
}

enum shw_result shw_cascade_trainer_save(const struct shw_cascade_trainer *trainer, const char *path)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, path);

    struct shw_cascade *cascade = NULL;
    json_t *record;
    char *text = NULL;
    enum shw_result result;

    if (trainer->stage_count == 0)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no stage is trained yet");
    record = shw_cascade_trainer_record(trainer);
    if (json_object_set_new(record, MEMBER,
                            json_pack("{s:i, s:i, s:i, s:b, s:f}", "version", VERSION, "round", (int)trainer->round,
                                      "round_first", (int)trainer->round_first, "finished", (int)trainer->finished,
                                      "seconds", shw_clock() - trainer->start)) == 0)
        text = json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(record);
    result = text != NULL ? shw_cascade_trainer_make(trainer, trainer->stage_count, NULL, text, &cascade)
                          : shw_fail_memory(&trainer->params.log, "a checkpoint");
    if (result == SHW_OK)
        result = shw_cascade_save(cascade, path, &trainer->params.log);
    shw_cascade_destroy(&cascade);
    free(text);
    return result;
}

/* A checkpoint that is read. */
struct source {
    struct shw_cascade_trainer *trainer;
    const char *path;
    const struct shw_cascade_info *info;
};

#define BAD(source, result, format, ...)                                                                               \
    shw_fail(&(source)->trainer->params.log, result, SHW_LOG_CHECKPOINT, "%s: " format, (source)->path, __VA_ARGS__)

static enum shw_result differ(const struct source *source, const char *what, const json_t *then, const json_t *now)
{
    char *old_text = json_dumps(then, JSON_ENCODE_ANY | JSON_COMPACT);
    char *new_text = json_dumps(now, JSON_ENCODE_ANY | JSON_COMPACT);
    enum shw_result result =
        BAD(source, SHW_ERROR_ARGUMENT,
            "this training was begun with other parameters or data: %s was %.80s and is now %.80s", what,
            old_text != NULL ? old_text : "not set", new_text != NULL ? new_text : "not set");

    free(old_text);
    free(new_text);
    return result;
}

/* Everything but the checkpoint's member; what `data` is, is known only when the data have been read. */
static enum shw_result compare(const struct source *source, json_t *then, json_t *now)
{
    const char *key;
    json_t *value;

    json_object_foreach(now, key, value)
    {
        const json_t *old = json_object_get(then, key);
        if (strcmp(key, "data") == 0 && !source->trainer->prepared)
            continue;
        if (old == NULL || !json_equal(old, value))
            return differ(source, key, old, value);
    }
    json_object_foreach(then, key, value) if (strcmp(key, MEMBER) != 0 &&
                                              json_object_get(now, key) == NULL) return differ(source, key, value,
                                                                                               NULL);
    return SHW_OK;
}

static enum shw_result compare_record(const struct source *source, json_t *then)
{
    json_t *now = shw_cascade_trainer_record(source->trainer);
    enum shw_result result =
        now != NULL ? compare(source, then, now) : shw_fail_memory(&source->trainer->params.log, "a checkpoint");

    json_decref(now);
    return result;
}

/* What is not in the record. */
static enum shw_result compare_info(const struct source *source)
{
    const struct shw_cascade_info *info = source->info;
    const struct shw_cascade_trainer_params *params = &source->trainer->params;

    if (info->window_width != params->window_width || info->window_height != params->window_height)
        return BAD(source, SHW_ERROR_ARGUMENT, "this training was begun with a window of %u x %u, not %u x %u",
                   info->window_width, info->window_height, params->window_width, params->window_height);
    if (info->planes.shrink != params->planes.shrink || info->planes.blur_before != params->planes.blur_before ||
        info->planes.blur_after != params->planes.blur_after || info->planes.octaves != params->planes.octaves ||
        info->levels_per_octave != params->levels_per_octave)
        return BAD(source, SHW_ERROR_ARGUMENT, "%s", "this training was begun with other planes or levels");
    if (strcmp(info->name, params->name) != 0)
        return BAD(source, SHW_ERROR_ARGUMENT, "this training was begun for objects called %s, not %s", info->name,
                   params->name);
    if (info->kind != SHW_CASCADE_PIXELS || info->fraction_bits != SHW_BOOSTED_FRACTION_BITS ||
        info->stage_count != info->tree_count || info->stage_count > params->stage_count || info->restarts ||
        info->score_base != 0)
        return BAD(source, SHW_ERROR_FORMAT, "%s", "its stages were not made by training");
    return SHW_OK;
}

/* The stages, of one tree each; those of the last round may be open. */
static enum shw_result take_stages(const struct source *source)
{
    struct shw_cascade_trainer *trainer = source->trainer;
    const struct shw_cascade_info *info = source->info;
    bool open = info->stages[info->stage_count - 1].threshold == SHW_STAGE_OPEN;

    for (uint32_t s = 0; s < info->stage_count; s++) {
        const struct shw_cascade_tree *tree = &info->trees[s];
        if (info->stages[s].tree_count != 1 || tree->node_count > SHW_BOOSTED_NODES_MAX ||
            (info->stages[s].threshold == SHW_STAGE_OPEN) != (open && s >= trainer->round_first))
            return BAD(source, SHW_ERROR_FORMAT, "stage %u was not made by training", s);
        SHW_PROPAGATE(shw_cascade_trainer_add(trainer, info->nodes + tree->first_node, tree->node_count,
                                              info->stages[s].threshold));
    }
    trainer->round_open = open;
    return SHW_OK;
}

/* Scores everything as it was when the checkpoint was written. */
static enum shw_result replay(struct shw_cascade_trainer *trainer)
{
    struct shw_scored_patches *samples = &trainer->samples;

    for (uint32_t s = 0; s < trainer->stage_count; s++) {
        shw_cascade_trainer_score(trainer, s, samples, 0); /* there are no backgrounds yet */
        shw_cascade_trainer_score(trainer, s, &trainer->calibration, 0);
    }
    if (!trainer->round_open)
        return SHW_OK;
    SHW_PROPAGATE(shw_cascade_trainer_mine(trainer));
    for (uint32_t s = trainer->round_first; s < trainer->stage_count; s++)
        shw_cascade_trainer_score(trainer, s, samples, trainer->object_samples);
    return SHW_OK;
}

static enum shw_result load(const struct source *source, json_t *record)
{
    struct shw_cascade_trainer *trainer = source->trainer;
    const json_t *member = json_object_get(record, MEMBER);
    json_int_t version = json_integer_value(json_object_get(member, "version"));
    json_int_t round = json_integer_value(json_object_get(member, "round"));
    json_int_t first = json_integer_value(json_object_get(member, "round_first"));
    double seconds = json_number_value(json_object_get(member, "seconds"));

    if (member == NULL)
        return BAD(source, SHW_ERROR_FORMAT, "%s", "this is a finished cascade, not a checkpoint");
    if (version > VERSION)
        return BAD(source, SHW_ERROR_VERSION, "%s", "this checkpoint was written by a newer version");
    if (version != VERSION || round < 1 || round > UINT32_MAX || first < 0 || first > source->info->stage_count ||
        !(seconds >= 0 && seconds < 1e12))
        return BAD(source, SHW_ERROR_FORMAT, "%s", "the checkpoint's record is not valid");
    SHW_PROPAGATE(compare_info(source));
    SHW_PROPAGATE(compare_record(source, record)); /* before the data are read, which may take long */
    SHW_PROPAGATE(shw_cascade_trainer_prepare(trainer));
    SHW_PROPAGATE(compare_record(source, record));
    trainer->round = (uint32_t)round;
    trainer->round_first = (uint32_t)first;
    SHW_PROPAGATE(take_stages(source));
    SHW_PROPAGATE(replay(trainer));
    trainer->finished = json_is_true(json_object_get(member, "finished"));
    trainer->start = shw_clock() - seconds;
    return trainer->finished ? shw_cascade_trainer_measure(trainer) : SHW_OK;
}

enum shw_result shw_cascade_trainer_load(struct shw_cascade_trainer *trainer, const char *path)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, path);

    struct source source = {.trainer = trainer, .path = path};
    struct shw_cascade *cascade = NULL;
    json_t *record = NULL;
    enum shw_result result;

    if (trainer->prepared)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a checkpoint can only be loaded before training begins");
    if (shw_ktx2_is_other_file(path))
        return shw_fail(&trainer->params.log, SHW_ERROR_FORMAT, SHW_LOG_CHECKPOINT,
                        "%s: this is not a checkpoint, a KTX2 file saved by training", path);
    SHW_TRY(shw_cascade_load(path, &trainer->params.log, &cascade));
    source.info = shw_cascade_get_info(cascade);
    record = json_loads(source.info->training, 0, NULL);
    SHW_TRY(record != NULL ? load(&source, record) : shw_fail_memory(&trainer->params.log, path));

fail:
    json_decref(record);
    shw_cascade_destroy(&cascade);
    return result;
}
