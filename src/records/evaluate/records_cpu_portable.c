#include "records/evaluate/records_cpu.h"

#if SHW_SIMD_VECTORS

#define BYTES 16
#define TARGET
#define SELECT(mask, a, b)      (((a) & (mask)) | ((b) & ~(mask)))
#define IS_GREATER(a, b, width) is_greater(a, b, width)
#define ALL_BITS(mask, width)   (mask)
#define COUNT_LOWER             count_lower

static inline uint32_t count_lower(const int32_t *thresholds, int32_t code)
{
    uint32_t count = 0;

    for (uint32_t half = SHW_RECORD_NEAR / 2; half > 0; half >>= 1u)
        count += thresholds[count + half - 1] < code ? half : 0;
    return count;
}

#include "records/evaluate/records_cpu_code.h"

const struct shw_record_vectors shw_record_vectors_portable = {find_ranks, {find_8, find_16, find_32}};

#else

const struct shw_record_vectors shw_record_vectors_portable = {NULL, {NULL}};

#endif
