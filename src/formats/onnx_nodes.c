#include "formats/onnx_nodes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"

static bool take_varint(struct shw_protobuf *message, uint64_t *value)
{
    *value = 0;
    for (uint32_t shift = 0; shift < 64 && message->at < message->end; shift += 7) {
        uint8_t byte = *message->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Little-endian. */
static bool take_fixed(struct shw_protobuf *message, uint32_t size, uint64_t *value)
{
    if ((size_t)(message->end - message->at) < size)
        return false;
    *value = 0;
    for (uint32_t i = 0; i < size; i++)
        *value |= (uint64_t)*message->at++ << (8 * i);
    return true;
}

static bool take_bytes(struct shw_protobuf *message, struct shw_protobuf *inside)
{
    uint64_t size;

    if (!take_varint(message, &size) || size > (uint64_t)(message->end - message->at))
        return false;
    inside->at = message->at;
    message->at += size;
    inside->end = message->at;
    return true;
}

/* The next of the packed numbers of the wire type `type`, which must not be at its end; false if it is cut off. */
static bool protobuf_take(struct shw_protobuf *packed, enum shw_protobuf_type type, uint64_t *value)
{
    if (type == SHW_PROTOBUF_VARINT)
        return take_varint(packed, value);
    return take_fixed(packed, type == SHW_PROTOBUF_FIXED64 ? 8 : 4, value);
}

enum shw_protobuf_step shw_protobuf_next(struct shw_protobuf *message, struct shw_protobuf_field *field)
{
    uint64_t tag;
    bool read;

    if (message->at == message->end)
        return SHW_PROTOBUF_END;
    if (!take_varint(message, &tag) || tag >> 3 == 0 || tag >> 3 >= 1u << 29)
        return SHW_PROTOBUF_DAMAGE;
    *field = (struct shw_protobuf_field){.number = (uint32_t)(tag >> 3), .type = (enum shw_protobuf_type)(tag & 7)};
    switch (field->type) {
    case SHW_PROTOBUF_BYTES: read = take_bytes(message, &field->inside); break;
    case SHW_PROTOBUF_VARINT:
    case SHW_PROTOBUF_FIXED64:
    case SHW_PROTOBUF_FIXED32: read = protobuf_take(message, field->type, &field->value); break;
    default: read = false;
    }
    return read ? SHW_PROTOBUF_FIELD : SHW_PROTOBUF_DAMAGE;
}

bool shw_protobuf_is(const struct shw_protobuf *text, const char *expected)
{
    size_t size = (size_t)(text->end - text->at);

    return strlen(expected) == size && memcmp(text->at, expected, size) == 0;
}

/* Field numbers of onnx.proto. */
enum { NODE_ATTRIBUTE = 5 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_TEXT = 4,
    ATTRIBUTE_TENSOR = 5,
    ATTRIBUTE_REALS = 7,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_TEXTS = 9
};
enum {
    TENSOR_TYPE = 2,
    TENSOR_FLOATS = 4,
    TENSOR_INT32S = 5,
    TENSOR_RAW = 9,
    TENSOR_DOUBLES = 10,
    TENSOR_LOCATION = 14
};

/* Numbers of a tensor's element types. */
enum { TYPE_FLOAT = 1, TYPE_UINT8 = 2, TYPE_DOUBLE = 11 };

/* Raw bits of numbers as they stand in the file. */
struct list {
    uint64_t *items;
    uint32_t count, capacity;
};

SHW_PRINTF(2, 3)
enum shw_result shw_onnx_refuse(const struct shw_onnx_node *node, const char *format, ...)
{
    char reason[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return shw_fail(node->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: %s", node->file, reason);
}

static enum shw_result refuse_damage(const struct shw_onnx_node *node, const char *name)
{
    return shw_onnx_refuse(node, "the attribute %s is damaged", name);
}

static bool find_name(struct shw_protobuf attribute, struct shw_protobuf *name)
{
    struct shw_protobuf_field field;

    while (shw_protobuf_next(&attribute, &field) == SHW_PROTOBUF_FIELD)
        if (field.number == ATTRIBUTE_NAME && field.type == SHW_PROTOBUF_BYTES) {
            *name = field.inside;
            return true;
        }
    return false;
}

/* Empty if there is none of that name. */
static struct shw_protobuf find_attribute(const struct shw_onnx_node *node, const char *name)
{
    struct shw_protobuf message = node->message, found;
    struct shw_protobuf_field field;

    while (shw_protobuf_next(&message, &field) == SHW_PROTOBUF_FIELD)
        if (field.number == NODE_ATTRIBUTE && field.type == SHW_PROTOBUF_BYTES && find_name(field.inside, &found) &&
            shw_protobuf_is(&found, name))
            return field.inside;
    return (struct shw_protobuf){0};
}

static enum shw_result append(const struct shw_onnx_node *node, struct list *list, uint64_t value)
{
    if (!SHW_RESERVE(list->items, list->capacity, (size_t)list->count + 1))
        return shw_fail_memory(node->log, node->file);
    list->items[list->count++] = value;
    return SHW_OK;
}

/* One number, or several packed ones, which without a schema are bytes. */
static enum shw_result append_field(const struct shw_onnx_node *node, const char *name,
                                    const struct shw_protobuf_field *field, enum shw_protobuf_type type,
                                    struct list *list)
{
    struct shw_protobuf packed = field->inside;
    uint64_t value;

    if (field->type == type)
        return append(node, list, field->value);
    if (field->type != SHW_PROTOBUF_BYTES)
        return refuse_damage(node, name);
    while (packed.at < packed.end) {
        if (!protobuf_take(&packed, type, &value))
            return refuse_damage(node, name);
        SHW_PROPAGATE(append(node, list, value));
    }
    return SHW_OK;
}

/* All numbers of the field `number` of a message. */
static enum shw_result gather(const struct shw_onnx_node *node, const char *name, struct shw_protobuf message,
                              uint32_t number, enum shw_protobuf_type type, struct list *list)
{
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;

    while ((step = shw_protobuf_next(&message, &field)) == SHW_PROTOBUF_FIELD)
        if (field.number == number)
            SHW_PROPAGATE(append_field(node, name, &field, type, list));
    return step == SHW_PROTOBUF_END ? SHW_OK : refuse_damage(node, name);
}

/* Element type and location of a tensor, and its raw bytes, of which at.NULL is none. */
struct tensor {
    struct shw_protobuf message, raw;
    uint64_t type, location;
};

static enum shw_result read_tensor(const struct shw_onnx_node *node, const char *name, struct tensor *tensor)
{
    struct shw_protobuf message = tensor->message;
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;

    while ((step = shw_protobuf_next(&message, &field)) == SHW_PROTOBUF_FIELD) {
        if (field.number == TENSOR_TYPE && field.type == SHW_PROTOBUF_VARINT)
            tensor->type = field.value;
        if (field.number == TENSOR_LOCATION && field.type == SHW_PROTOBUF_VARINT)
            tensor->location = field.value;
        if (field.number == TENSOR_RAW && field.type == SHW_PROTOBUF_BYTES)
            tensor->raw = field.inside;
    }
    if (step == SHW_PROTOBUF_DAMAGE)
        return refuse_damage(node, name);
    if (tensor->location != 0)
        return shw_fail(node->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                        "%s: the tensor %s, which is in another file, is not supported", node->file, name);
    return SHW_OK;
}

static enum shw_result gather_bytes(const struct shw_onnx_node *node, struct shw_protobuf raw, struct list *list)
{
    while (raw.at < raw.end)
        SHW_PROPAGATE(append(node, list, *raw.at++));
    return SHW_OK;
}

static enum shw_result gather_tensor(const struct shw_onnx_node *node, const char *name, const struct tensor *tensor,
                                     struct list *list)
{
    const struct shw_protobuf_field raw = {.type = SHW_PROTOBUF_BYTES, .inside = tensor->raw};
    const enum shw_protobuf_type type = tensor->type == TYPE_DOUBLE ? SHW_PROTOBUF_FIXED64 : SHW_PROTOBUF_FIXED32;
    const uint32_t number = tensor->type == TYPE_DOUBLE ? TENSOR_DOUBLES : TENSOR_FLOATS;

    if (tensor->type == TYPE_UINT8)
        return tensor->raw.at != NULL ? gather_bytes(node, tensor->raw, list)
                                      : gather(node, name, tensor->message, TENSOR_INT32S, SHW_PROTOBUF_VARINT, list);
    return tensor->raw.at != NULL ? append_field(node, name, &raw, type, list)
                                  : gather(node, name, tensor->message, number, type, list);
}

/* The tensor of an attribute, if it has one. */
static enum shw_result find_tensor(const struct shw_onnx_node *node, const char *name, struct shw_protobuf attribute,
                                   struct tensor *tensor)
{
    struct shw_protobuf_field field;

    while (shw_protobuf_next(&attribute, &field) == SHW_PROTOBUF_FIELD)
        if (field.number == ATTRIBUTE_TENSOR && field.type == SHW_PROTOBUF_BYTES)
            tensor->message = field.inside;
    return tensor->message.at != NULL ? read_tensor(node, name, tensor) : SHW_OK;
}

static enum shw_result gather_integers(const struct shw_onnx_node *node, const char *name, struct list *list)
{
    const struct shw_protobuf attribute = find_attribute(node, name);
    struct tensor tensor = {0};

    SHW_PROPAGATE(find_tensor(node, name, attribute, &tensor));
    if (tensor.message.at == NULL)
        return gather(node, name, attribute, ATTRIBUTE_INTEGERS, SHW_PROTOBUF_VARINT, list);
    if (tensor.type != TYPE_UINT8)
        return shw_onnx_refuse(node, "the tensor %s has elements of the type %u; %d (uint8) is supported", name,
                               (unsigned)tensor.type, TYPE_UINT8);
    return gather_tensor(node, name, &tensor, list);
}

enum shw_result shw_onnx_get_integers(const struct shw_onnx_node *node, const char *name,
                                      struct shw_onnx_integers *integers)
{
    struct list list = {0};
    enum shw_result result = gather_integers(node, name, &list);

    if (result != SHW_OK) {
        free(list.items);
        return result;
    }
    integers->items = (int64_t *)list.items; /* two's complement on the wire, too */
    integers->count = list.count;
    return SHW_OK;
}

static double real_of(uint64_t bits, bool is_double)
{
    uint32_t low = (uint32_t)bits;
    double value;
    float single;

    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &low, sizeof single);
    return is_double ? value : (double)single;
}

static enum shw_result gather_reals(const struct shw_onnx_node *node, const char *name, struct list *list,
                                    bool *is_double)
{
    struct shw_protobuf attribute = find_attribute(node, name);
    struct tensor tensor = {0};
    char tensor_name[64];

    SHW_PROPAGATE(gather(node, name, attribute, ATTRIBUTE_REALS, SHW_PROTOBUF_FIXED32, list));
    snprintf(tensor_name, sizeof tensor_name, "%s_as_tensor", name);
    SHW_PROPAGATE(find_tensor(node, name, attribute, &tensor));
    if (tensor.message.at == NULL)
        SHW_PROPAGATE(find_tensor(node, tensor_name, find_attribute(node, tensor_name), &tensor));
    if (tensor.message.at == NULL)
        return SHW_OK;
    if (tensor.type != TYPE_FLOAT && tensor.type != TYPE_DOUBLE)
        return shw_onnx_refuse(node,
                               "the tensor %s has elements of the type %u; %d (float) and %d (double) are "
                               "supported",
                               name, (unsigned)tensor.type, TYPE_FLOAT, TYPE_DOUBLE);
    *is_double = tensor.type == TYPE_DOUBLE;
    if (list->count > 0)
        return shw_onnx_refuse(node, "%s is there as a list and as a tensor", name);
    return gather_tensor(node, name, &tensor, list);
}

enum shw_result shw_onnx_get_reals(const struct shw_onnx_node *node, const char *name, struct shw_onnx_reals *reals)
{
    bool is_double = false;
    struct list list = {0};
    enum shw_result result = gather_reals(node, name, &list, &is_double);
    double *items = NULL;

    if (result == SHW_OK) {
        items = malloc(((size_t)list.count + 1) * sizeof *items);
        result = items != NULL ? SHW_OK : shw_fail_memory(node->log, node->file);
    }
    if (result == SHW_OK) {
        for (uint32_t i = 0; i < list.count; i++)
            items[i] = real_of(list.items[i], is_double);
        *reals = (struct shw_onnx_reals){items, list.count};
    }
    free(list.items);
    return result;
}

enum shw_result shw_onnx_get_texts(const struct shw_onnx_node *node, const char *name, struct shw_onnx_texts *texts)
{
    struct shw_protobuf attribute = find_attribute(node, name);
    struct shw_protobuf *items = NULL;
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;
    uint32_t count = 0, capacity = 0;

    while ((step = shw_protobuf_next(&attribute, &field)) == SHW_PROTOBUF_FIELD) {
        if (field.number != ATTRIBUTE_TEXTS || field.type != SHW_PROTOBUF_BYTES)
            continue;
        if (!SHW_RESERVE(items, capacity, (size_t)count + 1)) {
            free(items);
            return shw_fail_memory(node->log, node->file);
        }
        items[count++] = field.inside;
    }
    if (step == SHW_PROTOBUF_DAMAGE) {
        free(items);
        return refuse_damage(node, name);
    }
    *texts = (struct shw_onnx_texts){items, count};
    return SHW_OK;
}

static enum shw_result get_one(const struct shw_onnx_node *node, const char *name, uint32_t number,
                               enum shw_protobuf_type type, struct shw_protobuf_field *found)
{
    struct shw_protobuf attribute = find_attribute(node, name);
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;

    while ((step = shw_protobuf_next(&attribute, &field)) == SHW_PROTOBUF_FIELD)
        if (field.number == number && field.type == type)
            *found = field;
    return step == SHW_PROTOBUF_END ? SHW_OK : refuse_damage(node, name);
}

enum shw_result shw_onnx_get_integer(const struct shw_onnx_node *node, const char *name, int64_t *value)
{
    struct shw_protobuf_field field = {.value = (uint64_t)*value};

    SHW_PROPAGATE(get_one(node, name, ATTRIBUTE_INTEGER, SHW_PROTOBUF_VARINT, &field));
    *value = (int64_t)field.value;
    return SHW_OK;
}

enum shw_result shw_onnx_get_text(const struct shw_onnx_node *node, const char *name, struct shw_protobuf *value)
{
    struct shw_protobuf_field field = {.inside = *value};

    SHW_PROPAGATE(get_one(node, name, ATTRIBUTE_TEXT, SHW_PROTOBUF_BYTES, &field));
    *value = field.inside;
    return SHW_OK;
}
