/* An image and its other inputs, read in pieces (files/image/pieces.h). */
#ifndef SHW_FILES_DATASET_PIECE_INPUTS_H
#define SHW_FILES_DATASET_PIECE_INPUTS_H

#include "files/dataset/image_inputs.h"
#include "files/image/pieces.h"

struct shw_piece_inputs {
    uint32_t width, height;
    uint64_t pixel_bytes; /* of all inputs, at most */
    bool in_strips;       /* as in struct shw_pieces_info, of all files */
    uint64_t row_bytes;
    struct shw_image_pieces *files[SHW_INPUTS_MAX]; /* the image's own, and one for each other input */
    uint32_t file_count;
    const char *names[SHW_INPUTS_MAX]; /* of the inputs in the order in which they are read; borrowed */
    uint32_t count;
};

/* Opens them; *possible is false, without a message, if one of them cannot be read in pieces, or is no plane: depth,
 * height or a previous frame. The files keep blocks of up to `cache` bytes altogether. Close in either case. Errors:
 * those of shw_image_inputs_read(). */
enum shw_result shw_piece_inputs_open(const char *image, const struct shw_input_file *inputs, uint32_t count,
                                      const struct shw_image_params *params, uint64_t cache, const struct shw_log *log,
                                      struct shw_piece_inputs *pieces, bool *possible);
/* Accepts zero-initialised and closed ones. */
void shw_piece_inputs_close(struct shw_piece_inputs *pieces);

/* Reads a rectangle of all of them. Free in either case. Errors: those of shw_image_pieces_read(). */
enum shw_result shw_piece_inputs_read(struct shw_piece_inputs *pieces, uint32_t x, uint32_t y, uint32_t width,
                                      uint32_t height, struct shw_image_inputs *read);

#endif
