#include "files/formats/onnx_graph.h"

#include <string.h>

#include "base/log.h"
#include "files/formats/onnx_ensemble.h"

/* Field numbers of onnx.proto. */
enum { MODEL_PRODUCER = 2, MODEL_GRAPH = 7 };
enum { GRAPH_NODE = 1, GRAPH_INPUT = 11 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_TYPE = 4, NODE_DOMAIN = 7 };
enum { VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_SHAPE = 2, SHAPE_DIMENSION = 1, DIMENSION_VALUE = 1 };

/* Element types that Cast may make of records and scores. */
enum { TYPE_FLOAT = 1, TYPE_DOUBLE = 11 };

#define ALIASES_MAX 32

struct reading {
    struct shw_onnx_graph *graph;
    struct shw_onnx_node node;               /* the current one */
    struct shw_protobuf labels[ALIASES_MAX]; /* names of the labels, which Cast and Identity copy */
    uint32_t label_count, input_count;
};

static enum shw_result refuse_damage(const struct reading *reading, const char *what)
{
    return shw_onnx_refuse(&reading->node, "%s is damaged, or this is no model of ONNX", what);
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
        return refuse_node(reading, "changes numbers, since it makes neither float nor double of them");
    copy_label(reading);
    return SHW_OK;
}

static enum shw_result check_normalizer(struct reading *reading)
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
        if (shw_onnx_ensemble_is(&reading->node))
            return take_ensemble(reading);
        if (shw_protobuf_is(type, "ZipMap"))
            return SHW_OK;
        if (shw_protobuf_is(type, "Normalizer"))
            return check_normalizer(reading);
    }
    if (domain->at == domain->end || shw_protobuf_is(domain, "ai.onnx")) {
        if (shw_protobuf_is(type, "Cast"))
            return check_cast(reading);
        if (shw_protobuf_is(type, "Identity")) {
            copy_label(reading);
            return SHW_OK;
        }
    }
    return refuse_node(reading, "is not supported beside an ensemble of trees");
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

enum shw_result shw_onnx_graph_read(const void *bytes, size_t size, const char *file, const struct shw_log *log,
                                    struct shw_onnx_graph *graph)
{
    struct shw_protobuf model = {bytes, (const uint8_t *)bytes + size}, message = {0};
    struct reading reading = {.graph = graph, .node = {.file = file, .log = log}};
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;

    *graph = (struct shw_onnx_graph){0};
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
