/* Common parts of the decoders of file formats. */
#ifndef SHW_IMAGE_DECODE_H
#define SHW_IMAGE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* A file in memory. */
struct shw_source {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    bool stored; /* palette indices and grey values as stored: not resolved, scaled or inverted */
    const struct shw_log *log;
};

struct shw_decoded {
    uint8_t *pixels; /* without padding; malloc */
    uint32_t width, height;
    enum shw_pixel_format format;
    unsigned orientation; /* as in EXIF and TIFF: 1..8; other values mean upright */
};

/* On failure, each sends one message and leaves `decoded` without pixels. */
enum shw_result shw_decode_png(const struct shw_source *source, struct shw_decoded *decoded);
enum shw_result shw_decode_jpeg(const struct shw_source *source, struct shw_decoded *decoded);
enum shw_result shw_decode_tiff(const struct shw_source *source, struct shw_decoded *decoded);
enum shw_result shw_decode_bmp(const struct shw_source *source, struct shw_decoded *decoded);
enum shw_result shw_decode_pnm(const struct shw_source *source, struct shw_decoded *decoded);
enum shw_result shw_decode_webp(const struct shw_source *source, struct shw_decoded *decoded);

/* Whether a WebP file is compressed with loss; false if that cannot be told. */
bool shw_webp_is_lossy(const struct shw_source *source);

/* Whether it is the size of an image that is read. Errors: FORMAT, LIMIT. */
enum shw_result shw_decoded_check_size(const struct shw_source *source, uint64_t width, uint64_t height);

/* Checks the size and allocates zeroed pixels: called when the file is known to be long enough for them. Errors:
 * FORMAT, LIMIT, MEMORY. */
enum shw_result shw_decoded_allocate(const struct shw_source *source, uint64_t width, uint64_t height,
                                     enum shw_pixel_format format, struct shw_decoded *decoded);

/* Frees the pixels and fails with FORMAT: "cannot read NAME as a KIND file: REASON". */
enum shw_result shw_decode_fail(const struct shw_source *source, struct shw_decoded *decoded, const char *kind,
                                const char *reason);

/* The orientation in an EXIF block in TIFF form ("II*..." or "MM.*..."); 0 if there is none. */
unsigned shw_exif_orientation(const uint8_t *block, size_t size);

/* Applies the orientation to the pixels. Errors: MEMORY; the pixels are then freed. */
enum shw_result shw_decoded_turn_upright(const struct shw_source *source, struct shw_decoded *decoded);

#endif
