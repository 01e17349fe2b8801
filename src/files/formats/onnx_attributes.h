/* The attributes of a node of an ONNX graph. */
#ifndef SHW_FILES_FORMATS_ONNX_ATTRIBUTES_H
#define SHW_FILES_FORMATS_ONNX_ATTRIBUTES_H

#include <shadewood/log.h>

#include "files/formats/protobuf.h"

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

/* A number or a text that is not there leaves *value as it is. */
enum shw_result shw_onnx_get_integer(const struct shw_onnx_node *node, const char *name, int64_t *value);
enum shw_result shw_onnx_get_text(const struct shw_onnx_node *node, const char *name, struct shw_protobuf *value);

#endif
