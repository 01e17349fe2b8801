/* The KTX2 container, as far as forests use it: one level of R32G32B32A32_UINT texels, no supercompression, and
 * key/value data. */
#ifndef SHW_FOREST_KTX2_H
#define SHW_FOREST_KTX2_H

#include <stddef.h>
#include <stdint.h>

#include "forest/forest.h"

struct shw_ktx2 {
    uint32_t width, height;
    uint32_t layers; /* at least 1 */
    const void *texels;
    const char *metadata; /* key "shadewood", without its zero byte */
    size_t metadata_length;
    uint64_t checksum; /* key "shadewood.checksum" */
};

/* The file's bytes, to be freed with free(), and their number; NULL without memory. The checksum is computed. */
void *shw_ktx2_write(const struct shw_ktx2 *image, size_t *size);

/* Finds the metadata, and looks at nothing else: a newer version may have changed everything else. */
enum shw_result shw_ktx2_read_metadata(const void *bytes, size_t size, const struct shw_forest_source *source,
                                       struct shw_ktx2 *image);

/* Checks all the rest, the checksum included. What `image` points to is inside `bytes`; texels may be unaligned. */
enum shw_result shw_ktx2_read(const void *bytes, size_t size, const struct shw_forest_source *source,
                              struct shw_ktx2 *image);

#endif
