/* The parts of the program that tests record forests. */
#ifndef SHW_UNIT_RECORD_TESTS_H
#define SHW_UNIT_RECORD_TESTS_H

#include "testing/testing.h"

/* Return the number of tests that failed. */
int test_record_files(void);
int test_record_builder(void);
int test_record_numbers(void);

#endif
