#include "dense/feature/evaluate_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/ferns.h"
#include "dense/traverse/combine_cpu.h"
#include "dense/traverse/evaluate_techniques.h"

struct work {
    enum shw_simd simd;       /* of everything, */
    enum shw_simd trees_simd; /* and of the descent */
    const struct shw_evaluate_tile *tile;
    const struct shw_forest_info *info;
    uint32_t width, height; /* evaluated pixels */
    uint32_t columns;       /* of patches */
    uint32_t *leaves;       /* per thread: trees * PATCH_PIXELS */
    uint32_t *combine_memory;
    size_t combine_count; /* per thread */
    uint64_t *blocks;
    size_t block_count; /* per thread */
};

#define PATCH_PIXELS ((size_t)SHW_PATCH_WIDTH * SHW_PATCH_HEIGHT)

static void find_leaves(const struct work *work, const struct shw_evaluate_patch *patch, uint32_t tree, uint32_t thread,
                        uint32_t *leaves)
{
    static const uint32_t widths[] = {[SHW_SIMD_PORTABLE] = SHW_PATCH_WIDTH_PORTABLE,
                                      [SHW_SIMD_AVX2] = SHW_PATCH_WIDTH_AVX2,
                                      [SHW_SIMD_AVX512] = SHW_PATCH_WIDTH_AVX512};
    const struct shw_feature_vectors *fast = work->info->feature->fast;
    uint64_t *blocks = work->blocks + thread * work->block_count;

    for (uint32_t simd = fast != NULL ? work->trees_simd : SHW_SIMD_NONE; simd > SHW_SIMD_NONE; simd--)
        if (fast->patch[simd] != NULL && patch->width >= widths[simd]) {
            fast->patch[simd](patch, tree, blocks, leaves);
            return;
        }
    for (uint32_t row = 0; row < patch->height; row++, leaves += patch->width)
        work->info->feature->code->evaluate_row(patch->tile, tree, patch->x, patch->y + row * patch->tile->step,
                                                patch->width, leaves);
}

static void evaluate_patch(void *user, uint32_t index, uint32_t thread)
{
    const struct work *work = user;
    const struct shw_evaluate_tile *tile = work->tile;
    bool needs_all = tile->out.forest_leaves != NULL || tile->out.distribution != NULL || tile->out.argmax != NULL;
    uint32_t trees = needs_all ? work->info->tree_count : 1;
    uint32_t x = index % work->columns * SHW_PATCH_WIDTH, y = index / work->columns * SHW_PATCH_HEIGHT;
    uint32_t width = work->width - x < SHW_PATCH_WIDTH ? work->width - x : SHW_PATCH_WIDTH;
    uint32_t height = work->height - y < SHW_PATCH_HEIGHT ? work->height - y : SHW_PATCH_HEIGHT;
    struct shw_evaluate_patch patch = {tile, tile->x + x * tile->step, tile->y + y * tile->step, width, height};
    uint32_t *leaves = work->leaves + thread * work->info->tree_count * PATCH_PIXELS;
    size_t plane = (size_t)tile->out_width * tile->out_height, bytes = width * sizeof *leaves;

    for (uint32_t t = 0; t < trees; t++)
        find_leaves(work, &patch, t, thread, leaves + t * PATCH_PIXELS);
    for (uint32_t row = 0; row < height; row++, leaves += width) {
        size_t out = (size_t)(tile->out_y + y + row) * tile->out_width + tile->out_x + x;
        if (tile->out.tree_leaf != NULL)
            memcpy(tile->out.tree_leaf + out, leaves, bytes);
        if (tile->out.forest_leaves != NULL)
            for (uint32_t t = 0; t < trees; t++)
                memcpy(tile->out.forest_leaves + t * plane + out, leaves + t * PATCH_PIXELS, bytes);
        if (tile->out.distribution != NULL || tile->out.argmax != NULL) {
            struct shw_combining combining = {.forest = tile->forest,
                                              .leaves = leaves,
                                              .leaf_pitch = PATCH_PIXELS,
                                              .count = width,
                                              .argmax = tile->out.argmax != NULL ? tile->out.argmax + out : NULL,
                                              .distribution =
                                                  tile->out.distribution != NULL ? tile->out.distribution + out : NULL,
                                              .plane = plane};
            shw_combine(&combining, work->combine_memory + thread * work->combine_count, work->simd);
        }
    }
}

/* Vector code of types that read depth indexes all channels with 31 bits. */
static bool can_index(const struct shw_evaluate_tile *tile, const struct shw_forest_info *info)
{
    size_t pitch = ((size_t)tile->width + 1) * ((size_t)tile->height + 1);

    return !info->feature->reads_depth || pitch * info->channel_list->channel_count < (size_t)1 << 31;
}

enum shw_result shw_evaluate_cpu(const struct shw_evaluate_tile *of, struct shw_thread_pool *pool)
{
    struct shw_evaluate_tile filled = *of, *tile = &filled;
    struct work work = {.tile = tile, .info = shw_forest_get_info(tile->forest), .simd = shw_simd_level()};
    uint32_t rows, depth = 0;
    size_t threads = shw_thread_pool_size(pool);
    enum shw_result result = SHW_ERROR_MEMORY;

    filled.texels = shw_forest_get_texture(of->forest).texels;
    filled.ferns = shw_forest_get_ferns(of->forest);
    for (uint32_t t = 0; t < work.info->tree_count; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(tile->forest, t);
        depth = tree.depth > depth ? tree.depth : depth;
    }
    work.trees_simd = can_index(tile, work.info) ? work.simd : SHW_SIMD_NONE;
    work.width = (tile->tile_width - 1) / tile->step + 1;
    work.height = (tile->tile_height - 1) / tile->step + 1;
    work.columns = (work.width + SHW_PATCH_WIDTH - 1) / SHW_PATCH_WIDTH;
    rows = (work.height + SHW_PATCH_HEIGHT - 1) / SHW_PATCH_HEIGHT;
    work.block_count = shw_evaluate_block_count(depth);
    work.leaves = malloc(threads * work.info->tree_count * PATCH_PIXELS * sizeof *work.leaves);
    work.combine_count = shw_combine_memory(work.info->class_count);
    work.combine_memory = malloc(threads * work.combine_count * sizeof *work.combine_memory);
    work.blocks = malloc(threads * work.block_count * sizeof *work.blocks);
    if (work.leaves == NULL || work.combine_memory == NULL || work.blocks == NULL)
        goto fail;
    shw_thread_pool_run(pool, rows * work.columns, evaluate_patch, &work);
    result = SHW_OK;

fail:
    free(work.blocks);
    free(work.combine_memory);
    free(work.leaves);
    return result;
}

static enum shw_result run(void *user, const struct shw_stage_host_frame *frame)
{
    const struct shw_stage_frame *at = &frame->frame;
    const struct shw_stage_planes *integrated = shw_stage_find(&frame->planes, SHW_INTEGRALS);
    const struct shw_evaluate_tile tile = {
        .forest = frame->forest.forest,
        .planes = (integrated->host != NULL ? integrated : shw_stage_find(&frame->planes, SHW_CHANNELS))->host,
        .width = at->width,
        .height = at->height,
        .image = {-(int32_t)at->x, -(int32_t)at->y, (int32_t)at->full_width - (int32_t)at->x,
                  (int32_t)at->full_height - (int32_t)at->y},
        .x = at->tile_x,
        .y = at->tile_y,
        .tile_width = at->tile_width,
        .tile_height = at->tile_height,
        .step = frame->step,
        .out = frame->out,
        .out_width = frame->out_width,
        .out_height = frame->out_height,
        .out_x = frame->out_x,
        .out_y = frame->out_y,
    };

    (void)user;
    return shw_evaluate_cpu(&tile, frame->pool) == SHW_OK ? SHW_OK : shw_fail_memory(&frame->log, "an evaluation");
}

const struct shw_stage_technique shw_evaluate_cpu_technique = {.version = SHW_STAGE_TECHNIQUE_VERSION,
                                                               .name = "cpu",
                                                               .stage = SHW_STAGE_EVALUATE,
                                                               .form = SHW_PLANES_HOST,
                                                               .run = run};
