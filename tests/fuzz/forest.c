/* Fuzz target: forest files. What is accepted must be a forest, and the same one again after saving. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>

#include "fuzz/target.h"
#include "testing/forest_seal.h"

static void look_at(const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);

    for (uint32_t t = 0; t < info->tree_count; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(forest, t);
        for (uint32_t n = 0; n < tree.node_count; n++) {
            struct shw_node node = shw_forest_get_node(forest, t, n);
            if (node.is_split ? node.left <= n || node.left + 1 >= tree.node_count : node.leaf >= tree.leaf_count)
                abort();
        }
        for (uint32_t l = 0; l < tree.leaf_count; l++) {
            uint32_t sum = 0;
            for (uint32_t c = 0; c < info->class_count; c++)
                sum += shw_forest_get_distribution(forest, t, l)[c];
            if (sum != 65535)
                abort();
        }
    }
}

static void try_load(const uint8_t *data, size_t size)
{
    struct shw_forest *forest = NULL, *again = NULL;
    void *saved;
    size_t saved_size;

    if (shw_forest_load_memory(data, size, "fuzz", NULL, &forest) != SHW_OK) {
        if (forest != NULL)
            abort();
        return;
    }
    look_at(forest);
    if (shw_forest_save_memory(forest, &saved, &saved_size) != SHW_OK ||
        shw_forest_load_memory(saved, saved_size, "again", NULL, &again) != SHW_OK ||
        shw_forest_hash(forest) != shw_forest_hash(again))
        abort();
    free(saved);
    shw_forest_destroy(&again);
    shw_forest_destroy(&forest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1); /* of exactly this size, so that a read behind the end is seen */

    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    try_load(copy, size);
    if (testing_forest_seal(copy, size))
        try_load(copy, size);
    free(copy);
    return 0;
}
