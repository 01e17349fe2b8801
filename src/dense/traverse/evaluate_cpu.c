#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "base/log.h"
#include "dense/feature/evaluate_cpu.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/ferns.h"
#include "dense/forest/forest.h"
#include "dense/traverse/evaluate_stage.h"

/* Combines the leaves of each pixel into its distribution and its class. */

/* Adjacent pixels of one row. */
struct combining {
    const struct shw_forest *forest;
    const uint32_t *leaves; /* [tree * leaf_pitch + pixel] */
    size_t leaf_pitch;
    uint32_t count;
    uint16_t *argmax;       /* or NULL */
    uint16_t *distribution; /* or NULL; [class * plane + pixel] */
    size_t plane;
};

/* Elements of scratch memory that combine() needs. */
static inline size_t combine_memory(uint32_t classes)
{
    return classes + 32u;
}

static void add_distribution(uint32_t *sums, const uint16_t *distribution, uint32_t classes)
{
    for (uint32_t c = 0; c < classes; c++)
        sums[c] += distribution[c];
}

static uint32_t largest(const uint32_t *sums, uint32_t classes)
{
    uint32_t best = SHW_LABEL_VOID, most = 0;

    for (uint32_t c = 0; c < classes; c++)
        if (sums[c] > most) {
            most = sums[c];
            best = c;
        }
    return best;
}

static void combine_portable(const struct combining *combining, uint32_t *sums)
{
    const struct shw_forest_info *info = shw_forest_get_info(combining->forest);
    uint32_t classes = info->class_count, trees = info->tree_count;

    for (uint32_t i = 0; i < combining->count; i++) {
        memset(sums, 0, classes * sizeof *sums);
        for (uint32_t t = 0; t < trees && combining->leaves[i] != SHW_LEAF_NONE; t++)
            add_distribution(
                sums, shw_forest_get_values(combining->forest, t, combining->leaves[t * combining->leaf_pitch + i]),
                classes);
        if (combining->argmax != NULL)
            combining->argmax[i] = (uint16_t)largest(sums, classes);
        if (combining->distribution != NULL)
            for (uint32_t c = 0; c < classes; c++)
                combining->distribution[c * combining->plane + i] = (uint16_t)((2 * sums[c] + trees) / (2 * trees));
    }
}

#if SHW_SIMD_X86
#include <immintrin.h>

#define AVX2   __attribute__((target("avx2"), always_inline)) static inline
#define GROUP  SHW_CLASSES_PER_TEXEL /* classes per vector */
#define GROUPS 4u                    /* vectors summed at a time */

/* Compensates for the rounding of the reciprocal, as rectangle_patch.h does. */
#define RECIPROCAL_LIFT (1.0 + 0x1p-40)

/* Shared by all pixels. */
struct tables {
    const uint16_t *distributions; /* of the first leaf of the first tree; all trees follow it */
    const uint32_t *texels;
    size_t stride; /* from one leaf to the next */
    uint32_t trees, classes;
    __m256i last; /* the last group: all bits set in the lanes that hold classes */
};

AVX2 uint32_t first_leaf(const struct tables *tables, uint32_t tree)
{
    return tables->texels[4 * (1 + (size_t)tree) + 3];
}

/* Sums `groups` groups of classes over the trees. */
AVX2 void sum_groups(const struct combining *combining, const struct tables *tables, uint32_t pixel, uint32_t group,
                     uint32_t groups, __m256i *sums)
{
    for (uint32_t g = 0; g < groups; g++)
        sums[g] = _mm256_setzero_si256();
    for (uint32_t t = 0; t < tables->trees && combining->leaves[pixel] != SHW_LEAF_NONE; t++) {
        size_t leaf = (size_t)first_leaf(tables, t) + combining->leaves[t * combining->leaf_pitch + pixel];
        const uint16_t *values = tables->distributions + leaf * tables->stride + (size_t)group * GROUP;
        for (uint32_t g = 0; g < groups; g++) {
            __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)(values + (size_t)g * GROUP));
            sums[g] = _mm256_add_epi32(sums[g], _mm256_cvtepu16_epi32(eight));
        }
    }
    if ((group + groups) * GROUP >= tables->classes)
        sums[groups - 1] = _mm256_and_si256(sums[groups - 1], tables->last);
}

AVX2 __m256i largest_lane(__m256i values)
{
    values = _mm256_max_epu32(values, _mm256_permute2x128_si256(values, values, 1));
    values = _mm256_max_epu32(values, _mm256_shuffle_epi32(values, 0x4e));
    return _mm256_max_epu32(values, _mm256_shuffle_epi32(values, 0xb1));
}

/* Returns the index of the first largest sum, and that sum in every lane. */
AVX2 uint32_t find_largest(const __m256i *sums, uint32_t groups, __m256i *largest)
{
    uint32_t places = 0;

    *largest = sums[0];
    for (uint32_t g = 1; g < groups; g++)
        *largest = _mm256_max_epu32(*largest, sums[g]);
    *largest = largest_lane(*largest);
    for (uint32_t g = 0; g < groups; g++) {
        __m256i equal = _mm256_cmpeq_epi32(sums[g], *largest);
        places |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << (g * GROUP);
    }
    return (uint32_t)__builtin_ctz(places);
}

/* Means of eight sums, rounded to nearest: (2 sum + trees) / (2 trees). */
AVX2 __m256i mean_of(__m256i sums, uint32_t trees)
{
    __m256i doubled = _mm256_add_epi32(_mm256_add_epi32(sums, sums), _mm256_set1_epi32((int32_t)trees));
    __m256d reciprocal = _mm256_set1_pd(RECIPROCAL_LIFT / (2.0 * trees));
    __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(doubled));
    __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(doubled, 1));

    return _mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_mul_pd(high, reciprocal)),
                            _mm256_cvttpd_epi32(_mm256_mul_pd(low, reciprocal)));
}

struct pixel {
    uint32_t number, largest, argmax;
    uint32_t *means;
};

AVX2 void combine_groups(const struct combining *combining, const struct tables *tables, struct pixel *pixel,
                         uint32_t group, uint32_t groups)
{
    __m256i sums[GROUPS], largest;
    uint32_t place, value;

    sum_groups(combining, tables, pixel->number, group, groups, sums);
    if (combining->distribution != NULL)
        for (uint32_t g = 0; g < groups; g++)
            _mm256_storeu_si256((__m256i *)(void *)(pixel->means + (size_t)(group + g) * GROUP),
                                mean_of(sums[g], tables->trees));
    place = find_largest(sums, groups, &largest);
    value = (uint32_t)_mm256_cvtsi256_si32(largest);
    if (value > pixel->largest) {
        pixel->largest = value;
        pixel->argmax = group * GROUP + place;
    }
}

AVX2 void combine_pixel(const struct combining *combining, const struct tables *tables, struct pixel *pixel)
{
    uint32_t group = 0, count = (tables->classes + GROUP - 1) / GROUP;

    for (; count - group > GROUPS; group += GROUPS)
        combine_groups(combining, tables, pixel, group, GROUPS);
    switch (count - group) {
    case 1: combine_groups(combining, tables, pixel, group, 1); break;
    case 2: combine_groups(combining, tables, pixel, group, 2); break;
    case 3: combine_groups(combining, tables, pixel, group, 3); break;
    default: combine_groups(combining, tables, pixel, group, GROUPS); break;
    }
    if (combining->argmax != NULL)
        combining->argmax[pixel->number] = (uint16_t)pixel->argmax;
    if (combining->distribution != NULL)
        for (uint32_t c = 0; c < tables->classes; c++)
            combining->distribution[c * combining->plane + pixel->number] = (uint16_t)pixel->means[c];
}

__attribute__((target("avx2"))) static void combine_avx2(const struct combining *combining, uint32_t *memory)
{
    const struct shw_forest_info *info = shw_forest_get_info(combining->forest);
    uint32_t classes_in_last = (info->class_count - 1) % GROUP + 1;
    struct tables tables = {.distributions = shw_forest_get_values(combining->forest, 0, 0),
                            .texels = shw_forest_get_texture(combining->forest).texels,
                            .stride = (size_t)GROUP * SHW_DISTRIBUTION_TEXELS(info->class_count),
                            .trees = info->tree_count,
                            .classes = info->class_count};

    tables.last =
        _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)classes_in_last), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    for (uint32_t i = 0; i < combining->count; i++) {
        struct pixel pixel = {.number = i, .argmax = SHW_LABEL_VOID, .means = memory};
        combine_pixel(combining, &tables, &pixel);
    }
}

#else

static void combine_avx2(const struct combining *combining, uint32_t *memory)
{
    (void)combining, (void)memory;
}

#endif

static void combine(const struct combining *combining, uint32_t *memory, enum shw_simd simd)
{
    if (simd >= SHW_SIMD_AVX2)
        combine_avx2(combining, memory);
    else
        combine_portable(combining, memory);
}

/* Tiles, and the patches in them. */

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
            struct combining combining = {.forest = tile->forest,
                                          .leaves = leaves,
                                          .leaf_pitch = PATCH_PIXELS,
                                          .count = width,
                                          .argmax = tile->out.argmax != NULL ? tile->out.argmax + out : NULL,
                                          .distribution =
                                              tile->out.distribution != NULL ? tile->out.distribution + out : NULL,
                                          .plane = plane};
            combine(&combining, work->combine_memory + thread * work->combine_count, work->simd);
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
    work.combine_count = combine_memory(work.info->class_count);
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
    const struct shw_evaluate_tile tile = {
        .forest = frame->forest.forest,
        .planes = frame->planes.planes[0].host, /* what the stage before makes */
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
