/* Random labelled images: any format, any size, of one format or several, with a plane and some with a frame before. */
#ifndef SHW_DIFFERENTIAL_RANDOM_SET_H
#define SHW_DIFFERENTIAL_RANDOM_SET_H

#include <shadewood/dataset.h>

#include "testing/testing.h"

enum { RANDOM_SET_MAX = 12, RANDOM_SET_INPUTS = 7 };

/* `dataset` borrows the rest, so it must not be moved. */
struct random_set {
    struct shw_dataset dataset;
    struct shw_image images[RANDOM_SET_MAX];
    /* the plane OWN_PLANE; depth; height; three planes that lists name; the frame before */
    struct shw_input inputs[RANDOM_SET_MAX][RANDOM_SET_INPUTS];
    uint16_t *labels[RANDOM_SET_MAX];
    unsigned held; /* read, but not released */
};

/* Adds to the description of the case. */
void random_set_make(struct testing_random *random, struct random_set *set);
void random_set_free(struct random_set *set);

#endif
