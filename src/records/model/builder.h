/* Record forests from trees as other programs and trainers have them: nodes in any order with numbers of children, and
 * leaf values in double precision. */
#ifndef SHW_RECORDS_MODEL_BUILDER_H
#define SHW_RECORDS_MODEL_BUILDER_H

#include <shadewood/record_forest.h>
#include <stdbool.h>
#include <stdint.h>

struct shw_record_builder_node {
    bool is_split, missing_right, zero_missing; /* as in struct shw_record_node */
    uint32_t left, right;                       /* split: indices of its children among the nodes given */
    uint32_t attribute;
    int32_t threshold;
    bool has_limit; /* split by a threshold: the greatest double that goes left is known, too */
    double limit;
    const uint32_t *set; /* split: its test is of this set instead, as shadewood/record_forest.h has sets; or NULL */
    uint32_t source;
    const double *values; /* leaf: values_per_leaf numbers */
};

struct shw_record_builder;

/* Begins a forest. `name` begins messages, usually the path of the imported file; it and `log` are borrowed. Errors:
 * LIMIT, FORMAT (no value per leaf), MEMORY. */
enum shw_result shw_record_builder_create(const char *name, uint32_t values_per_leaf, const struct shw_log *log,
                                          struct shw_record_builder **builder);
void shw_record_builder_destroy(struct shw_record_builder **builder);

/* Adds the tree with the root nodes[0], in breadth-first order (Spencer 2021, Procedure 1), and copies all of it. Nodes
 * that the root does not lead to are left out. `output` as in struct shw_record_tree. Refuses a child that does not
 * exist, that has another parent or leads back to the root, and leaf values that are not finite; the message says of
 * which tree and node, by its index in `nodes`. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_record_builder_add(struct shw_record_builder *builder, const struct shw_record_builder_node *nodes,
                                       uint32_t node_count, uint32_t output);

/* Of the trees that were added. */
uint32_t shw_record_builder_count_nodes(const struct shw_record_builder *builder);

/* How leaf values become integers. */
enum shw_record_scale {
    SHW_RECORD_SCALE_VALUES, /* with as many fraction bits as let the greatest magnitude fit 31 bits and base and cut
                                62; to the nearest, halves to even */
    SHW_RECORD_SCALE_GIVEN,  /* with info.fraction_bits; other values than multiples are rounded, too */
    SHW_RECORD_SCALE_SHARES  /* a leaf's values are what classes have of it, none below 0 and not all 0: they become
                                shares that sum to exactly 2^30, by largest remainders, the lowest class first */
};

/* What else the forest says. Of `info`, the members that trees, nodes and leaf values determine are ignored, and so are
 * base, cut and, but with SCALE_GIVEN, fraction_bits. */
struct shw_record_builder_params {
    struct shw_record_forest_info info;
    enum shw_record_scale scale;
    const double *base;    /* output_count numbers; NULL: zeros */
    bool compares_doubles; /* the program whose model it is compares records in double precision */
    double cut;            /* of one output and two classes: class 1 if the sum, not divided, is greater */
};

/* Makes the forest of the trees that were added; classes of one name get different ones, with a warning. Errors: as of
 * shw_record_forest_create(). */
enum shw_result shw_record_builder_finish(const struct shw_record_builder *builder,
                                          const struct shw_record_builder_params *params,
                                          struct shw_record_forest **forest);

/* What classes have of a leaf, as integers with a fixed sum. */

#define SHW_RECORD_SHARE_BITS 30

/* Shares of up to SHW_RECORD_OUTPUTS_MAX classes that sum to exactly 2^SHW_RECORD_SHARE_BITS in proportion to `values`:
 * the integers below, and one more for the largest remainders, of equal ones for the lowest class. False if a value is
 * negative or not finite, or their sum is neither positive nor finite. Exact for whole numbers that sum to less than
 * 2^53. */
bool shw_record_shares(const double *values, uint32_t count, int32_t *shares);

#endif
