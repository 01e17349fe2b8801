#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "detection/cascade/cascade.h"
#include "shared/forest_texture.h"

/* First texels; they follow from the kind and the counts alone. */
struct layout {
    uint32_t node_texels;
    uint32_t trees, nodes, features, end;
    struct shw_ktx2 size; /* width, height */
};

static struct layout lay_out(const struct shw_cascade_info *info)
{
    struct layout layout = {.node_texels =
                                info->kind == SHW_CASCADE_LBP ? SHW_CASCADE_LBP_NODE_TEXELS : SHW_CASCADE_NODE_TEXELS};

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

static void pack_node(uint32_t *words, enum shw_cascade_kind kind, const struct shw_cascade_node *node)
{
    words[0] = kind == SHW_CASCADE_HAAR || kind == SHW_CASCADE_LBP ? node->feature
                                                                   : pack_bytes(node->x1, node->y1, node->x2, node->y2);
    words[1] = (uint32_t)node->threshold;
    words[2] = node->left;
    words[3] = (uint32_t)node->value;
    if (kind == SHW_CASCADE_LBP)
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
        pack_node(texels + 4 * (layout.nodes + (size_t)layout.node_texels * n), info->kind, &info->nodes[n]);
    for (uint32_t f = 0; f < info->feature_count; f++)
        pack_feature(texels + 4 * (layout.features + (size_t)SHW_CASCADE_FEATURE_TEXELS * f), &info->features[f]);
    cascade->texels = texels;
    cascade->width = layout.size.width;
    cascade->height = layout.size.height;
    return true;
}

/* Texels of a file may be unaligned. */
static const char *texel_at(const struct shw_ktx2 *image, size_t texel)
{
    return (const char *)image->texels + 16 * texel;
}

static void unpack_node(const char *texels, enum shw_cascade_kind kind, uint32_t own, struct shw_cascade_node *node)
{
    uint32_t words[4];

    memcpy(words, texels, sizeof words);
    *node = (struct shw_cascade_node){
        .is_split = words[2] != own, .left = words[2], .threshold = (int32_t)words[1], .value = (int32_t)words[3]};
    if (kind == SHW_CASCADE_HAAR || kind == SHW_CASCADE_LBP) {
        node->feature = words[0];
    } else {
        bool is_signed = kind == SHW_CASCADE_SCALED;
        int16_t bytes[4];
        for (uint32_t b = 0; b < 4; b++)
            bytes[b] =
                (int16_t)(is_signed ? shw_cascade_signed_byte(words[0], b) : (int32_t)shw_cascade_byte(words[0], b));
        node->x1 = bytes[0];
        node->y1 = bytes[1];
        node->x2 = bytes[2];
        node->y2 = bytes[3];
    }
    if (kind == SHW_CASCADE_LBP)
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

static enum shw_result unpack_header(const struct shw_ktx2 *image, const struct shw_cascade_source *source,
                                     struct shw_cascade_info *info)
{
    uint32_t words[4 * SHW_CASCADE_STAGES_AT];

    if (image->width < SHW_CASCADE_STAGES_AT)
        return SHW_BAD_CASCADE(source, "a texture %u texels wide; it must be at least %u", image->width,
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
                                  const struct shw_cascade_source *source)
{
    if (image->width != layout->size.width || image->height != layout->size.height || image->layers != 1)
        return SHW_BAD_CASCADE(source,
                               "a texture of %u x %u x %u texels, but its stages, trees, nodes and features take %u x "
                               "%u x 1",
                               image->width, image->height, image->layers, layout->size.width, layout->size.height);
    return SHW_OK;
}

/* At least one, so that nothing allocated is NULL. */
static void *allocate(uint32_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

static void unpack_trees(const struct shw_ktx2 *image, const struct layout *layout, const struct shw_cascade_info *info,
                         struct shw_cascade_stage *stages, struct shw_cascade_tree *trees)
{
    uint32_t words[4];

    for (uint32_t s = 0; s < info->stage_count; s++) {
        memcpy(words, texel_at(image, SHW_CASCADE_STAGES_AT + s), sizeof words);
        stages[s] = (struct shw_cascade_stage){words[0], words[1], (int32_t)words[2]};
    }
    for (uint32_t t = 0; t < info->tree_count; t++) {
        memcpy(words, texel_at(image, layout->trees + t), sizeof words);
        /* a first texel that is no node's becomes another, which comparing with the file shows */
        trees[t] = (struct shw_cascade_tree){(words[0] - layout->nodes) / layout->node_texels, words[1]};
    }
}

/* Up to the first tree that is not where it must be, which the check tells. */
static void unpack_nodes(const struct shw_ktx2 *image, const struct layout *layout, const struct shw_cascade_info *info,
                         const struct shw_cascade_tree *trees, struct shw_cascade_node *nodes)
{
    uint32_t number = 0;

    for (uint32_t t = 0; t < info->tree_count && trees[t].first_node == number; t++)
        for (uint32_t n = 0; n < trees[t].node_count && number < info->node_count; n++, number++)
            unpack_node(texel_at(image, layout->nodes + (size_t)layout->node_texels * number), info->kind, n,
                        &nodes[number]);
}

enum shw_result shw_cascade_unpack(const struct shw_ktx2 *image, const struct shw_cascade_source *source,
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
    info->stages = stages = allocate(info->stage_count, sizeof *stages);
    info->trees = trees = allocate(info->tree_count, sizeof *trees);
    info->nodes = nodes = allocate(info->node_count, sizeof *nodes);
    features = info->feature_count > 0 ? calloc(info->feature_count, sizeof *features) : NULL;
    info->features = features;
    if (stages == NULL || trees == NULL || nodes == NULL || (info->feature_count > 0 && features == NULL))
        return shw_fail_memory(source->log, source->name);
    unpack_trees(image, &layout, info, stages, trees);
    unpack_nodes(image, &layout, info, trees, nodes);
    for (uint32_t f = 0; f < info->feature_count; f++)
        unpack_feature(texel_at(image, layout.features + (size_t)SHW_CASCADE_FEATURE_TEXELS * f), &features[f]);
    return SHW_OK;
}

void shw_cascade_free_arrays(struct shw_cascade_info *info)
{
    free((void *)info->stages);
    free((void *)info->trees);
    free((void *)info->nodes);
    free((void *)info->features);
    info->stages = NULL;
    info->trees = NULL;
    info->nodes = NULL;
    info->features = NULL;
}
