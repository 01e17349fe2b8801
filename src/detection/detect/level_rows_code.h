/* The functions of struct level_rows, compiled once for each target. The file that includes this defines NAME(), which
 * makes their names, and ROWS, their attributes. */

/* sums[i]: of column first + i - 1. */
#define BLUR(name, type, finish)                                                                                       \
    ROWS static void name(const type *const rows[3], uint32_t width, uint32_t first, uint32_t count,                   \
                          uint16_t *restrict out)                                                                      \
    {                                                                                                                  \
        const type *restrict above = rows[0] + first, *restrict row = rows[1] + first,                                 \
                             *restrict below = rows[2] + first;                                                        \
        const ptrdiff_t left = first > 0 ? -1 : 0,                                                                     \
                        right = first + count < width ? (ptrdiff_t)count : (ptrdiff_t)count - 1;                       \
        uint32_t sums[STRIP + 2];                                                                                      \
                                                                                                                       \
        sums[0] = shw_detect_blur3(above[left], row[left], below[left]);                                               \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            sums[i + 1] = shw_detect_blur3(above[i], row[i], below[i]);                                                \
        sums[count + 1] = shw_detect_blur3(above[right], row[right], below[right]);                                    \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            out[i] = (uint16_t)(finish(shw_detect_blur3(sums[i], sums[i + 1], sums[i + 2])));                          \
    }

BLUR(NAME(blur_grey), uint8_t, )
BLUR(NAME(blur_level), uint16_t, shw_detect_blurred)

ROWS static void NAME(halve)(const uint16_t *restrict upper, const uint16_t *restrict lower, uint32_t width,
                             uint16_t *restrict out)
{
    for (uint32_t x = 0; x < width; x++)
        out[x] =
            (uint16_t)shw_detect_halved((uint32_t)upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]);
}

ROWS static void NAME(mix_down)(const uint32_t *restrict upper, const uint32_t *restrict lower, uint32_t weight,
                                uint32_t count, uint32_t *restrict sums)
{
    for (uint32_t x = 0; x < count; x++)
        sums[x] += shw_detect_between_rows(upper[x], lower[x], weight);
}

/* Divides by numbers that the compiler knows. */
#define SHRINK_BY(by)                                                                                                  \
    for (uint32_t x = 0; x < width; x++) {                                                                             \
        uint32_t sum = 0;                                                                                              \
        for (uint32_t i = 0; i < (by); i++)                                                                            \
            sum += sums[x * (by) + i];                                                                                 \
        out[x] = (uint16_t)shw_detect_shrunk(sum, by);                                                                 \
    }

ROWS static void NAME(shrink_row)(const uint32_t *restrict sums, uint32_t shrink, uint32_t width,
                                  uint16_t *restrict out)
{
    switch (shrink) {
    case 1: SHRINK_BY(1u) break;
    case 2: SHRINK_BY(2u) break;
    case 4: SHRINK_BY(4u) break;
    default: SHRINK_BY(shrink) break;
    }
}

#undef BLUR
#undef SHRINK_BY
#undef NAME
#undef ROWS
