#include "records/evaluate/records_cpu.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define BYTES              64
#define TARGET             __attribute__((target("avx512f,avx512bw,popcnt")))
#define SELECT(mask, a, b) ((vector)_mm512_ternarylogic_epi32((__m512i)(mask), (__m512i)(a), (__m512i)(b), 0xca))

/* The sign of a difference that cannot overflow, since comparisons end in registers for masks. */
#define IS_GREATER(a, b, width)                                                                                        \
    ((width) == SHW_RECORD_RANK_8    ? (vector)_mm512_subs_epi8((__m512i)(b), (__m512i)(a))                            \
     : (width) == SHW_RECORD_RANK_16 ? (vector)_mm512_subs_epi16((__m512i)(b), (__m512i)(a))                           \
                                     : is_greater(a, b, width))
#define ALL_BITS(mask, width) is_greater((vector){0}, mask, width)
#define COUNT_LOWER(thresholds, code)                                                                                  \
    (uint32_t) __builtin_popcount(_mm512_cmplt_epi32_mask(_mm512_loadu_si512(thresholds), _mm512_set1_epi32(code)))
#include "records/evaluate/records_cpu_code.h"

const struct shw_record_vectors shw_record_vectors_avx512 = {find_ranks, {find_8, find_16, find_32}};

#else

const struct shw_record_vectors shw_record_vectors_avx512 = {NULL, {NULL}};

#endif
