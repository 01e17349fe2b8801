#include "detection/detect/level_rows.h"

#define ROWS
#include "detection/detect/level_rows_code.h"

static void mix_across(const uint16_t *row, const uint32_t *places, const uint32_t *weights, uint32_t count,
                       uint32_t *out)
{
    for (uint32_t x = 0; x < count; x++)
        out[x] = shw_detect_between_columns(row[places[x]], row[places[x] + 1], weights[x] >> 16);
}

static const struct shw_level_rows plain = {blur_grey, blur_level, halve, mix_across, mix_down, shrink_row};

const struct shw_level_rows *shw_level_rows_get(enum shw_simd simd)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2)
        return &shw_level_rows_avx2;
#endif
    (void)simd;
    return &plain;
}
