#include "formats/cascade_formats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "base/text.h"
#include "detection/cascade/cascade.h"
#include "formats/source.h"
#include "formats/xml.h"

/* A cascade that grows while OpenCV's XML is read. */

/* A test of OpenCV's: a child above zero is another test of the tree, otherwise minus the index of a leaf. */
struct opencv_split {
    int32_t left, right;
    uint32_t feature;
    double threshold;
    uint32_t subset[8];
    bool is_placed; /* in the cascade's tree */
};

struct opencv_build {
    struct shw_xml xml;
    const char *name;
    const struct shw_log *log;
    bool has_rounded_weight;

    enum shw_cascade_kind kind;
    uint32_t window_width, window_height;
    struct shw_cascade_stage *stages;
    double *stage_thresholds; /* [stage] */
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    double *values; /* [node] of leaves */
    struct shw_cascade_feature *features;
    uint32_t stage_count, tree_count, node_count, feature_count;
    uint32_t stage_capacity, stage_threshold_capacity, tree_capacity, node_capacity, value_capacity, feature_capacity;

    /* Of the tree that is being read */
    struct opencv_split *splits;
    double *leaves;
    uint32_t split_count, leaf_count, split_capacity, leaf_capacity;
};

/* Fails with file and line of an element. */
#define BAD_XML(build, element, format, ...)                                                                           \
    shw_fail((build)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %u: " format, (build)->name,                 \
             (element)->line, __VA_ARGS__)

/* Reads the numbers of a text one by one. */
struct opencv_numbers {
    const struct opencv_build *build;
    const struct shw_xml_element *element;
    const char *at;
};

/* The child of that name, which must be there. */
static enum shw_result opencv_child(const struct opencv_build *build, const struct shw_xml_element *element,
                                    const char *name, const struct shw_xml_element **child)
{
    *child = shw_xml_child(&build->xml, element, name);
    if (*child == NULL)
        return BAD_XML(build, element, "<%s> has no <%s>", build->xml.texts + element->name, name);
    return SHW_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct opencv_numbers opencv_numbers(const struct opencv_build *build, const struct shw_xml_element *element)
{
    return (struct opencv_numbers){.build = build, .element = element, .at = build->xml.texts + element->text};
}

static bool opencv_numbers_end(struct opencv_numbers *numbers)
{
    while (is_space(*numbers->at))
        numbers->at++;
    return *numbers->at == '\0';
}

/* Whether a number ended at `end`. */
static bool number_ends(const struct opencv_numbers *numbers, const char *end)
{
    return end != numbers->at && (*end == '\0' || is_space(*end));
}

static enum shw_result refuse_end(const struct opencv_numbers *numbers)
{
    return BAD_XML(numbers->build, numbers->element, "<%s> has too few numbers",
                   numbers->build->xml.texts + numbers->element->name);
}

static enum shw_result refuse_text(const struct opencv_numbers *numbers, const char *what)
{
    int length = (int)strcspn(numbers->at, " \t\n\r");

    return BAD_XML(numbers->build, numbers->element, "\"%.*s\" in <%s> is not %s", length < 40 ? length : 40,
                   numbers->at, numbers->build->xml.texts + numbers->element->name, what);
}

static enum shw_result opencv_next_integer(struct opencv_numbers *numbers, int32_t low, int32_t high, int32_t *value)
{
    char *end;
    long long number;

    if (opencv_numbers_end(numbers))
        return refuse_end(numbers);
    number = strtoll(numbers->at, &end, 10); /* saturates */
    if (!number_ends(numbers, end))
        return refuse_text(numbers, "a whole number");
    if (number < low || number > high)
        return BAD_XML(numbers->build, numbers->element, "%lld in <%s> is not in %d..%d", number,
                       numbers->build->xml.texts + numbers->element->name, low, high);
    numbers->at = end;
    *value = (int32_t)number;
    return SHW_OK;
}

static enum shw_result opencv_next_real(struct opencv_numbers *numbers, double *value)
{
    char *end;

    if (opencv_numbers_end(numbers))
        return refuse_end(numbers);
    *value = shw_decimal_read(numbers->at, &end);
    if (!number_ends(numbers, end) || !isfinite(*value))
        return refuse_text(numbers, "a number");
    numbers->at = end;
    return SHW_OK;
}

static enum shw_result opencv_no_more(struct opencv_numbers *numbers)
{
    return opencv_numbers_end(numbers) ? SHW_OK
                                       : BAD_XML(numbers->build, numbers->element, "<%s> has too many numbers",
                                                 numbers->build->xml.texts + numbers->element->name);
}

/* The text of the child of that name, which must be one number. */
static enum shw_result opencv_integer(const struct opencv_build *build, const struct shw_xml_element *element,
                                      const char *name, int32_t low, int32_t high, int32_t *value)
{
    const struct shw_xml_element *child;
    struct opencv_numbers numbers;

    SHW_PROPAGATE(opencv_child(build, element, name, &child));
    numbers = opencv_numbers(build, child);
    SHW_PROPAGATE(opencv_next_integer(&numbers, low, high, value));
    return opencv_no_more(&numbers);
}

static enum shw_result opencv_real(const struct opencv_build *build, const struct shw_xml_element *element,
                                   const char *name, double *value)
{
    const struct shw_xml_element *child;
    struct opencv_numbers numbers;

    SHW_PROPAGATE(opencv_child(build, element, name, &child));
    numbers = opencv_numbers(build, child);
    SHW_PROPAGATE(opencv_next_real(&numbers, value));
    return opencv_no_more(&numbers);
}

#define THRESHOLD_ONE 0x1p24 /* thresholds of Haar features are in units of 2^-24 */
#define WEIGHT_ONE    256.0

static enum shw_result refuse_count(const struct opencv_build *build, const struct shw_xml_element *element,
                                    const char *what, uint32_t most)
{
    return shw_fail(build->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s, line %u: more than %u %s", build->name,
                    element->line, most, what);
}

/* Append what was read at that element. add_haar reads the rectangles and `tilted`. */
static enum shw_result opencv_add_split(struct opencv_build *build, const struct opencv_split *split)
{
    if (!SHW_RESERVE(build->splits, build->split_capacity, (size_t)build->split_count + 1))
        return shw_fail_memory(build->log, build->name);
    build->splits[build->split_count++] = *split;
    return SHW_OK;
}

static enum shw_result opencv_add_leaf(struct opencv_build *build, double value)
{
    if (!SHW_RESERVE(build->leaves, build->leaf_capacity, (size_t)build->leaf_count + 1))
        return shw_fail_memory(build->log, build->name);
    build->leaves[build->leaf_count++] = value;
    return SHW_OK;
}

static enum shw_result set_threshold(const struct opencv_build *build, const struct shw_xml_element *element,
                                     double threshold, int32_t *units)
{
    double rounded = nearbyint((double)(float)threshold * THRESHOLD_ONE);

    if (!(fabs(rounded) <= INT32_MAX))
        return BAD_XML(build, element, "a threshold of %g; its magnitude must be below 128", threshold);
    *units = (int32_t)rounded;
    return SHW_OK;
}

/* Makes the node at `index` a leaf, or a split that waits for its turn with its number in `left`. */
static enum shw_result place_child(struct opencv_build *build, const struct shw_xml_element *element, int32_t child,
                                   uint32_t index)
{
    struct shw_cascade_node *node = &build->nodes[index];
    int64_t number = child > 0 ? (int64_t)child : -(int64_t)child;

    *node = (struct shw_cascade_node){.is_split = child > 0, .left = (uint32_t)number};
    if (number >= (child > 0 ? build->split_count : build->leaf_count))
        return BAD_XML(build, element, "a test leads to %s %lld of %u", child > 0 ? "test" : "leaf", (long long)number,
                       child > 0 ? build->split_count : build->leaf_count);
    if (child <= 0) {
        build->values[index] = (double)(float)build->leaves[number];
        return SHW_OK;
    }
    if (build->splits[number].is_placed)
        return BAD_XML(build, element, "several tests lead to test %lld", (long long)number);
    build->splits[number].is_placed = true;
    return SHW_OK;
}

/* Turns the node at `index` into a split whose children are `next` and its neighbour. */
static enum shw_result place_split(struct opencv_build *build, const struct shw_xml_element *element, uint32_t first,
                                   uint32_t index, uint32_t next)
{
    struct shw_cascade_node *node = &build->nodes[index];
    const struct opencv_split *split = &build->splits[node->left];

    node->left = next - first;
    node->feature = split->feature;
    SHW_PROPAGATE(set_threshold(build, element, split->threshold, &node->threshold));
    for (int i = 0; i < 8; i++)
        node->subset[i] = split->subset[i];
    SHW_PROPAGATE(place_child(build, element, split->left, next));
    return place_child(build, element, split->right, next + 1);
}

/* Appends the tree's nodes in breadth-first order: the tests that wait are those between `index` and `end`. */
static enum shw_result place_nodes(struct opencv_build *build, const struct shw_xml_element *element)
{
    uint32_t first = build->node_count, end = first + 1;

    build->nodes[first] = (struct shw_cascade_node){.is_split = true};
    build->splits[0].is_placed = true;
    for (uint32_t index = first; index < end; index++) {
        if (!build->nodes[index].is_split) {
            build->nodes[index].left = index - first;
            continue;
        }
        SHW_PROPAGATE(place_split(build, element, first, index, end));
        end += 2;
    }
    build->node_count = end;
    for (uint32_t s = 0; s < build->split_count; s++)
        if (!build->splits[s].is_placed)
            return BAD_XML(build, element, "no test leads to test %u", s);
    return SHW_OK;
}

static enum shw_result opencv_add_tree(struct opencv_build *build, const struct shw_xml_element *element)
{
    uint32_t first = build->node_count;
    uint64_t needed = (uint64_t)first + 1 + 2 * (uint64_t)build->split_count;

    if (build->split_count == 0)
        return BAD_XML(build, element, "%s", "a tree without a test");
    if (build->tree_count == SHW_CASCADE_TREES_MAX)
        return refuse_count(build, element, "trees", SHW_CASCADE_TREES_MAX);
    if (needed > SHW_CASCADE_NODES_MAX)
        return refuse_count(build, element, "nodes", SHW_CASCADE_NODES_MAX);
    if (!SHW_RESERVE(build->nodes, build->node_capacity, needed) ||
        !SHW_RESERVE(build->values, build->value_capacity, needed) ||
        !SHW_RESERVE(build->trees, build->tree_capacity, (size_t)build->tree_count + 1))
        return shw_fail_memory(build->log, build->name);
    SHW_PROPAGATE(place_nodes(build, element));
    build->trees[build->tree_count++] =
        (struct shw_cascade_tree){.first_node = first, .node_count = build->node_count - first};
    build->split_count = 0;
    build->leaf_count = 0;
    return SHW_OK;
}

static enum shw_result opencv_add_stage(struct opencv_build *build, const struct shw_xml_element *element,
                                        double threshold)
{
    const struct shw_cascade_stage *last = build->stage_count > 0 ? &build->stages[build->stage_count - 1] : NULL;
    uint32_t first = last != NULL ? last->first_tree + last->tree_count : 0;

    if (build->tree_count == first)
        return BAD_XML(build, element, "%s", "a stage without a tree");
    if (build->stage_count == SHW_CASCADE_STAGES_MAX)
        return refuse_count(build, element, "stages", SHW_CASCADE_STAGES_MAX);
    if (!SHW_RESERVE(build->stages, build->stage_capacity, (size_t)build->stage_count + 1) ||
        !SHW_RESERVE(build->stage_thresholds, build->stage_threshold_capacity, (size_t)build->stage_count + 1))
        return shw_fail_memory(build->log, build->name);
    build->stage_thresholds[build->stage_count] = threshold;
    build->stages[build->stage_count++] =
        (struct shw_cascade_stage){.first_tree = first, .tree_count = build->tree_count - first};
    return SHW_OK;
}

static enum shw_result read_sides(struct opencv_numbers *numbers, struct shw_cascade_rectangle *rectangle)
{
    uint8_t *const to[] = {&rectangle->x, &rectangle->y, &rectangle->width, &rectangle->height};
    int32_t side = 0;

    for (int i = 0; i < 4; i++) {
        SHW_PROPAGATE(opencv_next_integer(numbers, 0, UINT8_MAX, &side));
        *to[i] = (uint8_t)side;
    }
    return SHW_OK;
}

static enum shw_result add_feature(struct opencv_build *build, const struct shw_xml_element *element,
                                   const struct shw_cascade_feature *feature)
{
    if (build->feature_count == SHW_CASCADE_NODES_MAX)
        return refuse_count(build, element, "features", SHW_CASCADE_NODES_MAX);
    if (!SHW_RESERVE(build->features, build->feature_capacity, (size_t)build->feature_count + 1))
        return shw_fail_memory(build->log, build->name);
    build->features[build->feature_count++] = *feature;
    return SHW_OK;
}

static enum shw_result read_weight(struct opencv_build *build, struct opencv_numbers *numbers, int32_t *weight)
{
    double number = 0, units;

    SHW_PROPAGATE(opencv_next_real(numbers, &number));
    units = nearbyint(number * WEIGHT_ONE);
    if (!(fabs(units) <= 128 * WEIGHT_ONE))
        return BAD_XML(build, numbers->element, "a rectangle's weight of %g; its magnitude may be 128", number);
    if (units != number * WEIGHT_ONE && !build->has_rounded_weight) {
        build->has_rounded_weight = true;
        shw_log_message(build->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                        "%s, line %u: the weight %g is rounded to %g/256, and so are others", build->name,
                        numbers->element->line, number, units);
    }
    *weight = (int32_t)units;
    return SHW_OK;
}

static enum shw_result opencv_add_haar(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *list, *item;
    struct shw_cascade_feature feature = {0};
    int32_t tilted = 0;

    SHW_PROPAGATE(opencv_child(build, element, "rects", &list));
    for (item = shw_xml_child(&build->xml, list, NULL); item != NULL; item = shw_xml_next(&build->xml, item)) {
        struct opencv_numbers numbers = opencv_numbers(build, item);
        struct shw_cascade_rectangle rectangle = {0};
        SHW_PROPAGATE(read_sides(&numbers, &rectangle));
        SHW_PROPAGATE(read_weight(build, &numbers, &rectangle.weight));
        SHW_PROPAGATE(opencv_no_more(&numbers));
        if (rectangle.weight == 0)
            continue;
        if (feature.rectangle_count == SHW_CASCADE_RECTANGLES_MAX)
            return BAD_XML(build, item, "a feature of more than %u rectangles", SHW_CASCADE_RECTANGLES_MAX);
        feature.rectangles[feature.rectangle_count++] = rectangle;
    }
    if (feature.rectangle_count == 0)
        return BAD_XML(build, list, "%s", "a feature without rectangles");
    if (shw_xml_child(&build->xml, element, "tilted") != NULL)
        SHW_PROPAGATE(opencv_integer(build, element, "tilted", 0, 1, &tilted));
    feature.tilted = tilted != 0;
    return add_feature(build, element, &feature);
}

static enum shw_result opencv_add_lbp(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *item;
    struct shw_cascade_feature feature = {.rectangle_count = 1};
    struct opencv_numbers numbers;

    SHW_PROPAGATE(opencv_child(build, element, "rect", &item));
    numbers = opencv_numbers(build, item);
    SHW_PROPAGATE(read_sides(&numbers, &feature.rectangles[0]));
    SHW_PROPAGATE(opencv_no_more(&numbers));
    return add_feature(build, element, &feature);
}

/* A child of a test: another test, or a leaf, which is appended. */
static enum shw_result read_child(struct opencv_build *build, const struct shw_xml_element *element,
                                  const char *node_name, const char *value_name, int32_t *child)
{
    double value = 0;

    if (shw_xml_child(&build->xml, element, node_name) != NULL)
        return opencv_integer(build, element, node_name, 1, INT32_MAX, child);
    SHW_PROPAGATE(opencv_real(build, element, value_name, &value));
    *child = -(int32_t)build->leaf_count;
    return opencv_add_leaf(build, value);
}

static enum shw_result read_old_split(struct opencv_build *build, const struct shw_xml_element *element)
{
    struct opencv_split split = {.feature = build->feature_count};
    const struct shw_xml_element *feature;

    SHW_PROPAGATE(opencv_child(build, element, "feature", &feature));
    SHW_PROPAGATE(opencv_add_haar(build, feature));
    SHW_PROPAGATE(opencv_real(build, element, "threshold", &split.threshold));
    SHW_PROPAGATE(read_child(build, element, "left_node", "left_val", &split.left));
    SHW_PROPAGATE(read_child(build, element, "right_node", "right_val", &split.right));
    return opencv_add_split(build, &split);
}

static enum shw_result read_old_tree(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *split;

    for (split = shw_xml_child(&build->xml, element, NULL); split != NULL; split = shw_xml_next(&build->xml, split))
        SHW_PROPAGATE(read_old_split(build, split));
    return opencv_add_tree(build, element);
}

/* Each stage must follow the previous one. */
static enum shw_result check_chain(const struct opencv_build *build, const struct shw_xml_element *element)
{
    int32_t parent = (int32_t)build->stage_count - 1, next = -1;

    if (shw_xml_child(&build->xml, element, "parent") != NULL)
        SHW_PROPAGATE(opencv_integer(build, element, "parent", INT32_MIN, INT32_MAX, &parent));
    if (shw_xml_child(&build->xml, element, "next") != NULL)
        SHW_PROPAGATE(opencv_integer(build, element, "next", INT32_MIN, INT32_MAX, &next));
    if (parent != (int32_t)build->stage_count - 1 || next != -1)
        return BAD_XML(build, element,
                       "stage %u has the parent %d and the next one %d: stages that form a tree are not supported, "
                       "only a chain",
                       build->stage_count, parent, next);
    return SHW_OK;
}

static enum shw_result read_old_stage(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *trees, *tree;
    double threshold = 0;

    SHW_PROPAGATE(check_chain(build, element));
    SHW_PROPAGATE(opencv_real(build, element, "stage_threshold", &threshold));
    SHW_PROPAGATE(opencv_child(build, element, "trees", &trees));
    for (tree = shw_xml_child(&build->xml, trees, NULL); tree != NULL; tree = shw_xml_next(&build->xml, tree))
        SHW_PROPAGATE(read_old_tree(build, tree));
    return opencv_add_stage(build, element, threshold);
}

static enum shw_result opencv_read_old(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *size, *stages, *stage;
    struct opencv_numbers numbers;
    int32_t width = 0, height = 0;

    build->kind = SHW_CASCADE_HAAR;
    SHW_PROPAGATE(opencv_child(build, element, "size", &size));
    numbers = opencv_numbers(build, size);
    SHW_PROPAGATE(opencv_next_integer(&numbers, 2, UINT8_MAX, &width));
    SHW_PROPAGATE(opencv_next_integer(&numbers, 2, UINT8_MAX, &height));
    SHW_PROPAGATE(opencv_no_more(&numbers));
    build->window_width = (uint32_t)width;
    build->window_height = (uint32_t)height;
    SHW_PROPAGATE(opencv_child(build, element, "stages", &stages));
    for (stage = shw_xml_child(&build->xml, stages, NULL); stage != NULL; stage = shw_xml_next(&build->xml, stage))
        SHW_PROPAGATE(read_old_stage(build, stage));
    return build->stage_count > 0 ? SHW_OK : BAD_XML(build, stages, "%s", "there are no stages");
}

#define PATTERNS 256 /* of a local binary pattern */

static enum shw_result read_split(struct opencv_build *build, struct opencv_numbers *numbers)
{
    struct opencv_split split = {0};
    int32_t number = 0;

    SHW_PROPAGATE(opencv_next_integer(numbers, INT32_MIN, INT32_MAX, &split.left));
    SHW_PROPAGATE(opencv_next_integer(numbers, INT32_MIN, INT32_MAX, &split.right));
    SHW_PROPAGATE(opencv_next_integer(numbers, 0, INT32_MAX, &number));
    split.feature = (uint32_t)number;
    if (split.feature >= build->feature_count)
        return BAD_XML(build, numbers->element, "a test of feature %u; there are %u", split.feature,
                       build->feature_count);
    if (build->kind == SHW_CASCADE_HAAR) {
        SHW_PROPAGATE(opencv_next_real(numbers, &split.threshold));
    } else {
        for (int i = 0; i < PATTERNS / 32; i++) {
            SHW_PROPAGATE(opencv_next_integer(numbers, INT32_MIN, INT32_MAX, &number));
            split.subset[i] = (uint32_t)number;
        }
    }
    return opencv_add_split(build, &split);
}

static enum shw_result read_tree(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *nodes, *leaves;
    struct opencv_numbers numbers;
    double value = 0;

    SHW_PROPAGATE(opencv_child(build, element, "internalNodes", &nodes));
    SHW_PROPAGATE(opencv_child(build, element, "leafValues", &leaves));
    numbers = opencv_numbers(build, nodes);
    while (!opencv_numbers_end(&numbers))
        SHW_PROPAGATE(read_split(build, &numbers));
    numbers = opencv_numbers(build, leaves);
    while (!opencv_numbers_end(&numbers)) {
        SHW_PROPAGATE(opencv_next_real(&numbers, &value));
        SHW_PROPAGATE(opencv_add_leaf(build, value));
    }
    return opencv_add_tree(build, element);
}

static enum shw_result read_stage(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *trees, *tree;
    double threshold = 0;

    SHW_PROPAGATE(opencv_real(build, element, "stageThreshold", &threshold));
    SHW_PROPAGATE(opencv_child(build, element, "weakClassifiers", &trees));
    for (tree = shw_xml_child(&build->xml, trees, NULL); tree != NULL; tree = shw_xml_next(&build->xml, tree))
        SHW_PROPAGATE(read_tree(build, tree));
    return opencv_add_stage(build, element, threshold);
}

/* Reads what the stages are of. */
static enum shw_result read_kind(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *stage_type, *feature_type, *params;
    const char *texts = build->xml.texts;
    int32_t categories = 0;

    SHW_PROPAGATE(opencv_child(build, element, "stageType", &stage_type));
    SHW_PROPAGATE(opencv_child(build, element, "featureType", &feature_type));
    if (strcmp(texts + stage_type->text, "BOOST") != 0)
        return BAD_XML(build, stage_type, "stages of the type \"%.40s\"; only BOOST is supported",
                       texts + stage_type->text);
    if (strcmp(texts + feature_type->text, "HAAR") != 0 && strcmp(texts + feature_type->text, "LBP") != 0)
        return BAD_XML(build, feature_type, "features of the type \"%.40s\"; only HAAR and LBP are supported",
                       texts + feature_type->text);
    build->kind = strcmp(texts + feature_type->text, "LBP") == 0 ? SHW_CASCADE_LBP : SHW_CASCADE_HAAR;
    params = shw_xml_child(&build->xml, element, "featureParams");
    if (params != NULL && shw_xml_child(&build->xml, params, "maxCatCount") != NULL)
        SHW_PROPAGATE(opencv_integer(build, params, "maxCatCount", 0, INT32_MAX, &categories));
    else
        categories = build->kind == SHW_CASCADE_LBP ? PATTERNS : 0;
    if (categories != (build->kind == SHW_CASCADE_LBP ? PATTERNS : 0))
        return BAD_XML(build, params, "%d categories, which %s features do not have", categories,
                       texts + feature_type->text);
    return SHW_OK;
}

static enum shw_result read_features(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *list, *item;

    SHW_PROPAGATE(opencv_child(build, element, "features", &list));
    for (item = shw_xml_child(&build->xml, list, NULL); item != NULL; item = shw_xml_next(&build->xml, item))
        SHW_PROPAGATE(build->kind == SHW_CASCADE_HAAR ? opencv_add_haar(build, item) : opencv_add_lbp(build, item));
    return SHW_OK;
}

/* The two syntaxes: fill in everything from the element that has the window's size. */
static enum shw_result opencv_read_new(struct opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *stages, *stage;
    int32_t width = 0, height = 0;

    SHW_PROPAGATE(read_kind(build, element));
    SHW_PROPAGATE(opencv_integer(build, element, "width", 2, UINT8_MAX, &width));
    SHW_PROPAGATE(opencv_integer(build, element, "height", 2, UINT8_MAX, &height));
    build->window_width = (uint32_t)width;
    build->window_height = (uint32_t)height;
    SHW_PROPAGATE(read_features(build, element));
    SHW_PROPAGATE(opencv_child(build, element, "stages", &stages));
    for (stage = shw_xml_child(&build->xml, stages, NULL); stage != NULL; stage = shw_xml_next(&build->xml, stage))
        SHW_PROPAGATE(read_stage(build, stage));
    return build->stage_count > 0 ? SHW_OK : BAD_XML(build, stages, "%s", "there are no stages");
}

#define THRESHOLD_SLACK 1e-5f /* OpenCV lowers thresholds of stages by it */
#define SCALE_FACTOR    1.1

/* The largest magnitude of a leaf of a tree. */
static double bound_leaves(const struct opencv_build *build, const struct shw_cascade_tree *tree)
{
    double bound = 0;

    for (uint32_t n = tree->first_node; n < tree->first_node + tree->node_count; n++)
        if (!build->nodes[n].is_split)
            bound = fmax(bound, fabs(build->values[n]));
    return bound;
}

/* Scores as finely as 32 bits allow. */
static enum shw_result set_scores(struct opencv_build *build, uint32_t *bits)
{
    double bound = 0;

    for (uint32_t s = 0; s < build->stage_count; s++) {
        const struct shw_cascade_stage *stage = &build->stages[s];
        double sum = 0;
        for (uint32_t t = 0; t < stage->tree_count; t++)
            sum += bound_leaves(build, &build->trees[stage->first_tree + t]);
        bound = fmax(bound, fmax(sum, fabs(build->stage_thresholds[s]) + THRESHOLD_SLACK));
    }
    if (!shw_score_bits(bound, build->tree_count, bits))
        return shw_fail(build->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                        "%s: scores of up to %g do not fit into 32 bits", build->name, bound);
    for (uint32_t n = 0; n < build->node_count; n++)
        if (!build->nodes[n].is_split)
            build->nodes[n].value = shw_score_round(build->values[n], *bits);
    for (uint32_t s = 0; s < build->stage_count; s++)
        build->stages[s].threshold =
            shw_score_round((double)((float)build->stage_thresholds[s] - THRESHOLD_SLACK), *bits);
    return SHW_OK;
}

/* Finds the cascade below the root and reads it. */
static enum shw_result read_root(struct opencv_build *build)
{
    const struct shw_xml_element *root = &build->xml.elements[0], *element;

    if (strcmp(build->xml.texts + root->name, "opencv_storage") != 0)
        return BAD_XML(build, root, "<%.40s> instead of <opencv_storage>", build->xml.texts + root->name);
    element = shw_xml_child(&build->xml, root, NULL);
    if (element == NULL)
        return BAD_XML(build, root, "%s", "<opencv_storage> is empty");
    if (strcmp(build->xml.texts + element->type_id, "opencv-haar-classifier") == 0)
        return opencv_read_old(build, element);
    if (shw_xml_child(&build->xml, element, "stageType") != NULL)
        return opencv_read_new(build, element);
    return BAD_XML(build, element, "<%.40s> is not a cascade", build->xml.texts + element->name);
}

static enum shw_result read_build(struct opencv_build *build, struct shw_cascade_info *info)
{
    uint32_t fraction_bits = 0;

    SHW_PROPAGATE(read_root(build));
    SHW_PROPAGATE(set_scores(build, &fraction_bits));
    *info = (struct shw_cascade_info){
        .kind = build->kind,
        .window_width = build->window_width,
        .window_height = build->window_height,
        .fraction_bits = fraction_bits,
        .restarts = true,
        .scale_factor = SCALE_FACTOR,
        .stage_count = build->stage_count,
        .tree_count = build->tree_count,
        .node_count = build->node_count,
        .feature_count = build->feature_count,
        .stages = build->stages,
        .trees = build->trees,
        .nodes = build->nodes,
        .features = build->features,
        /* OpenCV finds all that passes the last stage, in groups of enough windows */
        .min_score = build->stages[build->stage_count - 1].threshold,
        .has_min_score = true,
    };
    return SHW_OK;
}

enum shw_result shw_opencv_cascade_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                         struct shw_opencv_cascade *cascade)
{
    struct opencv_build build = {.name = name, .log = log};
    enum shw_result result;

    *cascade = (struct shw_opencv_cascade){0};
    SHW_PROPAGATE(shw_xml_parse(bytes, size, name, log, &build.xml));
    result = read_build(&build, &cascade->info);
    shw_xml_free(&build.xml);
    free(build.splits);
    free(build.leaves);
    free(build.values);
    free(build.stage_thresholds);
    if (result != SHW_OK) {
        free(build.stages);
        free(build.trees);
        free(build.nodes);
        free(build.features);
    }
    return result;
}

void shw_opencv_cascade_free(struct shw_opencv_cascade *cascade)
{
    free((void *)cascade->info.stages);
    free((void *)cascade->info.trees);
    free((void *)cascade->info.nodes);
    free((void *)cascade->info.features);
    *cascade = (struct shw_opencv_cascade){0};
}

enum shw_result shw_opencv_cascade_read(const struct shw_import_source *source, const struct shw_cascade_import *import,
                                        const struct shw_log *log, struct shw_cascade **cascade)
{
    struct shw_opencv_cascade read;
    struct shw_file_bytes file;
    enum shw_result result;

    SHW_PROPAGATE(shw_source_read(source, SHW_XML_SIZE_MAX, log, &file));
    result = shw_opencv_cascade_parse(file.bytes, file.size, shw_source_name(source), log, &read);
    shw_file_bytes_free(&file);
    if (result != SHW_OK)
        return result;
    read.info.name = import->object;
    read.info.training = import->training;
    result = shw_cascade_make(&read.info, shw_source_name(source), log, cascade);
    shw_opencv_cascade_free(&read);
    return result;
}
