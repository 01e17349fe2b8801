/* Describes texels in words. */
#include <stdarg.h>
#include <stdio.h>

#include "inspect/texture.h"

/* Appends to a text like snprintf(), truncating it at its end. */
struct text {
    char *at;
    size_t left;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    if (length < 0 || text->left == 0)
        return;
    length = (size_t)length < text->left ? length : (int)text->left - 1;
    text->at += length;
    text->left -= (size_t)length;
}

/* The sign before region `number` of a feature. */
static const char *sign_of(const struct shw_feature_region *region, uint32_t number)
{
    return region->subtracted ? " - " : number > 0 ? " + " : "";
}

static void tell_node(const struct shw_forest *forest, const struct shw_texel *texel, struct text *text)
{
    const struct shw_channel_list *set = shw_forest_get_info(forest)->channel_list;
    struct shw_node node = shw_forest_get_node(forest, texel->tree, texel->node);
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count;

    add(text, "tree %u, node %u: ", texel->tree, texel->node);
    if (!node.is_split) {
        add(text, "leaf %u", node.leaf);
        return;
    }
    count = shw_forest_get_info(forest)->feature->get_regions(&node.feature, regions);
    for (uint32_t i = 0; i < count; i++)
        add(text, "%s%s", sign_of(&regions[i], i), set->channels[regions[i].channel].name);
    add(text, ", right to %u if ", node.left + 1);
    if (node.t0 > INT32_MIN)
        add(text, "%d <= ", node.t0);
    add(text, "it");
    if (node.t1 < INT32_MAX)
        add(text, " < %d", node.t1);
    add(text, ", else left to %u", node.left);
}

static void tell_regions(const struct shw_forest *forest, const struct shw_texel *texel, struct text *text)
{
    struct shw_node node = shw_forest_get_node(forest, texel->tree, texel->node);
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count;

    add(text, "tree %u, node %u: ", texel->tree, texel->node);
    if (!node.is_split) {
        add(text, "no rectangles, it is a leaf");
        return;
    }
    count = shw_forest_get_info(forest)->feature->get_regions(&node.feature, regions);
    for (uint32_t i = 0; i < count; i++) {
        struct shw_rectangle rect = regions[i].rectangle;
        add(text, "%s[%d..%d, %d..%d]", sign_of(&regions[i], i), rect.x0, rect.x1 - 1, rect.y0, rect.y1 - 1);
    }
}

static void tell_distribution(const struct shw_forest *forest, const struct shw_texel *texel, struct text *text)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const uint16_t *distribution = shw_forest_get_distribution(forest, texel->tree, texel->leaf);
    uint32_t told = 0;

    add(text, "tree %u, leaf %u, node %u:", texel->tree, texel->leaf, texel->node);
    for (uint32_t c = texel->first_class; c < texel->first_class + 8 && c < info->class_count; c++)
        if (distribution[c] > 0)
            add(text, "%s %s %.1f %%", told++ > 0 ? "," : "", info->classes[c].name, 100.0 * distribution[c] / 65535);
    if (told == 0)
        add(text, " none of the classes from %s on", info->classes[texel->first_class].name);
}

void view_texture_tell(const struct shw_forest *forest, uint32_t x, uint32_t y, char *buffer, size_t size)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_texel texel = shw_forest_get_texel(forest, y * shw_forest_get_texture(forest).width + x);
    struct shw_tree_info tree = shw_forest_get_tree(forest, texel.tree);
    struct text text = {buffer, size};

    switch (texel.kind) {
    case SHW_TEXEL_NOTHING: add(&text, "nothing"); break;
    case SHW_TEXEL_HEADER: add(&text, "header: %u trees, %u classes", info->tree_count, info->class_count); break;
    case SHW_TEXEL_TREE:
        add(&text, "tree %u: %u nodes, %u leaves, ", texel.tree, tree.node_count, tree.node_count / 2 + 1);
        if (tree.leaf_count < tree.node_count / 2 + 1)
            add(&text, "%u distributions, ", tree.leaf_count);
        add(&text, "depth %u", tree.depth);
        break;
    case SHW_TEXEL_NODE: tell_node(forest, &texel, &text); break;
    case SHW_TEXEL_FEATURE: tell_regions(forest, &texel, &text); break;
    case SHW_TEXEL_DISTRIBUTION: tell_distribution(forest, &texel, &text); break;
    }
}

void view_texture_print(const struct view_texture *texture, FILE *file)
{
    char text[512];

    if (texture->picture == NULL || !texture->pointed)
        return;
    view_texture_tell(texture->forest->forest, texture->x, texture->y, text, sizeof text);
    fprintf(file, "texel %u %u: %s\n", texture->x, texture->y, text);
}
