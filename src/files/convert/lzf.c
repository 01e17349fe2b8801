#include "files/convert/lzf.h"

#include <string.h>

/* A control byte below 32 is followed by that many bytes and one more, to be copied. Of another one, the upper 3 bits
 * are a length, less 2, and 7 of them mean that the next byte is to be added; the lower 5 bits and the next byte are a
 * distance, less 1, backwards. */
bool shw_lzf_decompress(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size)
{
    const uint8_t *const from_end = from + from_size;
    size_t done = 0;

    while (from < from_end) {
        uint32_t control = *from++;
        if (control < 32) {
            size_t length = control + (size_t)1;
            if (length > (size_t)(from_end - from) || length > to_size - done)
                return false;
            memcpy(to + done, from, length);
            from += length;
            done += length;
        } else {
            size_t length = control >> 5, distance = (size_t)(control & 31) << 8;
            if ((size_t)(from_end - from) < (length == 7 ? 2u : 1u))
                return false;
            length += 2 + (length == 7 ? *from++ : 0u);
            distance += 1 + (size_t)*from++;
            if (distance > done || length > to_size - done)
                return false;
            for (; length > 0; length--, done++) /* it may overlap itself */
                to[done] = to[done - distance];
        }
    }
    return done == to_size;
}
