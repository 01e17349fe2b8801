/* A tree of XGBoost's, as in its files. */
#ifndef SHW_FILES_FORMATS_XGBOOST_TREE_H
#define SHW_FILES_FORMATS_XGBOOST_TREE_H

#include "files/formats/json_model.h"
#include "records/model/builder.h"

struct shw_xgboost_tree {
    uint32_t attribute_count;
    uint32_t values_per_leaf; /* as the builder expects */
    uint32_t number;          /* of the tree */
    uint32_t output;          /* that it adds to, if leaves have one value */
    double weight;            /* of its leaf values */
};

/* Reads a tree and adds it. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_xgboost_tree_add(const struct shw_json_part *part, const struct shw_xgboost_tree *tree,
                                     struct shw_record_builder *builder);

#endif
