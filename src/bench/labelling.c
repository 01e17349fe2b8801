#include "bench/labelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/frame.h"
#include "bench/plugin.h"
#include "dense/label/labeller.h"

/* A row may take this many times the seconds allowed for timing it. */
#define PATIENCE 4

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};

/* A setting being timed. */
struct run {
    struct shw_bench_frame frame;
    const struct shw_bench_labelling *labelling;
    struct shw_bench_times times;
    uint32_t custom_number; /* of frame.custom */
};

static const char *name_of(const struct run *run, enum shw_technique technique)
{
    return run->frame.custom != NULL ? run->frame.custom->name : shw_technique_name(technique);
}

/* The index of its rates. */
static uint32_t rate_of(const struct run *run, enum shw_technique technique)
{
    return run->frame.custom != NULL ? SHW_TECHNIQUE_BLEND + run->custom_number : (uint32_t)technique;
}

/* For a custom technique, only its own stage is timed, and the frame with it: on the device, the whole. */
static bool is_wanted(const struct run *run, enum shw_bench_stage stage)
{
    if ((run->labelling->stages >> stage & 1) == 0)
        return false;
    if (run->frame.custom == NULL)
        return true;
    return stage == SHW_BENCH_STAGE_WHOLE
               ? run->frame.custom->form != SHW_PLANES_HOST
               : stage == SHW_BENCH_STAGE_LABEL || (int)stage == (int)run->frame.custom->stage;
}

static void make_id(const struct run *run, enum shw_bench_stage stage, enum shw_technique technique, char *id,
                    size_t size)
{
    const char *series = run->labelling->series;
    char name[128];

    shw_bench_setting_name(run->frame.setting, stage, name, sizeof name);
    snprintf(id, size, "%s/%s%s%s/%s/%s", run->labelling->suite, shw_bench_stage_names[stage],
             series != NULL ? "/by-" : "", series != NULL ? series : "", name, name_of(run, technique));
}

/* Adds a row, and updates the rates by it. */
static enum shw_result add(struct run *run, enum shw_bench_stage stage, enum shw_technique technique,
                           const char *skipped, int equals)
{
    const struct shw_bench_labelling *labelling = run->labelling;
    char id[256];
    struct shw_bench_row row = {.suite = labelling->suite,
                                .stage = shw_bench_stage_names[stage],
                                .technique = name_of(run, technique),
                                .custom = run->frame.custom != NULL,
                                .title = labelling->title,
                                .series = labelling->series,
                                .id = id,
                                .setting = shw_bench_setting_describe(run->frame.setting, stage),
                                .times = skipped == NULL ? &run->times : NULL,
                                .skipped = skipped,
                                .unit = "images",
                                .equals_cpu = equals,
                                .published = labelling->published[stage],
                                .published_count = labelling->published_count[stage]};

    make_id(run, stage, technique, id, sizeof id);
    row.work = shw_bench_setting_work(run->frame.setting, stage, &row.work_unit);
    if (skipped == NULL && labelling->rates != NULL)
        labelling->rates->rate[stage][rate_of(run, technique)] = run->times.wall[0] / row.work;
    return shw_bench_add(run->frame.bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

/* Whether to time a row: it is requested, and would not take much too long, which is otherwise reported in a row. */
static bool begin(struct run *run, enum shw_bench_stage stage, enum shw_technique technique, enum shw_result *result)
{
    const struct shw_bench_rates *rates = run->labelling->rates;
    double allowed = 1e3 * PATIENCE * run->frame.bench->options.seconds, expected;
    char id[256], why[96];
    const char *unit;

    if (!is_wanted(run, stage) || *result != SHW_OK)
        return false;
    expected = rates != NULL ? rates->rate[stage][rate_of(run, technique)] *
                                   shw_bench_setting_work(run->frame.setting, stage, &unit)
                             : 0;
    if (SHW_BENCH_RUNS_LEAST * expected > allowed) {
        snprintf(why, sizeof why, "about %.1f s per run; use --seconds %.0f to time it", 1e-3 * expected,
                 1e-3 * SHW_BENCH_RUNS_LEAST * expected / PATIENCE + 1);
        *result = add(run, stage, technique, why, -1);
        return false;
    }
    make_id(run, stage, technique, id, sizeof id);
    shw_bench_say(run->frame.bench, "%s", id);
    return true;
}

static enum shw_result time_cpu(struct run *run)
{
    static enum shw_result (*const functions[])(void *) = {shw_bench_cpu_channels, shw_bench_cpu_integrate,
                                                           shw_bench_cpu_evaluate, shw_bench_cpu_whole};
    enum shw_result result = SHW_OK;

    for (int s = 0; s <= SHW_BENCH_STAGE_WHOLE; s++) {
        const struct shw_bench_work work = {.run = functions[s], .user = &run->frame};
        enum shw_bench_stage stage = (enum shw_bench_stage)s;
        if (!begin(run, stage, SHW_TECHNIQUE_CPU, &result))
            continue;
        SHW_PROPAGATE(shw_bench_time(run->frame.bench, &work, &run->times));
        SHW_PROPAGATE(add(run, stage, SHW_TECHNIQUE_CPU, NULL, 1));
    }
    return result;
}

static const char *result_planes(uint32_t output)
{
    return output == SHW_OUTPUT_DISTRIBUTION ? SHW_DISTRIBUTION : output == SHW_OUTPUT_ARGMAX ? SHW_ARGMAX : SHW_LEAVES;
}

/* The rows of the stages that a failure affects. */
static enum shw_result add_skipped(struct run *run, enum shw_technique technique, const char *why, int first, int last)
{
    enum shw_result result = SHW_OK;

    for (int s = first; s <= last && result == SHW_OK; s++)
        if (is_wanted(run, (enum shw_bench_stage)s))
            result = add(run, (enum shw_bench_stage)s, technique, why, -1);
    return result;
}

static enum shw_result time_stages(struct run *run, enum shw_technique technique)
{
    static void (*const functions[])(void *, VkCommandBuffer) = {shw_bench_record_channels, shw_bench_record_integrate,
                                                                 shw_bench_record_evaluate};
    const char *const planes[] = {SHW_CHANNELS, SHW_INTEGRALS, result_planes(run->frame.setting->output)};
    uint32_t channels = shw_bench_setting_channels(run->frame.setting);
    const uint32_t counts[] = {channels, channels, shw_bench_setting_planes(run->frame.setting)};
    struct shw_bench_resident resident = {0};
    int s = 0;
    bool equal;
    enum shw_result result = SHW_OK;

    SHW_TRY(shw_bench_resident_create(run->frame.bench, technique, run->frame.custom, run->frame.forest,
                                      run->frame.setting->output, run->frame.sources, run->frame.all.count, &resident));
    for (; s <= SHW_BENCH_STAGE_EVALUATE; s++) {
        const struct shw_bench_work work = {.record = functions[s],
                                            .user = &resident,
                                            .most = s == SHW_BENCH_STAGE_CHANNELS ? resident.pipeline.slots : 0};
        enum shw_bench_stage stage = (enum shw_bench_stage)s;
        if (!begin(run, stage, technique, &result))
            continue;
        SHW_TRY(shw_bench_time(run->frame.bench, &work, &run->times));
        SHW_TRY(shw_bench_resident_equals(&resident, planes[s], shw_bench_frame_result(&run->frame, (enum shw_stage)s),
                                          counts[s], &equal));
        SHW_TRY(add(run, stage, technique, NULL, equal));
    }

fail:
    shw_bench_resident_destroy(&resident);
    return shw_bench_is_skip(result)
               ? add_skipped(run, technique, run->frame.bench->message, s, SHW_BENCH_STAGE_EVALUATE)
               : result;
}

/* The stages as a labeller records them, one after the other. */
struct whole {
    struct shw_labeller *labeller;
    struct shw_input inputs[SHW_BENCH_INPUTS_MAX];
    struct shw_inputs all;
    uint32_t slots, slot; /* and which was recorded last */
};

static void record_whole(void *user, VkCommandBuffer commands)
{
    struct whole *whole = user;

    whole->slot = (whole->slot + 1) % whole->slots;
    shw_labeller_record_planes(whole->labeller, commands, whole->slot, &whole->all);
}

static struct shw_labeller_params labeller_params(const struct run *run, enum shw_technique technique)
{
    struct shw_labeller_params params = {.forest = run->frame.forest,
                                         .device =
                                             shw_technique_needs_device(technique) ? run->frame.bench->device : NULL,
                                         .outputs = run->frame.setting->output,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .log = run->frame.bench->log};
    enum shw_technique *const stages[] = {&params.channels, &params.integrate, &params.evaluate};

    if (run->frame.custom != NULL) {
        *stages[run->frame.custom->stage] = SHW_TECHNIQUE_CUSTOM;
        params.custom[run->frame.custom->stage] = run->frame.custom;
    }
    return params;
}

static struct shw_input use_of(const struct shw_bench_source *source)
{
    return (struct shw_input){.name = source->name,
                              .use = {.image = source->image.handle,
                                      .view = source->view,
                                      .format = source->image.format,
                                      .extent = {source->image.width, source->image.height},
                                      .before = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT},
                                      .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT}}};
}

static enum shw_result time_whole(struct run *run, enum shw_technique technique)
{
    const struct shw_bench_setting *setting = run->frame.setting;
    struct shw_labeller_params params = labeller_params(run, technique);
    struct whole whole = {.all = {run->frame.all.count, whole.inputs}};
    struct shw_bench_work work = {.record = record_whole, .user = &whole};
    bool equal;
    enum shw_result result = SHW_OK;

    if (!begin(run, SHW_BENCH_STAGE_WHOLE, technique, &result))
        return result;
    for (uint32_t i = 0; i < whole.all.count; i++)
        whole.inputs[i] = use_of(&run->frame.sources[i]);
    params.width = setting->width;
    params.height = setting->height;
    params.slots = whole.slots = work.most =
        shw_bench_slots(run->frame.bench, run->frame.forest, setting->width, setting->height);
    SHW_TRY(shw_labeller_create(&params, &whole.labeller));
    SHW_TRY(shw_bench_time(run->frame.bench, &work, &run->times));
    SHW_TRY(shw_bench_planes_equal(run->frame.bench, &whole.labeller->pipeline, result_planes(setting->output),
                                   whole.slot, setting->width, setting->height, shw_bench_setting_planes(setting),
                                   shw_bench_labels(setting, &run->frame.labels), &equal));
    SHW_TRY(add(run, SHW_BENCH_STAGE_WHOLE, technique, NULL, equal));

fail:
    shw_labeller_destroy(&whole.labeller);
    return shw_bench_is_skip(result)
               ? add_skipped(run, technique, run->frame.bench->message, SHW_BENCH_STAGE_WHOLE, SHW_BENCH_STAGE_WHOLE)
               : result;
}

/* From host memory to host memory. */
struct label {
    struct run *run;
    struct shw_labeller *labeller;
};

static enum shw_result label(void *user)
{
    struct label *job = user;

    return shw_labeller_run(job->labeller, &job->run->frame.all, &job->run->frame.other);
}

static enum shw_result time_label(struct run *run, enum shw_technique technique)
{
    struct shw_labeller_params params = labeller_params(run, technique);
    struct label job = {.run = run};
    const struct shw_bench_work work = {.run = label, .user = &job};
    enum shw_result result = SHW_OK;

    if (!begin(run, SHW_BENCH_STAGE_LABEL, technique, &result))
        return result;
    memset((void *)(uintptr_t)shw_bench_labels(run->frame.setting, &run->frame.other), 0xa5,
           shw_bench_label_bytes(run->frame.setting)); /* the previous technique's labels must not pass for a result */
    SHW_TRY(shw_labeller_create(&params, &job.labeller));
    SHW_TRY(shw_bench_time(run->frame.bench, &work, &run->times));
    SHW_TRY(add(run, SHW_BENCH_STAGE_LABEL, technique, NULL,
                memcmp(shw_bench_labels(run->frame.setting, &run->frame.labels),
                       shw_bench_labels(run->frame.setting, &run->frame.other),
                       shw_bench_label_bytes(run->frame.setting)) == 0));

fail:
    shw_labeller_destroy(&job.labeller);
    return shw_bench_is_skip(result)
               ? add_skipped(run, technique, run->frame.bench->message, SHW_BENCH_STAGE_LABEL, SHW_BENCH_STAGE_LABEL)
               : result;
}

static enum shw_result time_host_stage(struct run *run)
{
    const struct shw_bench_work work = {.run = shw_bench_custom_stage, .user = &run->frame};
    enum shw_bench_stage stage = (enum shw_bench_stage)run->frame.custom->stage;
    bool equal = false;
    enum shw_result result = SHW_OK;

    if (!begin(run, stage, SHW_TECHNIQUE_CPU, &result))
        return result;
    shw_bench_custom_spoil(&run->frame);
    result = shw_bench_time(run->frame.bench, &work, &run->times);
    if (result == SHW_OK)
        result = shw_bench_custom_equals(&run->frame, &equal);
    if (result == SHW_OK)
        result = add(run, stage, SHW_TECHNIQUE_CPU, NULL, equal);
    return shw_bench_is_skip(result)
               ? add_skipped(run, SHW_TECHNIQUE_CPU, run->frame.bench->message, (int)stage, (int)stage)
               : result;
}

/* Selects custom technique `number`, if it is requested and possible. */
static bool take_custom(struct run *run, uint32_t number)
{
    const struct shw_bench *bench = run->frame.bench;

    run->frame.custom = bench->plugins->techniques[number];
    run->custom_number = number;
    if (run->frame.setting->forest.feature->reads != SHW_FEATURE_READS_INTEGRALS) { /* not asked of callers */
        run->frame.custom = NULL;
        return false;
    }
    if ((run->frame.custom->form == SHW_PLANES_HOST || bench->device != NULL) &&
        (bench->options.techniques == 0 || (bench->options.techniques & SHW_BENCH_CUSTOM_BIT(number)) != 0))
        return true;
    run->frame.custom = NULL;
    return false;
}

static enum shw_result time_custom(struct run *run)
{
    uint32_t count = run->frame.bench->plugins != NULL ? run->frame.bench->plugins->technique_count : 0;
    enum shw_technique technique;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < count; i++) {
        if (!take_custom(run, i))
            continue;
        technique = shw_registry_of_form(run->frame.custom->form);
        if (run->frame.custom->form == SHW_PLANES_HOST) {
            SHW_TRY(time_host_stage(run));
        } else {
            SHW_TRY(time_stages(run, technique));
            SHW_TRY(time_whole(run, technique));
        }
        SHW_TRY(time_label(run, technique));
    }

fail:
    run->frame.custom = NULL;
    return result;
}

static enum shw_result time_techniques(struct run *run)
{
    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++) {
        if (!shw_bench_wants(run->frame.bench, techniques[t]))
            continue;
        if (!shw_technique_needs_device(techniques[t])) {
            SHW_PROPAGATE(time_cpu(run));
        } else {
            SHW_PROPAGATE(time_stages(run, techniques[t]));
            SHW_PROPAGATE(time_whole(run, techniques[t]));
        }
        SHW_PROPAGATE(time_label(run, techniques[t]));
    }
    return time_custom(run);
}

static enum shw_result skip_all(struct run *run, const char *why)
{
    enum shw_result result = SHW_OK;

    for (size_t t = 0; t < sizeof techniques / sizeof *techniques && result == SHW_OK; t++)
        if (shw_bench_wants(run->frame.bench, techniques[t]))
            result = add_skipped(run, techniques[t], why, 0, SHW_BENCH_STAGE_LABEL);
    for (uint32_t i = 0;
         run->frame.bench->plugins != NULL && i < run->frame.bench->plugins->technique_count && result == SHW_OK; i++)
        if (take_custom(run, i))
            result = add_skipped(run, shw_registry_of_form(run->frame.custom->form), why, 0, SHW_BENCH_STAGE_LABEL);
    return result;
}

enum shw_result shw_bench_time_labelling(struct shw_bench *bench, const struct shw_bench_labelling *labelling)
{
    struct run *run = calloc(1, sizeof *run);
    enum shw_result result;

    if (run == NULL)
        return shw_fail_memory(&bench->log, "a run of the bench");
    run->frame.bench = bench;
    run->labelling = labelling;
    run->frame.setting = &labelling->setting;
    result = labelling->skipped == NULL ? shw_bench_frame_create(&run->frame) : SHW_OK;
    if (result == SHW_OK && labelling->skipped == NULL)
        result = time_techniques(run);
    else if (result == SHW_OK || shw_bench_is_skip(result))
        result = skip_all(run, labelling->skipped != NULL ? labelling->skipped : bench->message);
    shw_bench_frame_destroy(&run->frame);
    free(run);
    return result;
}
