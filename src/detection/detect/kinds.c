#include "detection/detect/kinds.h"

#include "base/array.h"

const struct shw_detect_kind *shw_detect_kind_get(enum shw_cascade_kind kind)
{
    static const struct shw_detect_kind *const kinds[SHW_CASCADE_KIND_COUNT] = {
        [SHW_CASCADE_PIXELS] = &shw_detect_kind_pixels,
        [SHW_CASCADE_SCALED] = &shw_detect_kind_scaled,
        [SHW_CASCADE_HAAR] = &shw_detect_kind_haar,
        [SHW_CASCADE_LBP] = &shw_detect_kind_lbp,
    };
    static const struct shw_detect_kind none = {0};

    return (uint32_t)kind < SHW_CASCADE_KIND_COUNT && kinds[kind] != NULL ? kinds[kind] : &none;
}

void shw_detect_tally_add(struct shw_detect_tally *tally, const struct shw_detect_band *band, uint32_t column,
                          uint32_t row, int32_t score)
{
    const struct shw_detect_level *level = band->level;
    const struct shw_detect_position *positions = tally->plan->positions;

    if (!SHW_RESERVE(tally->items, tally->capacity, (size_t)tally->count + 1)) {
        tally->failed = true;
        return;
    }
    tally->items[tally->count++] = (struct shw_detection){
        .x = positions[level->first_column + column].image,
        .y = positions[level->first_row + row].image,
        .width = level->out_width,
        .height = level->out_height,
        .score = score - tally->score_base,
        .level = level->number,
        .angle = band->angle,
        .neighbours = 1,
    };
}
