#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/forest.h>

#include "cli/commands.h"
#include "cli/report.h"
#include "image/image_write.h"

#define BAR 40

/* What a walk over all nodes finds. */
struct shape {
    uint64_t nodes, leaves, singles;
    uint64_t depths[SHW_DEPTH_MAX + 1]; /* leaves at each depth */
    uint64_t channels[SHW_CHANNELS_MAX];
    uint32_t depth_max, side_max;
    double depth_sum;
};

static void walk(const struct shw_forest *forest, uint32_t tree, uint32_t index, uint32_t depth, struct shape *shape)
{
    struct shw_node node = shw_forest_get_node(forest, tree, index);

    if (!node.is_split) {
        shape->depths[depth]++;
        shape->depth_sum += depth;
        shape->depth_max = depth > shape->depth_max ? depth : shape->depth_max;
        return;
    }
    shape->singles += node.feature.single;
    for (int i = 0; i < (node.feature.single ? 1 : 2); i++) {
        struct shw_rectangle rectangle = node.feature.rectangle[i];
        uint32_t width = (uint32_t)(rectangle.x1 - rectangle.x0), height = (uint32_t)(rectangle.y1 - rectangle.y0);
        shape->channels[node.feature.channel[i]]++;
        shape->side_max = width > shape->side_max ? width : shape->side_max;
        shape->side_max = height > shape->side_max ? height : shape->side_max;
    }
    walk(forest, tree, node.left, depth + 1, shape);
    walk(forest, tree, node.left + 1, depth + 1, shape);
}

static struct shape find_shape(const struct shw_forest *forest)
{
    struct shape shape = {0};

    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(forest, t);
        shape.nodes += tree.node_count;
        shape.leaves += tree.leaf_count;
        walk(forest, t, 0, 0, &shape);
    }
    return shape;
}

static void print_bar(const char *name, uint64_t value, uint64_t largest)
{
    int length = largest > 0 ? (int)(value * BAR / largest) : 0;

    printf("  %-14s%10llu  ", name, (unsigned long long)value);
    for (int i = 0; i < length; i++)
        putchar('#');
    putchar('\n');
}

static uint64_t largest_of(const uint64_t *values, uint32_t count)
{
    uint64_t largest = 0;

    for (uint32_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

static const char *feature_name(enum shw_feature_type feature)
{
    return feature == SHW_FEATURE_MEAN_DIFFERENCE ? "mean-difference" : "sum-difference";
}

static void print(const struct shw_forest *forest, const char *path, long long file_bytes)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_channel_set_info *set = shw_channel_set_get(info->channels);
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    struct shape shape = find_shape(forest);
    char name[24];

    printf("%s\n", path);
    printf("  file          %lld bytes, texture %u x %u, %u layer%s\n", file_bytes, texture.width, texture.height, texture.layers,
           texture.layers == 1 ? "" : "s");
    printf("  hash          %016llx\n", (unsigned long long)shw_forest_hash(forest));
    printf("  trees         %u, %llu nodes, %llu leaves\n", info->tree_count, (unsigned long long)shape.nodes,
           (unsigned long long)shape.leaves);
    printf("  depth         %.1f on average, %u at most\n", shape.depth_sum / (double)shape.leaves, shape.depth_max);
    printf("  channels      %s, %u of them\n", set->name, set->channel_count);
    printf("  feature       %s; %llu of %llu tests have one rectangle alone\n", feature_name(info->feature),
           (unsigned long long)shape.singles, (unsigned long long)(shape.nodes - shape.leaves));
    printf("  rectangles    sides up to %u, within %u pixels\n", shape.side_max, shw_forest_get_reach(forest));
    printf("  training      %s\n", info->training);
    printf("\nclasses\n");
    for (uint32_t c = 0; c < info->class_count; c++)
        printf("  %3u  #%02x%02x%02x  %s\n", c, info->classes[c].colour[0], info->classes[c].colour[1],
               info->classes[c].colour[2], info->classes[c].name);
    printf("\nleaves by depth\n");
    for (uint32_t d = 0; d <= shape.depth_max; d++) {
        snprintf(name, sizeof name, "%u", d);
        print_bar(name, shape.depths[d], largest_of(shape.depths, SHW_DEPTH_MAX + 1));
    }
    printf("\nrectangles by channel\n");
    for (uint32_t c = 0; c < set->channel_count; c++)
        print_bar(set->channels[c].name, shape.channels[c], largest_of(shape.channels, SHW_CHANNELS_MAX));
}

static json_t *describe(const struct shw_forest *forest, const char *path, long long file_bytes)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_channel_set_info *set = shw_channel_set_get(info->channels);
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    struct shape shape = find_shape(forest);
    json_t *classes = json_array(), *depths = json_array(), *channels = json_object();
    char hash[20];

    for (uint32_t c = 0; c < info->class_count; c++)
        json_array_append_new(classes, json_pack("{s:s, s:[i, i, i]}", "name", info->classes[c].name, "colour",
                                                 (int)info->classes[c].colour[0], (int)info->classes[c].colour[1],
                                                 (int)info->classes[c].colour[2]));
    for (uint32_t d = 0; d <= shape.depth_max; d++)
        json_array_append_new(depths, json_integer((json_int_t)shape.depths[d]));
    for (uint32_t c = 0; c < set->channel_count; c++)
        json_object_set_new(channels, set->channels[c].name, json_integer((json_int_t)shape.channels[c]));
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_forest_hash(forest));
    return json_pack("{s:s, s:I, s:s, s:i, s:I, s:I, s:i, s:f, s:s, s:s, s:i, s:[i, i, i], s:o, s:o, s:o, s:o}", "forest", path,
                     "bytes", (json_int_t)file_bytes, "hash", hash, "trees", (int)info->tree_count, "nodes",
                     (json_int_t)shape.nodes, "leaves", (json_int_t)shape.leaves, "depth_max", (int)shape.depth_max, "depth_mean",
                     shape.depth_sum / (double)shape.leaves, "channel_set", set->name, "feature", feature_name(info->feature),
                     "reach", (int)shw_forest_get_reach(forest), "texture", (int)texture.width, (int)texture.height,
                     (int)texture.layers, "classes", classes, "leaves_by_depth", depths, "rectangles_by_channel", channels,
                     "training", json_loads(info->training, 0, NULL));
}

static void print_tree(const struct shw_forest *forest, uint32_t tree)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_channel_set_info *set = shw_channel_set_get(info->channels);
    struct shw_tree_info shape = shw_forest_get_tree(forest, tree);

    printf("tree %u\n", tree);
    for (uint32_t n = 0; n < shape.node_count; n++) {
        struct shw_node node = shw_forest_get_node(forest, tree, n);
        if (!node.is_split) {
            const uint16_t *distribution = shw_forest_get_distribution(forest, tree, node.leaf);
            uint32_t best = 0;
            for (uint32_t c = 1; c < info->class_count; c++)
                best = distribution[c] > distribution[best] ? c : best;
            printf("%6u  leaf %u: %s %.1f %%\n", n, node.leaf, info->classes[best].name, 100.0 * distribution[best] / 65535);
            continue;
        }
        printf("%6u  children %u, %u: %d <= ", n, node.left, node.left + 1, node.t0);
        for (int i = 0; i < (node.feature.single ? 1 : 2); i++)
            printf("%s%s[%d..%d, %d..%d]", i > 0 ? " - " : "", set->channels[node.feature.channel[i]].name,
                   node.feature.rectangle[i].x0, node.feature.rectangle[i].x1 - 1, node.feature.rectangle[i].y0,
                   node.feature.rectangle[i].y1 - 1);
        printf(" < %d\n", node.t1);
    }
}

/* The texture as people can see it: a pixel a texel, the upper bits of what its four words differ in, layers below each other. */
static enum shw_result write_texture(const struct shw_forest *forest, const char *path, const struct shw_log *log)
{
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    size_t texels = (size_t)texture.width * texture.height * texture.layers;
    uint8_t *pixels = malloc(texels * 3);
    struct shw_image image = {
        .pixels = pixels, .width = texture.width, .height = texture.height * texture.layers, .format = SHW_PIXEL_RGB8};
    enum shw_result result;

    if (pixels == NULL)
        return SHW_ERROR_MEMORY;
    for (size_t i = 0; i < texels; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t word = texture.texels[4 * i + k];
            pixels[3 * i + k] = (uint8_t)(word ^ word >> 8 ^ word >> 16 ^ word >> 24);
        }
    result = shw_png_write(path, &image, log);
    free(pixels);
    return result;
}

static int run(int argc, char **argv)
{
    struct cli_report report = {0};
    const char *texture = NULL;
    uint32_t tree = UINT32_MAX;
    const struct cli_option options[] = {
        {.name = "tree",
         .argument = "N",
         .help = "print the nodes of one tree",
         .kind = CLI_NUMBER,
         .value = &tree,
         .high = SHW_TREES_MAX - 1},
        {.name = "texture",
         .argument = "FILE",
         .help = "render the forest texture as a PNG file",
         .kind = CLI_TEXT,
         .value = &texture},
        CLI_REPORT_OPTIONS(report),
    };
    struct shw_forest *forest = NULL;
    struct stat status;
    struct shw_log log;
    int first, code = cli_parse(&cli_inspect, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != CLI_CONTINUE)
        return code;
    if (argc - first != 1)
        return cli_usage_error(&cli_inspect, "one forest is needed");
    log = cli_log(&report);
    code = cli_exit_code(shw_forest_load(argv[first], &log, &forest));
    if (code != CLI_SUCCESS)
        return code;
    if (tree != UINT32_MAX && tree >= shw_forest_get_info(forest)->tree_count) {
        code = cli_usage_error(&cli_inspect, "the forest has trees 0 to %u", shw_forest_get_info(forest)->tree_count - 1);
    } else if (texture != NULL) {
        code = cli_exit_code(write_texture(forest, texture, &log));
    } else if (tree != UINT32_MAX) {
        print_tree(forest, tree);
    } else {
        long long bytes = stat(argv[first], &status) == 0 ? (long long)status.st_size : 0;
        if (report.json)
            code = cli_print_json(describe(forest, argv[first], bytes));
        else
            print(forest, argv[first], bytes);
    }
    shw_forest_destroy(&forest);
    return code;
}

const struct cli_command cli_inspect = {
    .name = "inspect",
    .summary = "show what is in a forest",
    .arguments = "[OPTION...] FOREST",
    .text =
        "Shows a forest's shape, classes and training record, how deep its leaves are, which channels it looks at; one tree's\n"
        "nodes; or its texture as a picture.",
    .examples = "  shadewood inspect scenes.ktx2\n"
                "  shadewood inspect scenes.ktx2 --tree 0\n"
                "  shadewood inspect scenes.ktx2 --texture texture.png",
    .run = run,
};
