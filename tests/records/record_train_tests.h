/* Tests of training record forests that share a program. */
#ifndef RECORD_TRAIN_TESTS_H
#define RECORD_TRAIN_TESTS_H

#include "testing/testing.h"

/* Fails the test if training does. */
struct shw_record_forest *train_records(const struct shw_record_trainer_params *params,
                                        const struct shw_record_examples *examples);

#endif
