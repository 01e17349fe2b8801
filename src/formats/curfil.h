/* Trees as CURFIL writes them (tree0.json.gz): docs/exchange.md has the format, and what prediction makes of it. */
#ifndef SHW_FORMATS_CURFIL_H
#define SHW_FORMATS_CURFIL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/import.h>
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
    double *histograms;               /* class_count counts per node, at least 0; only those of leaves matter */
    struct shw_curfil_class *classes; /* by label */
    uint32_t class_count;
    bool uses_lab, uses_depth, fills_depth;
    bool on_gpu; /* trained and, by default, predicted by CURFIL's CUDA code */
    double bias; /* histogramBias, from 0 to below 1: not in CURFIL's own files, as it is a parameter of prediction */
    json_t *configuration; /* all other members of the file, as an object */
};

/* Parses `size` bytes of JSON, which are not trusted. `name` appears in messages. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_curfil_tree_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_curfil_tree *tree);

/* Reads what may be packed by gzip or bzip2. Errors: IO and UNSUPPORTED, too. */
enum shw_result shw_curfil_tree_read(const struct shw_import_source *source, const struct shw_log *log,
                                     struct shw_curfil_tree *tree);

/* Accepts a zero-initialised one. */
void shw_curfil_tree_free(struct shw_curfil_tree *tree);

/* CURFIL's trees as a forest of feature type curfil-difference, and back. */

/* Parameters of CURFIL's prediction. Zero: those of the trees. */
struct shw_curfil_settings {
    enum shw_curfil_prediction prediction;
    bool has_bias;
    double bias; /* from 0 to below 1: this share of a leaf's samples is subtracted from each class before they vote,
                    unless nothing would remain (Waldvogel 2013, Eq. 4.10) */
};

/* Makes a forest of `count` trees, which must agree in classes, channels, filling and bias. If they were trained on
 * filled depth, the forest fills depth. `training`: the provenance, a JSON object. `names`: of the files, for messages.
 * Errors: FORMAT, and those of shw_forest_create(). */
enum shw_result shw_curfil_forest_make(const struct shw_curfil_tree *trees, const char *const *names, uint32_t count,
                                       const struct shw_curfil_settings *settings, const char *training,
                                       const struct shw_log *log, struct shw_forest **forest);

/* Tree `tree` of a forest as text that CURFIL reads and that shw_curfil_forest_make() turns into the same tree; to be
 * freed with free(). Members that CURFIL needs and the forest lacks come from the file that the forest was imported
 * from, or are zero. `name` appears in messages. Errors: FORMAT for another feature type or tests that CURFIL lacks,
 * MEMORY. */
enum shw_result shw_curfil_tree_format(const struct shw_forest *forest, const char *name, uint32_t tree,
                                       const struct shw_log *log, char **text);

/* The member of the provenance that holds struct shw_curfil_tree.configuration. */
#define SHW_CURFIL_MEMBER "curfil"

/* The scale between CURFIL's responses and those of tests: units of depth in a metre. */
#define SHW_CURFIL_DEPTH_SCALE 16000.0

#endif
