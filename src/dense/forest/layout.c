#include "dense/forest/forest.h"

#define WIDTH_MIN 16u

static uint64_t rows_of(uint64_t texels, uint32_t width)
{
    return (texels + width - 1) / width;
}

static uint64_t count_rows(const struct shw_forest_tree *trees, uint32_t tree_count, uint64_t distribution_texels,
                           uint32_t width)
{
    uint64_t rows = rows_of(1 + (uint64_t)tree_count, width) + rows_of(distribution_texels, width);

    for (uint32_t t = 0; t < tree_count; t++)
        rows += rows_of((uint64_t)SHW_NODE_TEXELS * trees[t].node_count, width);
    return rows;
}

bool shw_forest_place(struct shw_forest_tree *trees, uint32_t tree_count, uint32_t class_count,
                      struct shw_forest_layout *layout)
{
    uint64_t leaves = 0, distribution_texels, rows, row;
    uint32_t width = WIDTH_MIN;

    for (uint32_t t = 0; t < tree_count; t++)
        leaves += trees[t].leaf_count;
    distribution_texels = leaves * SHW_DISTRIBUTION_TEXELS(class_count);

    /* the narrowest texture that is not taller than wide: sampling stays local and small forests stay small */
    rows = count_rows(trees, tree_count, distribution_texels, width);
    while (rows > width && width < SHW_TEXTURE_SIZE_MAX) {
        width *= 2;
        rows = count_rows(trees, tree_count, distribution_texels, width);
    }
    if (rows > (uint64_t)SHW_TEXTURE_SIZE_MAX * SHW_TEXTURE_LAYERS_MAX)
        return false;

    layout->width = width;
    layout->height = rows < SHW_TEXTURE_SIZE_MAX ? (uint32_t)rows : SHW_TEXTURE_SIZE_MAX;
    layout->layers = (uint32_t)rows_of(rows, SHW_TEXTURE_SIZE_MAX);
    layout->leaf_count = (uint32_t)leaves;
    row = rows_of(1 + (uint64_t)tree_count, width);
    leaves = 0;
    for (uint32_t t = 0; t < tree_count; t++) {
        trees[t].first = (uint32_t)(row * width);
        trees[t].first_leaf = (uint32_t)leaves;
        row += rows_of((uint64_t)SHW_NODE_TEXELS * trees[t].node_count, width);
        leaves += trees[t].leaf_count;
    }
    layout->distributions = (uint32_t)(row * width);
    return true;
}

uint32_t shw_forest_texel_count(const struct shw_forest_layout *layout)
{
    return layout->width * layout->height * layout->layers;
}
