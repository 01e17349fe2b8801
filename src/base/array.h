/* Arrays that grow. */
#ifndef SHW_BASE_ARRAY_H
#define SHW_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for `count` elements. `array` is a pointer to memory from malloc(), or NULL; `capacity`, a uint32_t, is
 * the number of elements that it can hold. Both are updated. False if out of memory; then nothing changes. */
#define SHW_RESERVE(array, capacity, count) shw_array_reserve(&(array), &(capacity), (count), sizeof *(array))

bool shw_array_reserve(void *array, uint32_t *capacity, size_t count, size_t size);

#endif
