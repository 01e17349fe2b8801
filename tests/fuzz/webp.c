/* Fuzz target: WebP files. */
#include "fuzz/decoder.h"
#include "fuzz/target.h"

/* Lossless files hold up to 2^20 pixels per byte (files/image/webp_read.c), each of four bytes for the result, and as
 * many for the decoder. */
size_t fuzz_memory_bound(size_t size)
{
    return ((size_t)16 << 20) + (size << 20) * 10;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(shw_image_format_webp.decode, data, size);
}
