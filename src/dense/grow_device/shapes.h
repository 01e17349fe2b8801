/* Mean planes (dense/means/means.h) for training: where candidates have rectangles of few shapes, their values are made
 * once for every image, and a response then reads one value for each rectangle instead of four corners. */
#ifndef SHW_DENSE_GROW_DEVICE_SHAPES_H
#define SHW_DENSE_GROW_DEVICE_SHAPES_H

#include "dense/grow/trainer.h"
#include "dense/means/means.h"
#include "shared/train_push.h"

/* The shapes of all rectangles that candidates can have. Unused members are zero, so that two can be compared byte by
 * byte. */
struct shw_train_shapes {
    uint32_t count;                     /* 0: mean planes are not used */
    uint32_t side_count;                /* of `sides`, which are in ascending order */
    uint32_t heights;                   /* `side_count` if any side goes with any, 0 if shapes are squares */
    uint32_t margin;                    /* of the planes */
    uint8_t sides[SHW_TRAIN_SIDES_MAX]; /* shape w + heights * h has side w as its width and side h as its height */
};
_Static_assert(SHW_MEANS_SIDE_MAX <= UINT8_MAX, "sides are bytes");

/* The shapes of a training's candidates, if training with mean planes is possible and faster. */
struct shw_train_shapes shw_train_shapes_of(const struct shw_trainer *trainer);

/* The planes of all channels, shape by shape, for stages that make them. To be freed with shw_means_free(). NULL: out
 * of memory. */
struct shw_means *shw_train_shapes_means(const struct shw_train_shapes *shapes, const struct shw_trainer *trainer);

#endif
