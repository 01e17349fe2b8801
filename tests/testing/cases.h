/* Random cases by their seeds, in sweeps: a program has one or several, each with a name. Every case is made from the
 * sweep's name and its seed alone, so that it can be repeated alone.
 *
 * Environment: SHW_CASES=N runs N cases of each sweep instead of the usual number, SHW_SEED=N begins with that seed
 * instead of 1, and SHW_CASE=NAME:SEED runs that case and no other. */
#ifndef SHW_TESTING_CASES_H
#define SHW_TESTING_CASES_H

#include "testing/testing.h"

struct testing_sweep {
    const char *name;
    uint32_t usual;             /* cases */
    uint32_t sanitized;         /* under AddressSanitizer; 0: an eighth. Other sanitizers: a 16th */
    void (*run)(uint64_t seed); /* one case */
    void (*failed)(const char *sweep, uint64_t seed); /* called after a case that failed; may be NULL */
};

/* Runs the cases of a sweep. A case that fails, crashes or is stopped by a sanitizer is described, with the command
 * that repeats it. */
void testing_sweep(const struct testing_sweep *sweep);

/* Adds to the description of the case that runs. */
void testing_describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A case that is no part of a sweep, such as a file: described likewise if it does not come to its end. */
void testing_begin_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
void testing_end_case(void);

/* A test's teardown: prints the case that has not come to its end. */
int testing_sweep_teardown(void **state);

/* In `percent` of a hundred cases. */
bool random_chance(struct testing_random *random, uint32_t percent);

/* From 1 to `most`; small numbers are as frequent as large ones. */
uint32_t random_size(struct testing_random *random, uint32_t most);

/* The size of an image of at most `most` times `most` pixels: 1x1, lines, squares, and sometimes sides of up to 16
 * times `most`. */
void random_extent(struct testing_random *random, uint32_t most, uint32_t *width, uint32_t *height);

#endif
