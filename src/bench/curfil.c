/* The settings of CURFIL (Schulz et al., VISAPP 2016; NYU Depth v2): dense prediction, and the search for the split of
 * a root node. */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "bench/labelling.h"
#include "bench/scenes.h"
#include "bench/trained.h"

/* CURFIL's own CUDA kernels, ported to the device. */
#define PORTED     "CURFIL's kernels, ported"
#define OFFSET_MAX 111u
#define SIZE_MAX_  3u
#define THRESHOLDS 50u
#define CLASSES    5u
#define TREES      4u /* from the second on, the images are on the device */

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
                                               .tree_count = TREES,
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
