/* What every fuzz target offers. libFuzzer calls it, and so does replay.c. */
#ifndef SHW_FUZZ_TARGET_H
#define SHW_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CMake names the targets that share a program. */
#ifdef FUZZ_TARGET
#define FUZZ_JOIN_(target, function) target##_##function
#define FUZZ_JOIN(target, function)  FUZZ_JOIN_(target, function)
#define LLVMFuzzerTestOneInput       FUZZ_JOIN(FUZZ_TARGET, fuzz_input)
#define fuzz_seal                    FUZZ_JOIN(FUZZ_TARGET, fuzz_seal)
#define fuzz_memory_bound            FUZZ_JOIN(FUZZ_TARGET, fuzz_memory_bound)
#endif

/* One call with one input, which must neither crash nor leak: it is loaded and used a little, or refused with one
 * message that names it. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional: makes the checksums right whatever is in the file, so that damage comes past them. */
void fuzz_seal(uint8_t *bytes, size_t size) __attribute__((weak));

/* Optional: the most memory that a file of that size may take; 16 MiB and 64 times its size otherwise. */
size_t fuzz_memory_bound(size_t size) __attribute__((weak));

#endif
