/* Labelling an image in pieces, without the whole of it in memory. Pieces come in bands, whose rows are written as soon
 * as they are labelled. */
#ifndef SHW_FILES_OUTPUT_LABEL_PIECES_H
#define SHW_FILES_OUTPUT_LABEL_PIECES_H

#include "files/dataset/piece_inputs.h"
#include "files/output/label_job.h"

struct shw_label_pieces {
    struct shw_piece_inputs inputs;
    uint32_t reach;         /* pixels around a piece that are read with it */
    uint32_t width, height; /* of pieces, the last ones of a row or column may have fewer */
    uint64_t *counts;       /* pixels of each class, once it is labelled */
};

/* Opens an image that takes more than the job's memory as a whole, with what is read and written. *wanted is false,
 * without a message, if it does not, or if it must be labelled as a whole and can be. Close in either case. Errors:
 * those of reading; LIMIT for an image that is too large for what is wanted of it. */
enum shw_result shw_label_pieces_open(const struct shw_label_job *job, const char *image,
                                      const struct shw_input_file *inputs, uint32_t count,
                                      struct shw_label_pieces *pieces, bool *wanted);
/* Accepts zero-initialised and closed ones. */
void shw_label_pieces_close(struct shw_label_pieces *pieces);

/* Files that are being written, by the entries of the job's files. */
struct shw_label_writers {
    struct shw_row_writer **rows;
    uint32_t count;
};

/* Labels the image and writes the rows of files, which are not there before shw_label_writers_commit(). Fills in
 * `results`, which has the image's size, name and path, with the planes that objects are found in, if they are wanted.
 * Abandon the writers in either case. Errors: those of labelling, reading and writing. */
enum shw_result shw_label_pieces_run(const struct shw_label_job *job, struct shw_label_pieces *pieces,
                                     const struct shw_picture_files *files, struct shw_label_results *results,
                                     struct shw_label_writers *writers);

/* Errors: IO, MEMORY. */
enum shw_result shw_label_writers_commit(struct shw_label_writers *writers);
/* Accepts zero-initialised ones, and those that are committed. */
void shw_label_writers_abandon(struct shw_label_writers *writers);

#endif
