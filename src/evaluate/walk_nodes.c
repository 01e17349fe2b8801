#include "evaluate/walk_nodes.h"

#include <string.h>

#include "shared/forest_texture.h"
#include "shared/rectangle.h"
#include "shared/walk_node.h"

static struct shw_rect unpack(const uint32_t words[2])
{
    return (struct shw_rect){shw_low16(words[0]), shw_high16(words[0]), shw_low16(words[1]), shw_high16(words[1])};
}

static const uint32_t *find_tree(const uint32_t *texels, uint32_t tree)
{
    return texels + 4 * (size_t)(1 + tree);
}

static const uint32_t *find_node(const uint32_t *texels, const uint32_t *tree, uint32_t number)
{
    return texels + 4 * ((size_t)tree[0] + (size_t)SHW_NODE_TEXELS * number);
}

static bool is_split(const uint32_t *node)
{
    return (node[1] >> SHW_NODE_SPLIT_SHIFT & 1u) != 0;
}

static bool has_second(const uint32_t *node)
{
    return (node[1] >> SHW_NODE_SECOND_SHIFT & 1u) != 0;
}

static void extend(struct shw_rect *reach, struct shw_rect rect)
{
    reach->x0 = shw_min(reach->x0, rect.x0);
    reach->y0 = shw_min(reach->y0, rect.y0);
    reach->x1 = shw_max(reach->x1, rect.x1);
    reach->y1 = shw_max(reach->y1, rect.y1);
}

struct shw_walk_nodes shw_walk_nodes_measure(const uint32_t *texels, uint32_t trees)
{
    struct shw_walk_nodes nodes = {.texels = trees};

    for (uint32_t t = 0; t < trees; t++) {
        const uint32_t *tree = find_tree(texels, t);
        nodes.texels += (uint64_t)SHW_WALK_TEXELS * tree[1];
        for (uint32_t n = 0; n < tree[1]; n++) {
            const uint32_t *node = find_node(texels, tree, n);
            if (!is_split(node))
                continue;
            extend(&nodes.reach, unpack(node + 4));
            if (has_second(node))
                extend(&nodes.reach, unpack(node + 6));
        }
    }
    return nodes;
}

static void write_rect(struct shw_rect rect, uint32_t channel, enum shw_feature_type feature, uint32_t stride,
                       uint32_t pitch, uint32_t words[4])
{
    uint32_t area = shw_rect_area(rect), shift = 0, multiplier = 0xffffffffu;

    if (feature == SHW_FEATURE_MEAN_DIFFERENCE) {
        shift = shw_mean_shift(area);
        multiplier = shw_mean_multiplier(area);
    }
    words[0] = channel * pitch + (uint32_t)rect.y0 * stride + (uint32_t)rect.x0;
    words[1] = (uint32_t)(rect.x1 - rect.x0) | shift << SHW_WALK_SHIFT;
    words[2] = (uint32_t)(rect.y1 - rect.y0) * stride;
    words[3] = multiplier;
}

static void write_node(const uint32_t *node, uint32_t root, enum shw_feature_type feature, uint32_t stride,
                       uint32_t pitch, uint32_t words[4 * SHW_WALK_TEXELS])
{
    memset(words, 0, 4 * SHW_WALK_TEXELS * sizeof *words);
    words[0] = root + SHW_WALK_TEXELS * node[0];
    words[1] = node[2];
    words[2] = 0x80000000u;
    if (!is_split(node))
        return;
    words[2] = node[3];
    words[3] = node[1];
    memcpy(words + 4, node + 4, 4 * sizeof *words);
    write_rect(unpack(node + 4), node[1] & SHW_NODE_CHANNEL_MASK, feature, stride, pitch, words + 8);
    if (has_second(node))
        write_rect(unpack(node + 6), node[1] >> SHW_NODE_CHANNEL_BITS & SHW_NODE_CHANNEL_MASK, feature, stride, pitch,
                   words + 12);
}

void shw_walk_nodes_write(const uint32_t *texels, uint32_t trees, enum shw_feature_type feature, uint32_t stride,
                          uint32_t pitch, uint32_t *nodes)
{
    uint32_t root = trees;

    for (uint32_t t = 0; t < trees; t++) {
        const uint32_t *tree = find_tree(texels, t);
        const uint32_t entry[4] = {root, tree[2], tree[3], 0};
        memcpy(nodes + 4 * (size_t)t, entry, sizeof entry);
        for (uint32_t n = 0; n < tree[1]; n++)
            write_node(find_node(texels, tree, n), root, feature, stride, pitch,
                       nodes + 4 * ((size_t)root + (size_t)SHW_WALK_TEXELS * n));
        root += SHW_WALK_TEXELS * tree[1];
    }
}
