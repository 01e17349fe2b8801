#include "dense/forest/forest.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "dense/channels/channels.h"
#include "dense/channels/fill.h"
#include "dense/channels/posterior.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/code.h"
#include "dense/forest/ferns.h"

/* Version 1 had only named lists of channels, version 2 no combination, version 3 no filling, version 4 neither
 * smoothing nor a level below, version 5 no code. A file has the first of these versions that can express it. */
#define FORMAT_VERSION      6
#define FORMAT_WITH_LEVELS  5
#define FORMAT_WITH_FILL    4
#define FORMAT_WITH_COMBINE 3
#define FORMAT_WITH_LISTS   2

static size_t name_of(const struct shw_forest_info *info, uint32_t number, char buffer[static SHW_CLASS_NAME_MAX + 1],
                      const char **name)
{
    if (info->classes != NULL) {
        *name = info->classes[number].name;
    } else {
        snprintf(buffer, SHW_CLASS_NAME_MAX + 1, "class %u", number);
        *name = buffer;
    }
    return strlen(*name) + 1;
}

static enum shw_result set_classes(struct shw_forest *forest, const struct shw_forest_info *info,
                                   const struct shw_model_source *source)
{
    char buffer[SHW_CLASS_NAME_MAX + 1];
    const char *name;
    size_t size = 0;

    if (info->class_count < 1 || info->class_count > SHW_CLASSES_MAX)
        return SHW_BAD_MODEL(source, "%u classes; there must be 1 to %u", info->class_count, SHW_CLASSES_MAX);
    for (uint32_t c = 0; c < info->class_count; c++) {
        if (info->classes != NULL && !shw_class_name_is_valid(info->classes[c].name))
            return SHW_BAD_MODEL(source, "the name of class %u is not 1 to %u bytes of printable UTF-8", c,
                                 SHW_CLASS_NAME_MAX);
        size += name_of(info, c, buffer, &name);
    }
    forest->classes = calloc(info->class_count, sizeof *forest->classes);
    forest->names = malloc(size);
    if (forest->classes == NULL || forest->names == NULL)
        return shw_fail_memory(source->log, "the classes of a forest");
    size = 0;
    for (uint32_t c = 0; c < info->class_count; c++) {
        size_t length = name_of(info, c, buffer, &name);
        memcpy(forest->names + size, name, length);
        forest->classes[c].name = forest->names + size;
        if (info->classes != NULL)
            memcpy(forest->classes[c].colour, info->classes[c].colour, 3);
        else
            shw_class_colour(c, forest->classes[c].colour);
        size += length;
    }
    forest->info.class_count = info->class_count;
    forest->info.classes = forest->classes;
    return SHW_OK;
}

static const char *const combinations[] = {[SHW_COMBINE_MEAN] = "mean", [SHW_COMBINE_VOTE] = "vote"};

static enum shw_result set_combine(struct shw_forest *forest, enum shw_combine combine,
                                   const struct shw_model_source *source)
{
    if (combine > SHW_COMBINE_VOTE)
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: %d is not a value of shw_combine",
                        source->name, (int)combine);
    forest->info.combine = combine != SHW_COMBINE_DEFAULT ? combine : SHW_COMBINE_MEAN;
    return SHW_OK;
}

static enum shw_result set_fill(struct shw_forest *forest, enum shw_fill fill, const struct shw_model_source *source)
{
    char why[SHW_FILL_WHY_SIZE];

    if (!shw_fill_check(fill, &forest->channels, why))
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: %s", source->name, why);
    forest->info.fill = fill != SHW_FILL_DEFAULT ? fill : SHW_FILL_NONE;
    return SHW_OK;
}

static enum shw_result set_smoothing(struct shw_forest *forest, const struct shw_smoothing *smoothing,
                                     const struct shw_model_source *source)
{
    forest->info.smoothing = (struct shw_smoothing){0};
    if (smoothing->radius == SHW_SMOOTHING_NONE)
        return SHW_OK;
    if (smoothing->radius > SHW_SMOOTHING_RADIUS_MAX || smoothing->epsilon > SHW_SMOOTHING_EPSILON_MAX)
        return SHW_BAD_MODEL(
            source, "smoothing with a radius of %u and an epsilon of %u; at most %u and %u are possible",
            smoothing->radius, smoothing->epsilon, SHW_SMOOTHING_RADIUS_MAX, SHW_SMOOTHING_EPSILON_MAX);
    if (smoothing->radius > 0)
        forest->info.smoothing = *smoothing;
    if (smoothing->radius > 0 && smoothing->epsilon == 0)
        forest->info.smoothing.epsilon = SHW_SMOOTHING_EPSILON_DEFAULT;
    return SHW_OK;
}

/* The channels of the level below must be there, and its inputs. */
static enum shw_result check_below(const struct shw_forest *forest, const struct shw_model_source *source)
{
    const struct shw_forest *below = forest->below;
    char why[SHW_CHANNEL_WHY_SIZE];
    const char *input;

    if (!shw_posterior_check(&forest->channels, below != NULL ? below->info.class_count : 0, why))
        return SHW_BAD_MODEL(source, "channels: %s", why);
    for (uint32_t i = 0; below != NULL && (input = shw_forest_get_input(below, i)) != NULL; i++) {
        uint32_t own = 0;
        while (own < forest->channels.input_count && strcmp(forest->channels.inputs[own], input) != 0)
            own++;
        if (own == forest->channels.input_count)
            return SHW_BAD_MODEL(source, "the level below reads the input %s, which this one does not read", input);
    }
    return SHW_OK;
}

enum shw_result shw_forest_set_below(struct shw_forest *forest, const struct shw_forest *below,
                                     const struct shw_model_source *source)
{
    const uint32_t levels = below != NULL ? below->info.levels + 1 : 1;

    if (levels > SHW_LEVELS_MAX)
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE, "%s: more than %u levels", source->name,
                        SHW_LEVELS_MAX);
    forest->below = shw_forest_hold(below);
    forest->info.below = below;
    forest->info.levels = levels;
    return check_below(forest, source);
}

enum shw_result shw_forest_set_info(struct shw_forest *forest, const struct shw_forest_info *info,
                                    const struct shw_model_source *source)
{
    char why[SHW_CHANNEL_WHY_SIZE];
    enum shw_result result;

    if (!shw_channel_kinds_check(&info->kinds, why))
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_CHANNELS, "%s", why);
    if (!shw_channel_list_read(info->channels, &info->kinds, &forest->channels, why))
        return SHW_BAD_MODEL(source, "channels: %s", why);
    forest->info.channels = forest->channels.name;
    forest->info.kinds = info->kinds;
    forest->info.channel_list = &forest->channels;
    forest->info.feature = info->feature != NULL ? info->feature : shw_feature_type_get(0);
    SHW_PROPAGATE(shw_feature_type_check(forest->info.feature, SHW_FEATURE_FOR_EVALUATION, source->log));
    SHW_PROPAGATE(set_combine(forest, info->combine, source));
    SHW_PROPAGATE(set_fill(forest, info->fill, source));
    SHW_PROPAGATE(set_smoothing(forest, &info->smoothing, source));
    result = set_classes(forest, info, source);
    if (result == SHW_OK)
        result = shw_model_read_provenance(info->training, source, &forest->training);
    forest->info.training = forest->training;
    return result;
}

static json_t *format_class(const void *classes, uint32_t number)
{
    const struct shw_class *class = (const struct shw_class *)classes + number;

    return json_pack("{s:s, s:[i,i,i]}", "name", class->name, "colour", class->colour[0], class->colour[1],
                     class->colour[2]);
}

static json_t *format_smoothing(const struct shw_smoothing *smoothing)
{
    return smoothing->radius > 0
               ? json_pack("{s:i, s:i}", "radius", (int)smoothing->radius, "epsilon", (int)smoothing->epsilon)
               : NULL;
}

static json_t *format_metadata(const void *model)
{
    const struct shw_forest_info *info = &((const struct shw_forest *)model)->info;
    bool votes = info->combine == SHW_COMBINE_VOTE, fills = info->fill != SHW_FILL_NONE;
    int version = shw_forest_has_code(info)                           ? FORMAT_VERSION
                  : info->smoothing.radius > 0 || info->below != NULL ? FORMAT_WITH_LEVELS
                  : fills                                             ? FORMAT_WITH_FILL
                  : votes                                             ? FORMAT_WITH_COMBINE
                                                                      : FORMAT_WITH_LISTS;

    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:s*, s:s*, s:o*, s:o*}", "version", version, "channels",
                     info->channels, "feature", info->feature->name, "classes",
                     shw_model_format_array(info->classes, info->class_count, format_class), "training",
                     json_loads(info->training, 0, NULL), "combine", votes ? combinations[SHW_COMBINE_VOTE] : NULL,
                     "fill", fills ? shw_fill_names[info->fill] : NULL, "smooth", format_smoothing(&info->smoothing),
                     "code", shw_forest_code_format(info));
}

/* With votes, the texels are not those of files. */
static void get_texture(const void *model, struct shw_ktx2 *image, void **own)
{
    const struct shw_forest *forest = model;

    image->width = forest->layout.width;
    image->height = forest->layout.height;
    image->layers = forest->layout.layers;
    image->texels = forest->trained != NULL ? (*own = shw_forest_copy_texels(forest)) : forest->texels;
}

/* The file of the level below. */
static bool get_below(const void *model, void **below, size_t *size)
{
    const struct shw_forest *forest = model;

    return forest->below == NULL || shw_forest_save_memory(forest->below, below, size) == SHW_OK;
}

/* What has been read of a file. */
struct reading {
    const struct shw_forest_load_params *params; /* NULL: only the library's feature types */
    struct shw_forest *forest;
    uint32_t level; /* 0: the uppermost */
};

static enum shw_result parse_class(json_t *value, uint32_t number, struct shw_class *class,
                                   const struct shw_model_source *source)
{
    json_error_t error;
    int colour[3];

    if (json_unpack_ex(value, &error, JSON_STRICT, "{s:s, s:[i,i,i]}", "name", &class->name, "colour", &colour[0],
                       &colour[1], &colour[2]) != 0)
        return SHW_BAD_MODEL(source, "class %u in the metadata: %s", number, error.text);
    for (int i = 0; i < 3; i++) {
        if (colour[i] < 0 || colour[i] > 255)
            return SHW_BAD_MODEL(source, "class %u in the metadata: colour value %d is not in 0..255", number,
                                 colour[i]);
        class->colour[i] = (uint8_t)colour[i];
    }
    return SHW_OK;
}

/* *type is NULL if there is none with that name. */
static enum shw_result find_feature(const struct shw_forest_load_params *params, const char *name,
                                    const struct shw_model_source *source, const struct shw_feature_type **type)
{
    *type = shw_feature_type_by_name(name);
    for (uint32_t i = 0; params != NULL && i < params->feature_count; i++) {
        const struct shw_feature_type *given = params->features[i];
        SHW_PROPAGATE(shw_feature_type_check(given, SHW_FEATURE_FOR_EVALUATION, source->log));
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(params->features[j]->name, given->name) == 0)
                return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE,
                                "two of the feature types for %s have the name %s", source->name, given->name);
        if (strcmp(given->name, name) == 0)
            *type = given;
    }
    return SHW_OK;
}

/* `name`: NULL if the file has none. */
static enum shw_result parse_combine(const struct shw_forest_load_params *params, const char *name,
                                     const struct shw_model_source *source, enum shw_combine *combine)
{
    *combine = SHW_COMBINE_MEAN;
    if (name != NULL && strcmp(name, combinations[SHW_COMBINE_VOTE]) == 0)
        *combine = SHW_COMBINE_VOTE;
    else if (name != NULL && strcmp(name, combinations[SHW_COMBINE_MEAN]) != 0)
        return SHW_BAD_MODEL(source, "the combination of trees is '%s' instead of mean or vote", name);
    if (params != NULL && params->combine != SHW_COMBINE_DEFAULT)
        *combine = params->combine;
    return SHW_OK;
}

/* `name`: NULL if the file has none. */
static enum shw_result parse_fill(const struct shw_forest_load_params *params, const char *name,
                                  const struct shw_model_source *source, enum shw_fill *fill)
{
    *fill = name != NULL ? shw_fill_by_name(name) : SHW_FILL_NONE;
    if (*fill == SHW_FILL_DEFAULT)
        return SHW_BAD_MODEL(source, "the filling of depth is '%s' instead of " SHW_FILL_CHOICES, name);
    if (params != NULL && params->fill != SHW_FILL_DEFAULT)
        *fill = params->fill;
    return SHW_OK;
}

/* `value`: NULL if the file has none. */
static enum shw_result parse_smoothing(json_t *value, const struct shw_model_source *source,
                                       struct shw_smoothing *smoothing)
{
    json_error_t error;
    int radius = 0, epsilon = 0;

    if (value != NULL &&
        json_unpack_ex(value, &error, JSON_STRICT, "{s:i, s:i}", "radius", &radius, "epsilon", &epsilon) != 0)
        return SHW_BAD_MODEL(source, "smoothing in the metadata: %s", error.text);
    if (value != NULL && (radius < 1 || epsilon < 1))
        return SHW_BAD_MODEL(source, "smoothing with a radius of %d and an epsilon of %d; both must be at least 1",
                             radius, epsilon);
    *smoothing = (struct shw_smoothing){(uint32_t)radius, (uint32_t)epsilon};
    return SHW_OK;
}

static enum shw_result parse_metadata(json_t *root, const struct shw_model_source *source, void *state)
{
    struct reading *reading = state;
    const struct shw_forest_load_params *params = reading->params;
    struct shw_forest_info info = {0};
    struct shw_class *classes = NULL;
    json_t *class_array, *training, *smoothing = NULL, *code = NULL;
    const char *feature, *combine = NULL, *fill = NULL;
    char *text = NULL;
    json_error_t error;
    int version;
    enum shw_result result = SHW_OK;

    if (json_unpack_ex(root, &error, JSON_STRICT, "{s:i, s:s, s:s, s:o, s:o, s?s, s?s, s?o, s?o}", "version", &version,
                       "channels", &info.channels, "feature", &feature, "classes", &class_array, "training", &training,
                       "combine", &combine, "fill", &fill, "smooth", &smoothing, "code", &code) != 0)
        return SHW_BAD_MODEL(source, "metadata: %s", error.text);
    SHW_PROPAGATE(shw_forest_code_check_list(code, source));
    SHW_PROPAGATE(find_feature(params, feature, source, &info.feature));
    SHW_PROPAGATE(parse_combine(reading->level == 0 ? params : NULL, combine, source, &info.combine));
    SHW_PROPAGATE(parse_fill(params, fill, source, &info.fill));
    SHW_PROPAGATE(parse_smoothing(smoothing, source, &info.smoothing));
    if (params != NULL)
        info.kinds = params->kinds;
    if (info.feature == NULL && shw_forest_code_names(code, true, feature))
        return SHW_BAD_MODEL(source, "it brings the feature type '%.31s' as text, which was not allowed to run",
                             feature);
    if (info.feature == NULL)
        return SHW_BAD_MODEL(source, "there is no feature type '%.31s'", feature);
    if (!json_is_array(class_array) || json_array_size(class_array) < 1 ||
        json_array_size(class_array) > SHW_CLASSES_MAX)
        return SHW_BAD_MODEL(source, "the metadata has no list of 1 to %u classes", SHW_CLASSES_MAX);
    SHW_PROPAGATE(shw_model_parse_provenance(training, source, &text));

    info.class_count = (uint32_t)json_array_size(class_array);
    classes = calloc(info.class_count, sizeof *classes);
    if (classes == NULL)
        result = shw_fail_memory(source->log, "the metadata of a forest");
    for (uint32_t c = 0; c < info.class_count && result == SHW_OK; c++)
        result = parse_class(json_array_get(class_array, c), c, &classes[c], source);
    if (result == SHW_OK) {
        info.classes = classes;
        info.training = text;
        result = shw_forest_set_info(reading->forest, &info, source);
    }
    if (result == SHW_OK)
        result = shw_forest_code_check(code, &reading->forest->info, source);
    free(text);
    free(classes);
    return result;
}

/* The distributions of tree `t` are those up to the first one of the next tree, or up to the end. */
static enum shw_result read_leaf_count(struct shw_forest *forest, const struct shw_ktx2 *image, uint32_t t,
                                       const struct shw_model_source *source)
{
    bool last = t + 1 == forest->info.tree_count;
    uint32_t words[8], leaves = forest->trees[t].node_count / 2 + 1, end;

    memcpy(words, (const char *)image->texels + 16 * (1 + (size_t)t), last ? 16 : 32);
    if (last)
        memcpy(&end, (const char *)image->texels + 12, sizeof end);
    else
        end = words[7];
    if (end <= words[3] || end - words[3] > leaves)
        return SHW_BAD_TREE(source, "tree %u: its distributions begin at %u and end before %u, but it has %u leaves", t,
                            words[3], end, leaves);
    forest->trees[t].leaf_count = end - words[3];
    return SHW_OK;
}

/* Reads the sizes of the trees from the texture, and checks that they are plausible. */
static enum shw_result read_sizes(struct shw_forest *forest, const struct shw_ktx2 *image,
                                  const struct shw_model_source *source)
{
    uint32_t header[4];
    uint64_t texel_count = (uint64_t)image->width * image->height * image->layers;

    memcpy(header, image->texels, sizeof header);
    if (header[0] < 1 || header[0] > SHW_TREES_MAX || header[0] >= texel_count)
        return SHW_BAD_TREE(source, "texel 0: %u trees; there must be 1 to %u", header[0], SHW_TREES_MAX);
    if (header[1] != forest->info.class_count)
        return SHW_BAD_TREE(source, "texel 0: %u classes, but the metadata names %u", header[1],
                            forest->info.class_count);
    forest->info.tree_count = header[0];
    forest->trees = calloc(header[0], sizeof *forest->trees);
    if (forest->trees == NULL)
        return shw_fail_memory(source->log, "the trees of a forest");
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        uint32_t words[4];
        memcpy(words, (const char *)image->texels + sizeof words * (1 + (size_t)t), sizeof words);
        if (words[1] % 2 != 1 || words[1] > SHW_NODES_MAX)
            return SHW_BAD_TREE(source, "tree %u: %u nodes; there must be an odd number up to %u", t, words[1],
                                SHW_NODES_MAX);
        forest->trees[t].node_count = words[1];
    }
    for (uint32_t t = 0; t < forest->info.tree_count; t++)
        SHW_PROPAGATE(read_leaf_count(forest, image, t, source));
    return SHW_OK;
}

static enum shw_result check_layout(const struct shw_forest *forest, const struct shw_ktx2 *image,
                                    const struct shw_model_source *source)
{
    const struct shw_forest_layout *layout = &forest->layout;
    uint32_t words[4];

    if (layout->width != image->width || layout->height != image->height || layout->layers != image->layers)
        return SHW_BAD_TREE(source, "a texture of %u x %u x %u texels, but its trees and leaves take %u x %u x %u",
                            image->width, image->height, image->layers, layout->width, layout->height, layout->layers);
    memcpy(words, image->texels, sizeof words);
    if (words[2] != layout->distributions || words[3] != layout->leaf_count)
        return SHW_BAD_TREE(source, "texel 0: %u leaves at texel %u instead of %u at %u", words[3], words[2],
                            layout->leaf_count, layout->distributions);
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        memcpy(words, (const char *)image->texels + sizeof words * (1 + (size_t)t), sizeof words);
        if (words[0] != forest->trees[t].first || words[3] != forest->trees[t].first_leaf)
            return SHW_BAD_TREE(source, "tree %u begins at texel %u and leaf %u instead of texel %u and leaf %u", t,
                                words[0], words[3], forest->trees[t].first, forest->trees[t].first_leaf);
    }
    return SHW_OK;
}

static enum shw_result check_depths(const struct shw_forest *forest, const struct shw_model_source *source)
{
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        uint32_t depth = forest->texels[4 * (1 + (size_t)t) + 2];
        if (depth != forest->trees[t].depth)
            return SHW_BAD_TREE(source, "tree %u: depth %u, but its longest path has %u tests", t, depth,
                                forest->trees[t].depth);
    }
    return SHW_OK;
}

static enum shw_result read_texture(struct shw_forest *forest, const struct shw_ktx2 *image,
                                    const struct shw_model_source *source)
{
    size_t size;

    SHW_PROPAGATE(read_sizes(forest, image, source));
    if (!shw_forest_place(forest->trees, forest->info.tree_count, forest->info.class_count, &forest->layout))
        return SHW_BAD_TREE(source, "%s", "trees and leaves take more texels than a texture has");
    SHW_PROPAGATE(check_layout(forest, image, source));
    size = (size_t)16 * shw_forest_texel_count(&forest->layout);
    forest->texels = malloc(size);
    if (forest->texels == NULL)
        return shw_fail_memory(source->log, source->name);
    memcpy(forest->texels, image->texels, size);
    SHW_PROPAGATE(shw_forest_check(forest, source));
    return check_depths(forest, source);
}

static enum shw_result load(const void *bytes, size_t size, const char *name,
                            const struct shw_forest_load_params *params, uint32_t level, struct shw_forest **out);

static enum shw_result read_below(const struct reading *reading, const struct shw_ktx2 *image,
                                  const struct shw_model_source *source)
{
    struct shw_forest *below = NULL;
    enum shw_result result;

    if (image->below == NULL)
        return shw_forest_set_below(reading->forest, NULL, source);
    if (reading->level + 1 >= SHW_LEVELS_MAX)
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE, "%s: more than %u levels", source->name,
                        SHW_LEVELS_MAX);
    SHW_PROPAGATE(load(image->below, image->below_size, source->name, reading->params, reading->level + 1, &below));
    result = shw_forest_set_below(reading->forest, below, source);
    shw_forest_destroy(&below);
    return result;
}

static enum shw_result unpack(const struct shw_ktx2 *image, const struct shw_model_source *source, void *state)
{
    const struct reading *reading = state;
    struct shw_forest *forest = reading->forest;

    SHW_PROPAGATE(read_below(reading, image, source));
    SHW_PROPAGATE(read_texture(forest, image, source));
    if (!shw_forest_set_hash(forest) || !shw_forest_set_votes(forest) || !shw_forest_find_ferns(forest))
        return shw_fail_memory(source->log, source->name);
    return SHW_OK;
}

const struct shw_model_traits shw_forest_model = {
    .content = SHW_KTX2_FOREST,
    .version = FORMAT_VERSION,
    .item = SHW_LOG_FOREST_METADATA,
    .tree_item = SHW_LOG_FOREST_STRUCTURE,
    .format = format_metadata,
    .get_texture = get_texture,
    .get_below = get_below,
    .parse = parse_metadata,
    .unpack = unpack,
};

enum shw_result shw_forest_save_memory(const struct shw_forest *forest, void **bytes, size_t *size)
{
    SHW_REFUSE_NULL(NULL, forest);
    SHW_REFUSE_NULL(NULL, bytes);
    SHW_REFUSE_NULL(NULL, size);

    return shw_model_save_memory(&shw_forest_model, forest, bytes, size);
}

enum shw_result shw_forest_save(const struct shw_forest *forest, const char *path, const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, forest);
    SHW_REFUSE_NULL(log, path);

    return shw_model_save(&shw_forest_model, forest, path, log);
}

/* `bytes` NULL: the file `name`. */
static enum shw_result load(const void *bytes, size_t size, const char *name,
                            const struct shw_forest_load_params *params, uint32_t level, struct shw_forest **out)
{
    const struct shw_model_source source =
        shw_model_source(&shw_forest_model, name, params != NULL ? &params->log : NULL);
    struct reading reading = {.params = params, .forest = calloc(1, sizeof *reading.forest), .level = level};
    enum shw_result result;

    if (reading.forest == NULL)
        return shw_fail_memory(source.log, source.name);
    result = shw_model_load(&source, bytes, size, &reading);
    if (result == SHW_OK)
        *out = reading.forest;
    else
        shw_forest_destroy(&reading.forest);
    return result;
}

enum shw_result shw_forest_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                           const struct shw_forest_load_params *params, struct shw_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    const struct shw_log *log = params != NULL ? &params->log : NULL;
    SHW_REFUSE_NULL(log, bytes);
    SHW_REFUSE_NULL(log, forest);

    return load(bytes, size, name, params, 0, forest);
}

enum shw_result shw_forest_load_abi(uint32_t abi, const char *path, const struct shw_forest_load_params *params,
                                    struct shw_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    const struct shw_log *log = params != NULL ? &params->log : NULL;
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, forest);

    return load(NULL, 0, path, params, 0, forest);
}
