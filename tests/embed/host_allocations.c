#include "host_allocations.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_uint count;

/* The linker sends the library's calls here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    count++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t number, size_t size)
{
    count++;
    return __real_calloc(number, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    count++;
    return __real_realloc(memory, size);
}

unsigned host_allocations(void)
{
    return count;
}
