/* Feature types and channel kinds as text, beside the library's, whose arithmetic they have: both take turns, and the
 * row of the text has the quotient of the medians. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/data.h"
#include "bench/document.h"
#include "bench/resident.h"
#include "bench/setting.h"
#include "bench/timing.h"
#include "bench/training.h"
#include "dense/pipeline/registry.h"
#include "files/code/code.h"
#include "files/code/files.h"

#define TURNS 7u

/* What is timed: a text of examples/code, and what it is the same as. */
static const struct pair {
    const char *name;             /* of the library's type or kind with its parameter, "dx:2" */
    const char *text, *text_name; /* the text, and its name in lists of channels */
    bool is_feature;
    enum shw_bench_stage stage; /* that it takes part in */
} pairs[] = {
    {"mean-difference", "examples/code/mean-difference.glsl", NULL, true, SHW_BENCH_STAGE_EVALUATE},
    {"pixel-difference", "examples/code/pixel-difference.glsl", NULL, true, SHW_BENCH_STAGE_EVALUATE},
    {"dx:2", "examples/code/derivative.glsl", "derivative", false, SHW_BENCH_STAGE_CHANNELS},
};

/* The library's (0) or the text (1). */
struct side {
    struct comparison *comparison;
    struct shw_trainer_params params;
    struct shw_forest *forest;
    struct shw_pipeline cpu;
    struct shw_bench_resident resident;
    struct shw_bench_times times;
    uint16_t *labels;
    uint64_t hash; /* of the forest that cpu trains */
};

struct comparison {
    struct shw_bench *bench;
    const struct pair *pair;
    struct shw_dataset dataset;
    uint32_t width, height;
    struct shw_input input;
    struct shw_bench_source source; /* the same, if there is a device */
    struct side sides[2];
};

static const char *const side_names[] = {"library", "text"};

static enum shw_stage stage_of(const struct comparison *comparison)
{
    return comparison->pair->stage == SHW_BENCH_STAGE_CHANNELS ? SHW_STAGE_CHANNELS : SHW_STAGE_EVALUATE;
}

static double median_of(const struct shw_bench_times *times)
{
    static double values[SHW_BENCH_RUNS_MAX];
    const uint32_t count = times->device_runs > 0 ? times->device_runs : times->runs;

    memcpy(values, times->device_runs > 0 ? times->device : times->wall, count * sizeof *values);
    return shw_bench_summarise(values, count).median;
}

static enum shw_result add(const struct comparison *comparison, int s, const char *stage, enum shw_technique technique,
                           const char *skipped, int equals)
{
    const struct side *side = &comparison->sides[s];
    const double library = skipped == NULL ? median_of(&comparison->sides[0].times) : 0;
    char id[128];
    struct shw_bench_row row = {.suite = "texts",
                                .stage = stage,
                                .technique = shw_technique_name(technique),
                                .title = s == 0 ? "the library's" : "the same as text",
                                .id = id,
                                .setting = json_pack("{s:s, s:s, s:i, s:i}", "type", comparison->pair->name, "from",
                                                     side_names[s], "width", (int)comparison->width, "height",
                                                     (int)comparison->height),
                                .times = skipped == NULL ? &side->times : NULL,
                                .skipped = skipped,
                                .equals_cpu = equals};

    snprintf(id, sizeof id, "texts/%s/%s/%s/%s", stage, comparison->pair->name, side_names[s], row.technique);
    if (skipped == NULL && s == 1 && library > 0)
        json_object_set_new(row.setting, "ratio", json_real(median_of(&side->times) / library));
    return shw_bench_add(comparison->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result add_skipped(const struct comparison *comparison, const char *stage, enum shw_technique technique,
                                   enum shw_result result)
{
    if (!shw_bench_is_skip(result))
        return result;
    for (int s = 0; s < 2; s++)
        SHW_PROPAGATE(add(comparison, s, stage, technique, comparison->bench->message, -1));
    return SHW_OK;
}

static void say(const struct comparison *comparison, const char *stage, enum shw_technique technique)
{
    shw_bench_say(comparison->bench, "texts/%s/%s/%s", stage, comparison->pair->name, shw_technique_name(technique));
}

/* --- The stage of labelling --- */

static enum shw_result run_host(struct side *side, enum shw_stage stage)
{
    const struct comparison *comparison = side->comparison;
    const struct shw_tile whole = shw_tile_whole(comparison->width, comparison->height);
    const struct shw_chosen_inputs inputs = {{&comparison->input, NULL}};
    const struct shw_labelling out = {.argmax = side->labels};
    const uint32_t index = shw_pipeline_index(&side->cpu, stage);

    if (index == side->cpu.stage_count)
        return SHW_OK;
    return shw_pipeline_run_host(&side->cpu, index, &whole, &inputs, &out);
}

static enum shw_result run(void *user)
{
    struct side *side = user;

    return run_host(side, stage_of(side->comparison));
}

static void append(const struct shw_bench_times *some, struct shw_bench_times *all)
{
    for (uint32_t r = 0; r < some->runs && all->runs < SHW_BENCH_RUNS_MAX; r++)
        all->wall[all->runs++] = some->wall[r];
    for (uint32_t r = 0; r < some->device_runs && all->device_runs < SHW_BENCH_RUNS_MAX; r++)
        all->device[all->device_runs++] = some->device[r];
}

static enum shw_result time_turns(struct comparison *comparison, enum shw_technique technique)
{
    static struct shw_bench_times times;
    struct shw_bench *bench = comparison->bench;
    const struct shw_bench_options kept = bench->options;
    enum shw_result result = SHW_OK;

    bench->options.runs = kept.runs / TURNS + 1;
    bench->options.seconds = kept.seconds / TURNS;
    for (uint32_t turn = 0; turn < 2 * TURNS && result == SHW_OK; turn++) {
        struct side *side = &comparison->sides[turn % 2];
        const bool is_channels = stage_of(comparison) == SHW_STAGE_CHANNELS;
        const struct shw_bench_work on_host = {.run = run, .user = side, .most = 1};
        const struct shw_bench_work on_device = {.record = is_channels ? shw_bench_record_channels
                                                                       : shw_bench_record_evaluate,
                                                 .user = &side->resident,
                                                 .most = 1};

        result = shw_bench_time(bench, shw_technique_needs_device(technique) ? &on_device : &on_host, &times);
        if (result == SHW_OK)
            append(&times, &side->times);
    }
    bench->options = kept;
    return result;
}

/* What `cpu` has made of the library's type is what every technique must make of both. */
static enum shw_result compare(struct comparison *comparison, int s, enum shw_technique technique, bool *equal)
{
    const struct side *library = &comparison->sides[0];
    struct side *side = &comparison->sides[s];
    const bool is_channels = stage_of(comparison) == SHW_STAGE_CHANNELS;
    const void *expected = is_channels ? library->cpu.planes[shw_pipeline_index(&library->cpu, SHW_STAGE_CHANNELS)].host
                                       : (const void *)library->labels;

    if (shw_technique_needs_device(technique))
        return shw_bench_resident_equals(&side->resident, is_channels ? SHW_CHANNELS : SHW_ARGMAX, expected, 1, equal);
    *equal = memcmp(library->labels, side->labels,
                    (size_t)comparison->width * comparison->height * sizeof *side->labels) == 0;
    return SHW_OK;
}

static enum shw_result time_stage(struct comparison *comparison, enum shw_technique technique)
{
    const char *stage = shw_bench_stage_names[comparison->pair->stage];
    bool equal[2] = {false, false};
    enum shw_result result = SHW_OK;

    say(comparison, stage, technique);
    for (int s = 0; s < 2; s++) {
        struct side *side = &comparison->sides[s];
        side->times.runs = side->times.device_runs = 0;
        if (shw_technique_needs_device(technique))
            SHW_TRY(shw_bench_resident_create(comparison->bench, technique, NULL, side->forest, SHW_OUTPUT_ARGMAX,
                                              &comparison->source, 1, &side->resident));
    }
    SHW_TRY(time_turns(comparison, technique));
    for (int s = 0; s < 2; s++)
        SHW_TRY(compare(comparison, s, technique, &equal[s]));
    for (int s = 0; s < 2; s++)
        SHW_TRY(add(comparison, s, stage, technique, NULL, equal[s]));

fail:
    for (int s = 0; s < 2; s++)
        shw_bench_resident_destroy(&comparison->sides[s].resident);
    return result == SHW_OK ? SHW_OK : add_skipped(comparison, stage, technique, result);
}

/* --- Training --- */

static enum shw_result time_training(struct comparison *comparison, enum shw_technique technique)
{
    static struct shw_bench_trained trained;
    bool equal = true;
    enum shw_result result = SHW_OK;

    say(comparison, "tree", technique);
    for (int s = 0; s < 2; s++)
        comparison->sides[s].times.runs = comparison->sides[s].times.device_runs = 0;
    for (uint32_t turn = 0; turn < 2 * TURNS; turn++) {
        struct side *side = &comparison->sides[turn % 2];
        static struct shw_bench_times times;

        side->params.technique = technique;
        SHW_TRY(shw_bench_train(comparison->bench, &side->params, &comparison->dataset, &trained));
        shw_bench_tree_times(&trained, &times);
        append(&times, &side->times);
        equal = equal && trained.hash == side->hash;
    }
    for (int s = 0; s < 2; s++)
        SHW_TRY(add(comparison, s, "tree", technique, NULL, equal));

fail:
    return result == SHW_OK ? SHW_OK : add_skipped(comparison, "tree", technique, result);
}

/* --- --- */

static enum shw_result make_text(const struct pair *pair, const struct shw_log *log, struct shw_trainer_params *params)
{
    const struct shw_code_file *file = shw_code_file_find(pair->text);
    struct shw_code_made made;

    SHW_PROPAGATE(shw_code_make(pair->text, file->text, file->size, SHW_CODE_RUN, log, &made));
    if (pair->is_feature) {
        params->feature = made.feature;
    } else {
        params->channels = pair->text_name;
        params->kinds = (struct shw_channel_kinds){{made.kind}};
    }
    return SHW_OK;
}

/* The forest of a side, by `cpu`, and what labelling with it makes. */
static enum shw_result create_side(struct comparison *comparison, int s)
{
    const bool is_small = shw_bench_is_small(comparison->bench);
    struct side *side = &comparison->sides[s];
    struct shw_pipeline_params params = {.outputs = SHW_OUTPUT_ARGMAX,
                                         .pool = comparison->bench->pool,
                                         .keeps_integrals = true,
                                         .log = comparison->bench->log};
    const struct pair *pair = comparison->pair;

    side->comparison = comparison;
    side->params = (struct shw_trainer_params){.channels = pair->is_feature ? SHW_CHANNELS_WINN16 : pair->name,
                                               .tree_count = 2,
                                               .depth = !pair->is_feature ? 2
                                                        : is_small        ? 6
                                                                          : 10,
                                               .candidates = is_small ? 30 : 200,
                                               .bins = 16,
                                               .single_percent = 30,
                                               .pixels_per_image = is_small ? 200 : 1000,
                                               .log = comparison->bench->log};
    if (pair->is_feature)
        side->params.feature = shw_feature_type_by_name(pair->name);
    if (s == 1)
        SHW_PROPAGATE(make_text(pair, &comparison->bench->log, &side->params));
    SHW_PROPAGATE(shw_train(&side->params, &comparison->dataset, &side->forest));
    side->hash = shw_forest_hash(side->forest);
    side->labels = calloc((size_t)comparison->width * comparison->height, sizeof *side->labels);
    if (side->labels == NULL)
        return shw_fail_memory(&comparison->bench->log, "labels");
    params.forest = side->forest;
    params.fill = shw_forest_get_info(side->forest)->fill;
    for (int stage = 0; stage < (int)SHW_STAGE_COUNT; stage++)
        params.techniques[stage] = shw_registry_find((enum shw_stage)stage, SHW_TECHNIQUE_CPU);
    shw_pipeline_begin(&params, &side->cpu);
    SHW_PROPAGATE(shw_pipeline_host_planes(&side->cpu, comparison->width, comparison->height));
    SHW_PROPAGATE(run_host(side, SHW_STAGE_CHANNELS));
    SHW_PROPAGATE(run_host(side, SHW_STAGE_INTEGRATE));
    return run_host(side, SHW_STAGE_EVALUATE);
}

static void destroy(struct comparison *comparison)
{
    for (int s = 0; s < 2; s++) {
        struct side *side = &comparison->sides[s];

        if (side->labels != NULL)
            shw_pipeline_end(&side->cpu);
        shw_forest_destroy(&side->forest);
        free(side->labels);
    }
    if (comparison->bench->device != NULL)
        shw_bench_source_destroy(comparison->bench, &comparison->source);
    free((void *)(uintptr_t)comparison->input.image.pixels);
    shw_bench_scenes_close(&comparison->dataset);
    free(comparison);
}

static enum shw_result time_pair(struct shw_bench *bench, const struct pair *pair)
{
    static const enum shw_technique label[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    static const enum shw_technique train[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct comparison *comparison = calloc(1, sizeof *comparison);
    const struct shw_bench_setting base = shw_bench_base();
    enum shw_result result;

    if (comparison == NULL)
        return shw_fail_memory(&bench->log, "a run of the bench");
    comparison->bench = bench;
    comparison->pair = pair;
    comparison->width = bench->options.width > 0 ? bench->options.width : shw_bench_is_small(bench) ? 320 : base.width;
    comparison->height = bench->options.width > 0    ? bench->options.height
                         : shw_bench_is_small(bench) ? 240
                                                     : base.height;
    comparison->input.name = SHW_COLOUR;
    SHW_TRY(shw_bench_scenes_open_usual(bench, &comparison->dataset));
    SHW_TRY(shw_bench_image(comparison->width, comparison->height, &bench->log, &comparison->input.image));
    if (bench->device != NULL)
        SHW_TRY(shw_bench_source_create(bench, &comparison->input, &comparison->source));
    for (int s = 0; s < 2; s++)
        SHW_TRY(create_side(comparison, s));
    for (int t = 0; t < 3; t++)
        if (shw_bench_wants(bench, label[t]))
            SHW_TRY(time_stage(comparison, label[t]));
    for (int t = 0; t < 3 && pair->is_feature; t++)
        if (shw_bench_wants(bench, train[t]))
            SHW_TRY(time_training(comparison, train[t]));

fail:
    destroy(comparison);
    return result;
}

enum shw_result shw_bench_texts(struct shw_bench *bench)
{
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        SHW_PROPAGATE(time_pair(bench, &pairs[p]));
    return SHW_OK;
}
