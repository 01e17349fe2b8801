/* LBP: local binary patterns of nine rectangles (Zhang 2007), as OpenCV tests them. */
#include "detection/detect/lbp.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/simd.h"
#include "shared/detect_lbp.h"

static void destroy(void *handle)
{
    struct shw_lbp_walker *walker = handle;

    if (walker == NULL)
        return;
    shw_rectangles_free(&walker->rectangles);
    free(walker->features);
    free(walker);
}

static enum shw_result create(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **out)
{
    struct shw_lbp_walker *walker = calloc(1, sizeof *walker);

    if (walker == NULL)
        return shw_fail_memory(log, "a detector");
    walker->info = shw_cascade_get_info(cascade);
    walker->step = scan->step;
    walker->has_avx2 = shw_simd_level() >= SHW_SIMD_AVX2;
    walker->features = calloc((size_t)walker->info->feature_count + 1, sizeof *walker->features);
    if (walker->features == NULL) {
        destroy(walker);
        return shw_fail_memory(log, "a detector");
    }
    *out = walker;
    return SHW_OK;
}

static enum shw_result resize(void *handle, const struct shw_detect_plan *plan, const struct shw_log *log)
{
    struct shw_lbp_walker *walker = handle;

    shw_rectangles_free(&walker->rectangles);
    for (uint32_t f = 0; f < walker->info->feature_count; f++) {
        const struct shw_cascade_rectangle *cell = &walker->info->features[f].rectangles[0];
        for (uint32_t i = 0; i < 16; i++)
            walker->features[f].corners[i / 4][i % 4] =
                (cell->y + i / 4 * cell->height) * plan->mipmap_width + cell->x + i % 4 * cell->width;
    }
    return shw_rectangles_create(plan, false, false, log, &walker->rectangles);
}

static void prepare(void *handle, const uint8_t *grey, struct shw_thread_pool *pool)
{
    struct shw_lbp_walker *walker = handle;

    shw_rectangles_make(&walker->rectangles, grey, pool);
}

static uint32_t find_pattern(const uint32_t *integral, const struct shw_lbp_feature *feature)
{
    uint32_t values[4][4], sums[9];

    for (uint32_t i = 0; i < 16; i++)
        values[i / 4][i % 4] = integral[feature->corners[i / 4][i % 4]];
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t y = i / 3, x = i % 3;
        sums[i] = values[y][x] - values[y][x + 1] - values[y + 1][x] + values[y + 1][x + 1];
    }
    return shw_lbp_pattern(sums);
}

static void add_tree(const void *handle, uint32_t tree, struct shw_rectangles_windows *windows)
{
    const struct shw_lbp_walker *walker = handle;
    const struct shw_cascade_node *nodes = walker->info->nodes + walker->info->trees[tree].first_node;

    for (uint32_t w = 0; w < windows->count; w++) {
        const struct shw_cascade_node *node = nodes;
        while (node->is_split) {
            const uint32_t *integral = walker->rectangles.sums + windows->base[w];
            uint32_t pattern = find_pattern(integral, &walker->features[node->feature]);
            node = nodes + node->left + (~node->subset[pattern / 32] >> pattern % 32 & 1u);
        }
        windows->score[w] += node->value;
    }
}

static void walk(const void *handle, const struct shw_detect_band *band, struct shw_detect_tally *tally)
{
    const struct shw_lbp_walker *walker = handle;
    size_t pitch = walker->rectangles.plan->mipmap_width;
    struct shw_rectangles_walk walk = {.info = walker->info,
                                       .walker = walker,
                                       .step = walker->step,
                                       .first = band->level->y * pitch + band->level->x,
                                       .pitch = pitch,
                                       .add_tree = add_tree};

#if SHW_SIMD_X86
    if (walker->has_avx2)
        walk.add_tree = shw_lbp_add_tree_avx2;
#endif
    shw_rectangles_walk_band(&walk, band, tally);
}

const struct shw_detect_kind shw_detect_kind_lbp = {.make_plan = shw_rectangles_plan,
                                                    .create = create,
                                                    .destroy = destroy,
                                                    .resize = resize,
                                                    .prepare = prepare,
                                                    .walk = walk};
