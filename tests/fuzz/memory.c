#include "fuzz/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "testing/sanitizers.h"

static atomic_llong now, peak;
static long long before;

static void add(size_t size)
{
    long long sum = atomic_fetch_add(&now, (long long)size) + (long long)size, highest = atomic_load(&peak);

    while (sum > highest && !atomic_compare_exchange_weak(&peak, &highest, sum))
        continue;
}

static void subtract(size_t size)
{
    atomic_fetch_sub(&now, (long long)size);
}

#if TESTING_ADDRESS_SANITIZED

/* Of AddressSanitizer's runtime. */
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
                                              void (*free_hook)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);

static void allocated(const volatile void *memory, size_t size)
{
    (void)memory;
    add(size);
}

static void released(const volatile void *memory)
{
    if (memory != NULL)
        subtract(__sanitizer_get_allocated_size(memory));
}

static void install(void)
{
    static int installed;

    if (!installed)
        __sanitizer_install_malloc_and_free_hooks(allocated, released);
    installed = 1;
}

#elif defined(__GLIBC__) && !TESTING_THREAD_SANITIZED

/* glibc's own, which the program's take the place of. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

#define EXPORTED __attribute__((visibility("default")))

static void *counted(void *memory)
{
    if (memory != NULL)
        add(malloc_usable_size(memory));
    return memory;
}

EXPORTED void *malloc(size_t size)
{
    return counted(__libc_malloc(size));
}

EXPORTED void *calloc(size_t count, size_t size)
{
    return counted(__libc_calloc(count, size));
}

EXPORTED void *realloc(void *memory, size_t size)
{
    size_t old = memory != NULL ? malloc_usable_size(memory) : 0;
    void *grown = __libc_realloc(memory, size);

    if (grown != NULL || size == 0)
        subtract(old);
    return counted(grown);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = counted(__libc_memalign(alignment, size));
    return *memory != NULL ? 0 : 12; /* ENOMEM */
}

EXPORTED void free(void *memory)
{
    if (memory != NULL)
        subtract(malloc_usable_size(memory));
    __libc_free(memory);
}

static void install(void)
{
}

#else

static void install(void)
{
    (void)add, (void)subtract;
}

#endif

void fuzz_memory_begin(void)
{
    install();
    before = atomic_load(&now);
    atomic_store(&peak, before);
}

size_t fuzz_memory_peak(void)
{
    long long most = atomic_load(&peak) - before;

    return most > 0 ? (size_t)most : 0;
}
