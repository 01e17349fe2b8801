#include "records/train/record_words.h"

#include <stddef.h>

#define ATTRIBUTES "there were more or fewer attributes"

/* The table before the parameters, some of which follow from it. */
static const struct shw_train_word members[] = {
    {"offset_max", NULL, ATTRIBUTES},
    {"size_max", NULL, ATTRIBUTES},
    {"images", NULL, "there were more or fewer records"},
    {"values", NULL, "the records had other values, or there were more or fewer"},
    {"class_pixels", "the number of records of each class", NULL},
    {"candidates", "the number of tests that a node chooses from (1 or 3 per attribute)", NULL},
    {"pixels_per_image", "the number of records per tree (and per part of a long table)", NULL},
    {"leaf_max", "the maximum number of leaves", NULL},
    {"samples_min", "the minimum number of records in a child", NULL},
    {"weighting", "the weighting of classes", NULL},
    {"trees", "the number of trees", NULL},
    {0},
};

const struct shw_train_words shw_record_train_words = {
    .members = members,
    .other_feature = "this is a checkpoint of training on images, not on records",
    .other_data = "other records: their classes differ",
    .samples = "records of a tree",
    .fewer_samples = "train each tree on fewer records",
};
