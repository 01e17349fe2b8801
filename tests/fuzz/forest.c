/* Fuzz target: forest files. What is accepted must be a forest, label, and be the same one again after saving. */
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "testing/forest_seal.h"

enum { WIDTH = 9, HEIGHT = 7 };

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

static struct shw_inputs make_inputs(const struct shw_forest *forest, struct shw_input list[SHW_INPUTS_MAX])
{
    static uint16_t samples[WIDTH * HEIGHT];
    struct shw_inputs inputs = {.inputs = list};
    const char *name;

    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        samples[i] = (uint16_t)(i * 2654435761u >> 9);
    while (inputs.count < SHW_INPUTS_MAX && (name = shw_forest_get_input(forest, inputs.count)) != NULL)
        list[inputs.count++] = (struct shw_input){
            .name = name, .image = {.pixels = samples, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_GREY16}};
    return inputs;
}

/* Every pixel has a leaf of the first tree and a class. */
static void label(const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_labeller_params params = {
        .forest = forest, .outputs = SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_ARGMAX, .threads = 1};
    uint32_t leaves[WIDTH * HEIGHT];
    uint16_t classes[WIDTH * HEIGHT];
    struct shw_input list[SHW_INPUTS_MAX];
    struct shw_inputs inputs = make_inputs(forest, list);
    struct shw_labeller *labeller = NULL;

    if (shw_labeller_create(&params, &labeller) != SHW_OK ||
        shw_labeller_run(labeller, &inputs, &(struct shw_labelling){.tree_leaf = leaves, .argmax = classes}) != SHW_OK)
        abort();
    for (uint32_t p = 0; p < WIDTH * HEIGHT; p++)
        if (leaves[p] >= shw_forest_get_tree(forest, 0).leaf_count || classes[p] >= info->class_count)
            abort();
    shw_labeller_destroy(&labeller);
}

static void save_and_load(const struct shw_forest *forest)
{
    struct shw_forest *again = NULL;
    void *saved;
    size_t size;

    if (shw_forest_save_memory(forest, &saved, &size) != SHW_OK ||
        shw_forest_load_memory(saved, size, "again", NULL, &again) != SHW_OK ||
        shw_forest_hash(forest) != shw_forest_hash(again))
        abort();
    free(saved);
    shw_forest_destroy(&again);
}

void fuzz_seal(uint8_t *bytes, size_t size)
{
    testing_forest_seal(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_forest_load_params params = {.log = fuzz_log(&messages)};
    struct shw_forest *forest = NULL;
    enum shw_result result = shw_forest_load_memory(data, size, FUZZ_NAME, &params, &forest);

    fuzz_check(result, &messages);
    if ((result == SHW_OK) != (forest != NULL))
        abort();
    if (result != SHW_OK)
        return 0;
    look_at(forest);
    label(forest);
    save_and_load(forest);
    shw_forest_destroy(&forest);
    return 0;
}
