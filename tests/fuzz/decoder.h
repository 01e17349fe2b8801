/* What the fuzz targets of image files share. */
#ifndef SHW_FUZZ_DECODER_H
#define SHW_FUZZ_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "files/image/decode.h"

/* Decodes as picture and as stored values, and reads each byte of what comes out. Always 0, for the target to
 * return. */
int fuzz_decoder(enum shw_result (*decode)(const struct shw_source *source, struct shw_decoded *decoded),
                 const uint8_t *data, size_t size);

#endif
