/* The nodes of an ONNX graph: protocol buffers, and the attributes of a node. */
#ifndef SHW_FORMATS_ONNX_NODES_H
#define SHW_FORMATS_ONNX_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Protocol buffers in their wire format, from memory that is not trusted. Messages are read field by field, without
 * recursion; whoever reads one decides which of its fields are messages. */

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

/* Whether a text or name is this one. */
bool shw_protobuf_is(const struct shw_protobuf *text, const char *expected);

/* A node; its texts belong to the file. */
struct shw_onnx_node {
    struct shw_protobuf message, type, domain;
    struct shw_protobuf input, output; /* names: the first one of each, empty if there is none */
    const char *file;                  /* for messages */
    const struct shw_log *log;
};

/* A list; `count` is 0 if there is no such attribute. */
struct shw_onnx_integers {
    int64_t *items;
    uint32_t count;
};
struct shw_onnx_reals {
    double *items;
    uint32_t count;
};
struct shw_onnx_texts {
    struct shw_protobuf *items;
    uint32_t count;
};

/* "FILE: REASON"; returns FORMAT. */
enum shw_result shw_onnx_refuse(const struct shw_onnx_node *node, const char *format, ...);

/* Lists of numbers and texts, which are to be freed with free(). Reals may be float32 in a list, or, with "_as_tensor"
 * after the name, a tensor of float32 or float64; a tensor may also have the name itself. Integers may be a tensor of
 * bytes. Errors: FORMAT for damage, for another type and for tensors in other files, MEMORY. */
enum shw_result shw_onnx_get_integers(const struct shw_onnx_node *node, const char *name,
                                      struct shw_onnx_integers *integers);
enum shw_result shw_onnx_get_reals(const struct shw_onnx_node *node, const char *name, struct shw_onnx_reals *reals);
enum shw_result shw_onnx_get_texts(const struct shw_onnx_node *node, const char *name, struct shw_onnx_texts *texts);

/* A missing number or text leaves *value unchanged. */
enum shw_result shw_onnx_get_integer(const struct shw_onnx_node *node, const char *name, int64_t *value);
enum shw_result shw_onnx_get_text(const struct shw_onnx_node *node, const char *name, struct shw_protobuf *value);

#endif
