/* Random forests, images and techniques to label with. */
#ifndef SHW_DIFFERENTIAL_RANDOM_LABEL_H
#define SHW_DIFFERENTIAL_RANDOM_LABEL_H

#include "random_training.h"
#include "testing/random_forest.h"

enum { LABEL_SIDE_MAX = 64 };

/* `params` borrows the text, so it must not be moved. */
struct random_shape {
    struct random_forest_params params;
    char channels[RANDOM_CHANNELS_SIZE];
};

/* All of these add to the description of the case. */

/* From single leaves to chains of 25 tests, to balanced trees, to many trees or classes. */
void random_shape_make(struct testing_random *random, struct random_shape *shape);

/* The same channels and feature type, but other trees. */
void random_shape_change(struct testing_random *random, struct random_shape *shape);

/* Of random_extent(). The pixels are to be freed with free(). */
struct shw_image random_picture(struct testing_random *random, enum shw_pixel_format format, size_t padding);

/* A mixture of cpu, fragment and compute, or of the latter two. */
void random_mixture(struct testing_random *random, bool with_cpu, struct shw_labeller_params *params);

/* Some of the outputs; all of them most of the time. */
uint32_t random_outputs(struct testing_random *random);

#endif
