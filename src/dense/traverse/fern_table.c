#include "dense/traverse/fern_table.h"

#include <string.h>

#include "dense/forest/ferns.h"
#include "dense/traverse/walk_nodes.h"
#include "shared/forest_texture.h"

static uint32_t leaf_texels(const struct shw_fern *fern)
{
    return ((1u << fern->levels) + 3) / 4;
}

uint64_t shw_fern_table_texels(const struct shw_forest *forest, uint32_t trees, uint32_t test_texels)
{
    const struct shw_fern *ferns = shw_forest_get_ferns(forest);
    uint64_t texels = trees;

    for (uint32_t t = 0; ferns != NULL && t < trees; t++)
        texels += (uint64_t)test_texels * ferns[t].levels + leaf_texels(&ferns[t]);
    return ferns != NULL ? texels : 0;
}

void shw_fern_table_write(const struct shw_forest *forest, uint32_t trees, uint32_t test_texels, uint32_t stride,
                          uint32_t pitch, uint32_t *words)
{
    const struct shw_feature_type *type = shw_forest_get_info(forest)->feature;
    const struct shw_fern *ferns = shw_forest_get_ferns(forest);
    const uint32_t *texels = shw_forest_get_texture(forest).texels;
    uint32_t next = trees;

    for (uint32_t t = 0; t < trees; t++) {
        const struct shw_fern *fern = &ferns[t];
        uint32_t tests = next, table = tests + test_texels * fern->levels;
        const uint32_t entry[4] = {tests, fern->levels, texels[4 * (1 + (size_t)t) + 3], 4 * table};
        memcpy(words + 4 * (size_t)t, entry, sizeof entry);
        for (uint32_t l = 0; l < fern->levels; l++)
            shw_walk_node_write(fern->tests + (size_t)4 * SHW_NODE_TEXELS * l, 0, type, test_texels, stride, pitch,
                                words + 4 * ((size_t)tests + (size_t)test_texels * l));
        memcpy(words + 4 * (size_t)table, fern->leaves, sizeof *words << fern->levels);
        next = table + leaf_texels(fern);
    }
}
