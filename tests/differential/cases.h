/* Random cases by their seeds. SHW_DIFFERENTIAL_CASES says how many are run; SHW_DIFFERENTIAL_SEED which is the first,
 * and if nothing else is said the only one. */
#ifndef SHW_DIFFERENTIAL_CASES_H
#define SHW_DIFFERENTIAL_CASES_H

#include "testing/testing.h"

/* Runs the cases of seeds 1 to `usual`, or what the environment says; under AddressSanitizer an eighth of them. */
void cases_run(uint32_t usual, void (*run)(uint64_t seed));

/* Adds to the description of the case that runs. */
void cases_describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A test's teardown: prints seed and description of the case that has not come to its end. */
int cases_report(void **state);

/* In `percent` of a hundred cases. */
bool random_chance(struct testing_random *random, uint32_t percent);

/* From 1 to `most`; small numbers are as frequent as large ones. */
uint32_t random_size(struct testing_random *random, uint32_t most);

#endif
