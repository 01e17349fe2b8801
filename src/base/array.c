#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool shw_array_reserve(void *array, uint32_t *capacity, size_t count, size_t size)
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
