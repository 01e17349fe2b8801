#include "records/records_cpu.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define BYTES              64
#define TARGET             __attribute__((target("avx512f,avx512bw")))
#define SELECT(mask, a, b) ((vector)_mm512_ternarylogic_epi32((__m512i)(mask), (__m512i)(a), (__m512i)(b), 0xca))
#include "records/records_cpu_code.h"

const struct shw_record_vectors shw_record_vectors_avx512 = {find_ranks, {find_8, find_16, find_32}};

#else

const struct shw_record_vectors shw_record_vectors_avx512 = {NULL, {NULL}};

#endif
