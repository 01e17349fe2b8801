/* Spencer 2021, Procedure 2: one record, one tree and one node after the other, in the forest's texture as it is. */
#include <string.h>

#include "records/evaluate/evaluator.h"
#include "records/evaluate/record_code.h"

#include "shared/record_texture.h"

struct tree {
    const uint32_t *nodes;
    uint32_t first_leaf, output;
};

static struct tree tree_at(const uint32_t *texels, uint32_t number)
{
    const uint32_t *tree = texels + 4 * (SHW_RECORD_TREES_AT + (size_t)number * SHW_RECORD_TREE_TEXELS);

    return (struct tree){texels + 4 * (size_t)tree[0], tree[3], tree[4]};
}

static uint32_t flag(uint32_t word, uint32_t shift)
{
    return word >> shift & 1u;
}

static inline uint32_t side(const uint32_t *node, const uint32_t *sets, int32_t code)
{
    const uint32_t missing_right = flag(node[1], SHW_RECORD_MISSING_RIGHT_SHIFT);

    if (sets != NULL && flag(node[1], SHW_RECORD_SET_SHIFT))
        return shw_record_set_goes_right(sets + node[2], code, missing_right);
    code = shw_record_code_for(code, flag(node[1], SHW_RECORD_ZERO_MISSING_SHIFT));
    return shw_record_goes_right(code, (int32_t)node[2], missing_right);
}

/* The leaf's number in the tree; `sets` is NULL where no test has one. */
static inline uint32_t find_leaf(const uint32_t *nodes, const uint32_t *sets, const struct shw_records *records,
                                 uint64_t record)
{
    const float *row = records->values + record * records->record_stride;
    const uint32_t *node = nodes;

    while (flag(node[1], SHW_RECORD_SPLIT_SHIFT)) {
        int32_t code =
            shw_record_code_in(records, row[(node[1] & SHW_RECORD_ATTRIBUTE_MASK) * records->attribute_stride]);
        node = nodes + 4 * (size_t)(node[0] + side(node, sets, code));
    }
    return node[2];
}

static void add_values(const struct shw_record_forest_info *info, const struct tree *tree, uint32_t leaf, int64_t *sums)
{
    const int32_t *values = info->leaf_values + ((size_t)tree->first_leaf + leaf) * info->values_per_leaf;

    if (info->values_per_leaf == 1)
        sums[tree->output] += values[0];
    else
        for (uint32_t v = 0; v < info->values_per_leaf; v++)
            sums[v] += values[v];
}

static void evaluate(const struct shw_record_forest *forest, const struct shw_records *records, uint64_t record,
                     int64_t *sums, uint32_t *leaves)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const uint32_t *texels = shw_record_forest_get_texture(forest).texels;

    memcpy(sums, info->base, info->output_count * sizeof *sums);
    for (uint32_t t = 0; t < info->tree_count; t++) {
        struct tree tree = tree_at(texels, t);
        uint32_t leaf = info->sets != NULL ? find_leaf(tree.nodes, info->sets, records, record)
                                           : find_leaf(tree.nodes, NULL, records, record);
        add_values(info, &tree, leaf, sums);
        if (leaves != NULL)
            leaves[t] = leaf;
    }
}

static enum shw_result run(void *state, const struct shw_records *records, const struct shw_record_results *results,
                           double *inner_seconds)
{
    const struct shw_record_forest *forest = state;
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    int64_t own[SHW_RECORD_OUTPUTS_MAX];

    (void)inner_seconds;
    for (uint64_t r = 0; r < records->count; r++) {
        int64_t *sums = results->sums != NULL ? results->sums + r * info->output_count : own;
        evaluate(forest, records, r, sums, results->leaves != NULL ? results->leaves + r * info->tree_count : NULL);
        if (results->classes != NULL)
            results->classes[r] = shw_record_class(info, sums);
    }
    return SHW_OK;
}

/* The state is the forest, which the parameters lend. */
static enum shw_result create(const struct shw_record_evaluator_params *params, void **state)
{
    *state = (void *)params->forest;
    return SHW_OK;
}

static void destroy(void *state)
{
    (void)state;
}

const struct shw_record_variant shw_record_variant_serial = {.create = create, .destroy = destroy, .run = run};
