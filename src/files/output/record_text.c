#include "files/output/record_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/json_text.h"
#include "base/text.h"
#include "files/output/forest_text.h"
#include "formats/record_branches.h"
#include "records/model/record_forest.h"

#define BAR              40
#define ATTRIBUTES_SHOWN 20u
#define RANGES_SHOWN     20u

/* Statistics over all nodes. */
struct shape {
    uint32_t *tests; /* of each attribute; NULL if memory was exhausted */
    uint32_t tested; /* attributes */
    uint32_t splits, missing_right, zero_missing, sets;
    uint32_t depth_min, depth_max; /* of trees */
};

static struct shape find_shape(const struct shw_record_forest_info *info)
{
    struct shape shape = {.tests = calloc(info->attribute_count, sizeof *shape.tests), .depth_min = UINT32_MAX};

    for (uint32_t n = 0; n < info->node_count; n++) {
        const struct shw_record_node *node = &info->nodes[n];
        shape.splits += node->is_split;
        shape.missing_right += node->missing_right;
        shape.zero_missing += node->zero_missing;
        shape.sets += node->is_set;
        if (node->is_split && shape.tests != NULL)
            shape.tests[node->attribute]++;
    }
    for (uint32_t a = 0; shape.tests != NULL && a < info->attribute_count; a++)
        shape.tested += shape.tests[a] > 0;
    for (uint32_t t = 0; t < info->tree_count; t++) {
        shape.depth_min = shw_min_u32(shape.depth_min, info->trees[t].depth);
        shape.depth_max = shw_max_u32(shape.depth_max, info->trees[t].depth);
    }
    return shape;
}

static double to_value(const struct shw_record_forest_info *info, int64_t units)
{
    return ldexp((double)units, -info->fraction_bits);
}

/* The attribute's name, or its number. */
static struct shw_printable attribute_name(const struct shw_record_forest_info *info, uint32_t attribute)
{
    struct shw_printable name;

    if (info->attribute_names != NULL)
        return shw_printable(info->attribute_names[attribute]);
    snprintf(name.text, sizeof name.text, "attribute %u", attribute);
    return name;
}

static void print_task(const struct shw_record_forest_info *info)
{
    if (info->task == SHW_RECORD_CLASSES)
        printf("  predicts      %u classes, by %s\n", info->class_count,
               info->output_count == 1 ? "one output" : "the greatest of as many outputs");
    else
        printf("  predicts      %s\n", shw_counted(info->output_count, "number", "numbers").text);
    printf("  outputs       %s of %s%s; link %s", info->mean ? "means" : "sums",
           info->values_per_leaf == info->output_count ? "all trees" : "the trees of each output",
           info->values_per_leaf > 1 ? ", whose leaves have a value for each" : "", shw_record_link_name(info->link));
    if (info->link_scale != 1)
        printf(" with a scale of %g", info->link_scale);
    printf("\n  values        %d fraction bits", info->fraction_bits);
    if (info->class_count > info->output_count)
        printf("; class 1 above %g", to_value(info, info->cut));
    putchar('\n');
}

/* The next attribute after one with that many tests, by falling tests; attribute_count at the end. */
static uint32_t next_tested(const struct shw_record_forest_info *info, const uint32_t *tests, uint32_t last)
{
    uint32_t best = info->attribute_count;

    for (uint32_t a = 0; a < info->attribute_count; a++) {
        bool follows = last == info->attribute_count || tests[a] < tests[last] || (tests[a] == tests[last] && a > last);
        if (follows && tests[a] > 0 && (best == info->attribute_count || tests[a] > tests[best]))
            best = a;
    }
    return best;
}

static void print_attributes(const struct shw_record_forest_info *info, const struct shape *shape)
{
    uint32_t first = info->attribute_count, a = first;

    if (shape->tests == NULL || shape->tested == 0)
        return;
    printf("\n%s by tests\n", shape->tested > ATTRIBUTES_SHOWN ? "the first 20 attributes" : "attributes");
    for (uint32_t i = 0; i < shw_min_u32(shape->tested, ATTRIBUTES_SHOWN); i++) {
        a = next_tested(info, shape->tests, a);
        if (i == 0)
            first = a;
        printf("  %-24s%10u  ", attribute_name(info, a).text, shape->tests[a]);
        for (uint64_t b = 0; b < (uint64_t)shape->tests[a] * BAR / shape->tests[first]; b++)
            putchar('#');
        putchar('\n');
    }
}

void shw_print_record_forest(const struct shw_record_forest *forest, const char *path, long long file_bytes)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_record_forest_texture texture = shw_record_forest_get_texture(forest);
    struct shape shape = find_shape(info);

    printf("%s\n", shw_printable(path).text);
    printf("  file          %lld bytes, texture %u x %u, %s\n", file_bytes, texture.width, texture.height,
           shw_counted(texture.layers, "layer", "layers").text);
    printf("  hash          %016llx\n", (unsigned long long)shw_record_forest_hash(forest));
    print_task(info);
    printf("  trees         %u, %s, %s\n", info->tree_count, shw_counted(info->node_count, "node", "nodes").text,
           shw_counted(info->leaf_count, "leaf", "leaves").text);
    printf("  depth         of trees: %u to %s\n", shape.depth_min, shw_counted(shape.depth_max, "test", "tests").text);
    printf("  attributes    %u, %u of them tested\n", info->attribute_count, shape.tested);
    printf("  missing       goes left in %s, right in %u; zero is missing in %u\n",
           shw_counted(shape.splits - shape.missing_right, "test", "tests").text, shape.missing_right,
           shape.zero_missing);
    if (shape.sets > 0)
        printf("  sets          of categories in %s, which take %s of 32 bits\n",
               shw_counted(shape.sets, "test", "tests").text, shw_counted(info->set_word_count, "word", "words").text);
    if (info->class_count > 0)
        printf("\nclasses\n");
    for (uint32_t c = 0; c < info->class_count; c++)
        printf("  %3u  %s\n", c, shw_printable(info->class_names[c]).text);
    shw_print_provenance(info->training, NULL);
    print_attributes(info, &shape);
    free(shape.tests);
}

/* NULL: JSON's null. */
static json_t *describe_names(const char *const *names, uint32_t count)
{
    json_t *array = names != NULL ? json_array() : json_null();

    for (uint32_t i = 0; names != NULL && i < count; i++)
        json_array_append_new(array, json_string(names[i]));
    return array;
}

json_t *shw_record_forest_json(const struct shw_record_forest *forest, const char *path, long long file_bytes)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_record_forest_texture texture = shw_record_forest_get_texture(forest);
    struct shape shape = find_shape(info);
    json_t *tests = json_array(), *base = json_array();
    char hash[20];

    for (uint32_t a = 0; shape.tests != NULL && a < info->attribute_count; a++)
        json_array_append_new(tests, json_integer(shape.tests[a]));
    for (uint32_t o = 0; o < info->output_count; o++)
        json_array_append_new(base, json_real(to_value(info, info->base[o])));
    free(shape.tests);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_record_forest_hash(forest));
    return json_pack(
        "{s:o, s:I, s:s, s:s, s:s, s:f, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:f, "
        "s:i, s:i, s:i, s:[i, i, i], s:o}",
        "record_forest", shw_json_text(path), "bytes", (json_int_t)file_bytes, "hash", hash, "task",
        shw_record_task_name(info->task), "link", shw_record_link_name(info->link), "link_scale", info->link_scale,
        "mean", (int)info->mean, "trees", (int)info->tree_count, "nodes", (int)info->node_count, "leaves",
        (int)info->leaf_count, "values_per_leaf", (int)info->values_per_leaf, "outputs", (int)info->output_count,
        "depth_min", (int)shape.depth_min, "depth_max", (int)shape.depth_max, "attribute_names",
        describe_names(info->attribute_names, info->attribute_count), "tests_by_attribute", tests, "classes",
        describe_names(info->class_names, info->class_count), "output_names",
        describe_names(info->output_names, info->output_count), "fraction_bits", (int)info->fraction_bits, "base", base,
        "cut", to_value(info, info->cut), "missing_right", (int)shape.missing_right, "zero_missing",
        (int)shape.zero_missing, "sets", (int)shape.sets, "texture", (int)texture.width, (int)texture.height,
        (int)texture.layers, "training", json_loads(info->training, 0, NULL));
}

/* Members, of which the first ones are shown, and what else a set says. */
static void print_set(const struct shw_record_node *node, const uint32_t *set)
{
    const bool members_right = (set[0] & SHW_RECORD_SET_MEMBERS_RIGHT) != 0;
    const char *rounding = (set[0] & SHW_RECORD_SET_WHOLE) != 0        ? ""
                           : (set[0] & SHW_RECORD_SET_FROM_BELOW) != 0 ? ", without its fraction"
                                                                       : ", without its fraction if it is not negative";
    struct shw_record_range range = {0, 0};
    uint32_t shown = 0;

    printf("is%s in {", members_right ? "" : " not");
    for (; shown < RANGES_SHOWN && shw_record_set_find_range(set, range.end, &range); shown++)
        if (range.end - range.first > 1)
            printf("%s%u..%u", shown > 0 ? ", " : "", range.first, range.end - 1);
        else
            printf("%s%u", shown > 0 ? ", " : "", range.first);
    printf("%s}%s%s\n", shw_record_set_find_range(set, range.end, &range) ? ", ..." : "", rounding,
           node->missing_right ? ", or missing" : "");
}

static void print_split(const struct shw_record_forest_info *info, const struct shw_record_node *node, uint32_t n)
{
    float limit = shw_record_code_value(node->threshold);
    struct shw_printable name = attribute_name(info, node->attribute);

    printf("%6u  right to %u, else to %u, if %s ", n, node->left + 1, node->left, name.text);
    if (node->is_set) {
        print_set(node, info->sets + (uint32_t)node->threshold);
        return;
    }
    if (isnan(limit))
        printf("is %s", node->missing_right ? "anything" : "not missing");
    else
        printf("> %.9g%s", (double)limit, node->missing_right ? " or missing" : "");
    puts(node->zero_missing ? ", as zero is" : "");
}

static const int32_t *values_of(const struct shw_record_forest_info *info, uint32_t tree, uint32_t leaf)
{
    return info->leaf_values + ((size_t)info->trees[tree].first_leaf + leaf) * info->values_per_leaf;
}

void shw_print_record_tree(const struct shw_record_forest *forest, uint32_t tree)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);

    printf("tree %u", tree);
    if (info->values_per_leaf < info->output_count)
        printf(", output %u", info->trees[tree].output);
    putchar('\n');
    for (uint32_t n = 0; n < info->trees[tree].node_count; n++) {
        const struct shw_record_node *node = &info->nodes[info->trees[tree].first_node + n];
        if (node->is_split) {
            print_split(info, node, n);
            continue;
        }
        printf("%6u  leaf %u:", n, node->leaf);
        for (uint32_t v = 0; v < info->values_per_leaf; v++)
            printf(" %g", to_value(info, values_of(info, tree, node->leaf)[v]));
        putchar('\n');
    }
}

static json_t *describe_leaf(const struct shw_record_forest_info *info, uint32_t tree,
                             const struct shw_record_node *node)
{
    json_t *values = json_array();

    for (uint32_t v = 0; v < info->values_per_leaf; v++)
        json_array_append_new(values, json_real(to_value(info, values_of(info, tree, node->leaf)[v])));
    return json_pack("{s:I, s:I, s:o}", "leaf", (json_int_t)node->leaf, "source", (json_int_t)node->source, "values",
                     values);
}

/* JSON has no infinities: such thresholds are null, and so are those of which every number goes right. */
static json_t *describe_threshold_split(const struct shw_record_node *node)
{
    float limit = shw_record_code_value(node->threshold);

    return json_pack("{s:I, s:I, s:I, s:i, s:o, s:b, s:b, s:I}", "left", (json_int_t)node->left, "right",
                     (json_int_t)node->left + 1, "attribute", (json_int_t)node->attribute, "threshold_code",
                     (int)node->threshold, "threshold", isfinite(limit) ? json_real((double)limit) : json_null(),
                     "missing_right", (int)node->missing_right, "zero_missing", (int)node->zero_missing, "source",
                     (json_int_t)node->source);
}

/* Pairs of the first and the last member of each row of them. */
static json_t *describe_members(const uint32_t *set)
{
    struct shw_record_range range = {0, 0};
    json_t *members = json_array();

    while (shw_record_set_find_range(set, range.end, &range))
        json_array_append_new(members, json_pack("[I, I]", (json_int_t)range.first, (json_int_t)range.end - 1));
    return members;
}

static json_t *describe_split(const struct shw_record_forest_info *info, const struct shw_record_node *node)
{
    const uint32_t *set = node->is_set ? info->sets + (uint32_t)node->threshold : NULL;

    if (set == NULL)
        return describe_threshold_split(node);
    return json_pack("{s:I, s:I, s:I, s:o, s:b, s:b, s:b, s:b, s:I}", "left", (json_int_t)node->left, "right",
                     (json_int_t)node->left + 1, "attribute", (json_int_t)node->attribute, "members",
                     describe_members(set), "members_right", (set[0] & SHW_RECORD_SET_MEMBERS_RIGHT) != 0, "whole",
                     (set[0] & SHW_RECORD_SET_WHOLE) != 0, "from_below", (set[0] & SHW_RECORD_SET_FROM_BELOW) != 0,
                     "missing_right", (int)node->missing_right, "source", (json_int_t)node->source);
}

json_t *shw_record_tree_json(const struct shw_record_forest *forest, uint32_t tree)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    json_t *nodes = json_array();

    for (uint32_t n = 0; n < info->trees[tree].node_count; n++) {
        const struct shw_record_node *node = &info->nodes[info->trees[tree].first_node + n];
        json_array_append_new(nodes, node->is_split ? describe_split(info, node) : describe_leaf(info, tree, node));
    }
    return json_pack("{s:i, s:i, s:o}", "tree", (int)tree, "output", (int)info->trees[tree].output, "nodes", nodes);
}
