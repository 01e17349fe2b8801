/* Trees as CURFIL writes them (tree0.json.gz): docs/exchange.md has the format, and what prediction makes of it. */
#ifndef SHW_FILES_FORMATS_CURFIL_TREE_H
#define SHW_FILES_FORMATS_CURFIL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <shadewood/log.h>

#define SHW_CURFIL_LENGTH_MAX 127 /* of offsets and regions, which CURFIL keeps in eight bits */

/* Goes left if the response of region 0 minus that of region 1 is at most the threshold, otherwise right. */
struct shw_curfil_test {
    bool is_depth;
    uint8_t channel[2];   /* of colour: 0 to 2 */
    int8_t offset[2][2];  /* x and y of each region, in pixels at a depth of one metre */
    uint8_t region[2][2]; /* half its width and height, likewise */
    double threshold;     /* of depth, in metres */
};

struct shw_curfil_node {
    bool is_split;
    uint32_t left; /* the right child follows it */
    struct shw_curfil_test test;
};

struct shw_curfil_class {
    uint8_t colour[3];
    char *name;   /* NULL: the file has none */
    double prior; /* labelled pixels of the class in the training images */
};

struct shw_curfil_tree {
    struct shw_curfil_node *nodes; /* breadth first, the root first */
    uint32_t node_count;
    double *histograms;               /* class_count counts per node, at least 0; they mean something in leaves */
    struct shw_curfil_class *classes; /* by label */
    uint32_t class_count;
    bool uses_lab, uses_depth, fills_depth;
    bool on_gpu; /* trained and, if not said otherwise, predicted by CURFIL's CUDA code */
    double
        bias; /* histogramBias, 0 up to but not including 1: CURFIL's files lack it, for it is told when predicting */
    json_t *configuration; /* all members of the file but those above, as an object */
};

/* Parses `size` bytes of JSON, which are not trusted. `name` appears in messages. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_curfil_tree_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_curfil_tree *tree);

/* Reads a file, which may be packed by gzip or bzip2. Errors: IO and UNSUPPORTED, too. */
enum shw_result shw_curfil_tree_read(const char *path, const struct shw_log *log, struct shw_curfil_tree *tree);

/* Accepts a zero-initialised one. */
void shw_curfil_tree_free(struct shw_curfil_tree *tree);

#endif
