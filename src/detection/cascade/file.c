/* The file of a cascade: its texture, its metadata, loading and saving. */
#include "detection/cascade/cascade.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "shared/forest_texture.h"

/* What has been read of a file. */
struct reading {
    struct shw_cascade_info info; /* its strings are those of the metadata */
    char *training;
    uint64_t *survivors; /* NULL if unknown */
    uint32_t survivor_count;
    struct shw_cascade *cascade;
};

/* First texels; they follow from the kind and the counts. */
struct layout {
    uint32_t node_texels;
    uint32_t trees, nodes, features, end;
    struct shw_ktx2 size; /* width, height */
};

static struct layout lay_out(const struct shw_cascade_info *info)
{
    bool has_subsets = shw_cascade_get_traits(info->kind)->test == SHW_CASCADE_TEST_PATTERN;
    struct layout layout = {.node_texels = has_subsets ? SHW_CASCADE_LBP_NODE_TEXELS : SHW_CASCADE_NODE_TEXELS};

    layout.trees = SHW_CASCADE_STAGES_AT + info->stage_count;
    layout.nodes = layout.trees + info->tree_count;
    layout.features = layout.nodes + layout.node_texels * info->node_count;
    layout.end = layout.features + SHW_CASCADE_FEATURE_TEXELS * info->feature_count;
    shw_ktx2_fit(layout.end, &layout.size);
    return layout;
}

_Static_assert(SHW_CASCADE_STAGES_AT + SHW_CASCADE_STAGES_MAX + SHW_CASCADE_TREES_MAX +
                       (SHW_CASCADE_LBP_NODE_TEXELS + SHW_CASCADE_FEATURE_TEXELS) * SHW_CASCADE_NODES_MAX <=
                   SHW_TEXTURE_SIZE_MAX * SHW_TEXTURE_SIZE_MAX,
               "the largest cascade fits into one layer");

static uint32_t pack_bytes(int32_t a, int32_t b, int32_t c, int32_t d)
{
    return ((uint32_t)a & 0xffu) | ((uint32_t)b & 0xffu) << 8 | ((uint32_t)c & 0xffu) << 16 | (uint32_t)d << 24;
}

static void pack_node(uint32_t *words, const struct shw_cascade_traits *traits, const struct shw_cascade_node *node)
{
    words[0] =
        traits->test == SHW_CASCADE_TEST_POINTS ? pack_bytes(node->x1, node->y1, node->x2, node->y2) : node->feature;
    words[1] = (uint32_t)node->threshold;
    words[2] = node->left;
    words[3] = (uint32_t)node->value;
    if (traits->test == SHW_CASCADE_TEST_PATTERN)
        memcpy(words + 4, node->subset, sizeof node->subset);
}

static void pack_feature(uint32_t *words, const struct shw_cascade_feature *feature)
{
    for (uint32_t r = 0; r < SHW_CASCADE_RECTANGLES_MAX; r++) {
        const struct shw_cascade_rectangle *rectangle = &feature->rectangles[r];
        words[2 * r] = pack_bytes(rectangle->x, rectangle->y, rectangle->width, rectangle->height);
        words[2 * r + 1] = (uint32_t)rectangle->weight;
    }
    words[6] = feature->rectangle_count;
    words[7] = feature->tilted;
}

static void pack_header(uint32_t *words, const struct shw_cascade_info *info)
{
    words[0] = info->stage_count;
    words[1] = info->tree_count;
    words[2] = info->node_count;
    words[3] = info->feature_count;
    words[4] = info->window_width | info->window_height << 16;
    words[5] = info->fraction_bits | (uint32_t)info->restarts << SHW_CASCADE_RESTARTS_SHIFT;
    words[6] = (uint32_t)info->score_base;
}

static void pack_trees(uint32_t *texels, const struct shw_cascade *cascade, const struct layout *layout)
{
    const struct shw_cascade_info *info = &cascade->info;

    for (uint32_t s = 0; s < info->stage_count; s++) {
        uint32_t *words = texels + (size_t)4 * (SHW_CASCADE_STAGES_AT + s);
        const struct shw_cascade_stage *stage = &info->stages[s];
        words[0] = stage->first_tree;
        words[1] = stage->tree_count;
        words[2] = (uint32_t)stage->threshold;
        words[3] = layout->nodes + layout->node_texels * info->trees[stage->first_tree].first_node;
    }
    for (uint32_t t = 0; t < info->tree_count; t++) {
        uint32_t *words = texels + (size_t)4 * (layout->trees + t);
        words[0] = layout->nodes + layout->node_texels * info->trees[t].first_node;
        words[1] = info->trees[t].node_count;
        words[2] = cascade->depths[t];
    }
}

bool shw_cascade_pack(struct shw_cascade *cascade)
{
    const struct shw_cascade_info *info = &cascade->info;
    const struct layout layout = lay_out(info);
    uint32_t *texels = calloc((size_t)layout.size.width * layout.size.height, 16);

    if (texels == NULL)
        return false;
    pack_header(texels, info);
    pack_trees(texels, cascade, &layout);
    for (uint32_t n = 0; n < info->node_count; n++)
        pack_node(texels + 4 * (layout.nodes + (size_t)layout.node_texels * n), shw_cascade_get_traits(info->kind),
                  &info->nodes[n]);
    for (uint32_t f = 0; f < info->feature_count; f++)
        pack_feature(texels + 4 * (layout.features + (size_t)SHW_CASCADE_FEATURE_TEXELS * f), &info->features[f]);
    cascade->texels = texels;
    cascade->width = layout.size.width;
    cascade->height = layout.size.height;
    return true;
}

static void unpack_node(const char *texels, const struct shw_cascade_traits *traits, uint32_t own,
                        struct shw_cascade_node *node)
{
    uint32_t words[4];

    memcpy(words, texels, sizeof words);
    *node = (struct shw_cascade_node){
        .is_split = words[2] != own, .left = words[2], .threshold = (int32_t)words[1], .value = (int32_t)words[3]};
    if (traits->test != SHW_CASCADE_TEST_POINTS) {
        node->feature = words[0];
    } else {
        int16_t bytes[4];
        for (uint32_t b = 0; b < 4; b++)
            bytes[b] = (int16_t)(traits->is_relative ? shw_cascade_signed_byte(words[0], b)
                                                     : (int32_t)shw_cascade_byte(words[0], b));
        node->x1 = bytes[0];
        node->y1 = bytes[1];
        node->x2 = bytes[2];
        node->y2 = bytes[3];
    }
    if (traits->test == SHW_CASCADE_TEST_PATTERN)
        memcpy(node->subset, texels + 16, sizeof node->subset);
}

static void unpack_feature(const char *texels, struct shw_cascade_feature *feature)
{
    uint32_t words[4 * SHW_CASCADE_FEATURE_TEXELS];

    memcpy(words, texels, sizeof words);
    *feature = (struct shw_cascade_feature){.tilted = words[7] != 0, .rectangle_count = words[6]};
    for (uint32_t r = 0; r < SHW_CASCADE_RECTANGLES_MAX; r++)
        feature->rectangles[r] = (struct shw_cascade_rectangle){
            .x = (uint8_t)shw_cascade_byte(words[2 * r], 0),
            .y = (uint8_t)shw_cascade_byte(words[2 * r], 1),
            .width = (uint8_t)shw_cascade_byte(words[2 * r], 2),
            .height = (uint8_t)shw_cascade_byte(words[2 * r], 3),
            .weight = (int32_t)words[2 * r + 1],
        };
}

static enum shw_result unpack_header(const struct shw_ktx2 *image, const struct shw_model_source *source,
                                     struct shw_cascade_info *info)
{
    uint32_t words[4 * SHW_CASCADE_STAGES_AT];

    if (image->width < SHW_CASCADE_STAGES_AT)
        return SHW_BAD_MODEL(source, "a texture %u texels wide; it must be at least %u", image->width,
                             SHW_CASCADE_STAGES_AT);
    memcpy(words, image->texels, sizeof words);
    if (words[0] > SHW_CASCADE_STAGES_MAX || words[1] > SHW_CASCADE_TREES_MAX || words[2] > SHW_CASCADE_NODES_MAX ||
        words[3] > SHW_CASCADE_NODES_MAX)
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_CASCADE,
                        "%s: texel 0: %u stages, %u trees, %u nodes, %u features; at most %u, %u, %u and %u are "
                        "supported",
                        source->name, words[0], words[1], words[2], words[3], SHW_CASCADE_STAGES_MAX,
                        SHW_CASCADE_TREES_MAX, SHW_CASCADE_NODES_MAX, SHW_CASCADE_NODES_MAX);
    info->stage_count = words[0];
    info->tree_count = words[1];
    info->node_count = words[2];
    info->feature_count = words[3];
    info->window_width = words[4] & 0xffffu;
    info->window_height = words[4] >> 16;
    info->fraction_bits = words[5] & 0xffu;
    info->restarts = (words[5] >> SHW_CASCADE_RESTARTS_SHIFT & 1u) != 0;
    info->score_base = (int32_t)words[6];
    return SHW_OK;
}

static enum shw_result check_size(const struct shw_ktx2 *image, const struct layout *layout,
                                  const struct shw_model_source *source)
{
    if (image->width != layout->size.width || image->height != layout->size.height || image->layers != 1)
        return SHW_BAD_MODEL(source,
                             "a texture of %u x %u x %u texels, but its stages, trees, nodes and features take %u x "
                             "%u x 1",
                             image->width, image->height, image->layers, layout->size.width, layout->size.height);
    return SHW_OK;
}

static void unpack_trees(const struct shw_ktx2 *image, const struct layout *layout, const struct shw_cascade_info *info,
                         struct shw_cascade_stage *stages, struct shw_cascade_tree *trees)
{
    uint32_t words[4];

    for (uint32_t s = 0; s < info->stage_count; s++) {
        memcpy(words, shw_ktx2_texel(image, SHW_CASCADE_STAGES_AT + s), sizeof words);
        stages[s] = (struct shw_cascade_stage){words[0], words[1], (int32_t)words[2]};
    }
    for (uint32_t t = 0; t < info->tree_count; t++) {
        memcpy(words, shw_ktx2_texel(image, layout->trees + t), sizeof words);
        /* a first texel that belongs to no node changes, which comparing with the file shows */
        trees[t] = (struct shw_cascade_tree){(words[0] - layout->nodes) / layout->node_texels, words[1]};
    }
}

/* Up to the first tree that is not where it must be, which the check reports. */
static void unpack_nodes(const struct shw_ktx2 *image, const struct layout *layout, const struct shw_cascade_info *info,
                         const struct shw_cascade_tree *trees, struct shw_cascade_node *nodes)
{
    uint32_t number = 0;

    for (uint32_t t = 0; t < info->tree_count && trees[t].first_node == number; t++)
        for (uint32_t n = 0; n < trees[t].node_count && number < info->node_count; n++, number++)
            unpack_node(shw_ktx2_texel(image, layout->nodes + (size_t)layout->node_texels * number),
                        shw_cascade_get_traits(info->kind), n, &nodes[number]);
}

/* What an untrusted texture says, for the kind that `info` has, with arrays to be freed by the caller, also on failure.
 * It need not be a cascade. */
static enum shw_result unpack_texture(const struct shw_ktx2 *image, const struct shw_model_source *source,
                                      struct shw_cascade_info *info)
{
    struct layout layout;
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    struct shw_cascade_feature *features;

    SHW_PROPAGATE(unpack_header(image, source, info));
    layout = lay_out(info);
    SHW_PROPAGATE(check_size(image, &layout, source));
    info->stages = stages = shw_zeros(info->stage_count, sizeof *stages);
    info->trees = trees = shw_zeros(info->tree_count, sizeof *trees);
    info->nodes = nodes = shw_zeros(info->node_count, sizeof *nodes);
    features = info->feature_count > 0 ? calloc(info->feature_count, sizeof *features) : NULL;
    info->features = features;
    if (stages == NULL || trees == NULL || nodes == NULL || (info->feature_count > 0 && features == NULL))
        return shw_fail_memory(source->log, source->name);
    unpack_trees(image, &layout, info, stages, trees);
    unpack_nodes(image, &layout, info, trees, nodes);
    for (uint32_t f = 0; f < info->feature_count; f++)
        unpack_feature(shw_ktx2_texel(image, layout.features + (size_t)SHW_CASCADE_FEATURE_TEXELS * f), &features[f]);
    return SHW_OK;
}

#define FORMAT_VERSION 2
#define FIRST_VERSION  1 /* is still written where there is no least score */

static json_t *format_survivor(const void *survivors, uint32_t stage)
{
    return json_integer((json_int_t)((const uint64_t *)survivors)[stage]);
}

static json_t *format_planes(const struct shw_cascade_planes *planes)
{
    return json_pack("{s:i, s:b, s:b, s:b}", "shrink", (int)planes->shrink, "blur_before", (int)planes->blur_before,
                     "blur_after", (int)planes->blur_after, "octaves", (int)planes->octaves);
}

static json_t *format_metadata(const void *model)
{
    const struct shw_cascade_info *info = &((const struct shw_cascade *)model)->info;
    json_t *root = json_pack("{s:i, s:s, s:s, s:o}", "version", info->has_min_score ? FORMAT_VERSION : FIRST_VERSION,
                             "kind", shw_cascade_kind_name(info->kind), "name", info->name, "training",
                             json_loads(info->training, 0, NULL));
    bool whole = root != NULL;

    if (whole && shw_cascade_get_traits(info->kind)->has_pyramid)
        whole = shw_model_add(root, "planes", format_planes(&info->planes)) &&
                shw_model_add(root, "levels_per_octave", json_integer(info->levels_per_octave));
    else if (whole)
        whole = shw_model_add(root, "scale_factor", json_real(info->scale_factor));
    if (whole && info->survivors != NULL)
        whole = shw_model_add(root, "survivors",
                              shw_model_format_array(info->survivors, info->stage_count + 1, format_survivor));
    if (whole && info->has_min_score)
        whole = shw_model_add(root, "min_score", json_integer(info->min_score));
    if (whole)
        return root;
    json_decref(root);
    return NULL;
}

static void get_texture(const void *model, struct shw_ktx2 *image, void **own)
{
    const struct shw_cascade *cascade = model;

    (void)own;
    image->width = cascade->width;
    image->height = cascade->height;
    image->texels = cascade->texels;
}

static enum shw_result parse_kind(const char *name, const struct shw_model_source *source,
                                  struct shw_cascade_info *info)
{
    for (uint32_t k = 0; k < SHW_CASCADE_KIND_COUNT; k++)
        if (strcmp(name, shw_cascade_kind_name((enum shw_cascade_kind)k)) == 0) {
            info->kind = (enum shw_cascade_kind)k;
            return SHW_OK;
        }
    return SHW_BAD_MODEL(source, "there is no kind of cascade '%s'", name);
}

/* What does not fit is left to the check as the largest number, which nothing may be. */
static uint32_t to_number(json_int_t value)
{
    return value >= 0 && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static enum shw_result parse_planes(json_t *object, const struct shw_model_source *source,
                                    struct shw_cascade_planes *planes)
{
    json_int_t shrink;
    int blur_before, blur_after, octaves;
    json_error_t error;

    if (json_unpack_ex(object, &error, JSON_STRICT, "{s:I, s:b, s:b, s:b}", "shrink", &shrink, "blur_before",
                       &blur_before, "blur_after", &blur_after, "octaves", &octaves) != 0)
        return SHW_BAD_MODEL(source, "planes in the metadata: %s", error.text);
    *planes = (struct shw_cascade_planes){to_number(shrink), blur_before != 0, blur_after != 0, octaves != 0};
    return SHW_OK;
}

static enum shw_result parse_survivors(const json_t *array, const struct shw_model_source *source,
                                       struct reading *reading)
{
    size_t count = json_array_size(array);

    if (!json_is_array(array) || count < 2 || count > SHW_CASCADE_STAGES_MAX + 1)
        return SHW_BAD_MODEL(source, "survivors in the metadata are not a list of 2 to %u numbers",
                             SHW_CASCADE_STAGES_MAX + 1);
    reading->survivors = calloc(count, sizeof *reading->survivors);
    if (reading->survivors == NULL)
        return shw_fail_memory(source->log, "the metadata of a cascade");
    reading->survivor_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return SHW_BAD_MODEL(source, "survivors[%zu] is not a non-negative integer", i);
        reading->survivors[i] = (uint64_t)json_integer_value(value);
    }
    return SHW_OK;
}

/* Only in version 2. */
static enum shw_result parse_min_score(const json_t *value, json_int_t version, const struct shw_model_source *source,
                                       struct shw_cascade_info *info)
{
    info->has_min_score = value != NULL;
    if ((version != FIRST_VERSION) != info->has_min_score)
        return SHW_BAD_MODEL(source, "format %lld of the metadata %s", (long long)version,
                             info->has_min_score ? "has no min_score" : "needs min_score");
    if (value != NULL &&
        (!json_is_integer(value) || json_integer_value(value) < INT32_MIN || json_integer_value(value) > INT32_MAX))
        return SHW_BAD_MODEL(source, "%s", "min_score in the metadata is not a number of 32 bits");
    info->min_score = (int32_t)json_integer_value(value);
    return SHW_OK;
}

static enum shw_result parse_metadata(json_t *root, const struct shw_model_source *source, void *state)
{
    struct reading *reading = state;
    struct shw_cascade_info *info = &reading->info;
    json_t *training, *planes = NULL, *survivors = NULL, *min_score = NULL;
    const char *kind;
    json_int_t version, levels_per_octave = 0;
    json_error_t error;

    if (json_unpack_ex(root, &error, JSON_STRICT, "{s:I, s:s, s:s, s:o, s?o, s?I, s?F, s?o, s?o}", "version", &version,
                       "kind", &kind, "name", &info->name, "training", &training, "planes", &planes,
                       "levels_per_octave", &levels_per_octave, "scale_factor", &info->scale_factor, "survivors",
                       &survivors, "min_score", &min_score) != 0)
        return SHW_BAD_MODEL(source, "metadata: %s", error.text);
    SHW_PROPAGATE(shw_model_parse_provenance(training, source, &reading->training));
    SHW_PROPAGATE(parse_kind(kind, source, info));
    if (planes != NULL)
        SHW_PROPAGATE(parse_planes(planes, source, &info->planes));
    if (survivors != NULL)
        SHW_PROPAGATE(parse_survivors(survivors, source, reading));
    SHW_PROPAGATE(parse_min_score(min_score, version, source, info));
    info->levels_per_octave = to_number(levels_per_octave);
    info->training = reading->training;
    info->survivors = reading->survivors;
    return SHW_OK;
}

static enum shw_result unpack(const struct shw_ktx2 *image, const struct shw_model_source *source, void *state)
{
    struct reading *reading = state;
    struct shw_cascade_info *info = &reading->info;
    enum shw_result result = unpack_texture(image, source, info);

    if (result == SHW_OK && info->survivors != NULL && reading->survivor_count != info->stage_count + 1)
        result = SHW_BAD_MODEL(source, "%u survivors in the metadata, but %u stages need %u", reading->survivor_count,
                               info->stage_count, info->stage_count + 1);
    if (result == SHW_OK)
        result = shw_cascade_make(info, source->name, source->log, &reading->cascade);
    if (result == SHW_OK)
        result = shw_model_check_texels(reading->cascade->texels, image, "has bits without a meaning", source);
    free((void *)info->stages);
    free((void *)info->trees);
    free((void *)info->nodes);
    free((void *)info->features);
    return result;
}

const struct shw_model_traits shw_cascade_model = {
    .content = SHW_KTX2_CASCADE,
    .version = FORMAT_VERSION,
    .item = SHW_LOG_CASCADE,
    .tree_item = SHW_LOG_CASCADE,
    .format = format_metadata,
    .get_texture = get_texture,
    .parse = parse_metadata,
    .unpack = unpack,
};

enum shw_result shw_cascade_save_memory(const struct shw_cascade *cascade, void **bytes, size_t *size)
{
    SHW_REFUSE_NULL(NULL, cascade);
    SHW_REFUSE_NULL(NULL, bytes);
    SHW_REFUSE_NULL(NULL, size);

    return shw_model_save_memory(&shw_cascade_model, cascade, bytes, size);
}

enum shw_result shw_cascade_save(const struct shw_cascade *cascade, const char *path, const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, cascade);
    SHW_REFUSE_NULL(log, path);

    return shw_model_save(&shw_cascade_model, cascade, path, log);
}

/* `bytes` NULL: the file `name`. */
static enum shw_result load(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                            struct shw_cascade **out)
{
    const struct shw_model_source source = shw_model_source(&shw_cascade_model, name, log);
    struct reading reading = {0};
    enum shw_result result = shw_model_load(&source, bytes, size, &reading);

    free(reading.training);
    free(reading.survivors);
    if (result == SHW_OK)
        *out = reading.cascade;
    else
        shw_cascade_destroy(&reading.cascade);
    return result;
}

enum shw_result shw_cascade_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                            const struct shw_log *log, struct shw_cascade **cascade)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, bytes);
    SHW_REFUSE_NULL(log, cascade);

    return load(bytes, size, name, log, cascade);
}

enum shw_result shw_cascade_load_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                     struct shw_cascade **cascade)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, cascade);

    return load(NULL, 0, path, log, cascade);
}
