#include "bench/cascades.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "detection/detect/grey.h"
#include "detection/detect/levels.h"
#include "shared/random.h"

#define SEED                     15u
#define FRACTION_BITS            16u
#define LEAF_MAX                 (1u << 14)
#define THRESHOLD_MAX            1500u /* 2 % of the range of values */
#define MIPMAP_INDEX(p, l, x, y) ((size_t)((l)->y + (y)) * (p)->mipmap_width + (l)->x + (x))

struct window {
    size_t base; /* its first pixel in the mipmap image */
    int32_t score;
};

struct making {
    struct shw_bench *bench;
    const struct shw_bench_cascade_params *params;
    struct shw_cascade_info info;
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    uint64_t *survivors;
    uint32_t per_tree, draws;
    struct shw_detect_plan plan;
    struct shw_levels *levels;
    struct window *windows;
    int32_t *scores; /* of all windows, sorted */
};

static uint32_t below(struct making *making, uint32_t limit)
{
    return shw_random_below(shw_random(SEED, making->draws++, 0), limit);
}

static int32_t around_zero(struct making *making, uint32_t most)
{
    return (int32_t)below(making, 2 * most + 1) - (int32_t)most;
}

static void draw_tree(struct making *making, struct shw_cascade_node *nodes)
{
    uint32_t window = making->params->window, splits = making->per_tree / 2;

    for (uint32_t n = 0; n < making->per_tree; n++)
        if (n < splits)
            nodes[n] = (struct shw_cascade_node){.is_split = true,
                                                 .left = 2 * n + 1,
                                                 .x1 = (int16_t)below(making, window),
                                                 .y1 = (int16_t)below(making, window),
                                                 .x2 = (int16_t)below(making, window),
                                                 .y2 = (int16_t)below(making, window),
                                                 .threshold = around_zero(making, THRESHOLD_MAX)};
        else
            nodes[n] = (struct shw_cascade_node){.left = n, .value = around_zero(making, LEAF_MAX)};
}

static void draw_trees(struct making *making)
{
    for (uint32_t s = 0; s < making->params->stages; s++) {
        making->trees[s] = (struct shw_cascade_tree){s * making->per_tree, making->per_tree};
        making->stages[s] = (struct shw_cascade_stage){.first_tree = s, .tree_count = 1};
        draw_tree(making, &making->nodes[s * making->per_tree]);
    }
}

static enum shw_result create(struct making *making)
{
    const struct shw_bench_cascade_params *params = making->params;
    uint32_t stages = params->stages;

    making->per_tree = (2u << params->depth) - 1;
    making->stages = calloc(stages, sizeof *making->stages);
    making->trees = calloc(stages, sizeof *making->trees);
    making->nodes = calloc((size_t)stages * making->per_tree, sizeof *making->nodes);
    making->survivors = calloc(stages + 1u, sizeof *making->survivors);
    if (making->stages == NULL || making->trees == NULL || making->nodes == NULL || making->survivors == NULL)
        return shw_fail_memory(&making->bench->log, "a generated cascade");
    draw_trees(making);
    making->info = (struct shw_cascade_info){.kind = SHW_CASCADE_PIXELS,
                                             .name = "generated",
                                             .window_width = params->window,
                                             .window_height = params->window,
                                             .fraction_bits = FRACTION_BITS,
                                             .planes = params->planes,
                                             .levels_per_octave = params->levels_per_octave,
                                             .stage_count = stages,
                                             .tree_count = stages,
                                             .node_count = stages * making->per_tree,
                                             .stages = making->stages,
                                             .trees = making->trees,
                                             .nodes = making->nodes};
    return SHW_OK;
}

static enum shw_result list_windows(struct making *making)
{
    const struct shw_detect_plan *plan = &making->plan;
    size_t count = 0;

    making->windows = malloc((plan->window_count + 1) * sizeof *making->windows);
    making->scores = malloc((plan->window_count + 1) * sizeof *making->scores);
    if (making->windows == NULL || making->scores == NULL)
        return shw_fail_memory(&making->bench->log, "the windows of a generated cascade");
    for (uint32_t l = 0; l < plan->level_count; l++) {
        const struct shw_detect_level *level = &plan->levels[l];
        for (uint32_t r = 0; r < level->rows; r++)
            for (uint32_t c = 0; c < level->columns; c++) {
                uint32_t x = (uint32_t)plan->positions[level->first_column + c].at;
                uint32_t y = (uint32_t)plan->positions[level->first_row + r].at;
                making->windows[count++] = (struct window){.base = MIPMAP_INDEX(plan, level, x, y)};
            }
    }
    making->survivors[0] = count;
    return SHW_OK;
}

static enum shw_result make_levels(struct making *making, const struct shw_image *image)
{
    struct shw_scan scan = {0};
    struct shw_cascade *cascade = NULL;
    uint8_t *grey = malloc((size_t)image->width * image->height);
    enum shw_result result = SHW_OK;

    if (grey == NULL)
        return shw_fail_memory(&making->bench->log, "the windows of a generated cascade");
    SHW_TRY(shw_cascade_create(&making->info, &making->bench->log, &cascade));
    SHW_TRY(shw_scan_resolve(cascade, &making->bench->log, &scan));
    SHW_TRY(shw_detect_plan_make(cascade, &scan, image->width, image->height, &making->bench->log, &making->plan));
    SHW_TRY(shw_levels_create(&making->params->planes, &making->plan, &making->bench->log, &making->levels));
    shw_grey_make(image, grey, making->bench->pool);
    shw_levels_make(making->levels, grey, making->bench->pool);
    result = list_windows(making);

fail:
    shw_cascade_destroy(&cascade);
    free(grey);
    return result;
}

static int32_t respond(const struct making *making, const uint16_t *window, const struct shw_cascade_node *node)
{
    size_t stride = making->plan.mipmap_width;

    return (int32_t)window[(size_t)node->y1 * stride + (size_t)node->x1] -
           (int32_t)window[(size_t)node->y2 * stride + (size_t)node->x2];
}

static int32_t evaluate(const struct making *making, uint32_t tree, const uint16_t *window)
{
    const struct shw_cascade_node *nodes = &making->nodes[tree * making->per_tree];
    uint32_t n = 0;

    while (nodes[n].is_split)
        n = nodes[n].left + (respond(making, window, &nodes[n]) > nodes[n].threshold);
    return nodes[n].value;
}

static double share_after(const struct making *making, uint32_t stages)
{
    const struct shw_bench_survival *curve = making->params->curve;
    uint32_t i = 1;
    double part;

    while (i + 1 < making->params->curve_count && curve[i].stages < stages)
        i++;
    part =
        log((1.0 + stages) / (1.0 + curve[i - 1].stages)) / log((1.0 + curve[i].stages) / (1.0 + curve[i - 1].stages));
    return curve[i - 1].share * pow(curve[i].share / curve[i - 1].share, part);
}

static int by_falling_score(const void *a, const void *b)
{
    int32_t one = *(const int32_t *)a, two = *(const int32_t *)b;

    return (one < two) - (one > two);
}

/* Evaluates a stage for the windows that are left, and sets its threshold so that as many survive as the curve says, or
 * a few more of equal score. Returns how many do. */
static size_t cut(struct making *making, uint32_t stage, size_t count)
{
    const uint16_t *values = shw_levels_get(making->levels);
    size_t kept = 0, wanted = (size_t)(share_after(making, stage + 1) * (double)making->survivors[0] + 0.5);

    wanted = wanted < 1 ? 1 : wanted > count ? count : wanted;
    for (size_t w = 0; w < count; w++) {
        making->windows[w].score += evaluate(making, stage, values + making->windows[w].base);
        making->scores[w] = making->windows[w].score;
    }
    qsort(making->scores, count, sizeof *making->scores, by_falling_score);
    making->stages[stage].threshold = making->scores[wanted - 1];
    for (size_t w = 0; w < count; w++)
        if (making->windows[w].score >= making->stages[stage].threshold)
            making->windows[kept++] = making->windows[w];
    return kept;
}

static void destroy(struct making *making)
{
    shw_levels_destroy(&making->levels);
    shw_detect_plan_free(&making->plan);
    free(making->stages);
    free(making->trees);
    free(making->nodes);
    free(making->survivors);
    free(making->windows);
    free(making->scores);
}

enum shw_result shw_bench_cascade(struct shw_bench *bench, const struct shw_bench_cascade_params *params,
                                  const struct shw_image *image, struct shw_cascade **cascade)
{
    struct making making = {.bench = bench, .params = params};
    enum shw_result result;
    size_t count;

    SHW_TRY(create(&making));
    SHW_TRY(make_levels(&making, image));
    count = making.survivors[0];
    for (uint32_t s = 0; s < params->stages && count > 0; s++) {
        count = cut(&making, s, count);
        making.survivors[s + 1] = count;
    }
    making.info.survivors = making.survivors;
    result = shw_cascade_create(&making.info, &bench->log, cascade);

fail:
    destroy(&making);
    return result;
}
