/* Tests of sets by ranks: the places where a set divides the codes become thresholds, so that a rank is on one side. */
#include "records/evaluate/record_code.h"
#include "records/evaluate/records_cpu.h"

#include <shadewood/record_forest.h>

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

uint64_t shw_record_set_thresholds(const uint32_t *set, int32_t *thresholds)
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
