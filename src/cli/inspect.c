#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <shadewood/forest.h>

#include "base/integers.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/outputs.h"
#include "cli/report.h"
#include "cli/tree_text.h"
#include "image/image_write.h"

#define BAR 40

/* Statistics over all nodes. */
struct shape {
    uint64_t nodes, leaves, singles;
    uint64_t distributions;             /* which leaves may share */
    uint64_t depths[SHW_DEPTH_MAX + 1]; /* leaves at each depth */
    uint64_t channels[SHW_CHANNELS_MAX];
    uint32_t depth_min, depth_max, side_max;
    int32_t offsets[4]; /* left, top, right and bottom of the area that rectangles cover, from the pixel */
    double depth_sum;
};

static void add_rectangle(struct shape *shape, struct shw_rectangle rectangle)
{
    int32_t width = rectangle.x1 - rectangle.x0, height = rectangle.y1 - rectangle.y0;

    shape->side_max = (uint32_t)shw_max_i32((int32_t)shape->side_max, shw_max_i32(width, height));
    shape->offsets[0] = shw_min_i32(shape->offsets[0], rectangle.x0);
    shape->offsets[1] = shw_min_i32(shape->offsets[1], rectangle.y0);
    shape->offsets[2] = shw_max_i32(shape->offsets[2], rectangle.x1 - 1);
    shape->offsets[3] = shw_max_i32(shape->offsets[3], rectangle.y1 - 1);
}

static void walk(const struct shw_forest *forest, uint32_t tree, uint32_t index, uint32_t depth, struct shape *shape)
{
    struct shw_node node = shw_forest_get_node(forest, tree, index);
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count;

    if (!node.is_split) {
        shape->depths[depth]++;
        shape->depth_sum += depth;
        shape->depth_min = depth < shape->depth_min ? depth : shape->depth_min;
        shape->depth_max = depth > shape->depth_max ? depth : shape->depth_max;
        return;
    }
    count = shw_forest_get_info(forest)->feature->get_regions(&node.feature, regions);
    shape->singles += count == 1;
    for (uint32_t i = 0; i < count; i++) {
        shape->channels[regions[i].channel]++;
        add_rectangle(shape, regions[i].rectangle);
    }
    walk(forest, tree, node.left, depth + 1, shape);
    walk(forest, tree, node.left + 1, depth + 1, shape);
}

static struct shape find_shape(const struct shw_forest *forest)
{
    struct shape shape = {.depth_min = SHW_DEPTH_MAX};

    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(forest, t);
        shape.nodes += tree.node_count;
        shape.leaves += tree.node_count / 2 + 1;
        shape.distributions += tree.leaf_count;
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

static double sum_of(const json_t *numbers)
{
    double sum = 0;
    const json_t *number;
    size_t i;

    json_array_foreach(numbers, i, number) sum += json_number_value(number);
    return sum;
}

/* The classes, with their shares of the training pixels if the record has them, and the rest of the record. */
static void print_training(const struct shw_forest_info *info)
{
    json_t *record = json_loads(info->training, 0, NULL), *value;
    json_t *pixels = json_object_get(record, "class_pixels");
    double all = json_array_size(pixels) == info->class_count ? sum_of(pixels) : 0;
    const char *key;

    printf("\nclasses%s\n", all > 0 ? ", and their shares of the labelled training pixels" : "");
    for (uint32_t c = 0; c < info->class_count; c++) {
        printf("  %3u  #%02x%02x%02x  ", c, info->classes[c].colour[0], info->classes[c].colour[1],
               info->classes[c].colour[2]);
        if (all > 0)
            printf("%5.1f %%  ", 100 * json_number_value(json_array_get(pixels, c)) / all);
        printf("%s\n", info->classes[c].name);
    }
    json_object_del(record, "class_pixels");
    printf("\ntraining\n");
    json_object_foreach(record, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        if (text != NULL)
            shw_make_printable(text);
        printf("  %-17s %s\n", cli_printable(key).text, text != NULL ? text : "");
        free(text);
    }
    json_decref(record);
}

static void print(const struct shw_forest *forest, const char *path, long long file_bytes)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_channel_list *set = info->channel_list;
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    struct shape shape = find_shape(forest);
    char name[24];

    printf("%s\n", cli_printable(path).text);
    printf("  file          %lld bytes, texture %u x %u, %u layer%s\n", file_bytes, texture.width, texture.height,
           texture.layers, texture.layers == 1 ? "" : "s");
    printf("  hash          %016llx\n", (unsigned long long)shw_forest_hash(forest));
    printf("  trees         %u, %llu nodes, %llu leaves", info->tree_count, (unsigned long long)shape.nodes,
           (unsigned long long)shape.leaves);
    if (shape.distributions < shape.leaves)
        printf(" that share %llu distributions", (unsigned long long)shape.distributions);
    printf("%s\n", shw_forest_is_ferns(forest) ? "; ferns: one test per level" : "");
    printf("  combined by   %s\n", cli_combinations[info->combine]);
    if (info->fill != SHW_FILL_NONE)
        printf("  fills depth   %s\n", cli_fillings[info->fill]);
    printf("  depth         %.1f on average, %u to %u\n", shape.depth_sum / (double)shape.leaves, shape.depth_min,
           shape.depth_max);
    printf("  channels      %s, %u of them\n", set->name, set->channel_count);
    printf("  feature       %s; %llu of %llu tests have a single rectangle\n", info->feature->name,
           (unsigned long long)shape.singles, (unsigned long long)(shape.nodes - shape.leaves));
    printf("  rectangles    sides up to %u; from %d to %d in x and %d to %d in y\n", shape.side_max, shape.offsets[0],
           shape.offsets[2], shape.offsets[1], shape.offsets[3]);
    printf("  reach         %u pixels, and %u of the channels\n", shw_forest_get_reach(forest), set->radius);
    print_training(info);
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
    const struct shw_channel_list *set = info->channel_list;
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
    return json_pack(
        "{s:o, s:I, s:s, s:i, s:I, s:I, s:i, s:i, s:f, s:s, s:s, s:i, s:i, s:i, s:[i, i, i, i], s:[i, i, i], s:o, s:o, "
        "s:o, s:o, s:I, s:s, s:s, s:b}",
        "forest", cli_json_text(path), "bytes", (json_int_t)file_bytes, "hash", hash, "trees", (int)info->tree_count,
        "nodes", (json_int_t)shape.nodes, "leaves", (json_int_t)shape.leaves, "depth_min", (int)shape.depth_min,
        "depth_max", (int)shape.depth_max, "depth_mean", shape.depth_sum / (double)shape.leaves, "channel_set",
        set->name, "feature", info->feature->name, "reach", (int)shw_forest_get_reach(forest), "channel_radius",
        (int)set->radius, "side_max", (int)shape.side_max, "offsets", shape.offsets[0], shape.offsets[1],
        shape.offsets[2], shape.offsets[3], "texture", (int)texture.width, (int)texture.height, (int)texture.layers,
        "classes", classes, "leaves_by_depth", depths, "rectangles_by_channel", channels, "training",
        json_loads(info->training, 0, NULL), "distributions", (json_int_t)shape.distributions, "combine",
        cli_combinations[info->combine], "fill", cli_fillings[info->fill], "ferns", (int)shw_forest_is_ferns(forest));
}

/* The texture as an image: one pixel per texel, the upper bits in which its four words differ, layers below each
 * other. */
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
    result = shw_png_write_marked(path, shw_file_texture.name, &image, log);
    free(pixels);
    return result;
}

static int inspect(struct cli_report *report, const char *path, uint32_t tree, const char *texture)
{
    const struct shw_log log = cli_log(report);
    struct shw_forest *forest = NULL;
    struct stat status;
    int code = cli_exit_code(shw_forest_load(path, &(struct shw_forest_load_params){.log = log}, &forest));

    if (code != CLI_SUCCESS)
        return code;
    if (tree != UINT32_MAX && tree >= shw_forest_get_info(forest)->tree_count) {
        code =
            cli_usage_error(&cli_inspect, "the forest has trees 0 to %u", shw_forest_get_info(forest)->tree_count - 1);
    } else if (texture != NULL) {
        code = cli_exit_code(write_texture(forest, texture, &log));
    } else if (tree != UINT32_MAX) {
        code = report->json ? cli_print_json(report, cli_tree_json(forest, tree))
                            : (cli_print_tree(forest, tree), CLI_SUCCESS);
    } else {
        long long bytes = stat(path, &status) == 0 ? (long long)status.st_size : 0;
        if (report->json)
            code = cli_print_json(report, describe(forest, path, bytes));
        else
            print(forest, path, bytes);
    }
    shw_forest_destroy(&forest);
    return code;
}

static int run(int argc, char **argv)
{
    struct cli_report report = {0};
    struct shw_output_files files = {0};
    const char *texture = NULL;
    uint32_t tree = UINT32_MAX;
    const struct cli_option options[] = {
        CLI_OPTION_WITHIN(CLI_NUMBER, "tree", 0, "N", &tree, 0, SHW_TREES_MAX - 1, "print the nodes of one tree"),
        CLI_OPTION(CLI_TEXT, "texture", 0, "FILE", &texture, "render the forest texture as a PNG file"),
        CLI_OVERWRITE_OPTION(files),
        CLI_REPORT_OPTIONS(report),
    };
    int first, code = cli_parse(&cli_inspect, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != CLI_CONTINUE)
        return code;
    if (argc - first != 1)
        return cli_usage_error(&cli_inspect, "one forest is needed");
    shw_output_files_read(&files, argv[first]);
    shw_output_files_write(&files, texture, &shw_file_texture);
    code = cli_check_outputs(&report, &files);
    shw_output_files_free(&files);
    return code == CLI_CONTINUE ? inspect(&report, argv[first], tree, texture) : code;
}

const struct cli_command cli_inspect = {
    .name = "inspect",
    .summary = "show the structure of a forest",
    .arguments = "[OPTION...] FOREST",
    .text =
        "Shows the size, classes and training record of a forest, the depths of its leaves and the channels that it "
        "reads; or\n"
        "the nodes of one tree; or the forest texture as an image.",
    .examples = "  shadewood inspect scenes.ktx2\n"
                "  shadewood inspect scenes.ktx2 --tree 0\n"
                "  shadewood inspect scenes.ktx2 --texture texture.png",
    .run = run,
};
