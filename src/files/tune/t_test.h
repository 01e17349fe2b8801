/* Student's t-test (Gosset 1908), by which the cross-validation of a bad setting ends early (Waldvogel 2013, section
 * 5.2). */
#ifndef SHW_FILES_TUNE_T_TEST_H
#define SHW_FILES_TUNE_T_TEST_H

#include <stdbool.h>
#include <stdint.h>

/* The probability that a value of Student's distribution exceeds `t`. */
double shw_student_above(double t, double freedom);

/* Whether the mean of what the numbers are a sample of is above 0: the hypothesis that it is not is rejected with that
 * level of significance. False for fewer than two. */
bool shw_t_test_above_zero(const double *numbers, uint32_t count, double significance);

#endif
