/* Orders of detections, and groups of windows that show the same object. */
#include "detection/detect/group.h"

#include <math.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/plan.h"

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The first that differs of pairs of numbers. */
static int compare_all(const int64_t (*pairs)[2], size_t count)
{
    int order = 0;

    for (size_t i = 0; i < count && order == 0; i++)
        order = compare(pairs[i][0], pairs[i][1]);
    return order;
}

#define COMPARE(pairs) compare_all(pairs, sizeof pairs / sizeof *pairs)

static int compare_windows(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;
    const int64_t pairs[][2] = {
        {a->angle, b->angle}, {a->level, b->level}, {a->y, b->y}, {a->x, b->x}, {a->score, b->score}};

    return COMPARE(pairs);
}

static int compare_scores(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;
    const int64_t pairs[][2] = {
        {b->score, a->score},   {a->x, b->x},         {a->y, b->y},         {a->width, b->width},
        {a->height, b->height}, {a->level, b->level}, {a->angle, b->angle}, {b->neighbours, a->neighbours}};

    return COMPARE(pairs);
}

static int compare_columns(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;
    int order = compare(a->x, b->x);

    return order != 0 ? order : compare_scores(a, b);
}

static void sort(struct shw_detection *items, uint32_t count, int (*order)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, sizeof *items, order);
}

void shw_detections_sort_windows(struct shw_detection *items, uint32_t count)
{
    sort(items, count, compare_windows);
}

/* By falling score, then x, y, width, and the other members. */
static void detections_sort_scores(struct shw_detection *items, uint32_t count)
{
    sort(items, count, compare_scores);
}

/* By x, then as by score. */
static void detections_sort_columns(struct shw_detection *items, uint32_t count)
{
    sort(items, count, compare_columns);
}

/* Groups of windows that show the same object. */

/* Parameters with nothing left to choose. */
struct rule {
    enum shw_group_method method;
    uint32_t min_neighbours;
    double epsilon, overlap;
};

static double smaller(uint32_t a, uint32_t b)
{
    return shw_min_u32(a, b);
}

/* The magnitude of a difference of two sides, which has at most 33 bits, so that a double is exact. */
static double distance(int64_t difference)
{
    return (double)llabs(difference);
}

/* Whether all sides are near (OpenCV's SimilarRects). */
static bool is_similar(const struct shw_detection *a, const struct shw_detection *b, double epsilon)
{
    double delta = epsilon * (smaller(a->width, b->width) + smaller(a->height, b->height)) * 0.5;
    int64_t x = (int64_t)a->x - b->x, y = (int64_t)a->y - b->y;
    int64_t right = x + a->width - b->width, bottom = y + a->height - b->height;

    return distance(x) <= delta && distance(y) <= delta && distance(right) <= delta && distance(bottom) <= delta;
}

static double overlap_of(int64_t a, uint32_t a_size, int64_t b, uint32_t b_size)
{
    int64_t begin = a > b ? a : b, end = a + a_size < b + b_size ? a + a_size : b + b_size;

    return end > begin ? (double)(end - begin) : 0;
}

/* Whether intersection over union is above `overlap`. */
static bool overlaps(const struct shw_detection *a, const struct shw_detection *b, double overlap)
{
    double common = overlap_of(a->x, a->width, b->x, b->width) * overlap_of(a->y, a->height, b->y, b->height);
    double whole = (double)a->width * a->height + (double)b->width * b->height - common;

    return common > overlap * whole;
}

static bool belong_together(const struct rule *rule, const struct shw_detection *a, const struct shw_detection *b)
{
    return rule->method == SHW_GROUP_MEAN ? is_similar(a, b, rule->epsilon) : overlaps(a, b, rule->overlap);
}

/* The greatest x of rectangles further to the right that can belong together with this one. */
static double reach(const struct rule *rule, const struct shw_detection *item)
{
    if (rule->method == SHW_GROUP_MEAN)
        return item->x + rule->epsilon * ((double)item->width + item->height) * 0.5;
    return (double)item->x + item->width;
}

static uint32_t find_root(uint32_t *parents, uint32_t item)
{
    while (parents[item] != item) {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    return item;
}

/* Components of rectangles that belong together; the items are sorted by x. Afterwards parents[i] is the least item of
 * its component. */
static void connect(const struct rule *rule, const struct shw_detections *all, uint32_t *parents)
{
    for (uint32_t i = 0; i < all->count; i++)
        parents[i] = i;
    for (uint32_t i = 0; i < all->count; i++) {
        double end = reach(rule, &all->items[i]);
        for (uint32_t j = i + 1; j < all->count && all->items[j].x <= end; j++)
            if (belong_together(rule, &all->items[i], &all->items[j])) {
                uint32_t a = find_root(parents, i), b = find_root(parents, j);
                parents[a > b ? a : b] = a > b ? b : a;
            }
    }
    for (uint32_t i = 0; i < all->count; i++)
        parents[i] = find_root(parents, i);
}

struct sums {
    int64_t x, y, width, height, score;
    uint32_t best, count; /* best: the item with the best score, the first of several */
};

static void add_to(struct sums *sums, const struct shw_detections *all, uint32_t item)
{
    const struct shw_detection *detection = &all->items[item];

    if (sums->count == 0 || detection->score > all->items[sums->best].score)
        sums->best = item;
    sums->x += detection->x;
    sums->y += detection->y;
    sums->width += detection->width;
    sums->height += detection->height;
    sums->score += detection->score;
    sums->count++;
}

/* Rounded, halves up. */
static int64_t mean_of(int64_t sum, uint32_t count)
{
    int64_t twice = 2 * sum + count, divisor = 2 * (int64_t)count;

    return twice >= 0 ? twice / divisor : -((-twice + divisor - 1) / divisor);
}

/* In OpenCV's arithmetic: single precision, halves to the even number. */
static int64_t single_mean_of(int64_t sum, uint32_t count)
{
    return llrintf((float)sum * (1.0f / (float)count));
}

static struct shw_detection make_group(const struct rule *rule, const struct shw_detections *all,
                                       const struct sums *sums)
{
    struct shw_detection group = all->items[sums->best];
    int64_t (*mean)(int64_t, uint32_t) = rule->method == SHW_GROUP_MEAN ? single_mean_of : mean_of;

    group.x = (int32_t)shw_clamp_i64(mean(sums->x, sums->count), INT32_MIN, INT32_MAX);
    group.y = (int32_t)shw_clamp_i64(mean(sums->y, sums->count), INT32_MIN, INT32_MAX);
    group.width = (uint32_t)shw_clamp_i64(mean(sums->width, sums->count), 0, UINT32_MAX);
    group.height = (uint32_t)shw_clamp_i64(mean(sums->height, sums->count), 0, UINT32_MAX);
    if (rule->method == SHW_GROUP_CLUSTER)
        group.score = (int32_t)shw_clamp_i64(sums->score, INT32_MIN, INT32_MAX);
    group.neighbours = sums->count;
    return group;
}

/* Whether a group is inside another one that has clearly more windows (OpenCV). */
static bool is_inside(const struct shw_detection *a, const struct shw_detection *b, double epsilon)
{
    int64_t across = llrint(b->width * epsilon), down = llrint(b->height * epsilon);

    return a->x >= b->x - across && a->y >= b->y - down &&
           (int64_t)a->x + a->width <= (int64_t)b->x + b->width + across &&
           (int64_t)a->y + a->height <= (int64_t)b->y + b->height + down &&
           (b->neighbours > shw_max_u32(3, a->neighbours) || a->neighbours < 3);
}

static bool is_inside_any(const struct shw_detections *groups, uint32_t group, double epsilon)
{
    for (uint32_t g = 0; g < groups->count; g++)
        if (g != group && is_inside(&groups->items[group], &groups->items[g], epsilon))
            return true;
    return false;
}

/* `inside` has room for every group. */
static void drop_inside(struct shw_detections *groups, double epsilon, uint32_t *inside)
{
    uint32_t kept = 0;

    for (uint32_t g = 0; g < groups->count; g++)
        inside[g] = is_inside_any(groups, g, epsilon);
    for (uint32_t g = 0; g < groups->count; g++)
        if (!inside[g])
            groups->items[kept++] = groups->items[g];
    groups->count = kept;
}

/* MEAN and CLUSTER. */
static enum shw_result average(const struct rule *rule, struct shw_detections *all, const struct shw_log *log)
{
    uint32_t *parents = malloc(all->count * sizeof *parents), kept = 0;
    struct sums *sums = calloc(all->count, sizeof *sums);
    struct shw_detection *groups = malloc(all->count * sizeof *groups);

    if (parents == NULL || sums == NULL || groups == NULL) {
        free(parents);
        free(sums);
        free(groups);
        return shw_fail_memory(log, "groups of detections");
    }
    detections_sort_columns(all->items, all->count);
    connect(rule, all, parents);
    for (uint32_t i = 0; i < all->count; i++)
        add_to(&sums[parents[i]], all, i);
    for (uint32_t i = 0; i < all->count; i++)
        if (sums[i].count >= shw_max_u32(rule->min_neighbours, 1))
            groups[kept++] = make_group(rule, all, &sums[i]);
    free(sums);
    free(all->items);
    *all = (struct shw_detections){kept, groups};
    if (rule->method == SHW_GROUP_MEAN)
        drop_inside(all, rule->epsilon, parents);
    free(parents);
    return SHW_OK;
}

/* Keeps the best score and drops what overlaps it, again and again. */
static enum shw_result suppress(const struct rule *rule, struct shw_detections *all, const struct shw_log *log)
{
    uint32_t kept = 0;

    (void)log;
    detections_sort_scores(all->items, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        struct shw_detection item = all->items[i];
        uint32_t by = 0;
        while (by < kept && !overlaps(&all->items[by], &item, rule->overlap))
            by++;
        if (by < kept)
            all->items[by].neighbours += item.neighbours;
        else
            all->items[kept++] = item;
    }
    all->count = kept;
    return SHW_OK;
}

static enum shw_result leave(const struct rule *rule, struct shw_detections *all, const struct shw_log *log)
{
    (void)rule;
    (void)all;
    (void)log;
    return SHW_OK;
}

/* The methods: nothing can be left out of an entry. */
#define NEIGHBOURS true
#define OVERLAP    true
#define EPSILON    true
#define METHODS(ENTRY)                                                                                                 \
    ENTRY(DEFAULT, "default", leave, 1, !NEIGHBOURS, !OVERLAP, !EPSILON)                                               \
    ENTRY(NONE, "none", leave, 1, !NEIGHBOURS, !OVERLAP, !EPSILON)                                                     \
    ENTRY(MEAN, "mean", average, 4, NEIGHBOURS, !OVERLAP, EPSILON)                                                     \
    ENTRY(CLUSTER, "cluster", average, 1, NEIGHBOURS, OVERLAP, !EPSILON)                                               \
    ENTRY(SUPPRESS, "suppress", suppress, 1, !NEIGHBOURS, OVERLAP, !EPSILON)

#define NAME(method, name, run, min_neighbours, neighbours, overlap, epsilon) [SHW_GROUP_##method] = (name),
const char *const shw_group_names[SHW_GROUP_METHOD_COUNT + 1] = {METHODS(NAME)};

#define TRAITS(method, name, run, min_neighbours, neighbours, overlap, epsilon)                                        \
    [SHW_GROUP_##method] = {run, min_neighbours, {neighbours, overlap, epsilon}},
static const struct method {
    enum shw_result (*run)(const struct rule *rule, struct shw_detections *all, const struct shw_log *log);
    uint32_t min_neighbours; /* by default */
    struct shw_group_traits traits;
} methods[] = {METHODS(TRAITS)};
_Static_assert(sizeof methods / sizeof *methods == SHW_GROUP_METHOD_COUNT, "an entry for each method");

struct shw_group_traits shw_group_get_traits(enum shw_group_method method)
{
    return methods[method].traits;
}

enum shw_group_method shw_group_method_default(enum shw_cascade_kind kind)
{
    return (uint32_t)kind < SHW_CASCADE_KIND_COUNT ? shw_detect_kind_get(kind)->grouping : SHW_GROUP_DEFAULT;
}

static enum shw_result make_rule(const struct shw_group_params *params, enum shw_cascade_kind kind,
                                 const struct shw_log *log, struct rule *rule)
{
    if ((uint32_t)params->method >= SHW_GROUP_METHOD_COUNT)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "groups: `method` is not a value of shw_group_method");
    if (params->method == SHW_GROUP_DEFAULT && (uint32_t)kind >= SHW_CASCADE_KIND_COUNT)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "groups: the default method needs the kind of the cascade");
    if (!(params->epsilon >= 0 && params->epsilon <= 10))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "groups: epsilon must be from 0 to 10");
    if (!(params->overlap >= 0 && params->overlap <= 1))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "groups: overlap must be from 0 to 1");
    rule->method = params->method != SHW_GROUP_DEFAULT ? params->method : shw_group_method_default(kind);
    rule->min_neighbours = params->min_neighbours;
    if (rule->min_neighbours == 0)
        rule->min_neighbours = methods[rule->method].min_neighbours;
    rule->epsilon = params->epsilon > 0 ? params->epsilon : 0.2;
    rule->overlap = params->overlap > 0 ? params->overlap : 0.3;
    return SHW_OK;
}

static void drop_low(struct shw_detections *all, int32_t min_score)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i].score >= min_score)
            all->items[kept++] = all->items[i];
    all->count = kept;
}

enum shw_result shw_detections_group_abi(uint32_t abi, struct shw_detections *detections, enum shw_cascade_kind kind,
                                         const struct shw_group_params *params, const struct shw_log *log)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, detections);
    SHW_REFUSE_NULL(log, params);

    struct rule rule = {.method = SHW_GROUP_NONE};

    SHW_PROPAGATE(make_rule(params, kind, log, &rule));
    if (detections->count == 0)
        return SHW_OK;
    SHW_PROPAGATE(methods[rule.method].run(&rule, detections, log));
    if (params->has_min_score)
        drop_low(detections, params->min_score);
    detections_sort_scores(detections->items, detections->count);
    if (detections->count == 0) {
        free(detections->items);
        detections->items = NULL;
    }
    return SHW_OK;
}
