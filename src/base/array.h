/* Arrays: that grow, of zeros, and copies. */
#ifndef SHW_BASE_ARRAY_H
#define SHW_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline bool shw_array_reserve(void *array, uint32_t *capacity, size_t count, size_t size)
{
    size_t wanted = *capacity > 0 ? 2 * (size_t)*capacity : 16;
    void *elements;

    if (count <= *capacity)
        return true;
    wanted = wanted > count ? wanted : count;
    if (wanted > UINT32_MAX)
        return false;
    memcpy(&elements, array, sizeof elements); /* pointers of any type have one representation */
    elements = realloc(elements, wanted * size);
    if (elements == NULL)
        return false;
    memcpy(array, &elements, sizeof elements);
    *capacity = (uint32_t)wanted;
    return true;
}

/* Makes room for `count` elements. `array` is a pointer to memory from malloc(), or NULL; `capacity`, a uint32_t, is
 * the number of elements that it can hold. Both are updated. False if out of memory; then nothing changes. */
#define SHW_RESERVE(array, capacity, count) shw_array_reserve(&(array), &(capacity), (count), sizeof *(array))

/* Zeros, of which there is at least one, so that NULL means out of memory. To be freed with free(). */
static inline void *shw_zeros(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

/* To be freed with free(); NULL if out of memory. */
static inline void *shw_copy(const void *from, size_t count, size_t size)
{
    void *to = malloc(count * size);

    if (to != NULL)
        memcpy(to, from, count * size);
    return to;
}

/* Memory at a multiple of `alignment`, a power of two that divides `bytes`; NULL if out of memory. To be freed with
 * shw_free_aligned(). */
static inline void *shw_aligned(size_t alignment, size_t bytes)
{
#ifdef _WIN32
    return _aligned_malloc(bytes, alignment);
#else
    return aligned_alloc(alignment, bytes);
#endif
}

static inline void shw_free_aligned(void *memory)
{
#ifdef _WIN32
    _aligned_free(memory);
#else
    free(memory);
#endif
}

#endif
