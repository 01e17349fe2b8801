/* What every fuzz target offers: one call with one input, which must neither crash nor leak. libFuzzer calls it, and so
 * does replay.c. */
#ifndef SHW_FUZZ_TARGET_H
#define SHW_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
