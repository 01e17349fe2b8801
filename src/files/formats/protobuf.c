#include "files/formats/protobuf.h"

#include <string.h>

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

bool shw_protobuf_take(struct shw_protobuf *packed, enum shw_protobuf_type type, uint64_t *value)
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
    case SHW_PROTOBUF_FIXED32: read = shw_protobuf_take(message, field->type, &field->value); break;
    default: read = false;
    }
    return read ? SHW_PROTOBUF_FIELD : SHW_PROTOBUF_DAMAGE;
}

bool shw_protobuf_is(const struct shw_protobuf *text, const char *expected)
{
    size_t size = (size_t)(text->end - text->at);

    return strlen(expected) == size && memcmp(text->at, expected, size) == 0;
}
