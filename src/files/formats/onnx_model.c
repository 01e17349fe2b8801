/* ONNX models that are one ensemble of trees. */
#include <stdlib.h>

#include "base/log.h"
#include "files/formats/onnx_ensemble.h"
#include "files/formats/onnx_graph.h"
#include "files/formats/record_branches.h"
#include "files/formats/record_import.h"
#include "records/model/builder.h"
#include "records/model/record_forest.h"

enum { IS_TRUE, IS_FALSE }; /* children */

struct model {
    const struct shw_record_import *import;
    struct shw_onnx_graph graph;
    struct shw_onnx_trees trees;
    struct shw_onnx_outputs outputs;
    uint32_t attribute_count;
};

/* From the shape of the input, or as many as are tested. */
static enum shw_result find_attribute_count(struct model *model)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < model->trees.item_count; i++)
        if (model->trees.items[i].mode != SHW_ONNX_LEAF && model->trees.items[i].attribute > last)
            last = model->trees.items[i].attribute;
    if (model->graph.attribute_count > 0 && last >= model->graph.attribute_count)
        return shw_onnx_refuse(&model->graph.ensemble, "a node tests attribute %u, but the input has %u", last,
                               model->graph.attribute_count);
    model->attribute_count = model->graph.attribute_count > 0 ? model->graph.attribute_count : last + 1;
    return SHW_OK;
}

static enum shw_result check_normalizer(const struct model *model)
{
    const struct shw_onnx_outputs *outputs = &model->outputs;
    const struct shw_record_link_traits *link = shw_record_link_get_traits(outputs->link);
    const bool sums_to_one =
        link->sums_to_one || (link->is_probability && outputs->class_count > outputs->output_count);

    if (!model->graph.is_normalized || sums_to_one)
        return SHW_OK;
    return shw_fail(model->import->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                    "%s: the node Normalizer changes scores, which need not sum to 1", model->import->name);
}

/* How a test divides the numbers. */
static void set_test(const struct shw_onnx_item *item, struct shw_branch *branch)
{
    static const uint8_t lowest[SHW_ONNX_MODE_COUNT] = {
        [SHW_ONNX_AT_MOST] = IS_TRUE, [SHW_ONNX_BELOW] = IS_TRUE,  [SHW_ONNX_AT_LEAST] = IS_FALSE,
        [SHW_ONNX_ABOVE] = IS_FALSE,  [SHW_ONNX_EQUAL] = IS_FALSE, [SHW_ONNX_NOT_EQUAL] = IS_TRUE,
        [SHW_ONNX_MEMBER] = IS_FALSE, [SHW_ONNX_LEAF] = IS_TRUE,
    };

    branch->is_split = item->mode != SHW_ONNX_LEAF;
    branch->attribute = item->attribute;
    branch->lowest = lowest[item->mode];
    branch->missing = item->nan_is_true || item->mode == SHW_ONNX_NOT_EQUAL ? IS_TRUE : IS_FALSE;
    branch->source = item->source;
}

/* The numbers that are equal to a value, which may be no float32. */
static bool cut_value(struct shw_branches *branches, double value)
{
    return shw_branches_cut(branches, shw_record_threshold_below(value)) &&
           shw_branches_cut(branches, shw_record_threshold_at_most(value));
}

static bool cut_set(struct shw_branches *branches, const double *members, uint32_t count)
{
    for (uint32_t m = 0; m < count; m++)
        if ((m == 0 || members[m] != members[m - 1]) && !cut_value(branches, members[m]))
            return false;
    return true;
}

static bool add_cuts(const struct model *model, const struct shw_onnx_item *item, struct shw_branches *branches)
{
    switch (item->mode) {
    case SHW_ONNX_AT_MOST:
    case SHW_ONNX_ABOVE: return shw_branches_cut(branches, shw_record_threshold_at_most(item->value));
    case SHW_ONNX_BELOW:
    case SHW_ONNX_AT_LEAST: return shw_branches_cut(branches, shw_record_threshold_below(item->value));
    case SHW_ONNX_EQUAL:
    case SHW_ONNX_NOT_EQUAL: return cut_value(branches, item->value) && shw_branches_end_cuts(branches);
    case SHW_ONNX_MEMBER:
        return cut_set(branches, model->trees.members + item->first_member, item->member_count) &&
               shw_branches_end_cuts(branches);
    case SHW_ONNX_LEAF: break;
    }
    return true;
}

/* Adds the votes of a leaf to its values, and finds the output of a tree whose leaves have one value. */
static void add_votes(const struct model *model, const struct shw_onnx_item *item, double *values, uint32_t *output)
{
    const struct shw_onnx_outputs *outputs = &model->outputs;

    for (uint32_t v = 0; v < item->vote_count; v++) {
        const struct shw_onnx_vote *vote = &model->trees.votes[item->first_vote + v];
        if (outputs->is_mirrored) {
            values[0] -= vote->weight;
            values[1] += vote->weight;
        } else if (outputs->values_per_leaf > 1) {
            values[vote->output] += vote->weight;
        } else if (vote->weight != 0) {
            values[0] += vote->weight;
            *output = outputs->output_count > 1 ? vote->output : 0;
        }
    }
}

static enum shw_result make_branches(const struct model *model, uint32_t tree, struct shw_branches *branches,
                                     uint32_t *output)
{
    const struct shw_onnx_trees *trees = &model->trees;
    const uint32_t start = trees->starts[tree], count = trees->starts[tree + 1] - start;
    uint32_t leaves = 0;

    for (uint32_t i = 0; i < count; i++)
        leaves += trees->items[start + i].mode == SHW_ONNX_LEAF;
    branches->values = calloc((size_t)leaves * model->outputs.values_per_leaf + 1, sizeof *branches->values);
    if (branches->values == NULL)
        return shw_fail_memory(model->import->log, model->import->name);
    leaves = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_onnx_item *item = &trees->items[start + i];
        struct shw_branch branch = {.child = {item->child[IS_TRUE] - start, item->child[IS_FALSE] - start}};
        set_test(item, &branch);
        if (item->mode == SHW_ONNX_LEAF) {
            branch.first_value = leaves++ * model->outputs.values_per_leaf;
            add_votes(model, item, branches->values + branch.first_value, output);
        }
        if (!shw_branches_add(branches, &branch) || !add_cuts(model, item, branches))
            return shw_fail_memory(model->import->log, model->import->name);
    }
    return SHW_OK;
}

/* The first branch that is no child, or the first one of all. */
static enum shw_result find_root(const struct model *model, const struct shw_branches *branches, uint32_t *root)
{
    bool *is_child = calloc(branches->count, sizeof *is_child);

    if (is_child == NULL)
        return shw_fail_memory(model->import->log, model->import->name);
    for (uint32_t b = 0; b < branches->count; b++)
        for (int c = 0; branches->items[b].is_split && c < 2; c++)
            is_child[branches->items[b].child[c]] = true;
    for (*root = 0; *root < branches->count && is_child[*root];)
        ++*root;
    *root = *root < branches->count ? *root : 0;
    free(is_child);
    return SHW_OK;
}

static enum shw_result add_tree(const struct model *model, uint32_t tree, struct shw_record_builder *builder)
{
    struct shw_branches branches = {0};
    uint32_t output = 0, root = 0;
    enum shw_result result = make_branches(model, tree, &branches, &output);
    const struct shw_branches_place place = {
        .file = model->import->name, .tree = tree, .may_share = true, .log = model->import->log};

    if (result == SHW_OK)
        result = find_root(model, &branches, &root);
    if (result == SHW_OK)
        result = shw_branches_build(&branches, root, &place, output, builder);
    free(branches.values);
    shw_branches_free(&branches);
    return result;
}

static enum shw_result finish(const struct model *model, struct shw_record_builder *builder,
                              struct shw_record_forest **forest)
{
    const struct shw_onnx_outputs *outputs = &model->outputs;
    char *training = json_dumps(model->import->training, JSON_COMPACT);
    const struct shw_record_builder_params params = {
        .info = {.task = outputs->task,
                 .link = outputs->link,
                 .mean = outputs->mean,
                 .attribute_count = model->attribute_count,
                 .output_count = outputs->output_count,
                 .class_count = outputs->class_count,
                 .class_names = outputs->class_names,
                 .training = training},
        .scale = SHW_RECORD_SCALE_VALUES,
        .base = outputs->base,
        .cut = outputs->cut,
    };
    enum shw_result result = training != NULL ? shw_record_builder_finish(builder, &params, forest)
                                              : shw_fail_memory(model->import->log, model->import->name);

    free(training);
    return result;
}

static enum shw_result build(const struct model *model, struct shw_record_forest **forest)
{
    struct shw_record_builder *builder = NULL;
    enum shw_result result;

    SHW_PROPAGATE(
        shw_record_builder_create(model->import->name, model->outputs.values_per_leaf, model->import->log, &builder));
    result = SHW_OK;
    for (uint32_t t = 0; result == SHW_OK && t < model->trees.tree_count; t++)
        result = add_tree(model, t, builder);
    if (result == SHW_OK)
        result = finish(model, builder, forest);
    shw_record_builder_destroy(&builder);
    return result;
}

/* The program that wrote the model, and its operator. */
static void keep(const struct model *model)
{
    const struct shw_protobuf *producer = &model->graph.producer, *type = &model->graph.ensemble.type;
    json_t *training = model->import->training;

    if (producer->at < producer->end)
        json_object_set_new(training, "producer",
                            json_stringn((const char *)producer->at, (size_t)(producer->end - producer->at)));
    json_object_set_new(training, "operator", json_stringn((const char *)type->at, (size_t)(type->end - type->at)));
}

static enum shw_result read_model(struct model *model, struct shw_record_forest **forest)
{
    const struct shw_record_import *import = model->import;

    SHW_PROPAGATE(shw_onnx_graph_read(import->bytes, import->size, import->name, import->log, &model->graph));
    SHW_PROPAGATE(shw_onnx_ensemble_read(&model->graph.ensemble, &model->trees, &model->outputs));
    SHW_PROPAGATE(find_attribute_count(model));
    SHW_PROPAGATE(check_normalizer(model));
    keep(model);
    return build(model, forest);
}

enum shw_result shw_onnx_read(const struct shw_record_import *import, struct shw_record_forest **forest)
{
    struct model model = {.import = import};
    enum shw_result result = read_model(&model, forest);

    shw_onnx_trees_free(&model.trees);
    shw_onnx_outputs_free(&model.outputs);
    return result;
}
