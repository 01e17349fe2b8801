/* What the code of a text needs of the C library, so that a compiler alone is enough (docs/shader-features.md). */
#pragma once
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
