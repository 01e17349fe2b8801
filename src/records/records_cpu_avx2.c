#include "records/records_cpu.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define BYTES              32
#define TARGET             __attribute__((target("avx2")))
#define SELECT(mask, a, b) ((vector)_mm256_blendv_epi8((__m256i)(b), (__m256i)(a), (__m256i)(mask)))
#include "records/records_cpu_code.h"

const struct shw_record_vectors shw_record_vectors_avx2 = {find_ranks, {find_8, find_16, find_32}};

#else

const struct shw_record_vectors shw_record_vectors_avx2 = {NULL, {NULL}};

#endif
