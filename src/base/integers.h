/* Least, greatest and rounded integers. Inline, since hot loops use them. */
#ifndef SHW_BASE_INTEGERS_H
#define SHW_BASE_INTEGERS_H

#include <stdint.h>

static inline int32_t shw_min_i32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t shw_max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t shw_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t shw_max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint64_t shw_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t shw_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The nearest of the values from `low` to `high`. */
static inline int64_t shw_clamp_i64(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The least multiple of the alignment, which need not be a power of two, that is at least the value. */
static inline uint64_t shw_align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

#endif
