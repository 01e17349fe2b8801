#include "files/output/forest_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static uint32_t likeliest(const uint16_t *distribution, uint32_t class_count)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < class_count; c++)
        best = distribution[c] > distribution[best] ? c : best;
    return best;
}

const char *shw_region_sign(const struct shw_feature_region *region, uint32_t number)
{
    return region->subtracted ? " - " : number > 0 ? " + " : "";
}

static void print_response(const struct shw_forest_info *info, const struct shw_feature *feature,
                           const struct shw_channel_list *set)
{
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count = info->feature->get_regions(feature, regions);

    for (uint32_t i = 0; i < count; i++) {
        struct shw_rectangle rect = regions[i].rectangle;
        printf("%s%s[%d..%d, %d..%d]%s", shw_region_sign(&regions[i], i), set->channels[regions[i].channel].name,
               rect.x0, rect.x1 - 1, rect.y0, rect.y1 - 1,
               i + 1 == count && info->feature->reads_depth ? " at 1 m" : "");
    }
}

void shw_print_leaf(const struct shw_forest_info *info, uint32_t node, uint32_t leaf, const uint16_t *distribution)
{
    uint32_t best = likeliest(distribution, info->class_count);

    printf("%6u  leaf %u: %s %.1f %%\n", node, leaf, info->classes[best].name, 100.0 * distribution[best] / 65535);
}

void shw_print_tree(const struct shw_forest *forest, uint32_t tree)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_channel_list *set = info->channel_list;
    uint32_t node_count = shw_forest_get_tree(forest, tree).node_count;

    printf("tree %u\n", tree);
    for (uint32_t n = 0; n < node_count; n++) {
        struct shw_node node = shw_forest_get_node(forest, tree, n);
        if (!node.is_split) {
            shw_print_leaf(info, n, node.leaf, shw_forest_get_distribution(forest, tree, node.leaf));
            continue;
        }
        printf("%6u  right to %u, else to %u, if ", n, node.left + 1, node.left);
        if (node.t0 > INT32_MIN)
            printf("%d <= ", node.t0);
        print_response(info, &node.feature, set);
        if (node.t1 < INT32_MAX)
            printf(" < %d", node.t1);
        putchar('\n');
    }
}

json_t *shw_distribution_json(const struct shw_forest_info *info, const uint16_t *distribution)
{
    json_t *values = json_array();

    for (uint32_t c = 0; c < info->class_count; c++)
        json_array_append_new(values, json_integer(distribution[c]));
    return values;
}

static json_t *describe_leaf(const struct shw_forest *forest, uint32_t tree, uint32_t leaf)
{
    const uint16_t *distribution = shw_forest_get_distribution(forest, tree, leaf);

    return json_pack("{s:I, s:o}", "leaf", (json_int_t)leaf, "distribution",
                     shw_distribution_json(shw_forest_get_info(forest), distribution));
}

static json_t *describe_split(const struct shw_forest_info *info, const struct shw_node *node,
                              const struct shw_channel_list *set)
{
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count = info->feature->get_regions(&node->feature, regions);
    json_t *rectangles = json_array();

    for (uint32_t i = 0; i < count; i++) {
        struct shw_rectangle rectangle = regions[i].rectangle;
        json_array_append_new(rectangles,
                              json_pack("{s:s, s:i, s:i, s:i, s:i}", "channel", set->channels[regions[i].channel].name,
                                        "x0", (int)rectangle.x0, "y0", (int)rectangle.y0, "x1", (int)rectangle.x1, "y1",
                                        (int)rectangle.y1));
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "left", (json_int_t)node->left, "right", (json_int_t)node->left + 1,
                     "t0", (json_int_t)node->t0, "t1", (json_int_t)node->t1, "rectangles", rectangles);
}

json_t *shw_tree_json(const struct shw_forest *forest, uint32_t tree)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_channel_list *set = info->channel_list;
    uint32_t node_count = shw_forest_get_tree(forest, tree).node_count;
    json_t *nodes = json_array();

    for (uint32_t n = 0; n < node_count; n++) {
        struct shw_node node = shw_forest_get_node(forest, tree, n);
        json_array_append_new(nodes, node.is_split ? describe_split(info, &node, set)
                                                   : describe_leaf(forest, tree, node.leaf));
    }
    return json_pack("{s:I, s:o}", "tree", (json_int_t)tree, "nodes", nodes);
}

void shw_print_provenance(const char *record, const char *without)
{
    json_t *object = json_loads(record, 0, NULL), *value;
    const char *key;

    printf("\ntraining\n");
    json_object_foreach(object, key, value)
    {
        char *text;
        if (without != NULL && strcmp(key, without) == 0)
            continue;
        text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        if (text != NULL)
            shw_make_printable(text);
        printf("  %-17s %s\n", shw_printable(key).text, text != NULL ? text : "");
        free(text);
    }
    json_decref(object);
}
