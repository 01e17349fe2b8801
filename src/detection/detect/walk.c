#include "detection/detect/walk_functions.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/cascade/cascade.h"
#include "shared/detect.h"

static void set_node(const struct shw_cascade_node *node, uint32_t number, struct shw_walk_node *out)
{
    out->x1 = node->x1;
    out->y1 = node->y1;
    out->x2 = node->x2;
    out->y2 = node->y2;
    out->threshold = node->is_split ? node->threshold : INT32_MAX;
    out->left = (int32_t)(node->is_split ? node->left : number);
}

enum shw_result shw_walk_trees_make(const struct shw_cascade *cascade, const struct shw_log *log,
                                    struct shw_walk_trees *trees)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);

    trees->info = info;
    trees->depths = cascade->depths;
    trees->nodes = calloc(info->node_count, sizeof *trees->nodes);
    trees->values = malloc(info->node_count * sizeof *trees->values);
    if (trees->nodes == NULL || trees->values == NULL) {
        shw_walk_trees_free(trees);
        return shw_fail_memory(log, "the trees of a cascade");
    }
    for (uint32_t t = 0; t < info->tree_count; t++) {
        const struct shw_cascade_node *nodes = info->nodes + info->trees[t].first_node;
        for (uint32_t n = 0; n < info->trees[t].node_count; n++) {
            set_node(&nodes[n], n, &trees->nodes[info->trees[t].first_node + n]);
            trees->values[info->trees[t].first_node + n] = nodes[n].value;
        }
    }
    return SHW_OK;
}

void shw_walk_trees_free(struct shw_walk_trees *trees)
{
    free(trees->nodes);
    free(trees->values);
    *trees = (struct shw_walk_trees){0};
}

/* Where a point lies from the window's first or middle value on. */
static int32_t pixels_offset(const struct shw_walk *walk, int32_t x, int32_t y)
{
    return y * walk->stride + x;
}

static int32_t scaled_offset(const struct shw_walk *walk, int32_t x, int32_t y)
{
    int32_t size = walk->size;

    return (shw_detect_scaled(size, y, size) - size) * walk->stride + shw_detect_scaled(size, x, size) - size;
}

/* Rounded down; row or column -1 repeats the first. */
static int32_t turned_offset(const struct shw_walk *walk, int32_t x, int32_t y)
{
    const int32_t far = 1 << 16;

    return (shw_detect_turned(far, walk->cosine * y - walk->sine * x) - far) * walk->stride +
           shw_detect_turned(far, walk->cosine * x + walk->sine * y) - far;
}

#define ADD_TREE(name, plane, offset)                                                                                  \
    static void name(const struct shw_walk *walk, uint32_t tree, struct shw_walk_windows *windows)                     \
    {                                                                                                                  \
        const struct shw_walk_node *nodes = walk->nodes + walk->trees->info->trees[tree].first_node;                   \
        const int32_t *values = walk->trees->values + walk->trees->info->trees[tree].first_node;                       \
                                                                                                                       \
        for (uint32_t w = 0; w < windows->count; w++) {                                                                \
            int32_t node = 0;                                                                                          \
            for (uint32_t d = 0; d < walk->trees->depths[tree]; d++) {                                                 \
                const struct shw_walk_node *at = &nodes[node];                                                         \
                int32_t response = (int32_t)plane[windows->base[w] + offset(walk, at->x1, at->y1)] -                   \
                                   (int32_t)plane[windows->base[w] + offset(walk, at->x2, at->y2)];                    \
                node = at->left + (response > at->threshold);                                                          \
            }                                                                                                          \
            windows->score[w] += values[node];                                                                         \
        }                                                                                                              \
    }

ADD_TREE(add_pixels, walk->levels, pixels_offset)
ADD_TREE(add_scaled, walk->grey, scaled_offset)
ADD_TREE(add_turned, walk->grey, turned_offset)

/* Removes windows with a lower score. */
static void keep(struct shw_walk_windows *windows, int32_t threshold)
{
    uint32_t kept = 0;

    for (uint32_t w = 0; w < windows->count; w++) {
        windows->base[kept] = windows->base[w];
        windows->number[kept] = windows->number[w];
        windows->score[kept] = windows->score[w];
        kept += windows->score[w] >= threshold;
    }
    windows->count = kept;
}

static shw_walk_add_tree *choose(const struct shw_walk *walk, enum shw_simd simd)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2 && walk->turned)
        return shw_walk_add_turned_avx2;
    if (simd >= SHW_SIMD_AVX2 && walk->stride <= SHW_WALK_STRIDE_MAX)
        return walk->levels != NULL ? shw_walk_add_pixels_avx2 : shw_walk_add_scaled_avx2;
#endif
    (void)simd;
    return walk->levels != NULL ? add_pixels : walk->turned ? add_turned : add_scaled;
}

/* The windows of the band from number `first` on, and copies of the last one. */
static void begin_windows(const struct shw_walk *walk, const struct shw_detect_band *band,
                          const struct shw_detect_tally *tally, uint32_t first, struct shw_walk_windows *windows)
{
    struct shw_detect_range range = shw_detect_level_columns(band->level, band->angle);
    const struct shw_detect_position *columns = tally->plan->positions + band->level->first_column + range.first;
    const struct shw_detect_position *rows = tally->plan->positions + band->level->first_row + band->first_row;
    uint32_t row = first / range.count, column = first % range.count;

    windows->count = (uint32_t)shw_min_u64(SHW_WALK_WINDOWS, (uint64_t)band->rows * range.count - first);
    for (uint32_t w = 0; w < windows->count; w++) {
        windows->base[w] = walk->first + rows[row].at * walk->stride + columns[column].at;
        windows->number[w] = first + w;
        windows->score[w] = 0;
        if (++column == range.count) {
            column = 0;
            row++;
        }
    }
    for (uint32_t w = windows->count; w < windows->count + SHW_WALK_LANES; w++) {
        windows->base[w] = windows->base[windows->count - 1];
        windows->score[w] = 0;
    }
}

static void run_stages(const struct shw_walk *walk, shw_walk_add_tree *add_tree, struct shw_walk_windows *windows,
                       uint64_t *survivors)
{
    const struct shw_cascade_info *info = walk->trees->info;

    survivors[0] += windows->count;
    for (uint32_t s = 0; s < info->stage_count && windows->count > 0; s++) {
        const struct shw_cascade_stage *stage = &info->stages[s];
        for (uint32_t w = 0; info->restarts && w < windows->count; w++)
            windows->score[w] = 0;
        for (uint32_t t = 0; t < stage->tree_count; t++)
            add_tree(walk, stage->first_tree + t, windows);
        keep(windows, stage->threshold);
        survivors[s + 1] += windows->count;
    }
}

void shw_walk_band(const struct shw_walk *walk, enum shw_simd simd, const struct shw_detect_band *band,
                   struct shw_detect_tally *tally)
{
    shw_walk_add_tree *add_tree = choose(walk, simd);
    struct shw_detect_range columns = shw_detect_level_columns(band->level, band->angle);
    uint64_t count = (uint64_t)band->rows * columns.count;
    struct shw_walk_windows windows;

    for (uint64_t first = 0; first < count; first += SHW_WALK_WINDOWS) {
        begin_windows(walk, band, tally, (uint32_t)first, &windows);
        run_stages(walk, add_tree, &windows, tally->survivors);
        for (uint32_t w = 0; w < windows.count; w++)
            shw_detect_tally_add(tally, band, columns.first + windows.number[w] % columns.count,
                                 band->first_row + windows.number[w] / columns.count, windows.score[w]);
    }
}
