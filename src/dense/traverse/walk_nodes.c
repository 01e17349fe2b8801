#include "dense/traverse/walk_nodes.h"

#include <string.h>

#include "base/integers.h"
#include "dense/feature/feature_code.h"
#include "shared/walk_node.h"

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

uint32_t shw_walk_node_texels(const struct shw_feature_type *type)
{
    return type->code->prepare != NULL ? SHW_WALK_TEXELS : SHW_WALK_TEXELS_PLAIN;
}

static void extend(struct shw_reach *reach, struct shw_reach by)
{
    reach->x0 = shw_min(reach->x0, by.x0);
    reach->y0 = shw_min(reach->y0, by.y0);
    reach->x1 = shw_max(reach->x1, by.x1);
    reach->y1 = shw_max(reach->y1, by.y1);
}

uint64_t shw_walk_tree_texels(const struct shw_forest *forest, uint32_t tree)
{
    return 1 + (uint64_t)shw_walk_node_texels(shw_forest_get_info(forest)->feature) *
                   shw_forest_get_tree(forest, tree).node_count;
}

struct shw_walk_group shw_walk_group_next(const struct shw_forest *forest, uint32_t trees, uint64_t most,
                                          struct shw_walk_group previous)
{
    struct shw_walk_group group = {.first = previous.first + previous.count,
                                   .begin = shw_align_up(previous.begin + previous.texels, SHW_WALK_GROUP_TEXELS)};

    for (uint32_t t = group.first; t < trees; t++) {
        uint64_t texels = shw_walk_tree_texels(forest, t);
        if (group.texels + texels > most)
            break;
        group.texels += texels;
        group.count++;
    }
    return group.count > 0 ? group : (struct shw_walk_group){0};
}

static void measure_groups(const struct shw_forest *forest, uint32_t trees, uint64_t most, struct shw_walk_nodes *nodes)
{
    struct shw_walk_group group = {0}, next;

    while (next = shw_walk_group_next(forest, trees, most, group), next.count > 0) {
        group = next;
        nodes->groups++;
    }
    nodes->texels = group.begin + group.texels;
    if (group.first + group.count < trees)
        nodes->groups = 0;
}

struct shw_walk_nodes shw_walk_nodes_measure(const struct shw_forest *forest, uint32_t trees, uint64_t most)
{
    const struct shw_feature_type *type = shw_forest_get_info(forest)->feature;
    const uint32_t *texels = shw_forest_get_texture(forest).texels;
    struct shw_walk_nodes nodes = {0};

    measure_groups(forest, trees, most, &nodes);
    for (uint32_t t = 0; t < trees; t++) {
        const uint32_t *tree = find_tree(texels, t);
        for (uint32_t n = 0; n < tree[1]; n++) {
            const uint32_t *node = find_node(texels, tree, n);
            struct shw_feature feature = shw_feature_of_node(node);
            if (is_split(node))
                extend(&nodes.reach, type->get_reach(&feature));
        }
    }
    return nodes;
}

void shw_walk_node_write(const uint32_t *node, uint32_t root, const struct shw_feature_type *type, uint32_t node_texels,
                         uint32_t stride, uint32_t pitch, uint32_t *words)
{
    struct shw_feature feature = shw_feature_of_node(node);

    memset(words, 0, 4 * node_texels * sizeof *words);
    words[0] = root + node_texels * node[0];
    words[1] = node[2];
    words[2] = 0x80000000u;
    if (!is_split(node))
        return;
    words[2] = node[3];
    words[3] = node[1];
    memcpy(words + 4, node + 4, 4 * sizeof *words);
    if (node_texels == SHW_WALK_TEXELS)
        type->code->prepare(&feature, stride, pitch, words + 8);
}

static void write_group(const struct shw_forest *forest, const struct shw_walk_group *group, uint32_t stride,
                        uint32_t pitch, uint32_t *nodes)
{
    const struct shw_feature_type *type = shw_forest_get_info(forest)->feature;
    const uint32_t *texels = shw_forest_get_texture(forest).texels;
    const uint32_t node_texels = shw_walk_node_texels(type);
    uint32_t root = group->count;

    for (uint32_t t = 0; t < group->count; t++) {
        const uint32_t *tree = find_tree(texels, group->first + t);
        const uint32_t entry[4] = {root, tree[2], tree[3], 0};
        memcpy(nodes + 4 * (size_t)t, entry, sizeof entry);
        for (uint32_t n = 0; n < tree[1]; n++)
            shw_walk_node_write(find_node(texels, tree, n), root, type, node_texels, stride, pitch,
                                nodes + 4 * ((size_t)root + (size_t)node_texels * n));
        root += node_texels * tree[1];
    }
}

void shw_walk_nodes_write(const struct shw_forest *forest, uint32_t trees, uint64_t most, uint32_t stride,
                          uint32_t pitch, uint32_t *nodes)
{
    struct shw_walk_group group = {0};

    while (group = shw_walk_group_next(forest, trees, most, group), group.count > 0)
        write_group(forest, &group, stride, pitch, nodes + 4 * (size_t)group.begin);
}
