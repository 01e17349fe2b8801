/* Tests of training record forests that share a program. */
#ifndef RECORD_TRAIN_TESTS_H
#define RECORD_TRAIN_TESTS_H

#include "testing/testing.h"

/* Fails the test if training does. */
struct shw_record_forest *train_records(const struct shw_record_trainer_params *params,
                                        const struct shw_record_examples *examples);

void trees_are_those_of_plain_code(void **state);
void many_values_are_ranked_in_groups(void **state);
void repeated_values_are_ranked_one_by_one(void **state);
void groups_do_not_blur_thresholds(void **state);

#endif
