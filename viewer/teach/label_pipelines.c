#include "teach/label_pipelines.h"

#include <stdlib.h>

#include <shadewood/label.h>

enum { SIDE = 16 };

/* A forest whose trees are single leaves: pipelines depend only on the number of trees. */
static enum shw_result make_forest(uint32_t trees, struct shw_forest **forest)
{
    static const struct shw_node leaf = {0};
    static const uint16_t certain = UINT16_MAX;
    struct shw_forest_params params = {.info = {.class_count = 1, .tree_count = trees}};
    struct shw_tree *list = calloc(trees, sizeof *list);
    enum shw_result result;

    if (list == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t t = 0; t < trees; t++)
        list[t] = (struct shw_tree){.nodes = &leaf, .node_count = 1, .distributions = &certain};
    params.trees = list;
    result = shw_forest_create(&params, forest);
    free(list);
    return result;
}

void view_label_pipelines_make(struct shw_device *device, uint32_t trees)
{
    struct shw_labeller_params params = {.device = device,
                                         .outputs = SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION,
                                         .width = SIDE,
                                         .height = SIDE,
                                         .slots = 1};
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forest = NULL;

    if (make_forest(trees, &forest) != SHW_OK)
        return;
    params.forest = forest;
    shw_labeller_create(&params, &labeller);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
}
