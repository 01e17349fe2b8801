/* The trainer of cascades: parameters, steps, and at the end the quality of the cascade. */
#include "detection/boost/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"

/* What a finished cascade is worth, and its least score. */

#define MILLION UINT64_C(1000000)

/* Scores, least first. */
struct scores {
    int32_t *items;
    uint32_t count;
};

static int compare(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;

    return (first > second) - (first < second);
}

static uint32_t count_from(const struct scores *scores, int32_t least)
{
    uint32_t below = 0;

    while (below < scores->count && scores->items[below] < least)
        below++;
    return scores->count - below;
}

/* Of the copies that were held out and that all stages keep. */
static enum shw_result sort_kept(const struct shw_cascade_trainer *trainer, struct scores *kept)
{
    const struct shw_scored_patches *patches = &trainer->calibration;

    kept->items = malloc(((size_t)patches->count + 1) * sizeof *kept->items);
    if (kept->items == NULL)
        return shw_fail_memory(&trainer->params.log, "scores of objects");
    for (uint32_t i = 0; i < patches->count; i++)
        if (!patches->rejected[i])
            kept->items[kept->count++] = patches->scores[i];
    qsort(kept->items, kept->count, sizeof *kept->items, compare);
    return SHW_OK;
}

/* Of all windows that pass, by a sample of them. */
static uint64_t windows_from(const struct shw_mined *mined, uint32_t sampled)
{
    return mined->count > 0 ? mined->passed * sampled / mined->count : 0;
}

/* The lowest score at which no more windows pass than the target allows. */
static int32_t find_passing(const struct shw_mined *mined, const struct scores *kept, uint32_t target)
{
    uint32_t allowed = 0, count = mined->count;
    int32_t lowest = kept->items[0];

    while (allowed < count && windows_from(mined, allowed + 1) * MILLION <= mined->scanned * target)
        allowed++;
    if (allowed < count)
        return mined->scores[count - 1 - allowed] + 1;
    return count > 0 ? shw_min_i32(lowest, mined->scores[0]) : lowest;
}

static void choose(struct shw_cascade_trainer *trainer, const struct shw_mined *mined, const struct scores *kept)
{
    const struct shw_cascade_trainer_params *params = &trainer->params;
    const struct scores sampled = {mined->scores, mined->count};
    uint32_t copies = trainer->calibration.count;
    uint32_t needed = (uint32_t)(((uint64_t)copies * params->target_recall + 99) / 100);
    struct shw_cascade_quality *quality = &trainer->quality;

    *quality = (struct shw_cascade_quality){.measured = true,
                                            .held_out_objects = copies / params->copies,
                                            .held_out_copies = copies,
                                            .copies_kept = kept->count,
                                            .windows_scanned = mined->scanned,
                                            .windows_passed = mined->passed,
                                            .min_score = find_passing(mined, kept, params->target_pass)};
    quality->met = count_from(kept, quality->min_score) >= needed;
    if (!quality->met)
        quality->min_score = kept->items[kept->count - shw_min_u32(needed, kept->count)];
    quality->copies_found = count_from(kept, quality->min_score);
    quality->windows_found = windows_from(mined, count_from(&sampled, quality->min_score));
}

enum shw_result shw_cascade_trainer_make(const struct shw_cascade_trainer *trainer, uint32_t count,
                                         const int32_t *thresholds, const char *record, struct shw_cascade **cascade)
{
    static const struct shw_cascade_node leaf = {0};
    static const struct shw_cascade_tree one_tree = {0, 1};
    static const struct shw_cascade_stage one_stage = {0, 1, 0};
    const struct shw_cascade_trainer_params *params = &trainer->params;
    struct shw_cascade_stage *stages = malloc((count + 1) * sizeof *stages);
    struct shw_cascade_info info = {.kind = SHW_CASCADE_PIXELS,
                                    .name = params->name,
                                    .window_width = params->window_width,
                                    .window_height = params->window_height,
                                    .fraction_bits = SHW_BOOSTED_FRACTION_BITS,
                                    .planes = params->planes,
                                    .levels_per_octave = params->levels_per_octave,
                                    .stage_count = count > 0 ? count : 1,
                                    .tree_count = count > 0 ? count : 1,
                                    .node_count = 1,
                                    .stages = count > 0 ? stages : &one_stage,
                                    .trees = count > 0 ? trainer->trees : &one_tree,
                                    .nodes = count > 0 ? trainer->nodes : &leaf,
                                    .training = record};
    enum shw_result result;

    if (stages == NULL)
        return shw_fail_memory(&params->log, "a cascade");
    if (count > 0) {
        memcpy(stages, trainer->stages, count * sizeof *stages);
        info.node_count = trainer->trees[count - 1].first_node + trainer->trees[count - 1].node_count;
    }
    for (uint32_t s = trainer->round_first; thresholds != NULL && s < count; s++)
        stages[s].threshold = thresholds[s - trainer->round_first];
    if (trainer->quality.measured) {
        info.has_min_score = true;
        info.min_score = trainer->quality.min_score;
    }
    result = shw_cascade_create(&info, &params->log, cascade);
    free(stages);
    return result;
}

enum shw_result shw_cascade_trainer_measure(struct shw_cascade_trainer *trainer)
{
    struct shw_mining mining = {.images = &trainer->images,
                                .turned = trainer->params.turned_backgrounds,
                                .hold_out_percent = trainer->params.hold_out_percent,
                                .held_out = trainer->params.hold_out_percent > 0,
                                .count = trainer->params.background_count,
                                .seed = trainer->params.seed,
                                .round = trainer->round + 1,
                                .pool = trainer->pool,
                                .workers = &trainer->workers,
                                .stop = &trainer->stop};
    struct shw_mined mined = {0};
    struct shw_cascade *cascade = NULL;
    struct scores kept = {0};
    enum shw_result result;

    if (trainer->quality.measured)
        return SHW_OK;
    SHW_TRY(sort_kept(trainer, &kept));
    SHW_TRY(shw_cascade_trainer_make(trainer, trainer->stage_count, NULL, NULL, &cascade));
    mining.cascade = cascade;
    SHW_TRY(shw_mine(&mining, &mined));
    if (mined.scanned == 0 && mining.held_out) { /* which must not lose what was trained */
        shw_log_message(&trainer->params.log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "the %u percent of the images that are held out have no windows: those that were mined are "
                        "measured",
                        trainer->params.hold_out_percent);
        shw_mined_free(&mined);
        mining.held_out = false;
        SHW_TRY(shw_mine(&mining, &mined));
    }
    qsort(mined.scores, mined.count, sizeof *mined.scores, compare);
    choose(trainer, &mined, &kept);

fail:
    shw_mined_free(&mined);
    shw_cascade_destroy(&cascade);
    free(kept.items);
    return result;
}

/* What was measured and what was asked for, for the provenance. NULL if memory is exhausted. */
static json_t *cascade_trainer_quality_record(const struct shw_cascade_trainer *trainer)
{
    const struct shw_cascade_quality *quality = &trainer->quality;

    return json_pack("{s:b, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I}", "met", (int)quality->met, "target_pass",
                     (int)trainer->params.target_pass, "target_recall", (int)trainer->params.target_recall,
                     "held_out_objects", (int)quality->held_out_objects, "held_out_copies",
                     (int)quality->held_out_copies, "copies_found", (int)quality->copies_found, "windows_scanned",
                     (json_int_t)quality->windows_scanned, "windows_passed", (json_int_t)quality->windows_passed,
                     "windows_found", (json_int_t)quality->windows_found);
}

void shw_cascade_trainer_get_quality(const struct shw_cascade_trainer *trainer, struct shw_cascade_quality *quality)
{
    if (trainer != NULL && quality != NULL)
        *quality = trainer->quality;
}

const char *shw_boosting_name(enum shw_boosting boosting)
{
    switch (boosting) {
    case SHW_BOOSTING_REAL: return "real";
    case SHW_BOOSTING_GENTLE: return "gentle";
    }
    return NULL;
}

static void set_default(uint32_t *value, uint32_t otherwise)
{
    *value = *value != 0 ? *value : otherwise;
}

static void set_defaults(struct shw_cascade_trainer_params *params)
{
    params->name = params->name != NULL && params->name[0] != '\0' ? params->name : "object";
    set_default(&params->window_width, 24);
    set_default(&params->window_height, 24);
    set_default(&params->planes.shrink, 1);
    set_default(&params->levels_per_octave, 8);
    set_default(&params->depth, 2);
    set_default(&params->stage_count, 256);
    set_default(&params->candidates, 500);
    set_default(&params->thresholds, SHW_BOOST_THRESHOLDS_MAX);
    set_default(&params->copies, 1);
    set_default(&params->background_count, 10000);
    set_default(&params->pass_percent, 50);
    set_default(&params->round_stages, 32);
    set_default(&params->calibration_percent, 10);
    set_default(&params->loss_permille, 30);
    set_default(&params->target_pass, 10);
    set_default(&params->target_recall, 80);
}

static enum shw_result check_params(const struct shw_cascade_trainer_params *params)
{
    const struct {
        const char *name;
        uint32_t value, low, high;
    } limits[] = {
        {"window_width", params->window_width, 2, 128},
        {"window_height", params->window_height, 2, 128},
        {"shrink", params->planes.shrink, 1, 16},
        {"levels_per_octave", params->levels_per_octave, 1, 16},
        {"border", params->border, 0, (shw_min_u32(params->window_width, params->window_height) - 1) / 2},
        {"margin", params->margin, 0, 100},
        {"depth", params->depth, 1, SHW_BOOSTED_DEPTH_MAX},
        {"stage_count", params->stage_count, 1, SHW_CASCADE_NODES_MAX / ((2u << params->depth % 16) - 1)},
        {"candidates", params->candidates, 1, 65536},
        {"thresholds", params->thresholds, 1, SHW_BOOST_THRESHOLDS_MAX},
        {"copies", params->copies, 1, 1000},
        {"shift", params->variation.shift, 0, 50},
        {"scale", params->variation.scale, 0, 50},
        {"turn", params->variation.turn, 0, 45},
        {"contrast", params->variation.contrast, 0, 90},
        {"noise", params->variation.noise, 0, 50},
        {"background_count", params->background_count, 1, SHW_BOOST_SAMPLES_MAX / 2},
        {"pass_percent", params->pass_percent, 1, 90},
        {"round_stages", params->round_stages, 1, 65536},
        {"calibration_percent", params->calibration_percent, 1, 50},
        {"loss_permille", params->loss_permille, 0, 500},
        {"hold_out_percent", params->hold_out_percent, 0, 50},
        {"target_pass", params->target_pass, 1, 1000000},
        {"target_recall", params->target_recall, 1, 100},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value < limits[i].low || limits[i].value > limits[i].high)
            return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%s is %u; it can be %u to %u",
                            limits[i].name, limits[i].value, limits[i].low, limits[i].high);
    if (shw_boosting_name(params->boosting) == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "%d is not a value of shw_boosting",
                        (int)params->boosting);
    if (params->variation.mirror || params->copies == 1 || params->variation.shift > 0 || params->variation.scale > 0 ||
        params->variation.turn > 0 || params->variation.contrast > 0 || params->variation.blur ||
        params->variation.noise > 0)
        return SHW_OK;
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                    "%u copies of each object without any variation would all be the same", params->copies);
}

static enum shw_result check_dataset(const struct shw_cascade_dataset *dataset, const struct shw_log *log)
{
    for (uint32_t o = 0; o < dataset->object_count; o++) {
        const struct shw_cascade_object *object = &dataset->objects[o];
        if (object->image >= dataset->image_count || (o > 0 && object->image < object[-1].image))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "object %u is in image %u: images must exist, and objects be sorted by image", o,
                            object->image);
        if (object->width < 1 || object->width > 65535 || object->height < 1 || object->height > 65535 ||
            object->x < -65535 || object->x > 65535 || object->y < -65535 || object->y > 65535)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "object %u has an invalid rectangle", o);
    }
    if (dataset->object_count > 0 && dataset->image_count > 0)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there are no objects to train on");
}

static enum shw_result check_exchange(const struct shw_cascade_trainer_params *params)
{
    const struct shw_train_exchange *exchange = params->exchange;

    if (exchange == NULL)
        return SHW_OK;
    SHW_REFUSE_NULL(&params->log, exchange->gather);
    if (exchange->worker_count < 1 || exchange->worker >= exchange->worker_count)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "worker %u of %u: workers are numbered from 0 on", exchange->worker, exchange->worker_count);
    if (exchange->worker_count > params->candidates)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "%u workers divide %u candidates; there must be at least as many candidates",
                        exchange->worker_count, params->candidates);
    if (exchange->divide != SHW_DIVIDE_CANDIDATES)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "workers divide the candidates of cascades, and mine different images in any case");
    return SHW_OK;
}

static enum shw_result check_notes(const struct shw_cascade_trainer_params *params)
{
    json_t *notes = params->notes != NULL ? json_loads(params->notes, 0, NULL) : json_object();
    bool good = json_is_object(notes);

    json_decref(notes);
    return good
               ? SHW_OK
               : shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "the notes must be a JSON object");
}

static void set_parts(struct shw_cascade_trainer *trainer)
{
    const struct shw_cascade_trainer_params *params = &trainer->params;

    trainer->choice = (struct shw_boosting_choice){.seed = params->seed,
                                                   .boosting = params->boosting,
                                                   .width = params->window_width,
                                                   .height = params->window_height,
                                                   .border = params->border,
                                                   .depth = params->depth,
                                                   .candidates = params->candidates,
                                                   .thresholds = params->thresholds};
    trainer->cutting = (struct shw_object_patches){.width = params->window_width,
                                                   .height = params->window_height,
                                                   .border = params->border,
                                                   .margin = params->margin,
                                                   .planes = params->planes,
                                                   .variation = params->variation,
                                                   .seed = params->seed};
    trainer->points = params->window_width * params->window_height;
}

static void free_patches(struct shw_scored_patches *patches)
{
    free(patches->patches);
    free(patches->scores);
    free(patches->rejected);
}

void shw_cascade_trainer_destroy(struct shw_cascade_trainer **pointer)
{
    struct shw_cascade_trainer *trainer = pointer != NULL ? *pointer : NULL;

    if (trainer == NULL)
        return;
    shw_boost_destroy(&trainer->boost);
    shw_thread_pool_destroy(&trainer->pool);
    shw_grey_images_free(&trainer->images);
    free_patches(&trainer->samples);
    free_patches(&trainer->calibration);
    free(trainer->classes);
    free(trainer->weights);
    free(trainer->leaves);
    free(trainer->stages);
    free(trainer->trees);
    free(trainer->nodes);
    free(trainer->name);
    free(trainer->notes);
    free(trainer);
    *pointer = NULL;
}

enum shw_result shw_cascade_trainer_create_abi(uint32_t abi, const struct shw_cascade_trainer_params *given,
                                               const struct shw_cascade_dataset *dataset,
                                               struct shw_cascade_trainer **result_trainer)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, given);
    SHW_REFUSE_NULL(&given->log, dataset);
    SHW_REFUSE_NULL(&given->log, result_trainer);
    SHW_REFUSE_NULL(&given->log, dataset->read);
    SHW_REFUSE_NULL(&given->log, dataset->release);

    struct shw_cascade_trainer_params params = *given;
    struct shw_boost_params boost;
    struct shw_cascade_trainer *trainer;
    enum shw_result result;

    set_defaults(&params);
    SHW_PROPAGATE(check_params(&params));
    SHW_PROPAGATE(check_notes(&params));
    SHW_PROPAGATE(check_exchange(&params));
    SHW_PROPAGATE(check_dataset(dataset, &params.log));
    trainer = calloc(1, sizeof *trainer);
    if (trainer == NULL)
        return shw_fail_memory(&params.log, "a trainer");
    trainer->params = params;
    trainer->workers = (struct shw_boost_workers){params.exchange, params.log};
    trainer->dataset = dataset;
    trainer->start = shw_clock();
    trainer->params.name = trainer->name = strdup(params.name);
    trainer->params.notes = trainer->notes = strdup(params.notes != NULL ? params.notes : "{}");
    if (trainer->name == NULL || trainer->notes == NULL) {
        result = shw_fail_memory(&params.log, "a trainer");
        goto fail;
    }
    set_parts(trainer);
    SHW_TRY(shw_thread_pool_create(params.threads, &trainer->pool));
    boost = (struct shw_boost_params){.width = params.window_width,
                                      .height = params.window_height,
                                      .technique = params.technique,
                                      .device = params.device,
                                      .pool = trainer->pool,
                                      .memory = params.memory,
                                      .log = params.log};
    SHW_TRY(shw_boost_create(&boost, &trainer->boost));
    *result_trainer = trainer;
    return SHW_OK;

fail:
    shw_cascade_trainer_destroy(&trainer);
    return result;
}

enum shw_technique shw_cascade_trainer_get_technique(const struct shw_cascade_trainer *trainer)
{
    return trainer != NULL ? shw_boost_get_technique(trainer->boost) : SHW_TECHNIQUE_AUTO;
}

void shw_cascade_trainer_interrupt(struct shw_cascade_trainer *trainer)
{
    if (trainer != NULL)
        atomic_store(&trainer->stop, true);
}

enum shw_result shw_cascade_trainer_add(struct shw_cascade_trainer *trainer, const struct shw_cascade_node *nodes,
                                        uint32_t node_count, int32_t threshold)
{
    uint32_t stage = trainer->stage_count;

    if (!SHW_RESERVE(trainer->stages, trainer->stage_capacity, (size_t)stage + 1) ||
        !SHW_RESERVE(trainer->trees, trainer->tree_capacity, (size_t)stage + 1) ||
        !SHW_RESERVE(trainer->nodes, trainer->node_capacity, (size_t)trainer->node_count + node_count))
        return shw_fail_memory(&trainer->params.log, "a stage");
    trainer->stages[stage] = (struct shw_cascade_stage){stage, 1, threshold};
    trainer->trees[stage] = (struct shw_cascade_tree){trainer->node_count, node_count};
    memcpy(trainer->nodes + trainer->node_count, nodes, node_count * sizeof *nodes);
    trainer->node_count += node_count;
    trainer->stage_count++;
    return SHW_OK;
}

/* Grows the next stage, and adds it to the scores. */
static enum shw_result grow(struct shw_cascade_trainer *trainer)
{
    struct shw_scored_patches *samples = &trainer->samples;
    uint32_t objects = trainer->object_samples, stage = trainer->stage_count;
    struct shw_boosting_samples boosted = {samples->patches, trainer->classes, trainer->weights, samples->count};
    struct shw_boosted_tree tree;

    shw_boosting_weigh(samples->scores, samples->rejected, objects, true, trainer->weights);
    shw_boosting_weigh(samples->scores + objects, samples->rejected + objects, samples->count - objects, false,
                       trainer->weights + objects);
    SHW_PROPAGATE(shw_boosting_grow(&trainer->choice, trainer->boost, trainer->pool, &trainer->workers, stage, &boosted,
                                    &tree, trainer->leaves));
    SHW_PROPAGATE(shw_cascade_trainer_add(trainer, tree.nodes, tree.node_count, SHW_STAGE_OPEN));
    for (uint32_t i = 0; i < samples->count; i++)
        samples->scores[i] += tree.nodes[trainer->leaves[i]].value;
    shw_cascade_trainer_score(trainer, stage, &trainer->calibration, 0);
    return SHW_OK;
}

/* Mines, and grows the next stage. */
static enum shw_result advance(struct shw_cascade_trainer *trainer)
{
    if (!trainer->finished && !trainer->round_open) {
        trainer->round++;
        trainer->round_first = trainer->stage_count;
        SHW_PROPAGATE(shw_cascade_trainer_mine(trainer));
        trainer->round_open = !trainer->finished;
    }
    if (trainer->finished)
        return SHW_OK;
    SHW_PROPAGATE(grow(trainer));
    trainer->finished = trainer->stage_count == trainer->params.stage_count;
    return shw_cascade_trainer_end_round(trainer, trainer->finished);
}

enum shw_result shw_cascade_trainer_step(struct shw_cascade_trainer *trainer, bool *finished)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, finished);

    const uint32_t round = trainer->round, first = trainer->round_first;
    enum shw_result result;

    if (atomic_load(&trainer->stop))
        return SHW_ERROR_CANCELLED;
    SHW_PROPAGATE(shw_cascade_trainer_prepare(trainer));
    result = advance(trainer);
    if (result != SHW_OK && trainer->round != round && trainer->stage_count == trainer->round_first) {
        trainer->round = round; /* which has no stage yet: what is saved is the last one */
        trainer->round_first = first;
        trainer->round_open = false;
    }
    SHW_PROPAGATE(result);
    if (trainer->finished)
        SHW_PROPAGATE(shw_cascade_trainer_measure(trainer));
    *finished = trainer->finished;
    return SHW_OK;
}

static uint32_t count_kept(const struct shw_scored_patches *patches, uint32_t first, uint32_t end)
{
    uint32_t kept = 0;

    for (uint32_t i = first; i < end; i++)
        kept += !patches->rejected[i];
    return kept;
}

void shw_cascade_trainer_get_progress(const struct shw_cascade_trainer *trainer, struct shw_cascade_progress *progress)
{
    if (trainer == NULL || progress == NULL)
        return;
    *progress = (struct shw_cascade_progress){
        .stages = trainer->stage_count,
        .stage_count = trainer->params.stage_count,
        .round = trainer->round,
        .objects = count_kept(&trainer->samples, 0, trainer->object_samples),
        .backgrounds = trainer->samples.count - trainer->object_samples,
        .windows_scanned = trainer->scanned,
        .windows_passed = trainer->passed,
        .objects_calibrating = trainer->calibration.count,
        .objects_lost = trainer->calibration.count - count_kept(&trainer->calibration, 0, trainer->calibration.count),
        .backgrounds_left = trainer->backgrounds_left,
        .seconds = shw_clock() - trainer->start,
    };
}

enum shw_result shw_cascade_trainer_get_cascade(const struct shw_cascade_trainer *trainer, struct shw_cascade **cascade)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, cascade);

    int32_t *thresholds = NULL;
    json_t *record = NULL;
    char *text = NULL;
    enum shw_result result = SHW_OK;

    if (trainer->stage_count == 0)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no stage is trained yet");
    if (trainer->round_open) {
        thresholds = malloc((trainer->stage_count - trainer->round_first) * sizeof *thresholds);
        result = thresholds != NULL ? shw_cascade_trainer_thresholds(trainer, thresholds)
                                    : shw_fail_memory(&trainer->params.log, "a cascade");
    }
    record = shw_cascade_trainer_record(trainer);
    if (trainer->quality.measured && record != NULL)
        json_object_set_new(record, "measured", cascade_trainer_quality_record(trainer));
    text = record != NULL ? json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (result == SHW_OK)
        result = text != NULL ? shw_cascade_trainer_make(trainer, trainer->stage_count, thresholds, text, cascade)
                              : shw_fail_memory(&trainer->params.log, "the provenance");
    json_decref(record);
    free(text);
    free(thresholds);
    return result;
}
