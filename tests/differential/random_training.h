/* Random parameters of training. */
#ifndef SHW_DIFFERENTIAL_RANDOM_TRAINING_H
#define SHW_DIFFERENTIAL_RANDOM_TRAINING_H

#include <shadewood/train.h>

#include "testing/testing.h"

enum { RANDOM_CLASSES_MAX = 256, RANDOM_CHANNELS_SIZE = 512 };

/* `params` borrows the rest, so it must not be moved. */
struct random_training {
    struct shw_trainer_params params; /* what determines the forest */
    char channels[RANDOM_CHANNELS_SIZE];
    double weights[RANDOM_CLASSES_MAX];
};

/* A channel list: a named one, or random kinds with random parameters, motion and planes among them (those of
 * input/own_kinds.h). */
/* A list that suits the feature type. */
void random_channels(struct testing_random *random, const struct shw_feature_type *feature,
                     char text[RANDOM_CHANNELS_SIZE]);

/* Parameters for a set of so many classes. Adds to the description of the case. */
void random_training_make(struct testing_random *random, uint32_t classes, struct random_training *training);

#endif
