/* Image files that are read in pieces: rectangles of pixels, of which no more is decoded than the strips or tiles that
 * they touch. TIFF files can be read so, of any size up to SHW_PIECES_SIDE_MAX a side. */
#ifndef SHW_FILES_IMAGE_PIECES_H
#define SHW_FILES_IMAGE_PIECES_H

#include "files/image/image_file.h"

struct shw_image_pieces;

struct shw_pieces_params {
    const char *path;
    bool colours;             /* the image itself is wanted, with the choice of `image` */
    const char *const *names; /* of the planes that are wanted (planes.h); borrowed */
    uint32_t name_count;
    bool any_name; /* a file of one plane has it by any name */
    struct shw_image_params image;
    uint64_t cache; /* bytes of strips and tiles that are kept */
};

struct shw_pieces_info {
    uint32_t width, height;
    uint32_t image_count; /* the image itself, if it is wanted, and each plane */
    uint64_t pixel_bytes; /* of all of them, at most */
    bool in_strips;       /* compressed ones: a piece reads all of each that it touches */
    uint64_t row_bytes;   /* of what is kept of a row, of all that is read */
};

/* Opens a file. *pieces becomes NULL, without a message, if it has another format, is stored turned, or has strips or
 * tiles larger than the cache: it can then be read whole. Errors: those of shw_image_file_read() and
 * shw_image_planes_read(). Not for several threads at once. */
enum shw_result shw_image_pieces_open(const struct shw_pieces_params *params, const struct shw_log *log,
                                      struct shw_image_pieces **pieces);

const struct shw_pieces_info *shw_image_pieces_info(const struct shw_image_pieces *pieces);

/* Reads a rectangle, which lies in the image and has at most SHW_IMAGE_PIXELS_MAX pixels: the image itself, if it is
 * wanted, then the planes. The files are to be freed unless it fails; they do not have `facts`. Errors: those of
 * reading the whole. */
enum shw_result shw_image_pieces_read(struct shw_image_pieces *pieces, uint32_t x, uint32_t y, uint32_t width,
                                      uint32_t height, struct shw_image_file files[]);

/* Warns as reading the whole would, of what has been read, and closes it. Sets it to NULL; accepts NULL. */
void shw_image_pieces_close(struct shw_image_pieces **pieces);

#endif
