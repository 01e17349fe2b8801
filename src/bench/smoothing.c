/* Smoothing, alone on the CPU and as a part of labelling, and two levels that smooth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/document.h"
#include "bench/resident.h"
#include "bench/setting.h"
#include "dense/label/labeller.h"
#include "dense/smooth/smooth.h"

/* What is timed. */
struct smoothing {
    struct shw_bench *bench;
    struct shw_bench_setting setting;
    const char *title;
    uint32_t radius; /* in pixels; 0: none */
    uint32_t levels;
    struct shw_forest *forest;
    struct shw_input input;
    struct shw_bench_source source; /* the same, if there is a device */
    uint16_t *expected, *labels;    /* by cpu, and by another technique */
    struct shw_bench_times times;
    /* Of the row in progress. */
    struct shw_labeller *labeller;
    uint32_t slots, slot;
    struct shw_smooth_tile tile;
};

static size_t pixels_of(const struct smoothing *smoothing)
{
    return (size_t)smoothing->setting.width * smoothing->setting.height;
}

static struct shw_inputs inputs_of(const struct smoothing *smoothing)
{
    return (struct shw_inputs){1, (struct shw_input *)(uintptr_t)&smoothing->input};
}

static void make_id(const struct smoothing *smoothing, const char *stage, enum shw_technique technique, char *id,
                    size_t size)
{
    snprintf(id, size, "smoothing/%s/%ux%u-k%u-r%u-l%u/%s", stage, smoothing->setting.width, smoothing->setting.height,
             smoothing->setting.forest.classes, smoothing->radius, smoothing->levels, shw_technique_name(technique));
}

static enum shw_result add(const struct smoothing *smoothing, const char *stage, enum shw_technique technique,
                           const char *skipped, int equals)
{
    char id[256];
    struct shw_bench_row row = {.suite = "smoothing",
                                .stage = stage,
                                .technique = shw_technique_name(technique),
                                .title = smoothing->title,
                                .id = id,
                                .setting = shw_bench_setting_describe(&smoothing->setting, SHW_BENCH_STAGE_LABEL),
                                .times = skipped == NULL ? &smoothing->times : NULL,
                                .skipped = skipped,
                                .unit = "images",
                                .equals_cpu = equals,
                                .unchecked = equals < 0 && skipped == NULL ? "the stage label is compared" : NULL};

    make_id(smoothing, stage, technique, id, sizeof id);
    if (row.setting != NULL && (json_object_set_new(row.setting, "radius", json_integer(smoothing->radius)) != 0 ||
                                json_object_set_new(row.setting, "levels", json_integer(smoothing->levels)) != 0))
        return SHW_ERROR_MEMORY;
    return shw_bench_add(smoothing->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

/* Tells what is being timed. */
static void begin(const struct smoothing *smoothing, const char *stage, enum shw_technique technique)
{
    char id[256];

    make_id(smoothing, stage, technique, id, sizeof id);
    shw_bench_say(smoothing->bench, "%s", id);
}

/* A row of what cannot be timed, or the error that ends the suite. */
static enum shw_result skip(const struct smoothing *smoothing, const char *stage, enum shw_technique technique,
                            enum shw_result result)
{
    return shw_bench_is_skip(result) ? add(smoothing, stage, technique, smoothing->bench->message, -1) : result;
}

static struct shw_labeller_params params_of(const struct smoothing *smoothing, enum shw_technique technique)
{
    return (struct shw_labeller_params){
        .forest = smoothing->forest,
        .device = shw_technique_needs_device(technique) ? smoothing->bench->device : NULL,
        .outputs = SHW_OUTPUT_ARGMAX,
        .channels = technique,
        .integrate = technique,
        .evaluate = technique,
        .smoothing = {smoothing->radius > 0 ? smoothing->radius : SHW_SMOOTHING_NONE, 0},
        .log = smoothing->bench->log};
}

/* The stage `smooth`: distributions in memory become labels. */

static enum shw_result smooth(void *user)
{
    struct smoothing *smoothing = user;

    return shw_smooth_cpu(&smoothing->tile, smoothing->bench->pool);
}

/* The distributions that labelling smooths. Free the memory with free(). */
static enum shw_result make_distribution(const struct smoothing *smoothing, uint16_t **distribution)
{
    struct shw_labeller_params params = params_of(smoothing, SHW_TECHNIQUE_CPU);
    const struct shw_inputs inputs = inputs_of(smoothing);
    struct shw_labeller *labeller = NULL;
    enum shw_result result;

    *distribution = malloc(pixels_of(smoothing) * smoothing->setting.forest.classes * sizeof **distribution);
    if (*distribution == NULL)
        return shw_fail_memory(&smoothing->bench->log, "distributions");
    params.outputs = SHW_OUTPUT_DISTRIBUTION;
    params.smoothing.radius = SHW_SMOOTHING_NONE;
    SHW_TRY(shw_labeller_create(&params, &labeller));
    result = shw_labeller_run(labeller, &inputs, &(struct shw_labelling){.distribution = *distribution});

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

static enum shw_result time_smooth(struct smoothing *smoothing)
{
    const struct shw_bench_work work = {.run = smooth, .user = smoothing};
    const uint32_t width = smoothing->setting.width, height = smoothing->setting.height;
    uint16_t *distribution = NULL;
    enum shw_result result;

    begin(smoothing, "smooth", SHW_TECHNIQUE_CPU);
    memset(smoothing->labels, 0xa5, pixels_of(smoothing) * sizeof *smoothing->labels);
    SHW_TRY(make_distribution(smoothing, &distribution));
    smoothing->tile =
        (struct shw_smooth_tile){.windows = shw_smooth_windows_of(&(struct shw_smoothing){smoothing->radius, 0}),
                                 .full_width = width,
                                 .full_height = height,
                                 .given = {0, 0, width, height},
                                 .image = &smoothing->input.image,
                                 .distribution = distribution,
                                 .classes = smoothing->setting.forest.classes,
                                 .tile = {0, 0, width, height},
                                 .out_argmax = smoothing->labels,
                                 .out_width = width,
                                 .out_height = height,
                                 .step = 1};
    SHW_TRY(shw_bench_time(smoothing->bench, &work, &smoothing->times));
    result = add(smoothing, "smooth", SHW_TECHNIQUE_CPU, NULL,
                 memcmp(smoothing->labels, smoothing->expected, pixels_of(smoothing) * sizeof(uint16_t)) == 0);

fail:
    free(distribution);
    return skip(smoothing, "smooth", SHW_TECHNIQUE_CPU, result);
}

/* The stage `label`, from pixels to labels in host memory. */

static enum shw_result label(void *user)
{
    struct smoothing *smoothing = user;
    const struct shw_inputs inputs = inputs_of(smoothing);

    return shw_labeller_run(smoothing->labeller, &inputs, &(struct shw_labelling){.argmax = smoothing->labels});
}

static enum shw_result time_label(struct smoothing *smoothing, enum shw_technique technique)
{
    const struct shw_labeller_params params = params_of(smoothing, technique);
    const struct shw_bench_work work = {.run = label, .user = smoothing};
    const size_t bytes = pixels_of(smoothing) * sizeof(uint16_t);
    enum shw_result result;

    begin(smoothing, "label", technique);
    memset(smoothing->labels, 0xa5, bytes); /* the previous technique's labels must not pass for a result */
    SHW_TRY(shw_labeller_create(&params, &smoothing->labeller));
    SHW_TRY(shw_bench_time(smoothing->bench, &work, &smoothing->times));
    result = add(smoothing, "label", technique, NULL, memcmp(smoothing->labels, smoothing->expected, bytes) == 0);

fail:
    shw_labeller_destroy(&smoothing->labeller);
    return skip(smoothing, "label", technique, result);
}

/* The stage `whole`, recorded on the device from an image to labels there. */

static void record(void *user, VkCommandBuffer commands)
{
    struct smoothing *smoothing = user;
    struct shw_input input = shw_bench_source_use(&smoothing->source);
    const struct shw_inputs inputs = {1, &input};

    smoothing->slot = (smoothing->slot + 1) % smoothing->slots;
    shw_labeller_record_planes(smoothing->labeller, commands, smoothing->slot, &inputs);
}

static enum shw_result time_whole(struct smoothing *smoothing, enum shw_technique technique)
{
    struct shw_labeller_params params = params_of(smoothing, technique);
    struct shw_bench_work work = {.record = record, .user = smoothing};
    enum shw_result result;

    begin(smoothing, "whole", technique);
    params.width = smoothing->setting.width;
    params.height = smoothing->setting.height;
    params.slots = smoothing->slots = work.most = 1;
    SHW_TRY(shw_labeller_create(&params, &smoothing->labeller));
    SHW_TRY(shw_bench_time(smoothing->bench, &work, &smoothing->times));
    result = add(smoothing, "whole", technique, NULL, -1);

fail:
    shw_labeller_destroy(&smoothing->labeller);
    return skip(smoothing, "whole", technique, result);
}

/* Content, and what cpu makes of it. */
static enum shw_result create(struct smoothing *smoothing)
{
    struct shw_bench_setting *setting = &smoothing->setting;
    const struct shw_log *log = &smoothing->bench->log;
    struct shw_labeller_params params;
    enum shw_result result;

    setting->forest.smoothing.radius = smoothing->radius;
    smoothing->input.name = SHW_COLOUR;
    SHW_PROPAGATE(shw_bench_image(setting->width, setting->height, log, &smoothing->input.image));
    SHW_PROPAGATE(smoothing->levels > 1 ? shw_bench_levels(&setting->forest, smoothing->radius, log, &smoothing->forest)
                                        : shw_bench_forest(&setting->forest, log, &smoothing->forest));
    setting->forest.channels = shw_forest_get_info(smoothing->forest)->channels;
    smoothing->expected = malloc(pixels_of(smoothing) * sizeof *smoothing->expected);
    smoothing->labels = malloc(pixels_of(smoothing) * sizeof *smoothing->labels);
    if (smoothing->expected == NULL || smoothing->labels == NULL)
        return shw_fail_memory(log, "labels");
    params = params_of(smoothing, SHW_TECHNIQUE_CPU);
    SHW_PROPAGATE(shw_labeller_create(&params, &smoothing->labeller));
    result = label(smoothing);
    shw_labeller_destroy(&smoothing->labeller);
    SHW_PROPAGATE(result);
    memcpy(smoothing->expected, smoothing->labels, pixels_of(smoothing) * sizeof *smoothing->expected);
    return smoothing->bench->device != NULL
               ? shw_bench_source_create(smoothing->bench, &smoothing->input, &smoothing->source)
               : SHW_OK;
}

static void destroy(struct smoothing *smoothing)
{
    if (smoothing->bench->device != NULL)
        shw_bench_source_destroy(smoothing->bench, &smoothing->source);
    free((void *)(uintptr_t)smoothing->input.image.pixels);
    shw_forest_destroy(&smoothing->forest);
    free(smoothing->expected);
    free(smoothing->labels);
    free(smoothing);
}

static enum shw_result time_setting(struct shw_bench *bench, const struct shw_bench_setting *setting, uint32_t radius,
                                    uint32_t levels)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    struct smoothing *smoothing = calloc(1, sizeof *smoothing);
    enum shw_result result;

    if (smoothing == NULL)
        return shw_fail_memory(&bench->log, "a run of the bench");
    smoothing->bench = bench;
    smoothing->setting = *setting;
    smoothing->radius = radius;
    smoothing->levels = levels;
    smoothing->title = levels > 1 ? "two levels" : radius > 0 ? "smoothed" : "not smoothed";
    SHW_TRY(create(smoothing));
    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++) {
        if (!shw_bench_wants(bench, techniques[t]))
            continue;
        if (techniques[t] == SHW_TECHNIQUE_CPU && radius > 0 && levels == 1)
            SHW_TRY(time_smooth(smoothing));
        if (shw_technique_needs_device(techniques[t]) && levels == 1) /* the suite embed records several */
            SHW_TRY(time_whole(smoothing, techniques[t]));
        SHW_TRY(time_label(smoothing, techniques[t]));
    }

fail:
    destroy(smoothing);
    return result;
}

enum shw_result shw_bench_smoothing(struct shw_bench *bench)
{
    static const uint32_t radii[] = {0, 16, 32, 8, 64}; /* a quick run times the first three */
    const size_t count = bench->options.quick ? 3 : sizeof radii / sizeof *radii;
    struct shw_bench_setting setting = shw_bench_base();

    if (shw_bench_is_small(bench)) {
        setting.width = 320;
        setting.height = 240;
    }
    if (bench->options.width > 0) {
        setting.width = bench->options.width;
        setting.height = bench->options.height;
    }
    for (size_t r = 0; r < count; r++)
        SHW_PROPAGATE(time_setting(bench, &setting, radii[r], 1));
    for (size_t r = 0; r < 2; r++)
        SHW_PROPAGATE(time_setting(bench, &setting, radii[r], 2));
    return SHW_OK;
}
