/* Fuzz target: JPEG files. */
#include "fuzz/decoder.h"
#include "fuzz/target.h"

/* Arithmetic codes hold up to 131072 pixels per byte (files/image/jpeg_read.c): three bytes each, and for progressive
 * files as many coefficients of two bytes. */
size_t fuzz_memory_bound(size_t size)
{
    return ((size_t)16 << 20) + size * 131072 * 10;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(shw_image_format_jpeg.decode, data, size);
}
