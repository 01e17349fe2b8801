#include "bench/labelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/resident.h"
#include "channels/channels.h"
#include "evaluate/evaluate_cpu.h"
#include "evaluate/labeller.h"
#include "integrate/integral.h"

/* A row may take this many times the seconds that are allowed for timing it. */
#define PATIENCE 4

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};

/* One setting being timed. */
struct run {
    struct shw_bench *bench;
    const struct shw_bench_labelling *labelling;
    const struct shw_bench_setting *setting;
    struct shw_forest *forest;
    struct shw_image image;
    struct shw_bench_source source;
    /* by cpu, for comparison */
    int16_t *channels;
    uint32_t *integrals;
    struct shw_labelling labels, other; /* by shw_labeller_run() */
    struct shw_bench_times times;
};

static enum shw_result cpu_channels(void *user)
{
    struct run *run = user;

    return shw_channels_cpu(shw_forest_get_info(run->forest)->channels, &run->image, NULL, run->channels, run->bench->pool);
}

static enum shw_result cpu_integrate(void *user)
{
    struct run *run = user;

    shw_integrate_cpu(run->channels, run->image.width, run->image.height, shw_bench_setting_channels(run->setting),
                      run->integrals, run->bench->pool);
    return SHW_OK;
}

static enum shw_result cpu_evaluate(void *user)
{
    struct run *run = user;
    uint32_t width = run->image.width, height = run->image.height;
    const struct shw_evaluate_tile tile = {.forest = run->forest,
                                           .integrals = run->integrals,
                                           .width = width,
                                           .height = height,
                                           .image = {0, 0, (int32_t)width, (int32_t)height},
                                           .tile_width = width,
                                           .tile_height = height,
                                           .out = run->labels,
                                           .out_width = width,
                                           .out_height = height};

    return shw_evaluate_cpu(&tile, run->bench->pool);
}

static enum shw_result cpu_whole(void *user)
{
    enum shw_result result;

    SHW_TRY(cpu_channels(user));
    SHW_TRY(cpu_integrate(user));
    SHW_TRY(cpu_evaluate(user));

fail:
    return result;
}

static size_t label_bytes(const struct shw_bench_setting *setting)
{
    size_t element = setting->output <= SHW_OUTPUT_FOREST_LEAVES ? sizeof(uint32_t) : sizeof(uint16_t);

    return (size_t)setting->width * setting->height * shw_bench_setting_planes(setting) * element;
}

/* Room for the output that is asked for. */
static bool allocate_labels(const struct shw_bench_setting *setting, struct shw_labelling *labels)
{
    void *room = malloc(label_bytes(setting));

    switch (setting->output) {
    case SHW_OUTPUT_TREE_LEAF: labels->tree_leaf = room; break;
    case SHW_OUTPUT_FOREST_LEAVES: labels->forest_leaves = room; break;
    case SHW_OUTPUT_DISTRIBUTION: labels->distribution = room; break;
    default: labels->argmax = room; break;
    }
    return room != NULL;
}

static const void *labels_of(const struct shw_bench_setting *setting, const struct shw_labelling *labels)
{
    switch (setting->output) {
    case SHW_OUTPUT_TREE_LEAF: return labels->tree_leaf;
    case SHW_OUTPUT_FOREST_LEAVES: return labels->forest_leaves;
    case SHW_OUTPUT_DISTRIBUTION: return labels->distribution;
    default: return labels->argmax;
    }
}

static void free_labels(struct shw_labelling *labels)
{
    free(labels->tree_leaf);
    free(labels->forest_leaves);
    free(labels->distribution);
    free(labels->argmax);
}

/* Image, forest and what cpu makes of them. */
static enum shw_result prepare(struct run *run)
{
    const struct shw_bench_setting *setting = run->setting;
    const struct shw_log *log = &run->bench->log;
    uint32_t channels = shw_bench_setting_channels(setting);
    enum shw_result result;

    SHW_TRY(shw_bench_image(setting->width, setting->height, log, &run->image));
    SHW_TRY(shw_bench_forest(&setting->forest, log, &run->forest));
    run->channels = malloc((size_t)setting->width * setting->height * channels * sizeof *run->channels);
    run->integrals = malloc(shw_integral_size(setting->width, setting->height) * channels * sizeof *run->integrals);
    if (!allocate_labels(setting, &run->labels) || !allocate_labels(setting, &run->other) || run->channels == NULL ||
        run->integrals == NULL)
        return shw_fail_memory(log, "what cpu makes of an image");
    SHW_TRY(cpu_whole(run));
    if (run->bench->device != NULL)
        SHW_TRY(shw_bench_source_create(run->bench, &run->image, &run->source));

fail:
    return result;
}

static void end(struct run *run)
{
    if (run->bench->device != NULL)
        shw_bench_source_destroy(run->bench, &run->source);
    shw_forest_destroy(&run->forest);
    free((void *)(uintptr_t)run->image.pixels);
    free(run->channels);
    free(run->integrals);
    free_labels(&run->labels);
    free_labels(&run->other);
}

static void make_id(const struct run *run, enum shw_bench_stage stage, enum shw_technique technique, char *id, size_t size)
{
    const char *series = run->labelling->series;
    char name[128];

    shw_bench_setting_name(run->setting, stage, name, sizeof name);
    snprintf(id, size, "%s/%s%s%s/%s/%s", run->labelling->suite, shw_bench_stage_names[stage], series != NULL ? "/by-" : "",
             series != NULL ? series : "", name, shw_technique_name(technique));
}

/* Adds a row, and learns from it. */
static enum shw_result add(struct run *run, enum shw_bench_stage stage, enum shw_technique technique, const char *skipped,
                           int equals)
{
    const struct shw_bench_labelling *labelling = run->labelling;
    char id[256];
    struct shw_bench_row row = {.suite = labelling->suite,
                                .stage = shw_bench_stage_names[stage],
                                .technique = shw_technique_name(technique),
                                .title = labelling->title,
                                .series = labelling->series,
                                .id = id,
                                .setting = shw_bench_setting_describe(run->setting, stage),
                                .times = skipped == NULL ? &run->times : NULL,
                                .skipped = skipped,
                                .unit = "images",
                                .equals_cpu = equals,
                                .published = labelling->published[stage],
                                .published_count = labelling->published_count[stage]};

    make_id(run, stage, technique, id, sizeof id);
    row.work = shw_bench_setting_work(run->setting, stage, &row.work_unit);
    if (skipped == NULL && labelling->rates != NULL)
        labelling->rates->rate[stage][technique] = run->times.wall[0] / row.work;
    return shw_bench_add(run->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

/* Whether a row is to be timed: it is wanted, and would not take much too long; of the latter a row tells. */
static bool begin(struct run *run, enum shw_bench_stage stage, enum shw_technique technique, enum shw_result *result)
{
    const struct shw_bench_rates *rates = run->labelling->rates;
    double allowed = 1e3 * PATIENCE * run->bench->options.seconds, expected;
    char id[256], why[96];
    const char *unit;

    if ((run->labelling->stages >> stage & 1) == 0 || *result != SHW_OK)
        return false;
    expected = rates != NULL ? rates->rate[stage][technique] * shw_bench_setting_work(run->setting, stage, &unit) : 0;
    if (SHW_BENCH_RUNS_LEAST * expected > allowed) {
        snprintf(why, sizeof why, "about %.1f s a run; --seconds %.0f would time it", 1e-3 * expected,
                 1e-3 * SHW_BENCH_RUNS_LEAST * expected / PATIENCE + 1);
        *result = add(run, stage, technique, why, -1);
        return false;
    }
    make_id(run, stage, technique, id, sizeof id);
    shw_bench_say(run->bench, "%s", id);
    return true;
}

static enum shw_result time_cpu(struct run *run)
{
    static enum shw_result (*const functions[])(void *) = {cpu_channels, cpu_integrate, cpu_evaluate, cpu_whole};
    enum shw_result result = SHW_OK;

    for (int s = 0; s <= SHW_BENCH_STAGE_WHOLE; s++) {
        const struct shw_bench_work work = {.run = functions[s], .user = run};
        enum shw_bench_stage stage = (enum shw_bench_stage)s;
        if (!begin(run, stage, SHW_TECHNIQUE_CPU, &result))
            continue;
        SHW_TRY(shw_bench_time(run->bench, &work, &run->times));
        SHW_TRY(add(run, stage, SHW_TECHNIQUE_CPU, NULL, 1));
    }

fail:
    return result;
}

static enum shw_bench_planes result_planes(uint32_t output)
{
    return output == SHW_OUTPUT_DISTRIBUTION ? SHW_BENCH_DISTRIBUTION
           : output == SHW_OUTPUT_ARGMAX     ? SHW_BENCH_ARGMAX
                                             : SHW_BENCH_LEAVES;
}

/* The rows of the stages that a failure is about. */
static enum shw_result add_skipped(struct run *run, enum shw_technique technique, const char *why, int first, int last)
{
    enum shw_result result = SHW_OK;

    for (int s = first; s <= last && result == SHW_OK; s++)
        if ((run->labelling->stages >> s & 1) != 0)
            result = add(run, (enum shw_bench_stage)s, technique, why, -1);
    return result;
}

static enum shw_result time_stages(struct run *run, enum shw_technique technique)
{
    static void (*const functions[])(void *, VkCommandBuffer) = {shw_bench_record_channels, shw_bench_record_integrate,
                                                                 shw_bench_record_evaluate};
    const void *host[] = {run->channels, run->integrals, labels_of(run->setting, &run->labels)};
    const enum shw_bench_planes planes[] = {SHW_BENCH_CHANNELS, SHW_BENCH_INTEGRALS, result_planes(run->setting->output)};
    uint32_t channels = shw_bench_setting_channels(run->setting);
    const uint32_t counts[] = {channels, channels, shw_bench_setting_planes(run->setting)};
    struct shw_bench_resident resident = {0};
    int s = 0;
    bool equal;
    enum shw_result result = SHW_OK;

    SHW_TRY(shw_bench_resident_create(run->bench, technique, run->forest, run->setting->output, &run->source, &resident));
    for (; s <= SHW_BENCH_STAGE_EVALUATE; s++) {
        const struct shw_bench_work work = {.record = functions[s], .user = &resident};
        enum shw_bench_stage stage = (enum shw_bench_stage)s;
        if (!begin(run, stage, technique, &result))
            continue;
        SHW_TRY(shw_bench_time(run->bench, &work, &run->times));
        SHW_TRY(shw_bench_resident_equals(&resident, planes[s], host[s], counts[s], &equal));
        SHW_TRY(add(run, stage, technique, NULL, equal));
    }

fail:
    shw_bench_resident_destroy(&resident);
    return shw_bench_is_skip(result) ? add_skipped(run, technique, run->bench->message, s, SHW_BENCH_STAGE_EVALUATE) : result;
}

/* The stages as a labeller records them, one after the other. */
struct whole {
    struct shw_labeller *labeller;
    struct shw_image_use source;
};

static void record_whole(void *user, VkCommandBuffer commands)
{
    struct whole *whole = user;
    const struct shw_label_targets nowhere = {0};

    shw_labeller_record(whole->labeller, commands, 0, &whole->source, &nowhere);
}

static struct shw_labeller_params labeller_params(const struct run *run, enum shw_technique technique)
{
    return (struct shw_labeller_params){.forest = run->forest,
                                        .device = technique != SHW_TECHNIQUE_CPU ? run->bench->device : NULL,
                                        .outputs = run->setting->output,
                                        .channels = technique,
                                        .integrate = technique,
                                        .evaluate = technique,
                                        .log = run->bench->log};
}

static enum shw_result time_whole(struct run *run, enum shw_technique technique)
{
    const struct shw_bench_setting *setting = run->setting;
    struct shw_labeller_params params = labeller_params(run, technique);
    struct whole whole = {
        .source = {
            .image = run->source.image.handle,
            .view = run->source.view,
            .format = run->source.image.format,
            .extent = {setting->width, setting->height},
            .before = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT},
            .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT}}};
    const struct shw_bench_work work = {.record = record_whole, .user = &whole};
    const struct shw_evaluate_slot *slot;
    bool equal;
    enum shw_result result = SHW_OK;

    if (!begin(run, SHW_BENCH_STAGE_WHOLE, technique, &result))
        return result;
    params.width = setting->width;
    params.height = setting->height;
    SHW_TRY(shw_labeller_create(&params, &whole.labeller));
    SHW_TRY(shw_bench_time(run->bench, &work, &run->times));
    slot = whole.labeller->frame.evaluate_stage.slot;
    SHW_TRY(shw_bench_planes_equal(run->bench,
                                   setting->output == SHW_OUTPUT_DISTRIBUTION ? &slot->distribution
                                   : setting->output == SHW_OUTPUT_ARGMAX     ? &slot->argmax
                                                                              : &slot->leaves,
                                   technique, shw_use_copy_source, setting->width, setting->height,
                                   shw_bench_setting_planes(setting), labels_of(setting, &run->labels), &equal));
    SHW_TRY(add(run, SHW_BENCH_STAGE_WHOLE, technique, NULL, equal));

fail:
    shw_labeller_destroy(&whole.labeller);
    return shw_bench_is_skip(result)
               ? add_skipped(run, technique, run->bench->message, SHW_BENCH_STAGE_WHOLE, SHW_BENCH_STAGE_WHOLE)
               : result;
}

/* From host to host. */
struct label {
    struct run *run;
    struct shw_labeller *labeller;
};

static enum shw_result label(void *user)
{
    struct label *job = user;

    return shw_labeller_run(job->labeller, &job->run->image, &job->run->other);
}

static enum shw_result time_label(struct run *run, enum shw_technique technique)
{
    struct shw_labeller_params params = labeller_params(run, technique);
    struct label job = {.run = run};
    const struct shw_bench_work work = {.run = label, .user = &job};
    enum shw_result result = SHW_OK;

    if (!begin(run, SHW_BENCH_STAGE_LABEL, technique, &result))
        return result;
    SHW_TRY(shw_labeller_create(&params, &job.labeller));
    SHW_TRY(shw_bench_time(run->bench, &work, &run->times));
    SHW_TRY(
        add(run, SHW_BENCH_STAGE_LABEL, technique, NULL,
            memcmp(labels_of(run->setting, &run->labels), labels_of(run->setting, &run->other), label_bytes(run->setting)) == 0));

fail:
    shw_labeller_destroy(&job.labeller);
    return shw_bench_is_skip(result)
               ? add_skipped(run, technique, run->bench->message, SHW_BENCH_STAGE_LABEL, SHW_BENCH_STAGE_LABEL)
               : result;
}

static enum shw_result time_techniques(struct run *run)
{
    enum shw_result result = SHW_OK;

    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++) {
        if (!shw_bench_wants(run->bench, techniques[t]))
            continue;
        if (techniques[t] == SHW_TECHNIQUE_CPU) {
            SHW_TRY(time_cpu(run));
        } else {
            SHW_TRY(time_stages(run, techniques[t]));
            SHW_TRY(time_whole(run, techniques[t]));
        }
        SHW_TRY(time_label(run, techniques[t]));
    }

fail:
    return result;
}

static enum shw_result skip_all(struct run *run, const char *why)
{
    enum shw_result result = SHW_OK;

    for (size_t t = 0; t < sizeof techniques / sizeof *techniques && result == SHW_OK; t++)
        if (shw_bench_wants(run->bench, techniques[t]))
            result = add_skipped(run, techniques[t], why, 0, SHW_BENCH_STAGE_LABEL);
    return result;
}

enum shw_result shw_bench_time_labelling(struct shw_bench *bench, const struct shw_bench_labelling *labelling)
{
    struct run *run = calloc(1, sizeof *run);
    enum shw_result result;

    if (run == NULL)
        return shw_fail_memory(&bench->log, "a run of the bench");
    run->bench = bench;
    run->labelling = labelling;
    run->setting = &labelling->setting;
    result = labelling->skipped == NULL ? prepare(run) : SHW_OK;
    if (result == SHW_OK && labelling->skipped == NULL)
        result = time_techniques(run);
    else if (result == SHW_OK || shw_bench_is_skip(result))
        result = skip_all(run, labelling->skipped != NULL ? labelling->skipped : bench->message);
    end(run);
    free(run);
    return result;
}
