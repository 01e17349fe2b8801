/* Thresholds of attributes and sets, and values as ranks among them. */
#include "records/evaluate/records_cpu.h"

#include <shadewood/record_forest.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/record_code.h"

/* Tests of sets by ranks: the places where a set divides the codes become thresholds, so that a rank is on one side. */

/* Collects thresholds, or only counts them. */
struct finding {
    int32_t *thresholds; /* NULL: not wanted */
    uint64_t count;
};

static void find(struct finding *finding, int32_t threshold)
{
    if (finding->thresholds != NULL)
        finding->thresholds[finding->count] = threshold;
    finding->count++;
}

static int32_t threshold_before(uint32_t head, uint32_t category)
{
    return category == 0 && (head & SHW_RECORD_SET_FROM_BELOW) != 0 ? shw_record_threshold_at_most(-1)
                                                                    : shw_record_threshold_below(category);
}

/* Members in a row are one range, unless numbers with a fraction between them are none. */
static void find_in_word(struct finding *finding, uint32_t head, uint32_t first, uint32_t word, bool *inside)
{
    for (uint32_t b = 0; b < 32; b++) {
        const bool is_member = (word >> b & 1u) != 0;
        if ((head & SHW_RECORD_SET_WHOLE) != 0 && is_member) {
            find(finding, shw_record_threshold_below(first + b));
            find(finding, shw_record_threshold_at_most(first + b));
        } else if ((head & SHW_RECORD_SET_WHOLE) == 0 && is_member != *inside) {
            find(finding, threshold_before(head, first + b));
            *inside = is_member;
        }
    }
}

/* Thresholds between which all codes are on one side of a set, of which the first one tells what
 * is missing from all others. Returns how many; `thresholds` may be NULL. */
static uint64_t record_set_thresholds(const uint32_t *set, int32_t *thresholds)
{
    struct finding finding = {.thresholds = thresholds};
    const uint32_t first = (set[0] & SHW_RECORD_SET_FIRST) * 32;
    bool inside = false;

    find(&finding, SHW_RECORD_CODE_MISSING);
    for (uint32_t w = 0; w < set[1]; w++) {
        const uint32_t word = set[SHW_RECORD_SET_MEMBERS + w];
        if (word != (inside ? UINT32_MAX : 0) || (set[0] & SHW_RECORD_SET_WHOLE) != 0)
            find_in_word(&finding, set[0], first + 32 * w, word, &inside);
    }
    if (inside)
        find(&finding, threshold_before(set[0], first + 32 * set[1]));
    return finding.count;
}

void shw_record_set_ranks(const uint32_t *set, bool missing_right, const int32_t *thresholds, uint32_t count,
                          uint32_t *ranks)
{
    for (uint32_t r = 0; r <= count; r++) {
        const int32_t code = r < count ? thresholds[r] : INT32_MAX;
        ranks[r / 32] |= shw_record_set_goes_right(set, code, missing_right) << r % 32;
    }
}

/* Values of columns for groups of records. */

#define RANKS_8            254u /* thresholds of an attribute: the greatest limit must be above all ranks */
#define RANKS_16           65534u
#define COLUMNS_16         65536u              /* that struct shw_record_rank_node can name */
#define THRESHOLDS_OF_SETS ((uint64_t)1 << 24) /* of all sets together: with more of them, columns hold codes */
#define WORDS_OF_SETS      ((uint64_t)1 << 22) /* by ranks, more than by categories; otherwise the same */

static int32_t lowest_of(enum shw_record_width width)
{
    return width == SHW_RECORD_RANK_8 ? INT8_MIN : width == SHW_RECORD_RANK_16 ? INT16_MIN : INT32_MIN;
}

uint32_t shw_record_axes_group(const struct shw_record_axes *axes)
{
    return SHW_RECORD_LINE / (uint32_t)axes->width;
}

static int compare_thresholds(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Sorts thresholds and drops repeated ones. Returns how many are left. */
static uint32_t sort_thresholds(int32_t *thresholds, uint32_t count)
{
    uint32_t kept = 0;

    qsort(thresholds, count, sizeof *thresholds, compare_thresholds);
    for (uint32_t t = 0; t < count; t++)
        if (kept == 0 || thresholds[kept - 1] != thresholds[t])
            thresholds[kept++] = thresholds[t];
    return kept;
}

/* One axis for each attribute with columns. */
static void list_axes(struct shw_record_axes *axes)
{
    for (uint32_t c = 1; c < axes->columns->count; c++) {
        uint32_t attribute = axes->columns->items[c].attribute;
        if (axes->count == 0 || axes->items[axes->count - 1].attribute != attribute)
            axes->items[axes->count++] = (struct shw_record_axis){.attribute = attribute, .first_column = c};
        axes->items[axes->count - 1].column_count++;
    }
}

/* The axis of each column. */
static uint32_t *index_axes(const struct shw_record_axes *axes)
{
    uint32_t *index = malloc(axes->columns->count * sizeof *index);

    for (uint32_t a = 0; index != NULL && a < axes->count; a++)
        for (uint32_t c = 0; c < axes->items[a].column_count; c++)
            index[axes->items[a].first_column + c] = a;
    return index;
}

/* Writes the thresholds of a split, unless `thresholds` is NULL, and returns how many there are. A test of a set has
 * none where columns hold codes. */
static uint32_t thresholds_of(const struct shw_record_forest_info *info, const struct shw_record_axes *axes,
                              const struct shw_record_node *node, int32_t *thresholds)
{
    if (node->is_set)
        return axes->width == SHW_RECORD_CODE_32
                   ? 0
                   : (uint32_t)record_set_thresholds(info->sets + (uint32_t)node->threshold, thresholds);
    if (thresholds != NULL)
        *thresholds = node->threshold;
    return 1;
}

/* How many all splits have, with repeated ones; if sets have too many, columns hold codes. */
static size_t count_thresholds(const struct shw_record_forest_info *info, struct shw_record_axes *axes)
{
    uint64_t plain = 0, of_sets = 0;

    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_set && of_sets <= THRESHOLDS_OF_SETS)
            of_sets += thresholds_of(info, axes, &info->nodes[n], NULL);
        else
            plain += info->nodes[n].is_split && !info->nodes[n].is_set;
    if (of_sets > THRESHOLDS_OF_SETS) {
        axes->width = SHW_RECORD_CODE_32;
        of_sets = 0;
    }
    return (size_t)(plain + of_sets);
}

/* Thresholds of all splits, axis by axis. */
static void gather_thresholds(const struct shw_record_forest_info *info, struct shw_record_axes *axes,
                              const uint32_t *index, int32_t *thresholds)
{
    size_t first = 0;

    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_split)
            axes->items[index[shw_record_column_of(axes->columns, &info->nodes[n])]].threshold_count +=
                thresholds_of(info, axes, &info->nodes[n], NULL);
    for (uint32_t a = 0; a < axes->count; a++) {
        axes->items[a].first_threshold = first;
        first += axes->items[a].threshold_count;
        axes->items[a].threshold_count = 0;
    }
    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_split) {
            struct shw_record_axis *axis = &axes->items[index[shw_record_column_of(axes->columns, &info->nodes[n])]];
            axis->threshold_count +=
                thresholds_of(info, axes, &info->nodes[n], thresholds + axis->first_threshold + axis->threshold_count);
        }
}

static uint32_t steps_for(uint32_t count)
{
    uint32_t steps = 0;

    while ((1u << steps) - 1 < count)
        steps++;
    return steps;
}

/* The thresholds of an axis with those that fill them up. */
static size_t padded_count(const struct shw_record_axis *axis)
{
    return ((size_t)1 << axis->steps) - 1 + SHW_RECORD_NEAR;
}

/* Moves the sorted thresholds to where their searches find them. */
static bool pad_thresholds(struct shw_record_axes *axes, const int32_t *sorted)
{
    size_t total = 0, at = 0;

    for (uint32_t a = 0; a < axes->count; a++)
        total += padded_count(&axes->items[a]);
    axes->thresholds = malloc(shw_max_u64(total, 1) * sizeof *axes->thresholds);
    if (axes->thresholds == NULL)
        return false;
    for (uint32_t a = 0; a < axes->count; a++) {
        struct shw_record_axis *axis = &axes->items[a];
        size_t size = padded_count(axis);
        for (size_t t = 0; t < size; t++)
            axes->thresholds[at + t] = t < axis->threshold_count ? sorted[axis->first_threshold + t] : INT32_MAX;
        axis->first_threshold = at;
        at += size;
    }
    return true;
}

/* Whether sets by ranks would take much more memory than by categories. */
static bool has_large_sets(const struct shw_record_forest_info *info, const struct shw_record_axes *axes,
                           const uint32_t *index)
{
    uint64_t words = 0;

    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_set)
            words += axes->items[index[shw_record_column_of(axes->columns, &info->nodes[n])]].threshold_count / 32 + 1;
    return words > WORDS_OF_SETS + info->set_word_count;
}

static void sort_axes(const struct shw_record_forest_info *info, struct shw_record_axes *axes, const uint32_t *index,
                      int32_t *thresholds)
{
    uint32_t most = 0;

    for (uint32_t a = 0; a < axes->count; a++) {
        struct shw_record_axis *axis = &axes->items[a];
        axis->threshold_count = sort_thresholds(thresholds + axis->first_threshold, axis->threshold_count);
        axis->steps = steps_for(axis->threshold_count);
        most = shw_max_u32(most, axis->threshold_count);
    }
    if (axes->width == SHW_RECORD_CODE_32 || most > RANKS_16 || axes->columns->count > COLUMNS_16 ||
        has_large_sets(info, axes, index))
        axes->width = SHW_RECORD_CODE_32;
    else
        axes->width = most > RANKS_8 ? SHW_RECORD_RANK_16 : SHW_RECORD_RANK_8;
}

enum shw_result shw_record_axes_make(const struct shw_record_forest_info *info,
                                     const struct shw_record_columns *columns, const struct shw_record_vectors *vectors,
                                     const struct shw_log *log, struct shw_record_axes *axes)
{
    int32_t *thresholds;
    uint32_t *index = NULL;
    bool made = false;

    *axes = (struct shw_record_axes){.columns = columns, .vectors = vectors};
    thresholds = malloc((count_thresholds(info, axes) + 1) * sizeof *thresholds);
    axes->items = calloc(columns->count, sizeof *axes->items);
    if (axes->items != NULL && thresholds != NULL) {
        list_axes(axes);
        index = index_axes(axes);
    }
    if (index != NULL) {
        gather_thresholds(info, axes, index, thresholds);
        sort_axes(info, axes, index, thresholds);
        made = pad_thresholds(axes, thresholds);
    }
    free(index);
    free(thresholds);
    return made ? SHW_OK : shw_fail_memory(log, "thresholds of a record forest");
}

void shw_record_axes_free(struct shw_record_axes *axes)
{
    free(axes->items);
    free(axes->thresholds);
}

const struct shw_record_axis *shw_record_axis_of(const struct shw_record_axes *axes, uint32_t attribute)
{
    uint32_t low = 0;

    for (uint32_t count = axes->count; count > 1;) {
        uint32_t half = count / 2;
        low += axes->items[low + half].attribute <= attribute ? half : 0;
        count -= half;
    }
    return &axes->items[low];
}

bool shw_record_axes_limit(const struct shw_record_axes *axes, const struct shw_record_node *node, int32_t *limit)
{
    const struct shw_record_axis *axis = shw_record_axis_of(axes, node->attribute);
    const int32_t *thresholds = axes->thresholds + axis->first_threshold;
    uint32_t rank = 0;

    if (axes->width == SHW_RECORD_CODE_32) {
        *limit = node->threshold - (int32_t)node->missing_right;
        return *limit < INT32_MAX;
    }
    for (uint32_t half = 1u << axis->steps >> 1u; half > 0; half >>= 1u)
        rank += thresholds[rank + half - 1] < node->threshold ? half : 0;
    *limit = lowest_of(axes->width) + (int32_t)rank;
    return true;
}

/* Of one axis in one group. */
struct part {
    int32_t codes[SHW_RECORD_LINE];
    uint32_t ranks[SHW_RECORD_LINE];
};

/* The ranks in a column: those of the axis, unless what is missing has not the lowest one by itself. */
static const uint32_t *ranks_in(const struct shw_record_axis *axis, const struct shw_record_column *column,
                                const struct part *part, uint32_t count, uint32_t *ranks)
{
    const uint32_t zero_missing = column->zero_missing, rank_of_missing = column->missing_right * axis->threshold_count;

    if (!column->missing_right && !zero_missing)
        return part->ranks;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t missing = 0u - (shw_record_code_for(part->codes[i], zero_missing) == SHW_RECORD_MISSING);
        ranks[i] = (rank_of_missing & missing) | (part->ranks[i] & ~missing);
    }
    return ranks;
}

static void write_ranks_8(const uint32_t *ranks, int8_t *line)
{
    for (uint32_t i = 0; i < SHW_RECORD_LINE; i++)
        line[i] = (int8_t)(INT8_MIN + (int32_t)ranks[i]);
}

static void write_ranks_16(const uint32_t *ranks, int16_t *line)
{
    for (uint32_t i = 0; i < SHW_RECORD_LINE / 2; i++)
        line[i] = (int16_t)(INT16_MIN + (int32_t)ranks[i]);
}

static void write_codes(const struct shw_record_column *column, const struct part *part, int32_t *line)
{
    for (uint32_t i = 0; i < SHW_RECORD_LINE / 4; i++)
        line[i] =
            (int32_t)((uint32_t)shw_record_code_for(part->codes[i], column->zero_missing) - column->missing_right);
}

static void find_ranks(const struct shw_record_axes *axes, const struct shw_record_axis *axis, uint32_t count,
                       uint32_t group, struct part *part)
{
    const uint32_t searched = (uint32_t)shw_align_up(count, SHW_RECORD_NEAR);

    axes->vectors->find_ranks(axes->thresholds + axis->first_threshold, axis->steps, part->codes, searched,
                              part->ranks);
    for (uint32_t i = searched; i < group; i++)
        part->ranks[i] = 0;
}

static void read_axis(const struct shw_record_axes *axes, const struct shw_record_axis *axis,
                      const struct shw_records *records, uint64_t first, uint32_t count, uint8_t *lines)
{
    const float *values =
        records->values + first * records->record_stride + axis->attribute * records->attribute_stride;
    const uint32_t group = shw_record_axes_group(axes);
    struct part part;
    uint32_t ranks[SHW_RECORD_LINE];

    for (uint32_t i = 0; i < count; i++)
        part.codes[i] = shw_record_code_in(records, values[i * records->record_stride]);
    for (uint32_t i = count; i < group; i++)
        part.codes[i] = 0;
    if (axes->width != SHW_RECORD_CODE_32)
        find_ranks(axes, axis, count, group, &part);
    for (uint32_t c = axis->first_column; c < axis->first_column + axis->column_count; c++) {
        const struct shw_record_column *column = &axes->columns->items[c];
        void *line = lines + (size_t)c * SHW_RECORD_LINE;
        switch (axes->width) {
        case SHW_RECORD_RANK_8: write_ranks_8(ranks_in(axis, column, &part, group, ranks), line); break;
        case SHW_RECORD_RANK_16: write_ranks_16(ranks_in(axis, column, &part, group, ranks), line); break;
        case SHW_RECORD_CODE_32: write_codes(column, &part, line); break;
        }
    }
}

static void write_lowest(enum shw_record_width width, void *line)
{
    const uint32_t lowest = (uint32_t)lowest_of(width);

    for (uint32_t i = 0; i < SHW_RECORD_LINE / (uint32_t)width; i++)
        switch (width) {
        case SHW_RECORD_RANK_8: ((int8_t *)line)[i] = (int8_t)lowest; break;
        case SHW_RECORD_RANK_16: ((int16_t *)line)[i] = (int16_t)lowest; break;
        case SHW_RECORD_CODE_32: ((int32_t *)line)[i] = (int32_t)lowest; break;
        }
}

void shw_record_axes_read(const struct shw_record_axes *axes, const struct shw_records *records, uint64_t first,
                          uint32_t count, void *lines)
{
    const uint32_t group = shw_record_axes_group(axes);
    uint8_t *line = lines;

    for (uint32_t r = 0; r < count; r += group, line += (size_t)axes->columns->count * SHW_RECORD_LINE) {
        write_lowest(axes->width, line);
        for (uint32_t a = 0; a < axes->count; a++)
            read_axis(axes, &axes->items[a], records, first + r, shw_min_u32(group, count - r), line);
    }
}
