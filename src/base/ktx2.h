/* The part of the KTX2 container that forests, cascades and record forests use: one level of R32G32B32A32_UINT texels,
 * no supercompression, and key/value data. */
#ifndef SHW_BASE_KTX2_H
#define SHW_BASE_KTX2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Vulkan guarantees 256 layers; with one less, texel numbers fit 32 bits. */
#define SHW_TEXTURE_LAYERS_MAX 255u

/* What a file holds: it says so, and is not taken for another. */
enum shw_ktx2_content { SHW_KTX2_FOREST, SHW_KTX2_CASCADE, SHW_KTX2_RECORD_FOREST };

/* "forest", "cascade", "record forest" */
const char *shw_ktx2_content_name(enum shw_ktx2_content content);

struct shw_ktx2_source {
    const char *name; /* begins messages: the path, or "forest" */
    const struct shw_log *log;
    enum shw_ktx2_content content; /* that it must hold */
};

/* The size of the header, which says where the metadata ends: the bytes of the file that
 * shw_ktx2_read_metadata() needs, or 0 if it is no KTX2 file. `header` has SHW_KTX2_HEADER_SIZE bytes. */
#define SHW_KTX2_HEADER_SIZE 80u
uint64_t shw_ktx2_head_size(const void *header);

/* The size that the file says to have, from its first SHW_KTX2_START_SIZE bytes; 0 if it is no KTX2 file. */
#define SHW_KTX2_START_SIZE (SHW_KTX2_HEADER_SIZE + 24u)
uint64_t shw_ktx2_file_size(const void *start);

/* Whether a regular file can be read and does not begin as KTX2 files do. */
bool shw_ktx2_is_other_file(const char *path);

#define SHW_KTX2_START 4u /* bytes by which a KTX file is told from models of other programs */

/* Whether contents begin as a KTX file does. */
bool shw_ktx2_begins(const void *bytes, size_t size);

struct shw_ktx2 {
    enum shw_ktx2_content content; /* to be written */
    uint32_t width, height;
    uint32_t layers; /* at least 1 */
    const void *texels;
    const char *metadata; /* key "shadewood", without the terminating zero */
    size_t metadata_length;
    const void *below; /* key "shadewood.below": the file of a forest below this one; NULL: there is none */
    size_t below_size;
    uint64_t checksum; /* key "shadewood.checksum" */
};

/* A texel of an image, which is 16 bytes and may be unaligned. */
static inline const char *shw_ktx2_texel(const struct shw_ktx2 *image, uint64_t texel)
{
    return (const char *)image->texels + 16 * texel;
}

/* Sets the size of the texture that texels without gaps take: the narrowest one that is not taller than wide, and
 * several layers when one is not enough. False if there are too many. */
bool shw_ktx2_fit(uint64_t texel_count, struct shw_ktx2 *image);

/* Makes the bytes of a file, to be freed with free(), with a computed checksum. The metadata ends with a zero; its
 * length need not be set. Texels and metadata may be NULL if there was no memory for them. Errors: MEMORY. */
enum shw_result shw_ktx2_write(const struct shw_ktx2 *image, void **bytes, size_t *size);

/* Finds the metadata and checks nothing but the content, since a newer version may differ in everything else. */
enum shw_result shw_ktx2_read_metadata(const void *bytes, size_t size, const struct shw_ktx2_source *source,
                                       struct shw_ktx2 *image);

/* Checks everything else, including the checksum. `image` points into `bytes`; texels may be unaligned. */
enum shw_result shw_ktx2_read(const void *bytes, size_t size, const struct shw_ktx2_source *source,
                              struct shw_ktx2 *image);

/* Reads as much of a file, or of a pipe without a name, as its header says that it has; free *bytes with free(). */
enum shw_result shw_ktx2_read_file(const char *path, const struct shw_log *log, void **bytes, size_t *size);

#endif
