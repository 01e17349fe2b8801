/* Parameters to train by, for tests. */
#ifndef SHW_TESTING_TRAINING_H
#define SHW_TESTING_TRAINING_H

#include <shadewood/train.h>

#include "testing/examples.h"

/* Small, but with two trees of several levels; for three classes. */
extern const struct shw_trainer_params testing_training;

/* These, and with every parameter that may change the forest changed alone. Returns how many. */
#define TESTING_VARIANTS_MAX 48
uint32_t testing_training_variants(struct shw_trainer_params *list);

/* The hash of the forest that comes of it by this technique, on the testing device unless it is `cpu`; fails the test
 * otherwise. */
uint64_t testing_train(struct shw_trainer_params params, struct testing_examples *examples,
                       enum shw_technique technique);

/* Steps to the end and returns the hash of the forest; the trainer can be used again. */
uint64_t testing_grow(struct shw_trainer *trainer);

/* Steps to the end, destroys the trainer and returns the hash of its forest. */
uint64_t testing_finish(struct shw_trainer *trainer);

#endif
