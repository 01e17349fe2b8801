#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <shadewood/cascade.h>
#include <shadewood/forest.h>
#include <shadewood/record_forest.h>

#include "base/integers.h"
#include "base/json_text.h"
#include "base/ktx2.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/report.h"
#include "dense/forest/gains.h"
#include "files/code/forest_code.h"
#include "files/image/image_write.h"
#include "files/output/cascade_text.h"
#include "files/output/forest_text.h"
#include "files/output/importance.h"
#include "files/output/record_text.h"
#include "formats/record_formats.h"

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

/* The accuracy on out-of-bag pixels, with more and more trees; of many, after each tenth or so. */
static void print_curve(const json_t *out_of_bag)
{
    const json_t *pixels = json_object_get(out_of_bag, "pixels"), *correct = json_object_get(out_of_bag, "correct");
    const size_t trees = json_array_size(pixels), step = trees / 20 + 1;

    if (trees == 0 || json_array_size(correct) != trees)
        return;
    printf("\naccuracy on out-of-bag pixels by the number of trees\n");
    for (size_t t = 0; t < trees; t++) {
        double all = json_number_value(json_array_get(pixels, t));

        if ((t + 1) % step == 0 || t + 1 == trees)
            printf("  %5zu  %5.2f %% of %.0f\n", t + 1,
                   all > 0 ? 100 * json_number_value(json_array_get(correct, t)) / all : 0, all);
    }
}

/* The classes, with their shares of the training pixels if the provenance has them, and the rest of the provenance. */
static void print_training(const struct shw_forest_info *info)
{
    json_t *record = json_loads(info->training, 0, NULL);
    json_t *pixels = json_object_get(record, "class_pixels");
    double all = json_array_size(pixels) == info->class_count ? sum_of(pixels) : 0;
    char *rest;

    printf("\nclasses%s\n", all > 0 ? ", and their shares of the labelled training pixels" : "");
    for (uint32_t c = 0; c < info->class_count; c++) {
        printf("  %3u  #%02x%02x%02x  ", c, info->classes[c].colour[0], info->classes[c].colour[1],
               info->classes[c].colour[2]);
        if (all > 0)
            printf("%5.1f %%  ", 100 * json_number_value(json_array_get(pixels, c)) / all);
        printf("%s\n", info->classes[c].name);
    }
    print_curve(json_object_get(record, "out_of_bag"));
    json_object_del(record, "out_of_bag");
    json_object_del(record, SHW_GAINS_MEMBER);
    rest = json_dumps(record, 0);
    shw_print_provenance(rest != NULL ? rest : info->training, "class_pixels");
    free(rest);
    json_decref(record);
}

/* The texts that the forest brings, line by line without what a terminal would obey. */
static void print_code(const struct shw_forest_info *info)
{
    json_t *code = shw_forest_code_format(info), *value;
    size_t i;

    json_array_foreach(code, i, value)
    {
        const char *line = json_string_value(json_object_get(value, "text")), *end;

        printf("\n%s %s, as text with the hash %s; it runs where --trust-code allows it\n",
               strcmp(json_string_value(json_object_get(value, "kind")), "feature") == 0 ? "feature type"
                                                                                         : "channel kind",
               json_string_value(json_object_get(value, "name")), json_string_value(json_object_get(value, "hash")));
        for (; *line != '\0'; line = *end == '\n' ? end + 1 : end) {
            struct shw_printable shown;

            end = line + strcspn(line, "\n");
            snprintf(shown.text, sizeof shown.text, "%.*s", (int)(end - line), line);
            shw_make_printable(shown.text);
            printf("  %s\n", shown.text);
        }
    }
    json_decref(code);
}

static void print(const struct shw_forest *forest, const char *path, long long file_bytes, bool importance)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_channel_list *set = info->channel_list;
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    struct shape shape = find_shape(forest);
    char name[24];

    printf("%s\n", shw_printable(path).text);
    printf("  file          %lld bytes, texture %u x %u, %u layer%s\n", file_bytes, texture.width, texture.height,
           texture.layers, texture.layers == 1 ? "" : "s");
    printf("  hash          %016llx\n", (unsigned long long)shw_forest_hash(forest));
    if (info->levels > 1)
        printf("  levels        %u; --level 1 to %u shows those below\n", info->levels, info->levels - 1);
    printf("  trees         %u, %llu nodes, %llu leaves", info->tree_count, (unsigned long long)shape.nodes,
           (unsigned long long)shape.leaves);
    if (shape.distributions < shape.leaves)
        printf(" that share %llu distributions", (unsigned long long)shape.distributions);
    printf("%s\n", shw_forest_is_ferns(forest) ? "; ferns: one test per level" : "");
    printf("  combined by   %s\n", cli_combinations[info->combine]);
    if (info->fill != SHW_FILL_NONE)
        printf("  fills depth   %s\n", shw_fill_names[info->fill]);
    if (info->smoothing.radius > 0)
        printf("  smooths       with radius %u, epsilon %u\n", info->smoothing.radius, info->smoothing.epsilon);
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
    shw_print_importance(forest, importance);
    print_code(info);
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
        "s:o, s:o, s:I, s:s, s:s, s:b, s:{s:i, s:i}, s:i, s:o, s:o*}",
        "forest", shw_json_text(path), "bytes", (json_int_t)file_bytes, "hash", hash, "trees", (int)info->tree_count,
        "nodes", (json_int_t)shape.nodes, "leaves", (json_int_t)shape.leaves, "depth_min", (int)shape.depth_min,
        "depth_max", (int)shape.depth_max, "depth_mean", shape.depth_sum / (double)shape.leaves, "channel_set",
        set->name, "feature", info->feature->name, "reach", (int)shw_forest_get_reach(forest), "channel_radius",
        (int)set->radius, "side_max", (int)shape.side_max, "offsets", shape.offsets[0], shape.offsets[1],
        shape.offsets[2], shape.offsets[3], "texture", (int)texture.width, (int)texture.height, (int)texture.layers,
        "classes", classes, "leaves_by_depth", depths, "rectangles_by_channel", channels, "training",
        json_loads(info->training, 0, NULL), "distributions", (json_int_t)shape.distributions, "combine",
        cli_combinations[info->combine], "fill", shw_fill_names[info->fill], "ferns", (int)shw_forest_is_ferns(forest),
        "smoothing", "radius", (int)info->smoothing.radius, "epsilon", (int)info->smoothing.epsilon,

        "levels", (int)info->levels, "importance", shw_importance_json(forest), "code", shw_forest_code_format(info));
}

struct request {
    struct cli_report *report;
    struct cli_code code;
    const char *path, *texture;
    uint32_t tree;  /* UINT32_MAX: none */
    uint32_t level; /* of the forest; 0: the uppermost */
    bool importance;
};

/* Texels as an image: one pixel per texel, the upper bits in which its four words differ. */
static enum shw_result write_texels(const char *path, const uint32_t *texels, uint32_t width, uint32_t height,
                                    const struct shw_log *log)
{
    uint8_t *pixels = malloc((size_t)width * height * 3);
    struct shw_image image = {.pixels = pixels, .width = width, .height = height, .format = SHW_PIXEL_RGB8};
    enum shw_result result;

    if (pixels == NULL)
        return SHW_ERROR_MEMORY;
    for (size_t i = 0; i < (size_t)width * height; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t word = texels[4 * i + k];
            pixels[3 * i + k] = (uint8_t)(word ^ word >> 8 ^ word >> 16 ^ word >> 24);
        }
    result = shw_png_write_marked(path, shw_file_texture.name, &image, log);
    free(pixels);
    return result;
}

/* Checks the tree and writes the texture, layers below each other, if that is what is wanted; false: *code is the exit
 * code. */
static bool shows_text(const struct request *request, const char *what, uint32_t tree_count, const uint32_t *texels,
                       uint32_t width, uint32_t height, int *code)
{
    const struct shw_log log = cli_log(request->report);

    if (request->tree != UINT32_MAX && request->tree >= tree_count)
        *code = shw_usage_error(&cli_inspect, "the %s has trees 0 to %u", what, tree_count - 1);
    else if (request->texture != NULL)
        *code = shw_exit_code(write_texels(request->texture, texels, width, height, &log));
    else
        return true;
    return false;
}

static int show_forest(const struct request *request, const struct shw_forest *forest, long long file_bytes)
{
    struct shw_forest_texture texture;
    int code = cli_take_level(&cli_inspect, request->level, forest, &forest);

    if (code != SHW_CONTINUE)
        return code;
    code = SHW_EXIT_SUCCESS;
    texture = shw_forest_get_texture(forest);
    if (!shows_text(request, "forest", shw_forest_get_info(forest)->tree_count, texture.texels, texture.width,
                    texture.height * texture.layers, &code))
        return code;
    if (request->report->json)
        return cli_print_json(request->report, request->tree != UINT32_MAX
                                                   ? shw_tree_json(forest, request->tree)
                                                   : describe(forest, request->path, file_bytes));
    if (request->tree != UINT32_MAX)
        shw_print_tree(forest, request->tree);
    else
        print(forest, request->path, file_bytes, request->importance);
    return SHW_EXIT_SUCCESS;
}

static int show_cascade(const struct request *request, const struct shw_cascade *cascade, long long file_bytes)
{
    const struct shw_cascade_texture texture = shw_cascade_get_texture(cascade);
    int code = SHW_EXIT_SUCCESS;

    if (!shows_text(request, "cascade", shw_cascade_get_info(cascade)->tree_count, texture.texels, texture.width,
                    texture.height, &code))
        return code;
    if (request->report->json)
        return cli_print_json(request->report, request->tree != UINT32_MAX
                                                   ? shw_cascade_tree_json(cascade, request->tree)
                                                   : shw_cascade_json(cascade, request->path));
    if (request->tree != UINT32_MAX)
        shw_print_cascade_tree(cascade, request->tree);
    else
        shw_print_cascade(cascade, request->path, file_bytes);
    return SHW_EXIT_SUCCESS;
}

static int show_record_forest(const struct request *request, const struct shw_record_forest *forest,
                              long long file_bytes)
{
    const struct shw_record_forest_texture texture = shw_record_forest_get_texture(forest);
    int code = SHW_EXIT_SUCCESS;

    if (!shows_text(request, "record forest", shw_record_forest_get_info(forest)->tree_count, texture.texels,
                    texture.width, texture.height * texture.layers, &code))
        return code;
    if (request->report->json)
        return cli_print_json(request->report, request->tree != UINT32_MAX
                                                   ? shw_record_tree_json(forest, request->tree)
                                                   : shw_record_forest_json(forest, request->path, file_bytes));
    if (request->tree != UINT32_MAX)
        shw_print_record_tree(forest, request->tree);
    else
        shw_print_record_forest(forest, request->path, file_bytes);
    return SHW_EXIT_SUCCESS;
}

static bool holds(const void *bytes, size_t size, const char *path, enum shw_ktx2_content content)
{
    const struct shw_ktx2_source source = {.name = path, .content = content};
    struct shw_ktx2 image;

    return shw_ktx2_read_metadata(bytes, size, &source, &image) == SHW_OK;
}

/* What a file holds; one pointer is set. */
struct contents {
    struct shw_cascade *cascade;
    struct shw_record_forest *records;
    struct shw_forest *forest;
};

/* Other files are reported by the reader of forests. */
static enum shw_result load(const struct shw_plugins *plugins, const void *bytes, size_t size, const char *path,
                            const struct shw_log *log, struct contents *contents)
{
    const struct shw_forest_load_params params = shw_plugins_params(plugins, log);

    if (holds(bytes, size, path, SHW_KTX2_CASCADE))
        return shw_cascade_load_memory(bytes, size, path, log, &contents->cascade);
    if (holds(bytes, size, path, SHW_KTX2_RECORD_FOREST))
        return shw_record_forest_load_memory(bytes, size, path, log, &contents->records);
    return shw_code_forest_load_memory(bytes, size, path, SHW_CODE_LOOK_ONLY, &params, &contents->forest);
}

static int show(const struct request *request, const struct contents *contents, long long file_bytes)
{
    if (request->importance && contents->forest == NULL)
        return shw_usage_error(&cli_inspect, "--importance is for forests of images, which have channels");
    if (contents->cascade != NULL)
        return show_cascade(request, contents->cascade, file_bytes);
    if (contents->records != NULL)
        return show_record_forest(request, contents->records, file_bytes);
    return show_forest(request, contents->forest, file_bytes);
}

/* Models of other programs that become record forests are shown as those. */
static enum shw_result read_contents(const struct request *request, const struct shw_log *log, size_t *size,
                                     struct contents *contents)
{
    const char *path = request->path;
    struct stat status;
    enum shw_result result;
    const struct shw_import_source source = {.path = path};
    void *bytes;

    if (shw_record_recognise(&source) != NULL && stat(path, &status) == 0) {
        *size = (size_t)status.st_size;
        return shw_record_model_read(&source, NULL, log, &contents->records);
    }
    SHW_PROPAGATE(shw_ktx2_read_file(path, log, &bytes, size));
    result = load(&request->code.plugins, bytes, *size, path, log, contents);
    free(bytes);
    return result;
}

static int inspect(const struct request *request)
{
    const struct shw_log log = cli_log(request->report);
    struct contents contents = {0};
    size_t size;
    int code;
    enum shw_result result = read_contents(request, &log, &size, &contents);

    if (result != SHW_OK)
        return shw_exit_code(result);
    code = show(request, &contents, (long long)size);
    shw_cascade_destroy(&contents.cascade);
    shw_record_forest_destroy(&contents.records);
    shw_forest_destroy(&contents.forest);
    return code;
}

static int run(int argc, char **argv)
{
    struct cli_report report = {0};
    struct shw_output_files files = {0};
    struct request request = {.report = &report, .tree = UINT32_MAX};
    const struct shw_option options[] = {
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "tree", 0, "N", &request.tree, 0, SHW_CASCADE_TREES_MAX - 1,
                          "print the nodes of one tree"),
        CLI_LEVEL_OPTION(request.level),
        SHW_OPTION_FLAG(
            "importance", 0, &request.importance,
            "print what tests gained in training by channel, depth and\npair of channels, not only by kind of channel"),
        SHW_OPTION(SHW_VALUE_TEXT, "texture", 0, "FILE", &request.texture, "render the texture as a PNG file"),
        CLI_OVERWRITE_OPTION(files),
        CLI_PLUGIN_OPTION(request.code),
        CLI_REPORT_OPTIONS(report),
    };
    int first, code = cli_parse(&cli_inspect, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (argc - first != 1)
        return shw_usage_error(&cli_inspect, "one forest, cascade or record forest is needed");
    request.path = argv[first];
    shw_output_files_read(&files, request.path);
    shw_output_files_write(&files, request.texture, &shw_file_texture);
    code = cli_check_outputs(&report, &files);
    shw_output_files_free(&files);
    if (code == SHW_CONTINUE)
        code = cli_load_plugins(&report, &request.code);
    return code == SHW_CONTINUE ? inspect(&request) : code;
}

const struct shw_command cli_inspect = {
    .name = "inspect",
    .summary = "show the structure of a forest, cascade or record forest",
    .arguments = "[OPTION...] FILE",
    .text = "Shows the size, classes and provenance of a forest, the depths of its leaves and the channels that it\n"
            "reads, with what they gained; of a cascade, its kind, window, stages and how many windows are left\n"
            "after them; of a record forest, what it predicts, its trees and which attributes they test; or the nodes\n"
            "of one tree; or the texture as an image.\n"
            "A model that import converts to a record forest is shown as one.",
    .examples = "  shadewood inspect scenes.ktx2\n"
                "  shadewood inspect scenes.ktx2 --tree 0\n"
                "  shadewood inspect scenes.ktx2 --importance\n"
                "  shadewood inspect face.ktx2\n"
                "  shadewood inspect scenes.ktx2 --texture texture.png",
    .run = run,
};
