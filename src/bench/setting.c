#include "bench/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/posterior.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/forest.h"
#include "shared/candidate.h"
#include "shared/random.h"

#define SEED   0x5eedu
#define SPREAD 128 /* thresholds are within this part of the largest response */

/* A stream of random numbers: the counter of a key. */
struct chance {
    uint32_t key, count;
};

static uint32_t below(struct chance *chance, uint32_t limit)
{
    return shw_random_below(shw_random(chance->key, chance->count++, 0), limit);
}

static int16_t offset(struct chance *chance, const struct shw_bench_forest_params *params)
{
    return (int16_t)((int32_t)below(chance, 2 * params->offset_max + 1) - (int32_t)params->offset_max);
}

/* The kind of a channel: brightness, values symmetric about zero, or a kind of its own. */
static uint32_t kind(const struct shw_channel_list *set, uint32_t channel)
{
    static const char *const kinds[][3] = {{"gauss-", "gauss-", "gauss-"}, {"log-", "dx-", "dy-"}};

    for (uint32_t k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            if (strncmp(set->channels[channel].name, kinds[k][i], strlen(kinds[k][i])) == 0)
                return k;
    return 2 + channel;
}

static uint16_t partner(struct chance *chance, const struct shw_channel_list *set, uint32_t channel)
{
    uint32_t other;

    do
        other = below(chance, set->channel_count);
    while (kind(set, other) != kind(set, channel));
    return (uint16_t)other;
}

/* A plane of ones, and its integral image. */
static int32_t one(void *user, uint32_t channel, int32_t x, int32_t y)
{
    (void)user, (void)channel, (void)x, (void)y;
    return 1;
}

static uint32_t ones(void *user, uint32_t channel, int32_t x, int32_t y)
{
    (void)user, (void)channel;
    return (uint32_t)x * (uint32_t)y;
}

/* The value of the first region of a feature on such a plane: the growth of its responses with its size. */
static uint32_t value_of_ones(const struct shw_feature_type *type, const struct shw_feature *feature)
{
    const struct shw_feature_source source = {.integral = ones, .channel = one};
    const struct shw_rect image = {INT16_MIN, INT16_MIN, INT16_MAX, INT16_MAX};
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];

    type->get_regions(feature, regions);
    return (uint32_t)type->code->look(&regions[0].alone, &source, 0, 0, image).value;
}

/* A feature as training draws it; responses of the first channel are of both signs. */
static struct shw_node drawn(struct chance *chance, const struct shw_bench_forest_params *params,
                             const struct shw_channel_list *set, uint32_t left)
{
    const struct shw_candidate_space space = {.key = chance->key,
                                              .channels = set->channel_count,
                                              .size_max = params->size_max,
                                              .offset_max = params->offset_max,
                                              .shapes = params->shapes};
    struct shw_node node = {.is_split = true, .left = left, .t1 = INT32_MAX};
    uint32_t spread;

    node.feature = params->feature->code->draw(set, &space, chance->count++, 0);
    spread = set->channels[shw_node_channel(node.feature.words[0], 0)].max_abs / SPREAD;
    node.t0 = (int32_t)below(chance, 2 * spread + 1) - (int32_t)spread;
    return node;
}

/* Two rectangles of one size in channels of one kind, so that their differences are positive and negative equally
 * often. */
static struct shw_node split(struct chance *chance, const struct shw_bench_forest_params *params,
                             const struct shw_channel_list *set, uint32_t left)
{
    struct shw_node node = {.is_split = true, .left = left, .t1 = INT32_MAX};
    struct shw_rectangle_difference difference = {0};
    const struct shw_candidate_space space = {.size_max = params->size_max, .shapes = params->shapes};
    const bool any = params->shapes == 0;
    int32_t width = any ? 1 + (int32_t)below(chance, params->size_max)
                        : (int32_t)shw_candidate_side(space, below(chance, params->shapes));
    int32_t height = any ? 1 + (int32_t)below(chance, params->size_max) : width;
    uint32_t channel = below(chance, set->channel_count), spread = set->channels[channel].max_abs / SPREAD;

    difference.channel[0] = (uint16_t)channel;
    difference.channel[1] = partner(chance, set, channel);
    for (int r = 0; r < 2; r++) {
        struct shw_rectangle *rect = &difference.rectangle[r];
        rect->x0 = offset(chance, params);
        rect->y0 = offset(chance, params);
        rect->x1 = (int16_t)(rect->x0 + width);
        rect->y1 = (int16_t)(rect->y0 + height);
    }
    node.feature = shw_rectangle_difference_pack(&difference);
    spread *= value_of_ones(params->feature, &node.feature);
    node.t0 = (int32_t)below(chance, 2 * spread + 1) - (int32_t)spread;
    return node;
}

/* Breadth first. `splits`: the number so far. */
static uint32_t grow(struct chance *chance, const struct shw_bench_forest_params *params,
                     const struct shw_channel_list *set, struct shw_node *nodes)
{
    uint32_t count = 1, splits = 0, first = 0;

    for (uint32_t level = 0; level <= params->depth; level++) {
        uint32_t end = count;
        for (uint32_t n = first; n < end; n++) {
            bool inner = level < params->depth && (level <= params->full_depth || (n - first) % 2 == 0);
            if (inner) {
                if (params->ferns && n > first) { /* the first node of a level is a split if any is */
                    nodes[n] = nodes[first];
                    nodes[n].left = count;
                } else {
                    nodes[n] = params->feature->reads_depth ? drawn(chance, params, set, count)
                                                            : split(chance, params, set, count);
                }
                count += 2;
                splits++;
            } else {
                nodes[n] = (struct shw_node){.left = n, .leaf = n - splits};
            }
        }
        first = end;
    }
    return count;
}

/* Mostly one class, as in a trained forest. */
static void distribute(struct chance *chance, uint32_t classes, uint16_t *values)
{
    uint32_t left = 65535;

    memset(values, 0, classes * sizeof *values);
    for (int part = 0; part < 3; part++) {
        uint32_t share = below(chance, left / 2 + 1), class = below(chance, classes);
        values[class] = (uint16_t)(values[class] + share);
        left -= share;
    }
    values[below(chance, classes)] += (uint16_t)left;
}

static enum shw_result make_tree(struct chance *chance, const struct shw_bench_forest_params *params,
                                 const struct shw_channel_list *set, const struct shw_log *log, struct shw_tree *tree)
{
    uint32_t full = params->full_depth < params->depth ? params->full_depth : params->depth;
    size_t leaves = ((size_t)1 << full) * (1 + params->depth - full), room = 2 * leaves - 1;
    struct shw_node *nodes = calloc(room, sizeof *nodes);
    uint16_t *distributions = malloc(leaves * params->classes * sizeof *distributions);

    tree->nodes = nodes;
    tree->distributions = distributions;
    if (nodes == NULL || distributions == NULL)
        return shw_fail_memory(log, "a tree of the bench");
    tree->node_count = grow(chance, params, set, nodes);
    for (size_t l = 0; l < leaves; l++)
        distribute(chance, params->classes, distributions + l * params->classes);
    return SHW_OK;
}

enum shw_result shw_bench_forest(const struct shw_bench_forest_params *params, const struct shw_log *log,
                                 struct shw_forest **forest)
{
    struct shw_tree *trees = calloc(params->trees, sizeof *trees);
    struct shw_forest_params create = {.info = {.channels = params->channels,
                                                .feature = params->feature,
                                                .class_count = params->classes,
                                                .tree_count = params->trees,
                                                .fill = params->fill,
                                                .smoothing = params->smoothing,
                                                .below = params->below,
                                                .training = "{}"},
                                       .trees = trees,
                                       .log = *log};
    struct shw_channel_list set;
    enum shw_result result;

    if (trees == NULL)
        return shw_fail_memory(log, "a forest of the bench");
    SHW_TRY(shw_channel_list_parse(params->channels, NULL, log, &set));
    for (uint32_t t = 0; t < params->trees; t++) {
        struct chance chance = {.key = SEED + t};
        SHW_TRY(make_tree(&chance, params, &set, log, &trees[t]));
    }
    SHW_TRY(shw_forest_create(&create, forest));

fail:
    shw_forest_free_trees(trees, params->trees);
    return result;
}

enum shw_result shw_bench_levels(const struct shw_bench_forest_params *params, uint32_t radius_below,
                                 const struct shw_log *log, struct shw_forest **forest)
{
    struct shw_bench_forest_params level = *params;
    char why[SHW_CHANNEL_WHY_SIZE];
    struct shw_channel_list image, all;
    struct shw_forest *below = NULL;
    enum shw_result result;

    level.smoothing.radius = radius_below;
    SHW_PROPAGATE(shw_channel_list_parse(level.channels, NULL, log, &image));
    SHW_PROPAGATE(shw_bench_forest(&level, log, &below));
    shw_posterior_add(&image, NULL, level.classes, &all, why); /* there is room for these */
    level.channels = all.name;
    level.smoothing = params->smoothing;
    level.below = below;
    result = shw_bench_forest(&level, log, forest);
    shw_forest_destroy(&below); /* the other one has a reference */
    return result;
}

/* From 0 to 255 and back. */
static uint32_t wave(uint32_t position, uint32_t period)
{
    uint32_t phase = position % period, half = period / 2;

    return 255 * (phase < half ? phase : period - phase) / (period - half);
}

enum shw_result shw_bench_image(uint32_t width, uint32_t height, const struct shw_log *log, struct shw_image *image)
{
    uint8_t *pixels = malloc((size_t)width * height * 3);
    struct chance chance = {.key = SEED};

    if (pixels == NULL)
        return shw_fail_memory(log, "an image of the bench");
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < 3; c++) {
                uint32_t soft = wave(x + 31 * c + y / 3, 190) + wave(y + 17 * c, 110 + 40 * c);
                uint32_t edge = ((x / 37 ^ y / 29) + c) % 3 * 60;
                pixels[((size_t)y * width + x) * 3 + c] = (uint8_t)((soft + edge) * 3 / 10 + below(&chance, 60));
            }
    *image = (struct shw_image){.pixels = pixels, .width = width, .height = height, .format = SHW_PIXEL_RGB8};
    return SHW_OK;
}

enum shw_result shw_bench_depth(uint32_t width, uint32_t height, bool has_holes, const struct shw_log *log,
                                struct shw_image *image)
{
    uint16_t *depth = malloc((size_t)width * height * sizeof *depth);
    struct chance chance = {.key = SEED + 1};

    if (depth == NULL)
        return shw_fail_memory(log, "an image of the bench");
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t soft = wave(x + y / 3, 310) + wave(y, 250), edge = (x / 61 ^ y / 47) % 3 * 120;
            bool missing = has_holes && (below(&chance, 8) == 0 || y < height / 16 || (x / 53 ^ y / 41) % 4 == 0);
            depth[(size_t)y * width + x] =
                (uint16_t)(missing ? 0 : 1000 + 4 * (soft + edge) + below(&chance, 16)); /* to 4015 */
        }
    *image = (struct shw_image){.pixels = depth, .width = width, .height = height, .format = SHW_PIXEL_GREY16};
    return SHW_OK;
}

enum shw_result shw_bench_plane(uint32_t width, uint32_t height, uint32_t number, const struct shw_log *log,
                                struct shw_image *image)
{
    uint16_t *samples = malloc((size_t)width * height * sizeof *samples);
    struct chance chance = {.key = SEED + 2 + number};

    if (samples == NULL)
        return shw_fail_memory(log, "an image of the bench");
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t soft = wave(x + 31 * number + y / 3, 190) + wave(y, 110 + 7 * number),
                     edge = ((x / 37 ^ y / 29) + number) % 3 * 60;
            samples[(size_t)y * width + x] = (uint16_t)(60 * (soft + edge) + below(&chance, 12000));
        }
    *image = (struct shw_image){.pixels = samples, .width = width, .height = height, .format = SHW_PIXEL_GREY16};
    return SHW_OK;
}

/* Without the colour image and depth. */
static uint32_t planes_read(const struct shw_bench_setting *setting)
{
    struct shw_channel_list list;
    uint32_t count = 0;

    if (shw_channel_list_parse(setting->forest.channels, NULL, NULL, &list) != SHW_OK)
        return 0;
    for (uint32_t i = 0; i < list.input_count; i++)
        count += list.is_plane[i];
    return count;
}

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
    const uint32_t planes = planes_read(setting);
    char read[24] = "";

    if (planes > 0)
        snprintf(read, sizeof read, "/planes-%u", planes);
    if (forest->shapes > 0)
        snprintf(read, sizeof read, "/shapes-%u", forest->shapes);
    if (stage < SHW_BENCH_STAGE_EVALUATE)
        snprintf(name, size, "%ux%u%s%s%s", setting->width, setting->height, read,
                 forest->feature->reads_depth ? "/rgb-d" : "", forest->fill > SHW_FILL_NONE ? "-filled" : "");
    else
        snprintf(name, size, "%ux%u%s/trees-%u/depth-%u/classes-%u/%s%s%s%s%s%s", setting->width, setting->height, read,
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
    const uint32_t planes = planes_read(setting);

    if (planes > 0 && described != NULL)
        json_object_set_new(described, "planes", json_integer(planes));
    if (forest->shapes > 0 && described != NULL)
        json_object_set_new(described, "shapes", json_integer(forest->shapes));
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
