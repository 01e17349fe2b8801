/* Fuzz target: TIFF files. */
#include "fuzz/decoder.h"
#include "fuzz/target.h"

/* The library allocates what lengths in the file claim. */
size_t fuzz_memory_bound(size_t size)
{
    return ((size_t)3 << 30) + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(shw_decode_tiff, data, size);
}
