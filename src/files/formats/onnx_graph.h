/* The graph of an ONNX model that is one ensemble of trees. */
#ifndef SHW_FILES_FORMATS_ONNX_GRAPH_H
#define SHW_FILES_FORMATS_ONNX_GRAPH_H

#include "files/formats/onnx_attributes.h"

struct shw_onnx_graph {
    struct shw_onnx_node ensemble;
    uint32_t attribute_count; /* as the input's shape says; 0: it does not */
    bool is_normalized;       /* each record's scores are divided by their sum */
    struct shw_protobuf producer;
};

/* Finds the ensemble, and refuses nodes around it that change what it says: TreeEnsemble, TreeEnsembleClassifier or
 * TreeEnsembleRegressor may stand between nodes that copy (Identity), that change the type of records or scores to a
 * floating-point one, or that of labels to any (Cast), that give scores the names of classes (ZipMap), and that divide
 * scores by their sum (Normalizer). Errors: FORMAT, MEMORY. */
enum shw_result shw_onnx_graph_read(const void *bytes, size_t size, const char *file, const struct shw_log *log,
                                    struct shw_onnx_graph *graph);

#endif
