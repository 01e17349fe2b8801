#include "evaluate/evaluate_cpu.h"

#include <stdlib.h>
#include <string.h>

struct work {
    const struct shw_evaluate_tile *tile;
    const struct shw_forest_info *info;
    uint32_t *leaves; /* a thread: trees * tile_width */
    uint32_t *sums;   /* a thread: classes */
};

static void add_distribution(uint32_t *sums, const uint16_t *distribution, uint32_t classes)
{
    for (uint32_t c = 0; c < classes; c++)
        sums[c] += distribution[c];
}

static uint32_t largest(const uint32_t *sums, uint32_t classes)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < classes; c++)
        if (sums[c] > sums[best])
            best = c;
    return best;
}

/* Distribution and argmax of one row, from its leaves. */
static void combine_row(const struct work *work, const uint32_t *leaves, uint32_t *sums, size_t out)
{
    const struct shw_evaluate_tile *tile = work->tile;
    uint32_t classes = work->info->class_count, trees = work->info->tree_count;
    size_t plane = (size_t)tile->out_width * tile->out_height;

    for (uint32_t i = 0; i < tile->tile_width; i++) {
        memset(sums, 0, classes * sizeof *sums);
        for (uint32_t t = 0; t < trees; t++)
            add_distribution(sums, shw_forest_get_distribution(tile->forest, t, leaves[(size_t)t * tile->tile_width + i]),
                             classes);
        if (tile->out.argmax != NULL)
            tile->out.argmax[out + i] = (uint16_t)largest(sums, classes);
        if (tile->out.distribution != NULL)
            for (uint32_t c = 0; c < classes; c++)
                tile->out.distribution[c * plane + out + i] = (uint16_t)((2 * sums[c] + trees) / (2 * trees));
    }
}

static void evaluate_row(void *user, uint32_t row, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_evaluate_tile *tile = work->tile;
    bool needs_all = tile->out.forest_leaves != NULL || tile->out.distribution != NULL || tile->out.argmax != NULL;
    uint32_t trees = needs_all ? work->info->tree_count : 1;
    uint32_t *leaves = work->leaves + (size_t)thread * work->info->tree_count * tile->tile_width;
    size_t plane = (size_t)tile->out_width * tile->out_height;
    size_t out = (size_t)(tile->out_y + row) * tile->out_width + tile->out_x;
    size_t bytes = tile->tile_width * sizeof *leaves;

    for (uint32_t t = 0; t < trees; t++) {
        uint32_t *tree_leaves = leaves + (size_t)t * tile->tile_width;
        uint32_t y = tile->y + row, done = shw_evaluate_row_avx2(tile, t, tile->x, y, tile->tile_width, tree_leaves);
        if (work->info->feature == SHW_FEATURE_MEAN_DIFFERENCE)
            shw_evaluate_row_mean(tile, t, tile->x + done, y, tile->tile_width - done, tree_leaves + done);
        else
            shw_evaluate_row_sum(tile, t, tile->x + done, y, tile->tile_width - done, tree_leaves + done);
        if (tile->out.forest_leaves != NULL)
            memcpy(tile->out.forest_leaves + t * plane + out, tree_leaves, bytes);
    }
    if (tile->out.tree_leaf != NULL)
        memcpy(tile->out.tree_leaf + out, leaves, bytes);
    if (tile->out.distribution != NULL || tile->out.argmax != NULL)
        combine_row(work, leaves, work->sums + (size_t)thread * work->info->class_count, out);
}

enum shw_result shw_evaluate_cpu(const struct shw_evaluate_tile *tile, struct shw_thread_pool *pool)
{
    struct work work = {.tile = tile, .info = shw_forest_get_info(tile->forest)};
    size_t threads = shw_thread_pool_size(pool);

    work.leaves = malloc(threads * work.info->tree_count * tile->tile_width * sizeof *work.leaves);
    work.sums = malloc(threads * work.info->class_count * sizeof *work.sums);
    if (work.leaves != NULL && work.sums != NULL)
        shw_thread_pool_run(pool, tile->tile_height, evaluate_row, &work);
    free(work.leaves);
    free(work.sums);
    return work.leaves != NULL && work.sums != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}
