/* Fuzz target: BMP files. */
#include "fuzz/decoder.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(shw_image_format_bmp.decode, data, size);
}
