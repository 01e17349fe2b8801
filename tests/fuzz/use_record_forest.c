#include "fuzz/use_record_forest.h"

#include <math.h>
#include <stdlib.h>

#include <shadewood/shadewood.h>

enum { RECORDS = 9 };

/* Both children of every split lie behind it in its tree, a walk of as many steps as the tree is deep ends at a leaf,
 * and the values of its leaves lie in the texture. */
static void check_tree(const struct shw_record_forest *forest, uint32_t t)
{
    const struct shw_record_forest_texture texture = shw_record_forest_get_texture(forest);
    const uint32_t *texels = texture.texels, *tree = texels + 4 * (2 + 2 * (size_t)t);
    uint64_t words = (uint64_t)4 * texture.width * texture.height * texture.layers, values_end;
    uint32_t n = 0;

    for (uint32_t i = 0; i < tree[1]; i++) {
        const uint32_t *node = texels + 4 * ((size_t)tree[0] + i);
        bool is_split = (node[1] >> 24 & 1u) != 0;
        if (is_split ? node[0] <= i || node[0] + 1 >= tree[1] || (node[1] & 0xffffffu) >= texels[4]
                     : node[0] != i || node[2] >= tree[5])
            abort();
    }
    for (uint32_t d = 0; d < tree[2]; d++) {
        uint32_t left = texels[4 * ((size_t)tree[0] + n)];
        n = left != n ? left + (d & 1) : n;
    }
    values_end = (uint64_t)4 * texels[2] + ((uint64_t)tree[3] + tree[5]) * texels[5];
    if (shw_record_forest_get_info(forest)->set_word_count != texels[7])
        abort();
    if (texels[4 * ((size_t)tree[0] + n)] != n || values_end > words)
        abort();
}

static void evaluate(const struct shw_record_forest *forest, enum shw_record_technique technique)
{
    static const float numbers[] = {0,      -0.0f, 1,       -1, NAN,  INFINITY, -INFINITY,
                                    1e-35f, 3e38f, -1e-40f, 42, 7.5f, -0.5f,    16777215};
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = technique, .threads = 1};
    struct shw_record_evaluator *evaluator = NULL;
    size_t count = (size_t)RECORDS * info->attribute_count;
    float *values = malloc(count * sizeof *values);
    struct shw_record_results results = {
        .classes = info->class_count > 0 ? malloc(RECORDS * sizeof *results.classes) : NULL,
        .leaves = malloc((size_t)RECORDS * info->tree_count * sizeof *results.leaves),
        .predictions =
            malloc((size_t)RECORDS * shw_record_forest_get_prediction_count(forest) * sizeof *results.predictions),
    };

    if (values == NULL || results.leaves == NULL || results.predictions == NULL)
        abort();
    for (size_t v = 0; v < count; v++)
        values[v] = numbers[(v * 2654435761u >> 7) % (sizeof numbers / sizeof *numbers)];
    if (shw_record_evaluator_create(&params, &evaluator) != SHW_OK ||
        shw_record_evaluator_run(
            evaluator,
            &(struct shw_records){.values = values, .count = RECORDS, .attribute_count = info->attribute_count},
            &results) != SHW_OK)
        abort();
    for (uint32_t r = 0; r < RECORDS; r++) {
        if (results.classes != NULL && results.classes[r] >= info->class_count)
            abort();
        for (uint32_t t = 0; t < info->tree_count; t++)
            if (results.leaves[(size_t)r * info->tree_count + t] >= info->trees[t].leaf_count)
                abort();
    }
    shw_record_evaluator_destroy(&evaluator);
    free(results.classes);
    free(results.leaves);
    free(results.predictions);
    free(values);
}

static void save_and_load(const struct shw_record_forest *forest)
{
    struct shw_record_forest *again = NULL;
    void *saved;
    size_t size;

    if (shw_record_forest_save_memory(forest, &saved, &size) != SHW_OK ||
        shw_record_forest_load_memory(saved, size, "again", NULL, &again) != SHW_OK ||
        shw_record_forest_hash(forest) != shw_record_forest_hash(again))
        abort();
    free(saved);
    shw_record_forest_destroy(&again);
}

void fuzz_use_record_forest(const struct shw_record_forest *forest)
{
    for (uint32_t t = 0; t < shw_record_forest_get_info(forest)->tree_count; t++)
        check_tree(forest, t);
    evaluate(forest, SHW_RECORD_SERIAL);
    if (shw_record_forest_get_info(forest)->set_word_count > 0)
        evaluate(forest, SHW_RECORD_CPU);
    save_and_load(forest);
}
