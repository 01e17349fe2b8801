/* A cascade that grows while OpenCV's XML is read. */
#ifndef SHW_FILES_FORMATS_OPENCV_BUILD_H
#define SHW_FILES_FORMATS_OPENCV_BUILD_H

#include <stdbool.h>

#include "files/formats/opencv_cascade.h"
#include "files/formats/xml.h"

/* A test as OpenCV has it: a child above zero is another test of the tree, otherwise minus the index of a leaf. */
struct shw_opencv_split {
    int32_t left, right;
    uint32_t feature;
    double threshold;
    uint32_t subset[8];
    bool is_placed; /* in the cascade's tree */
};

struct shw_opencv_build {
    struct shw_xml xml;
    const char *name;
    const struct shw_log *log;
    bool has_rounded_weight;

    enum shw_cascade_kind kind;
    uint32_t window_width, window_height;
    struct shw_cascade_stage *stages;
    double *stage_thresholds; /* [stage] */
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    double *values; /* [node] of leaves */
    struct shw_cascade_feature *features;
    uint32_t stage_count, tree_count, node_count, feature_count;
    uint32_t stage_capacity, stage_threshold_capacity, tree_capacity, node_capacity, value_capacity, feature_capacity;

    /* Of the tree that is being read */
    struct shw_opencv_split *splits;
    double *leaves;
    uint32_t split_count, leaf_count, split_capacity, leaf_capacity;
};

/* Fails with file and line of an element. */
#define SHW_BAD_XML(build, element, format, ...)                                                                       \
    shw_fail((build)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %u: " format, (build)->name,                 \
             (element)->line, __VA_ARGS__)

/* The child of that name, which must be there. */
enum shw_result shw_opencv_child(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                 const char *name, const struct shw_xml_element **child);

/* Reads the numbers of a text one by one. */
struct shw_opencv_numbers {
    const struct shw_opencv_build *build;
    const struct shw_xml_element *element;
    const char *at;
};
struct shw_opencv_numbers shw_opencv_numbers(const struct shw_opencv_build *build,
                                             const struct shw_xml_element *element);
bool shw_opencv_numbers_end(struct shw_opencv_numbers *numbers);
enum shw_result shw_opencv_next_integer(struct shw_opencv_numbers *numbers, int32_t low, int32_t high, int32_t *value);
enum shw_result shw_opencv_next_real(struct shw_opencv_numbers *numbers, double *value);
enum shw_result shw_opencv_no_more(struct shw_opencv_numbers *numbers);

/* The text of the child of that name, which must be one number. */
enum shw_result shw_opencv_integer(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                   const char *name, int32_t low, int32_t high, int32_t *value);
enum shw_result shw_opencv_real(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                const char *name, double *value);

/* Appends what has been read at that element. add_haar reads the rectangles and `tilted`. */
enum shw_result shw_opencv_add_split(struct shw_opencv_build *build, const struct shw_opencv_split *split);
enum shw_result shw_opencv_add_leaf(struct shw_opencv_build *build, double value);
enum shw_result shw_opencv_add_tree(struct shw_opencv_build *build, const struct shw_xml_element *element);
enum shw_result shw_opencv_add_stage(struct shw_opencv_build *build, const struct shw_xml_element *element,
                                     double threshold);
enum shw_result shw_opencv_add_haar(struct shw_opencv_build *build, const struct shw_xml_element *element);
enum shw_result shw_opencv_add_lbp(struct shw_opencv_build *build, const struct shw_xml_element *element);

/* The two syntaxes: fill in everything from the element that has the window's size. */
enum shw_result shw_opencv_read_new(struct shw_opencv_build *build, const struct shw_xml_element *element);
enum shw_result shw_opencv_read_old(struct shw_opencv_build *build, const struct shw_xml_element *element);

#endif
