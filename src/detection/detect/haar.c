/* HAAR: weighted sums of upright and tilted rectangles (Viola and Jones 2001, Lienhart 2002), as OpenCV tests them. */
#include "detection/detect/haar.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/simd.h"
#include "shared/detect_haar.h"

#define INSET 1u /* from the window's border to the rectangle whose deviation counts */

static void destroy(void *handle)
{
    struct shw_haar_walker *walker = handle;

    if (walker == NULL)
        return;
    shw_rectangles_free(&walker->rectangles);
    free(walker->features);
    free(walker);
}

static enum shw_result create(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **out)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    struct shw_haar_walker *walker = calloc(1, sizeof *walker);

    if (walker == NULL)
        return shw_fail_memory(log, "a detector");
    walker->info = info;
    walker->step = scan->step;
    walker->has_avx2 = shw_simd_level() >= SHW_SIMD_AVX2;
    for (uint32_t f = 0; f < info->feature_count; f++)
        walker->has_tilted |= info->features[f].tilted;
    walker->features = calloc((size_t)info->feature_count + 1, sizeof *walker->features);
    if (walker->features == NULL) {
        destroy(walker);
        return shw_fail_memory(log, "a detector");
    }
    *out = walker;
    return SHW_OK;
}

static void place_upright(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t pitch, uint32_t corners[4])
{
    corners[0] = y * pitch + x;
    corners[1] = corners[0] + width;
    corners[2] = corners[0] + height * pitch;
    corners[3] = corners[2] + width;
}

static void place_tilted(const struct shw_cascade_rectangle *rectangle, uint32_t pitch, uint32_t corners[4])
{
    uint32_t width = rectangle->width, height = rectangle->height;

    corners[0] = rectangle->y * pitch + rectangle->x;
    corners[1] = corners[0] + width * pitch + width;
    corners[2] = corners[0] + height * pitch - height;
    corners[3] = corners[1] + height * pitch - height;
}

static void place_feature(const struct shw_cascade_feature *from, uint32_t pitch, struct shw_haar_feature *feature)
{
    feature->count = from->rectangle_count;
    feature->is_tilted = from->tilted;
    for (uint32_t r = 0; r < from->rectangle_count; r++) {
        const struct shw_cascade_rectangle *rectangle = &from->rectangles[r];
        feature->weights[r] = rectangle->weight;
        if (from->tilted)
            place_tilted(rectangle, pitch, feature->corners[r]);
        else
            place_upright(rectangle->x, rectangle->y, rectangle->width, rectangle->height, pitch, feature->corners[r]);
    }
}

static enum shw_result resize(void *handle, const struct shw_detect_plan *plan, const struct shw_log *log)
{
    struct shw_haar_walker *walker = handle;
    uint32_t width = walker->info->window_width - 2 * INSET, height = walker->info->window_height - 2 * INSET;

    shw_rectangles_free(&walker->rectangles);
    for (uint32_t f = 0; f < walker->info->feature_count; f++)
        place_feature(&walker->info->features[f], plan->mipmap_width, &walker->features[f]);
    place_upright(INSET, INSET, width, height, plan->mipmap_width, walker->inside);
    walker->area = width * height;
    return shw_rectangles_create(plan, true, walker->has_tilted, log, &walker->rectangles);
}

static void prepare(void *handle, const uint8_t *grey, struct shw_thread_pool *pool)
{
    struct shw_haar_walker *walker = handle;

    shw_rectangles_make(&walker->rectangles, grey, pool);
}

static uint32_t sum_over(const uint32_t *integral, const uint32_t corners[4])
{
    return integral[corners[0]] - integral[corners[1]] - integral[corners[2]] + integral[corners[3]];
}

static void set_norms(const void *handle, struct shw_rectangles_windows *windows)
{
    const struct shw_haar_walker *walker = handle;

    for (uint32_t w = 0; w < windows->count; w++) {
        uint32_t sum = sum_over(walker->rectangles.sums + windows->base[w], walker->inside);
        uint32_t squares = sum_over(walker->rectangles.squares + windows->base[w], walker->inside);
        windows->norm[w] = shw_haar_norm(walker->area, sum, squares);
    }
}

static int32_t respond(const struct shw_haar_walker *walker, const struct shw_haar_feature *feature, int32_t base)
{
    const uint32_t *integral = (feature->is_tilted ? walker->rectangles.tilted : walker->rectangles.sums) + base;
    int32_t response = 0;

    for (uint32_t r = 0; r < feature->count; r++)
        response += feature->weights[r] * (int32_t)sum_over(integral, feature->corners[r]);
    return response;
}

static void add_tree(const void *handle, uint32_t tree, struct shw_rectangles_windows *windows)
{
    const struct shw_haar_walker *walker = handle;
    const struct shw_cascade_node *nodes = walker->info->nodes + walker->info->trees[tree].first_node;

    for (uint32_t w = 0; w < windows->count; w++) {
        const struct shw_cascade_node *node = nodes;
        while (node->is_split) {
            int32_t response = respond(walker, &walker->features[node->feature], windows->base[w]);
            node = nodes + node->left + shw_haar_is_right(response, node->threshold, windows->norm[w]);
        }
        windows->score[w] += node->value;
    }
}

static void walk(const void *handle, const struct shw_detect_band *band, struct shw_detect_tally *tally)
{
    const struct shw_haar_walker *walker = handle;
    size_t pitch = walker->rectangles.plan->mipmap_width;
    struct shw_rectangles_walk walk = {.info = walker->info,
                                       .walker = walker,
                                       .step = walker->step,
                                       .first = band->level->y * pitch + band->level->x,
                                       .pitch = pitch,
                                       .set_norms = set_norms,
                                       .add_tree = add_tree};

#if SHW_SIMD_X86
    if (walker->has_avx2) {
        walk.set_norms = shw_haar_set_norms_avx2;
        walk.add_tree = shw_haar_add_tree_avx2;
    }
#endif
    shw_rectangles_walk_band(&walk, band, tally);
}

const struct shw_detect_kind shw_detect_kind_haar = {.make_plan = shw_rectangles_plan,
                                                     .create = create,
                                                     .destroy = destroy,
                                                     .resize = resize,
                                                     .prepare = prepare,
                                                     .walk = walk};
