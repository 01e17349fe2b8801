#include "bench/setting.h"

#include <stdio.h>

const char *const shw_bench_stage_names[] = {"channels", "integrate", "evaluate", "whole", "label"};

struct shw_bench_setting shw_bench_base(void)
{
    return (struct shw_bench_setting){.width = 640,
                                      .height = 480,
                                      .forest = {.trees = 8,
                                                 .depth = 8,
                                                 .full_depth = 12,
                                                 .classes = 23,
                                                 .channels = SHW_CHANNELS_WINN16,
                                                 .feature = &shw_feature_sum_difference,
                                                 .offset_max = 60,
                                                 .size_max = 32},
                                      .output = SHW_OUTPUT_ARGMAX};
}

static const char *output_name(uint32_t output)
{
    switch (output) {
    case SHW_OUTPUT_TREE_LEAF: return "tree-leaf";
    case SHW_OUTPUT_FOREST_LEAVES: return "forest-leaves";
    case SHW_OUTPUT_DISTRIBUTION: return "distribution";
    default: return "argmax";
    }
}

struct shw_bench_setting shw_bench_trained_setting(const struct shw_bench_trained_content *content)
{
    const struct shw_forest_info *info = shw_forest_get_info(content->forest);
    struct shw_bench_setting setting = shw_bench_base();

    setting.width = content->image.width;
    setting.height = content->image.height;
    setting.forest.trees = info->tree_count;
    setting.forest.depth = content->depth;
    setting.forest.classes = info->class_count;
    setting.forest.channels = info->channels;
    setting.forest.feature = info->feature;
    setting.trained = content;
    return setting;
}

uint32_t shw_bench_setting_channels(const struct shw_bench_setting *setting)
{
    struct shw_channel_list list;

    return shw_channel_list_parse(setting->forest.channels, NULL, NULL, &list) == SHW_OK ? list.channel_count : 0;
}

uint64_t shw_bench_setting_leaves(const struct shw_bench_setting *setting)
{
    uint32_t depth = setting->forest.depth,
             full = setting->forest.full_depth < depth ? setting->forest.full_depth : depth;

    if (setting->trained != NULL)
        return (setting->trained->leaves + setting->forest.trees / 2) / setting->forest.trees;
    return (uint64_t)(1 + depth - full) << full;
}

uint32_t shw_bench_setting_planes(const struct shw_bench_setting *setting)
{
    switch (setting->output) {
    case SHW_OUTPUT_FOREST_LEAVES: return setting->forest.trees;
    case SHW_OUTPUT_DISTRIBUTION: return setting->forest.classes;
    default: return 1;
    }
}

/* Trees that are walked. */
static uint32_t walked(const struct shw_bench_setting *setting)
{
    return setting->output == SHW_OUTPUT_TREE_LEAF ? 1 : setting->forest.trees;
}

void shw_bench_setting_name(const struct shw_bench_setting *setting, enum shw_bench_stage stage, char *name,
                            size_t size)
{
    const struct shw_bench_forest_params *forest = &setting->forest;

    if (stage < SHW_BENCH_STAGE_EVALUATE)
        snprintf(name, size, "%ux%u%s%s", setting->width, setting->height, forest->feature->reads_depth ? "/rgb-d" : "",
                 forest->fill > SHW_FILL_NONE ? "-filled" : "");
    else
        snprintf(name, size, "%ux%u/trees-%u/depth-%u/classes-%u/%s%s%s%s%s%s", setting->width, setting->height,
                 forest->trees, forest->depth, forest->classes, output_name(setting->output),
                 setting->trained != NULL ? "/trained" : "", forest->ferns ? "/ferns" : "",
                 forest->feature->reads_depth ? "/rgb-d" : "", forest->size_max == 1 ? "/1x1-" : "",
                 forest->size_max == 1 ? forest->feature->name : "");
}

json_t *shw_bench_setting_describe(const struct shw_bench_setting *setting, enum shw_bench_stage stage)
{
    const struct shw_bench_forest_params *forest = &setting->forest;
    json_t *described =
        json_pack("{s:i, s:i, s:I, s:i}", "width", (int)setting->width, "height", (int)setting->height, "pixels",
                  (json_int_t)setting->width * setting->height, "channels", (int)shw_bench_setting_channels(setting));

    if (stage < SHW_BENCH_STAGE_EVALUATE || described == NULL)
        return described;
    json_object_set_new(described, "trees", json_integer(forest->trees));
    json_object_set_new(described, "depth", json_integer(forest->depth));
    json_object_set_new(described, "leaves", json_integer((json_int_t)shw_bench_setting_leaves(setting)));
    json_object_set_new(described, "classes", json_integer(forest->classes));
    json_object_set_new(described, "output", json_string(output_name(setting->output)));
    json_object_set_new(described, "feature", json_string(forest->feature->label));
    json_object_set_new(described, "offset_max", json_integer(forest->offset_max));
    json_object_set_new(described, "content", json_string(setting->trained != NULL ? "trained" : "random"));
    if (forest->ferns)
        json_object_set_new(described, "ferns", json_true());
    if (setting->trained != NULL)
        json_object_set_new(described, "path_length", json_real(setting->trained->path_length));
    return described;
}

double shw_bench_setting_work(const struct shw_bench_setting *setting, enum shw_bench_stage stage, const char **unit)
{
    double pixels = (double)setting->width * setting->height, channels = shw_bench_setting_channels(setting);
    double path = setting->trained != NULL ? setting->trained->path_length : setting->forest.depth;

    switch (stage) {
    case SHW_BENCH_STAGE_CHANNELS: *unit = "bytes"; return pixels * (4 + 2 * channels);
    case SHW_BENCH_STAGE_INTEGRATE: *unit = "bytes"; return pixels * (2 + 4) * channels;
    case SHW_BENCH_STAGE_EVALUATE: *unit = "node visits"; return pixels * walked(setting) * path;
    default: *unit = "pixels"; return pixels;
    }
}
