/* The parts of the program that tests detection on the host. */
#ifndef SHW_UNIT_DETECT_TESTS_H
#define SHW_UNIT_DETECT_TESTS_H

#include "testing/testing.h"

/* Return the number of tests that failed. */
int test_windows(void);
int test_groups(void);

#endif
