#include "files/formats/opencv_build.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"

#define THRESHOLD_ONE 0x1p24 /* thresholds of Haar features are in units of 2^-24 */
#define WEIGHT_ONE    256.0

static enum shw_result refuse_count(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                    const char *what, uint32_t most)
{
    return shw_fail(build->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s, line %u: more than %u %s", build->name,
                    element->line, most, what);
}

enum shw_result shw_opencv_add_split(struct shw_opencv_build *build, const struct shw_opencv_split *split)
{
    if (!SHW_RESERVE(build->splits, build->split_capacity, (size_t)build->split_count + 1))
        return shw_fail_memory(build->log, build->name);
    build->splits[build->split_count++] = *split;
    return SHW_OK;
}

enum shw_result shw_opencv_add_leaf(struct shw_opencv_build *build, double value)
{
    if (!SHW_RESERVE(build->leaves, build->leaf_capacity, (size_t)build->leaf_count + 1))
        return shw_fail_memory(build->log, build->name);
    build->leaves[build->leaf_count++] = value;
    return SHW_OK;
}

static enum shw_result set_threshold(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                     double threshold, int32_t *units)
{
    double rounded = nearbyint((double)(float)threshold * THRESHOLD_ONE);

    if (!(fabs(rounded) <= INT32_MAX))
        return SHW_BAD_XML(build, element, "a threshold of %g; its magnitude must be below 128", threshold);
    *units = (int32_t)rounded;
    return SHW_OK;
}

/* Makes the node at `index` a leaf, or a split that waits for its turn with its number in `left`. */
static enum shw_result place_child(struct shw_opencv_build *build, const struct shw_xml_element *element, int32_t child,
                                   uint32_t index)
{
    struct shw_cascade_node *node = &build->nodes[index];
    int64_t number = child > 0 ? (int64_t)child : -(int64_t)child;

    *node = (struct shw_cascade_node){.is_split = child > 0, .left = (uint32_t)number};
    if (number >= (child > 0 ? build->split_count : build->leaf_count))
        return SHW_BAD_XML(build, element, "a test leads to %s %lld of %u", child > 0 ? "test" : "leaf",
                           (long long)number, child > 0 ? build->split_count : build->leaf_count);
    if (child <= 0) {
        build->values[index] = (double)(float)build->leaves[number];
        return SHW_OK;
    }
    if (build->splits[number].is_placed)
        return SHW_BAD_XML(build, element, "several tests lead to test %lld", (long long)number);
    build->splits[number].is_placed = true;
    return SHW_OK;
}

/* Turns the node at `index`, which knows its number, into a split whose children are `next` and its neighbour. */
static enum shw_result place_split(struct shw_opencv_build *build, const struct shw_xml_element *element,
                                   uint32_t first, uint32_t index, uint32_t next)
{
    struct shw_cascade_node *node = &build->nodes[index];
    const struct shw_opencv_split *split = &build->splits[node->left];

    node->left = next - first;
    node->feature = split->feature;
    SHW_PROPAGATE(set_threshold(build, element, split->threshold, &node->threshold));
    for (int i = 0; i < 8; i++)
        node->subset[i] = split->subset[i];
    SHW_PROPAGATE(place_child(build, element, split->left, next));
    return place_child(build, element, split->right, next + 1);
}

/* Appends the tree's nodes in breadth-first order: the tests that wait are those between `index` and `end`. */
static enum shw_result place_nodes(struct shw_opencv_build *build, const struct shw_xml_element *element)
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
            return SHW_BAD_XML(build, element, "no test leads to test %u", s);
    return SHW_OK;
}

enum shw_result shw_opencv_add_tree(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    uint32_t first = build->node_count;
    uint64_t needed = (uint64_t)first + 1 + 2 * (uint64_t)build->split_count;

    if (build->split_count == 0)
        return SHW_BAD_XML(build, element, "%s", "a tree without a test");
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

enum shw_result shw_opencv_add_stage(struct shw_opencv_build *build, const struct shw_xml_element *element,
                                     double threshold)
{
    const struct shw_cascade_stage *last = build->stage_count > 0 ? &build->stages[build->stage_count - 1] : NULL;
    uint32_t first = last != NULL ? last->first_tree + last->tree_count : 0;

    if (build->tree_count == first)
        return SHW_BAD_XML(build, element, "%s", "a stage without a tree");
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

static enum shw_result read_sides(struct shw_opencv_numbers *numbers, struct shw_cascade_rectangle *rectangle)
{
    uint8_t *const to[] = {&rectangle->x, &rectangle->y, &rectangle->width, &rectangle->height};
    int32_t side = 0;

    for (int i = 0; i < 4; i++) {
        SHW_PROPAGATE(shw_opencv_next_integer(numbers, 0, UINT8_MAX, &side));
        *to[i] = (uint8_t)side;
    }
    return SHW_OK;
}

static enum shw_result add_feature(struct shw_opencv_build *build, const struct shw_xml_element *element,
                                   const struct shw_cascade_feature *feature)
{
    if (build->feature_count == SHW_CASCADE_NODES_MAX)
        return refuse_count(build, element, "features", SHW_CASCADE_NODES_MAX);
    if (!SHW_RESERVE(build->features, build->feature_capacity, (size_t)build->feature_count + 1))
        return shw_fail_memory(build->log, build->name);
    build->features[build->feature_count++] = *feature;
    return SHW_OK;
}

static enum shw_result read_weight(struct shw_opencv_build *build, struct shw_opencv_numbers *numbers, int32_t *weight)
{
    double number = 0, units;

    SHW_PROPAGATE(shw_opencv_next_real(numbers, &number));
    units = nearbyint(number * WEIGHT_ONE);
    if (!(fabs(units) <= 128 * WEIGHT_ONE))
        return SHW_BAD_XML(build, numbers->element, "a rectangle's weight of %g; its magnitude may be 128", number);
    if (units != number * WEIGHT_ONE && !build->has_rounded_weight) {
        build->has_rounded_weight = true;
        shw_log_message(build->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                        "%s, line %u: the weight %g is rounded to %g/256, and so are others", build->name,
                        numbers->element->line, number, units);
    }
    *weight = (int32_t)units;
    return SHW_OK;
}

enum shw_result shw_opencv_add_haar(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *list, *item;
    struct shw_cascade_feature feature = {0};
    int32_t tilted = 0;

    SHW_PROPAGATE(shw_opencv_child(build, element, "rects", &list));
    for (item = shw_xml_child(&build->xml, list, NULL); item != NULL; item = shw_xml_next(&build->xml, item)) {
        struct shw_opencv_numbers numbers = shw_opencv_numbers(build, item);
        struct shw_cascade_rectangle rectangle = {0};
        SHW_PROPAGATE(read_sides(&numbers, &rectangle));
        SHW_PROPAGATE(read_weight(build, &numbers, &rectangle.weight));
        SHW_PROPAGATE(shw_opencv_no_more(&numbers));
        if (rectangle.weight == 0)
            continue;
        if (feature.rectangle_count == SHW_CASCADE_RECTANGLES_MAX)
            return SHW_BAD_XML(build, item, "a feature of more than %u rectangles", SHW_CASCADE_RECTANGLES_MAX);
        feature.rectangles[feature.rectangle_count++] = rectangle;
    }
    if (feature.rectangle_count == 0)
        return SHW_BAD_XML(build, list, "%s", "a feature without rectangles");
    if (shw_xml_child(&build->xml, element, "tilted") != NULL)
        SHW_PROPAGATE(shw_opencv_integer(build, element, "tilted", 0, 1, &tilted));
    feature.tilted = tilted != 0;
    return add_feature(build, element, &feature);
}

enum shw_result shw_opencv_add_lbp(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *item;
    struct shw_cascade_feature feature = {.rectangle_count = 1};
    struct shw_opencv_numbers numbers;

    SHW_PROPAGATE(shw_opencv_child(build, element, "rect", &item));
    numbers = shw_opencv_numbers(build, item);
    SHW_PROPAGATE(read_sides(&numbers, &feature.rectangles[0]));
    SHW_PROPAGATE(shw_opencv_no_more(&numbers));
    return add_feature(build, element, &feature);
}
