#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "records/model/record_forest.h"

/* First texels; they follow from the counts alone. */
struct layout {
    uint64_t nodes, values, sets, end;
};

static struct layout lay_out(const struct shw_record_forest_info *info)
{
    struct layout layout = {.nodes = SHW_RECORD_TREES_AT + (uint64_t)SHW_RECORD_TREE_TEXELS * info->tree_count};

    layout.values = layout.nodes + info->node_count;
    layout.sets = layout.values + ((uint64_t)info->leaf_count * info->values_per_leaf + 3) / 4;
    layout.end = layout.sets + ((uint64_t)info->set_word_count + 3) / 4;
    return layout;
}

uint64_t shw_record_forest_count_texels(const struct shw_record_forest_info *info)
{
    return lay_out(info).end;
}

uint32_t shw_record_forest_get_sets_texel(const struct shw_record_forest_info *info)
{
    return info->set_word_count > 0 ? (uint32_t)lay_out(info).sets : 0;
}

static void pack_header(uint32_t *words, const struct shw_record_forest_info *info, const struct layout *layout)
{
    words[0] = info->tree_count;
    words[1] = info->output_count;
    words[2] = (uint32_t)layout->values;
    words[3] = info->leaf_count;
    words[4] = info->attribute_count;
    words[5] = info->values_per_leaf;
    words[6] = info->node_count;
    words[7] = info->set_word_count;
}

static void pack_tree(uint32_t *words, const struct shw_record_tree *tree, const struct layout *layout)
{
    words[0] = (uint32_t)layout->nodes + tree->first_node;
    words[1] = tree->node_count;
    words[2] = tree->depth;
    words[3] = tree->first_leaf;
    words[4] = tree->output;
    words[5] = tree->leaf_count;
}

static void pack_node(uint32_t *words, const struct shw_record_node *node)
{
    words[0] = node->left;
    words[1] = node->attribute | (uint32_t)node->is_split << SHW_RECORD_SPLIT_SHIFT |
               (uint32_t)node->missing_right << SHW_RECORD_MISSING_RIGHT_SHIFT |
               (uint32_t)node->zero_missing << SHW_RECORD_ZERO_MISSING_SHIFT |
               (uint32_t)node->is_set << SHW_RECORD_SET_SHIFT;
    words[2] = node->is_split ? (uint32_t)node->threshold : node->leaf;
    words[3] = node->source;
}

bool shw_record_forest_pack(struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = &forest->info;
    const struct layout layout = lay_out(info);
    struct shw_ktx2 image = {0};
    uint32_t *texels;

    shw_ktx2_fit(layout.end, &image);
    texels = calloc((size_t)image.width * image.height * image.layers, 16);
    if (texels == NULL)
        return false;
    pack_header(texels, info, &layout);
    for (uint32_t t = 0; t < info->tree_count; t++)
        pack_tree(texels + 4 * (SHW_RECORD_TREES_AT + (size_t)SHW_RECORD_TREE_TEXELS * t), &info->trees[t], &layout);
    for (uint32_t n = 0; n < info->node_count; n++)
        pack_node(texels + 4 * (layout.nodes + n), &info->nodes[n]);
    memcpy(texels + 4 * layout.values, info->leaf_values,
           (size_t)info->leaf_count * info->values_per_leaf * sizeof *info->leaf_values);
    if (info->set_word_count > 0)
        memcpy(texels + 4 * layout.sets, info->sets, info->set_word_count * sizeof *info->sets);
    forest->texels = texels;
    forest->width = image.width;
    forest->height = image.height;
    forest->layers = image.layers;
    return true;
}

/* Texels of a file may be unaligned. */
static const char *texel_at(const struct shw_ktx2 *image, uint64_t texel)
{
    return (const char *)image->texels + 16 * texel;
}

/* The counts, and that the texture has the size that follows from them, so that nothing larger than it is allocated. */
static enum shw_result unpack_header(const struct shw_ktx2 *image, const struct shw_record_forest_source *source,
                                     struct shw_record_forest_info *info)
{
    uint32_t words[4 * SHW_RECORD_TREES_AT];
    struct shw_ktx2 expected = {0};

    if ((uint64_t)image->width * image->height * image->layers < SHW_RECORD_TREES_AT)
        return SHW_BAD_RECORD_FOREST(source, "%s", "a texture of 1 texel");
    memcpy(words, image->texels, sizeof words);
    info->tree_count = words[0];
    info->output_count = words[1];
    info->leaf_count = words[3];
    info->attribute_count = words[4];
    info->values_per_leaf = words[5];
    info->node_count = words[6];
    info->set_word_count = words[7];
    if (!shw_ktx2_fit(lay_out(info).end, &expected) || image->width != expected.width ||
        image->height != expected.height || image->layers != expected.layers)
        return SHW_BAD_RECORD_FOREST(
            source,
            "a texture of %u x %u x %u texels, which is not what %u trees, %u nodes, %u values of %u leaves and %u "
            "words of sets take",
            image->width, image->height, image->layers, info->tree_count, info->node_count, info->values_per_leaf,
            info->leaf_count, info->set_word_count);
    return SHW_OK;
}

static struct shw_record_tree unpack_tree(const char *texels, const struct layout *layout)
{
    uint32_t words[4 * SHW_RECORD_TREE_TEXELS];

    memcpy(words, texels, sizeof words);
    return (struct shw_record_tree){
        .first_node = words[0] - (uint32_t)layout->nodes, .node_count = words[1], .output = words[4]};
}

static struct shw_record_node unpack_node(const char *texel)
{
    uint32_t words[4];
    bool is_split;

    memcpy(words, texel, sizeof words);
    is_split = (words[1] >> SHW_RECORD_SPLIT_SHIFT & 1u) != 0;
    return (struct shw_record_node){
        .is_split = is_split,
        .missing_right = (words[1] >> SHW_RECORD_MISSING_RIGHT_SHIFT & 1u) != 0,
        .zero_missing = (words[1] >> SHW_RECORD_ZERO_MISSING_SHIFT & 1u) != 0,
        .is_set = (words[1] >> SHW_RECORD_SET_SHIFT & 1u) != 0,
        .left = words[0],
        .attribute = words[1] & SHW_RECORD_ATTRIBUTE_MASK,
        .threshold = is_split ? (int32_t)words[2] : 0,
        .leaf = is_split ? 0 : words[2],
        .source = words[3],
    };
}

/* At least one byte, so that nothing allocated is NULL. */
static void *allocate(uint64_t count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

enum shw_result shw_record_forest_unpack(const struct shw_ktx2 *image, const struct shw_record_forest_source *source,
                                         struct shw_record_forest_info *info)
{
    uint64_t value_count;
    struct layout layout;
    struct shw_record_tree *trees;
    struct shw_record_node *nodes;
    int32_t *values;
    uint32_t *sets;

    SHW_PROPAGATE(unpack_header(image, source, info));
    layout = lay_out(info);
    value_count = (uint64_t)info->leaf_count * info->values_per_leaf;
    info->trees = trees = allocate(info->tree_count, sizeof *trees);
    info->nodes = nodes = allocate(info->node_count, sizeof *nodes);
    info->leaf_values = values = allocate(value_count, sizeof *values);
    info->sets = sets = allocate(info->set_word_count, sizeof *sets);
    if (trees == NULL || nodes == NULL || values == NULL || sets == NULL)
        return shw_fail_memory(source->log, source->name);
    for (uint32_t t = 0; t < info->tree_count; t++)
        trees[t] = unpack_tree(texel_at(image, SHW_RECORD_TREES_AT + (uint64_t)SHW_RECORD_TREE_TEXELS * t), &layout);
    for (uint32_t n = 0; n < info->node_count; n++)
        nodes[n] = unpack_node(texel_at(image, layout.nodes + n));
    memcpy(values, texel_at(image, layout.values), (size_t)value_count * sizeof *values);
    memcpy(sets, texel_at(image, layout.sets), info->set_word_count * sizeof *sets);
    return SHW_OK;
}

void shw_record_forest_free_arrays(struct shw_record_forest_info *info)
{
    free((void *)info->trees);
    free((void *)info->nodes);
    free((void *)info->leaf_values);
    free((void *)info->sets);
    info->trees = NULL;
    info->nodes = NULL;
    info->leaf_values = NULL;
    info->sets = NULL;
}
