#include "dense/channels/fill.h"
#include "formats/curfil.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>

#include "base/class.h"
#include "base/log.h"
#include "base/text.h"
#include "formats/json_model.h"
#include "formats/source.h"
#include "shared/curfil_region.h"

#define TEXT_MAX  ((size_t)1 << 29)  /* bytes of JSON of one tree */
#define COUNT_MAX 9007199254740992.0 /* 2^53 */

struct parsing {
    const char *name;
    const struct shw_log *log;
    struct shw_curfil_tree *tree;
    uint32_t node; /* that is read, for messages */
};

#define BAD_FILE(parsing, format, ...)                                                                                 \
    shw_fail((parsing)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: " format, (parsing)->name, __VA_ARGS__)
#define BAD_NODE(parsing, format, ...) BAD_FILE(parsing, "node %u: " format, (parsing)->node, __VA_ARGS__)

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

/* true or false, also as text, or 1 or 0. A missing member leaves the flag unchanged. */
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
        return BAD_FILE(parsing, "%s is neither true nor false", key);
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

/* The classes are those of the root's histogram. */
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
            return BAD_FILE(parsing, "node %u: it does not have two children", n);
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
        return BAD_FILE(parsing, "classLabelPriorDistribution does not have a number for each of %u classes",
                        tree->class_count);
    for (uint32_t c = 0; c < tree->class_count; c++) {
        double *prior = &tree->classes[c].prior;
        snprintf(label, sizeof label, "%u", c);
        if (!to_number(json_object_get(priors, label), prior) || *prior < 0 || *prior > COUNT_MAX)
            return BAD_FILE(parsing, "classLabelPriorDistribution has no number for label %u", c);
    }
    return SHW_OK;
}

/* Class names, which only our own export writes. */
static enum shw_result read_names(struct parsing *parsing, const json_t *root)
{
    struct shw_curfil_tree *tree = parsing->tree;
    const json_t *names = json_object_get(root, "classNames");

    for (uint32_t c = 0; c < tree->class_count && names != NULL; c++) {
        const char *name = json_string_value(json_array_get(names, c));
        if (!shw_class_name_is_valid(name))
            return BAD_FILE(parsing, "classNames: the name of label %u is not 1 to %u bytes of printable UTF-8", c,
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
    return BAD_FILE(parsing, "%s", "accelerationMode is neither cpu nor gpu nor compare");
}

static enum shw_result read_bias(struct parsing *parsing, const json_t *root)
{
    const json_t *value = json_object_get(root, "histogramBias");
    double *bias = &parsing->tree->bias;

    if (value != NULL && (!to_number(value, bias) || *bias < 0 || *bias >= 1))
        return BAD_FILE(parsing, "%s", "histogramBias is not a number from 0 to below 1");
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
        return BAD_FILE(parsing, "%s", "there is no tree; this is not a CURFIL file");
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
        return BAD_FILE(&parsing, "line %d: %s", error.line, error.text);
    result = read_root(&parsing, root);
    json_decref(root);
    if (result != SHW_OK)
        shw_curfil_tree_free(tree);
    return result;
}

enum shw_result shw_curfil_tree_read(const struct shw_import_source *source, const struct shw_log *log,
                                     struct shw_curfil_tree *tree)
{
    struct shw_file_bytes text;
    size_t packed;
    enum shw_result result;

    *tree = (struct shw_curfil_tree){0};
    SHW_PROPAGATE(shw_source_unpack(source, TEXT_MAX, log, &text, &packed));
    result = shw_json_check_packing(text.bytes, text.size, packed, shw_source_name(source), log);
    if (result == SHW_OK)
        result = shw_curfil_tree_parse((const char *)text.bytes, text.size, shw_source_name(source), log, tree);
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

#define CERTAIN 65535u

/* The channels of the list: depth, its count, and three of colour. */
#define COLOUR_CHANNEL 2u

struct making {
    const struct shw_curfil_tree *trees;
    const char *const *names;
    uint32_t count;
    bool ahead;
    double bias;
    struct shw_channel_list channels;
    const struct shw_log *log;
};

#define BAD_TREE(making, t, format, ...)                                                                               \
    shw_fail((making)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: " format, (making)->names[t], __VA_ARGS__)

static enum shw_result check_agreement(const struct making *making)
{
    const struct shw_curfil_tree *first = &making->trees[0];

    for (uint32_t t = 1; t < making->count; t++) {
        const struct shw_curfil_tree *tree = &making->trees[t];
        if (tree->uses_lab != first->uses_lab || tree->uses_depth != first->uses_depth ||
            tree->fills_depth != first->fills_depth || tree->bias != first->bias)
            return BAD_TREE(making, t, "useCIELab, useDepthImages, useDepthFilling or histogramBias is not as in %s",
                            making->names[0]);
        if (tree->class_count != first->class_count)
            return BAD_TREE(making, t, "%u classes instead of the %u of %s", tree->class_count, first->class_count,
                            making->names[0]);
        for (uint32_t c = 0; c < tree->class_count; c++) {
            const char *name = tree->classes[c].name, *other = first->classes[c].name;
            if (memcmp(tree->classes[c].colour, first->classes[c].colour, 3) != 0 ||
                (name == NULL) != (other == NULL) || (name != NULL && strcmp(name, other) != 0))
                return BAD_TREE(making, t, "label %u has another colour or name than in %s", c, making->names[0]);
        }
    }
    return SHW_OK;
}

/* The samples of a leaf that vote, class by class; returns their sum. */
static double subtract_bias(const double *counts, uint32_t classes, double bias, double *remaining)
{
    double samples = 0, most = 0, sum = 0, subtracted;

    for (uint32_t c = 0; c < classes; c++) {
        samples += counts[c];
        most = counts[c] > most ? counts[c] : most;
    }
    subtracted = most > bias * samples ? bias * samples : 0;
    for (uint32_t c = 0; c < classes; c++) {
        remaining[c] = counts[c] > subtracted ? counts[c] - subtracted : 0;
        sum += remaining[c];
    }
    return sum;
}

/* CURFIL multiplies the class shares of a leaf by the class shares of the training images and sums over the trees. As
 * the sum of these votes differs from leaf to leaf, so does the weight of a tree. */
static void find_votes(const struct making *making, const struct shw_curfil_tree *tree, uint32_t node, double *votes)
{
    const double *counts = tree->histograms + (size_t)node * tree->class_count;
    double samples = subtract_bias(counts, tree->class_count, making->bias, votes), priors = 0;

    for (uint32_t c = 0; c < tree->class_count; c++)
        priors += tree->classes[c].prior;
    for (uint32_t c = 0; c < tree->class_count; c++)
        votes[c] = samples > 0 && priors > 0 ? votes[c] * (tree->classes[c].prior / priors) / samples : 0;
}

/* The largest sum of a leaf's votes in all trees; 1 if there are none. */
static double find_most(const struct making *making, double *votes)
{
    double most = 0;

    for (uint32_t t = 0; t < making->count; t++)
        for (uint32_t n = 0; n < making->trees[t].node_count; n++) {
            double sum = 0;
            if (making->trees[t].nodes[n].is_split)
                continue;
            find_votes(making, &making->trees[t], n, votes);
            for (uint32_t c = 0; c < making->trees[t].class_count; c++)
                sum += votes[c];
            most = sum > most ? sum : most;
        }
    return most > 0 ? most : 1;
}

/* The votes in units of the largest sum, rounded down except for rounding errors. All classes share the rest to 1
 * equally, which keeps the order of sums over trees. */
static void make_distribution(const double *votes, double most, uint32_t classes, uint16_t *distribution)
{
    uint32_t rest = CERTAIN;

    for (uint32_t c = 0; c < classes; c++) {
        distribution[c] = (uint16_t)(votes[c] / most * CERTAIN + 1e-6);
        rest -= distribution[c];
    }
    for (uint32_t c = 0; c < classes; c++)
        distribution[c] = (uint16_t)(distribution[c] + rest / classes + (c < rest % classes));
}

/* A response exceeds the threshold if it is at least the smallest integer above it. */
static int32_t make_threshold(double threshold, double scale)
{
    double above = floor(threshold * scale) + 1;

    return above < INT32_MIN ? INT32_MIN : above > INT32_MAX - 1 ? INT32_MAX - 1 : (int32_t)above;
}

static uint32_t pair_word(int32_t x, int32_t y)
{
    return ((uint32_t)x & 0xffff) | (uint32_t)y << 16;
}

static struct shw_node make_split(const struct making *making, const struct shw_curfil_node *node)
{
    const struct shw_curfil_test *test = &node->test;
    uint32_t head = 1u << SHW_NODE_SECOND_SHIFT | (uint32_t)making->ahead << SHW_CURFIL_AHEAD_SHIFT;
    double scale = SHW_CURFIL_DEPTH_SCALE;
    struct shw_node made = {.is_split = true, .left = node->left, .t1 = INT32_MAX};

    if (test->is_depth) {
        head |= 3u << SHW_NODE_COUNTED_SHIFT;
    } else {
        head |= (COLOUR_CHANNEL + test->channel[0]) | (COLOUR_CHANNEL + test->channel[1]) << SHW_NODE_CHANNEL_BITS;
        scale = (double)(1u << making->channels.channels[COLOUR_CHANNEL].fraction_bits);
    }
    made.feature.words[0] = head;
    for (uint32_t i = 0; i < 2; i++) {
        made.feature.words[1 + 2 * i] = pair_word(test->offset[i][0], test->offset[i][1]);
        made.feature.words[2 + 2 * i] = pair_word(test->region[i][0], test->region[i][1]);
    }
    made.t0 = make_threshold(test->threshold, scale);
    return made;
}

static enum shw_result make_tree(const struct making *making, uint32_t t, double most, double *votes,
                                 struct shw_tree *made)
{
    const struct shw_curfil_tree *tree = &making->trees[t];
    struct shw_node *nodes = calloc(tree->node_count, sizeof *nodes);
    uint16_t *distributions = calloc((size_t)(tree->node_count / 2 + 1) * tree->class_count, sizeof *distributions);
    uint32_t leaves = 0;

    *made = (struct shw_tree){.nodes = nodes, .node_count = tree->node_count, .distributions = distributions};
    if (nodes == NULL || distributions == NULL)
        return shw_fail_memory(making->log, "a tree");
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].is_split) {
            nodes[n] = make_split(making, &tree->nodes[n]);
            continue;
        }
        find_votes(making, tree, n, votes);
        make_distribution(votes, most, tree->class_count, distributions + (size_t)leaves * tree->class_count);
        nodes[n] = (struct shw_node){.left = n, .leaf = leaves++};
    }
    return SHW_OK;
}

/* Classes without names are named by their colours, like those of label images without a palette. */
static void name_classes(const struct shw_curfil_tree *tree, struct shw_class *classes, char (*names)[8])
{
    for (uint32_t c = 0; c < tree->class_count; c++) {
        const struct shw_curfil_class *class = &tree->classes[c];
        snprintf(names[c], sizeof names[c], "#%02x%02x%02x", class->colour[0], class->colour[1], class->colour[2]);
        classes[c].name = class->name != NULL ? class->name : names[c];
        memcpy(classes[c].colour, class->colour, 3);
    }
}

static enum shw_result create(const struct making *making, const struct shw_tree *made, const char *training,
                              struct shw_forest **forest)
{
    const struct shw_curfil_tree *first = &making->trees[0];
    struct shw_class *classes = calloc(first->class_count, sizeof *classes);
    char(*names)[8] = calloc(first->class_count, sizeof *names);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (classes != NULL && names != NULL) {
        struct shw_forest_params params = {
            .info = {.channels = making->channels.name,
                     .feature = &shw_feature_curfil_difference,
                     .class_count = first->class_count,
                     .classes = classes,
                     .tree_count = making->count,
                     .fill = shw_fill_by_curfil(first->uses_depth && first->fills_depth ? "true" : "false"),
                     .training = training},
            .trees = made};
        if (making->log != NULL)
            params.log = *making->log;
        name_classes(first, classes, names);
        result = shw_forest_create(&params, forest);
    } else {
        shw_fail_memory(making->log, "the classes of a forest");
    }
    free(classes);
    free(names);
    return result;
}

static const char *channels_of(const struct shw_curfil_tree *tree)
{
    if (tree->uses_depth)
        return tree->uses_lab ? "depth,lab-linear" : "depth,rgb";
    return tree->uses_lab ? "constant-depth:1000,lab-linear" : "constant-depth:1000,rgb";
}

enum shw_result shw_curfil_forest_make(const struct shw_curfil_tree *trees, const char *const *names, uint32_t count,
                                       const struct shw_curfil_settings *settings, const char *training,
                                       const struct shw_log *log, struct shw_forest **forest)
{
    struct making making = {.trees = trees, .names = names, .count = count, .log = log};
    struct shw_tree *made = calloc(count, sizeof *made);
    double *votes = calloc(trees[0].class_count, sizeof *votes), most;
    enum shw_result result = SHW_OK;

    making.ahead =
        settings->prediction == SHW_CURFIL_GPU || (settings->prediction == SHW_CURFIL_AS_TRAINED && trees[0].on_gpu);
    making.bias = settings->has_bias ? settings->bias : trees[0].bias;
    if (made == NULL || votes == NULL) {
        result = shw_fail_memory(log, "a forest");
        goto fail;
    }
    SHW_TRY(check_agreement(&making));
    SHW_TRY(shw_channel_list_parse(channels_of(&trees[0]), NULL, log, &making.channels));
    most = find_most(&making, votes);
    for (uint32_t t = 0; t < count; t++)
        SHW_TRY(make_tree(&making, t, most, votes, &made[t]));
    result = create(&making, made, training, forest);

fail:
    for (uint32_t t = 0; made != NULL && t < count; t++) {
        free((void *)(uintptr_t)made[t].nodes);
        free((void *)(uintptr_t)made[t].distributions);
    }
    free(made);
    free(votes);
    return result;
}
