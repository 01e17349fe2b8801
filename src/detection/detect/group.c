/* Orders of detections, and groups of windows that show the same object. */
#include "detection/detect/group.h"

#include <math.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/plan.h"
#include "shared/detect_group.h"

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

static struct shw_group_item item_of(const struct shw_detection *detection)
{
    return (struct shw_group_item){detection->x,     detection->y,     detection->width, detection->height,
                                   detection->score, detection->level, detection->angle, detection->neighbours};
}

static struct shw_detection detection_of(struct shw_group_item item)
{
    return (struct shw_detection){item.x,     item.y,     item.width, item.height,
                                  item.score, item.level, item.angle, item.neighbours};
}

/* Mostly the first member decides. */
static int compare_scores(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;

    if (a->score != b->score)
        return compare(b->score, a->score);
    return shw_group_precedes(item_of(b), item_of(a)) - shw_group_precedes(item_of(a), item_of(b));
}

static int compare_columns(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;

    return a->x != b->x ? compare(a->x, b->x) : compare_scores(a, b);
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

/* Which windows belong together. Rectangles with sides of 16 bits, nearly all that there are, are compared in 64 bits,
 * which hold all products then; shared/detect_group.h defines what is true, with up to 96 bits. */

static bool are_narrow(const struct shw_detections *all)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < all->count; i++)
        bits |= all->items[i].width | all->items[i].height;
    return bits <= UINT16_MAX;
}

static int64_t common(int64_t a, int64_t a_size, int64_t b, int64_t b_size)
{
    const int64_t begin = a > b ? a : b, a_end = a + a_size, b_end = b + b_size;

    return (a_end < b_end ? a_end : b_end) - begin;
}

static bool narrow_overlaps(const struct shw_detection *a, const struct shw_detection *b, uint32_t overlap)
{
    const int64_t down = common(a->y, a->height, b->y, b->height);
    const int64_t across = down > 0 ? common(a->x, a->width, b->x, b->width) : 0;
    const int64_t both = down * across;

    return across > 0 && both * SHW_GROUP_OVERLAP_ONE >
                             overlap * ((int64_t)a->width * a->height + (int64_t)b->width * b->height - both);
}

/* The greatest difference of sides that are near each other. */
static int64_t near_of(int64_t sides, uint32_t epsilon)
{
    return sides * epsilon >> (SHW_GROUP_EPSILON_BITS + 1);
}

static bool narrow_is_similar(const struct shw_detection *a, const struct shw_detection *b, uint32_t epsilon)
{
    const int64_t x = (int64_t)a->x - b->x, y = (int64_t)a->y - b->y;
    const int64_t width = (int64_t)a->width - b->width, height = (int64_t)a->height - b->height;
    const int64_t near = near_of((int64_t)shw_min_u32(a->width, b->width) + shw_min_u32(a->height, b->height), epsilon);

    return llabs(y) <= near && llabs(x) <= near && llabs(x + width) <= near && llabs(y + height) <= near;
}

static inline bool overlaps(const struct shw_detection *a, const struct shw_detection *b, uint32_t overlap,
                            bool is_narrow)
{
    return is_narrow ? narrow_overlaps(a, b, overlap) : shw_group_overlaps(item_of(a), item_of(b), overlap);
}

static inline bool belong_together(const struct shw_group_rule *rule, const struct shw_detection *a,
                                   const struct shw_detection *b, bool is_narrow)
{
    if (!is_narrow)
        return shw_group_belong_together(*rule, item_of(a), item_of(b));
    return rule->method == SHW_GROUP_BY_MEAN ? narrow_is_similar(a, b, rule->epsilon)
                                             : narrow_overlaps(a, b, rule->overlap);
}

static inline bool reaches(const struct shw_group_rule *rule, const struct shw_detection *a,
                           const struct shw_detection *b, bool is_narrow)
{
    if (!is_narrow)
        return shw_group_reaches(*rule, item_of(a), item_of(b));
    return (int64_t)b->x - a->x < (rule->method == SHW_GROUP_BY_MEAN
                                       ? near_of((int64_t)a->width + a->height, rule->epsilon) + 1
                                       : (int64_t)a->width);
}

/* Groups of windows that show the same object. */

static uint32_t find_root(uint32_t *parents, uint32_t item)
{
    while (parents[item] != item) {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    return item;
}

/* Components of rectangles that belong together; the items are sorted by x. Afterwards parents[i] is the least item of
 * its component. `is_narrow` is a constant. */
static inline void connect(const struct shw_group_rule *rule, const struct shw_detections *all, uint32_t *parents,
                           bool is_narrow)
{
    for (uint32_t i = 0; i < all->count; i++)
        parents[i] = i;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct shw_detection *item = &all->items[i];
        for (uint32_t j = i + 1; j < all->count && reaches(rule, item, &all->items[j], is_narrow); j++)
            if (belong_together(rule, item, &all->items[j], is_narrow) && parents[i] != parents[j]) {
                uint32_t a = find_root(parents, i), b = find_root(parents, j);
                parents[a > b ? a : b] = a > b ? b : a;
            }
    }
    for (uint32_t i = 0; i < all->count; i++)
        parents[i] = find_root(parents, i);
}

struct sums {
    uint64_t x, y, width, height, score; /* positions and scores as shw_group_place() has them */
    uint32_t best, count;                /* best: the item with the best score, the first of several */
};

static void add_to(struct sums *sums, const struct shw_detections *all, uint32_t item)
{
    const struct shw_detection *detection = &all->items[item];

    if (sums->count == 0 || detection->score > all->items[sums->best].score)
        sums->best = item;
    sums->x += shw_group_place(detection->x);
    sums->y += shw_group_place(detection->y);
    sums->width += detection->width;
    sums->height += detection->height;
    sums->score += shw_group_place(detection->score);
    sums->count++;
}

static struct shw_uint2 wide(uint64_t number)
{
    return shw_wide((uint32_t)(number >> 32), (uint32_t)number);
}

static struct shw_detection make_group(const struct shw_group_rule *rule, const struct shw_detections *all,
                                       const struct sums *sums)
{
    const struct shw_group_sums words = {wide(sums->x),      wide(sums->y),     wide(sums->width),
                                         wide(sums->height), wide(sums->score), sums->count};

    return detection_of(shw_group_make(*rule, item_of(&all->items[sums->best]), words));
}

static bool is_inside_any(const struct shw_detections *groups, uint32_t group, uint32_t epsilon)
{
    for (uint32_t g = 0; g < groups->count; g++)
        if (g != group && shw_group_is_inside(item_of(&groups->items[group]), item_of(&groups->items[g]), epsilon))
            return true;
    return false;
}

/* `inside` has room for every group. */
static void drop_inside(struct shw_detections *groups, uint32_t epsilon, uint32_t *inside)
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
static enum shw_result average(const struct shw_group_rule *rule, struct shw_detections *all, const struct shw_log *log)
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
    if (are_narrow(all))
        connect(rule, all, parents, true);
    else
        connect(rule, all, parents, false);
    for (uint32_t i = 0; i < all->count; i++)
        add_to(&sums[parents[i]], all, i);
    for (uint32_t i = 0; i < all->count; i++)
        if (sums[i].count >= rule->min_neighbours)
            groups[kept++] = make_group(rule, all, &sums[i]);
    free(sums);
    free(all->items);
    *all = (struct shw_detections){kept, groups};
    if (rule->method == SHW_GROUP_BY_MEAN)
        drop_inside(all, rule->epsilon, parents);
    free(parents);
    return SHW_OK;
}

/* Keeps the best score and drops what overlaps it, again and again. */
static enum shw_result suppress(const struct shw_group_rule *rule, struct shw_detections *all,
                                const struct shw_log *log)
{
    const bool is_narrow = are_narrow(all);
    uint32_t kept = 0;

    (void)log;
    detections_sort_scores(all->items, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        struct shw_detection item = all->items[i];
        uint32_t by = 0;
        while (by < kept && !overlaps(&all->items[by], &item, rule->overlap, is_narrow))
            by++;
        if (by < kept)
            all->items[by].neighbours += item.neighbours;
        else
            all->items[kept++] = item;
    }
    all->count = kept;
    return SHW_OK;
}

static enum shw_result leave(const struct shw_group_rule *rule, struct shw_detections *all, const struct shw_log *log)
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
    enum shw_result (*run)(const struct shw_group_rule *rule, struct shw_detections *all, const struct shw_log *log);
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

_Static_assert((int)SHW_GROUP_NONE == SHW_GROUP_BY_NONE && (int)SHW_GROUP_MEAN == SHW_GROUP_BY_MEAN &&
                   (int)SHW_GROUP_CLUSTER == SHW_GROUP_BY_CLUSTER && (int)SHW_GROUP_SUPPRESS == SHW_GROUP_BY_SUPPRESS,
               "shaders know methods by the same numbers");

/* Rounded up: what is exactly at a limit that binary fractions miss counts as it does in decimals. */
static uint32_t units_of(double value, double usual, uint32_t bits)
{
    return (uint32_t)ceil(ldexp(value > 0 ? value : usual, (int)bits));
}

enum shw_result shw_group_rule_make(const struct shw_group_params *params, enum shw_cascade_kind kind,
                                    const struct shw_log *log, struct shw_group_rule *rule)
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
    rule->method = (uint32_t)(params->method != SHW_GROUP_DEFAULT ? params->method : shw_group_method_default(kind));
    rule->min_neighbours = params->min_neighbours;
    if (rule->min_neighbours == 0)
        rule->min_neighbours = methods[rule->method].min_neighbours;
    rule->min_neighbours = shw_max_u32(rule->min_neighbours, 1);
    rule->epsilon = units_of(params->epsilon, 0.2, SHW_GROUP_EPSILON_BITS);
    rule->overlap = units_of(params->overlap, 0.3, SHW_GROUP_OVERLAP_BITS);
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

    struct shw_group_rule rule = {.method = SHW_GROUP_NONE};

    SHW_PROPAGATE(shw_group_rule_make(params, kind, log, &rule));
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
