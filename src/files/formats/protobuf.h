/* Protocol buffers in their wire format, from memory that is not trusted. Messages are read field by field, without
 * recursion; whoever reads one decides which of its fields are messages. */
#ifndef SHW_FILES_FORMATS_PROTOBUF_H
#define SHW_FILES_FORMATS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is still to be read of a message, or of a list of packed numbers. */
struct shw_protobuf {
    const uint8_t *at, *end;
};

enum shw_protobuf_type { /* with the wire's numbers; groups, which are obsolete, count as damage */
                         SHW_PROTOBUF_VARINT = 0,
                         SHW_PROTOBUF_FIXED64 = 1,
                         SHW_PROTOBUF_BYTES = 2, /* a message, a text or packed numbers */
                         SHW_PROTOBUF_FIXED32 = 5
};

struct shw_protobuf_field {
    uint32_t number;
    enum shw_protobuf_type type;
    uint64_t value;             /* unless BYTES */
    struct shw_protobuf inside; /* BYTES */
};

enum shw_protobuf_step { SHW_PROTOBUF_FIELD, SHW_PROTOBUF_END, SHW_PROTOBUF_DAMAGE };

/* Reads the next field. */
enum shw_protobuf_step shw_protobuf_next(struct shw_protobuf *message, struct shw_protobuf_field *field);

/* The next of the packed numbers of the wire type `type`, which must not be at its end; false if it is cut off. */
bool shw_protobuf_take(struct shw_protobuf *packed, enum shw_protobuf_type type, uint64_t *value);

/* Whether a text or name is this one. */
bool shw_protobuf_is(const struct shw_protobuf *text, const char *expected);

#endif
