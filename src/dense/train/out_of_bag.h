/* Pixels of pictures that a tree was not trained on: what the trees say of them, while training goes on. */
#ifndef SHW_DENSE_TRAIN_OUT_OF_BAG_H
#define SHW_DENSE_TRAIN_OUT_OF_BAG_H

#include <jansson.h>

#include "dense/grow/trainer.h"

#define SHW_OUT_OF_BAG_MEMBER "out_of_bag" /* of the provenance */

/* The held-out pixels, those of a picture one after the other. */
struct shw_out_of_bag {
    uint32_t count, classes;
    uint16_t *labels;
    uint32_t *ends;             /* [picture] */
    uint32_t tree_count;        /* of the trees that were asked */
    uint32_t *sums;             /* [pixel][class]: of the leaves' distributions or votes */
    uint16_t *asked;            /* [pixel]: trees */
    uint64_t *pixels, *correct; /* [tree]: pixels that any tree up to this one was asked about, and those that the mean
                                   of these trees labels right */
};

/* Whether pictures are left out, and are whole. Errors: ARGUMENT. */
enum shw_result shw_out_of_bag_check(const struct shw_trainer_params *params, const struct shw_dataset *dataset);

/* Asks the finished trees that were not asked yet, if out-of-bag pixels are wanted. Errors: MEMORY, CANCELLED, those of
 * reading images. */
enum shw_result shw_out_of_bag_add(struct shw_trainer *trainer);

/* The member of the provenance. NULL if out of memory. */
json_t *shw_out_of_bag_pack(const struct shw_out_of_bag *out_of_bag);

/* Accepts a pointer to NULL. Sets *out_of_bag to NULL. */
void shw_out_of_bag_free(struct shw_out_of_bag **out_of_bag);

#endif
