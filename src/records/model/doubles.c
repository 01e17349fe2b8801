#include "records/model/doubles.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "records/model/record_forest.h"
#include "shared/record.h"

#define RANKS_MAX (1u << 24) /* whole numbers that float32 has */

/* What tests see of a number. */
enum view {
    RANKS,               /* how many of the limits are below it */
    RANKS_WITHOUT_ZEROS, /* the same, where numbers up to 1e-35 in magnitude are missing */
    CATEGORIES,          /* a number of the same category */
    WHOLE_CATEGORIES,    /* the same, where numbers with a fraction are of none */
    VIEWS
};

/* An attribute of the forest of ranks. */
struct column {
    uint32_t attribute; /* of the forest */
    enum view view;
    const double *limits; /* ascending, different ones */
    uint32_t limit_count;
};

struct shw_record_doubles {
    const struct shw_record_forest_info *info;
    struct shw_record_forest *ranks;
    struct column *columns;
    double *limits;      /* of all columns */
    uint32_t *column_of; /* of each attribute and view, if some test has it */
    uint32_t column_count;
};

static enum view view_of(const struct shw_record_forest_info *info, const struct shw_record_node *node)
{
    if (node->is_set)
        return (info->sets[(uint32_t)node->threshold] & SHW_RECORD_SET_WHOLE) != 0 ? WHOLE_CATEGORIES : CATEGORIES;
    return node->zero_missing ? RANKS_WITHOUT_ZEROS : RANKS;
}

static struct column *find_column(const struct shw_record_doubles *doubles, const struct shw_record_node *node)
{
    return &doubles->columns[doubles->column_of[node->attribute * VIEWS + view_of(doubles->info, node)]];
}

/* Columns are in the order of attributes; there is one at least. */
static enum shw_result list_columns(struct shw_record_doubles *doubles, const char *name, const struct shw_log *log)
{
    const struct shw_record_forest_info *info = doubles->info;
    const size_t views = (size_t)info->attribute_count * VIEWS;
    size_t count = 0;

    doubles->column_of = calloc(views, sizeof *doubles->column_of);
    if (doubles->column_of == NULL)
        return shw_fail_memory(log, name);
    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_split)
            doubles->column_of[info->nodes[n].attribute * VIEWS + view_of(info, &info->nodes[n])] = 1;
    for (size_t v = 0; v < views; v++)
        count += doubles->column_of[v];
    if (count > SHW_RECORD_ATTRIBUTES_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_RECORD_FOREST,
                        "%s: its tests see attributes in %zu different ways; in double precision at most %u are "
                        "supported",
                        name, count, SHW_RECORD_ATTRIBUTES_MAX);
    doubles->columns = calloc(count + 1, sizeof *doubles->columns);
    if (doubles->columns == NULL)
        return shw_fail_memory(log, name);
    for (size_t v = 0; v < views; v++)
        if (doubles->column_of[v] > 0) {
            doubles->columns[doubles->column_count] =
                (struct column){.attribute = (uint32_t)(v / VIEWS), .view = (enum view)(v % VIEWS)};
            doubles->column_of[v] = doubles->column_count++;
        }
    doubles->column_count += count == 0;
    return SHW_OK;
}

/* Whether no number goes left, in whatever precision: that of a set without members. */
static bool has_all_right(const struct shw_record_node *node)
{
    return !node->is_set && node->threshold < shw_record_threshold_at_most(-INFINITY);
}

static bool has_limit(const struct shw_record_node *node)
{
    return node->is_split && !node->is_set && !has_all_right(node);
}

static int compare_limits(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static uint32_t sort_limits(double *limits, uint32_t count)
{
    uint32_t kept = 0;

    qsort(limits, count, sizeof *limits, compare_limits);
    for (uint32_t l = 0; l < count; l++)
        if (kept == 0 || limits[kept - 1] != limits[l])
            limits[kept++] = limits[l];
    return kept;
}

static enum shw_result gather_limits(struct shw_record_doubles *doubles, const double *of_nodes, const char *name,
                                     const struct shw_log *log)
{
    const struct shw_record_forest_info *info = doubles->info;
    double *limits = doubles->limits = malloc((size_t)info->node_count * sizeof *limits);

    if (limits == NULL)
        return shw_fail_memory(log, name);
    for (uint32_t n = 0; n < info->node_count; n++)
        if (has_limit(&info->nodes[n]))
            find_column(doubles, &info->nodes[n])->limit_count++;
    for (uint32_t c = 0; c < doubles->column_count; c++) {
        doubles->columns[c].limits = limits;
        limits += doubles->columns[c].limit_count;
        doubles->columns[c].limit_count = 0;
    }
    for (uint32_t n = 0; n < info->node_count; n++)
        if (has_limit(&info->nodes[n])) {
            struct column *column = find_column(doubles, &info->nodes[n]);
            doubles->limits[column->limits - doubles->limits + column->limit_count++] = of_nodes[n];
        }
    for (uint32_t c = 0; c < doubles->column_count; c++) {
        struct column *column = &doubles->columns[c];
        column->limit_count = sort_limits(doubles->limits + (column->limits - doubles->limits), column->limit_count);
        if (column->limit_count > RANKS_MAX)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_RECORD_FOREST,
                            "%s: %u thresholds of attribute %u; in double precision at most 2^24 are supported", name,
                            column->limit_count, column->attribute);
    }
    return SHW_OK;
}

/* How many limits are below a number. */
static uint32_t rank_of(const struct column *column, double number)
{
    uint32_t low = 0;

    for (uint32_t count = column->limit_count; count > 0;) {
        const uint32_t half = count / 2;
        if (column->limits[low + half] < number) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static enum shw_result make_forest(struct shw_record_doubles *doubles, const double *limits, const char *name,
                                   const struct shw_log *log)
{
    struct shw_record_forest_info info = *doubles->info;
    struct shw_record_node *nodes = malloc(info.node_count * sizeof *nodes);
    enum shw_result result;

    if (nodes == NULL)
        return shw_fail_memory(log, name);
    for (uint32_t n = 0; n < info.node_count; n++) {
        nodes[n] = info.nodes[n];
        if (!nodes[n].is_split)
            continue;
        nodes[n].attribute = (uint32_t)(find_column(doubles, &info.nodes[n]) - doubles->columns);
        nodes[n].zero_missing = false;
        if (has_all_right(&info.nodes[n]))
            nodes[n].threshold = shw_record_code_of(-1); /* below all ranks */
        else if (!nodes[n].is_set)
            nodes[n].threshold = shw_record_code_of((float)rank_of(find_column(doubles, &info.nodes[n]), limits[n]));
    }
    info.nodes = nodes;
    info.attribute_count = doubles->column_count;
    info.attribute_names = NULL;
    result = shw_record_forest_make(&info, name, log, &doubles->ranks);
    free(nodes);
    return result;
}

uint32_t shw_record_forest_count_double_thresholds(const struct shw_record_forest *forest)
{
    uint32_t count = 0;

    for (uint32_t n = 0; forest->compares_doubles && n < forest->info.node_count; n++)
        count += !isnan(forest->limits[n]) && (double)(float)forest->limits[n] != forest->limits[n];
    return count;
}

static enum shw_result check_limits(const struct shw_record_forest *forest, const char *name, const struct shw_log *log)
{
    const struct shw_record_forest_info *info = &forest->info;

    for (uint32_t n = 0; n < info->node_count; n++)
        if (has_limit(&info->nodes[n]) && (forest->limits == NULL || isnan(forest->limits[n])))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_RECORD_FOREST,
                            "%s: its thresholds are known in float32 only. Double precision needs the model itself, "
                            "from a program that compares in double precision: LightGBM, or trees as arrays in JSON",
                            name);
    return SHW_OK;
}

enum shw_result shw_record_doubles_create(const struct shw_record_forest *forest, const char *name,
                                          const struct shw_log *log, struct shw_record_doubles **out)
{
    struct shw_record_doubles *doubles;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_limits(forest, name, log));
    doubles = calloc(1, sizeof *doubles);
    if (doubles == NULL)
        return shw_fail_memory(log, name);
    doubles->info = &forest->info;
    SHW_TRY(list_columns(doubles, name, log));
    SHW_TRY(gather_limits(doubles, forest->limits, name, log));
    SHW_TRY(make_forest(doubles, forest->limits, name, log));
    *out = doubles;
    return SHW_OK;

fail:
    shw_record_doubles_destroy(&doubles);
    return result;
}

void shw_record_doubles_destroy(struct shw_record_doubles **handle)
{
    struct shw_record_doubles *doubles = handle != NULL ? *handle : NULL;

    if (doubles == NULL)
        return;
    shw_record_forest_destroy(&doubles->ranks);
    free(doubles->columns);
    free(doubles->limits);
    free(doubles->column_of);
    free(doubles);
    *handle = NULL;
}

const struct shw_record_forest *shw_record_doubles_get_forest(const struct shw_record_doubles *doubles)
{
    return doubles->ranks;
}

/* A float32 on the same side of all whole numbers, which rounding could pass. */
static float category_of(double number, bool is_whole)
{
    const double whole = trunc(number);

    if (number <= -1 || (is_whole && whole != number))
        return -1;
    if (number < 0)
        return -0.5f;
    return (float)fmin(whole, SHW_RECORD_CATEGORIES);
}

static float view(const struct column *column, double number)
{
    if (isnan(number))
        return NAN;
    switch (column->view) {
    case CATEGORIES: return category_of(number, false);
    case WHOLE_CATEGORIES: return category_of(number, true);
    case RANKS_WITHOUT_ZEROS:
        if (fabs(number) <= (double)shw_record_code_value(SHW_RECORD_ZERO_CODE))
            return NAN;
        break;
    default: break;
    }
    return (float)rank_of(column, number);
}

void shw_record_doubles_convert(const struct shw_record_doubles *doubles, const double *records, uint64_t count,
                                const double *missing, float *converted)
{
    for (uint64_t r = 0; r < count; r++, records += doubles->info->attribute_count)
        for (uint32_t c = 0; c < doubles->column_count; c++) {
            const double number = records[doubles->columns[c].attribute];
            *converted++ = view(&doubles->columns[c], missing != NULL && number == *missing ? NAN : number);
        }
}
