#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/record_forest.h>

#include "base/log.h"
#include "formats/onnx_nodes.h"
#include "formats/onnx_trees.h"
#include "formats/record_branches.h"
#include "formats/record_formats.h"
#include "records/model/builder.h"
#include "records/model/record_forest.h"

/* What an ONNX ensemble's outputs are. */

struct onnx_outputs {
    enum shw_record_task task;
    enum shw_record_link link;
    bool mean;
    bool is_mirrored; /* votes are for the second output, and against the first one */
    uint32_t output_count, values_per_leaf;
    double *base; /* [output_count] */
    double cut;
    char *names_text;
    const char **class_names; /* [class_count], or NULL */
    uint32_t class_count;
};

#define LABEL_SIZE 24 /* of a whole number with its zero byte */

/* By name and, of TreeEnsemble, by number. */
static const struct {
    const char *name;
    enum shw_record_link link;
} transforms[] = {{"NONE", SHW_RECORD_IDENTITY},
                  {"SOFTMAX", SHW_RECORD_SOFTMAX},
                  {"LOGISTIC", SHW_RECORD_LOGISTIC},
                  {"SOFTMAX_ZERO", SHW_RECORD_SOFTMAX_ZERO},
                  {"PROBIT", SHW_RECORD_PROBIT}};
#define TRANSFORM_COUNT (sizeof transforms / sizeof *transforms)

static const char *const aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
#define AGGREGATE_COUNT (sizeof aggregates / sizeof *aggregates)
#define AVERAGE         0
#define SUM             1

/* Whether it is one of the operators TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor. */
static bool onnx_ensemble_is(const struct shw_onnx_node *node)
{
    return shw_protobuf_is(&node->type, "TreeEnsemble") || shw_protobuf_is(&node->type, "TreeEnsembleClassifier") ||
           shw_protobuf_is(&node->type, "TreeEnsembleRegressor");
}

static enum shw_result refuse_unsupported(const struct shw_onnx_node *node, const char *what)
{
    return shw_fail(node->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: %s", node->file, what);
}

static enum shw_result set_aggregate(const struct shw_onnx_node *node, size_t aggregate, struct onnx_outputs *outputs)
{
    outputs->mean = aggregate == AVERAGE;
    return aggregate <= SUM ? SHW_OK
                            : refuse_unsupported(node, "the aggregate_function is neither SUM nor AVERAGE, which are "
                                                       "supported");
}

/* Those of the older operators are texts. */
static enum shw_result read_names(const struct shw_onnx_node *node, struct onnx_outputs *outputs)
{
    struct shw_protobuf transform = {0}, aggregate = {0};
    size_t t = 0, a = 0;

    SHW_PROPAGATE(shw_onnx_get_text(node, "post_transform", &transform));
    SHW_PROPAGATE(shw_onnx_get_text(node, "aggregate_function", &aggregate));
    while (transform.at != NULL && t < TRANSFORM_COUNT && !shw_protobuf_is(&transform, transforms[t].name))
        t++;
    if (t == TRANSFORM_COUNT)
        return refuse_unsupported(node, "the post_transform is none of NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO and "
                                        "PROBIT");
    outputs->link = transforms[t].link;
    while (a < AGGREGATE_COUNT && !shw_protobuf_is(&aggregate, aggregates[a]))
        a++;
    return set_aggregate(node, aggregate.at != NULL ? a : SUM, outputs);
}

static enum shw_result read_numbers(const struct shw_onnx_node *node, struct onnx_outputs *outputs)
{
    int64_t transform = 0, aggregate = SUM;

    SHW_PROPAGATE(shw_onnx_get_integer(node, "post_transform", &transform));
    SHW_PROPAGATE(shw_onnx_get_integer(node, "aggregate_function", &aggregate));
    if (transform < 0 || transform >= (int64_t)TRANSFORM_COUNT)
        return refuse_unsupported(node, "the post_transform is not in 0..4");
    outputs->link = transforms[transform].link;
    return set_aggregate(node, aggregate < 0 ? AGGREGATE_COUNT : (size_t)aggregate, outputs);
}

static enum shw_result copy_labels(const struct shw_onnx_node *node, const struct shw_onnx_integers *numbers,
                                   const struct shw_onnx_texts *texts, struct onnx_outputs *outputs)
{
    const uint32_t count = texts->count > 0 ? texts->count : numbers->count;
    size_t size = (size_t)numbers->count * LABEL_SIZE + 1;
    char *at;

    for (uint32_t c = 0; c < texts->count; c++)
        size += (size_t)(texts->items[c].end - texts->items[c].at) + 1;
    outputs->class_names = calloc((size_t)count + 1, sizeof *outputs->class_names);
    outputs->names_text = at = calloc(size, 1);
    if (at == NULL || outputs->class_names == NULL)
        return shw_fail_memory(node->log, node->file);
    for (uint32_t c = 0; c < count; c++) {
        outputs->class_names[c] = at;
        if (texts->count > 0)
            memcpy(at, texts->items[c].at, (size_t)(texts->items[c].end - texts->items[c].at));
        else
            snprintf(at, LABEL_SIZE, "%" PRId64, numbers->items[c]);
        at += texts->count > 0 ? (size_t)(texts->items[c].end - texts->items[c].at) + 1 : LABEL_SIZE;
    }
    outputs->class_count = count;
    return SHW_OK;
}

static enum shw_result read_labels(const struct shw_onnx_node *node, struct onnx_outputs *outputs)
{
    struct shw_onnx_integers numbers = {0};
    struct shw_onnx_texts texts = {0};
    enum shw_result result = shw_onnx_get_integers(node, "classlabels_int64s", &numbers);

    if (result == SHW_OK)
        result = shw_onnx_get_texts(node, "classlabels_strings", &texts);
    if (result == SHW_OK && (numbers.count == 0) == (texts.count == 0))
        result = shw_onnx_refuse(node, "there must be either classlabels_int64s or classlabels_strings");
    if (result == SHW_OK)
        result = copy_labels(node, &numbers, &texts, outputs);
    free(numbers.items);
    free(texts.items);
    return result;
}

/* What the votes at leaves have in common. */
struct summary {
    bool has_votes, is_positive;        /* no weight is below 0 */
    bool one_output, one_output_a_tree; /* the latter but for weights of 0 */
    uint32_t first_output, last_output;
};

static void add_vote(struct summary *summary, const struct shw_onnx_vote *vote, int64_t *tree_output)
{
    summary->one_output &= !summary->has_votes || vote->output == summary->first_output;
    summary->first_output = summary->has_votes ? summary->first_output : vote->output;
    summary->last_output = vote->output > summary->last_output ? vote->output : summary->last_output;
    summary->has_votes = true;
    summary->is_positive &= !(vote->weight < 0);
    if (vote->weight != 0) {
        summary->one_output_a_tree &= *tree_output < 0 || *tree_output == vote->output;
        *tree_output = vote->output;
    }
}

static struct summary summarise(const struct shw_onnx_trees *trees)
{
    struct summary summary = {.is_positive = true, .one_output = true, .one_output_a_tree = true};

    for (uint32_t t = 0; t < trees->tree_count; t++) {
        int64_t output = -1;
        for (uint32_t i = trees->starts[t]; i < trees->starts[t + 1]; i++)
            for (uint32_t v = 0; trees->items[i].mode == SHW_ONNX_LEAF && v < trees->items[i].vote_count; v++)
                add_vote(&summary, &trees->votes[trees->items[i].first_vote + v], &output);
    }
    return summary;
}

/* Two classes of which one has votes. LOGISTIC makes the second class's probability of the sum; otherwise, as
 * onnxruntime has it, the sum is that probability if no weight is below 0, and else a score that is positive for the
 * class. */
static enum shw_result set_binary(const struct shw_onnx_node *node, const struct summary *summary,
                                  struct onnx_outputs *outputs)
{
    const bool is_mirrored =
        outputs->link == SHW_RECORD_IDENTITY || (summary->is_positive && outputs->link != SHW_RECORD_LOGISTIC);

    if (outputs->link == SHW_RECORD_PROBIT) {
        outputs->cut = summary->is_positive ? 0.5 : 0;
        return SHW_OK;
    }
    if (outputs->link == SHW_RECORD_LOGISTIC && summary->is_positive)
        shw_log_message(node->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                        "%s: no weight is below 0. Records are of the second class if its probability is above 0.5; "
                        "onnxruntime wants the sum above 0.5, a probability of 0.62",
                        node->file);
    if (!is_mirrored && outputs->link != SHW_RECORD_LOGISTIC)
        return refuse_unsupported(node, "the post_transform of a sum for one of two classes is not LOGISTIC or NONE, "
                                        "which are supported");
    if (is_mirrored) {
        outputs->is_mirrored = true;
        outputs->link = SHW_RECORD_IDENTITY;
        outputs->output_count = 2;
    }
    return SHW_OK;
}

static enum shw_result set_counts(const struct shw_onnx_node *node, const struct summary *summary,
                                  struct onnx_outputs *outputs)
{
    const bool is_binary = outputs->class_count == 2 && summary->one_output;
    int64_t targets = (int64_t)summary->last_output + 1;

    if (outputs->task == SHW_RECORD_CLASSES) {
        if (outputs->class_count < 2)
            return refuse_unsupported(node, "a classifier of one class is not supported");
        targets = outputs->class_count;
    } else {
        SHW_PROPAGATE(shw_onnx_get_integer(node, "n_targets", &targets));
    }
    if (targets < 1 || targets > SHW_RECORD_OUTPUTS_MAX || targets <= summary->last_output)
        return shw_onnx_refuse(node, "%" PRId64 " outputs, and weights for output %u; 1 to %u outputs are supported",
                               targets, summary->last_output, SHW_RECORD_OUTPUTS_MAX);
    outputs->output_count = is_binary ? 1 : (uint32_t)targets;
    if (is_binary)
        SHW_PROPAGATE(set_binary(node, summary, outputs));
    outputs->values_per_leaf = outputs->is_mirrored ? 2 : summary->one_output_a_tree ? 1 : outputs->output_count;
    return SHW_OK;
}

/* They are added after the mean is made. */
static enum shw_result set_base(const struct shw_onnx_node *node, const struct shw_onnx_reals *base,
                                const struct summary *summary, uint32_t tree_count, struct onnx_outputs *outputs)
{
    const uint32_t expected = outputs->is_mirrored ? 1 : outputs->output_count;
    const double share = outputs->mean ? tree_count : 1;

    outputs->base = calloc(outputs->output_count, sizeof *outputs->base);
    if (outputs->base == NULL)
        return shw_fail_memory(node->log, node->file);
    if (base->count > 0)
        SHW_PROPAGATE(shw_onnx_check_length(node, "base_values", base->count, expected));
    for (uint32_t b = 0; b < base->count; b++) {
        if (!isfinite(base->items[b]))
            return shw_onnx_refuse(node, "element %u of base_values is not a finite number", b);
        outputs->base[outputs->is_mirrored ? 1 : b] = base->items[b] * share;
    }
    if (outputs->is_mirrored)
        outputs->base[0] = (summary->is_positive ? 1 : 0) - outputs->base[1];
    return SHW_OK;
}

static enum shw_result read_outputs(const struct shw_onnx_node *node, const struct shw_onnx_trees *trees,
                                    struct onnx_outputs *outputs)
{
    const struct summary summary = summarise(trees);
    struct shw_onnx_reals base = {0};
    enum shw_result result;

    SHW_PROPAGATE(set_counts(node, &summary, outputs));
    result = shw_onnx_get_reals(node, "base_values", &base);
    if (result == SHW_OK)
        result = set_base(node, &base, &summary, trees->tree_count, outputs);
    free(base.items);
    return result;
}

/* Reads trees and outputs. Errors: FORMAT, MEMORY. */
static enum shw_result onnx_ensemble_read(const struct shw_onnx_node *node, struct shw_onnx_trees *trees,
                                          struct onnx_outputs *outputs)
{
    const bool is_classifier = shw_protobuf_is(&node->type, "TreeEnsembleClassifier");

    outputs->task = is_classifier ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES;
    if (shw_protobuf_is(&node->type, "TreeEnsemble")) {
        SHW_PROPAGATE(read_numbers(node, outputs));
        SHW_PROPAGATE(shw_onnx_tree_ensemble_read(node, trees));
    } else {
        SHW_PROPAGATE(read_names(node, outputs));
        SHW_PROPAGATE(shw_onnx_lists_read(node, is_classifier ? "class" : "target", trees));
    }
    if (is_classifier)
        SHW_PROPAGATE(read_labels(node, outputs));
    return read_outputs(node, trees, outputs);
}

/* Accepts a zero-initialised one. */
static void onnx_outputs_free(struct onnx_outputs *outputs)
{
    free(outputs->base);
    free(outputs->names_text);
    free(outputs->class_names);
    *outputs = (struct onnx_outputs){0};
}

/* The graph of an ONNX model that is one ensemble of trees. */

struct onnx_graph {
    struct shw_onnx_node ensemble;
    uint32_t attribute_count; /* as the input's shape says; 0: it does not */
    bool is_normalized;       /* each record's scores are divided by their sum */
    struct shw_protobuf producer;
};

/* Field numbers of onnx.proto. */
enum { MODEL_PRODUCER = 2, MODEL_GRAPH = 7 };
enum { GRAPH_NODE = 1, GRAPH_INPUT = 11 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_TYPE = 4, NODE_DOMAIN = 7 };
enum { VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_SHAPE = 2, SHAPE_DIMENSION = 1, DIMENSION_VALUE = 1 };

/* Element types that Cast may make of records and scores. */
enum { TYPE_FLOAT = 1, TYPE_DOUBLE = 11 };

#define ALIASES_MAX 32

struct reading {
    struct onnx_graph *graph;
    struct shw_onnx_node node;               /* the current one */
    struct shw_protobuf labels[ALIASES_MAX]; /* names of the labels, which Cast and Identity copy */
    uint32_t label_count, input_count;
};

static enum shw_result refuse_damage(const struct reading *reading, const char *what)
{
    return shw_onnx_refuse(&reading->node, "%s is damaged, or this is not an ONNX model", what);
}

static int text_length(const struct shw_protobuf *text)
{
    return text->end - text->at < 60 ? (int)(text->end - text->at) : 60;
}

static enum shw_result refuse_node(const struct reading *reading, const char *why)
{
    const struct shw_onnx_node *node = &reading->node;

    return shw_fail(node->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: the node %.*s, whose output is \"%.*s\", %s",
                    node->file, text_length(&node->type), (const char *)node->type.at, text_length(&node->output),
                    (const char *)node->output.at, why);
}

static bool same_text(const struct shw_protobuf *a, const struct shw_protobuf *b)
{
    return a->end - a->at == b->end - b->at && a->at < a->end && memcmp(a->at, b->at, (size_t)(a->end - a->at)) == 0;
}

static bool is_label(const struct reading *reading, const struct shw_protobuf *name)
{
    for (uint32_t l = 0; l < reading->label_count; l++)
        if (same_text(&reading->labels[l], name))
            return true;
    return false;
}

static void copy_label(struct reading *reading)
{
    if (is_label(reading, &reading->node.input) && reading->label_count < ALIASES_MAX)
        reading->labels[reading->label_count++] = reading->node.output;
}

static enum shw_result take_ensemble(struct reading *reading)
{
    if (reading->graph->ensemble.message.at != NULL)
        return refuse_node(reading, "is a second ensemble of trees; one is supported");
    reading->graph->ensemble = reading->node;
    if (shw_protobuf_is(&reading->node.type, "TreeEnsembleClassifier"))
        reading->labels[reading->label_count++] = reading->node.output;
    return SHW_OK;
}

static enum shw_result check_cast(struct reading *reading)
{
    int64_t type = 0;

    SHW_PROPAGATE(shw_onnx_get_integer(&reading->node, "to", &type));
    if (type != TYPE_FLOAT && type != TYPE_DOUBLE && !is_label(reading, &reading->node.input))
        return refuse_node(reading, "changes numbers: it converts them to neither float nor double");
    copy_label(reading);
    return SHW_OK;
}

static enum shw_result note_normalizer(struct reading *reading)
{
    struct shw_protobuf norm = {0};

    SHW_PROPAGATE(shw_onnx_get_text(&reading->node, "norm", &norm));
    if (!shw_protobuf_is(&norm, "L1"))
        return refuse_node(reading, "changes scores; of Normalizer, L1 of scores that sum to 1 is supported");
    reading->graph->is_normalized = true;
    return SHW_OK;
}

static enum shw_result check_node(struct reading *reading)
{
    const struct shw_protobuf *domain = &reading->node.domain, *type = &reading->node.type;

    if (shw_protobuf_is(domain, "ai.onnx.ml")) {
        if (onnx_ensemble_is(&reading->node))
            return take_ensemble(reading);
        if (shw_protobuf_is(type, "ZipMap"))
            return SHW_OK;
        if (shw_protobuf_is(type, "Normalizer"))
            return note_normalizer(reading);
    }
    if (domain->at == domain->end || shw_protobuf_is(domain, "ai.onnx")) {
        if (shw_protobuf_is(type, "Cast"))
            return check_cast(reading);
        if (shw_protobuf_is(type, "Identity")) {
            copy_label(reading);
            return SHW_OK;
        }
    }
    return refuse_node(reading, "is not supported next to an ensemble of trees");
}

static enum shw_result read_node(struct reading *reading, struct shw_protobuf message)
{
    struct shw_onnx_node *node = &reading->node;
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;

    *node = (struct shw_onnx_node){.message = message, .file = node->file, .log = node->log};
    while ((step = shw_protobuf_next(&message, &field)) == SHW_PROTOBUF_FIELD) {
        if (field.type != SHW_PROTOBUF_BYTES)
            continue;
        switch (field.number) {
        case NODE_INPUT: node->input = node->input.at != NULL ? node->input : field.inside; break;
        case NODE_OUTPUT: node->output = node->output.at != NULL ? node->output : field.inside; break;
        case NODE_TYPE: node->type = field.inside; break;
        case NODE_DOMAIN: node->domain = field.inside; break;
        default: break;
        }
    }
    return step == SHW_PROTOBUF_END ? check_node(reading) : refuse_damage(reading, "a node");
}

/* The last message of a field, or an empty one. */
static struct shw_protobuf inside(struct shw_protobuf message, uint32_t number)
{
    struct shw_protobuf found = {0};
    struct shw_protobuf_field field;

    while (shw_protobuf_next(&message, &field) == SHW_PROTOBUF_FIELD)
        if (field.number == number && field.type == SHW_PROTOBUF_BYTES)
            found = field.inside;
    return found;
}

/* The last number of the shape, which has two. */
static void read_input(struct reading *reading, struct shw_protobuf value)
{
    struct shw_protobuf shape = inside(inside(inside(value, VALUE_TYPE), TYPE_TENSOR), TENSOR_SHAPE);
    struct shw_protobuf_field dimension, field;
    uint32_t dimensions = 0;
    uint64_t width = 0;

    while (shw_protobuf_next(&shape, &dimension) == SHW_PROTOBUF_FIELD) {
        if (dimension.number != SHAPE_DIMENSION || dimension.type != SHW_PROTOBUF_BYTES)
            continue;
        width = 0;
        while (shw_protobuf_next(&dimension.inside, &field) == SHW_PROTOBUF_FIELD)
            if (field.number == DIMENSION_VALUE && field.type == SHW_PROTOBUF_VARINT)
                width = field.value;
        dimensions++;
    }
    reading->input_count++;
    if (dimensions == 2 && width <= UINT32_MAX)
        reading->graph->attribute_count = (uint32_t)width;
}

static enum shw_result read_graph(struct reading *reading, struct shw_protobuf message)
{
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;

    while ((step = shw_protobuf_next(&message, &field)) == SHW_PROTOBUF_FIELD) {
        if (field.type != SHW_PROTOBUF_BYTES)
            continue;
        if (field.number == GRAPH_NODE)
            SHW_PROPAGATE(read_node(reading, field.inside));
        if (field.number == GRAPH_INPUT)
            read_input(reading, field.inside);
    }
    if (step == SHW_PROTOBUF_DAMAGE)
        return refuse_damage(reading, "the graph");
    if (reading->graph->ensemble.message.at == NULL)
        return shw_onnx_refuse(&reading->node, "there is no ensemble of trees");
    if (reading->input_count > 1)
        return shw_onnx_refuse(&reading->node, "the graph has %u inputs; one, which is the records, is supported",
                               reading->input_count);
    return SHW_OK;
}

/* Finds the ensemble, and refuses nodes around it that change what it says: TreeEnsemble, TreeEnsembleClassifier or
 * TreeEnsembleRegressor may stand between nodes that copy (Identity), that change the type of records or scores to a
 * floating-point one, or that of labels to any (Cast), that give scores the names of classes (ZipMap), and that divide
 * scores by their sum (Normalizer). Errors: FORMAT, MEMORY. */
static enum shw_result onnx_graph_read(const void *bytes, size_t size, const char *file, const struct shw_log *log,
                                       struct onnx_graph *graph)
{
    struct shw_protobuf model = {bytes, (const uint8_t *)bytes + size}, message = {0};
    struct reading reading = {.graph = graph, .node = {.file = file, .log = log}};
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;

    *graph = (struct onnx_graph){0};
    while ((step = shw_protobuf_next(&model, &field)) == SHW_PROTOBUF_FIELD) {
        if (field.number == MODEL_GRAPH && field.type == SHW_PROTOBUF_BYTES)
            message = field.inside;
        if (field.number == MODEL_PRODUCER && field.type == SHW_PROTOBUF_BYTES)
            graph->producer = field.inside;
    }
    if (step == SHW_PROTOBUF_DAMAGE || message.at == NULL)
        return refuse_damage(&reading, "the model");
    return read_graph(&reading, message);
}

enum { IS_TRUE, IS_FALSE }; /* children */

struct model {
    const struct shw_record_import *import;
    struct onnx_graph graph;
    struct shw_onnx_trees trees;
    struct onnx_outputs outputs;
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
    const struct onnx_outputs *outputs = &model->outputs;
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
    const struct onnx_outputs *outputs = &model->outputs;

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
    const struct onnx_outputs *outputs = &model->outputs;
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

    SHW_PROPAGATE(onnx_graph_read(import->bytes, import->size, import->name, import->log, &model->graph));
    SHW_PROPAGATE(onnx_ensemble_read(&model->graph.ensemble, &model->trees, &model->outputs));
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
    onnx_outputs_free(&model.outputs);
    return result;
}
