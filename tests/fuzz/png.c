/* Fuzz target: PNG files. */
#include <zlib.h>

#include "fuzz/decoder.h"
#include "fuzz/target.h"

enum { SIGNATURE = 8, AROUND = 12 }; /* bytes around a chunk's data: length and type, checksum */

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void fuzz_seal(uint8_t *bytes, size_t size)
{
    size_t at = SIGNATURE;

    while (at + AROUND <= size && big_endian(bytes + at) <= size - at - AROUND) {
        uint32_t length = big_endian(bytes + at), sum = (uint32_t)crc32(0, bytes + at + 4, length + 4);
        for (uint32_t b = 0; b < 4; b++)
            bytes[at + 8 + length + b] = (uint8_t)(sum >> (24 - 8 * b));
        at += AROUND + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(shw_image_format_png.decode, data, size);
}
