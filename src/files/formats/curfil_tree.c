#include "files/formats/curfil_tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>

#include "base/class.h"
#include "base/log.h"
#include "base/text.h"
#include "files/formats/json_model.h"
#include "files/formats/packed_file.h"

#define TEXT_MAX  ((size_t)1 << 29)  /* bytes of JSON of one tree */
#define COUNT_MAX 9007199254740992.0 /* 2^53 */

struct parsing {
    const char *name;
    const struct shw_log *log;
    struct shw_curfil_tree *tree;
    uint32_t node; /* that is read, for messages */
};

#define BAD_TREE(parsing, format, ...)                                                                                 \
    shw_fail((parsing)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: " format, (parsing)->name, __VA_ARGS__)
#define BAD_NODE(parsing, format, ...) BAD_TREE(parsing, "node %u: " format, (parsing)->node, __VA_ARGS__)

/* CURFIL writes numbers as texts; both are read. */
static bool to_number(const json_t *value, double *number)
{
    const char *text = json_string_value(value);
    char *end;

    if (json_is_number(value)) {
        *number = json_number_value(value);
    } else {
        if (text == NULL || strchr("-0123456789", *text) == NULL)
            return false;
        *number = shw_decimal_read(text, &end);
        if (end == text || *end != '\0')
            return false;
    }
    return isfinite(*number);
}

static enum shw_result get_whole(const struct parsing *parsing, const json_t *value, const char *what, double low,
                                 double high, double *number)
{
    if (!to_number(value, number) || *number != floor(*number) || *number < low || *number > high)
        return BAD_NODE(parsing, "%s is not a whole number from %.0f to %.0f", what, low, high);
    return SHW_OK;
}

/* false and true, also as texts or 0 and 1. A missing member leaves the flag as it is. */
static enum shw_result get_flag(const struct parsing *parsing, const json_t *object, const char *key, bool *flag)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    double number;

    if (value == NULL)
        return SHW_OK;
    if (json_is_boolean(value) || (text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)))
        *flag = json_is_true(value) || (text != NULL && *text == 't');
    else if (to_number(value, &number) && (number == 0 || number == 1))
        *flag = number == 1;
    else
        return BAD_TREE(parsing, "%s is neither true nor false", key);
    return SHW_OK;
}

/* "255,0,0 (4)": a colour and its label. */
static bool parse_key(const char *key, uint32_t *label, uint8_t colour[3])
{
    unsigned part[4];
    int end = 0;

    if (strchr("0123456789", *key) == NULL || strchr(key, '-') != NULL || strchr(key, '+') != NULL ||
        sscanf(key, "%3u,%3u,%3u (%5u)%n", &part[0], &part[1], &part[2], &part[3], &end) != 4 || end == 0 ||
        key[end] != '\0' || part[0] > 255 || part[1] > 255 || part[2] > 255)
        return false;
    for (int i = 0; i < 3; i++)
        colour[i] = (uint8_t)part[i];
    *label = part[3];
    return true;
}

/* The root's histogram says which classes there are. */
static enum shw_result find_classes(struct parsing *parsing, json_t *root)
{
    struct shw_curfil_tree *tree = parsing->tree;
    json_t *histogram = json_object_get(root, "histogram"), *count;
    const char *key;
    bool *seen;

    if (json_object_size(histogram) < 1 || json_object_size(histogram) > SHW_CLASSES_MAX)
        return BAD_NODE(parsing, "there is no histogram of 1 to %u classes", SHW_CLASSES_MAX);
    tree->class_count = (uint32_t)json_object_size(histogram);
    tree->classes = calloc(tree->class_count, sizeof *tree->classes);
    seen = calloc(tree->class_count, sizeof *seen);
    if (tree->classes == NULL || seen == NULL) {
        free(seen);
        return shw_fail_memory(parsing->log, parsing->name);
    }
    json_object_foreach(histogram, key, count)
    {
        uint8_t colour[3];
        uint32_t label;
        if (!parse_key(key, &label, colour) || label >= tree->class_count || seen[label]) {
            free(seen);
            return BAD_NODE(parsing,
                            "a key of the histogram is not 'RED,GREEN,BLUE (LABEL)' with each label from 0 to %u once",
                            tree->class_count - 1);
        }
        seen[label] = true;
        memcpy(tree->classes[label].colour, colour, 3);
    }
    free(seen);
    return SHW_OK;
}

static enum shw_result read_histogram(struct parsing *parsing, json_t *node)
{
    struct shw_curfil_tree *tree = parsing->tree;
    json_t *histogram = json_object_get(node, "histogram"), *count;
    double *counts = tree->histograms + (size_t)parsing->node * tree->class_count;
    const char *key;

    if (json_object_size(histogram) != tree->class_count)
        return BAD_NODE(parsing, "its histogram does not have the root's %u classes", tree->class_count);
    json_object_foreach(histogram, key, count)
    {
        uint8_t colour[3];
        uint32_t label;
        if (!parse_key(key, &label, colour) || label >= tree->class_count ||
            memcmp(colour, tree->classes[label].colour, 3) != 0)
            return BAD_NODE(parsing, "%s", "its histogram has other classes than the root's");
        SHW_PROPAGATE(get_whole(parsing, count, "a count of the histogram", 0, COUNT_MAX, &counts[label]));
    }
    return SHW_OK;
}

/* Two numbers. */
static enum shw_result get_pair(const struct parsing *parsing, const json_t *feature, const char *key, double low,
                                double pair[2])
{
    const json_t *value = json_object_get(feature, key);

    if (json_array_size(value) != 2)
        return BAD_NODE(parsing, "%s is not a pair of numbers", key);
    for (size_t i = 0; i < 2; i++)
        SHW_PROPAGATE(get_whole(parsing, json_array_get(value, i), key, low, SHW_CURFIL_LENGTH_MAX, &pair[i]));
    return SHW_OK;
}

static enum shw_result read_region(const struct parsing *parsing, const json_t *feature, uint32_t number,
                                   struct shw_curfil_test *test)
{
    const char *const offset = number == 0 ? "offset1" : "offset2", *const region = number == 0 ? "region1" : "region2";
    const char *const channel = number == 0 ? "channel1" : "channel2";
    double pair[2], value = 0;

    SHW_PROPAGATE(get_pair(parsing, feature, offset, -SHW_CURFIL_LENGTH_MAX - 1, pair));
    test->offset[number][0] = (int8_t)pair[0];
    test->offset[number][1] = (int8_t)pair[1];
    SHW_PROPAGATE(get_pair(parsing, feature, region, 0, pair));
    test->region[number][0] = (uint8_t)pair[0];
    test->region[number][1] = (uint8_t)pair[1];
    if (!test->is_depth)
        SHW_PROPAGATE(get_whole(parsing, json_object_get(feature, channel), channel, 0, 2, &value));
    test->channel[number] = (uint8_t)value;
    return SHW_OK;
}

static enum shw_result read_test(const struct parsing *parsing, const json_t *node, struct shw_curfil_test *test)
{
    const json_t *split = json_object_get(node, "split"), *feature = json_object_get(split, "feature");
    const char *type = json_string_value(json_object_get(feature, "type"));

    if (type == NULL || (strcmp(type, "color") != 0 && strcmp(type, "depth") != 0))
        return BAD_NODE(parsing, "%s", "it has children, but no feature of type color or depth");
    test->is_depth = strcmp(type, "depth") == 0;
    if (!to_number(json_object_get(split, "threshold"), &test->threshold))
        return BAD_NODE(parsing, "%s", "its threshold is not a number");
    SHW_PROPAGATE(read_region(parsing, feature, 0, test));
    return read_region(parsing, feature, 1, test);
}

/* The nodes of the JSON tree, breadth first; *list is to be freed. A node with a left child is a split. */
static enum shw_result list_nodes(const struct parsing *parsing, json_t *root, json_t ***list, uint32_t *count)
{
    uint32_t capacity = 0;

    *count = 1;
    for (uint32_t n = 0; n < *count; n++) {
        json_t *left, *right;
        if (*count + 2 > capacity) {
            json_t **larger = realloc(*list, (size_t)(capacity = 2 * capacity + 64) * sizeof **list);
            if (larger == NULL)
                return shw_fail_memory(parsing->log, parsing->name);
            *list = larger;
            if (n == 0)
                larger[0] = root;
        }
        left = json_object_get((*list)[n], "left");
        right = json_object_get((*list)[n], "right");
        if (left == NULL && right == NULL)
            continue;
        if (!json_is_object(left) || !json_is_object(right))
            return BAD_TREE(parsing, "node %u: it does not have two children", n);
        if (*count + 2 > SHW_NODES_MAX)
            return shw_fail(parsing->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: the tree has more than %u nodes",
                            parsing->name, SHW_NODES_MAX);
        (*list)[(*count)++] = left;
        (*list)[(*count)++] = right;
    }
    return SHW_OK;
}

static enum shw_result read_nodes(struct parsing *parsing, json_t *const *list)
{
    struct shw_curfil_tree *tree = parsing->tree;
    uint32_t children = 1;

    for (uint32_t n = 0; n < tree->node_count; n++) {
        struct shw_curfil_node *node = &tree->nodes[n];
        parsing->node = n;
        node->is_split = json_object_get(list[n], "left") != NULL;
        if (node->is_split) {
            node->left = children;
            children += 2;
            SHW_PROPAGATE(read_test(parsing, list[n], &node->test));
        } else {
            SHW_PROPAGATE(read_histogram(parsing, list[n]));
        }
    }
    return SHW_OK;
}

static enum shw_result read_priors(struct parsing *parsing, const json_t *root)
{
    struct shw_curfil_tree *tree = parsing->tree;
    const json_t *priors = json_object_get(root, "classLabelPriorDistribution");
    char label[16];

    if (json_object_size(priors) != tree->class_count)
        return BAD_TREE(parsing, "classLabelPriorDistribution does not have a number for each of %u classes",
                        tree->class_count);
    for (uint32_t c = 0; c < tree->class_count; c++) {
        double *prior = &tree->classes[c].prior;
        snprintf(label, sizeof label, "%u", c);
        if (!to_number(json_object_get(priors, label), prior) || *prior < 0 || *prior > COUNT_MAX)
            return BAD_TREE(parsing, "classLabelPriorDistribution has no number for label %u", c);
    }
    return SHW_OK;
}

/* Names, which this program's export adds. */
static enum shw_result read_names(struct parsing *parsing, const json_t *root)
{
    struct shw_curfil_tree *tree = parsing->tree;
    const json_t *names = json_object_get(root, "classNames");

    for (uint32_t c = 0; c < tree->class_count && names != NULL; c++) {
        const char *name = json_string_value(json_array_get(names, c));
        if (!shw_class_name_is_valid(name))
            return BAD_TREE(parsing, "classNames: the name of label %u is not 1 to %u bytes of printable UTF-8", c,
                            SHW_CLASS_NAME_MAX);
        tree->classes[c].name = strdup(name);
        if (tree->classes[c].name == NULL)
            return shw_fail_memory(parsing->log, parsing->name);
    }
    return SHW_OK;
}

/* "compare" trains by both, and predicts by CUDA. */
static enum shw_result read_mode(struct parsing *parsing, const json_t *root)
{
    const json_t *value = json_object_get(root, "accelerationMode");
    const char *mode = json_string_value(value);

    parsing->tree->on_gpu = mode == NULL || strcmp(mode, "cpu") != 0;
    if (value == NULL ||
        (mode != NULL && (!parsing->tree->on_gpu || strcmp(mode, "gpu") == 0 || strcmp(mode, "compare") == 0)))
        return SHW_OK;
    return BAD_TREE(parsing, "%s", "accelerationMode is neither cpu nor gpu nor compare");
}

static enum shw_result read_bias(struct parsing *parsing, const json_t *root)
{
    const json_t *value = json_object_get(root, "histogramBias");
    double *bias = &parsing->tree->bias;

    if (value != NULL && (!to_number(value, bias) || *bias < 0 || *bias >= 1))
        return BAD_TREE(parsing, "%s", "histogramBias is not a number from 0 to below 1");
    return SHW_OK;
}

static enum shw_result read_configuration(struct parsing *parsing, json_t *root)
{
    static const char *const read[] = {"tree", "classLabelPriorDistribution", "classNames"};
    struct shw_curfil_tree *tree = parsing->tree;

    tree->uses_lab = tree->uses_depth = true;
    SHW_PROPAGATE(get_flag(parsing, root, "useCIELab", &tree->uses_lab));
    SHW_PROPAGATE(get_flag(parsing, root, "useDepthImages", &tree->uses_depth));
    SHW_PROPAGATE(get_flag(parsing, root, "useDepthFilling", &tree->fills_depth));
    SHW_PROPAGATE(read_mode(parsing, root));
    SHW_PROPAGATE(read_bias(parsing, root));
    tree->configuration = json_copy(root);
    if (tree->configuration == NULL)
        return shw_fail_memory(parsing->log, parsing->name);
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        json_object_del(tree->configuration, read[i]);
    return SHW_OK;
}

static enum shw_result read_root(struct parsing *parsing, json_t *root)
{
    struct shw_curfil_tree *tree = parsing->tree;
    json_t *node = json_object_get(root, "tree"), **list = NULL;
    enum shw_result result;

    if (!json_is_object(node))
        return BAD_TREE(parsing, "%s", "there is no tree; this is not a file of CURFIL's");
    SHW_PROPAGATE(find_classes(parsing, node));
    SHW_PROPAGATE(read_priors(parsing, root));
    SHW_PROPAGATE(read_names(parsing, root));
    SHW_PROPAGATE(read_configuration(parsing, root));
    result = list_nodes(parsing, node, &list, &tree->node_count);
    if (result == SHW_OK) {
        tree->nodes = calloc(tree->node_count, sizeof *tree->nodes);
        tree->histograms = calloc((size_t)tree->node_count * tree->class_count, sizeof *tree->histograms);
        result = tree->nodes != NULL && tree->histograms != NULL ? read_nodes(parsing, list)
                                                                 : shw_fail_memory(parsing->log, parsing->name);
    }
    free(list);
    return result;
}

enum shw_result shw_curfil_tree_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_curfil_tree *tree)
{
    struct parsing parsing = {.name = name, .log = log, .tree = tree};
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    enum shw_result result;

    *tree = (struct shw_curfil_tree){0};
    if (root == NULL)
        return BAD_TREE(&parsing, "line %d: %s", error.line, error.text);
    result = read_root(&parsing, root);
    json_decref(root);
    if (result != SHW_OK)
        shw_curfil_tree_free(tree);
    return result;
}

enum shw_result shw_curfil_tree_read(const char *path, const struct shw_log *log, struct shw_curfil_tree *tree)
{
    struct shw_file_bytes text;
    size_t packed;
    enum shw_result result;

    *tree = (struct shw_curfil_tree){0};
    SHW_PROPAGATE(shw_packed_file_read_sized(path, TEXT_MAX, log, &text, &packed));
    result = shw_json_check_packing(text.bytes, text.size, packed, path, log);
    if (result == SHW_OK)
        result = shw_curfil_tree_parse((const char *)text.bytes, text.size, path, log, tree);
    shw_file_bytes_free(&text);
    return result;
}

void shw_curfil_tree_free(struct shw_curfil_tree *tree)
{
    for (uint32_t c = 0; tree->classes != NULL && c < tree->class_count; c++)
        free(tree->classes[c].name);
    free(tree->classes);
    free(tree->nodes);
    free(tree->histograms);
    json_decref(tree->configuration);
    *tree = (struct shw_curfil_tree){0};
}
