/* Every stage by every technique, over image sizes, trees, depth, classes and outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/content.h"
#include "bench/report.h"
#include "bench/resident.h"
#include "channels/channels.h"
#include "evaluate/evaluate_cpu.h"
#include "evaluate/labeller.h"
#include "integrate/integral.h"

#define OFFSET_MAX 60u
#define SIZE_MAX_  32u
#define FULL_DEPTH 12u

enum stage { CHANNELS, INTEGRATE, EVALUATE, WHOLE, STAGE_COUNT };
static const char *const stage_names[] = {"channels", "integrate", "evaluate", "whole"};
static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};

struct setting {
    uint32_t width, height, trees, depth, classes;
    uint32_t output; /* enum shw_output */
};

/* One setting being timed. */
struct run {
    struct shw_bench *bench;
    struct setting setting;
    const char *series; /* or NULL */
    struct shw_forest *forest;
    struct shw_image image;
    struct shw_bench_source source;
    /* by cpu, for comparison */
    int16_t *channels;
    uint32_t *integrals;
    struct shw_labelling labels;
    struct shw_bench_times times;
};

static const char *output_name(uint32_t output)
{
    switch (output) {
    case SHW_OUTPUT_TREE_LEAF: return "tree-leaf";
    case SHW_OUTPUT_FOREST_LEAVES: return "forest-leaves";
    case SHW_OUTPUT_DISTRIBUTION: return "distribution";
    default: return "argmax";
    }
}

static uint32_t channel_count(const struct run *run)
{
    return shw_channel_set_get(shw_forest_get_info(run->forest)->channels)->channel_count;
}

/* Trees that are walked. */
static uint32_t walked(const struct setting *setting)
{
    return setting->output == SHW_OUTPUT_TREE_LEAF ? 1 : setting->trees;
}

static enum shw_result cpu_channels(void *user)
{
    struct run *run = user;

    return shw_channels_cpu(shw_forest_get_info(run->forest)->channels, &run->image, NULL, run->channels, run->bench->pool);
}

static enum shw_result cpu_integrate(void *user)
{
    struct run *run = user;

    shw_integrate_cpu(run->channels, run->image.width, run->image.height, channel_count(run), run->integrals, run->bench->pool);
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

/* Image, forest and what cpu makes of them. */
static enum shw_result prepare(struct run *run)
{
    const struct setting *setting = &run->setting;
    const struct shw_bench_forest_params forest = {.trees = setting->trees,
                                                   .depth = setting->depth,
                                                   .full_depth = FULL_DEPTH,
                                                   .classes = setting->classes,
                                                   .channels = SHW_CHANNELS_WINN16,
                                                   .feature = SHW_FEATURE_SUM_DIFFERENCE,
                                                   .offset_max = OFFSET_MAX,
                                                   .size_max = SIZE_MAX_};
    const struct shw_log *log = &run->bench->log;
    size_t pixels = (size_t)setting->width * setting->height, elements;
    enum shw_result result;

    SHW_TRY(shw_bench_image(setting->width, setting->height, log, &run->image));
    SHW_TRY(shw_bench_forest(&forest, log, &run->forest));
    run->channels = malloc(pixels * channel_count(run) * sizeof *run->channels);
    run->integrals = malloc(shw_integral_size(setting->width, setting->height) * channel_count(run) * sizeof *run->integrals);
    elements = setting->output == SHW_OUTPUT_FOREST_LEAVES  ? pixels * setting->trees
               : setting->output == SHW_OUTPUT_DISTRIBUTION ? pixels * setting->classes
                                                            : pixels;
    if (setting->output <= SHW_OUTPUT_FOREST_LEAVES) {
        uint32_t *leaves = malloc(elements * sizeof *leaves);
        *(setting->output == SHW_OUTPUT_TREE_LEAF ? &run->labels.tree_leaf : &run->labels.forest_leaves) = leaves;
        result = leaves != NULL ? SHW_OK : SHW_ERROR_MEMORY;
    } else {
        uint16_t *values = malloc(elements * sizeof *values);
        *(setting->output == SHW_OUTPUT_DISTRIBUTION ? &run->labels.distribution : &run->labels.argmax) = values;
        result = values != NULL ? SHW_OK : SHW_ERROR_MEMORY;
    }
    if (result != SHW_OK || run->channels == NULL || run->integrals == NULL)
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
    free(run->labels.tree_leaf);
    free(run->labels.forest_leaves);
    free(run->labels.distribution);
    free(run->labels.argmax);
}

static json_t *describe(const struct setting *setting, enum stage stage)
{
    const struct shw_channel_set_info *set = shw_channel_set_get(SHW_CHANNELS_WINN16);
    uint32_t full = setting->depth < FULL_DEPTH ? setting->depth : FULL_DEPTH;
    json_t *described = json_pack("{s:i, s:i, s:i, s:i}", "width", (int)setting->width, "height", (int)setting->height, "pixels",
                                  (int)(setting->width * setting->height), "channels", (int)set->channel_count);

    if (stage < EVALUATE)
        return described;
    json_object_set_new(described, "trees", json_integer(setting->trees));
    json_object_set_new(described, "depth", json_integer(setting->depth));
    json_object_set_new(described, "leaves", json_integer((json_int_t)(1 + setting->depth - full) << full));
    json_object_set_new(described, "classes", json_integer(setting->classes));
    json_object_set_new(described, "output", json_string(output_name(setting->output)));
    json_object_set_new(described, "feature", json_string("sum difference"));
    return described;
}

static void make_id(const struct setting *setting, const char *series, enum stage stage, enum shw_technique technique, char *id,
                    size_t size)
{
    const char *by = series != NULL ? series : "", *between = series != NULL ? "/by-" : "";

    if (stage < EVALUATE)
        snprintf(id, size, "pipeline/%s%s%s/%ux%u/%s", stage_names[stage], between, by, setting->width, setting->height,
                 shw_technique_name(technique));
    else
        snprintf(id, size, "pipeline/%s%s%s/%ux%u/trees-%u/depth-%u/classes-%u/%s/%s", stage_names[stage], between, by,
                 setting->width, setting->height, setting->trees, setting->depth, setting->classes, output_name(setting->output),
                 shw_technique_name(technique));
}

/* What one run of a stage does at least. */
static double amount(const struct setting *setting, enum stage stage, const char **unit)
{
    double pixels = (double)setting->width * setting->height;
    double channels = shw_channel_set_get(SHW_CHANNELS_WINN16)->channel_count;

    switch (stage) {
    case CHANNELS: *unit = "bytes"; return pixels * (4 + 2 * channels);
    case INTEGRATE: *unit = "bytes"; return pixels * (2 + 4) * channels;
    case EVALUATE: *unit = "node visits"; return pixels * walked(setting) * setting->depth;
    default: *unit = "pixels"; return pixels;
    }
}

static enum shw_result add(struct run *run, enum stage stage, enum shw_technique technique, const char *skipped, int equals)
{
    char id[256];
    struct shw_bench_row row = {.suite = "pipeline",
                                .stage = stage_names[stage],
                                .technique = shw_technique_name(technique),
                                .series = run->series,
                                .id = id,
                                .setting = describe(&run->setting, stage),
                                .times = skipped == NULL ? &run->times : NULL,
                                .skipped = skipped,
                                .unit = "images",
                                .equals_cpu = equals};

    make_id(&run->setting, run->series, stage, technique, id, sizeof id);
    row.work = amount(&run->setting, stage, &row.work_unit);
    return shw_bench_add(run->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static void say(const struct run *run, enum stage stage, enum shw_technique technique)
{
    char id[256];

    make_id(&run->setting, run->series, stage, technique, id, sizeof id);
    shw_bench_say(run->bench, "%s", id);
}

static enum shw_result time_cpu(struct run *run, uint32_t stages)
{
    static enum shw_result (*const functions[])(void *) = {cpu_channels, cpu_integrate, cpu_evaluate, cpu_whole};
    enum shw_result result = SHW_OK;

    for (int s = 0; s < STAGE_COUNT; s++) {
        struct shw_bench_work work = {.run = functions[s], .user = run};
        if ((stages >> s & 1) == 0)
            continue;
        say(run, (enum stage)s, SHW_TECHNIQUE_CPU);
        SHW_TRY(shw_bench_time(run->bench, &work, &run->times));
        SHW_TRY(add(run, (enum stage)s, SHW_TECHNIQUE_CPU, NULL, 1));
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

static const void *result_labels(const struct run *run, uint32_t *count)
{
    const struct setting *setting = &run->setting;

    *count = setting->output == SHW_OUTPUT_FOREST_LEAVES  ? setting->trees
             : setting->output == SHW_OUTPUT_DISTRIBUTION ? setting->classes
                                                          : 1;
    switch (setting->output) {
    case SHW_OUTPUT_TREE_LEAF: return run->labels.tree_leaf;
    case SHW_OUTPUT_FOREST_LEAVES: return run->labels.forest_leaves;
    case SHW_OUTPUT_DISTRIBUTION: return run->labels.distribution;
    default: return run->labels.argmax;
    }
}

static enum shw_result time_stages(struct run *run, enum shw_technique technique, uint32_t stages)
{
    static void (*const functions[])(void *, VkCommandBuffer) = {shw_bench_record_channels, shw_bench_record_integrate,
                                                                 shw_bench_record_evaluate};
    struct shw_bench_resident resident = {0};
    uint32_t count;
    const void *labels = result_labels(run, &count);
    const void *host[] = {run->channels, run->integrals, labels};
    const enum shw_bench_planes planes[] = {SHW_BENCH_CHANNELS, SHW_BENCH_INTEGRALS, result_planes(run->setting.output)};
    enum shw_result result =
        shw_bench_resident_create(run->bench, technique, run->forest, run->setting.output, &run->source, &resident);

    for (int s = 0; s < WHOLE; s++) {
        struct shw_bench_work work = {.record = functions[s], .user = &resident};
        bool equal = false;
        if ((stages >> s & 1) == 0)
            continue;
        say(run, (enum stage)s, technique);
        if (result == SHW_OK)
            result = shw_bench_time(run->bench, &work, &run->times);
        if (result == SHW_OK)
            result = shw_bench_resident_equals(&resident, planes[s], host[s], s < EVALUATE ? channel_count(run) : count, &equal);
        if (result != SHW_OK && !shw_bench_is_skip(result))
            goto fail;
        if (add(run, (enum stage)s, technique, result == SHW_OK ? NULL : run->bench->message, result == SHW_OK ? equal : -1) !=
            SHW_OK) {
            result = SHW_ERROR_MEMORY;
            goto fail;
        }
    }
    result = SHW_OK;

fail:
    shw_bench_resident_destroy(&resident);
    return result;
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

static enum shw_result time_whole(struct run *run, enum shw_technique technique)
{
    const struct setting *setting = &run->setting;
    struct shw_labeller_params params = {.forest = run->forest,
                                         .device = run->bench->device,
                                         .outputs = setting->output,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .width = setting->width,
                                         .height = setting->height,
                                         .log = run->bench->log};
    struct whole whole = {
        .source = {
            .image = run->source.image.handle,
            .view = run->source.view,
            .format = run->source.image.format,
            .extent = {setting->width, setting->height},
            .before = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT},
            .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_SHADER_READ_BIT}}};
    struct shw_bench_work work = {.record = record_whole, .user = &whole};
    const struct shw_planes *planes;
    uint32_t count;
    const void *labels = result_labels(run, &count);
    bool equal = false;
    enum shw_result result;

    say(run, WHOLE, technique);
    SHW_TRY(shw_labeller_create(&params, &whole.labeller));
    SHW_TRY(shw_bench_time(run->bench, &work, &run->times));
    planes = setting->output == SHW_OUTPUT_DISTRIBUTION ? &whole.labeller->frame.evaluate_stage.slot->distribution
             : setting->output == SHW_OUTPUT_ARGMAX     ? &whole.labeller->frame.evaluate_stage.slot->argmax
                                                        : &whole.labeller->frame.evaluate_stage.slot->leaves;
    SHW_TRY(shw_bench_planes_equal(run->bench, planes, technique, shw_use_copy_source, setting->width, setting->height, count,
                                   labels, &equal));
    SHW_TRY(add(run, WHOLE, technique, NULL, equal));

fail:
    shw_labeller_destroy(&whole.labeller);
    if (result != SHW_OK && shw_bench_is_skip(result))
        result = add(run, WHOLE, technique, run->bench->message, -1);
    return result;
}

static enum shw_result time_setting(struct shw_bench *bench, const struct setting *setting, const char *series, uint32_t stages)
{
    struct run *run = calloc(1, sizeof *run);
    enum shw_result result;

    if (run == NULL)
        return shw_fail_memory(&bench->log, "a run of the bench");
    run->bench = bench;
    run->setting = *setting;
    run->series = series;
    SHW_TRY(prepare(run));
    if (shw_bench_wants(bench, SHW_TECHNIQUE_CPU))
        SHW_TRY(time_cpu(run, stages));
    for (size_t t = 1; t < sizeof techniques / sizeof *techniques; t++) {
        if (!shw_bench_wants(bench, techniques[t]))
            continue;
        SHW_TRY(time_stages(run, techniques[t], stages));
        if ((stages >> WHOLE & 1) != 0)
            SHW_TRY(time_whole(run, techniques[t]));
    }

fail:
    end(run);
    free(run);
    return result;
}

enum shw_result shw_bench_pipeline(struct shw_bench *bench)
{
    const uint32_t all = (1u << STAGE_COUNT) - 1;
    struct setting base = {640, 480, 8, 8, 23, SHW_OUTPUT_ARGMAX};
    enum shw_result result;

    if (bench->options.width > 0) {
        base.width = bench->options.width;
        base.height = bench->options.height;
    }
    SHW_TRY(time_setting(bench, &base, NULL, all));
    if (bench->options.width > 0 || (bench->options.quick && bench->description.is_cpu))
        return SHW_OK;
    base.width = 3840;
    base.height = 2160;
    SHW_TRY(time_setting(bench, &base, "pixels", all));

fail:
    return result;
}
