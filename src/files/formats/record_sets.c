#include "files/formats/record_sets.h"

#include <math.h>
#include <stdlib.h>

#include "records/model/record_forest.h"
#include "shared/record.h"

#define WHOLE_END     (1u << 23) /* from there on, numbers have no fractions */
#define WORDS_FREE    256u       /* a set may have so many words, and more with so many cuts */
#define WORDS_PER_CUT 64u
#define BITS          32u
#define NO_CATEGORY   UINT32_MAX

static uint32_t word_count(const struct shw_record_range *ranges, uint32_t count)
{
    return (ranges[count - 1].end - 1) / BITS - ranges[0].first / BITS + 1;
}

uint32_t shw_record_set_count_words(const struct shw_record_range *ranges, uint32_t count)
{
    return SHW_RECORD_SET_MEMBERS + word_count(ranges, count);
}

uint32_t *shw_record_set_of_ranges(const struct shw_record_range *ranges, uint32_t count, uint32_t flags)
{
    const uint32_t first_word = ranges[0].first / BITS, words = word_count(ranges, count);
    uint32_t *set = calloc(SHW_RECORD_SET_MEMBERS + (size_t)words, sizeof *set);

    if (set == NULL)
        return NULL;
    set[0] = flags | first_word;
    set[1] = words;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t c = ranges[r].first; c < ranges[r].end; c++)
            set[SHW_RECORD_SET_MEMBERS + c / BITS - first_word] |= 1u << c % BITS;
    return set;
}

static bool is_member(const uint32_t *set, uint32_t bit)
{
    return (set[SHW_RECORD_SET_MEMBERS + bit / BITS] >> bit % BITS & 1u) != 0;
}

bool shw_record_set_find_range(const uint32_t *set, uint32_t from, struct shw_record_range *range)
{
    const uint32_t begin = (set[0] & SHW_RECORD_SET_FIRST) * BITS, count = set[1] * BITS;
    uint32_t first = from > begin ? from - begin : 0, end;

    while (first < count && !is_member(set, first))
        first++;
    for (end = first; end < count && is_member(set, end);)
        end++;
    *range = (struct shw_record_range){begin + first, begin + end};
    return first < count;
}

/* The least number above a cut, if it is a category or the end of all. */
static uint32_t category_above(int32_t cut)
{
    const float number = cut < INT32_MAX ? shw_record_code_value(cut + 1) : NAN;

    if (!(number >= 0 && number <= SHW_RECORD_CATEGORIES) || number != floorf(number) ||
        shw_record_threshold_below((double)number) != cut)
        return NO_CATEGORY;
    return (uint32_t)number;
}

static bool read_range(const int32_t cuts[2], uint32_t flags, struct shw_record_range *range)
{
    const bool is_from_below = (flags & SHW_RECORD_SET_FROM_BELOW) != 0 && cuts[0] == shw_record_threshold_at_most(-1);

    range->first = is_from_below ? 0 : category_above(cuts[0]);
    if (range->first == NO_CATEGORY)
        return false;
    if ((flags & SHW_RECORD_SET_WHOLE) == 0) {
        range->end = category_above(cuts[1]);
        return range->end != NO_CATEGORY && range->end > range->first;
    }
    range->end = range->first + 1;
    return range->first < WHOLE_END && shw_record_threshold_at_most((double)range->first) == cuts[1];
}

static bool read_ranges(const int32_t *cuts, uint32_t count, uint32_t flags, struct shw_record_range *ranges)
{
    for (uint32_t r = 0; r < count; r++)
        if (!read_range(cuts + 2 * (size_t)r, flags, &ranges[r]))
            return false;
    return true;
}

/* LightGBM rounds towards zero, so that numbers above -1 are category 0. Otherwise negative numbers are not members,
 * and fractions may be (XGBoost) or not (ONNX). */
static bool choose_flags(const int32_t *cuts, uint32_t count, struct shw_record_range *ranges, uint32_t *flags)
{
    *flags = cuts[0] == shw_record_threshold_at_most(-1) ? SHW_RECORD_SET_FROM_BELOW : 0;
    if (read_ranges(cuts, count, *flags, ranges))
        return true;
    *flags = SHW_RECORD_SET_WHOLE;
    return read_ranges(cuts, count, *flags, ranges);
}

bool shw_record_set_of_cuts(const int32_t *cuts, uint32_t count, bool members_right, uint32_t **set)
{
    const uint32_t range_count = count / 2;
    struct shw_record_range *ranges;
    uint32_t flags;
    bool is_whole = true;

    *set = NULL;
    if (count < 2 || count % 2 != 0)
        return true;
    ranges = malloc(range_count * sizeof *ranges);
    if (ranges == NULL)
        return false;
    if (choose_flags(cuts, range_count, ranges, &flags) &&
        (word_count(ranges, range_count) <= WORDS_FREE || word_count(ranges, range_count) / WORDS_PER_CUT <= count)) {
        *set =
            shw_record_set_of_ranges(ranges, range_count, flags | (members_right ? SHW_RECORD_SET_MEMBERS_RIGHT : 0));
        is_whole = *set != NULL;
    }
    free(ranges);
    return is_whole;
}
