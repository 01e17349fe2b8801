#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/bench.h"
#include "bench/labelling.h"
#include "bench/resident.h"
#include "bench/setting.h"
#include "dense/label/labeller.h"
#include "dense/pipeline/registry.h"

struct shw_bench_frame {
    struct shw_bench *bench;
    const struct shw_bench_setting *setting;
    struct shw_forest *forest; /* the setting's, or random; likewise the inputs */
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_inputs all;
    struct shw_bench_source sources[SHW_INPUTS_MAX]; /* the same, if there is a device */
    /* by cpu, for comparison */
    struct shw_pipeline cpu;
    struct shw_labelling labels;
    struct shw_labelling other; /* memory for the results of others: the output of the setting */
    const struct shw_stage_technique
        *custom; /* the current one, instead of the built-in one of its stage; NULL: none */
};

static enum shw_result run_cpu(struct shw_bench_frame *frame, enum shw_stage stage, const struct shw_labelling *out)
{
    const struct shw_tile whole = shw_tile_whole(frame->setting->width, frame->setting->height);
    struct shw_chosen_inputs inputs = {{NULL}};
    uint32_t index = shw_pipeline_index(&frame->cpu, stage);

    if (index == frame->cpu.stage_count) /* this forest does not need it */
        return SHW_OK;
    for (uint32_t i = 0; i < frame->all.count; i++)
        inputs.of[i] = &frame->inputs[i];
    return shw_pipeline_run_host(&frame->cpu, index, &whole, &inputs, out);
}

/* The stages by cpu, for shw_bench_work: `user` is the frame. Each reads the result of the previous one. */
static enum shw_result cpu_channels(void *user)
{
    struct shw_bench_frame *frame = user;

    return run_cpu(frame, SHW_STAGE_CHANNELS, &frame->labels);
}

static enum shw_result cpu_integrate(void *user)
{
    struct shw_bench_frame *frame = user;

    return run_cpu(frame, SHW_STAGE_INTEGRATE, &frame->labels);
}

static enum shw_result cpu_evaluate(void *user)
{
    struct shw_bench_frame *frame = user;

    return run_cpu(frame, SHW_STAGE_EVALUATE, &frame->labels);
}

static enum shw_result cpu_whole(void *user)
{
    SHW_PROPAGATE(cpu_channels(user));
    SHW_PROPAGATE(cpu_integrate(user));
    return cpu_evaluate(user);
}

static size_t label_bytes(const struct shw_bench_setting *setting)
{
    size_t element = setting->output <= SHW_OUTPUT_FOREST_LEAVES ? sizeof(uint32_t) : sizeof(uint16_t);

    return (size_t)setting->width * setting->height * shw_bench_setting_planes(setting) * element;
}

/* Memory for the requested output. */
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

/* The planes of the setting's output, and their bytes. */
static const void *shw_bench_labels(const struct shw_bench_setting *setting, const struct shw_labelling *labels)
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

/* The setting's content, or random content: the forest, and the inputs that it reads. */
static enum shw_result make_content(struct shw_bench_frame *frame)
{
    const struct shw_bench_setting *setting = frame->setting;
    const struct shw_log *log = &frame->bench->log;

    frame->inputs[0].name = SHW_COLOUR;
    frame->all = (struct shw_inputs){1, frame->inputs};
    if (setting->trained != NULL) {
        frame->inputs[0].image = setting->trained->image;
        frame->forest = setting->trained->forest;
        return SHW_OK;
    }
    SHW_PROPAGATE(shw_bench_image(setting->width, setting->height, log, &frame->inputs[0].image));
    SHW_PROPAGATE(shw_bench_forest(&setting->forest, log, &frame->forest));
    for (const char *name; (name = shw_forest_get_input(frame->forest, frame->all.count)) != NULL;) {
        struct shw_input *input = &frame->inputs[frame->all.count++];

        input->name = name;
        SHW_PROPAGATE(strcmp(name, SHW_DEPTH) == 0
                          ? shw_bench_depth(setting->width, setting->height, setting->forest.fill > SHW_FILL_NONE, log,
                                            &input->image)
                          : shw_bench_plane(setting->width, setting->height, frame->all.count - 1, log, &input->image));
    }
    return SHW_OK;
}

/* Initialises a frame whose bench and setting are set. On failure it only needs to be destroyed. Errors: MEMORY,
 * DEVICE_MEMORY, LIMIT, DEVICE_LOST. */
static enum shw_result frame_create(struct shw_bench_frame *frame)
{
    const struct shw_bench_setting *setting = frame->setting;
    const struct shw_log *log = &frame->bench->log;
    struct shw_pipeline_params params = {
        .outputs = setting->output, .pool = frame->bench->pool, .keeps_integrals = frame->custom != NULL, .log = *log};

    SHW_PROPAGATE(make_content(frame));
    if (!allocate_labels(setting, &frame->labels) || !allocate_labels(setting, &frame->other))
        return shw_fail_memory(log, "the result of cpu");
    params.forest = frame->forest;
    params.fill = shw_forest_get_info(frame->forest)->fill;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        params.techniques[s] = shw_registry_find((enum shw_stage)s, SHW_TECHNIQUE_CPU);
    shw_pipeline_begin(&params, &frame->cpu);
    SHW_PROPAGATE(shw_pipeline_host_planes(&frame->cpu, setting->width, setting->height));
    SHW_PROPAGATE(cpu_whole(frame));
    for (uint32_t i = 0; i < frame->all.count && frame->bench->device != NULL; i++)
        SHW_PROPAGATE(shw_bench_source_create(frame->bench, &frame->inputs[i], &frame->sources[i]));
    return SHW_OK;
}

static void frame_destroy(struct shw_bench_frame *frame)
{
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++) {
        if (frame->bench->device != NULL)
            shw_bench_source_destroy(frame->bench, &frame->sources[i]);
        if (frame->setting->trained == NULL)
            free((void *)(uintptr_t)frame->inputs[i].image.pixels);
    }
    if (frame->setting->trained == NULL)
        shw_forest_destroy(&frame->forest);
    shw_pipeline_end(&frame->cpu);
    free_labels(&frame->labels);
    free_labels(&frame->other);
}

/* What cpu has made in a stage. */
static const void *frame_result(const struct shw_bench_frame *frame, enum shw_stage stage)
{
    uint32_t index = shw_pipeline_index(&frame->cpu, stage);

    return stage == SHW_STAGE_EVALUATE ? shw_bench_labels(frame->setting, &frame->labels)
                                       : frame->cpu.planes[index].host;
}

/* Where the caller's technique writes, and how many bytes. */
static void *custom_result(const struct shw_bench_frame *frame, size_t *size)
{
    enum shw_stage stage = frame->custom->stage;
    uint32_t index = shw_pipeline_index(&frame->cpu, stage);

    *size = stage == SHW_STAGE_EVALUATE ? label_bytes(frame->setting) : frame->cpu.planes[index].host_size;
    return stage == SHW_STAGE_EVALUATE ? (void *)(uintptr_t)shw_bench_labels(frame->setting, &frame->other)
                                       : frame->cpu.planes[index].host;
}

/* The stage of a custom technique on the host: writes to the same memory as cpu, labels to `other`. */
static enum shw_result custom_stage(void *user)
{
    struct shw_bench_frame *frame = user;
    struct shw_pipeline_stage *stage = &frame->cpu.stages[shw_pipeline_index(&frame->cpu, frame->custom->stage)];
    const struct shw_stage_technique *ours = stage->technique;
    enum shw_result result;

    stage->technique = frame->custom;
    result = run_cpu(frame, frame->custom->stage, &frame->other);
    stage->technique = ours;
    return result;
}

/* Before it: clears the memory, so that old contents cannot be mistaken for its result. */
static void custom_spoil(struct shw_bench_frame *frame)
{
    size_t size;
    void *result = custom_result(frame, &size);

    memset(result, 0xa5, size);
}

/* Whether its result equals that of cpu, which is restored afterwards. Errors: MEMORY. */
static enum shw_result custom_equals(struct shw_bench_frame *frame, bool *equal)
{
    enum shw_result result;
    size_t size;
    const void *made = custom_result(frame, &size);
    void *kept = malloc(size);

    if (kept == NULL)
        return shw_fail_memory(&frame->bench->log, "the result of a technique");
    memcpy(kept, made, size);
    SHW_TRY(run_cpu(frame, frame->custom->stage, &frame->labels));
    *equal = memcmp(kept, frame_result(frame, frame->custom->stage), size) == 0;

fail:
    free(kept);
    return result;
}

/* A row may take up to this multiple of the seconds allowed for timing it. */
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

/* Whether to time a row: it is requested and would not take far too long, which a row would report. */
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
    static enum shw_result (*const functions[])(void *) = {cpu_channels, cpu_integrate, cpu_evaluate, cpu_whole};
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

/* Whether what a stage has made is what cpu makes: 1 or 0. -1: it is not compared, since forests of few shapes have
 * other planes with some techniques than with others; the next stage shows whether they are right. */
static enum shw_result check_stage(struct run *run, struct shw_bench_resident *resident, enum shw_stage stage,
                                   int *equals)
{
    const uint32_t number = shw_pipeline_index(&resident->pipeline, stage);
    const bool is_last = stage == SHW_STAGE_EVALUATE;
    const struct shw_pipeline_planes *planes = &resident->pipeline.planes[number];
    const char *name = is_last ? result_planes(run->frame.setting->output) : planes->name;
    const uint32_t count = is_last ? shw_bench_setting_planes(run->frame.setting) : planes->count;
    bool equal;

    *equals = -1;
    if (!is_last && shw_pipeline_find(&run->frame.cpu, name) == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_bench_resident_equals(resident, name, frame_result(&run->frame, stage), count, &equal));
    *equals = equal;
    return SHW_OK;
}

static enum shw_result time_stages(struct run *run, enum shw_technique technique)
{
    static void (*const functions[])(void *, VkCommandBuffer) = {shw_bench_record_channels, shw_bench_record_integrate,
                                                                 shw_bench_record_evaluate};
    struct shw_bench_resident resident = {0};
    int s = 0, equals;
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
        SHW_TRY(check_stage(run, &resident, (enum shw_stage)s, &equals));
        SHW_TRY(add(run, stage, technique, NULL, equals));
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
    struct shw_input inputs[SHW_INPUTS_MAX];
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
        whole.inputs[i] = shw_bench_source_use(&run->frame.sources[i]);
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
           label_bytes(run->frame.setting)); /* the previous technique's labels must not pass for a result */
    SHW_TRY(shw_labeller_create(&params, &job.labeller));
    SHW_TRY(shw_bench_time(run->frame.bench, &work, &run->times));
    SHW_TRY(add(run, SHW_BENCH_STAGE_LABEL, technique, NULL,
                memcmp(shw_bench_labels(run->frame.setting, &run->frame.labels),
                       shw_bench_labels(run->frame.setting, &run->frame.other), label_bytes(run->frame.setting)) == 0));

fail:
    shw_labeller_destroy(&job.labeller);
    return shw_bench_is_skip(result)
               ? add_skipped(run, technique, run->frame.bench->message, SHW_BENCH_STAGE_LABEL, SHW_BENCH_STAGE_LABEL)
               : result;
}

static enum shw_result time_host_stage(struct run *run)
{
    const struct shw_bench_work work = {.run = custom_stage, .user = &run->frame};
    enum shw_bench_stage stage = (enum shw_bench_stage)run->frame.custom->stage;
    bool equal = false;
    enum shw_result result = SHW_OK;

    if (!begin(run, stage, SHW_TECHNIQUE_CPU, &result))
        return result;
    custom_spoil(&run->frame);
    result = shw_bench_time(run->frame.bench, &work, &run->times);
    if (result == SHW_OK)
        result = custom_equals(&run->frame, &equal);
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
    result = labelling->skipped == NULL ? frame_create(&run->frame) : SHW_OK;
    if (result == SHW_OK && labelling->skipped == NULL)
        result = time_techniques(run);
    else if (result == SHW_OK || shw_bench_is_skip(result))
        result = skip_all(run, labelling->skipped != NULL ? labelling->skipped : bench->message);
    frame_destroy(&run->frame);
    free(run);
    return result;
}
