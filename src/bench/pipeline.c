#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "bench/labelling.h"

static const struct variant {
    const char *channels;
    const struct shw_feature_type *feature;
    uint32_t depth;
} variants[] = {{SHW_CHANNELS_LAB, &shw_feature_mean_difference, 12},
                {SHW_CHANNELS_LAB, &shw_feature_mean_difference, 14},
                {"depth,lab", &shw_feature_depth_mean_difference, 12},
                {"depth,lab", &shw_feature_depth_mean_difference, 14}};

static enum shw_result time_variant(struct shw_bench *bench, const struct variant *variant, bool ferns)
{
    struct shw_bench_labelling labelling = {.suite = "ferns",
                                            .title = ferns ? "ferns" : "trees",
                                            .setting = shw_bench_base(),
                                            .stages = 1u << SHW_BENCH_STAGE_EVALUATE};

    labelling.setting.forest = (struct shw_bench_forest_params){.trees = 3,
                                                                .depth = variant->depth,
                                                                .full_depth = variant->depth,
                                                                .classes = 8,
                                                                .channels = variant->channels,
                                                                .feature = variant->feature,
                                                                .offset_max = 60,
                                                                .size_max = 32,
                                                                .ferns = ferns};
    return shw_bench_time_labelling(bench, &labelling);
}

enum shw_result shw_bench_ferns(struct shw_bench *bench)
{
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (int ferns = 0; ferns < 2; ferns++)
            SHW_PROPAGATE(time_variant(bench, &variants[v], ferns != 0));
    return SHW_OK;
}

#define STAGE(name) (1u << SHW_BENCH_STAGE_##name)

#define SHAPES_STAGES (STAGE(EVALUATE) | STAGE(WHOLE) | STAGE(LABEL))

struct shapes_forest {
    uint32_t trees, depth, classes, output;
    uint32_t stages; /* other than SHW_BENCH_STAGE_INTEGRATE */
};

/* Forests of few shapes, which read means that are made once, beside one of any rectangles. What `integrate` makes
 * depends on the shapes, and hardly on the trees: it is timed once for each number of shapes, of few shapes with 20
 * trees, for which a device makes means. */
static enum shw_result time_shapes(struct shw_bench *bench, const struct shapes_forest *forest, uint32_t shapes)
{
    const bool integrates =
        forest->output == SHW_OUTPUT_ARGMAX && (shapes == 0 ? forest->trees == 8 : forest->trees == 20);
    struct shw_bench_labelling labelling = {
        .suite = "shapes", .setting = shw_bench_base(), .stages = forest->stages | (integrates ? STAGE(INTEGRATE) : 0)};

    if (shw_bench_is_small(bench)) {
        labelling.setting.width = 320;
        labelling.setting.height = 240;
    }
    if (bench->options.width > 0) {
        labelling.setting.width = bench->options.width;
        labelling.setting.height = bench->options.height;
    }
    labelling.setting.output = forest->output;
    labelling.setting.forest.feature = &shw_feature_mean_difference;
    labelling.setting.forest.trees = forest->trees;
    labelling.setting.forest.depth = forest->depth;
    labelling.setting.forest.classes = forest->classes;
    labelling.setting.forest.shapes = shapes;
    return shw_bench_time_labelling(bench, &labelling);
}

enum shw_result shw_bench_shapes(struct shw_bench *bench)
{
    static const struct shapes_forest forests[] = {{8, 8, 23, SHW_OUTPUT_ARGMAX, SHAPES_STAGES},
                                                   {8, 8, 4, SHW_OUTPUT_DISTRIBUTION, STAGE(EVALUATE)},
                                                   {20, 12, 23, SHW_OUTPUT_ARGMAX, SHAPES_STAGES}};
    static const uint32_t shapes[] = {0, 2, 4};

    for (size_t f = 0; f < sizeof forests / sizeof *forests; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            SHW_PROPAGATE(time_shapes(bench, &forests[f], shapes[s]));
    return SHW_OK;
}

/* As many bands as a satellite's picture has, and more: each smoothed, two compared with each other. */
static enum shw_result time_planes(struct shw_bench *bench, uint32_t count)
{
    struct shw_bench_labelling labelling = {
        .suite = "planes", .setting = shw_bench_base(), .stages = (1u << SHW_BENCH_STAGE_COUNT) - 1};
    char channels[SHW_CHANNEL_LIST_NAME_SIZE];
    size_t length = 0;

    for (uint32_t plane = 1; plane <= count; plane++)
        length +=
            (size_t)snprintf(channels + length, sizeof channels - length, "%sgauss:1@b%u", plane > 1 ? "," : "", plane);
    labelling.setting.width = labelling.setting.height = shw_bench_is_small(bench) ? 256 : 1024;
    if (bench->options.width > 0) {
        labelling.setting.width = bench->options.width;
        labelling.setting.height = bench->options.height;
    }
    labelling.setting.forest.channels = channels;
    return shw_bench_time_labelling(bench, &labelling);
}

enum shw_result shw_bench_planes(struct shw_bench *bench)
{
    static const uint32_t counts[] = {3, 13, 27, 64};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        SHW_PROPAGATE(time_planes(bench, counts[i]));
    return SHW_OK;
}

struct sweep {
    struct shw_bench *bench;
    struct shw_bench_labelling labelling; /* of the base setting */
    struct shw_bench_rates rates;
    bool small; /* a quick run without hardware */
};

/* The base setting is a point of every sweep, but is timed once. */
static enum shw_result copy_base(struct sweep *sweep, const char *series, uint32_t stages)
{
    json_t *rows = json_object_get(sweep->bench->document, "rows");
    size_t count = json_array_size(rows);

    for (size_t i = 0; i < count; i++) {
        json_t *row = json_array_get(rows, i), *copy;
        const char *stage = json_string_value(json_object_get(row, "stage")),
                   *id = json_string_value(json_object_get(row, "id"));
        bool wanted = false;
        for (int s = 0; s < SHW_BENCH_STAGE_COUNT; s++)
            wanted = wanted || ((stages >> s & 1) != 0 && strcmp(stage, shw_bench_stage_names[s]) == 0);
        if (!wanted || json_object_get(row, "series") != NULL ||
            strcmp(json_string_value(json_object_get(row, "suite")), "pipeline") != 0)
            continue;
        copy = json_deep_copy(row);
        if (copy == NULL || json_object_set_new(copy, "series", json_string(series)) != 0 ||
            json_object_set_new(copy, "id",
                                json_sprintf("pipeline/%s/by-%s%s", stage, series, strchr(strchr(id, '/') + 1, '/'))) !=
                0 ||
            json_array_append_new(rows, copy) != 0)
            return shw_fail_memory(&sweep->bench->log, "a row of the bench");
    }
    return SHW_OK;
}

static enum shw_result time_point(struct sweep *sweep, const char *series, const struct shw_bench_setting *setting,
                                  uint32_t stages)
{
    struct shw_bench_labelling labelling = sweep->labelling;

    if (memcmp(setting, &labelling.setting, sizeof *setting) == 0)
        return copy_base(sweep, series, stages);
    labelling.setting = *setting;
    if (sweep->small && setting->width > 640)
        labelling.skipped = "too large for a quick run on a software renderer";
    labelling.series = series;
    labelling.stages = stages;
    return shw_bench_time_labelling(sweep->bench, &labelling);
}

/* Sets one parameter of the base setting to each of `count` values, or to every other one in quick runs. */
static enum shw_result sweep_values(struct sweep *sweep, const char *series, size_t offset, const uint32_t *values,
                                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct shw_bench_setting setting = sweep->labelling.setting;
        memcpy((char *)&setting + offset, &values[i], sizeof values[i]);
        if (sweep->small && count > 4 && i % 2 != 0 && memcmp(&setting, &sweep->labelling.setting, sizeof setting) != 0)
            continue;
        SHW_PROPAGATE(time_point(sweep, series, &setting, STAGE(EVALUATE)));
    }
    return SHW_OK;
}

static enum shw_result sweep_sizes(struct sweep *sweep)
{
    static const uint32_t sizes[][2] = {{320, 240}, {640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}, {7680, 4320}};
    size_t count = sweep->bench->options.quick ? 5 : 6;

    for (size_t i = 0; i < count; i++) {
        struct shw_bench_setting setting = sweep->labelling.setting;
        setting.width = sizes[i][0];
        setting.height = sizes[i][1];
        SHW_PROPAGATE(time_point(sweep, "pixels", &setting, sweep->labelling.stages));
    }
    return SHW_OK;
}

/* Tests on single pixels, from integral images and without. */
static enum shw_result time_pixels(struct sweep *sweep)
{
    static const struct shw_feature_type *const types[] = {&shw_feature_sum_difference, &shw_feature_pixel_difference};

    for (int i = 0; i < 2; i++) {
        struct shw_bench_setting setting = sweep->labelling.setting;
        setting.forest.feature = types[i];
        setting.forest.size_max = 1;
        SHW_PROPAGATE(time_point(sweep, NULL, &setting, STAGE(EVALUATE) | STAGE(WHOLE)));
    }
    return SHW_OK;
}

enum shw_result shw_bench_pipeline(struct shw_bench *bench)
{
    static const uint32_t trees[] = {1, 2, 4, 8, 16, 32, 64}, depths[] = {4, 6, 8, 10, 12, 16, 20},
                          classes[] = {2, 4, 8, 23, 64, 128, 256},
                          outputs[] = {SHW_OUTPUT_TREE_LEAF, SHW_OUTPUT_FOREST_LEAVES, SHW_OUTPUT_DISTRIBUTION,
                                       SHW_OUTPUT_ARGMAX};
    struct shw_bench_setting base = shw_bench_base();
    bool small = shw_bench_is_small(bench);
    struct sweep sweep = {.bench = bench, .small = small};

    if (small) {
        base.width = 320;
        base.height = 240;
    }
    if (bench->options.width > 0) {
        base.width = bench->options.width;
        base.height = bench->options.height;
    }
    sweep.labelling = (struct shw_bench_labelling){
        .suite = "pipeline", .setting = base, .stages = (1u << SHW_BENCH_STAGE_COUNT) - 1, .rates = &sweep.rates};
    SHW_PROPAGATE(shw_bench_time_labelling(bench, &sweep.labelling));
    if (bench->options.width > 0)
        return SHW_OK;
    SHW_PROPAGATE(sweep_sizes(&sweep));
    SHW_PROPAGATE(sweep_values(&sweep, "trees", offsetof(struct shw_bench_setting, forest.trees), trees, 7));
    SHW_PROPAGATE(sweep_values(&sweep, "depth", offsetof(struct shw_bench_setting, forest.depth), depths, 7));
    SHW_PROPAGATE(sweep_values(&sweep, "classes", offsetof(struct shw_bench_setting, forest.classes), classes, 7));
    SHW_PROPAGATE(sweep_values(&sweep, "output", offsetof(struct shw_bench_setting, output), outputs, 4));
    return time_pixels(&sweep);
}
