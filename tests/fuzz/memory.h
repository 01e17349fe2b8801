/* How much memory a call takes: everything that is allocated in the process, by libraries too. */
#ifndef SHW_FUZZ_MEMORY_H
#define SHW_FUZZ_MEMORY_H

#include <stddef.h>

/* From now on. */
void fuzz_memory_begin(void);

/* The most bytes that were allocated at a time since then, beyond those that were allocated before; 0 where it cannot
 * be measured: under ThreadSanitizer, and with other C libraries than glibc. */
size_t fuzz_memory_peak(void);

#endif
