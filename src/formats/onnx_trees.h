/* The trees of an ONNX ensemble, of any version of the operator. */
#ifndef SHW_FORMATS_ONNX_TREES_H
#define SHW_FORMATS_ONNX_TREES_H

#include "formats/onnx_nodes.h"

enum shw_onnx_mode { /* in the order of TreeEnsemble's numbers, which have none for a leaf */
                     SHW_ONNX_AT_MOST,
                     SHW_ONNX_BELOW,
                     SHW_ONNX_AT_LEAST,
                     SHW_ONNX_ABOVE,
                     SHW_ONNX_EQUAL,
                     SHW_ONNX_NOT_EQUAL,
                     SHW_ONNX_MEMBER,
                     SHW_ONNX_LEAF
};
#define SHW_ONNX_MODE_COUNT 8u

struct shw_onnx_item {
    enum shw_onnx_mode mode;
    bool nan_is_true;
    uint32_t attribute;
    double value;                        /* MEMBER: none */
    uint32_t child[2];                   /* if the test is true, and if it is not; items */
    uint32_t first_vote, vote_count;     /* leaf */
    uint32_t first_member, member_count; /* MEMBER */
    uint32_t source;                     /* as struct shw_record_node has it */
};

struct shw_onnx_vote {
    uint32_t output;
    double weight;
};

struct shw_onnx_trees {
    struct shw_onnx_item *items; /* tree by tree */
    uint32_t *starts;            /* [tree_count + 1] */
    struct shw_onnx_vote *votes;
    double *members; /* of sets, each of which ascends */
    uint32_t item_count, tree_count, vote_count;
};

/* Reads the lists of TreeEnsembleClassifier, whose votes are "class", or of TreeEnsembleRegressor, "target". Errors:
 * FORMAT, MEMORY. */
enum shw_result shw_onnx_lists_read(const struct shw_onnx_node *node, const char *votes, struct shw_onnx_trees *trees);

/* Reads those of TreeEnsemble. Errors: as above. */
enum shw_result shw_onnx_tree_ensemble_read(const struct shw_onnx_node *node, struct shw_onnx_trees *trees);

/* Accepts a zero-initialised one. */
void shw_onnx_trees_free(struct shw_onnx_trees *trees);

/* Checks that the list `name` has `count` elements. Errors: FORMAT. */
enum shw_result shw_onnx_check_length(const struct shw_onnx_node *node, const char *name, uint32_t length,
                                      uint32_t count);

#endif
