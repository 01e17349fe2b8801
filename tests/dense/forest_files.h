/* Forest files, to be looked at and damaged. */
#ifndef SHW_TESTS_DENSE_FOREST_FILES_H
#define SHW_TESTS_DENSE_FOREST_FILES_H

#include "testing/model_file.h"
#include "testing/random_forest.h"

static const struct random_forest_params small = {.seed = 9, .classes = 3, .trees = 2, .depth = 3, .split_percent = 60};

static inline struct model_file open_file(const struct random_forest_params *params)
{
    return model_file_open(&model_forest, random_forest(params));
}

#endif
