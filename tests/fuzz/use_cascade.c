#include "fuzz/use_cascade.h"

#include <stdlib.h>

#include <shadewood/shadewood.h>

enum { WIDTH = 40, HEIGHT = 34 };

/* Both children of every node lie in its tree, and a walk of as many steps as the tree is deep ends at a leaf. */
static void check_tree(const struct shw_cascade_info *info, const uint32_t *texels, uint32_t t)
{
    const uint32_t *tree = texels + 4 * (2 + (size_t)info->stage_count + t);
    uint32_t k = info->kind == SHW_CASCADE_LBP ? 3 : 1, deepest = 0, n = 0;

    for (uint32_t i = 0; i < tree[1]; i++) {
        const uint32_t *node = texels + 4 * (tree[0] + (size_t)k * i);
        if (node[2] != i && (node[2] <= i || node[2] + 1 >= tree[1]))
            abort();
    }
    for (; deepest < tree[2]; deepest++) {
        uint32_t left = texels[4 * (tree[0] + (size_t)k * n) + 2];
        n = left != n ? left + (deepest & 1) : n;
    }
    if (texels[4 * (tree[0] + (size_t)k * n) + 2] != n)
        abort();
}

static void find(const struct shw_cascade *cascade)
{
    struct shw_detector_params params = {.cascade = cascade, .technique = SHW_TECHNIQUE_CPU, .threads = 1};
    uint8_t pixels[WIDTH * HEIGHT];
    const struct shw_image image = {.pixels = pixels, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_GREY8};
    struct shw_detector *detector = NULL;
    struct shw_detections found = {0};

    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)(i * 2654435761u >> 11);
    if (shw_detector_create(&params, &detector) != SHW_OK || shw_detector_run(detector, &image, &found) != SHW_OK ||
        found.count > shw_detector_count_windows(detector, WIDTH, HEIGHT))
        abort();
    for (uint32_t i = 0; i < found.count; i++)
        if (found.items[i].x < 0 || found.items[i].y < 0 || found.items[i].width > WIDTH ||
            found.items[i].height > HEIGHT)
            abort();
    free(found.items);
    shw_detector_destroy(&detector);
}

static void save_and_load(const struct shw_cascade *cascade)
{
    struct shw_cascade *again = NULL;
    void *saved;
    size_t size;

    if (shw_cascade_save_memory(cascade, &saved, &size) != SHW_OK ||
        shw_cascade_load_memory(saved, size, "again", NULL, &again) != SHW_OK ||
        shw_cascade_hash(cascade) != shw_cascade_hash(again))
        abort();
    free(saved);
    shw_cascade_destroy(&again);
}

void fuzz_use_cascade(const struct shw_cascade *cascade)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);

    for (uint32_t t = 0; t < info->tree_count; t++)
        check_tree(info, shw_cascade_get_texture(cascade).texels, t);
    find(cascade);
    save_and_load(cascade);
}
