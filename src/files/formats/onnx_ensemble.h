/* What an ONNX ensemble's outputs are. */
#ifndef SHW_FILES_FORMATS_ONNX_ENSEMBLE_H
#define SHW_FILES_FORMATS_ONNX_ENSEMBLE_H

#include <shadewood/record_forest.h>

#include "files/formats/onnx_trees.h"

struct shw_onnx_outputs {
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

/* Whether it is one of the operators TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor. */
bool shw_onnx_ensemble_is(const struct shw_onnx_node *node);

/* Reads trees and outputs. Errors: FORMAT, MEMORY. */
enum shw_result shw_onnx_ensemble_read(const struct shw_onnx_node *node, struct shw_onnx_trees *trees,
                                       struct shw_onnx_outputs *outputs);

/* Accepts a zero-initialised one. */
void shw_onnx_outputs_free(struct shw_onnx_outputs *outputs);

#endif
