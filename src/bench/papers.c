#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "bench/data.h"
#include "bench/labelling.h"
#include "bench/training.h"
#include "dense/grow_device/round.h"

/* CURFIL's own CUDA kernels, ported to the device. */
#define PORTED       "CURFIL's kernels, ported"
#define OFFSET_MAX   111u
#define SIZE_MAX_    3u
#define THRESHOLDS   50u
#define CLASSES      5u
#define CURFIL_TREES 4u /* from the second on, the images are on the device */

/* The features of the suite: of colours alone, and scaled by depth. */
static const struct variant {
    const char *name; /* in ids and settings */
    const char *channels;
    const struct shw_feature_type *feature;
} variants[] = {{"colour", SHW_CHANNELS_LAB, &shw_feature_mean_difference},
                {"depth", "depth,lab", &shw_feature_depth_mean_difference}};

/* The channels once more, of depth with holes that are filled before. */
static enum shw_result time_filling(struct shw_bench *bench, const struct shw_bench_labelling *prediction)
{
    struct shw_bench_labelling labelling = {.suite = prediction->suite,
                                            .title = "channels of depth whose holes are filled first",
                                            .setting = prediction->setting,
                                            .stages = 1u << SHW_BENCH_STAGE_CHANNELS};

    labelling.setting.forest.fill = SHW_FILL_SIMPLE;
    return shw_bench_time_labelling(bench, &labelling);
}

static enum shw_result time_prediction(struct shw_bench *bench, const struct variant *variant)
{
    static const struct shw_bench_published evaluation[] = {{PORTED, "NVIDIA H200", "with depth normalisation", 0.43}},
                                            whole[] = {{"CURFIL", "GeForce GTX Titan", "Table 2, NYU Depth v2", 12},
                                                       {"CURFIL", "Core i7-4770K", "Table 2, NYU Depth v2", 477}};
    bool has_depth = variant->feature->reads_depth;
    struct shw_bench_labelling labelling = {
        .suite = "curfil",
        .title = has_depth ? "prediction, scaled by depth" : "prediction, without depth",
        .setting = shw_bench_base(),
        .stages = 1u << SHW_BENCH_STAGE_EVALUATE | 1u << SHW_BENCH_STAGE_WHOLE,
        .published = {[SHW_BENCH_STAGE_EVALUATE] = evaluation, [SHW_BENCH_STAGE_WHOLE] = whole},
        .published_count = {[SHW_BENCH_STAGE_EVALUATE] = has_depth, [SHW_BENCH_STAGE_WHOLE] = 2 * has_depth}};

    if (has_depth)
        labelling.stages |= 1u << SHW_BENCH_STAGE_CHANNELS | 1u << SHW_BENCH_STAGE_INTEGRATE;
    labelling.setting.forest = (struct shw_bench_forest_params){.trees = 3,
                                                                .depth = 18,
                                                                .full_depth = 10,
                                                                .classes = 4,
                                                                .channels = variant->channels,
                                                                .feature = variant->feature,
                                                                .offset_max = OFFSET_MAX,
                                                                .size_max = SIZE_MAX_};
    SHW_PROPAGATE(shw_bench_time_labelling(bench, &labelling));
    return has_depth ? time_filling(bench, &labelling) : SHW_OK;
}

/* The split of a root: samples of many images, each with all candidates and thresholds. */
struct root {
    struct shw_bench *bench;
    const struct variant *variant;
    struct shw_dataset scenes;
    struct shw_trainer_params params;
    struct shw_bench_trained trained;
    struct shw_bench_times times;
    bool small;
    uint64_t hash;
};

static enum shw_result add_root(struct root *root, const char *skipped, int equals)
{
    static const struct shw_bench_published published = {PORTED, "NVIDIA H200", "root node", 230};
    double samples = (double)root->params.pixels_per_image * root->scenes.count;
    char id[96];
    const struct shw_bench_row row = {
        .suite = "curfil",
        .stage = "split",
        .technique = shw_technique_name(root->params.technique),
        .title = root->small ? "split of a root, smaller: fewer images, samples and candidates" : "split of a root",
        .id = id,
        .setting =
            json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "features", root->variant->name, "images",
                      (int)root->scenes.count, "width", root->small ? 160 : 640, "height", root->small ? 120 : 480,
                      "samples", (int)samples, "candidates", (int)root->params.candidates, "thresholds", THRESHOLDS,
                      "classes", (int)root->scenes.class_count),
        .times = skipped == NULL ? &root->times : NULL,
        .skipped = skipped,
        .work = samples * root->params.candidates,
        .work_unit = "responses",
        .equals_cpu = equals,
        .published = &published,
        .published_count = !root->small && root->variant->feature->reads_depth};

    snprintf(id, sizeof id, "curfil/split/%s/samples-%.0f/candidates-%u/%s", root->variant->name, samples,
             root->params.candidates, row.technique);
    return shw_bench_add(root->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result time_technique(struct root *root, enum shw_technique technique)
{
    enum shw_result result;

    root->params.technique = technique;
    shw_bench_say(root->bench, "curfil/split/%s", shw_technique_name(technique));
    result = shw_bench_train(root->bench, &root->params, &root->scenes, &root->trained);
    if (shw_bench_is_skip(result))
        return add_root(root, root->bench->message, -1);
    if (result != SHW_OK)
        return result;
    if (!shw_technique_needs_device(technique))
        root->hash = root->trained.hash;
    shw_bench_tree_times(&root->trained, &root->times);
    return shw_bench_wants(root->bench, technique) ? add_root(root, NULL, root->trained.hash == root->hash) : SHW_OK;
}

static enum shw_result time_root(struct shw_bench *bench, const struct variant *variant)
{
    struct root *root = calloc(1, sizeof *root);
    bool small = shw_bench_is_small(bench);
    enum shw_result result;

    if (root == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    root->bench = bench;
    root->variant = variant;
    root->small = small;
    root->params = (struct shw_trainer_params){.channels = variant->channels,
                                               .feature = variant->feature,
                                               .tree_count = CURFIL_TREES,
                                               .depth = 1,
                                               .candidates = small ? 100 : 2000,
                                               .bins = THRESHOLDS + 1,
                                               .offset_max = OFFSET_MAX + SIZE_MAX_,
                                               .size_max = SIZE_MAX_,
                                               .pixels_per_image = small ? 200 : 2000};
    SHW_TRY(shw_bench_scenes_open(bench, small ? 160 : 640, small ? 120 : 480, small ? 20 : 500, &root->scenes));
    shw_bench_scenes_merge(&root->scenes, CLASSES);
    SHW_TRY(time_technique(root, SHW_TECHNIQUE_CPU));
    if (shw_bench_wants(bench, SHW_TECHNIQUE_COMPUTE))
        SHW_TRY(time_technique(root, SHW_TECHNIQUE_COMPUTE));

fail:
    shw_bench_scenes_close(&root->scenes);
    free(root);
    return result;
}

enum shw_result shw_bench_curfil(struct shw_bench *bench)
{
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        SHW_PROPAGATE(time_prediction(bench, &variants[v]));
        SHW_PROPAGATE(time_root(bench, &variants[v]));
    }
    return SHW_OK;
}

#define GPU           "GeForce GTX 280"
#define CPU           "Core 2 Duo 2.66 GHz"
#define CANDIDATES    100
#define SHARP_TREES   8u  /* of his larger forests */
#define SHARP_CLASSES 23u /* of the database that he trained on */

/* His times for a line of a table, in milliseconds. */
struct line {
    uint32_t width, height;
    uint32_t output; /* Figure 10 */
    uint32_t trees, classes;
    double gpu, cpu;
};

static const struct line convolution[] = {{320, 240, 0, 0, 0, 8.5, 94}, {640, 480, 0, 0, 0, 15.5, 381}};

static const struct line integration[] = {{320, 240, 0, 0, 0, 7.0, 9.2}, {640, 480, 0, 0, 0, 16.6, 31}};

static const struct line evaluation[] = {
    {320, 240, SHW_OUTPUT_TREE_LEAF, 1, 2, 0.75, 70.5},    {320, 240, SHW_OUTPUT_FOREST_LEAVES, 4, 2, 3.0, 288},
    {320, 240, SHW_OUTPUT_DISTRIBUTION, 8, 4, 5.69, 619},  {320, 240, SHW_OUTPUT_ARGMAX, 8, 23, 6.85, 828},
    {640, 480, SHW_OUTPUT_TREE_LEAF, 1, 2, 2.94, 288},     {640, 480, SHW_OUTPUT_FOREST_LEAVES, 4, 2, 12.1, 1145},
    {640, 480, SHW_OUTPUT_DISTRIBUTION, 8, 4, 23.1, 2495}, {640, 480, SHW_OUTPUT_ARGMAX, 8, 23, 25.9, 3331},
};

static void publish(const struct line *line, const char *where, struct shw_bench_published published[2])
{
    published[0] = (struct shw_bench_published){"Sharp 2008", GPU, where, line->gpu};
    published[1] = (struct shw_bench_published){"Sharp 2008", CPU, where, line->cpu};
}

static enum shw_result time_line(struct shw_bench *bench, const struct line *line, enum shw_bench_stage stage,
                                 const char *where, struct shw_bench_rates *rates)
{
    struct shw_bench_published published[2];
    struct shw_bench_labelling labelling = {
        .suite = "sharp", .title = where, .setting = shw_bench_base(), .stages = 1u << stage, .rates = rates};

    publish(line, where, published);
    labelling.published[stage] = published;
    labelling.published_count[stage] = 2;
    labelling.setting.width = line->width;
    labelling.setting.height = line->height;
    if (stage == SHW_BENCH_STAGE_EVALUATE) {
        labelling.setting.output = line->output;
        labelling.setting.forest.trees = line->trees;
        labelling.setting.forest.classes = line->classes;
    }
    return shw_bench_time_labelling(bench, &labelling);
}

/* The last setting of Figure 10 with a trained forest and a realistic image, in which neighbours take the same paths,
 * of different lengths. */
static enum shw_result time_trained(struct shw_bench *bench, struct shw_bench_rates *rates)
{
    struct shw_bench_trained_content content;
    struct shw_bench_labelling labelling = {.suite = "sharp",
                                            .title = "Figure 10, with a trained forest and an image of its kind",
                                            .stages = 1u << SHW_BENCH_STAGE_EVALUATE,
                                            .rates = rates};
    enum shw_result result;

    SHW_TRY(shw_bench_trained_content_create(bench, SHARP_TREES, SHARP_CLASSES, &content));
    labelling.setting = shw_bench_trained_setting(&content);
    SHW_TRY(shw_bench_time_labelling(bench, &labelling));

fail:
    shw_bench_trained_content_destroy(&content);
    return result;
}

/* A round of Figure 9: the second of a tree, with the images on the device. */
struct round {
    struct shw_bench *bench;
    struct shw_dataset scenes;
    struct shw_trainer_params params;
    struct shw_bench_trained trained;
    struct shw_bench_times times;
    bool small;
};

static enum shw_result add_round(struct round *round, const char *what, const struct line *line, const char *skipped,
                                 int equals)
{
    const struct shw_bench_round *last =
        &round->trained.rounds[round->trained.round_count > 0 ? round->trained.round_count - 1 : 0];
    struct shw_bench_published published[2];
    char id[96];
    struct shw_bench_row row = {.suite = "sharp",
                                .stage = "train",
                                .technique = shw_technique_name(round->params.technique),
                                .title = round->small ? "Figure 9, smaller: fewer and smaller images, fewer pixels"
                                                      : "Figure 9",
                                .id = id,
                                .setting = json_pack("{s:s, s:i, s:i, s:i, s:i, s:I, s:i}", "part", what, "images",
                                                     (int)round->scenes.count, "candidates", CANDIDATES, "bins",
                                                     (int)round->params.bins, "classes", (int)round->scenes.class_count,
                                                     "samples", (json_int_t)last->samples, "nodes", (int)last->nodes),
                                .times = skipped == NULL ? &round->times : NULL,
                                .skipped = skipped,
                                .work = (double)last->samples * CANDIDATES,
                                .work_unit = "responses",
                                .equals_cpu = equals};

    publish(line, "Figure 9", published);
    row.published = published;
    row.published_count = round->small ? 0 : 2;
    snprintf(id, sizeof id, "sharp/train/%s/%s", what, row.technique);
    return shw_bench_add(round->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

/* A line of Figure 9, and the pass that computes it here. */
struct part {
    const char *name;
    uint32_t pass;
    struct line line;
};

/* `compute` has one pass for responses and histograms; `blend` has his, and what is left of the pass of histograms is
 * part of the scatter. */
static const struct part parts[] = {
    {"responses-and-histograms", SHW_PROGRAM_HISTOGRAM, {.gpu = 12000, .cpu = 91600}},
    {"leaf-images", SHW_CLOCK_LEAVES, {.gpu = 200, .cpu = 6000}},
    {"responses", SHW_CLOCK_RESPONSES, {.gpu = 200, .cpu = 39500}},
    {"scatter", SHW_CLOCK_SCATTER, {.gpu = 11800, .cpu = 52100}},
};

/* Device time of a pass of the last round, in milliseconds. */
static double pass_ms(const struct shw_bench_trained *trained, uint32_t pass)
{
    const struct shw_bench_round *last = &trained->rounds[trained->round_count - 1];

    for (uint32_t p = 0; p < trained->pass_count; p++)
        if (trained->pass_names[p] == shw_compute_pass_names[pass])
            return last->passes[p];
    return 0;
}

/* Rows of the parts that the technique has; those of `blend` apart. */
static enum shw_result add_parts(struct round *round, int equals)
{
    bool apart = pass_ms(&round->trained, SHW_CLOCK_SCATTER) > 0;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double passes = pass_ms(&round->trained, parts[i].pass);
        if (!(passes > 0) || apart == (parts[i].pass == SHW_PROGRAM_HISTOGRAM))
            continue;
        shw_bench_single_time(0, passes, &round->times);
        round->times.runs = 0;
        SHW_PROPAGATE(add_round(round, parts[i].name, &parts[i].line, NULL, equals));
    }
    return SHW_OK;
}

static enum shw_result time_round(struct round *round, enum shw_technique technique, uint64_t *hash)
{
    static const struct line all = {.gpu = 12200, .cpu = 97600};
    struct shw_bench_trained *trained = &round->trained;
    int equals;
    enum shw_result result;

    round->params.technique = technique;
    shw_bench_say(round->bench, "sharp/train/%s", shw_technique_name(technique));
    result = shw_bench_train(round->bench, &round->params, &round->scenes, trained);
    if (shw_bench_is_skip(result))
        return add_round(round, "round", &all, round->bench->message, -1);
    if (result != SHW_OK)
        return result;
    *hash = shw_technique_needs_device(technique) ? *hash : trained->hash;
    equals = trained->hash == *hash;
    if (!shw_bench_wants(round->bench, technique))
        return SHW_OK;
    shw_bench_single_time(trained->rounds[trained->round_count - 1].wall,
                          trained->rounds[trained->round_count - 1].device, &round->times);
    SHW_PROPAGATE(add_round(round, "round", &all, NULL, equals));
    return add_parts(round, equals);
}

static enum shw_result time_rounds(struct shw_bench *bench)
{
    struct round *round = calloc(1, sizeof *round);
    bool small = shw_bench_is_small(bench);
    uint64_t hash = 0;
    enum shw_result result;

    if (round == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    round->bench = bench;
    round->small = small;
    round->params = (struct shw_trainer_params){.channels = SHW_CHANNELS_WINN16,
                                                .feature = &shw_feature_sum_difference,
                                                .tree_count = 1,
                                                .depth = 2,
                                                .candidates = CANDIDATES,
                                                .pool = SHW_POOL_ROUND,
                                                .thresholds = SHW_THRESHOLDS_RANDOM,
                                                .bins = 3,
                                                .pixels_per_image = small ? 200 : SHW_PIXELS_ALL};
    SHW_TRY(shw_bench_scenes_open_usual(bench, &round->scenes));
    shw_bench_scenes_split(&round->scenes, SHARP_CLASSES);
    SHW_TRY(time_round(round, SHW_TECHNIQUE_CPU, &hash));
    if (shw_bench_wants(bench, SHW_TECHNIQUE_COMPUTE))
        SHW_TRY(time_round(round, SHW_TECHNIQUE_COMPUTE, &hash));
    if (shw_bench_wants(bench, SHW_TECHNIQUE_BLEND))
        SHW_TRY(time_round(round, SHW_TECHNIQUE_BLEND, &hash));

fail:
    shw_bench_scenes_close(&round->scenes);
    free(round);
    return result;
}

enum shw_result shw_bench_sharp(struct shw_bench *bench)
{
    struct shw_bench_rates rates = {0};

    for (size_t i = 0; i < sizeof convolution / sizeof *convolution; i++)
        SHW_PROPAGATE(time_line(bench, &convolution[i], SHW_BENCH_STAGE_CHANNELS, "Figure 8", &rates));
    for (size_t i = 0; i < sizeof integration / sizeof *integration; i++)
        SHW_PROPAGATE(time_line(bench, &integration[i], SHW_BENCH_STAGE_INTEGRATE, "Figure 8", &rates));
    for (size_t i = 0; i < sizeof evaluation / sizeof *evaluation; i++)
        SHW_PROPAGATE(time_line(bench, &evaluation[i], SHW_BENCH_STAGE_EVALUATE, "Figure 10", &rates));
    SHW_PROPAGATE(time_trained(bench, &rates));
    return time_rounds(bench);
}
