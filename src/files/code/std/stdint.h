/* What the code of a text needs of the C library, so that a compiler alone is enough (docs/shader-features.md). */
#pragma once
#ifdef __TINYC__ /* which knows neither */
#define __INT8_TYPE__    signed char
#define __INT16_TYPE__   short
#define __INT32_TYPE__   int
#define __INT64_TYPE__   long long
#define __UINT8_TYPE__   unsigned char
#define __UINT16_TYPE__  unsigned short
#define __UINT32_TYPE__  unsigned
#define __UINT64_TYPE__  unsigned long long
#define __INTPTR_TYPE__  long
#define __UINTPTR_TYPE__ unsigned long
static inline int __builtin_clz(unsigned value)
{
    int zeros = 0;

    for (; (value & 0x80000000u) == 0; value <<= 1)
        zeros++;
    return zeros;
}
#endif
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#define INT16_MAX  0x7fff
#define INT32_MAX  0x7fffffff
#define INT32_MIN  (-INT32_MAX - 1)
#define UINT16_MAX 0xffff
#define UINT32_MAX 0xffffffffu
