/* A training set of images, made of ranks, for the trainer of forests. */
#ifndef SHW_RECORDS_TRAIN_RANK_IMAGES_H
#define SHW_RECORDS_TRAIN_RANK_IMAGES_H

#include <shadewood/train.h>

#include "records/train/rank.h"

/* Each image has successive examples, one a column; images differ by at most one in their number. Attribute a is row
 * a % rows, and if there are more than one image can have rows, the rest follow in blocks to the right: attribute a is
 * in column `width` a / rows + the example's, of `width` examples. Row 0 of the first block has the labels. */
struct shw_rank_images {
    struct shw_dataset dataset;
    const struct shw_ranks *ranks;
    const struct shw_log *log;
    uint32_t rows, blocks_shift; /* 2^blocks_shift blocks */
};

/* `images` must stay where it is, and the ranks as they are. */
void shw_rank_images_make(const struct shw_ranks *ranks, uint32_t class_count, const struct shw_log *log,
                          struct shw_rank_images *images);

/* The first example of image `index`, or the number of examples for the number of images. */
uint32_t shw_rank_images_begin(const struct shw_rank_images *images, uint32_t index);

/* How many examples of each image a tree gets, as shw_trainer_params.pixels_per_image: at least one. */
uint32_t shw_rank_images_share(const struct shw_rank_images *images, uint32_t percent);

#endif
