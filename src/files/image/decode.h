/* Common parts of the decoders of file formats. */
#ifndef SHW_FILES_IMAGE_DECODE_H
#define SHW_FILES_IMAGE_DECODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

#include "files/image/image_file.h"
#include "files/image/planes.h"

/* A file: in memory, or as a stream for formats that are read in parts. */
struct shw_source {
    const uint8_t *bytes; /* of a stream, its first ones */
    size_t size;          /* of the bytes */
    const char *name;
    bool stored; /* palette indices and grey values as stored: not resolved, scaled, inverted or chosen from */
    const struct shw_log *log;
    FILE *stream;       /* NULL: `bytes` are the whole file, or what listing its planes needs */
    uint64_t file_size; /* of the stream, or if `bytes` are but the first ones; otherwise 0 */
    uint32_t page;      /* from 1; 0 is the first, too */
    struct shw_image_choice choice;
    bool in_pieces;          /* pages may have any size that is read in pieces (pieces.h) */
    const atomic_bool *stop; /* reading is given up when it becomes true; NULL: never */
};

struct shw_decoded {
    uint8_t *pixels; /* without padding; malloc */
    uint32_t width, height;
    enum shw_pixel_format format;
    unsigned orientation; /* as in EXIF and TIFF: 1..8; other values mean upright */
    bool chosen;          /* the source's choice of channels has been made */
    bool mapped;          /* samples have been mapped to 16 bits by a range */
    uint64_t outside;     /* of them those that are not in it */
    uint64_t taken;       /* those that are numbers */
    struct shw_image_facts facts;
};

/* How the file of a format is read. */
enum shw_image_access {
    SHW_READ_WHOLE,  /* in memory */
    SHW_READ_STREAM, /* as a stream */
    SHW_READ_PARTS   /* as a stream, of which only parts are read: files of any size, and without decoding */
};

struct shw_image_signature {
    const char *bytes; /* with ? for any */
    size_t size;       /* at most SHW_SIGNATURE_MAX */
};
#define SHW_SIGNATURE_MAX 12u
#define SHW_SIGNATURE(bytes_)                                                                                          \
    {                                                                                                                  \
        bytes_, sizeof bytes_ - 1                                                                                      \
    }

/* A format of image files, in a file of its own. Functions send one message when they fail, except CANCELLED. */
struct shw_image_format {
    const char *name;                         /* in lists */
    struct shw_image_signature signatures[4]; /* with which its files begin; bytes NULL: no more */
    enum shw_image_access access;

    /* Leaves `decoded` without pixels on failure. Errors: FORMAT, LIMIT, MEMORY, CANCELLED. */
    enum shw_result (*decode)(const struct shw_source *source, struct shw_decoded *decoded);

    /* Why the file cannot be a label image, or NULL. NULL: any can. */
    const char *(*label_fault)(const struct shw_source *source);

    /* With SHW_READ_PARTS, otherwise NULL. The number of pages; as shw_image_choice_settle(). Errors: FORMAT, MEMORY.
     */
    enum shw_result (*count_pages)(const struct shw_source *source, uint32_t *count);
    enum shw_result (*settle)(const struct shw_source *source, struct shw_image_choice *choice);

    /* NULL: the planes of a file are the samples of its image. Lists those of the source's page or, if none is named,
     * of all pages; reads some of them by their numbers from 0, in ascending order, as they are stored. Errors: those
     * of decode; all planes are then without pixels. */
    enum shw_result (*list_planes)(const struct shw_source *source, struct shw_plane_list *planes);
    size_t list_start; /* with SHW_READ_WHOLE: listing needs no more than so many first bytes, and the file's size */
    enum shw_result (*read_planes)(const struct shw_source *source, const uint32_t *numbers, uint32_t count,
                                   struct shw_decoded *planes);
};

/* The formats: X(name). One more is a file, a line here, and the endings of its names in files/io/image_paths.c. */
#define SHW_IMAGE_FORMATS(X)                                                                                           \
    X(png)                                                                                                             \
    X(jpeg)                                                                                                            \
    X(tiff)                                                                                                            \
    X(webp)                                                                                                            \
    X(bmp)                                                                                                             \
    X(pnm)                                                                                                             \
    X(npy)

#define SHW_IMAGE_FORMAT(name_) extern const struct shw_image_format shw_image_format_##name_;
SHW_IMAGE_FORMATS(SHW_IMAGE_FORMAT)

/* Whether it is the size of an image that is read. Errors: FORMAT, LIMIT. */
enum shw_result shw_decoded_check_size(const struct shw_source *source, uint64_t width, uint64_t height);

/* Checks the size and allocates zeroed pixels: called when the file is known to be long enough for them. Errors:
 * FORMAT, LIMIT, MEMORY. */
enum shw_result shw_decoded_allocate(const struct shw_source *source, uint64_t width, uint64_t height,
                                     enum shw_pixel_format format, struct shw_decoded *decoded);

/* Whether reading is to be given up. */
bool shw_source_is_stopped(const struct shw_source *source);

/* Why a channel cannot be chosen, for shw_decode_fail(). */
void shw_no_such_channel(uint32_t number, uint32_t count, char *why, size_t size);

/* Makes the source's choice of channels and applies its range. Errors: FORMAT, MEMORY; the pixels are then freed. */
enum shw_result shw_decoded_choose(const struct shw_source *source, struct shw_decoded *decoded);

/* Warns about an image with 2 % or more of its values outside a range that was chosen for other images. */
void shw_decoded_check_range(const struct shw_source *source, const struct shw_decoded *decoded);

/* Frees the pixels of `decoded` (or NULL) and fails with FORMAT: "cannot read NAME as a KIND file: REASON", or with
 * CANCELLED if reading was to be given up. */
enum shw_result shw_decode_fail(const struct shw_source *source, struct shw_decoded *decoded, const char *kind,
                                const char *reason);

/* The orientation in an EXIF block in TIFF form ("II*..." or "MM.*..."); 0 if there is none. */
unsigned shw_exif_orientation(const uint8_t *block, size_t size);

/* Applies the orientation to the pixels. Errors: MEMORY; the pixels are then freed. */
enum shw_result shw_decoded_turn_upright(const struct shw_source *source, struct shw_decoded *decoded);

#endif
