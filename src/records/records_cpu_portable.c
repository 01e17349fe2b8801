#include "records/records_cpu.h"

#if SHW_SIMD_VECTORS

#define BYTES 16
#define TARGET
#define SELECT(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))
#include "records/records_cpu_code.h"

const struct shw_record_vectors shw_record_vectors_portable = {find_ranks, {find_8, find_16, find_32}};

#else

const struct shw_record_vectors shw_record_vectors_portable = {NULL, {NULL}};

#endif
