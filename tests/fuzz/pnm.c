/* Fuzz target: PGM and PPM files. */
#include "fuzz/decoder.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(shw_image_format_pnm.decode, data, size);
}
